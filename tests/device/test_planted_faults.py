"""Ten faults as they are made, each planted into the real classes: no single check finds them all.

What each check is for: ``host``, that the samples are those of the host; ``tape``, that a recording
does what Python does; ``guard``, that nothing waits, with the real numbers of a CPU; ``fake``, the
same on tensors of a GPU that is not there.
"""

import numpy as np
import pytest
import torch

from azlearn.games.tensor_game import TensorGame
from azlearn.learning.device import hashed_draws
from azlearn.learning.device import self_play as module
from azlearn.learning.device.host_sync import NoHostSync, fake_cuda
from azlearn.learning.device.ring import Ring
from azlearn.learning.device.self_play import DeviceSelfPlay
from azlearn.search.tensor_trees import TensorTrees
from tests.device.small_runs import SmallRun, memory, small
from tests.device.test_self_play import assert_play_alike, pair

SETTINGS = small(
    "tictactoe", num_games=6, simulations=5, first_simulations=5, window=400, symmetry="random",
    resign_rate=0.1, played_out_share=1.0,
)  # fmt: skip


# The checks, each in short; what they are made of is tested beside this file.


def host():
    assert assert_play_alike(*pair(SETTINGS), 2, 8) > 20


def tape():
    straight, again = (SmallRun(SETTINGS, how=how) for how in ("python", "tape"))
    addresses = []
    for number in range(4):
        for run in (straight, again):
            run.iterate(1, start=number)
        addresses.append({name: x.data_ptr() for name, x in memory(again).items()})
    assert addresses[1] == addresses[-1]
    one, other = memory(straight), memory(again)
    assert all(torch.equal(one[name], other[name]) for name in one)


def steps(run):
    for _ in range(2):
        run.self_play.begin()
        run.self_play.simulate()
        run.self_play.move()
    run.learner.batch()


def guard():
    run = SmallRun(SETTINGS)
    steps(run)
    with NoHostSync():
        steps(run)


def fake():
    with fake_cuda(), NoHostSync() as on_watch:
        on_watch.collect = True  # at the start tables are sent
        run = SmallRun(SETTINGS, "cuda:0")
        steps(run)
        on_watch.collect = False
        steps(run)
        assert {str(x.device) for x in memory(run).values()} == {"cuda:0"}


# The faults: each replaces a method of a class, or a function.


def branch_on_a_tensor(real):
    def give_samples(self, is_over, outcome, to_play, end):
        if is_over.any():  # "nothing to do"
            real(self, is_over, outcome, to_play, end)

    return give_samples


def whole_number(real):
    def write(self, samples, is_new):
        before = int(self.num_added)
        real(self, samples, is_new)
        self.num_added.fill_(before + int(is_new.sum()))

    return write


def bool_mask(real):
    def write(self, samples, is_new):
        place = (self.num_added + torch.arange(len(is_new), device=is_new.device)) % self.window
        for stored, new in zip(self._store, samples, strict=True):
            stored[place[: len(new[is_new])]] = new[is_new].to(stored.dtype)
        self.num_added += is_new.sum()

    return write


def table_of_numpy(real):
    def legal_mask(self, states, is_over=None):
        return self.game.batch_legal_mask(states)  # sends its table of actions at every call

    return legal_mask


def distribution_of_the_host(real):
    def dirichlet(total, legal_mask, seed, *place):
        draw = np.random.default_rng(seed).dirichlet([total / 9] * 9, size=len(legal_mask))
        draw = torch.tensor(draw.tolist(), device=legal_mask.device).double() * legal_mask
        return draw / draw.sum(dim=1, keepdim=True)

    return dirichlet


def table_left_on_the_cpu(real):
    def made(self, game, device="cpu"):
        real(self, game, device)
        self.moved_cells = self.moved_cells.cpu()

    return made


def through_numpy(real):
    def record(self, mover, policy, value):
        lowest = self.games.lowest.clone()
        real(self, mover, policy, value)
        self.games.lowest.copy_(lowest)
        np.minimum.at(
            self.games.lowest.numpy(), (np.arange(len(mover)), mover.numpy()), value.numpy()
        )

    return record


def replaced_instead_of_overwritten(real):
    def write(self, samples, is_new):
        kept = self.num_added
        self.num_added = kept.clone()
        real(self, samples, is_new)  # counts in the new tensor; a recording reads the old one

    return write


def counter_of_python(real):
    def update(self, prior, value, levels=None):
        self.count = getattr(self, "count", 0) % SETTINGS.simulations + 1
        self._new.fill_(self.count)
        real(self, prior, value, levels)

    return update


def sign_of_z(real):
    def give_samples(self, is_over, outcome, to_play, end):
        real(self, is_over, -outcome, to_play, end)

    return give_samples


FAULTS = [
    (branch_on_a_tensor, DeviceSelfPlay, "_give_samples", "guard fake tape"),
    (whole_number, Ring, "write", "guard fake tape"),
    (bool_mask, Ring, "write", "guard fake tape"),
    (table_of_numpy, TensorGame, "legal_mask", "guard fake"),
    (distribution_of_the_host, hashed_draws, "dirichlet", "host guard fake"),
    (table_left_on_the_cpu, TensorGame, "__init__", "fake"),
    (through_numpy, DeviceSelfPlay, "_record", "fake tape"),
    (replaced_instead_of_overwritten, Ring, "write", "tape"),
    (counter_of_python, TensorTrees, "update", "tape"),
    (sign_of_z, DeviceSelfPlay, "_give_samples", "host"),
]
CHECKS = (host, tape, guard, fake)


@pytest.fixture(autouse=True)
def few_openings(monkeypatch):
    monkeypatch.setattr(module, "NUM_OPENINGS", 32)


def finds(check) -> bool:
    try:
        check()
    except (AssertionError, RuntimeError, ValueError, TypeError):
        return True
    return False


@pytest.mark.usefixtures("fake_gpu_is_possible")
@pytest.mark.parametrize(
    ("plant", "where", "name", "by"), FAULTS, ids=[fault[0].__name__ for fault in FAULTS]
)
def test_a_fault_is_found_by_the_checks_that_should(plant, where, name, by, monkeypatch):
    monkeypatch.setattr(where, name, plant(getattr(where, name)))
    assert {check.__name__ for check in CHECKS if finds(check)} >= set(by.split())


@pytest.mark.usefixtures("fake_gpu_is_possible")
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_sound_code_passes_every_check(check):
    check()


@pytest.mark.usefixtures("fake_gpu_is_possible")
@pytest.mark.parametrize(
    ("check", "missed"),
    [(host, counter_of_python), (tape, sign_of_z), (guard, through_numpy), (fake, sign_of_z)],
    ids=lambda part: part.__name__,
)
def test_no_check_suffices_alone(check, missed, monkeypatch):
    """For each of them a fault that it lets pass."""
    plant, where, name, by = next(fault for fault in FAULTS if fault[0] is missed)
    assert check.__name__ not in by.split()
    monkeypatch.setattr(where, name, plant(getattr(where, name)))
    check()
