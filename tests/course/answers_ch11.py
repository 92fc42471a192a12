"""Chapter 11: answers as readers could have written them."""

import math
from collections import Counter, defaultdict
from functools import cache
from itertools import groupby
from statistics import fmean

import numpy as np

from tests.course.registry import mutant, right

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


@mutant("11.1", "not a number and a list")
def observed_one_mean(games):
    return len({game.moves for game in games}), fmean(game.score for game in games)


@mutant("11.1", "colours make two of one game")
def observed_sets_of_games(games):
    return len(set(games)), observed_by_sorting(games)[1]


@mutant("11.1", "no named fault")
def observed_by_the_first_plies(games):
    """An opening need not have two plies."""
    scores = defaultdict(list)
    for game in games:
        scores[game.moves[:2]].append(game.score)
    return len({game.moves for game in games}), [*map(fmean, scores.values())]


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


@mutant("11.2", "the last of equals kept")
def scheduled_from_a_dictionary(game, openings):
    by_position = {game.from_moves(opening): opening for opening in openings}
    going_on = [o for state, o in by_position.items() if game.outcome(state) is None]
    return [(opening, first) for opening in going_on for first in (True, False)]


@mutant("11.2", "not a list of (opening, a_first)")
def scheduled_states(game, openings):
    return [(game.from_moves(o), first) for o, first in scheduled_by_yielding(game, openings)]


@mutant("11.2", "a draw is taken for no result")
def scheduled_unless_won(game, openings):
    won = [o for o in openings if game.outcome(game.from_moves(o)) in (1, -1)]
    drawn = [o for o in openings if game.outcome(game.from_moves(o)) == 0]
    kept = {o for o, _ in scheduled_by_yielding(game, openings)} | ({*drawn} - {*won})
    first_way = {game.from_moves(o): o for o in reversed(openings) if o in kept}
    return [(o, first) for o in first_way.values() for first in (True, False)]


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


@mutant("11.3", "shares taken for percents")
def bootstrap_of_shares(scores, num_resamples, rng):
    return np.percentile([*map(np.mean, _matches(scores, num_resamples, rng))], [0.025, 0.975])


@mutant("11.3", "one standard error to each side")
def bootstrap_of_the_spread(scores, num_resamples, rng):
    means = _matches(scores, num_resamples, rng).mean(axis=1)
    return means.mean() - means.std(), means.mean() + means.std()


@mutant("11.3", "not a lower and an upper end")
def bootstrap_half_width(scores, num_resamples, rng):
    low, high = bootstrap_by_counts(scores, num_resamples, rng)
    return (high - low) / 2


@mutant("11.3", "no named fault")
def bootstrap_of_so_many(scores, num_resamples, rng):
    return bootstrap_by_counts(scores, 10_000, rng)


def _matches(scores, num_resamples, rng):
    return rng.choice(scores, size=(num_resamples, len(scores)))


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


@mutant("11.4", "a clean sweep crashes")
def rated_by_the_formula(results):
    score = fmean((result + 1) / 2 for result in results)
    return score, 400 * math.log10(score / (1 - score))


@mutant("11.4", "a clean sweep has an end")
def rated_with_clamping(results):
    score = fmean((result + 1) / 2 for result in results)
    inside = min(max(score, 1e-3), 1 - 1e-3)
    return score, 400 * math.log10(inside / (1 - inside))


@mutant("11.4", "not a score and an Elo")
def rated_elo_alone(results):
    return rated_by_counting(results)[1]


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


@mutant("11.5", "not one number")
def gate_of_all_scores(p_win, p_draw, num_games, threshold):
    return [gate_by_recursion(p_win, p_draw, n, threshold) for n in range(1, 3)]


@mutant("11.5", "yes or no instead of a chance")
def gate_of_the_mean(p_win, p_draw, num_games, threshold):
    return p_win + p_draw / 2 > threshold


@mutant("11.5", "no named fault")
def gate_rounded(p_win, p_draw, num_games, threshold):
    return gate_by_recursion(
        p_win, p_draw, num_games, round(2 * num_games * threshold) / (2 * num_games)
    )


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


@mutant("11.6", "not a rate for all and for each tactic")
def rates_by_tactic_alone(positions, policies):
    rates = rates_in_arrays(positions, policies)
    del rates["all"]
    return rates


@mutant("11.6", "no named fault")
def rates_that_change_the_policy(positions, policies):
    for position, policy in zip(positions, policies, strict=True):
        for action in {*range(len(policy))} - {*position.legal_actions}:
            policy[action] = -1
    return rates_in_arrays(positions, policies)
