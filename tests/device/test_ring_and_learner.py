"""The ring against the replay buffer, the evaluator against the network, a step against torch's."""

from copy import deepcopy

import numpy as np
import pytest
import torch

from azlearn.games import ConnectFour
from azlearn.games.dots_and_boxes import DotsAndBoxes
from azlearn.games.tensor_game import TensorGame
from azlearn.learning.device import hashed_draws as draws
from azlearn.learning.device import self_play as module
from azlearn.learning.device.evaluator import DeviceEvaluator
from azlearn.learning.device.ring import Ring
from azlearn.learning.evaluator import NetworkEvaluator
from azlearn.learning.loss import loss
from azlearn.learning.network import ResNet
from azlearn.learning.optimizers import make_optimizer
from azlearn.learning.replay import ReplayBuffer, Samples
from tests.device.small import no_wait, tensors
from tests.device.small_runs import NETWORK, SmallRun, small
from tests.engines import random_positions
from tests.learning.networks import trained


@pytest.fixture(autouse=True)
def few_openings(monkeypatch):
    monkeypatch.setattr(module, "NUM_OPENINGS", 128)


def some_samples(game, n, seed):
    rng = np.random.default_rng(seed)
    words = rng.integers(2**40, size=(n, len(game.State._fields)))
    policy = rng.dirichlet([1.0] * game.num_actions, size=n).astype(np.float32)
    value = rng.uniform(-1, 1, n).astype(np.float32)
    return Samples(*map(torch.from_numpy, (words, policy, value)))


@pytest.mark.parametrize("window", [1, 7, 40, 1000])
def test_a_ring_keeps_what_a_replay_buffer_keeps(window, device):
    """Writes of some rows out of many, over the end of the memory and round again."""
    game, rng = ConnectFour(), np.random.default_rng(window)
    ring, buffer = Ring(game, window, device), ReplayBuffer(game, window)
    for seed in range(12):
        samples = some_samples(game, 30, seed)
        chosen = rng.permutation(30) < rng.integers(min(window, 30) + 1)
        there = Samples(*(column.to(device) for column in samples))
        mask = torch.from_numpy(chosen).to(device)
        with no_wait(device):
            ring.write(there, mask)
        buffer.add(Samples(*(column[chosen] for column in samples)))
        assert len(ring) == len(buffer)
        found, right = ring.state_dict(), buffer.state_dict()
        assert found.keys() == right.keys()
        for name, value in right.items():
            if name == "num_added":
                assert found[name] == value
            else:
                assert torch.equal(found[name], value), name
        # The same positions in the same places: what is drawn by a number is the same, too.
        if len(buffer):
            u = torch.rand(50, dtype=torch.float64)
            places = (u * len(buffer)).long()
            for mine, stored in zip(ring.draw(u.to(device)), buffer.stored(), strict=True):
                assert torch.equal(mine.cpu(), stored[places])


def test_ring_and_buffer_take_each_others_contents(device):
    game = ConnectFour()
    buffer = ReplayBuffer(game, 25)
    for seed in range(3):
        buffer.add(some_samples(game, 20, seed))
    ring = Ring(game, 25, device)
    ring.load_state_dict(buffer.state_dict())
    back = ReplayBuffer(game, 25)
    back.load_state_dict(ring.state_dict())
    more = some_samples(game, 10, 9)
    everything = torch.ones(10, dtype=torch.bool, device=device)
    ring.write(Samples(*(column.to(device) for column in more)), everything)
    buffer.add(more)
    back.add(more)
    for name in Samples._fields:
        assert torch.equal(ring.state_dict()[name], buffer.state_dict()[name])
        assert torch.equal(back.state_dict()[name], buffer.state_dict()[name])
    assert int(ring.num_added) == buffer.num_added == back.num_added == 70


