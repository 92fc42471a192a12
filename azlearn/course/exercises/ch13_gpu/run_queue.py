"""A queue and its clock (13.1). The times are microseconds, added up by hand."""

from azlearn.course.kit import Case

CASES = [
    # The host launches at 5, 10, 15; the device is free at 5, 7, 12: it waits for the host.
    Case("", ([2, 2, 2], [False, False, False], 5), [5, 10, 15]),
    # Long operations: launched at 5, 10, 15; the second begins when the first has ended, at 25.
    Case("", ([20, 20, 20], [False, False, False], 5), [5, 25, 45]),
    # The second is read: it ends at 45, and only then is the third launched, which takes until 50.
    Case("", ([20, 20, 20], [False, True, False], 5), [5, 25, 50]),
    # Launched at 1, 2, 3, 4; free at 11, 12, 13. The third is read: the host goes on at 13.
    Case("", ([10, 1, 1, 1], [False, False, True, False], 1), [1, 11, 12, 14]),
    Case("", ([7], [True], 3), [3]),
    # Launched at 0.5 and 1; free at 0.5 and 1.75. The second is read until 3.75, then a launch.
    Case("", ([1.25, 2, 1], [False, True, False], 0.5), [0.5, 1.75, 4.25]),
    # All of it within a microsecond: launched at 0.25 and 0.5; free at 0.5.
    Case("", ([0.25, 0.5], [False, False], 0.25), [0.25, 0.5]),
]  # fmt: skip


def draw(rng):
    """One operation or twelve, short or long beside a launch, no read, some, or all."""
    num = int(rng.integers(1, 13))
    work = rng.integers(1, rng.choice([4, 30]), size=num).tolist()
    reads = (rng.random(num) < rng.choice([0.0, 0.3, 1.0])).tolist()
    return Case("", (work, reads, int(rng.integers(1, 9))))
