"""The loss of REINFORCE (6.2). What counts is its gradient: what it does to the logits.

The pushes, (z - b) / games · (1 for the move made, else 0, minus p), were worked out by hand.
"""

import math

import numpy as np

from azlearn.course.drawing import drawn_choices
from azlearn.course.kit import CHANGED, About, Case, has_gradient, numbers, tensor
from azlearn.course.numbers import unchanged

COMES_BACK, ONE, CONSTANT = (
    "what comes back",
    "one number",
    "a number without a gradient to `log_p`",
)
PUSH = "the push on the logits by a step down"


def case(words: str, p, *rest, push=None) -> Case:
    with np.errstate(divide="ignore"):
        return Case(words, (np.log(p).tolist(), *rest), push and {PUSH: About(push, 1e-5)})


NUM_DRAWN = 40
CASES = [
    case("one move, p = [1/4, 3/4]: the first is made, and the game is won", [[1 / 4, 3 / 4]], [0], [True], [1.0], [0.0], 1, push=[[0.75, -0.75]]),
    case("the same move in a game that is lost, b = 0.5", [[1 / 4, 3 / 4]], [0], [True], [-1.0], [0.5], 1, push=[[-1.125, 1.125]]),
    case("p = [1/4, 0, 3/4], the second move is illegal: the third is made and wins, b = 0.25", [[1 / 4, 0, 3 / 4]], [2], [True], [1.0], [0.25], 1, push=[[-0.1875, 0.0, 0.1875]]),
    # z - b = 1, -, 0.8, -0.4, - over two games
    case("five moves of two games, the second and the last made by the opponent, p = [1/2, 1/2]", [[1 / 2, 1 / 2]] * 5, [0, 1, 1, 0, 1], [True, False, True, True, False], [1.0, -1.0, 1.0, 0.0, 0.0], [0.0, 0.2, 0.2, 0.4, -0.4], 2, push=[[0.25, -0.25], [0.0, 0.0], [-0.2, 0.2], [-0.1, 0.1], [0.0, 0.0]]),
]  # fmt: skip


def draw(rng):
    """Some moves all but impossible, some the only legal ones; one row at least is the learner's."""
    legal, action, part = drawn_choices(rng)
    n = len(action)
    weights = legal * rng.integers(1, 5, legal.shape) * 1e-9**part
    own = (rng.random(n) < 0.6) | (np.arange(n) == rng.integers(n))
    z, b = rng.integers(-1, 2, n).astype(float), rng.integers(-4, 5, n) / 4
    columns = (column.tolist() for column in (action, own, z, b))
    return case("", weights / weights.sum(axis=1, keepdims=True), *columns, int(rng.integers(1, 6)))


def observe(reinforce_loss, case):
    log_p, action, own, z, baseline, num_games = case.arguments
    logits, b = tensor(log_p, requires_grad=True), tensor(baseline, requires_grad=True)
    tensors = logits.log_softmax(1), *map(tensor, (action, own, z)), b.clone()
    copies = [part.detach().clone() for part in tensors]
    loss = reinforce_loss(*tensors, num_games)
    if not unchanged(tensors, copies):  # `backward` may raise then
        return {CHANGED: True}
    seen = {CHANGED: False, COMES_BACK: in_words(loss)}
    if seen[COMES_BACK] != ONE:
        return seen
    loss.backward()
    if logits.grad is None:
        return {CHANGED: False, COMES_BACK: CONSTANT}
    push = About(np.round(-logits.grad.numpy(), 6) + 0.0, 1e-5)
    learns = b.grad is not None and bool(b.grad.any())
    return seen | {PUSH: push, "whether the baseline's network learns": learns}


def in_words(loss) -> str:
    if np.size(numbers(loss)) != 1:
        return f"{np.size(numbers(loss))} numbers"
    if not has_gradient(loss):
        return CONSTANT
    return ONE if math.isfinite(float(loss.detach())) else "no finite number"
