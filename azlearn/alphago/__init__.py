"""AlphaGo (2016) on a small scale: its training pipeline, from expert games on, and its search."""

from azlearn.alphago.apv_mcts import alphago_search, mixed_evaluator, tempered_policy
from azlearn.alphago.compiled_rollouts import (
    compiled_patterns,
    microseconds_per_move,
    pattern_rollout,
)
from azlearn.alphago.evaluator import AlphaGoEvaluator
from azlearn.alphago.expert_games import ExpertSettings, play_expert_games, read_expert_games
from azlearn.alphago.fitting import FitSettings, fit
from azlearn.alphago.networks import load_stage_network, new_network
from azlearn.alphago.patterns import feature_indices, move_features
from azlearn.alphago.pipeline import make_alphago
from azlearn.alphago.pipeline_settings import PipelineSettings
from azlearn.alphago.planes import PLANES, AllPlanes
from azlearn.alphago.policies import network_policy, policy_of, uniform_policy, value_of
from azlearn.alphago.policy_games import play_policy_games
from azlearn.alphago.policy_gradient import GradientSettings, train_policy_gradient
from azlearn.alphago.positions import Positions, positions_of, shared_boards, split_by_game
from azlearn.alphago.rollout_policy import RolloutPolicy, train_rollout_policy
from azlearn.alphago.stages import read_stage
from azlearn.alphago.supervised import (
    accuracy_of,
    learning_curve,
    train_supervised,
)
from azlearn.alphago.value_network import all_positions, leak, mse, one_position_a_game
from azlearn.intervals import clustered_interval

__all__ = [
    "PLANES",
    "AllPlanes",
    "AlphaGoEvaluator",
    "ExpertSettings",
    "FitSettings",
    "GradientSettings",
    "PipelineSettings",
    "Positions",
    "RolloutPolicy",
    "accuracy_of",
    "all_positions",
    "alphago_search",
    "clustered_interval",
    "compiled_patterns",
    "feature_indices",
    "fit",
    "leak",
    "learning_curve",
    "load_stage_network",
    "make_alphago",
    "microseconds_per_move",
    "mixed_evaluator",
    "move_features",
    "mse",
    "network_policy",
    "new_network",
    "one_position_a_game",
    "pattern_rollout",
    "play_expert_games",
    "play_policy_games",
    "policy_of",
    "positions_of",
    "read_expert_games",
    "read_stage",
    "shared_boards",
    "split_by_game",
    "tempered_policy",
    "train_policy_gradient",
    "train_rollout_policy",
    "train_supervised",
    "uniform_policy",
    "value_of",
]
