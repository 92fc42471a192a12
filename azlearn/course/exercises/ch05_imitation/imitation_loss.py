"""-log p of the expert's move over the legal moves (5.1). The losses are worked out by hand."""

from math import log

import numpy as np

from azlearn.course.drawing import drawn_choices
from azlearn.course.kit import CHANGED, About, Case, Raised, attempt, single, tensor
from azlearn.course.numbers import unchanged

NUM_DRAWN = 80
CASES = [
    # the legal moves have the shares 1 : 3 : 4; 1 : 2 : 1 and 2 : 4; e^-200, 0 in float32; 1 : 3; 1 : 1
    Case("", ([[0, 2, log(3), log(4)]], [[True, False, True, True]], [2]), log(8 / 3)),
    Case("", ([[0, log(2), 0], [log(2), log(4), 3]], [[True, True, True], [True, True, False]], [2, 1]), (log(4) + log(3 / 2)) / 2),
    Case("", ([[0, 200]], [[True, True]], [0]), 200),
    Case("", ([[0, log(3), 1000]], [[True, True, False]], [1]), log(4 / 3)),
    Case("", ([[-1000, -1000, 0]], [[True, True, False]], [0]), log(2)),
]  # fmt: skip


def draw(rng):
    legal, action, part = drawn_choices(rng)
    far = rng.choice([0, 0, 0, -200, -1000, -20000, 1000, 20000])
    logits = rng.integers(-12, 13, legal.shape) / 4 + far * part
    return Case("", (logits.tolist(), legal.tolist(), action.tolist()))


def observe(loss, case):
    import torch

    logits, legal, action = case.arguments
    leaf, high = tensor(logits).float().requires_grad_(), np.abs(logits).max()
    room = 1e-4 + 4e-7 * high  # float32's places
    own = leaf.clone(), tensor(legal), tensor(action)  # torch forbids to write into a leaf
    copies = [part.detach().clone() for part in own]
    value, where = loss(*own), "" if high < 20 else " with extreme logits"
    if where and not np.all(legal):
        where += " and an illegal move"
    found = attempt(lambda: torch.autograd.grad(value.sum(), leaf)[0])
    gradient = "none" if isinstance(found, Raised) else About(found, room)
    return {
        f"the loss{where}": About(single(value), room),
        CHANGED: not unchanged(own, copies),
        f"the gradient at the logits{where}": gradient,
    }
