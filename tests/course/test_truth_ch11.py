"""What the checks of chapter 11 take for the truth is true: rules, SciPy and the arena agree."""

import numpy as np
import pytest
from scipy.stats import binom, bootstrap, multinomial

from azlearn.arena import Match, elo_difference
from azlearn.course.exercises import (
    ch11_accuracy,
    ch11_bootstrap,
    ch11_elo,
    ch11_gate,
    ch11_observations,
    ch11_schedule,
)
from azlearn.games import TicTacToe

GAME = TicTacToe()


def value_for_the_first(moves):
    state = GAME.from_moves(moves)
    value = GAME.outcome(state)
    return value if GAME.to_play(state) == 0 else -value


@pytest.mark.parametrize("case", ch11_observations._cases(), ids=lambda case: case.shown)
def test_the_games_are_games_and_the_arena_observes_the_same(case):
    (games,) = case.arguments
    for game in games:
        value = value_for_the_first(game.moves)
        assert game.moves.startswith(game.opening)
        assert game.score == (1 + (value if game.a_first else -value)) / 2
    match = Match("a", "b", games)
    assert (match.distinct_games, sorted(match.opening_scores)) == case.right


@pytest.mark.parametrize(
    ("words", "openings", "kept"), ch11_schedule.CASES, ids=lambda part: str(part)
)
def test_what_is_kept_is_open_and_new_and_the_rest_is_not(words, openings, kept):
    seen, good = set(), []
    for opening in openings:
        state = GAME.from_moves(opening)
        if state not in seen and GAME.outcome(state) is None:
            good.append(opening)
        seen.add(state)
    assert good == list(kept)


@pytest.mark.parametrize("case", ch11_bootstrap._cases(), ids=lambda case: case.shown)
def test_exact_quantiles_are_those_of_scipys_bootstrap(case):
    (counts,) = case.arguments
    scores = ch11_bootstrap._scores(counts)
    found = bootstrap((scores,), np.mean, n_resamples=40_000, method="percentile", rng=0)
    assert list(found.confidence_interval) == pytest.approx(case.right, abs=1 / (4 * len(scores)))


@pytest.mark.parametrize("row", ch11_elo._BY_HAND + ch11_elo._SWEEPS, ids=str)
def test_elo_is_the_arenas(row):
    (wins, draws, losses), (score, elo) = row
    assert score == pytest.approx((wins + draws / 2) / (wins + draws + losses))
    assert elo == pytest.approx(elo_difference(score))


@pytest.mark.parametrize("case", ch11_gate._cases(), ids=lambda case: case.shown)
def test_chances_are_those_of_the_multinomial(case):
    p_win, p_draw, n, threshold = case.arguments
    if p_draw:
        chance = sum(
            multinomial.pmf([w, d, n - w - d], n, [p_win, p_draw, 1 - p_win - p_draw])
            for w in range(n + 1)
            for d in range(n + 1 - w)
            if w + d / 2 > n * threshold
        )
    else:
        chance = binom.sf(np.floor(n * threshold + 1e-9), n, p_win)
    assert chance == pytest.approx(case.right, abs=1e-12)


def test_the_last_column_says_whether_the_best_legal_move_keeps_the_value():
    rows = ch11_accuracy._ROWS
    for position, (_, scores, policy, keeps) in zip(ch11_accuracy.positions(), rows, strict=True):
        assert sum(policy) == pytest.approx(1)
        legal = [
            share if score is not None else -1 for share, score in zip(policy, scores, strict=True)
        ]
        assert legal.count(max(legal)) == 1
        assert position.keeps_value(legal.index(max(legal))) == keeps
        assert position.value >= 0, "the rows are such as the labelled positions are"
