"""Tree search: the readable one, its slots, a recorder, and the compiled one beside it."""

from azlearn.search.batched_puct import BatchedPUCT
from azlearn.search.compiled_uct import CompiledRollout, compiled_uct, uniform_rollout
from azlearn.search.evaluators import (
    BatchEvaluator,
    Evaluation,
    Evaluator,
    batch_evaluator,
    constant,
    hash_evaluator,
    random_moves,
    random_rollout,
)
from azlearn.search.forced import forced_puct
from azlearn.search.gumbel import gumbel
from azlearn.search.mcts import MCTS, Path
from azlearn.search.plans import Plan, SelectionRule
from azlearn.search.proofs import ProvingMCTS
from azlearn.search.recorder import Recorder, record_search
from azlearn.search.recording import Recording
from azlearn.search.root_noise import GumbelNoise, RootNoise
from azlearn.search.selection import RULES, check_budget, puct, uct
from azlearn.search.tree import Node, Tree

__all__ = [
    "MCTS",
    "RULES",
    "BatchEvaluator",
    "BatchedPUCT",
    "CompiledRollout",
    "Evaluation",
    "Evaluator",
    "GumbelNoise",
    "Node",
    "Path",
    "Plan",
    "ProvingMCTS",
    "Recorder",
    "Recording",
    "RootNoise",
    "SelectionRule",
    "Tree",
    "batch_evaluator",
    "check_budget",
    "compiled_uct",
    "constant",
    "forced_puct",
    "gumbel",
    "hash_evaluator",
    "puct",
    "random_moves",
    "random_rollout",
    "record_search",
    "uct",
    "uniform_rollout",
]
