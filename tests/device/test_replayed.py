"""Recorded once and replayed: what a CUDA graph does, on the CPU, operation by operation."""

import pytest
import torch

from azlearn.games.tensor_game import TensorGame
from azlearn.learning.device.replayed import WARM_UPS, Replayed, Tape
from azlearn.search import puct, uct
from azlearn.search.tensor_trees import TensorTrees
from tests.device.small import GAMES, Hashed, game_id, tensors, tensors_of
from tests.engines import random_positions
from tests.test_search_plans import EvenRoot


class Searches:
    """Searches of 8 games, of 20 simulations each, by two steps that take and give nothing."""

    def __init__(self, game, plan, how, device, dtype=torch.float64):
        self.on = TensorGame(game, device)
        self.trees = TensorTrees(self.on, 8, 20, plan, dtype=dtype)
        self.evaluate = Hashed(self.on)
        self.roots = torch.zeros(8, self.on.num_words, dtype=torch.int64, device=device)
        self.begin, self.simulate = Replayed(self._begin, how), Replayed(self._simulate, how)

    def _begin(self):
        states = self.on.game.State(*self.roots.unbind(1))
        self.trees.begin(states, *self.evaluate(states))

    def _simulate(self):
        self.trees.update(*self.evaluate(self.trees.select()))

    def search(self, seed):
        states = random_positions(self.on.game, 8, seed)
        words = tensors(self.on.game.stack(states), self.roots.device)
        self.roots.copy_(torch.stack(tuple(words), dim=1))
        self.begin()
        for _ in range(20):
            self.simulate()


@pytest.mark.parametrize("plan", [puct(1.25, "parent", fpu_reduction=0.25), uct(0.7), EvenRoot()])
@pytest.mark.parametrize("game", GAMES[:5], ids=game_id)
def test_replayed_searches_are_those_that_python_makes(game, plan, recorded):
    device, how = recorded
    straight, again = (Searches(game, plan, each, device) for each in ("python", how))
    before = {name: column.data_ptr() for name, column in tensors_of(again.trees).items()}
    for seed in range(WARM_UPS + 3):
        straight.search(seed)
        again.search(seed)
        for name, column in tensors_of(straight.trees).items():
            assert torch.equal(column, tensors_of(again.trees)[name]), (name, seed)
    after = {name: column.data_ptr() for name, column in tensors_of(again.trees).items()}
    assert before == after


def test_a_tape_runs_the_operations_and_no_python():
    """x = 2 x + 1, ten times: 1, 3, 7, … Python counts its own calls only."""
    x, calls = torch.ones(1, dtype=torch.int64), []

    def step():
        calls.append(1)
        x.mul_(2).add_(1)

    with Tape() as tape:
        step()
    for _ in range(9):
        tape.replay()
    assert x.tolist() == [2**11 - 1]
    assert len(calls) == 1


def test_a_view_shows_the_memory_as_it_is_by_now():
    """What is read through a view at the recording is read anew at the replay."""
    x, total = torch.arange(4), torch.zeros(2, dtype=torch.int64)
    with Tape() as tape:
        total += x.view(2, 2)[1]
    x.fill_(10)
    tape.replay()
    assert total.tolist() == [2 + 10, 3 + 10]


def test_what_an_operation_gives_goes_to_where_it_went_before():
    x = torch.zeros(3)
    with Tape() as tape:
        y = x + 1
        values, places = y.max(dim=0)
    x.copy_(torch.tensor([0.0, 5.0, 2.0]))
    tape.replay()
    assert y.tolist() == [1, 6, 3]
    assert (values.item(), places.item()) == (6, 1)


def number_of_python(x, kept):
    kept["number"] += 1
    x += kept["number"]


def tensor_replaced(x, kept):
    kept["count"] = kept["count"] + 1
    x += kept["count"]


def branch_of_python(x, kept):
    kept["number"] += 1
    x += 100 if kept["number"] == 1 else 1


def tensor_overwritten(x, kept):
    kept["count"] += 1
    x += kept["count"]


@pytest.mark.parametrize(
    ("step", "fits"),
    [(number_of_python, 0), (tensor_replaced, 0), (branch_of_python, 0), (tensor_overwritten, 1)],
)
def test_what_does_not_fit_a_graph_replays_wrongly(step, fits):
    kept = [{"number": 0, "count": torch.zeros(1)} for _ in range(2)]
    straight, again = torch.zeros(1), torch.zeros(1)
    for _ in range(5):
        step(straight, kept[0])
    with Tape() as tape:
        step(again, kept[1])
    for _ in range(4):
        tape.replay()
    assert (straight.item() == again.item()) == fits


def test_a_step_is_warmed_up_then_recorded_and_every_call_counts(recorded):
    device, how = recorded
    x, calls = torch.zeros((), device=device), []

    def step():
        calls.append(1)
        x.add_(1)

    replayed = Replayed(step, how)
    for number in range(1, WARM_UPS + 6):
        replayed()
        assert x.item() == number
    assert len(calls) == WARM_UPS + 1  # real ones, and the recording
    plain = Replayed(step)
    plain(), plain()
    assert len(calls) == WARM_UPS + 3


def test_another_word_for_how_is_refused():
    with pytest.raises(ValueError, match="how must be one of python, tape, cuda, not 'graph'"):
        Replayed(print, "graph")
