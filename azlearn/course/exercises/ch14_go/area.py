"""Area and komi (14.3): Black is X, White is O; points are counted by hand."""

from azlearn.course.kit import Case, named
from azlearn.course.small_go import drawn_board, stones, text

BLACK, WHITE = "Black's points", "White's points"


def ended(board: str, komi: float, *right: float) -> Case:
    words = f"{board}\nwith komi {komi:g}".replace("/", "\n")
    return Case(words, (*stones(board), komi), right and dict(zip((BLACK, WHITE), right, strict=True)))  # fmt: skip


observe = named("two numbers", BLACK, WHITE)
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


def draw(rng):
    return ended(text(*drawn_board(rng)), float(rng.integers(-4, 20)) / 2)
