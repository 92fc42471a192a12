"""Where a stone may go (16.2): X has the move; the open cells, +, are by hand."""

from azlearn.course.kit import AT_ONCE, Case, gives, vectorised_result, whole
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
    board("OOO.OX/....../....../....../....../......",
          "OOO+OX/....../....../....../....../......"),
]  # fmt: skip


def draw(rng):
    return board(text(*drawn_board(rng)))


@gives("a board")
def observe(open_cells, case):
    found = text(*case.arguments, whole(open_cells(*case.arguments)))
    return {OPEN: found, AT_ONCE: vectorised_result(open_cells, case.arguments, CASES[0].arguments)}
