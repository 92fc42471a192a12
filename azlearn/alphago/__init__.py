"""The pipeline of 2016, in miniature: expert games, and what is learnt from them."""

from azlearn.alphago.expert_games import (
    ExpertSettings,
    play_expert_game,
    play_expert_games,
    read_expert_games,
)
from azlearn.alphago.game_records import GameRecord
from azlearn.alphago.go_records import GoMove, GoRecord, GoRecords, SgfReaderMissing, read_sgf
from azlearn.alphago.positions import (
    Positions,
    Split,
    leaky_split_by_position,
    positions_of,
    shared_boards,
    split_by_game,
)

__all__ = [
    "ExpertSettings",
    "GameRecord",
    "GoMove",
    "GoRecord",
    "GoRecords",
    "Positions",
    "SgfReaderMissing",
    "Split",
    "leaky_split_by_position",
    "play_expert_game",
    "play_expert_games",
    "positions_of",
    "read_expert_games",
    "read_sgf",
    "shared_boards",
    "split_by_game",
]
