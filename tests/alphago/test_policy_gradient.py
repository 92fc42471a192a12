"""REINFORCE: its gradient against the gradient of the expected result, summed over all games."""

import numpy as np
import pytest
import torch

from azlearn.alphago import Positions
from azlearn.alphago import policy_gradient as module
from azlearn.alphago.policies import network_policy
from azlearn.alphago.policy_games import play_policy_games
from azlearn.alphago.policy_gradient import (
    GradientSettings,
    add_gradient,
    play_step,
    train_policy_gradient,
)
from azlearn.games import ConnectFour, State, TicTacToe
from azlearn.learning import SIZES, ResNet
from tests.alphago.positions import highest, lowest

GAME, SMALL = ConnectFour(), TicTacToe()


def network_of(game, seed=0):
    """Random weights, and statistics of batch norm that are not 0 and 1."""
    torch.manual_seed(seed)
    network = ResNet(game, **SIZES["tiny"])
    for name, buffer in network.named_buffers():
        if "running" in name:
            buffer.uniform_(0.2, 0.6).sub_(0.4 if "mean" in name else 0)
    return network.eval()


def every_game(network, state, learner, log_chance=0.0, moves=()):
    """Every game: the log of its chance, with its gradient, the learner's (state, action) pairs,
    its result for the learner (0 or 1). The other moves uniformly."""
    outcome, mover = SMALL.outcome(state), SMALL.to_play(state)
    if outcome is not None:
        yield log_chance, moves, outcome if mover == learner else -outcome
        return
    legal = SMALL.legal_actions(state)
    logits = network(torch.from_numpy(SMALL.encode(state))[None])[0][0]
    total = torch.stack([logits[action].exp() for action in legal]).sum().log()
    for action in legal:
        after = SMALL.next_state(state, action)
        if mover == learner:
            log_p, made = logits[action] - total, (*moves, (state, action))
        else:
            log_p, made = -np.log(len(legal)), moves
        yield from every_game(network, after, learner, log_chance + log_p, made)


@pytest.mark.parametrize("learner", [0, 1])
def test_its_mean_is_the_gradient_of_the_expected_result(monkeypatch, learner):
    """Over all games from a position with five empty cells, each weighted with its chance.

    A baseline that depends on the position, not on the move, leaves the mean as it is.
    """
    monkeypatch.setattr(module, "CHUNK", 50)
    network, start = network_of(SMALL), SMALL.from_moves("1259")
    games = list(every_game(network, start, learner))
    torch.stack([log_chance.exp() * z for log_chance, _, z in games]).sum().backward()
    wanted = {name: w.grad.clone() for name, w in network.named_parameters() if w.grad is not None}
    for scale in (0.0, 1.0):  # of the baseline
        rows, advantage = [], []
        for log_chance, moves, z in games:
            for state, action in moves:
                rows.append((*state, action))
                b = scale * np.cos(state.me + 3 * state.opp)
                advantage.append(log_chance.exp().item() * (z - b))
        me, opp, action = np.array(rows, dtype=np.int64).T
        positions = Positions(me, opp, action, *[np.zeros(len(me))] * 3)
        network.zero_grad()
        add_gradient(SMALL, network, positions, np.array(advantage), 1)
        assert len(rows) > 100
        for name, weight in network.named_parameters():
            if weight.grad is not None:
                np.testing.assert_allclose(weight.grad, wanted[name], atol=2e-5, err_msg=name)
    assert wanted["stem.0.weight"].abs().max() > 0.01


def test_only_the_learner_s_moves_count_half_of_them_as_the_first_player():
    """Column 1 against column 7: whoever begins has four first."""
    settings = GradientSettings(games=6, opening_plies=0)
    moves = play_step(GAME, lowest(GAME), highest(GAME), settings, np.random.default_rng(0))
    assert not moves.positions.action.any()
    assert moves.positions.ply.tolist() == [0, 2, 4, 6] * 3 + [1, 3, 5] * 3
    assert moves.positions.z.tolist() == [1] * 12 + [-1] * 9
    assert moves.by_first.tolist() == [True] * 12 + [False] * 9
    assert np.bincount(moves.positions.game_number).tolist() == [4, 4, 4, 3, 3, 3]
    assert moves.z.tolist() == [1, 1, 1, -1, -1, -1]


def spied(monkeypatch, name):
    """Calls of a function of the module go on, and their arguments and results are kept."""
    calls, real = [], getattr(module, name)

    def spy(*arguments):
        result = real(*arguments)
        calls.append((arguments, result))
        return result

    monkeypatch.setattr(module, name, spy)
    return calls


