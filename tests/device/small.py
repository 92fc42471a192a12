"""What the tests of the device path share: games, positions, evaluators, trees to be read."""

from contextlib import contextmanager
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from azlearn.games import ConnectFour, TicTacToe
from azlearn.games.dots_and_boxes import DotsAndBoxes
from azlearn.games.hex import Hex
from azlearn.games.named import find_game
from azlearn.games.othello import Othello
from azlearn.games.tensor_game import TensorGame
from azlearn.learning.device.host_sync import NoHostSync
from azlearn.search.evaluators import hash_bits
from azlearn.search.tensor_trees import TensorTrees
from tests.engines import evaluators
from tests.own_game import SOURCE

KINDS = ("hash", "rough", "uniform", "constant")
# Every game of the package. In Dots and Boxes the players do not alternate; in Othello they pass.
GAMES = [
    TicTacToe(), ConnectFour(), Othello(6), Othello(), DotsAndBoxes(2, 2), DotsAndBoxes(3, 2),
    Hex(4), Hex(7),
]  # fmt: skip
FEW_GAMES = [ConnectFour(), DotsAndBoxes(2, 2), Othello(6)]


def game_id(game) -> str:
    return f"{game.name}_{game.rows}x{game.cols}"


def a_readers_game(folder):
    """The race of ``tests/own_game.py``, which has words that are no boards of bits."""
    (folder / "race.py").write_text(SOURCE)
    return find_game(f"{folder / 'race.py'}:Race")


def tensors(states, device) -> tuple:
    """The same positions as tensors: a ``State`` of NumPy arrays to one there."""
    return type(states)(*(torch.from_numpy(np.array(word)).to(device) for word in states))


class Mixed(NamedTuple):
    """All kinds of evaluations at once: row ``i`` of the batch has ``KINDS[i % 4]``.

    Trees that stand beside each other must not know of each other; here they differ most.
    """

    game: object

    def single(self, row: int):
        return evaluators(self.game, KINDS[row % len(KINDS)]).single

    def __call__(self, states) -> tuple[Tensor, Tensor]:
        words = self.game.State(*(torch.as_tensor(word).cpu().numpy() for word in states))
        prior = np.zeros((len(words[0]), self.game.num_actions))
        value = np.zeros(len(words[0]))
        for k, kind in enumerate(KINDS):
            some = self.game.State(*(word[k :: len(KINDS)] for word in words))
            prior[k :: len(KINDS)], value[k :: len(KINDS)] = evaluators(self.game, kind).batch(some)
        device = states[0].device if isinstance(states[0], Tensor) else "cpu"
        return torch.from_numpy(prior).to(device), torch.from_numpy(value).to(device)


class Hashed:
    """``evaluators(game, "hash")`` in operations on tensors alone: it can be recorded."""

    def __init__(self, game: TensorGame) -> None:
        self.game = game
        self.shifts = torch.arange(game.num_actions, device=game.device) * 3 % 48

    def __call__(self, states, legal_mask=None) -> tuple[Tensor, Tensor]:
        bits = hash_bits(*states)
        shares = (((bits[:, None] >> self.shifts) & 7) + 1) * self.game.legal_mask(states)
        prior = shares.double() / shares.sum(dim=1, keepdim=True).clamp(min=1)
        return prior, ((((bits >> 5) & 63) - 32) / 32).double()


def grow(trees: TensorTrees, evaluate, states, num_simulations: int, noise=None) -> TensorTrees:
    """A whole search, with the full number of levels: nothing looks at the device."""
    trees.begin(states, *evaluate(states), noise)
    for _ in range(num_simulations):
        trees.update(*evaluate(trees.select()))
    return trees


def read(trees) -> SimpleNamespace:
    """The columns of trees on any device, as NumPy arrays [B, nodes, ...]."""
    names = "words visit_counts value_sum prior child raw_value is_legal best end line depth mover"
    return SimpleNamespace(
        **{name: getattr(trees, name).numpy(force=True) for name in names.split()}
    )


def tensors_of(trees: TensorTrees) -> dict[str, Tensor]:
    """The memory that lasts from one simulation to the next, by name."""
    return {**trees._columns, "_new": trees._new, "_root": trees._root}


@contextmanager
def no_wait(device: str = "cpu"):
    """Nothing in here may wait for the device; on a GPU CUDA itself is on the watch, too."""
    if device == "cuda":
        torch.cuda.set_sync_debug_mode("error")
    try:
        with NoHostSync() as guard:
            yield guard
    finally:
        if device == "cuda":
            torch.cuda.set_sync_debug_mode("default")
