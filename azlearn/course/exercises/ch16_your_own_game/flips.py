"""What a stone turns (16.1): X places a stone at the +; what it turns is found by hand."""

from azlearn.course.kit import AT_ONCE, Case, gives, vectorised_result, whole
from azlearn.course.small_othello import PASS, bit_of, drawn_board, label, places, stones, text

TURNED = "the stones turned, +"


def placed(board: str, cell: str, right: str | None = None) -> Case:
    action = [label(a) for a in range(PASS)].index(cell)
    words = f"{text(*stones(board))}\nX plays {cell}"
    x, o = stones(board)
    turned = right and {TURNED: text(0, 0, stones(right.replace("+", "X"))[0])}
    return Case(words, (bit_of(0, action), x, o), turned)


CASES = [
    placed("....../....../..OX../..XO../....../......", "b3",
           "....../....../..+.../....../....../......"),
    placed("XOOO../....../....../....../....../......", "e1",
           ".+++../....../....../....../....../......"),
    placed(".OOO../....../....../....../....../......", "e1",
           "....../....../....../....../....../......"),
    placed(".OOOOX/....../....../....../....../......", "a1",
           ".++++./....../....../....../....../......"),
    placed("XO..../....../....../....../....../...OOX", "c6",
           "....../....../....../....../....../...++."),
    placed("X.X.X./.OOO../XO.OX./.OOO../X.X.X./......", "c3",
           "....../.+++../.+.+../.+++../....../......"),
    placed("X.O.X./.OOO../OO.OO./.OOO../X.O.X./......", "c3",
           "....../.+.+../....../.+.+../....../......"),
    placed("XOX.../...O../....O./.....X/....../......", "d1",
           "....../....../....../....../....../......"),
    placed("....../....O./...O../..O.../.O..../X.....", "f1",
           "....../....+./...+../..+.../.+..../......"),
    placed("XO.OX./....../....../....../....../......", "c1",
           ".+.+../....../....../....../....../......"),
    placed("X...../O...../O...../....../O...../X.....",
        "a4",
        "....../+...../+...../....../+...../......",
    ),
]  # fmt: skip


def draw(rng):
    """An empty cell of any board, more often one that turns something."""
    while True:
        x, o = drawn_board(rng)
        free = [a for a in range(PASS) if not bit_of(0, a) & (x | o)]
        good = [a for a in free if bit_of(0, a) & places(x, o)]
        if good or (free and rng.random() < 0.2):
            action = int(rng.choice(good if good and rng.random() < 0.8 else free))
            words = f"{text(x, o)}\nX plays {label(action)}"
            return Case(words, (bit_of(0, action), x, o))


@gives("a board")
def observe(flips, case):
    turned = text(0, 0, whole(flips(*case.arguments)))
    return {TURNED: turned, AT_ONCE: vectorised_result(flips, case.arguments, CASES[0].arguments)}
