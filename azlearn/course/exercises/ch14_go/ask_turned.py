"""A symmetry and its way back (14.5): a network that answers every image alike, turned with it.

So what is right is the same for all eight, and written down before.
"""

import numpy as np

from azlearn.course.exercises.ch08_one_network.tensors import drawn
from azlearn.course.kit import CHANGED, Case, gives, parts, row, single
from azlearn.games import Go

ASKED, P = "the board asked about", "p in %"
GAME = Go(3, history=1)


def percent(policy) -> str:
    """ "0 10 30 / 20 0 0 / 0 0 10, pass 30": easier to compare by eye than a list."""
    shares = [f"{100 * share:.4g}" for share in policy]
    rows = [" ".join(shares[i : i + 3]) for i in (0, 3, 6)]
    return f"{' / '.join(rows)}, pass {' '.join(shares[9:])}"


def asked(
    board: str, policy: list[float], value: float, turns: int, mirror: bool, seen: str | None = None
) -> Case:
    """x: plane 0, o: plane 1; the others are 1. The policy is by row, then the pass."""
    words = f"{board}, turns = {turns}, mirror = {mirror}, {P} {percent(policy)}, v {value:+g}"
    right = seen and {ASKED: seen, P: percent(policy), "v": value}
    return Case(words, (board, policy, value, turns, mirror), right)


POLICY = [0, 0.1, 0.3, 0.2, 0, 0, 0, 0, 0.1, 0.3]
CASES = [
    asked("x.. .o. o..", POLICY, 0.25, turns, mirror, seen)
    for turns, mirror, seen in (
        (0, False, "x.. .o. o.."),
        (1, False, "... .o. x.o"),
        (2, False, "..o .o. ..x"),
        (3, False, "o.x .o. ..."),
        (0, True, "..x .o. ..o"),
        (1, True, "... .o. o.x"),
        (2, True, "o.. .o. x.."),
        (3, True, "x.o .o. ..."),
    )
] + [asked("... ... ...", [0] * 9 + [1], -1, 1, True, "... ... ...")]


def draw(rng):
    cells = "".join(rng.choice(list(".xo"), size=9, p=rng.dirichlet([1] * 3)))
    policy = (rng.multinomial(10, rng.dirichlet([0.5] * 10)) / 10).tolist()
    board = f"{cells[:3]} {cells[3:6]} {cells[6:]}"
    value = float(rng.integers(-4, 5)) / 4
    return asked(board, policy, value, int(rng.integers(4)), bool(rng.integers(2)))


@gives("(p, v)")
def observe(ask_turned, case):
    board, policy, value, turns, mirror = case.arguments
    cells = np.array([list(row) for row in board.split()])
    ones = cells != ""  # twice, so that a board has not as many planes as rows
    planes = np.stack([cells == "x", cells == "o", ones, ones]).astype(np.float32)
    before, images = planes.copy(), list(GAME.symmetries(planes, np.array(policy)))
    wanted = turns + 4 * mirror  # which of the eight
    calls = []

    def evaluate(planes) -> tuple[np.ndarray, float]:
        calls.append(np.array(planes, np.float32))
        for number in (wanted, *range(8)):  # a board may be its own image
            if np.array_equal(calls[-1], images[number][0]):
                return np.array(images[number][1]), value
        return np.zeros(len(policy)), value

    p, v = parts(ask_turned(planes, evaluate, turns, mirror), None, None)
    if len(calls) != 1:
        return {"calls of `evaluate`": len(calls)}
    return {
        "calls of `evaluate`": 1,
        "entries of p": len(row(p)),
        ASKED: _drawn(calls[0]),
        P: percent(p),
        "v": single(v),
        CHANGED: not np.array_equal(before, planes),
    }


def _drawn(image: np.ndarray) -> str:
    is_board = image.shape == (4, 3, 3) and image[2:].all()
    return drawn(image[:2]) if is_board else "planes that are no board"
