"""What the checks of chapter 11 take for the truth is true: rules, SciPy and the arena agree."""

from statistics import fmean

import numpy as np
import pytest
from scipy.stats import multinomial

from azlearn.arena import Match, elo_difference
from azlearn.course.exercises import EXERCISES
from azlearn.course.exercises.ch11_measuring import (
    bootstrap_interval,
    chance_to_pass,
    keep_rates,
    observations,
    schedule,
)
from azlearn.games import TicTacToe

GAME = TicTacToe()


def _right(exercise_id):
    """Every case with what is seen of the solution."""
    marking = EXERCISES[exercise_id].marking
    return zip(marking.all_cases, marking.right.seen, strict=True)


def test_the_games_are_games_and_the_arena_observes_the_same():
    for moves, value in observations.VALUES.items():
        state = GAME.from_moves(moves)
        outcome = GAME.outcome(state)
        assert value == (1 + (outcome if GAME.to_play(state) == 0 else -outcome)) / 2
    for case, seen in _right("11.1"):
        match = Match("a", "b", *case.arguments)
        assert (match.distinct_games, sorted(match.opening_scores)) == seen[observations.BOTH]


def test_what_is_kept_is_open_and_new_and_the_rest_is_not():
    for _, openings, kept in schedule.CASES:
        seen, good = set(), []
        for opening in openings:
            state = GAME.from_moves(opening)
            if state not in seen and GAME.outcome(state) is None:
                good.append(opening)
            seen.add(state)
        assert good == list(kept)


@pytest.mark.parametrize("case", bootstrap_interval.CASES, ids=lambda case: case[0])
def test_the_ends_are_exact_quantiles_and_chance_does_not_choose_others(case):
    _, counts, num_resamples, ends = case
    n, likely = sum(counts), np.ones(1)
    for _ in range(n):
        likely = np.convolve(likely, np.array(counts) / n)
    reached = np.cumsum(likely)
    for share, end in zip((0.025, 0.975), ends, strict=True):
        place = int(np.searchsorted(reached, share))
        assert place / (4 * n) == pytest.approx(end)
        away = min(abs(reached[max(place - 1, 0) : place + 1] - share))
        assert away > 4 * (0.025 * 0.975 / num_resamples) ** 0.5 or 1 in reached


def test_elo_is_the_arenas():
    for case, seen in _right("11.4"):
        score = fmean((result + 1) / 2 for result in case.arguments[0])
        pair = seen.get("score and Elo") or (seen["its score"], seen["Elo of a clean sweep"])
        assert list(pair) == pytest.approx([score, elo_difference(score)])


def test_chances_are_those_of_the_multinomial():
    for case in chance_to_pass.CASES[:-1]:
        p_win, p_draw, n, threshold = case.arguments
        chance = sum(
            multinomial.pmf([w, d, n - w - d], n, [p_win, p_draw, 1 - p_win - p_draw])
            for w in range(n + 1)
            for d in range(n + 1 - w)
            if w + d / 2 > n * threshold
        )
        assert chance == pytest.approx(case.right, abs=1e-12)


def test_a_score_at_the_threshold_does_not_pass_however_it_is_rounded():
    marking = EXERCISES["11.5"].marking
    chance = marking.function(marking.solution)
    assert 2 * 50 * 0.57 < 57
    assert chance(0.5, 0.0, 50, 0.57) == chance(0.5, 0.0, 50, 0.575)


def test_no_drawn_gate_has_a_score_so_near_its_threshold_that_rounding_decides():
    for case in EXERCISES["11.5"].marking.all_cases[len(chance_to_pass.CASES) :]:
        *_, n, threshold = case.arguments
        away = abs(2 * n * threshold - np.arange(2 * n + 1)).min()
        assert away > 0.1 or (n in (1, 2, 4, 8) and 8 * threshold % 1 == 0)


def test_a_policy_keeps_what_the_package_says():
    for case, seen in _right("11.6"):
        kept = [
            position.keeps_value(max(position.legal_actions, key=lambda a, p=policy: p[a]))
            for position, policy in zip(*case.arguments, strict=True)
        ]
        assert seen["all"] == pytest.approx(fmean(kept))
    for _, _, policy in keep_rates.ROWS:
        assert sum(policy) == pytest.approx(1)
