"""A pass, where it must be (16.3): the legal moves of a position, by hand."""

from azlearn.course.kit import AT_ONCE, Case, Unfit, gives, numbers, vectorised_result
from azlearn.course.small_othello import NUM_ACTIONS, PASS, bit_of, drawn_board, label, places

LEGAL = "legal moves"


def opened(cells: str, right: str | None = None) -> Case:
    names = [label(action) for action in range(PASS)]
    options = sum(bit_of(0, names.index(cell)) for cell in cells.split())
    return Case(f"open cells: {cells or 'none'}", (options,), right and {LEGAL: right})


CASES = [
    opened("c2 b3 e4 d5", "c2 b3 e4 d5"),
    opened("", "pass"),
    opened("a1", "a1"),
    opened("f6", "f6"),
    opened("a6 f6", "a6 f6"),
    opened("f1 a2", "f1 a2"),
]


def draw(rng):
    cells = places(*drawn_board(rng))
    return opened(" ".join(label(a) for a in range(PASS) if bit_of(0, a) & cells))


@gives("True or False")
def observe(is_legal, case):
    rows = [(*case.arguments, action) for action in range(NUM_ACTIONS)]
    found = [numbers(is_legal(*one)) for one in rows]
    if odd := [one for one in found if not isinstance(one, bool)]:
        raise Unfit(odd[0])
    legal = " ".join(label(action) for action, one in enumerate(found) if one)
    return {LEGAL: legal or "none", AT_ONCE: vectorised_result(is_legal, *rows)}
