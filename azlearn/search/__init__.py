"""Tree search: readable and compiled MCTS, tree policies, evaluators, and a recorder."""

from azlearn.old_names import old_names
from azlearn.search.batched_search import BatchedSearch
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
from azlearn.search.proofs import MCTSSolver
from azlearn.search.recorder import Recorder, record_search
from azlearn.search.recording import Recording
from azlearn.search.root_noise import GumbelNoise, RootNoise
from azlearn.search.selection import RULES, check_budget, puct, uct
from azlearn.search.tree import Node, Tree
from azlearn.search.tree_policy import SelectionRule, TreePolicy

__all__ = [
    "MCTS",
    "RULES",
    "BatchEvaluator",
    "BatchedSearch",
    "CompiledRollout",
    "Evaluation",
    "Evaluator",
    "GumbelNoise",
    "MCTSSolver",
    "Node",
    "Path",
    "Recorder",
    "Recording",
    "RootNoise",
    "SelectionRule",
    "Tree",
    "TreePolicy",
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

__getattr__ = old_names(__name__, BatchedPUCT="BatchedSearch", ProvingMCTS="MCTSSolver")
