"""One random image (10.7): a network that answers every image of a board alike, turned with it.

What is right is then the same for every image, and was written down before.
"""

import numpy as np

from azlearn.course.kit import CHANGED, FOUR, THREE, Case, gives, parts, row, same, single

DRAWS = 120
IMAGES = "different images asked about"
TURNS = ["as it is", "turned once", "turned twice", "turned three times"]
NAMES = {"tic_tac_toe": TURNS + [f"{turn}, mirrored" for turn in TURNS]}
NAMES["connect_four"] = ["as it is", "mirrored"]


def asked(game, moves: str, policy: list, value: float) -> Case:
    words = f'{game.name} after "{moves}", where the network thinks p = {policy}, v = {value:+g}'
    right = {f"p, asked about the board {name}": policy for name in NAMES[game.name]}
    right |= {"v": [value], IMAGES: len(NAMES[game.name])}
    return Case(words, (game, moves, policy, value), right)


CASES = [
    asked(THREE, "12", [0, 0, 0.1, 0.2, 0.5, 0, 0.2, 0, 0], 0.25),
    asked(FOUR, "4453", [0.1, 0, 0.2, 0, 0.4, 0.3, 0], -0.5),
    asked(THREE, "1264", [0, 0, 0.7, 0, 0.2, 0, 0, 0.1, 0], 0),
]


@gives("(p, v)")
def observe(one_image, case):
    game, moves, policy, value = case.arguments
    planes = game.encode(game.from_moves(moves))
    before, images = planes.copy(), list(game.symmetries(planes, np.array(policy)))
    known = {image.tobytes(): number for number, (image, _) in enumerate(images)}
    calls = []  # the image that was asked about, None for another board

    def evaluate(planes) -> tuple:
        calls.append(known.get(np.array(planes, before.dtype).tobytes()))
        moved = np.zeros(len(policy)) if calls[-1] is None else images[calls[-1]][1]
        return np.array(moved), value

    found, values = {}, set()
    for seed, draws in ((0, DRAWS), (5, 10), (5, 10)):
        rng = np.random.default_rng(seed)
        for _ in range(draws):
            p, v = parts(one_image(game, planes, evaluate, rng), None, None)
            row(p, len(policy))
            values.add(single(v))
            number = calls[-1] if calls else None
            if number not in found or not same(p, policy):  # a wrong one is kept
                found[number] = p
    seen = {
        "boards asked about that are no image": calls.count(None),
        "calls of `evaluate`, each time": len(calls) / (DRAWS + 20),
        IMAGES: len(set(calls)),
    }
    for number, name in enumerate(NAMES[game.name]):
        seen[f"p, asked about the board {name}"] = found.get(number)
    alike, changed = calls[-20:-10] == calls[-10:], not np.array_equal(before, planes)
    seen |= {"v": sorted(values), "whether the same seed gives the same images": alike}
    return seen | {CHANGED: changed}
