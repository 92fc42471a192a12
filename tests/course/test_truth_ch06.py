"""What the checks of chapter 6 take for the truth is true."""

import math
from itertools import product

import numpy as np
import pytest
import torch

from azlearn.course.exercises import EXERCISES
from azlearn.course.exercises.ch06_policy_gradient import one_position, reinforce_loss, rewards
from azlearn.course.exercises.ch06_policy_gradient.gradient_moments import CASES as MOMENTS
from azlearn.course.exercises.ch06_policy_gradient.learn_against_pool import CLOSE, SHARES, SIZES
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
    for moves, result in rewards.RESULTS.items():
        state = game.from_moves(moves)
        assert game.outcome(state) == (result if game.to_play(state) == 0 else -result)
    for words, moves, rows, z in rewards.GAMES:
        for row, reward in zip(rows.split(), z, strict=True):
            winner, mover = _winner(moves[int(row[0])]), "XO".index(row[1])
            assert reward == (0 if winner is None else 1 if winner == mover else -1), words


def test_the_pushes_are_the_slope_of_what_is_climbed():
    """By small steps along each logit, not by the formula."""
    for case in reinforce_loss.CASES:
        log_p, action, own, z, b, games = case.arguments
        push = case.right[reinforce_loss.PUSH].values
        for row, logit in product(range(len(log_p)), range(len(log_p[0]))):
            slopes = []
            for step in (1e-5, -1e-5):
                moved = [list(numbers) for numbers in log_p]
                moved[row][logit] += step
                total = 0.0
                for i, numbers in enumerate(moved):
                    if own[i]:
                        rest = math.log(sum(map(math.exp, numbers)))
                        total += (z[i] - b[i]) * (numbers[action[i]] - rest)
                slopes.append(total / games)
            assert (slopes[0] - slopes[1]) / 2e-5 == pytest.approx(push[row][logit], abs=1e-6)


def test_moments_are_those_of_every_sample_that_autograd_gives():
    for case in MOMENTS:
        (p, z, b), (mean, variance) = case.arguments, case.right[""]
        samples = []
        for action in range(len(p)):
            logits = torch.tensor(p).log().requires_grad_()
            ((z[action] - b) * logits.softmax(0)[action].log()).backward()
            samples.append(logits.grad.numpy())
        found = np.average(samples, axis=0, weights=p)
        assert found == pytest.approx(mean)
        squares = [((sample - found) ** 2).sum() for sample in samples]
        assert np.average(squares, weights=p) == pytest.approx(variance)
        # the mean is the slope of the mean result, and b is not in it
        logits = torch.tensor(p).log().requires_grad_()
        (logits.softmax(0) @ torch.tensor(z)).backward()
        assert logits.grad.numpy() == pytest.approx(mean)


def test_what_the_notebook_says_of_the_best_baseline():
    """Variance 0 at 0.5, and 0.375 at the mean result, -0.5, for p = [0.25, 0.75], z = [1, -1]."""
    p, z = np.array([0.25, 0.75]), np.array([1, -1])
    marking = EXERCISES["6.3"].marking
    moments = marking.function(marking.solution)
    assert p @ z == -0.5
    variances = {b: moments(p, z, b)[1] for b in (-0.5, 0.0, 0.5)}
    assert variances == pytest.approx({-0.5: 0.375, 0.0: 0.09375, 0.5: 0.0})


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


def test_the_draws_tell_every_two_faults_apart():
    """Else a verdict could name the wrong one."""
    marking = EXERCISES["6.5"].marking
    keys = [SHARES.format(size) for size in SIZES]
    runs = [marking.right.seen[len(marking.cases) - 1]]
    runs += [made.seen[len(marking.cases) - 1] for made in marking.wrong]
    found = [np.concatenate([run[key].values for key in keys]) for run in runs if keys[0] in run]
    assert len(found) == 6
    for number, one in enumerate(found):
        assert all(np.abs(one - other).max() > 2 * CLOSE for other in found[:number])


def _by_strings(u):
    """What can come out of a game with this U: "cells taken in turn: z"."""
    found = []
    opening = ""
    while len(opening) < u - 1 and _winner(opening) is None:
        opening += min(set("123456789") - set(opening))
    for cell in sorted(set("123456789") - set(opening)) if _winner(opening) is None else ():
        kept = game = opening + cell
        if _winner(kept) is not None:
            continue
        while _winner(game) is None and len(game) < 9:
            game += max(set("123456789") - set(game))
        winner = _winner(game)
        z = "0" if winner is None else "+1" if winner == len(kept) % 2 else "-1"
        found.append(f"{kept}: {z}")
    return found


def test_what_can_come_out_of_a_game_is_found_by_strings_too():
    for case in one_position.CASES:
        for u in case.arguments:
            assert case.right[one_position.Z] == _by_strings(u)


def test_the_shares_of_the_three_moves_by_counting():
    """P(first move 1), P(random move 1), P(won) over all eight games."""
    game, shares = one_position.THREE_MOVES, np.zeros(3)
    for first, second, third in product((0, 1), repeat=3):
        kept = game.play(game.play(State(0, 0), first), second)
        chance = (0.75, 0.25)[first] * 0.5 * (0.7, 0.3)[third]
        won = game.outcome(game.play(kept, third)) == -1
        shares += chance * np.array([first == 0, second == 0, won])
        assert (kept.me in (3, 4)) == (first == 0)
        assert (kept.me in (3, 5)) == (second == 0)
    assert shares == pytest.approx([*one_position.SHARES.values()])