def test_draws_reach_every_position_alike(device):
    """100,000 draws from 50 positions: 2,000 each, give or take 4.5 standard deviations."""
    game = ConnectFour()
    ring, samples = Ring(game, 64, device), some_samples(game, 50, 0)
    samples = samples._replace(words=torch.arange(50)[:, None].expand(50, 2).contiguous())
    there = Samples(*(column.to(device) for column in samples))
    ring.write(there, torch.ones(50, dtype=torch.bool, device=device))
    u = draws.uniform(1, draws.SAMPLE, torch.arange(100_000, device=device))
    counts = np.bincount(ring.draw(u).words[:, 0].cpu(), minlength=64)
    assert not counts[50:].any()
    assert abs(counts[:50] - 2000).max() < 4.5 * np.sqrt(2000)


@pytest.mark.parametrize("game", [ConnectFour(), DotsAndBoxes(2, 2)], ids=lambda game: game.name)
def test_the_evaluator_is_the_network_on_the_host(game, device):
    with torch.random.fork_rng():
        torch.manual_seed(1)
        network = ResNet(game, **NETWORK).to(device).eval()
    states = game.stack(random_positions(game, 40, seed=1))
    on, there = DeviceEvaluator(TensorGame(game, device), network), tensors(states, device)
    with no_wait(device):
        prior, value = on(there)
    right_prior, right_value = NetworkEvaluator(
        game, deepcopy(network), device=device, dtype=torch.float32
    ).batch(states)
    np.testing.assert_allclose(prior.cpu(), right_prior, atol=2e-6)
    np.testing.assert_allclose(value.cpu(), right_value, atol=2e-6)
    assert prior.dtype == value.dtype == torch.float32
    assert not bool(on.damaged)


def test_new_weights_go_to_the_old_memory(device):
    game = ConnectFour()
    one = trained(game).to(device)
    other = deepcopy(one)
    with torch.no_grad():
        for parameter in other.parameters():
            parameter.mul_(1.5)
    on = DeviceEvaluator(TensorGame(game, device), one)
    before = [p.data_ptr() for p in on._network.parameters()]
    on.learn_from(other)
    assert before == [p.data_ptr() for p in on._network.parameters()]
    states = tensors(game.stack(random_positions(game, 20, seed=2)), device)
    fresh = DeviceEvaluator(TensorGame(game, device), other)
    for mine, right in zip(on(states), fresh(states), strict=True):
        assert torch.equal(mine, right)


def test_a_random_symmetry_of_every_position_turned_back(device):
    """Every row is the network's answer in one of its mirror images, and both are met."""
    game = ConnectFour()
    network = trained(game).to(device)
    plain = DeviceEvaluator(TensorGame(game, device), network)
    turning = DeviceEvaluator(TensorGame(game, device), network, symmetry="random", seed=3)
    states = game.stack(random_positions(game, 64, seed=4))
    mirrored = game.stack([mirror(game, state) for state in random_positions(game, 64, seed=4)])
    as_it_is = [x.cpu() for x in plain(tensors(states, device))]
    turned_prior, turned_value = (x.cpu() for x in plain(tensors(mirrored, device)))
    seen = []
    for _ in range(2):
        prior, value = (x.cpu() for x in turning(tensors(states, device)))
        straight = torch.isclose(prior, as_it_is[0], atol=1e-6).all(1) & torch.isclose(
            value, as_it_is[1], atol=1e-6
        )
        back = torch.isclose(prior, turned_prior.flip(1), atol=1e-6).all(1) & torch.isclose(
            value, turned_value, atol=1e-6
        )
        assert (straight | back).all()
        seen.append((~straight).tolist())
        assert 10 < sum(seen[-1]) < 54
    assert seen[0] != seen[1]  # drawn anew at every call


def mirror(game, state):
    """Connect Four's board from the other side, stone by stone."""
    planes = np.flip(game.encode(state), axis=2)
    cells = game.cell_bits
    return game.State(*(sum(1 << int(bit) for bit in cells[plane > 0]) for plane in planes))


