"""Chapter 11, observations, schedules and Elo: answers as readers could write them."""

import math
from collections import Counter, defaultdict
from itertools import groupby
from statistics import fmean

from tests.course.registry import mutant, right

# --- 11.1 observations(games) ---


def _observed(
    count=lambda games: len({game.moves for game in games}),
    played=lambda games: games,
    merge=fmean,
):
    def observations(games):
        scores = defaultdict(list)
        for game in played(games):
            scores[game.opening].append(game.score)
        return count(games), [merge(of_one) for of_one in scores.values()]

    return observations


mutant("11.1", "copies counted")(_observed(count=len))
mutant("11.1", "openings counted, not games")(_observed(lambda gs: len({g.opening for g in gs})))
mutant("11.1", "colours make two of one game")(
    _observed(lambda games: len({(game.moves, game.a_first) for game in games}))
)
mutant("11.1", "colours make two of one game")(_observed(lambda games: len(set(games))))
mutant("11.1", "sums instead of means")(_observed(merge=sum))
mutant("11.1", "no named fault")(_observed(merge=max))


@mutant("11.1", "every game is a unit")
def observed_games(games):
    return len({game.moves for game in games}), [game.score for game in games]


@mutant("11.1", "neighbours taken for pairs")
def observed_neighbours(games):
    pairs = [games[i : i + 2] for i in range(0, len(games), 2)]
    scores = [sum(game.score for game in pair) / 2 for pair in pairs[: len(games) // 2]]
    if len(games) % 2:
        scores.append(games[-1].score)
    return len({game.moves for game in games}), scores


@mutant("11.1", "copies thrown away before the mean")
def observed_once(games):
    seen, kept = set(), []
    for game in games:
        if game.moves not in seen:
            seen.add(game.moves)
            kept.append(game)
    return _observed()(kept)


@mutant("11.1", "scores of the first player")
def observed_for_the_first(games):
    scores = defaultdict(list)
    for game in games:
        scores[game.opening].append(game.score if game.a_first else 1 - game.score)
    return len({game.moves for game in games}), list(map(fmean, scores.values()))


@mutant("11.1", "not a number and a list")
def observed_count_alone(games):
    return len({game.moves for game in games})


@mutant("11.1", "not a number and a list")
def observed_one_mean(games):
    return len({game.moves for game in games}), fmean(game.score for game in games)


@mutant("11.1", "returns nothing")
def observed_silently(games):
    _observed()(games)


@right("11.1")
def observed_by_sorting(games):
    by_opening = groupby(sorted(games, key=lambda g: g.opening), key=lambda g: g.opening)
    return len(Counter(g.moves for g in games)), [
        fmean(g.score for g in gs) for _, gs in by_opening
    ]


# --- 11.2 schedule(game, openings) ---


def _scheduled(
    key=lambda game, opening: game.from_moves(opening),
    over=lambda game, opening: game.outcome(game.from_moves(opening)) is not None,
    sides=lambda place: (True, False),
    order=list,
):
    def schedule(game, openings):
        seen, kept = set(), []
        for opening in order(openings):
            if key(game, opening) in seen or over(game, opening):
                continue
            seen.add(key(game, opening))
            kept.append(opening)
        return [(opening, first) for i, opening in enumerate(kept) for first in sides(i)]

    return schedule


mutant("11.2", "colours not swapped")(_scheduled(sides=lambda place: (True, True)))
mutant("11.2", "one game an opening")(_scheduled(sides=lambda place: (True,)))
mutant("11.2", "colours alternate from opening to opening")(
    _scheduled(sides=lambda place: (place % 2 == 0,))
)
mutant("11.2", "another way to the same position kept")(_scheduled(lambda game, opening: opening))
mutant("11.2", "different positions thrown together")(
    _scheduled(lambda game, opening: "".join(sorted(opening)))
)
mutant("11.2", "different positions thrown together")(
    _scheduled(lambda game, opening: frozenset(opening))
)
mutant("11.2", "finished openings kept")(_scheduled(over=lambda game, opening: False))
mutant("11.2", "the last of equals kept")(_scheduled(order=lambda openings: openings[::-1]))
mutant("11.2", "no named fault")(_scheduled(over=lambda game, opening: len(opening) > 2))


@mutant("11.2", "copies kept")
def scheduled_all(game, openings):
    going_on = [o for o in openings if game.outcome(game.from_moves(o)) is None]
    return [(opening, first) for opening in going_on for first in (True, False)]


@mutant("11.2", "the last of equals kept")
def scheduled_from_a_dictionary(game, openings):
    by_position = {game.from_moves(opening): opening for opening in openings}
    going_on = [o for state, o in by_position.items() if game.outcome(state) is None]
    return [(opening, first) for opening in going_on for first in (True, False)]


@mutant("11.2", "not a list of (opening, a_first)")
def scheduled_openings(game, openings):
    return [opening for opening, _ in _scheduled()(game, openings)]


@mutant("11.2", "not a list of (opening, a_first)")
def scheduled_states(game, openings):
    return [(game.from_moves(o), first) for o, first in _scheduled()(game, openings)]


@right("11.2")
def scheduled_in_two_halves(game, openings):
    first_way = {}
    for opening in openings:
        first_way.setdefault(tuple(game.from_moves(opening)), opening)
    kept = [o for o in first_way.values() if game.outcome(game.from_moves(o)) is None]
    return [[opening, 1] for opening in kept] + [[opening, 0] for opening in kept]


@right("11.2")
def scheduled_by_yielding(game, openings):
    yield from _scheduled()(game, openings)


# --- 11.4 score_and_elo(results) ---


def _rated(points=None, odds=lambda s: s / (1 - s), log=math.log10, scale=400):
    points = points or {1: 1, 0: 0.5, -1: 0}

    def score_and_elo(results):
        score = fmean(points[result] for result in results)
        if score in (0, 1):
            return score, math.inf if score else -math.inf
        return score, scale * log(odds(score))

    return score_and_elo


mutant("11.4", "a draw counts nothing")(_rated({1: 1, 0: 0, -1: 0}))
mutant("11.4", "a draw counts as a win")(_rated({1: 1, 0: 1, -1: 0}))
mutant("11.4", "natural logarithm")(_rated(log=math.log))
mutant("11.4", "logarithm to base 2")(_rated(log=math.log2))
mutant("11.4", "400 forgotten")(_rated(scale=1))
mutant("11.4", "a straight line instead of the curve")(
    _rated(odds=lambda s: s, log=lambda s: 2 * s - 1)
)
mutant("11.4", "no named fault")(_rated(scale=173))


@mutant("11.4", "Elo of the other player")
def rated_upside_down(results):
    score, elo = _rated()(results)
    return score, -elo


@mutant("11.4", "Elo of the other player")
def rated_with_the_odds_turned(results):
    score = fmean((result + 1) / 2 for result in results)
    if score in (0, 1):
        return score, -math.inf if score else math.inf
    return score, 400 * math.log10(1 / score - 1)


@mutant("11.4", "draws left out")
def rated_without_draws(results):
    wins, losses = results.count(1), results.count(-1)
    if not wins + losses:
        return math.nan, math.nan
    score = wins / (wins + losses)
    return score, 400 * math.log10(wins / losses) if wins and losses else score * math.inf


@mutant("11.4", "the mean of values, not of points")
def rated_by_values(results):
    return fmean(results), _rated()(results)[1]


@mutant("11.4", "the mean of values, not of points")
def rated_by_values_throughout(results):
    score = fmean(results)
    if not 0 < score < 1:
        return score, math.inf if score >= 1 else -math.inf
    return score, 400 * math.log10(score / (1 - score))


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
    return _rated()(results)[1]


@right("11.4")
def rated_by_counting(results):
    wins, draws = results.count(1), results.count(0)
    ours, theirs = wins + draws / 2, len(results) - wins - draws / 2
    if not ours or not theirs:
        return ours / len(results), float("inf" if ours else "-inf")
    return [ours / len(results), 400 * (math.log(ours) - math.log(theirs)) / math.log(10)]
