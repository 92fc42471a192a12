"""How often a network finds the expert's move (5.3), asked of one that notes how it was asked."""

from typing import ClassVar

import numpy as np

from azlearn.course.drawing import drawn_choices
from azlearn.course.kit import Case, numbers, show, tensor

MODES, SHARE = ("eval", "training"), "the accuracy"
LOGITS = [5, 1, 3, 0], [2, 1, 3, 0], [0, 6, 1, 2], [-1, -20_002, -20_003, -4], [1, 2, 0, 3]
LEGAL = [1, 1, 1, 1], [1, 1, 1, 1], [1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 1, 1]
MOVES = 0, 1, 3, 1, 0  # found are the first, the third and the fourth
NUM_DRAWN = 80
CASES = [
    Case("five positions, batch_size = 2, in training mode", ("one in training mode", LOGITS, LEGAL, MOVES, 2), {SHARE: 3 / 5}),
    Case("four positions, batch_size = 3, in eval mode", ("one in eval mode", LOGITS[1:], LEGAL[1:], MOVES[1:], 3), {SHARE: 2 / 4}),
    Case("three positions, batch_size = 8, in training mode", ("one in training mode", LOGITS[:3], LEGAL[:3], MOVES[:3], 8), {SHARE: 2 / 3}),
]  # fmt: skip


def draw(rng):
    """Some logits may be far from the others; no two in a row are the same."""
    legal, action, part = drawn_choices(rng)
    logits = rng.random(legal.shape).argsort(1) - 3 + rng.choice([0, 60, -60]) * part
    arguments = logits.tolist(), legal.tolist(), action.tolist(), int(rng.integers(1, 6))
    return Case("", (f"one in {rng.choice(MODES)} mode", *arguments))


def probe_network(known):
    """A network [B, 1, 1, A] -> ([B, A], [B]); in eval mode the logits are its planes.

    Its `asked` lists (rows, training, with gradient, rows that are not in `known`), also of its
    copies.
    """
    import torch

    class Probe(torch.nn.Module):
        asked: ClassVar[list[tuple[int, bool, bool, int]]] = []

        def __init__(self) -> None:
            super().__init__()
            self.norm = torch.nn.BatchNorm2d(1)

        def forward(self, planes):
            logits = self.norm(planes).flatten(1)
            training = any(part.training for part in self.modules())
            unknown = sum(not (known == one).flatten(1).all(1).any() for one in planes)
            self.asked.append((len(planes), training, logits.requires_grad, int(unknown)))
            return logits, torch.tanh(logits.sum(1))

    return Probe()


def observe(top1_accuracy, case):
    import torch

    mode, logits, legal, action, size = case.arguments
    planes, legal = tensor(logits).float()[:, None, None], tensor(legal).bool()
    network = probe_network(planes.clone()).train("training" in mode)
    with torch.enable_grad():
        value = numbers(top1_accuracy(network, planes, legal, tensor(action), size))
        learns = torch.is_grad_enabled() and all(p.requires_grad for p in network.parameters())
    rows, training, gradients, unknown = np.array([(0, 0, 0, 0), *network.asked]).T
    is_number = isinstance(value, int | float)
    return {
        "the mode while it was asked": MODES[training.max()],
        "gradients while it was asked": ("off", "on")[gradients.max()],
        "positions at once beyond batch_size": max(0, rows.max() - size),
        "positions that it was asked about and that are not in `planes`": unknown.sum(),
        "positions left out": max(0, len(action) - rows.sum()) % len(action),
        "the kind of answer": "a number" if is_number else f"{show(value):.80}",
        SHARE: value if is_number else None,
        "the mode afterwards": " and ".join(sorted({MODES[p.training] for p in network.modules()})),
        "gradients afterwards": ("off", "on")[learns],
    }
