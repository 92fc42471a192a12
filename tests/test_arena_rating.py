"""Elo, intervals and the gate: against other programs, published numbers and simulated truth."""

from math import log10
from types import SimpleNamespace

import numpy as np
import pytest

from azlearn.arena import (
    CompiledUCTPlayer,
    GateSettings,
    RandomPlayer,
    elo,
    elo_difference,
    expected_score,
    gate,
    score_interval,
    wilson_interval,
)
from azlearn.arena.gating import log_likelihood_ratio
from azlearn.games import ConnectFour

FOUR = ConnectFour()
QUARTERS = np.arange(5) / 4


def of_counts(counts):
    """The scores of openings, from how many scored 0, 1/4, 1/2, 3/4 and 1."""
    return np.repeat(QUARTERS, counts)


def played(a, b, scores):
    return SimpleNamespace(a=a, b=b, opening_scores=scores)


def simulated(rng, score, n, draws=0.0, luck=0.0):
    """n openings of two games each; ``score`` is the true mean.

    Args:
        draws: 0 = none, 1 = as many as the score allows.
        luck: how much an opening favours a color, 1 = as much as the score allows.
    """
    total, favour = np.zeros(n), rng.uniform(-1, 1, n) * luck * min(score, 1 - score)
    for p in (score + favour, score - favour):
        half, chance = np.minimum(p, 1 - p) * draws, rng.random(n)
        total += np.where(chance < p - half, 1.0, np.where(chance < p + half, 0.5, 0.0))
    return total / 2


def test_scores_and_elo_are_the_ones_of_the_tables():
    # 10 to 1 is 400 Elo by definition; FIDE's table (B.02, 8.1): 0.64 at 100, 0.76 at 200.
    assert expected_score(400) == pytest.approx(10 / 11)
    assert elo_difference(0.64) == pytest.approx(100, abs=0.5)
    assert elo_difference(0.24) == pytest.approx(-200, abs=0.5)
    assert (elo_difference(1), elo_difference(0)) == (np.inf, -np.inf)
    for bad in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="A score per game must be in"):
            elo_difference(bad)


def test_pairs_that_cancel_out_narrow_the_interval_and_equal_ones_widen_it():
    low, high = score_interval([0.5] * 100)  # every opening won once and lost once
    assert high - low < 0.03
    independent, alike = (
        float(np.diff(score_interval(of_counts(counts)))[0])
        for counts in ([25, 0, 50, 0, 25], [50, 0, 0, 0, 50])
    )
    assert alike == pytest.approx(2**0.5 * independent, rel=0.05)
    of_wins = score_interval(of_counts([60, 0, 0, 0, 140]))  # without pairing it is Wilson's
    assert of_wins == pytest.approx(wilson_interval(140, 200), abs=0.01)
    low, high = score_interval([1.0] * 100)
    assert 0.95 < low < 0.99 < high == 1  # never certain
    for bad in ([], [0.5, 1.5], [float("nan")]):
        with pytest.raises(ValueError, match="needs at least one score"):
            score_interval(bad)


@pytest.mark.parametrize(("draws", "luck"), [(0, 0), (0.9, 1)])
@pytest.mark.parametrize("score", [0.5, 0.95])
def test_score_intervals_hold_the_truth_as_often_as_they_say(score, draws, luck):
    rng, runs = np.random.default_rng(7), 400
    inside = 0
    for _ in range(runs):
        low, high = score_interval(simulated(rng, score, 50, draws, luck))
        inside += low <= score <= high
    assert inside / runs > 0.915  # 0.95, less three standard errors


def test_elo_is_what_statsmodels_and_choix_say():
    # The same observations, half games included, in statsmodels 0.15 (binomial GLM, weights as
    # frequencies, HC0) and, for the ratings alone, in choix 0.4.1 (ilsr_pairwise_dense).
    matches = [
        played("x", "y", of_counts([5, 10, 15, 12, 18])),
        played("y", "z", of_counts([2, 6, 20, 22, 10])),
        played("x", "z", of_counts([1, 3, 9, 17, 30])),
    ]
    x, y, z = elo(matches, anchor="z")
    assert [r.name for r in (x, y, z)] == ["x", "y", "z"]
    assert (x.elo, y.elo, z.elo) == pytest.approx((212.85169493, 112.72500343, 0), abs=1e-4)
    errors = [(r.high - r.low) / 2 / 1.959963985 for r in (x, y, z)]
    assert errors == pytest.approx([25.05047683, 22.15751282, 0], abs=1e-4)
    assert sum(r.elo for r in elo(matches)) == pytest.approx(0, abs=1e-6)
    # A clean sweep has a finite rating whose interval is wide.
    strong, weak = elo([played("new", "old", [1.0] * 100)], anchor="old")
    assert (strong.name, weak.elo) == ("new", 0)
    assert 700 < strong.elo < 1300
    assert strong.high - strong.low > 400
    # Of 200 games won and none lost, pseudo-games are all that the difference depends on.
    for pseudo_games in (0.5, 0.1):
        strong, _ = elo(
            [played("new", "old", [1.0] * 100)], anchor="old", pseudo_games=pseudo_games
        )
        odds = (200 + pseudo_games) / pseudo_games
        assert strong.elo == pytest.approx(400 * log10(odds), abs=0.01)


