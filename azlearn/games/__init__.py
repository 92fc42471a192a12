"""Rules of games, written once as bit arithmetic."""

from azlearn.games.compiled import compiled_rules
from azlearn.games.conformance import assert_conforms
from azlearn.games.connect_four import ConnectFour
from azlearn.games.exhaustive import count_games, minimax_actions, minimax_value, sequences_by_state
from azlearn.games.game import Game, State
from azlearn.games.tic_tac_toe import TicTacToe

__all__ = [
    "ConnectFour",
    "Game",
    "State",
    "TicTacToe",
    "assert_conforms",
    "compiled_rules",
    "count_games",
    "minimax_actions",
    "minimax_value",
    "sequences_by_state",
]
