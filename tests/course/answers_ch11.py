"""Chapter 11: answers as readers could have written them."""

import math
from collections import Counter
from functools import cache
from itertools import groupby
from statistics import fmean

import numpy as np

from tests.course.registry import right

# --- 11.1 observations(games) ---


@right("11.1")
def observed_by_sorting(games):
    by_opening = groupby(sorted(games, key=lambda g: g.opening), key=lambda g: g.opening)
    scores = [fmean(g.score for g in of_one) for _, of_one in by_opening]
    return len(Counter(g.moves for g in games)), scores


@right("11.1")
def observed_in_arrays(games):
    total, number = Counter(), Counter()
    for game in games:
        total[game.opening] += game.score
        number[game.opening] += 1
    return len(np.unique([g.moves for g in games])), np.array([total[o] / number[o] for o in total])


# --- 11.2 schedule(game, openings) ---


@right("11.2")
def scheduled_in_two_halves(game, openings):
    first_way = {}
    for opening in openings:
        first_way.setdefault(tuple(game.from_moves(opening)), opening)
    kept = [o for o in first_way.values() if game.outcome(game.from_moves(o)) is None]
    return [[opening, 1] for opening in kept] + [[opening, 0] for opening in kept]


@right("11.2")
def scheduled_by_yielding(game, openings):
    for i, state in enumerate(states := [*map(game.from_moves, openings)]):
        if state not in states[:i] and game.outcome(state) is None:
            yield openings[i], True
            yield openings[i], False


# --- 11.3 bootstrap_interval(scores, num_resamples, rng) ---


@right("11.3")
def bootstrap_in_a_loop(scores, num_resamples, rng):
    means = []
    for _ in range(num_resamples):
        places = rng.integers(len(scores), size=len(scores))
        means.append(sum(scores[place] for place in places) / len(scores))
    means.sort()
    cut = math.floor(0.025 * num_resamples)
    return means[cut], means[-cut - 1]


@right("11.3")
def bootstrap_by_counts(scores, num_resamples, rng):
    values, counts = np.unique(scores, return_counts=True)
    drawn = rng.multinomial(len(scores), counts / len(scores), size=num_resamples)
    return list(np.quantile(drawn @ values / len(scores), (0.025, 0.975)))


# --- 11.4 score_and_elo(results) ---


@right("11.4")
def rated_by_counting(results):
    wins, draws = results.count(1), results.count(0)
    ours, theirs = wins + draws / 2, len(results) - wins - draws / 2
    if not ours or not theirs:
        return ours / len(results), float("inf" if ours else "-inf")
    return [ours / len(results), 400 * (math.log(ours) - math.log(theirs)) / math.log(10)]


@right("11.4")
def rated_in_arrays(results):
    score = np.mean((np.array(results) + 1) / 2)
    with np.errstate(divide="ignore"):
        return score, -400 * np.log10(1 / score - 1)


# --- 11.5 chance_to_pass(p_win, p_draw, num_games, threshold) ---


@right("11.5")
def gate_by_coefficients(p_win, p_draw, num_games, threshold):
    p_loss, total = max(1 - p_win - p_draw, 0), 0.0
    for wins in range(num_games + 1):
        for draws in range(num_games + 1 - wins):
            if (wins + draws / 2) / num_games > threshold:
                losses = num_games - wins - draws
                ways = math.comb(num_games, wins) * math.comb(num_games - wins, draws)
                total += ways * p_win**wins * p_draw**draws * p_loss**losses
    return total


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


# --- 11.6 keep_rates(positions, policies) ---


@right("11.6")
def rates_in_arrays(positions, policies):
    scores = np.array([[np.nan if s is None else s for s in p.scores] for p in positions])
    action = np.where(np.isnan(scores), -1.0, np.array(policies)).argmax(axis=1)
    chosen = scores[np.arange(len(scores)), action]
    keeps = np.sign(chosen) == np.sign(np.nanmax(scores, axis=1))
    tactics = np.array([p.tactic for p in positions])
    return {"all": keeps.mean(), **{t: keeps[tactics == t].mean() for t in np.unique(tactics)}}


@right("11.6")
def rates_by_keeping_count(positions, policies):
    number, kept = Counter(), Counter()
    for position, policy in zip(positions, policies, strict=True):
        action = max(position.legal_actions, key=policy.__getitem__)
        for name in ("all", position.tactic):
            number[name] += 1
            kept[name] += position.keeps_value(action)
    return {name: kept[name] / number[name] for name in number}
