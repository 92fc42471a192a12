"""A network's answers for one position and for many, in all its mirror images."""

import numpy as np
import pytest
import torch

from azlearn.games import ConnectFour, State, TicTacToe
from azlearn.learning import NetworkEvaluator, evaluator
from azlearn.learning.evaluator import fastest_precision
from tests.engines import random_positions, stacked
from tests.learning.networks import by_hand, fresh, trained

TIC_TAC_TOE, CONNECT_FOUR = TicTacToe(), ConnectFour()
GAMES = pytest.mark.parametrize("game", [TIC_TAC_TOE, CONNECT_FOUR], ids=lambda game: game.name)
OVER = {
    TIC_TAC_TOE: TIC_TAC_TOE.from_moves("14253"),
    CONNECT_FOUR: CONNECT_FOUR.from_moves("1212121"),
}
RNG = np.random.default_rng(0)  # for evaluators that draw nothing


@GAMES
def test_prior_and_value_are_the_network_s_in_eval_mode(game):
    """Asked one by one, in an array and in tensors."""
    network, states = trained(game), random_positions(game, 20, seed=1)
    evaluate, stack = NetworkEvaluator(game, network), stacked(states)
    prior, value = evaluate.batch(stack)
    assert prior.dtype == value.dtype == np.float32
    assert network.training  # and left as it was
    tensors = evaluate.batch(game.State(*map(torch.from_numpy, stack)))
    for array, tensor in zip((prior, value), tensors, strict=True):
        assert tensor.device == torch.device("cpu")
        np.testing.assert_array_equal(array, tensor.numpy())
    for state, p, v in zip(states, prior, value, strict=True):
        right_p, right_v = by_hand(game, network, state)
        one = evaluate(game, state, RNG)
        assert type(one.value) is float
        for found_p, found_v in ((p, v), one[:2]):
            np.testing.assert_allclose(found_p, right_p, atol=1e-5)
            assert found_v == pytest.approx(right_v, abs=1e-5)
        assert not p[~game.legal_mask(state)].any()


@GAMES
def test_the_mean_is_the_mean_over_all_images(game):
    network, states = trained(game), random_positions(game, 10, seed=3)
    evaluate = NetworkEvaluator(game, network, symmetry="mean")
    num_images = len(game.symmetries(game.encode(states[0]), np.arange(game.num_actions)))
    spread = 0.0
    for state, *many in zip(states, *evaluate.batch(stacked(states)), strict=True):
        answers = [by_hand(game, network, state, image) for image in range(num_images)]
        for p, v in (many, evaluate(game, state, RNG)[:2]):
            np.testing.assert_allclose(p, np.mean([a[0] for a in answers], axis=0), atol=1e-5)
            assert v == pytest.approx(np.mean([a[1] for a in answers]), abs=1e-5)
        spread = max(spread, np.ptp([a[1] for a in answers]))
    assert spread > 0.01  # the network itself is not symmetric


@GAMES
def test_random_answers_are_those_of_one_image_and_of_every_image_in_time(game):
    network, states = trained(game), random_positions(game, 6, seed=4)
    evaluate = NetworkEvaluator(game, network, symmetry="random", rng=7)
    num_images = len(game.symmetries(game.encode(states[0]), np.arange(game.num_actions)))
    answers = [[by_hand(game, network, state, i) for state in states] for i in range(num_images)]
    met = set()
    for _ in range(40):
        prior, value = evaluate.batch(stacked(states))
        fits = [
            image
            for image, right in enumerate(answers)
            if np.allclose(prior, [p for p, _ in right], atol=1e-5)
            and np.allclose(value, [v for _, v in right], atol=1e-5)
        ]
        assert len(fits) == 1
        met |= {*fits}
    assert met == set(range(num_images))
    singles = {round(evaluate(game, states[0], RNG).value, 4) for _ in range(40)}
    assert 1 < len(singles) <= num_images


@GAMES
@pytest.mark.parametrize("symmetry", ["none", "random", "mean"])
def test_finished_games_are_rows_of_zeros_and_disturb_nobody(game, symmetry):
    """A batched engine asks for them too and throws the answer away."""
    states = random_positions(game, 4, seed=6)
    evaluate = NetworkEvaluator(game, trained(game), symmetry=symmetry)
    prior, value = evaluate.batch(stacked([*states[:2], OVER[game], *states[2:]]))
    assert not prior[2].any()
    assert np.isfinite(value).all()
    np.testing.assert_allclose(np.delete(prior, 2, 0).sum(1), 1, atol=1e-5)
    if symmetry != "random":
        alone, _ = evaluate.batch(stacked(states))
        np.testing.assert_allclose(np.delete(prior, 2, 0), alone, atol=1e-5)


@pytest.mark.parametrize(
    ("part", "number"),
    [("policy", np.nan), ("policy", np.inf), ("value", np.nan), ("stem", np.inf)],
)
def test_damaged_weights_are_refused(part, number):
    """Also if only the policy is damaged: its NaN must not become priors of zero."""
    network = trained(TIC_TAC_TOE)
    with torch.no_grad():
        next(getattr(network, part).parameters()).fill_(number)
    evaluate = NetworkEvaluator(TIC_TAC_TOE, network)
    with pytest.raises(ValueError, match="The network returned NaN"):
        evaluate.batch(stacked([State(0, 0)]))
    with pytest.raises(ValueError, match="The network returned NaN"):
        evaluate(TIC_TAC_TOE, State(0, 0), RNG)


def test_bfloat16_answers_nearly_the_same():
    network, states = trained(CONNECT_FOUR), stacked(random_positions(CONNECT_FOUR, 20, seed=8))
    exact = NetworkEvaluator(CONNECT_FOUR, network).batch(states)
    rough = NetworkEvaluator(CONNECT_FOUR, network, dtype=torch.bfloat16).batch(states)
    for a, b in zip(exact, rough, strict=True):
        assert b.dtype == np.float32
        np.testing.assert_allclose(a, b, atol=0.06)


@pytest.mark.parametrize(
    ("rough", "faster"),
    [([20, 8.9, 20, 20, 20], "bfloat16"), ([30, 9.1, 30, 30, 30], "float32")],
)
def test_bfloat16_must_be_faster_by_a_tenth(monkeypatch, rough, faster):
    """Five runs of float32, the best of 10 seconds, and then five of bfloat16: the best counts."""
    clock = [edge for seconds in ([40, 40, 10, 40, 40], rough) for s in seconds for edge in (0, s)]
    monkeypatch.setattr(evaluator, "perf_counter", iter(clock).__next__)
    assert fastest_precision(fresh(TIC_TAC_TOE), "cpu") == faster


def test_an_unknown_symmetry_is_refused():
    with pytest.raises(ValueError, match="symmetry must be 'none', 'random' or 'mean', not 'all'"):
        NetworkEvaluator(TIC_TAC_TOE, fresh(TIC_TAC_TOE), symmetry="all")
