"""Capture (14.1): X has the move; boards before and after are by hand."""

from azlearn.course.kit import Case, gives, row, whole
from azlearn.course.small_go import GAME, POINTS, drawn_board, label, stones, text

AFTER = "the board after the move"


def move(before: str, point: str, right: str | None = None) -> Case:
    action = [GAME.action_label(a) for a in range(len(POINTS))].index(point)
    words = f"{text(*stones(before))}\nX plays {point}"
    return Case(words, (*stones(before), POINTS[action]), right and {AFTER: text(*stones(right))})


CASES = [
    move(".OX../.X.../...../...../.....", "A5", "X.X../.X.../...../...../....."),
    move("...../..X../.XO../..X../.....", "B1", "...../..X../.XO../..X../.X..."),
    move("OOOO./XXX../...../...../.....", "D4", "OOOO./XXXX./...../...../....."),
    move("OOO.X/XXX../...../...../.....", "D5", "...XX/XXX../...../...../....."),
    move("O.OX./XOX../.X.../...../.....", "B5", ".X.X./X.X../.X.../...../....."),
    move("OX.../OX.../.O.../O..../.....", "A3", ".X.../.X.../XO.../O..../....."),
    move("....O/....X/O..../...../.....", "D5", "...X./....X/O..../...../....."),
    move("OOOOO/OOOOO/OO.OO/OOOOO/OOOOO", "C3", "...../...../..X../...../....."),
]  # fmt: skip


def draw(rng):
    """Any legal move; one that takes something where there is one, more often than not."""
    while True:
        mine, theirs = drawn_board(rng)
        free = [p for p in POINTS if not p & (mine | theirs)]
        dead = {p: GAME.rules.dead(theirs, mine | p) for p in free}
        legal = [p for p in free if dead[p] or not GAME.rules.dead(mine | p, theirs) & p]
        takes = [p for p in legal if dead[p]]
        if takes or (legal and rng.random() < 0.3):
            point = int(rng.choice(takes or legal))
            return Case(f"{text(mine, theirs)}\nX plays {label(point)}", (mine, theirs, point))


@gives("two boards")
def observe(capture, case):
    return {AFTER: text(*map(whole, row(capture(*case.arguments), 2)))}
