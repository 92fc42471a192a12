"""Chapter 11, intervals, gates and accuracy: answers as readers could write them."""

import math
from collections import defaultdict
from functools import cache
from statistics import NormalDist, fmean

import numpy as np

from tests.course.registry import mutant, right

# --- 11.3 bootstrap_interval(scores, num_resamples, rng) ---


def _bootstrap(
    draw=lambda scores, num, rng: rng.choice(scores, size=(num, len(scores))),
    ends=lambda means: np.percentile(means, [2.5, 97.5]),
):
    def bootstrap_interval(scores, num_resamples, rng):
        return tuple(ends(draw(scores, num_resamples, rng).mean(axis=1)))

    return bootstrap_interval


mutant("11.3", "as many scores as resamples")(
    _bootstrap(lambda scores, num, rng: rng.choice(scores, size=(400, num)))
)
mutant("11.3", "the spread of scores, not of their mean")(
    _bootstrap(lambda scores, num, rng: rng.choice(scores, size=(num, 1)))
)
mutant("11.3", "an interval of 90 %")(_bootstrap(ends=lambda means: np.percentile(means, [5, 95])))
mutant("11.3", "one standard error to each side")(
    _bootstrap(ends=lambda means: (means.mean() - means.std(), means.mean() + means.std()))
)
mutant("11.3", "high before low")(_bootstrap(ends=lambda means: np.percentile(means, [97.5, 2.5])))
mutant("11.3", "shares taken for percents")(
    _bootstrap(ends=lambda means: np.percentile(means, [0.025, 0.975]))
)
mutant("11.3", "not a lower and an upper end")(_bootstrap(ends=lambda means: means))
mutant("11.3", "no named fault")(_bootstrap(ends=lambda means: (means.min(), means.max())))


@mutant("11.3", "drawn without replacement")
def bootstrap_by_shuffling(scores, num_resamples, rng):
    means = [rng.permutation(scores).mean() for _ in range(num_resamples)]
    return np.percentile(means, 2.5), np.percentile(means, 97.5)


@mutant("11.3", "the spread of scores, not of their mean")
def bootstrap_of_scores(scores, num_resamples, rng):
    rng.random()
    spread = 1.96 * np.std(scores)
    return np.mean(scores) - spread, np.mean(scores) + spread


@mutant("11.3", "the spread of scores, not of their mean")
def bootstrap_everything_drawn(scores, num_resamples, rng):
    drawn = rng.choice(scores, size=(num_resamples, len(scores)))
    return np.percentile(drawn, 2.5), np.percentile(drawn, 97.5)


@mutant("11.3", "another generator than the one given")
def bootstrap_global(scores, num_resamples, rng):
    return _bootstrap()(scores, num_resamples, np.random.default_rng(0))


@mutant("11.3", "not a lower and an upper end")
def bootstrap_half_width(scores, num_resamples, rng):
    low, high = _bootstrap()(scores, num_resamples, rng)
    return (high - low) / 2


@right("11.3")
def bootstrap_in_a_loop(scores, num_resamples, rng):
    means = []
    for _ in range(num_resamples):
        places = rng.integers(len(scores), size=len(scores))
        means.append(np.mean([scores[place] for place in places]))
    means.sort()
    cut = round(0.025 * num_resamples)
    return means[cut], means[-cut - 1]


@right("11.3")
def bootstrap_by_counts(scores, num_resamples, rng):
    values, counts = np.unique(scores, return_counts=True)
    drawn = rng.multinomial(len(scores), counts / len(scores), size=num_resamples)
    return list(np.quantile(drawn @ values / len(scores), (0.025, 0.975)))


# --- 11.5 chance_to_pass(p_win, p_draw, num_games, threshold) ---


def _gate(
    step=lambda win, draw: [1 - win - draw, draw, win],
    passes=lambda halves, needed: halves > needed,
    needed=lambda n, threshold: 2 * n * threshold,
):
    def chance_to_pass(p_win, p_draw, num_games, threshold):
        likely = np.ones(1)
        for _ in range(num_games):
            likely = np.convolve(likely, step(p_win, p_draw))
        halves = np.arange(len(likely))
        return float(likely[passes(halves, needed(num_games, threshold))].sum())

    return chance_to_pass


mutant("11.5", "at least instead of more")(_gate(passes=lambda halves, needed: halves >= needed))
mutant("11.5", "at least instead of more")(
    _gate(passes=lambda halves, needed: halves >= round(needed, 6))
)
mutant("11.5", "the chance of one score")(
    _gate(passes=lambda halves, needed: halves == math.floor(needed) + 1)
)
mutant("11.5", "draws count nothing")(_gate(lambda win, draw: [1 - win, 0, win]))
mutant("11.5", "draws count as wins")(_gate(lambda win, draw: [1 - win - draw, 0, win + draw]))
mutant("11.5", "a coin with the mean score")(
    _gate(lambda win, draw: [1 - win - draw / 2, 0, win + draw / 2])
)
mutant("11.5", "half points against points")(_gate(needed=lambda n, threshold: n * threshold))
mutant("11.5", "no named fault")(_gate(needed=lambda n, threshold: 2 * n * threshold + 1))


