"""Lanes that still walk (13.4). Lanes and steps are counted by hand."""

from azlearn.course.kit import Case, gives, parts, row, show

WALKING, SHARE = "lanes that walk, by level", "the share"


def _case(depths: list[int], width: int, walking: list[int], share: float) -> Case:
    return Case("", (depths, width), {WALKING: show(walking), SHARE: share})


CASES = [
    _case([3, 1, 2, 1], 2, [4, 2, 1], 7 / 10),  # 2 · 3 + 2 · 2 steps pass, 7 are used
    _case([3, 1, 2, 1], 4, [4, 2, 1], 7 / 12),  # all wait for the first
    _case([2, 2, 5], 2, [3, 3, 1, 1, 1], 9 / 14),  # 2 · 2 + 2 · 5: half of the last warp is empty
    _case([1, 1, 1, 1], 2, [4], 1.0),
    _case([4], 32, [1, 1, 1, 1], 4 / 128),
]


def draw(rng):
    """One game or a dozen, warps of one lane to eight, the last one full or not, even depths."""
    num, width = int(rng.integers(1, 13)), int(rng.choice([1, 2, 4, 8]))
    return Case("", (rng.integers(1, rng.choice([2, 10]), size=num).tolist(), width))


@gives("a list and a share")
def observe(active_lanes, case):
    walking, share = parts(active_lanes(*case.arguments), None, ())
    return {WALKING: show(row(walking)), SHARE: share}
