"""A network's answers for one position and for many, in all its mirror images."""

import numpy as np
import pytest
import torch

from azlearn.games import ConnectFour, State, TicTacToe
from azlearn.learning import NetworkEvaluator, evaluator
from azlearn.learning.evaluator import fastest_precision
from tests.engines import random_positions, stacked
from tests.learning.networks import fresh, trained

TIC_TAC_TOE, CONNECT_FOUR = TicTacToe(), ConnectFour()
GAMES = pytest.mark.parametrize("game", [TIC_TAC_TOE, CONNECT_FOUR], ids=lambda game: game.name)
OVER = {
    TIC_TAC_TOE: TIC_TAC_TOE.from_moves("14253"),
    CONNECT_FOUR: CONNECT_FOUR.from_moves("1212121"),
}
RNG = np.random.default_rng(0)  # for evaluators that draw nothing


def by_hand(game, network, state, image=0):
    """(p, v) of the network in eval mode for one mirror image, worked out position by position."""
    actions = np.arange(game.num_actions)
    planes, moved = game.symmetries(game.encode(state), actions)[image]
    with torch.no_grad():
        logits, value = network.eval()(torch.from_numpy(planes.copy())[None])
    p, legal = np.zeros(game.num_actions), game.legal_actions(state)
    for place, action in enumerate(moved):
        if action in legal:
            p[action] = np.exp(float(logits[0, place]))
    return p / p.sum(), float(value)


@GAMES
def test_prior_and_value_are_the_network_s_in_eval_mode(game):
    network, states = trained(game), random_positions(game, 20, seed=1)
    assert network.training
    prior, value = NetworkEvaluator(game, network).batch(stacked(states))
    assert prior.dtype == value.dtype == np.float32
    assert network.training  # and left as it was
    for state, p, v in zip(states, prior, value, strict=True):
        right_p, right_v = by_hand(game, network, state)
        np.testing.assert_allclose(p, right_p, atol=1e-5)
        assert v == pytest.approx(right_v, abs=1e-5)
        assert not p[~game.legal_mask(state)].any()
        assert p.sum() == pytest.approx(1, abs=1e-5)


@GAMES
def test_tensors_are_answered_with_tensors_of_the_same_device(game):
    states = stacked(random_positions(game, 20, seed=1))
    evaluate = NetworkEvaluator(game, trained(game))
    tensors = evaluate.batch(game.State(*map(torch.from_numpy, states)))
    for array, tensor in zip(evaluate.batch(states), tensors, strict=True):
        assert isinstance(array, np.ndarray)
        assert tensor.device == torch.device("cpu")
        np.testing.assert_array_equal(array, tensor.numpy())


@GAMES
@pytest.mark.parametrize("symmetry", ["none", "mean"])
def test_one_position_and_many_get_the_same_answers(game, symmetry):
    states = random_positions(game, 20, seed=2)
    evaluate = NetworkEvaluator(game, trained(game), symmetry=symmetry)
    prior, value = evaluate.batch(stacked(states))
    for state, p, v in zip(states, prior, value, strict=True):
        one = evaluate(game, state, RNG)
        np.testing.assert_allclose(one.prior, p, atol=1e-5)
        assert one.value == pytest.approx(float(v), abs=1e-5)
        assert type(one.value) is float


@GAMES
def test_the_mean_is_the_mean_over_all_images_and_mirroring_turns_it_along(game):
    network, states = trained(game), random_positions(game, 10, seed=3)
    evaluate = NetworkEvaluator(game, network, symmetry="mean")
    none = NetworkEvaluator(game, network)
    spread = 0.0
    for state in states:
        images = game.symmetries(game.encode(state), np.arange(game.num_actions))
        answers = [by_hand(game, network, state, image) for image in range(len(images))]
        p, v = evaluate(game, state, RNG)[:2]
        np.testing.assert_allclose(p, np.mean([a[0] for a in answers], axis=0), atol=1e-5)
        assert v == pytest.approx(np.mean([a[1] for a in answers]), abs=1e-5)
        for planes, moved in images:
            image = State(*(int(x) for x in decoded(game, planes)))
            image_p, image_v = evaluate(game, image, RNG)[:2]
            np.testing.assert_allclose(image_p, np.array(p)[moved], atol=1e-5)
            assert image_v == pytest.approx(v, abs=1e-5)
            spread = max(spread, abs(none(game, image, RNG).value - none(game, state, RNG).value))
    assert spread > 0.01  # the network itself is not symmetric


def decoded(game, planes):
    """Bitboards [2] of the planes of one position."""
    rows, cols = np.indices(planes.shape[1:])
    return (planes.astype(np.int64) << game.rules.cell_bit(rows, cols)).sum((1, 2))


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
    rng = np.random.default_rng(3)
    singles = {round(evaluate(game, states[0], rng).value, 4) for _ in range(40)}
    assert singles <= {round(right[0][1], 4) for right in answers}
    assert len(singles) > 1


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
    [("policy", np.nan), ("policy", np.inf), ("value", np.nan), ("stem", np.nan), ("stem", np.inf)],
)
def test_damaged_weights_are_refused(part, number):
    """Also if only the policy is damaged: its NaN must not become priors of zero."""
    network = trained(TIC_TAC_TOE)
    with torch.no_grad():
        next(getattr(network, part).parameters()).fill_(number)
    evaluate = NetworkEvaluator(TIC_TAC_TOE, network)
    with pytest.raises(ValueError, match="The network answers NaN"):
        evaluate.batch(stacked([State(0, 0)]))
    with pytest.raises(ValueError, match="The network answers NaN"):
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
    [
        ([8.9] * 5, "bfloat16"),
        ([20, 8.9, 20, 20, 20], "bfloat16"),  # the best run of each counts: others were disturbed
        ([9.1] * 5, "float32"),
        ([30, 9.1, 30, 30, 30], "float32"),
    ],
)
def test_bfloat16_must_be_faster_by_a_tenth(monkeypatch, rough, faster):
    """Five runs of float32, the best of 10 seconds, and then five of bfloat16."""
    clock = [edge for seconds in ([40, 40, 10, 40, 40], rough) for s in seconds for edge in (0, s)]
    monkeypatch.setattr(evaluator, "perf_counter", iter(clock).__next__)
    assert fastest_precision(fresh(TIC_TAC_TOE), "cpu", 8) == faster


def test_a_position_of_another_game_is_refused():
    evaluate = NetworkEvaluator(TicTacToe(), fresh(TicTacToe()))
    game = ConnectFour()
    with pytest.raises(ValueError, match="This network plays tic_tac_toe, not connect_four"):
        evaluate(game, game.initial_state(), RNG)


def test_an_unknown_symmetry_is_refused():
    with pytest.raises(ValueError, match="symmetry must be 'none', 'random' or 'mean', not 'all'"):
        NetworkEvaluator(TIC_TAC_TOE, fresh(TIC_TAC_TOE), symmetry="all")
