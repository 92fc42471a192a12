"""What a tic-tac-toe position is worth by the rules (1.3); the values by hand are for the mover."""

from azlearn.course.drawing import drawn_game
from azlearn.course.kit import THREE, Case, in_words


def board(moves: str, words: str = "", right=None) -> Case:
    words = in_words(THREE, moves) + (f" ({words})" if words else "")
    return Case(words, (THREE.from_moves(moves),), right)


CASES = [
    board("", "the empty board", {"": None}),
    board("15243", "X has the top row, O to move", -1),
    board("132597", "O has the diagonal 3, 5, 7, X to move", -1),
    board("563842179", "X completed the diagonal with the ninth stone", -1),
    board("745913682", "a full board without a line", 0),
    board("74591368", "eight stones, no line, one cell left", {"": None}),
]


def draw(rng):
    return board(drawn_game(rng, THREE))


def form(value):
    return "None" if value is None else f"{float(value):+g}" if value else "0"
