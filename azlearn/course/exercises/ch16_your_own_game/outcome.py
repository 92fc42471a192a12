"""When nobody can move (16.4): X has the move; stones and open cells are counted by hand."""

from azlearn.course.kit import AT_ONCE, Case, gives, row, single, vectorised_result
from azlearn.course.small_othello import State, drawn_board, stones, text

OVER, VALUE = "is_over", "value for X"


def ended(board: str, mover: int, *right: int) -> Case:
    words = f"{board}\nX, the {('first', 'second')[mover]} player, to move".replace("/", "\n")
    seen = right and {OVER: bool(right[0]), VALUE: right[1]}
    return Case(words, (State(*stones(board), mover),), seen)


FULL = "XXXXXX/XXXXXX/XXXXXX/OOOOOO/OOOOOO/OOOOO"
CASES = [
    ended("....../....../..OX../..XO../....../......", 0, 0, 0),
    ended(FULL + "O", 0, 1, 0),
    ended(FULL + "X", 0, 1, 1),
    ended(FULL + "X", 1, 1, 1),
    ended("XXX.../XXX.../....../....../....../....OO", 0, 1, 1),
    ended("X...../....../....../....../....OO/....OO", 1, 1, -1),
    ended("OX..../....../....../....../....../......", 0, 0, 0),  # X is stuck, O has c1
    ended("XO..../....../....../....../....../......", 1, 0, 0),  # O is stuck, X has c1
    ended("....../....../....../....../....../OX....", 0, 0, 0),  # the same at the other end
    ended("....../....../....../....../....../XO....", 1, 0, 0),
    ended("....../.OOO../.OOO../....../....../......", 0, 1, -1),
    ended("XXXXXX/XXXXXX/XXXXXX/XXXXXX/XXXXXX/OOOOO.", 1, 1, 1),
    ended("X...../....../....../....../....../.....O", 1, 1, 0),
]


def draw(rng):
    """Any board; often with one color nearly gone, so that somebody is stuck."""
    x, o = drawn_board(rng)
    if rng.random() < 0.5:
        few = int(rng.integers(1 << 62))
        x, o = (x & few & few >> 7, o) if rng.random() < 0.5 else (x, o & few & few >> 7)
    return ended(text(x, o), int(rng.integers(2)))


@gives("a pair")
def observe(outcome, case):
    is_over, value = row(outcome(*case.arguments), 2)
    together = vectorised_result(outcome, case.arguments, CASES[0].arguments)
    return {OVER: bool(is_over), VALUE: single(value), AT_ONCE: together}