def test_baselines_by_hand(monkeypatch):
    steps, gradients = spied(monkeypatch, "play_step"), spied(monkeypatch, "add_gradient")

    def learnt_with(baseline, value=None):
        steps.clear()
        gradients.clear()
        settings = GradientSettings(steps=3, games=8, baseline=baseline, learning_rate=1e-3)
        train_policy_gradient(SMALL, network_of(SMALL), settings, 4, value=value)
        return zip([m for _, m in steps], [given[3] for given, _ in gradients], strict=True)

    for moves, advantage in learnt_with("none"):
        np.testing.assert_allclose(advantage, moves.positions.z)
    for moves, advantage in learnt_with("value", lambda states: (states.me % 5 - 2) / 2):
        np.testing.assert_allclose(advantage, moves.positions.z - (moves.positions.me % 5 - 2) / 2)
    as_first = as_second = 0.0  # the running means of z; each step keeps 95 % of them
    for moves, advantage in learnt_with("mean"):
        baseline = [as_first if first else as_second for first in moves.by_first]
        np.testing.assert_allclose(advantage, moves.positions.z - baseline)
        as_first = 0.95 * as_first + 0.05 * moves.z[:4].sum() / 4
        as_second = 0.95 * as_second + 0.05 * moves.z[4:].sum() / 4
    assert as_first != as_second


@pytest.mark.parametrize("pool", [True, False])
def test_opponents_are_earlier_versions_or_the_newest(monkeypatch, pool):
    """And a row tells how the games of a step went."""
    steps, told = spied(monkeypatch, "play_step"), []
    settings = GradientSettings(steps=16, games=8, pool=pool, pool_every=4)
    network, history = train_policy_gradient(
        SMALL, network_of(SMALL), settings, 0, progress=told.append
    )
    assert told == history
    for step, (row, (arguments, moves)) in enumerate(zip(history, steps, strict=True), start=1):
        assert (row.step, row.games) == (step, 8 * step)
        assert (row.mean_z, row.won) == (sum(moves.z) / 8, list(moves.z).count(1) / 8)
        p = arguments[1](State(moves.positions.me, moves.positions.opp)).astype(float)
        logarithms = np.log(p, where=p > 0, out=np.zeros_like(p))
        assert row.entropy == pytest.approx(-(p * logarithms).sum() / len(p), rel=1e-4)
    empty = SMALL.stack([SMALL.initial_state()])
    learners, opponents = ([arguments[place](empty) for arguments, _ in steps] for place in (1, 2))
    assert len(np.unique(np.array(learners), axis=0)) == 16  # every step is a new version
    np.testing.assert_array_equal(learners[0], network_policy(SMALL, network_of(SMALL))(empty))
    for row, opponent in zip(history, opponents, strict=True):
        np.testing.assert_array_equal(opponent, learners[row.opponent])
    met = {row.opponent for row in history}
    if pool:
        assert met <= {0, 4, 8, 12}
        assert len(met) >= 3
        assert all(row.opponent < row.step for row in history)
    else:
        assert [row.opponent for row in history] == list(range(16))
    assert not network.training


def test_the_given_network_batch_norm_and_the_value_head_stay_as_they_are():
    given, before = network_of(SMALL).train(), network_of(SMALL).state_dict()
    settings = GradientSettings(steps=3, games=8, pool_every=1, opening_plies=2)
    after, _ = train_policy_gradient(SMALL, given, settings, 0)
    for name, tensor in given.state_dict().items():
        assert torch.equal(tensor, before[name]), name
    assert given.training
    changed = {name for name, w in after.state_dict().items() if not torch.equal(w, before[name])}
    assert changed >= {"policy.bias", "policy.weight", "stem.0.weight", "stem.1.weight"}
    assert not [name for name in changed if "running" in name or "tracked" in name]
    assert not [name for name in changed if name.startswith("value")]


def test_it_learns_to_beat_where_it_started():
    """A network that knows nothing, after sixty steps against earlier versions of itself."""
    start = network_of(SMALL)
    settings = GradientSettings(60, games=64, pool_every=10, learning_rate=0.1, opening_plies=0)
    network, history = train_policy_gradient(SMALL, start, settings, 0)
    new, old = network_policy(SMALL, network), network_policy(SMALL, start)
    pairs = (new, old), (old, new), (old, old)
    first, second, even = (play_policy_games(SMALL, *pair, 500, 1).result.mean() for pair in pairs)
    assert first > even + 0.2  # five standard errors, about
    assert -second > -even + 0.2
    assert history[-1].entropy < history[0].entropy


def test_refusals():
    network = network_of(SMALL)

    def learn(value=None, **settings):
        settings = GradientSettings(steps=1, games=2, **settings)
        return train_policy_gradient(SMALL, network, settings, value=value)

    for options, said in (
        ({"baseline": "value"}, "The baseline 'value' needs the argument value"),
        ({"value": lambda states: states.me}, "value needs the baseline 'value', not 'mean'"),
        ({"value": lambda states: states.me * np.nan, "baseline": "value"}, r"\d+ finite numbers"),
        ({"learning_rate": 9e29, "gradient_norm": 9e29}, "The network returned NaN"),  # at the end
    ):
        with pytest.raises(ValueError, match=said):
            learn(**options)
