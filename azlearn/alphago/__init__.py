"""AlphaGo's pipeline of 2016 in miniature: from expert games to the search that mixes them all."""

from azlearn.alphago.compiled_rollouts import (
    compiled_patterns,
    microseconds_per_move,
    pattern_rollout,
)
from azlearn.alphago.evaluator import AlphaGoEvaluator
from azlearn.alphago.expert_games import (
    ExpertSettings,
    play_expert_game,
    play_expert_games,
    read_expert_games,
)
from azlearn.alphago.fitting import FitRow, FitSettings, fit, measured
from azlearn.alphago.game_records import GameRecord
from azlearn.alphago.go_records import GoMove, GoRecord, GoRecords, read_sgf
from azlearn.alphago.leakage import Leak, leak
from azlearn.alphago.mixed_search import (
    alphago_search,
    mixed_evaluator,
    tempered_policy,
)
from azlearn.alphago.networks import load_stage_network, new_network, save_stage_network
from azlearn.alphago.patterns import Features, feature_indices, move_features
from azlearn.alphago.pipeline import make_alphago
from azlearn.alphago.pipeline_settings import PipelineSettings
from azlearn.alphago.planes import PLANES, AllPlanes
from azlearn.alphago.policies import (
    Policy,
    Value,
    network_policy,
    policy_of,
    uniform_policy,
    value_of,
)
from azlearn.alphago.policy_games import PolicyGames, play_policy_games
from azlearn.alphago.policy_gradient import GradientRow, GradientSettings, train_policy_gradient
from azlearn.alphago.positions import (
    Positions,
    Split,
    leaky_split_by_position,
    positions_of,
    shared_boards,
    split_by_game,
)
from azlearn.alphago.rollout_policy import (
    ExpertMoves,
    RolloutPolicy,
    Score,
    TrainedRolloutPolicy,
    train_rollout_policy,
)
from azlearn.alphago.stages import Stage, StageFailed, read_stage, run_stages
from azlearn.alphago.supervised import (
    PolicyScore,
    Supervised,
    accuracy_of,
    clustered_interval,
    learning_curve,
    score_of,
    train_supervised,
)
from azlearn.alphago.value_network import ValueScore, all_positions, mse, one_position_a_game

__all__ = [
    "PLANES",
    "AllPlanes",
    "AlphaGoEvaluator",
    "ExpertMoves",
    "ExpertSettings",
    "Features",
    "FitRow",
    "FitSettings",
    "GameRecord",
    "GoMove",
    "GoRecord",
    "GoRecords",
    "GradientRow",
    "GradientSettings",
    "Leak",
    "PipelineSettings",
    "Policy",
    "PolicyGames",
    "PolicyScore",
    "Positions",
    "RolloutPolicy",
    "Score",
    "Split",
    "Stage",
    "StageFailed",
    "Supervised",
    "TrainedRolloutPolicy",
    "Value",
    "ValueScore",
    "accuracy_of",
    "all_positions",
    "alphago_search",
    "clustered_interval",
    "compiled_patterns",
    "feature_indices",
    "fit",
    "leak",
    "leaky_split_by_position",
    "learning_curve",
    "load_stage_network",
    "make_alphago",
    "measured",
    "microseconds_per_move",
    "mixed_evaluator",
    "move_features",
    "mse",
    "network_policy",
    "new_network",
    "one_position_a_game",
    "pattern_rollout",
    "play_expert_game",
    "play_expert_games",
    "play_policy_games",
    "policy_of",
    "positions_of",
    "read_expert_games",
    "read_sgf",
    "read_stage",
    "run_stages",
    "save_stage_network",
    "score_of",
    "shared_boards",
    "split_by_game",
    "tempered_policy",
    "train_policy_gradient",
    "train_rollout_policy",
    "train_supervised",
    "uniform_policy",
    "value_of",
]