def test_ratings_that_cannot_be_are_refused():
    match = played("a", "b", [1.0])
    for matches, anchor, said in (
        ([match], "c", "The anchor 'c' played no match; players: a, b."),
        ([played("a", "a", [1.0])], None, "a played itself"),
        ([match, played("c", "d", [0.5])], None, "No matches link c, d to a"),
    ):
        with pytest.raises(ValueError, match=said):
            elo(matches, anchor)


@pytest.mark.parametrize(
    ("counts", "to_50", "to_100", "errors", "verdict"),
    [
        # Wald's bounds: ln(0.95 / 0.05) = 2.94 and ln(0.05 / 0.95) = -2.94 …
        ((10, 20, 40, 25, 15), -0.1703420556778371, -6.849863434289625, (0.05, 0.05), "open"),
        ((3, 8, 20, 24, 25), 7.9787191852068196, 12.770743092923018, (0.05, 0.05), "better"),
        # … and ln(0.95 / 0.1) = 2.25, ln(0.01 / 0.95) = -4.55.
        ((0, 0, 5, 6, 9), 2.671618224753022, 4.938607504850844, (0.1, 0.05), "better"),
        ((12, 9, 0, 2, 1), -3.2833716965826327, -7.091598049181924, (0.05, 0.01), "open"),
    ],
)
def test_the_likelihood_ratio_is_that_of_stockfish_s_tests_and_decides_at_walds_bounds(
    counts, to_50, to_100, errors, verdict
):
    # LLR_logistic of github.com/vdbergh/pentanomial for 0 against 50 and 0 against 100 Elo.
    for elo1, theirs in ((50, to_50), (100, to_100)):
        ours = log_likelihood_ratio(of_counts(counts), 0.5, expected_score(elo1))
        assert ours == pytest.approx(theirs, abs=1e-6)
    settings = GateSettings(elo1=50, alpha=errors[0], beta=errors[1])
    assert settings.verdict(of_counts(counts)) == verdict
    if verdict == "open":
        assert GateSettings(elo1=100).verdict(of_counts(counts)) == "not better"


@pytest.mark.parametrize(("draws", "luck"), [(0, 0), (0.6, 1)])
def test_the_gate_is_wrong_as_seldom_as_it_says(draws, luck):
    settings, rng, runs = GateSettings(), np.random.default_rng(3), 300
    accepted, games = {}, {}
    for true_elo in (0, 100, 200):
        verdicts, lengths = [], []
        for _ in range(runs):
            scores = simulated(rng, expected_score(true_elo), settings.max_games // 2, draws, luck)
            step = settings.games_at_once // 2
            for n in range(step, len(scores) + 1, step):
                verdict = settings.verdict(scores[:n])
                if verdict != "open":
                    break
            verdicts.append(verdict)
            lengths.append(2 * n)
        accepted[true_elo], games[true_elo] = verdicts.count("better") / runs, np.mean(lengths)
    three_errors = 3 * (0.05 * 0.95 / runs) ** 0.5
    assert accepted[0] <= settings.alpha + three_errors
    assert accepted[100] >= 1 - settings.beta - three_errors
    assert accepted[200] > 0.99
    assert games[200] < games[100] < 200  # the clearer the case, the sooner it is decided


def test_the_gate_lets_the_better_player_in_and_keeps_the_others_out():
    strong, weak = CompiledUCTPlayer(FOUR, 60), RandomPlayer(FOUR)
    let_in = gate(strong, weak)
    assert (let_in.accepted, let_in.verdict, let_in.match.a) == (True, "better", strong.name)
    assert len(let_in.match.games) == let_in.match.distinct_games == 40
    kept_out = gate(weak, strong)
    assert (kept_out.accepted, kept_out.verdict) == (False, "not better")
    assert gate(strong, weak, seed=1).match != let_in.match
    # A question that stays open is answered with no.
    settings = GateSettings(elo1=5, max_games=61, games_at_once=51)
    with pytest.warns(UserWarning, match="61 gate games are too few: even a player"):
        result = gate(RandomPlayer(FOUR), RandomPlayer(FOUR), settings)
    assert (result.accepted, result.verdict, len(result.match.games)) == (False, "open", 60)


def test_a_gate_that_nobody_can_pass_is_known_and_an_impossible_one_refused():
    # Who wins every game: log(0.64 / 0.5) = 0.2468 an opening, and log(0.95 / 0.05) = 2.944 to go.
    assert not GateSettings(max_games=22).can_be_passed
    assert GateSettings(max_games=26).can_be_passed
    for setting, said in (
        ({"elo0": 100}, "elo0 must be below elo1"),
        ({"alpha": 0}, "alpha must be between 0 and 0.5"),
        ({"max_games": 1}, "max_games must be 2 or more, not 1."),
    ):
        with pytest.raises(ValueError, match=said):
            GateSettings(**setting)