@mutant("11.5", "the chance of one score")
def gate_of_one_score(p_win, p_draw, num_games, threshold):
    likely = np.ones(1)
    for _ in range(num_games):
        likely = np.convolve(likely, [1 - p_win - p_draw, p_draw, p_win])
    passing = [p for h, p in enumerate(likely) if h > 2 * num_games * threshold and p]
    return passing[0] if passing else 0.0


@mutant("11.5", "the chance to fail")
def gate_shut(p_win, p_draw, num_games, threshold):
    return 1 - _gate()(p_win, p_draw, num_games, threshold)


@mutant("11.5", "draws replaced by more games")
def gate_of_decided_games(p_win, p_draw, num_games, threshold):
    if p_draw == 1:
        return 0.0
    return _gate()(p_win / (1 - p_draw), 0.0, num_games, threshold)


@mutant("11.5", "yes or no instead of a chance")
def gate_of_the_mean(p_win, p_draw, num_games, threshold):
    return p_win + p_draw / 2 > threshold


@mutant("11.5", "the normal curve")
def gate_of_a_bell(p_win, p_draw, num_games, threshold):
    mean = p_win + p_draw / 2
    variance = p_win * (1 - mean) ** 2 + p_draw * (0.5 - mean) ** 2
    variance += (1 - p_win - p_draw) * mean**2
    if variance < 1e-12:
        return 0.0
    return 1 - NormalDist(mean, math.sqrt(variance / num_games)).cdf(threshold)


@mutant("11.5", "not one number")
def gate_of_all_scores(p_win, p_draw, num_games, threshold):
    return [_gate()(p_win, p_draw, n, threshold) for n in range(1, num_games + 1)]


@right("11.5")
def gate_by_coefficients(p_win, p_draw, num_games, threshold):
    p_loss, total = 1 - p_win - p_draw, 0.0
    for wins in range(num_games + 1):
        for draws in range(num_games + 1 - wins):
            if (wins + draws / 2) / num_games > threshold:
                losses = num_games - wins - draws
                ways = math.comb(num_games, wins) * math.comb(num_games - wins, draws)
                if (p_draw or not draws) and (p_loss or not losses):
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


def _sign(score):
    return (score > 0) - (score < 0)


def _rates(
    choose=lambda p, policy: max(p.legal_actions, key=lambda a: policy[a]),
    keeps=lambda p, a: p.scores[a] is not None and _sign(p.scores[a]) == _sign(p.best_score),
    rate=fmean,
):
    def keep_rates(positions, policies):
        kept = defaultdict(list)
        for position, policy in zip(positions, policies, strict=True):
            good = keeps(position, choose(position, policy))
            kept["all"].append(good)
            kept[position.tactic].append(good)
        return {name: rate(each) for name, each in kept.items()}

    return keep_rates


mutant("11.6", "the best of all moves, not of the legal ones")(
    _rates(choose=lambda p, policy: int(np.argmax(policy)))
)
mutant("11.6", "a place among the legal moves taken for an action")(
    _rates(choose=lambda p, policy: int(np.argmax(np.array(policy)[p.legal_actions])))
)
mutant("11.6", "only the best score counts")(_rates(keeps=lambda p, a: p.scores[a] == p.best_score))
mutant("11.6", "only wins count")(_rates(keeps=lambda p, a: p.scores[a] > 0))
mutant("11.6", "not losing is enough")(_rates(keeps=lambda p, a: p.scores[a] >= 0))
mutant("11.6", "a draw counts half")(_rates(keeps=lambda p, a: (1 + _sign(p.scores[a])) / 2))
mutant("11.6", "counts instead of rates")(_rates(rate=sum))
mutant("11.6", "no named fault")(
    _rates(choose=lambda p, policy: min(p.legal_actions, key=lambda a: policy[a]))
)


@mutant("11.6", "an illegal move is scored as a draw")
def rates_with_zeros(positions, policies):
    def keeps(position, action):
        scores = np.array([score or 0 for score in position.scores])
        return np.sign(scores[action]) == np.sign(scores.max())

    return _rates(lambda p, policy: int(np.argmax(policy)), keeps)(positions, policies)


@mutant("11.6", "a mean of rates")
def rates_averaged(positions, policies):
    rates = _rates()(positions, policies)
    del rates["all"]
    return {"all": fmean(rates.values()), **rates}


@mutant("11.6", "not a rate for all and for each tactic")
def rates_overall(positions, policies):
    return _rates()(positions, policies)["all"]


@mutant("11.6", "not a rate for all and for each tactic")
def rates_by_tactic_alone(positions, policies):
    rates = _rates()(positions, policies)
    del rates["all"]
    return rates


@right("11.6")
def rates_in_arrays(positions, policies):
    scores = np.array([[np.nan if s is None else s for s in p.scores] for p in positions])
    action = np.where(np.isnan(scores), -1.0, np.array(policies)).argmax(axis=1)
    chosen = scores[np.arange(len(scores)), action]
    keeps = np.sign(chosen) == np.sign(np.nanmax(scores, axis=1))
    tactics = np.array([p.tactic for p in positions])
    return {"all": keeps.mean(), **{t: keeps[tactics == t].mean() for t in np.unique(tactics)}}
