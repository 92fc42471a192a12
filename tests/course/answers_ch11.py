"""Chapter 11: answers as readers could have written them."""

import math
from collections import Counter
from functools import cache

import numpy as np

from tests.course.registry import right


@right("11.1")
def observed_in_arrays(games):
    total, number = Counter(), Counter()
    for game in games:
        total[game.opening] += game.score
        number[game.opening] += 1
    return len(np.unique([g.moves for g in games])), np.array([total[o] / number[o] for o in total])


@right("11.2")
def scheduled_by_yielding(game, openings):
    for i, state in enumerate(states := [*map(game.from_moves, openings)]):
        if state not in states[:i] and game.outcome(state) is None:
            yield openings[i], True
            yield openings[i], False


@right("11.3")
def bootstrap_in_a_loop(scores, num_resamples, rng):
    means = []
    for _ in range(num_resamples):
        places = rng.integers(len(scores), size=len(scores))
        means.append(sum(scores[place] for place in places) / len(scores))
    means.sort()
    cut = math.floor(0.025 * num_resamples)
    return means[cut], means[-cut - 1]


@right("11.4")
def rated_by_counting(results):
    wins, draws = results.count(1), results.count(0)
    ours, theirs = wins + draws / 2, len(results) - wins - draws / 2
    if not ours or not theirs:
        return ours / len(results), float("inf" if ours else "-inf")
    return [ours / len(results), 400 * (math.log(ours) - math.log(theirs)) / math.log(10)]


@right("11.5")
def gate_by_recursion(p_win, p_draw, num_games, threshold):
    @cache
    def passing(left, halves):
        if not left:
            return float(halves > 2 * num_games * threshold)
        after_loss, after_draw, after_win = (passing(left - 1, halves + k) for k in range(3))
        return (1 - p_win - p_draw) * after_loss + p_draw * after_draw + p_win * after_win

    for left in range(num_games):  # from the end, so that the stack stays shallow
        for halves in range(2 * (num_games - left) + 1):
            passing(left, halves)
    return passing(num_games, 0)


@right("11.6")
def rates_by_keeping_count(positions, policies):
    number, kept = Counter(), Counter()
    for position, policy in zip(positions, policies, strict=True):
        action = max(position.legal_actions, key=policy.__getitem__)
        for name in ("all", position.tactic):
            number[name] += 1
            kept[name] += position.keeps_value(action)
    return {name: kept[name] / number[name] for name in number}
