"""What the checks of chapter 6 take for the truth is true."""

import math
from itertools import product

import numpy as np
import pytest
import torch

from azlearn.course.comparing import same
from azlearn.course.exercises import (
    ch06_baseline,
    ch06_loss,
    ch06_noise,
    ch06_pool,
    ch06_position,
    ch06_rewards,
)
from azlearn.course.one_position_cases import FAULTS, GAME, THREE_MOVES, possible, right
from azlearn.course.one_position_cases import three_rl as rl
from azlearn.course.one_position_cases import three_sl as sl
from azlearn.games import State, TicTacToe

LINES = ("123", "456", "789", "147", "258", "369", "159", "357")


def _winner(cells):
    """0, 1, or None: whose cells, taken in turn, hold a line. Played with strings, not bits."""
    for player in (0, 1):
        own = set(cells[player::2])
        if any(own >= set(line) for line in LINES):
            return player
    return None


def test_results_and_movers_are_those_of_the_rules():
    game = TicTacToe()
    for words, moves, result, rows, z in ch06_rewards.GAMES:
        finals = [game.from_moves(played) for played in moves]
        for state, said in zip(finals, result, strict=True):
            value = game.outcome(state)
            assert value is not None
            assert said == (value if game.to_play(state) == 0 else -value)
        for (number, by_first), reward in zip(rows, z, strict=True):
            winner = _winner(moves[number])
            mover = 0 if by_first else 1
            wanted = 0 if winner is None else 1 if winner == mover else -1
            assert reward == wanted, words


def test_the_pushes_are_the_slope_of_what_is_climbed():
    """By small steps along each logit, not by the formula."""
    for case, (words, logits, legal, action, own, z, b, games, push) in zip(
        ch06_loss.cases(), ch06_loss._CASES, strict=True
    ):
        for row, logit in product(range(len(logits)), range(len(logits[0]))):
            slopes = []
            for step in (1e-5, -1e-5):
                moved = [list(numbers) for numbers in logits]
                moved[row][logit] += step
                total = 0.0
                for i, numbers in enumerate(moved):
                    shares = [
                        math.exp(x) if ok else 0 for x, ok in zip(numbers, legal[i], strict=True)
                    ]
                    if own[i]:
                        total += (z[i] - b[i]) * math.log(shares[action[i]] / sum(shares))
                slopes.append(total / games)
            assert (slopes[0] - slopes[1]) / 2e-5 == pytest.approx(push[row][logit], abs=1e-6), (
                words
            )
        assert case.arguments[0].sum(axis=1) == pytest.approx(1)


def test_moments_are_those_of_every_sample_that_autograd_gives():
    for p, z, b, mean, variance in ch06_noise._CASES:
        samples = []
        for action in range(len(p)):
            logits = torch.tensor(p, dtype=torch.float64).log().requires_grad_()
            ((z[action] - b) * logits.softmax(0)[action].log()).backward()
            samples.append(logits.grad.numpy())
        found = np.average(samples, axis=0, weights=p)
        assert found == pytest.approx(mean)
        squares = [((sample - found) ** 2).sum() for sample in samples]
        assert np.average(squares, weights=p) == pytest.approx(variance)
        # the mean is the slope of the mean result, and b is not in it
        logits = torch.tensor(p, dtype=torch.float64).log().requires_grad_()
        (logits.softmax(0) @ torch.tensor(z, dtype=torch.float64)).backward()
        assert logits.grad.numpy() == pytest.approx(mean)


def test_what_the_notebook_says_of_the_best_baseline():
    """Variance 0 at 0.5, and 0.375 at the mean result, -0.5, for p = [0.25, 0.75], z = [1, -1]."""
    p, z = np.array([0.25, 0.75]), np.array([1, -1])
    variances = {b: ch06_noise._moments(p, z, b)[1] for b in (-0.5, 0.0, 0.5)}
    assert p @ z == -0.5
    assert variances == pytest.approx({-0.5: 0.375, 0.0: 0.09375, 0.5: 0.0})


