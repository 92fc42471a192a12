"""Rules of games, written once as bit arithmetic."""

from azlearn.games.conformance import assert_conforms
from azlearn.games.connect_four import ConnectFour
from azlearn.games.dots_and_boxes import DotsAndBoxes
from azlearn.games.exhaustive import count_games, minimax_actions, minimax_value, sequences_by_state
from azlearn.games.game import Drawing, Forfeit, Game, State
from azlearn.games.go import Go
from azlearn.games.hex import Hex
from azlearn.games.othello import Othello
from azlearn.games.rules_game import RulesGame
from azlearn.games.specialize import specialize
from azlearn.games.tic_tac_toe import TicTacToe
from azlearn.old_names import old_names

__all__ = [
    "ConnectFour",
    "DotsAndBoxes",
    "Drawing",
    "Forfeit",
    "Game",
    "Go",
    "Hex",
    "Othello",
    "RulesGame",
    "State",
    "TicTacToe",
    "assert_conforms",
    "count_games",
    "minimax_actions",
    "minimax_value",
    "sequences_by_state",
    "specialize",
]

__getattr__ = old_names(__name__, variant="specialize")
