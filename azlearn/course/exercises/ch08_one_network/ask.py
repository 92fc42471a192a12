"""Asking a network (8.6), one that can be worked out by hand and that notes how it is asked."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from azlearn.course.drawing import drawn_moves
from azlearn.course.exercises.ch08_one_network.tensors import drawn, measured
from azlearn.course.kit import FOUR, THREE, Case, gives, has_gradient, in_words, parts, tensor

# A move's logit is this, plus what its cell adds: -1 if empty, 3 or 2 if there is a stone.
LOGITS = [math.log(weight) for weight in (5, 1, 1, 2, 4, 3, 1, 1, 1)]
ASKED = ("shape of what it is shown", "mode in which it is asked", "board that it is shown")

NUM_DRAWN = 60
CASES = [
    Case(
        f"{words} to move, the network in {mode} mode",
        (THREE, moves, LOGITS, mode),
        {"prior": measured([part / sum(parts) for part in parts]), "value": measured(math.tanh(at))},
    )
    for words, moves, parts, at in (
        # 2, 4, 6, 7, 8 are left, of weight 8. v: (2·3 - 7)/10 + 0.3·2
        ("X on 1 and 9, O on 5 and 3, X", "1593", (0, 1, 0, 2, 0, 3, 1, 1, 0), 0.5),
        # 2, 3, 4, 6, 7, 8 are left, of weight 9. v: (3 - 8)/10 + 0.3·2
        ("X on 1 and 9, O on 5, O", "159", (0, 1, 1, 2, 0, 3, 1, 1, 0), 0.1),
    )
    for mode in ("eval", "training")
]  # fmt: skip


def draw(rng):
    """Either game; logits far below 0 or above, those of illegal moves far above the legal ones."""
    game, mode = (FOUR, THREE)[rng.integers(2)], str(rng.choice(["eval", "training"]))
    moves = drawn_moves(rng, game)
    logits = rng.integers(-8, 9, size=game.num_actions) / 4 + rng.choice([0, 0, 300, -30_000])
    logits += rng.choice([0, 60, 200]) * ~game.legal_mask(game.from_moves(moves))
    words = f"{in_words(game, moves)}, logits from {logits.min()}, the network in {mode} mode"
    return Case(words, (game, moves, logits.tolist(), mode))


def probe_network(logits: list[float]) -> tuple[Any, list[tuple[str, ...]]]:
    """A network [B, 2, rows, cols] -> ([B, A], [B]), and a list of how it was asked, see ``ASKED``.

    Its batch norm has mean 1/4 and deviation 1/4 in plane 0: a stone becomes 3, an empty cell -1.
    Of the cells the first A count for the logits; all count for the value.
    """
    import torch

    asked = []

    class Probe(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm = torch.nn.BatchNorm2d(2)
            self.norm.running_mean.copy_(torch.tensor([0.25, 0.0]))
            self.norm.running_var.copy_(torch.tensor([0.0625, 1.0]) - self.norm.eps)

        def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            batch = planes if planes.dim() > 3 else planes[None]
            asked.append((str(list(planes.shape)), mode_of(self), drawn(batch[0])))
            mine, theirs = self.norm(batch).flatten(2).unbind(1)
            added = (mine + 2 * theirs)[:, : len(logits)]
            return added + tensor(logits), torch.tanh(mine.sum(1) / 10 + 0.3 * theirs.sum(1))

    return Probe(), asked


def mode_of(network) -> str:
    """The mode of the network and of what is inside."""
    return together("training" if part.training else "eval" for part in network.modules())


def together(texts: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(texts)) or "nothing"


@gives("a pair (prior, value)")
def observe(ask, case):
    game, moves, logits, mode = case.arguments
    (network, asked), state = probe_network(logits), game.from_moves(moves)
    network.train(mode == "training")
    value = ask(network, game, state)
    seen = {key: together(call[i] for call in asked) for i, key in enumerate(ASKED)}
    prior, v = (np.asarray(part, dtype=float) for part in parts(value, None, None))
    illegal = ~game.legal_mask(state)
    fits = prior.shape == illegal.shape
    return {
        **seen,
        "shapes": f"prior {list(prior.shape)}, value {list(v.shape)}",
        "whether a gradient comes along": any(map(has_gradient, value)),
        "whether an illegal move has more than 0": fits and (prior[illegal] > 0).any(),
        "prior": measured(prior),
        "value": measured(v),
        "mode afterwards": mode_of(network),
    }
