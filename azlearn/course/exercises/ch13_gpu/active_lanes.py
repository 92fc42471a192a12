"""Lanes that still walk (13.4). Lanes and steps are counted by hand."""

from typing import Any

import numpy as np

from azlearn.course.comparing import show
from azlearn.course.marking import Case, Seen, exercise
from azlearn.course.numbers import numbers

WALKING, SHARE = "lanes that walk, by level", "the share"


def _case(depths: list[int], width: int, walking: list[int], share: float) -> Case:
    right = {"what comes back": "a list and a share", WALKING: show(walking), SHARE: share}
    return Case("", (depths, width), right)


CASES = [
    _case([3, 1, 2, 1], 2, [4, 2, 1], 7 / 10),  # 2 · 3 + 2 · 2 steps pass, 7 are used
    _case([3, 1, 2, 1], 4, [4, 2, 1], 7 / 12),  # all wait for the first
    _case([2, 2, 5], 2, [3, 3, 1, 1, 1], 9 / 14),  # 2 · 2 + 2 · 5: half of the last warp is empty
    _case([1, 1, 1, 1], 2, [4], 1.0),
    _case([4], 32, [1, 1, 1, 1], 4 / 128),
]


def draw(rng: np.random.Generator) -> Case:
    """One game or a dozen, warps of one lane to eight, the last one full or not, even depths."""
    num, width = int(rng.integers(1, 13)), int(rng.choice([1, 2, 4, 8]))
    return Case("", (rng.integers(1, rng.choice([2, 10]), size=num).tolist(), width))


def observe(active_lanes: Any, case: Case) -> Seen:
    value = numbers(active_lanes(*case.arguments))
    if not (isinstance(value, list) and len(value) == 2 and isinstance(value[0], list)):
        return {"what comes back": f"{show(value):.80}"}
    walking, share = value
    return {"what comes back": "a list and a share", WALKING: show(walking), SHARE: share}


EXERCISE = exercise(__file__, CASES, observe, draw=draw)