def test_baselines_by_hand():
    for baseline, z, first, memory, advantage, new in ch06_baseline._CASES:
        for side, is_first in enumerate((True, False)):
            games = [result for result, who in zip(z, first, strict=True) if who == is_first]
            kept = memory * baseline[side]
            kept += (1 - memory) * (sum(games) / len(games) if games else baseline[side])
            assert new[side] == pytest.approx(kept, abs=1e-6)
        for got, result, is_first in zip(advantage, z, first, strict=True):
            assert got == pytest.approx(result - baseline[0 if is_first else 1])


def test_a_baseline_that_knows_its_games_moves_the_mean_of_the_gradient():
    """All results of two games of one move, p = [1/2, 1/2], z = [1, 0], counted."""
    z = np.array([1, 0])
    away = np.eye(2) - 0.5
    means = {"old": np.zeros(2), "own": np.zeros(2)}
    for actions in product((0, 1), repeat=2):
        results = z[list(actions)]
        for name, b in (("old", 0.3), ("own", results.mean())):
            means[name] += sum((results - b)[:, None] * away[list(actions)]) / 2 / 4
    assert means["old"] == pytest.approx([0.25, -0.25])
    assert means["own"] == pytest.approx([0.125, -0.125])


def test_versions_of_the_pool_by_hand():
    for steps, every, versions in ch06_pool._CASES:
        assert list(versions) == [k for k in range(steps + 1) if k % every == 0]


def test_the_draws_tell_every_two_faults_apart():
    """Else a verdict could name the wrong one."""
    chances = [ch06_pool._alike, *(chances for _, chances, _ in ch06_pool._DRAW_FAULTS)]
    for one in chances:
        distances = [
            max(np.abs(one(size) - other(size)).max() for size in (1, 2, 3, 4)) for other in chances
        ]
        assert sum(distance < 2 * ch06_pool._CLOSE for distance in distances) == 1


def _by_strings(u):
    """What can come out of a game with this U: (cells taken in turn, z), None where it is over."""
    found = set()
    opening = ""
    while len(opening) < u - 1 and _winner(opening) is None:
        opening += min(set("123456789") - set(opening))
    if _winner(opening) is not None:
        return {None}
    for cell in set("123456789") - set(opening):
        kept = game = opening + cell
        if _winner(kept) is not None or len(kept) == 9:
            found.add(None)
            continue
        while _winner(game) is None and len(game) < 9:
            game += max(set("123456789") - set(game))
        winner = _winner(game)
        z = 0 if winner is None else 1 if winner == len(kept) % 2 else -1
        found.add((*GAME.from_moves(kept), z))
    return found


@pytest.mark.parametrize("u", ch06_position._U)
def test_what_can_come_out_of_a_game_is_found_by_hand_too(u):
    assert right(u) == _by_strings(u)


def test_the_example_of_the_notebook():
    assert right(7) == {None, (*GAME.from_moves("1234568"), -1)}


def test_every_fault_could_be_told_from_the_right_answer_and_from_the_others():
    sets = [[right(u) for u in ch06_position._U]]
    for _, changes, _ in FAULTS:
        sets += [[possible(u, **change) for u in ch06_position._U] for change in changes]
    for number, one in enumerate(sets):
        alike = [
            other for other in sets if all(a - {None} <= b for a, b in zip(one, other, strict=True))
        ]
        assert len(alike) == 1, f"number {number} could be taken for another"


def test_the_shares_of_the_three_moves_by_counting():
    """P(first move 1), P(random move 1), P(won) over all eight games."""
    shares = np.zeros(3)
    for first, second, third in product((0, 1), repeat=3):
        kept = THREE_MOVES.play(THREE_MOVES.play(State(0, 0), first), second)
        chance = sl(State(0, 0))[first] * 0.5 * rl(kept)[third]
        won = THREE_MOVES.outcome(THREE_MOVES.play(kept, third)) == -1
        shares += chance * np.array([first == 0, second == 0, won])
        assert (kept.me in (3, 4)) == (first == 0)
        assert (kept.me in (3, 5)) == (second == 0)
    assert same(shares, (0.75, 0.5, 0.7))
