"""AlphaGo's pipeline of 2016 in miniature: from expert games to the search that mixes them all."""

from azlearn.alphago.compiled_rollouts import (
    compiled_patterns,
    microseconds_per_move,
    pattern_rollout,
)
from azlearn.alphago.expert_games import (
    ExpertSettings,
    play_expert_game,
    play_expert_games,
    read_expert_games,
)
from azlearn.alphago.game_records import GameRecord
from azlearn.alphago.go_records import GoMove, GoRecord, GoRecords, SgfReaderMissing, read_sgf
from azlearn.alphago.mixed_search import (
    AlphaGoThreads,
    alphago_search,
    mixed_evaluator,
    tempered_policy,
)
from azlearn.alphago.patterns import Features, feature_indices, move_features
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

__all__ = [
    "AlphaGoThreads",
    "ExpertMoves",
    "ExpertSettings",
    "Features",
    "GameRecord",
    "GoMove",
    "GoRecord",
    "GoRecords",
    "Positions",
    "RolloutPolicy",
    "Score",
    "SgfReaderMissing",
    "Split",
    "TrainedRolloutPolicy",
    "alphago_search",
    "compiled_patterns",
    "feature_indices",
    "leaky_split_by_position",
    "microseconds_per_move",
    "mixed_evaluator",
    "move_features",
    "pattern_rollout",
    "play_expert_game",
    "play_expert_games",
    "positions_of",
    "read_expert_games",
    "read_sgf",
    "shared_boards",
    "split_by_game",
    "tempered_policy",
    "train_rollout_policy",
]
