"""Symmetric positions (8.5): boards (x: plane 0, o: plane 1) and π, before and after, by hand."""

import numpy as np

from azlearn.course.exercises.ch08_one_network.tensors import drawn
from azlearn.course.kit import Case, gives, parts, returned


def sample(board: str, policy: tuple, turns: int, mirror: bool, right=None) -> Case:
    rows = board.split()
    planes = np.array([[[cell == side for cell in row] for row in rows] for side in "xo"], float)
    words = f"{board} with π {list(policy)}, turns = {turns}, mirror = {mirror}"
    return Case(words, (planes, np.array(policy), turns, mirror), right)


CASES = [
    sample("x.. .o. o..", (0, 0.1, 0.5, 0.2, 0, 0, 0, 0, 0.2), turns, mirror, {"board": board.replace(" ", " / "), "π": policy})
    for turns, mirror, board, policy in (
        (0, False, "x.. .o. o..", [0, 0.1, 0.5, 0.2, 0, 0, 0, 0, 0.2]),
        (1, False, "... .o. x.o", [0.5, 0, 0.2, 0.1, 0, 0, 0, 0.2, 0]),
        (2, False, "..o .o. ..x", [0.2, 0, 0, 0, 0, 0.2, 0.5, 0.1, 0]),
        (3, False, "o.x .o. ...", [0, 0.2, 0, 0, 0, 0.1, 0.2, 0, 0.5]),
        (0, True, "..x .o. ..o", [0.5, 0.1, 0, 0, 0, 0.2, 0.2, 0, 0]),
        (1, True, "... .o. o.x", [0.2, 0, 0.5, 0, 0, 0.1, 0, 0.2, 0]),
    )
]  # fmt: skip


def draw(rng):
    cells = "".join(rng.choice(list(".xo"), size=9))
    board = f"{cells[:3]} {cells[3:6]} {cells[6:]}"
    policy = (rng.multinomial(10, rng.dirichlet([0.4] * 9)) / 10).tolist()
    return sample(board, policy, int(rng.integers(4)), bool(rng.integers(2)))


@gives("a pair (planes, π)")
def observe(symmetric, case):
    seen = returned(symmetric, case)
    planes, policy = parts(seen.pop(""), None, None)
    shapes = [list(np.asarray(part, dtype=float).shape) for part in (planes, policy)]
    board = drawn(planes).replace(" ", " / ") if shapes[0] == [2, 3, 3] else planes
    return {"shapes": "planes {}, π {}".format(*shapes), "board": board, "π": policy, **seen}
