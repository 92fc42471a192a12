"""An interval by resampling openings (11.3).

The truth needs no random numbers: the sum of n scores drawn with replacement has a distribution
that n convolutions give exactly. Its quantiles stand here; a test works them out.
"""

import numpy as np

from azlearn.course.kit import CHANGED, About, Case, Raised, attempt, gives, parts

# The means of 16 scores lie on a grid of 1/64. No end is a close call between two of its steps: with
# so many resamples, chance does not choose another.
WITHIN = 0.01
CASES = [
    Case(words, (counts, num_resamples), {"the interval": About(ends, WITHIN)})
    for words, counts, num_resamples, ends in (
        # words, how many openings scored 0, 1/4, 1/2, 3/4, 1; how many resamples, the ends
        ("16 openings, most of them split", (2, 3, 8, 2, 1), 10_000, (0.328125, 0.578125)),
        ("16 openings, mostly won", (0, 1, 3, 3, 9), 10_000, (0.6875, 0.921875)),
        ("16 openings, won or lost outright", (8, 0, 0, 0, 8), 10_000, (0.25, 0.75)),
        ("one opening won, one lost", (1, 0, 0, 0, 1), 10_000, (0, 1)),
        ("one opening won, four lost", (4, 0, 0, 0, 1), 10_000, (0, 0.6)),
        ("one opening", (0, 1, 0, 0, 0), 1000, (0.25, 0.25)),
        ("nine openings, all won", (0, 0, 0, 0, 9), 1000, (1, 1)),
    )
]


@gives("a pair")
def observe(bootstrap_interval, case):
    counts, num_resamples = case.arguments
    scores, rng = np.repeat(np.arange(5) / 4, counts), np.random.default_rng(counts)
    given, before = scores.copy(), rng.bit_generator.state
    pair = parts(bootstrap_interval(given, num_resamples, rng), (), ())
    low, _ = case.right["the interval"].values
    is_drawn = rng.bit_generator.state != before or scores.std() == 0
    # Who counts places from above may ask for one that is not there: with one resample, no fault.
    once = attempt(bootstrap_interval, scores.copy(), 1, np.random.default_rng(0))
    width = 0 if isinstance(once, Raised) else round(float(abs(once[1] - once[0])), 6)
    rngs = map(np.random.default_rng, range(20))
    twice = [attempt(bootstrap_interval, scores.copy(), 2, rng) for rng in rngs]
    differ = any(isinstance(one, Raised) or abs(one[1] - one[0]) > 1e-6 for one in twice)
    return {
        "whether numbers are drawn from `rng`": is_drawn,
        "where it lies": "too low" if max(pair) < low - 1e-9 else "not too low",
        "the interval": About(pair, WITHIN),
        "the width of the interval from one resample": width,
        "whether two resamples ever differ": differ or scores.std() == 0,
        CHANGED: bool((given != scores).any()),
    }
