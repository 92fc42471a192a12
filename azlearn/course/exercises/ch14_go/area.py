"""Area and komi (14.3): Black is X, White is O; points are counted by hand."""

from typing import Any

import numpy as np

from azlearn.course.comparing import as_list, show
from azlearn.course.marking import Case, Seen, exercise
from azlearn.course.small_go import drawn_board, stones, text

BLACK, WHITE = "Black's points", "White's points"


def ended(board: str, komi: float, *right: float) -> Case:
    words = f"{board}\nwith komi {komi:g}".replace("/", "\n")
    return Case(words, (*stones(board), komi), right and dict(zip((BLACK, WHITE), right, strict=True)))  # fmt: skip


CASES = [
    ended("..XO./..XO./..XO./..XO./..XO.", 0.5, 15, 10.5),
    ended("X.X.O/XXX.O/..X.O/..X.O/..X.O", 2.5, 15, 7.5),  # the column between is nobody's
    ended("...../...../..X../...../.....", 7, 25, 7),
    ended("...../...../...../...../.....", 0.5, 0, 0.5),
    ended("...../.O.../...../...../.....", 0, 0, 25),
    ended("XXXXO/XXXXO/XXXX./XXXXO/XXXXO", 3.5, 20, 7.5),
    ended("O.X../..X../..X../..X../..X..", 0.5, 15, 1.5),  # a dead stone that nobody took
    ended("XXXXX/XXXXX/XXXXX/OOOOO/OOOO.", -2, 15, 8),
]


def draw(rng: np.random.Generator) -> Case:
    return ended(text(*drawn_board(rng)), float(rng.integers(-4, 20)) / 2)


def observe(area: Any, case: Case) -> Seen:
    pair = as_list(area(*case.arguments))
    if pair is None or len(pair) != 2:
        return {"what comes back": f"{show(pair):.80}, not two numbers"}
    return {"what comes back": "two numbers", BLACK: pair[0], WHITE: pair[1]}


EXERCISE = exercise(__file__, CASES, observe, draw=draw)
