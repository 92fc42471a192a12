"""The value of small games (1.4). By hand: each of these positions can be read to the end."""

from typing import Any

import numpy as np

from azlearn.course.drawing import drawn_game
from azlearn.course.exercises.ch01_games.outcome import GAME, signed_value
from azlearn.course.marking import Case, Seen, exercise
from azlearn.course.probe_games import P1, P2, P3, P4, P5, P7, Position, TableGame
from azlearn.course.your_search import in_words

LONG = TableGame("a game of 12 forced moves", 1, (
    *(Position(i % 2, ((0, i + 1),)) for i in range(12)), Position(0, value=-1),
))  # fmt: skip


def board(moves: str, words: str = "", right: Any = None, game: Any = GAME) -> Case:
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


def draw(rng: np.random.Generator) -> Case:
    game = (GAME, GAME, GAME, P3, P4, P5)[rng.integers(6)]
    return board(drawn_game(rng, game, least=5 * (game is GAME)), game=game)


def observe(minimax: Any, case: Case) -> Seen:
    game, state = case.arguments
    return {"the game is over" if game.outcome(state) == 0 else "": minimax(game, state)}


def form(value: Any) -> str:
    return signed_value(value) + ("" if abs(value) <= 1 else ", outside -1 to 1")


EXERCISE = exercise(__file__, CASES, observe, draw=draw, form=form)
