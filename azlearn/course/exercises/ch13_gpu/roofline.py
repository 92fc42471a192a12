"""Under the roof (13.8). The quotients are worked out by hand."""

from azlearn.course.kit import Case, named

KEYS = "intensity", "attainable", "positions a second"
observe = named("three numbers", *KEYS)
# A network of 100 operations and 1,000 bytes of weights, 20 bytes a position; peak 400, 100 bytes/s.
CASES = [
    Case("", arguments, dict(zip(KEYS, right, strict=True)))
    for arguments, right in (
        # 100 / 1,020; times 100; over 100
        ((100, 1000, 20, 1, 400, 100), (100 / 1020, 10000 / 1020, 100 / 1020)),
        # 5,000 / 2,000 = 2.5; 250 lies below 400; 2.5
        ((100, 1000, 20, 50, 400, 100), (2.5, 250, 2.5)),
        # 20,000 / 5,000 = 4: slope and peak meet
        ((100, 1000, 20, 200, 400, 100), (4, 400, 4)),
        # 95,000 / 20,000 = 4.75: 475 lies above the peak
        ((100, 1000, 20, 950, 400, 100), (4.75, 400, 4)),
        # everything is moved with each position: a batch changes nothing
        ((30, 0, 10, 8, 1000, 50), (3, 150, 5)),
        # millions, not whole: 0.5 / 0.75; times 0.75; over 0.5
        ((0.5, 0.5, 0.25, 1, 0.625, 0.75), (2 / 3, 0.5, 1)),
    )
]


def draw(rng):
    """Networks and machines in the thousands of millions, on either side of the ridge; a batch of 1."""
    flops, weights, each = (int(rng.integers(1, 2000)) * 1000 for _ in range(3))
    batch = int(rng.choice([1, rng.integers(2, 5000)]))
    peak, bandwidth = int(rng.integers(1, 1000)) * 10**9, int(rng.integers(1, 300)) * 10**9
    return Case("", (flops, weights, each, batch, peak, bandwidth))