def test_damage_is_kept_until_somebody_looks(device):
    game = ConnectFour()
    network = trained(game).to(device)
    on = DeviceEvaluator(TensorGame(game, device), network)
    states = tensors(game.stack(random_positions(game, 4, seed=2)), device)
    on(states)
    assert not bool(on.damaged)
    broken = deepcopy(network)
    with torch.no_grad():
        broken.value.weight[0, 0] = torch.nan
    on.learn_from(broken)
    with no_wait(device):
        on(states)
        on.learn_from(network)
        on(states)
    assert bool(on.damaged)


def test_a_batch_is_drawn_and_turned_by_its_numbers(device):
    """Row by row on the host: the position that u names, in the mirror image of its turn."""
    run = SmallRun(small("dots_and_boxes:2x2"), device)
    run.self_play.play(8 * 30)
    game, settings = run.ring.game, run.settings
    run.learner._num_steps.fill_(11)
    planes, legal, policy, value = (x.cpu() for x in run.learner.batch()[:4])
    held = len(run.ring)
    stored = [column.cpu() for column in run.ring._store]
    assert len({tuple(plane.flatten().tolist()) for plane in planes}) > 4
    for row in range(settings.batch_size):
        place = torch.tensor(11), torch.tensor(row)
        which = int(float(draws.uniform(settings.seed, draws.SAMPLE, *place)) * held)
        state = game.state_of(stored[0][which])
        turn = int(float(draws.uniform(settings.seed, draws.TURN, *place)) * 8)
        rows = np.stack([stored[1][which].numpy(), game.legal_mask(state)])
        right_planes, right_rows = game.symmetries(game.encode(state), rows)[turn]
        np.testing.assert_array_equal(planes[row], right_planes)
        np.testing.assert_array_equal(policy[row], right_rows[0])
        np.testing.assert_array_equal(legal[row], right_rows[1])
        assert value[row] == stored[2][which]
    assert legal.dtype == torch.bool


@pytest.mark.parametrize("changes", [{}, {"optimizer": "sgd", "l2": 1e-3}], ids=str)
def test_steps_are_those_of_a_plain_loop_of_torch(changes, device):
    """The batches of the learner, the loss, gradients cut to size and an optimiser on the host."""
    run = SmallRun(small("tictactoe", **changes), device)
    run.self_play.play(8 * 20)
    settings, network = run.settings, deepcopy(run.network)
    optimizer = make_optimizer(
        network.parameters(), settings.optimizer, settings.learning_rate, settings.weight_decay
    )
    network.train()
    sums = torch.zeros(4)
    for step, rate in ((5, 2e-3), (6, 2e-3), (7, 1e-3)):
        run.learner._num_steps.fill_(step)
        parts = loss(network, *run.learner.batch()[:4], settings.l2)
        for group in optimizer.param_groups:
            group["lr"] = rate
        optimizer.zero_grad()
        parts.total.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), settings.gradient_norm)
        optimizer.step()
        sums += torch.stack(tuple(parts)).detach().cpu()
    found = run.learner.learn(2, 2e-3, 5).cpu().clone()
    found += run.learner.learn(1, 1e-3, 7).cpu()
    torch.testing.assert_close(found, sums, rtol=1e-4, atol=1e-5)
    assert sums[2] > 0 if settings.l2 else sums[2] == 0
    for mine, right in zip(run.network.parameters(), network.parameters(), strict=True):
        torch.testing.assert_close(mine, right, rtol=1e-4, atol=2e-5)


def test_learning_lowers_the_loss_of_what_was_played(device):
    run = SmallRun(small("tictactoe", batch_size=64), device)
    run.self_play.play(8 * 60)
    first = run.learner.learn(10, 5e-3, 0).clone()
    for number in range(1, 9):
        run.learner.learn(10, 5e-3, 10 * number)
    last = run.learner.learn(10, 5e-3, 90)
    assert last[0] < first[0]
    assert last[1] < first[1]
