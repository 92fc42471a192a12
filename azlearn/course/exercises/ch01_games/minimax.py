"""The value of small games (1.4). By hand: each of these positions can be read to the end."""

from azlearn.course.drawing import drawn_game
from azlearn.course.exercises.ch01_games import outcome
from azlearn.course.kit import THREE, Case, in_words
from azlearn.course.probe_games import P1, P2, P3, P4, P5, P7, chain

LONG = chain("a game of 12 forced moves", [0, 1] * 6 + [0], -1)


def board(moves: str, words: str = "", right: int | None = None, game=THREE) -> Case:
    words = in_words(game, moves) + (f" ({words})" if words else "")
    return Case(words, (game, game.from_moves(moves)), right)


CASES = [
    board("745913682", "a full board, drawn", 0),
    board("15243", "X has the top row, O to move", -1),
    board("1425", "X to move, cell 3 completes the top row", +1),
    board("14257", "O to move, cell 6 completes the middle row", +1),
    board("74591368", "X to move, one cell left, drawn", 0),
    board("15937", "O to move, X threatens two lines at once", -1),
    board("159", "O to move, X holds two corners, O the centre", 0),
    *(board("", "", value, game) for game, value in ((P1, +1), (P7, -1), (P2, 0))),
    *(board("", "", value, game) for game, value in ((P3, +1), (P4, 0), (P5, -1), (LONG, -1))),
]


def draw(rng):
    game = (THREE, THREE, THREE, P3, P4, P5)[rng.integers(6)]
    return board(drawn_game(rng, game, least=5 * (game is THREE)), game=game)


def observe(minimax, case):
    game, state = case.arguments
    return {"the game is over" if game.outcome(state) == 0 else "": minimax(game, state)}


def form(value):
    return outcome.form(value) + ("" if abs(value) <= 1 else ", outside -1 to 1")
