"""The best move, where a player may move again (16.5)."""

from azlearn.course.kit import Case, named

MOVE, VALUE = "the move", "its value"


def moves(to_play: int, after: list[tuple[int, float]], *right: float) -> Case:
    words = "; ".join(f"move {i}: player {p} next, {v:+g}" for i, (p, v) in enumerate(after))
    seen = right and {MOVE: right[0], VALUE: right[1]}
    return Case(f"player {to_play} to move. {words}", (to_play, after), seen)


observe = named("a pair", MOVE, VALUE)
CASES = [
    moves(0, [(1, 0.5), (0, 0.25)], 1, 0.25),
    moves(1, [(0, 0.5), (1, 0.25)], 1, 0.25),
    moves(0, [(1, -0.5), (1, 0.5)], 0, 0.5),
    moves(1, [(1, 0.5), (1, 1), (0, -1)], 1, 1),
    moves(0, [(0, -1), (1, 1)], 0, -1),
    moves(1, [(0, 0.75)], 0, -0.75),
    moves(1, [(1, -0.25), (0, 0.25), (0, 0)], 2, 0),
]


def draw(rng):
    number = int(rng.integers(1, 6))
    values = (rng.integers(-4, 5, number) / 4).tolist()
    return moves(int(rng.integers(2)), list(zip(rng.integers(2, size=number).tolist(), values, strict=True)))  # fmt: skip
