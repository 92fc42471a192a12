"""History planes (14.4): x is the player to move, o the other; boards before and after by hand."""

import numpy as np

from azlearn.course.exercises.ch08_one_network.tensors import drawn, kind_of_number
from azlearn.course.kit import Case, numbers, returned

MARKS = ".XO"


def ago(number: int) -> str:
    return "the board now" if number == 0 else f"{number} move{'s' * (number > 1)} ago"


def game(boards: str, to_play: int, num_boards: int, *right: str, color: int = 0) -> Case:
    """Boards from the first to the newest; right: what the planes show, the newest first."""
    parts = boards.split(", ")
    arrays = [np.array([[MARKS.index(c) for c in row] for row in b.split("/")]) for b in parts]
    mover = ("X, Black,", "O, White,")[to_play]
    words = f"{boards}, now {mover} to move, num_boards = {num_boards}"
    by_hand = {ago(i): one for i, one in enumerate(right)} | {"the last plane": color}
    return Case(words, (arrays, to_play, num_boards), by_hand if right else None)


CASES = [
    game("..../....", 0, 1, ".... ....", color=1),
    game("X..O", 1, 2, "o..x", "....", color=0),
    game("...., X..., X..O", 0, 2, "x..o", "x...", color=1),
    game("...., X..., X..O", 0, 3, "x..o", "x...", "....", color=1),
    game("...., X..., X..O, XX.O", 1, 3, "oo.x", "o..x", "o...", color=0),
    game("...., X...", 1, 4, "o...", "....", "....", "....", color=0),
    game("XO./O.., .O./OX., .O./OX.", 1, 2, ".x. xo.", ".x. xo.", color=0),
]


def draw(rng):
    """From one board to nine, of a row or more; more boards than planes, or fewer."""
    shape = rng.integers(1, 4, size=2)
    cells = rng.choice(list(MARKS), size=(rng.integers(1, 10), *shape))
    if rng.random() < 0.5:
        cells[0] = "."
    boards = ", ".join("/".join("".join(row) for row in one) for one in cells)
    return game(boards, int(rng.integers(2)), int(rng.integers(1, 9)))


def observe(history_planes, case):
    seen = returned(history_planes, case)
    value = seen.pop("")
    if value is None:
        return {"shape": None}
    planes = np.asarray(numbers(value), dtype=float)
    boards, _, num_boards = case.arguments
    if planes.shape != (2 * num_boards + 1, *boards[-1].shape):
        return {"shape": list(planes.shape)}
    pairs = planes[:-1].reshape(num_boards, 2, *planes.shape[1:])
    last = np.unique(planes[-1])
    return {
        "shape": list(planes.shape),
        **{ago(number): drawn(pair) for number, pair in enumerate(pairs)},
        "the last plane": float(last[0]) if len(last) == 1 else drawn(planes[[-1, -1]]),
        "kind of number": kind_of_number(value),
        **seen,
    }
