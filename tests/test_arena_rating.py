"""Elo, intervals and the gate: against other programs, published numbers and simulated truth."""

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
from azlearn.games import ConnectFour, TicTacToe

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
        luck: how much an opening favours a colour, 1 = as much as the score allows.
    """
    total, favour = np.zeros(n), rng.uniform(-1, 1, n) * luck * min(score, 1 - score)
    for p in (score + favour, score - favour):
        half, chance = np.minimum(p, 1 - p) * draws, rng.random(n)
        total += np.where(chance < p - half, 1.0, np.where(chance < p + half, 0.5, 0.0))
    return total / 2


def test_scores_and_elo_are_the_ones_of_the_tables():
    # 10 to 1 is 400 Elo by definition; FIDE's table (B.02, 8.1): 0.64 at 100, 0.76 at 200.
    assert expected_score(400) == pytest.approx(10 / 11)
    assert expected_score(0) == 0.5
    assert elo_difference(0.64) == pytest.approx(100, abs=0.5)
    assert elo_difference(0.24) == pytest.approx(-200, abs=0.5)
    assert (elo_difference(1), elo_difference(0)) == (np.inf, -np.inf)
    for bad in (-0.1, 1.1, float("nan")):
        with pytest.raises(ValueError, match="A score a game lies in"):
            elo_difference(bad)


def test_pairs_that_cancel_out_narrow_the_interval_and_equal_ones_widen_it():
    low, high = score_interval([0.5] * 100)  # every opening won once and lost once
    assert high - low < 0.03
    independent = score_interval(of_counts([25, 0, 50, 0, 25]))
    alike = score_interval(of_counts([50, 0, 0, 0, 50]))
    assert alike[1] - alike[0] == pytest.approx(
        2**0.5 * (independent[1] - independent[0]), rel=0.05
    )
    of_wins = score_interval(of_counts([60, 0, 0, 0, 140]))  # without pairing it is Wilson's
    assert of_wins == pytest.approx(wilson_interval(140, 200), abs=0.01)
    sure = score_interval([1.0] * 100)
    assert sure[1] == 1
    assert 0.95 < sure[0] < 0.99  # never certain


@pytest.mark.parametrize("bad", [[], [0.5, 1.5], [float("nan")]])
def test_a_score_interval_refuses_what_is_no_score(bad):
    with pytest.raises(ValueError, match="needs at least one score"):
        score_interval(bad)


@pytest.mark.parametrize(("draws", "luck"), [(0, 0), (0.6, 0), (0, 1), (0.9, 1)])
@pytest.mark.parametrize("score", [0.5, 0.95])
def test_score_intervals_hold_the_truth_as_often_as_they_say(score, draws, luck):
    rng, runs = np.random.default_rng(7), 400
    inside = 0
    for _ in range(runs):
        low, high = score_interval(simulated(rng, score, 50, draws, luck))
        inside += low <= score <= high
    assert inside / runs > 0.915  # 0.95, less three standard errors
    narrow = score_interval(simulated(rng, score, 50, draws, luck), confidence=0.5)
    wide = score_interval(simulated(rng, score, 50, draws, luck), confidence=0.999)
    assert wide[1] - wide[0] > narrow[1] - narrow[0]


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
    free = elo(matches)
    assert sum(r.elo for r in free) == pytest.approx(0, abs=1e-6)
    assert free[0].elo - free[2].elo == pytest.approx(x.elo, abs=1e-4)


def test_a_clean_sweep_has_a_finite_rating_whose_interval_is_wide():
    strong, weak = elo([played("new", "old", [1.0] * 100)], anchor="old")
    assert (strong.name, weak.elo) == ("new", 0)
    assert 700 < strong.elo < 1300
    assert strong.high - strong.low > 400
    more = elo([played("new", "old", [1.0] * 1000)], anchor="old")[0]
    assert more.elo > strong.elo


@pytest.mark.parametrize(
    ("matches", "anchor", "said"),
    [
        ([], None, "at least one match"),
        ([played("a", "b", [1.0])], "c", "The anchor 'c' played no match; players: a, b."),
        ([played("a", "a", [1.0])], None, "a played itself"),
        ([played("a", "b", [1.0]), played("c", "d", [0.5])], None, "No matches link c, d to a"),
    ],
)
def test_ratings_that_cannot_be_are_refused(matches, anchor, said):
    with pytest.raises(ValueError, match=said):
        elo(matches, anchor)


@pytest.mark.parametrize(
    ("counts", "to_50", "to_100"),
    [
        ((10, 20, 40, 25, 15), -0.1703420556778371, -6.849863434289625),
        ((3, 8, 20, 24, 25), 7.9787191852068196, 12.770743092923018),
        ((0, 0, 5, 6, 9), 2.671618224753022, 4.938607504850844),
        ((12, 9, 0, 2, 1), -3.2833716965826327, -7.091598049181924),
    ],
)
def test_the_likelihood_ratio_is_the_one_by_which_stockfish_is_tested(counts, to_50, to_100):
    # LLR_logistic of github.com/vdbergh/pentanomial for 0 against 50 and 0 against 100 Elo.
    for elo1, theirs in ((50, to_50), (100, to_100)):
        ours = log_likelihood_ratio(of_counts(counts), 0.5, expected_score(elo1))
        assert ours == pytest.approx(theirs, abs=1e-6)


@pytest.mark.parametrize(
    ("counts", "errors", "verdict"),
    [
        # The ratios of the test above for 50 Elo, 7.98, 2.67, -0.17 and -3.28, between Wald's
        # bounds: ln(0.95 / 0.05) = 2.94 and ln(0.05 / 0.95) = -2.94 …
        ((3, 8, 20, 24, 25), (0.05, 0.05), "better"),
        ((10, 20, 40, 25, 15), (0.05, 0.05), "open"),
        ((12, 9, 0, 2, 1), (0.05, 0.05), "not better"),
        # … and ln(0.95 / 0.1) = 2.25, ln(0.01 / 0.95) = -4.55.
        ((0, 0, 5, 6, 9), (0.1, 0.05), "better"),
        ((12, 9, 0, 2, 1), (0.05, 0.01), "open"),
    ],
)
def test_the_verdict_falls_at_walds_bounds(counts, errors, verdict):
    settings = GateSettings(elo1=50, alpha=errors[0], beta=errors[1])
    assert settings.verdict(of_counts(counts)) == verdict


@pytest.mark.parametrize(("draws", "luck"), [(0, 0), (0.6, 0), (0, 1)])
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
    assert (let_in.accepted, let_in.verdict) == (True, "better")
    assert (let_in.match.a, len(let_in.match.games)) == (strong.name, 40)
    assert let_in.match.distinct_games == 40
    kept_out = gate(weak, strong)
    assert (kept_out.accepted, kept_out.verdict) == (False, "not better")
    again = gate(strong, weak)
    assert again.match == let_in.match
    assert gate(strong, weak, seed=1).match != let_in.match


def test_a_question_that_stays_open_is_answered_with_no():
    settings = GateSettings(elo1=5, max_games=61, games_at_once=51)
    with pytest.warns(UserWarning, match="Of 61 games even a player that wins them all cannot"):
        result = gate(RandomPlayer(FOUR), RandomPlayer(FOUR), settings)
    assert (result.accepted, result.verdict, len(result.match.games)) == (False, "open", 60)
    # Tic-tac-toe has 54 openings of four plies in which nobody wins at once.
    small = gate(RandomPlayer(TicTacToe()), RandomPlayer(TicTacToe()), GateSettings(elo1=5))
    assert len(small.match.games) <= 108


def test_a_gate_that_nobody_can_pass_is_known():
    # Who wins every game: log(0.64 / 0.5) = 0.2468 an opening, and log(0.95 / 0.05) = 2.944 to go.
    assert not GateSettings(max_games=22).can_be_passed
    assert GateSettings(max_games=26).can_be_passed


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"elo0": 100}, "elo0 must lie below elo1"),
        ({"alpha": 0}, "alpha must lie between 0 and 0.5"),
        ({"max_games": 1}, "max_games must be 2 or more, not 1."),
    ],
)
def test_impossible_gates_are_refused_by_name(setting, said):
    with pytest.raises(ValueError, match=said):
        GateSettings(**setting)
