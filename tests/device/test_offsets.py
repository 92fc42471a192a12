"""Sizes at which 32 bits overflow, on tensors without memory: every place has 64 bits."""

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from azlearn.games import ConnectFour
from azlearn.games.othello import Othello
from azlearn.games.tensor_game import TensorGame
from azlearn.learning.device import self_play as module
from azlearn.learning.device.ring import Ring
from azlearn.learning.device.self_play import DeviceSelfPlay
from azlearn.search import puct
from azlearn.search.tensor_trees import TensorTrees
from tests.device.small import Hashed, grow
from tests.device.small_runs import small

PLACES = {  # by operation, which of its arguments say where
    "index_select": 2, "gather": 2, "index_copy_": 2, "scatter": 2, "take": 1, "put_": 1,
    "index": 1, "index_put_": 1,
}  # fmt: skip


class Wide(TorchDispatchMode):
    """Fails where something is read or written at places that are not int64."""

    def __init__(self) -> None:
        super().__init__()
        self.largest, self.looked = 0, 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.overloadpacket.__name__
        if name in PLACES:
            places = args[PLACES[name]]
            for place in places if isinstance(places, list | tuple) else [places]:
                if place is not None:
                    assert place.dtype == torch.int64, f"{name} at places of {place.dtype}"
                    self.looked += 1
            self.largest = max(self.largest, args[0].numel())
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize(
    ("game", "num_games", "num_simulations"),
    [(ConnectFour(), 2**19, 800), (Othello(), 2**16, 800), (ConnectFour(), 2**12, 2**17)],
)
def test_trees_of_more_than_two_to_the_31_edges(game, num_games, num_simulations):
    on = TensorGame(game, "meta")
    trees = TensorTrees(on, num_games, num_simulations, puct(1.25, "parent"), dtype=torch.float32)
    with Wide() as wide:
        grow(trees, Hashed(on), on.initial_states(num_games), 2)
    assert wide.looked > 50
    assert wide.largest > 2**31
    for name in ("_root", "_new", "best", "end", "depth"):
        assert getattr(trees, name).dtype == torch.int64


def test_nodes_have_room_for_their_numbers():
    """A line holds numbers of nodes: 16 bits only where there are so few."""
    on = TensorGame(ConnectFour(), "meta")
    for num_simulations in (100, 2**15 - 3, 2**15 - 2, 2**15 - 1, 2**15, 2**20):
        trees = TensorTrees(on, 1, num_simulations, puct())
        for column in (trees.line, trees.child, trees.visit_counts):
            assert torch.iinfo(column.dtype).max >= num_simulations


def test_trees_whose_numbers_reach_over_16_bits_are_right():
    """A line of 2**15 simulations and more, for real: the visits of the root are all there."""
    game = ConnectFour()
    on = TensorGame(game)
    trees = TensorTrees(on, 1, 2**15 + 4, puct())
    states, evaluate = on.initial_states(1), Hashed(on)
    grow(trees, evaluate, states, 30)
    trees._new.fill_(2**15 + 1)  # the next nodes have numbers that 16 bits do not hold
    for _ in range(3):
        trees.update(*evaluate(trees.select()))
    late = trees.child[0][trees.child[0] > 2**15].tolist()
    assert sorted(late) == [2**15 + 1, 2**15 + 2, 2**15 + 3]
    for node in late:
        line = trees.line[0, node].tolist()
        assert line[0] == node
        assert line[-1] == 0
    assert trees.visit_counts[0, 0].sum() == 33


def test_many_games_and_a_long_ring(monkeypatch):
    """Records of all games together, and positions kept, beyond 2**31 numbers each."""
    monkeypatch.setattr(module, "NUM_OPENINGS", 16)
    game = Othello()
    settings = small("othello", num_games=2**19, simulations=2, first_simulations=2,
                     window=2**26, resign_rate=0.1)  # fmt: skip
    on = TensorGame(game, "meta")
    evaluate = Hashed(on)
    with Wide() as wide:
        ring = Ring(game, settings.window, "meta")
        play = DeviceSelfPlay(settings, lambda states, legal: evaluate(states), ring)
        play.begin()
        play.simulate()
        play.move()
        ring.draw(torch.zeros(5, dtype=torch.float64, device="meta"))
    assert wide.looked > 60
    assert wide.largest > 2**31
