"""Where a stone may go (16.2): X has the move; the open cells, +, are by hand."""

from typing import Any

import numpy as np

from azlearn.course.comparing import show
from azlearn.course.marking import Case, Seen, exercise
from azlearn.course.observing import AT_ONCE, at_once
from azlearn.course.small_othello import drawn_board, stones, text

OPEN = "X, O and the open cells, +"


def board(here: str, right: str | None = None) -> Case:
    words = f"{here}\nX to move".replace("/", "\n")
    return Case(words, stones(here), right and {OPEN: right.replace("/", "\n")})


CASES = [
    board("....../....../..OX../..XO../....../......",
          "....../..+.../.+OX../..XO+./...+../......"),
    board("XOOO../....../....../....../....../......",
          "XOOO+./....../....../....../....../......"),
    board("XOOOOO/....../....../....../....../.....X",
          "XOOOOO/....../....../....../....../.....X"),
    board("OX..../....../....../....../....../......",
          "OX..../....../....../....../....../......"),
    board("....../.OOO../.OXO../.OOO../....../......",
          "+.+.+./.OOO../+OXO+./.OOO../+.+.+./......"),
    board(".....X/....O./...O../..O.../.O..../......",
          ".....X/....O./...O../..O.../.O..../+....."),
    board("XXXXXX/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOO.",
          "XXXXXX/OOOOOO/OOOOOO/OOOOOO/OOOOOO/OOOOO+"),
    board("XXXXXX/XXXXXX/XXXXXX/XXXXXX/XXXXXX/XXXX..",
          "XXXXXX/XXXXXX/XXXXXX/XXXXXX/XXXXXX/XXXX.."),
    board("....../....X./..XXO./....../....../......",
          "....../....X./..XXO+/....+./....../......"),
]  # fmt: skip


def draw(rng: np.random.Generator) -> Case:
    return board(text(*drawn_board(rng)))


def observe(open_cells: Any, case: Case) -> Seen:
    me, opp = case.arguments
    value = open_cells(me, opp)
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        return {"what comes back": f"{show(value):.80}, not a board"}
    together = at_once(open_cells, case.arguments, CASES[0].arguments)
    return {"what comes back": "a board", OPEN: text(me, opp, int(value)), AT_ONCE: together}


EXERCISE = exercise(__file__, CASES, observe, draw=draw)
