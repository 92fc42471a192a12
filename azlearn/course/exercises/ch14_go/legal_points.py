"""Legal points (14.2): X has the move; which are legal, +, is by hand."""

from azlearn.course.kit import CHANGED, Case, gives, whole
from azlearn.course.small_go import GAME, POINTS, drawn_board, stones, text

LEGAL = "X, O and the legal points, +"


def at(here: str, *past: str, right: str | None = None) -> Case:
    words = f"{here}\nX to move".replace("/", "\n")
    if past:
        words += ", not to come back:\n" + ", or\n".join(past).replace("/", "\n")
    return Case(
        words, (*stones(here), [*map(stones, past)]), right and {LEGAL: right.replace("/", "\n")}
    )


CASES = [
    at("...../..X../...../...../.....", right="+++++/++X++/+++++/+++++/+++++"),
    at(".O.../OO.../...../...../.....", right=".O+++/OO+++/+++++/+++++/+++++"),
    at(".OX../OXX../XX.../...../.....", right="+OX++/OXX++/XX+++/+++++/+++++"),
    at("X.O../XO.../O..../...../.....", right="X.O++/XO+++/O++++/+++++/+++++"),
    at(".XO../XXO../OO.../...../.....", right=".XO++/XXO++/OO+++/+++++/+++++"),
    at(".XO../XOO../OO.../...../.....", right=".XO++/XOO++/OO+++/+++++/+++++"),
    at(".O.OX/OOOOX/XXXXX/...../.....", right=".O.OX/OOOOX/XXXXX/+++++/+++++"),
    at(".OOOX/OOOOX/XXXXX/...../.....", right="+OOOX/OOOOX/XXXXX/+++++/+++++"),
    # A ko: O has just taken a stone on C3; to take back on C3 would bring back the board before.
    at("...../.XO../XO.O./.XO../.....", "...../.XO../X.XO./.XO../.....",
       right="+++++/+XO++/XO.O+/+XO++/+++++"),
    at("...../.XO../XO.O./.XO../.....", "...../.XO../X.XO./.XO../X....",
       right="+++++/+XO++/XO+O+/+XO++/+++++"),
    at("...../.XO../XO.O./.XO../.....", "...../.XO../X.XO./.XO../.....",
       "...../.XO../XO.O./.XO../....X", right="+++++/+XO++/XO.O+/+XO++/++++."),
    at("...../.XO../XO.O./.XO../.....", "...../.OX../O.OX./.OX../.....",
       "...../.XO../X.XO./.XO../....O", right="+++++/+XO++/XO+O+/+XO++/+++++"),
    at("OOOOO/OOOOO/OO.OO/OOOOO/OOOOO", right="OOOOO/OOOOO/OO+OO/OOOOO/OOOOO"),
    at("XXXXX/XXXXX/XX.XX/XXXXX/XXXXX", right="XXXXX/XXXXX/XX.XX/XXXXX/XXXXX"),
]  # fmt: skip


def draw(rng):
    """Any board; some moves would bring back one of the past, or nearly."""
    me, opp = drawn_board(rng)
    past = []
    for point in rng.permutation(POINTS)[: rng.integers(0, 26)].tolist():
        dead = GAME.rules.dead(opp, me | point)
        if not point & (me | opp) and (dead or rng.random() < 0.1) and len(past) < 3:
            mine, theirs = me | point, opp & ~dead
            others = (mine, theirs), (theirs, mine), (mine, theirs & theirs - 1)
            past.append(others[rng.choice(3, p=[0.6, 0.2, 0.2])])
    return at(text(me, opp), *(text(*one) for one in past))


@gives("a board")
def observe(legal_points, case):
    me, opp, past = case.arguments
    given = list(past)
    legal = whole(legal_points(me, opp, given))
    return {LEGAL: text(me, opp, legal), CHANGED: given != past}
