"""Chapter 6, the loss of REINFORCE (6.2). What counts is its gradient: what it does to the logits.

The pushes, (z - b) / games · (1 for the move made, else 0, minus p), were worked out by hand.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare, show
from azlearn.course.numbers import has_gradient, numbers, tensor, unchanged
from azlearn.course.sections import explained_for

_LN3 = math.log(3)

# words; logits, legal_mask, action, by_learner, z, baseline, games; the push on each logit
_CASES = (
    (
        "one move, p = [1/4, 3/4]: the first is made, and the game is won",
        [[0.0, _LN3]], [[True, True]], [0], [True], [1.0], [0.0], 1,
        [[0.75, -0.75]],
    ),
    (
        "the same move in a game that is lost, b = 0.5",
        [[0.0, _LN3]], [[True, True]], [0], [True], [-1.0], [0.5], 1,
        [[-1.125, 1.125]],
    ),
    (
        "p = [1/4, 0, 3/4], the second move is illegal: the third is made and wins, b = 0.25",
        [[0.0, 2.0, _LN3]], [[True, False, True]], [2], [True], [1.0], [0.25], 1,
        [[-0.1875, 0.0, 0.1875]],
    ),
    (
        # p = 1/2 everywhere; z - b = 1, -, 0.8, -0.4, - over two games
        "five moves of two games, the second and the last made by the opponent, p = [1/2, 1/2]",
        [[0.0, 0.0]] * 5, [[True, True]] * 5, [0, 1, 1, 0, 1], [True, False, True, True, False],
        [1.0, -1.0, 1.0, 0.0, 0.0], [0.0, 0.2, 0.2, 0.4, -0.4], 2,
        [[0.25, -0.25], [0.0, 0.0], [-0.2, 0.2], [-0.1, 0.1], [0.0, 0.0]],
    ),
)  # fmt: skip


def cases() -> list[Case]:
    """Arguments: p, action, by_learner, z, baseline, games; right: the push on the logits."""
    made = []
    for words, logits, legal, *rest, num_games, push in _CASES:
        weights = np.where(legal, np.exp(logits), 0)
        p = weights / weights.sum(axis=1, keepdims=True)
        made.append(Case(words, (p, *map(np.array, rest), num_games), push))
    return made


def _push(p, action, by_learner, z, baseline, num_games, *, size=None, away=None) -> np.ndarray:
    """The right one, or with other sizes [n] or other directions [n, A]."""
    size = (z - baseline) * by_learner / num_games if size is None else size
    away = np.eye(p.shape[1])[action] - p if away is None else away
    return size[:, None] * away


def _of_sizes(sizes: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
    """A fault in what each move is weighed with; takes action, by_learner, z, baseline, games."""
    return lambda p, *case: _push(p, *case, size=sizes(*case))


def _of_p(p, action, *case) -> np.ndarray:
    chosen = p[np.arange(len(p)), action]
    return _push(p, action, *case, away=chosen[:, None] * (np.eye(p.shape[1])[action] - p))


def _of_favourite(p, action, *case) -> np.ndarray:
    return _push(p, p.argmax(axis=1), *case)


def _every_row_for_every_row(of_own: bool) -> Callable[..., np.ndarray]:
    """[n] · [n, 1] is [n, n]: every log p gets the sum of all weights; or of the learner's rows."""

    def give(p, action, own, z, b, n):
        size = ((z - b) * own).sum() / n * (own if of_own else np.ones(len(own)))
        return _push(p, action, own, z, b, n, size=size)

    return give


def _all_moves_in_every_row(
    weigh: Callable[[np.ndarray], np.ndarray],
) -> Callable[..., np.ndarray]:
    """`log_p[:, action]` is [n, n]; `weigh` makes its weights from those of the moves."""

    def give(p, action, own, z, b, n):
        weights = weigh((z - b) * own / n)
        return weights @ np.eye(p.shape[1])[action] - weights.sum(axis=1, keepdims=True) * p

    return give


def _fault(name: str, give: Callable[..., np.ndarray], message: str) -> Fault:
    said = "for {case}, a step down your loss should push the logits by {right}; yours pushes by "
    return Fault(name, give, said + "{yours}. " + message)


_OUTER = (
    "You multiply [n] with [n, 1], and that is [n, n]: every move is weighed with the results of all "
    "the others. `log_p.gather(1, action[:, None])` has a second axis: `.squeeze(1)` takes it away."
)
_COLUMNS = (
    "`log_p[:, action]` is [n, n]: each row at the moves of all rows. One entry a row is "
    "`log_p.gather(1, action[:, None]).squeeze(1)`, or `log_p[torch.arange(len(action)), action]`."
)
_FAULTS = (
    _fault(
        "the sign lost",
        lambda *case: -_push(*case),
        "Optimisers go *down*. Without the minus the moves of won games become rarer.",
    ),
    _fault(
        "the opponent's moves are learnt too",
        _of_sizes(lambda action, own, z, b, n: (z - b) / n),
        "The opponent is an earlier version with weights of its own: its moves were drawn from "
        "another p. Leave its rows out.",
    ),
    _fault(
        "the opponent's moves instead of the learner's",
        _of_sizes(lambda action, own, z, b, n: (z - b) * ~own / n),
        "`by_learner` is True where the learner made the move: those rows count.",
    ),
    _fault(
        "a mean over moves instead of games",
        _of_sizes(lambda action, own, z, b, n: (z - b) * own / own.sum()),
        "Divide by the number of *games*. With a mean over the moves a batch of long games would "
        "weigh each game less.",
    ),
    _fault(
        "a mean over moves instead of games",
        _of_sizes(lambda action, own, z, b, n: (z - b) * own / len(z)),
        "Divide by the number of *games*, not by that of the rows (the opponent's are among them).",
    ),
    _fault(
        "summed over the games",
        _of_sizes(lambda action, own, z, b, n: (z - b) * own),
        "Divide by the number of games, or twice the games is twice the learning rate.",
    ),
    _fault(
        "the baseline is not used",
        _of_sizes(lambda action, own, z, b, n: z * own / n),
        "The weight of a move is z − b.",
    ),
    _fault(
        "the baseline added",
        _of_sizes(lambda action, own, z, b, n: (z + b) * own / n),
        "The weight of a move is z − b: by how much the game went better than expected.",
    ),
    _fault(
        "only the better games count",
        _of_sizes(lambda action, own, z, b, n: np.maximum(z - b, 0) * own / n),
        "Where z − b is negative the move must become *rarer*.",
    ),
    _fault(
        "the size of z − b lost",
        _of_sizes(lambda action, own, z, b, n: np.sign(z - b) * own / n),
        "z − b is not only a direction: a surprise counts for more than what was expected.",
    ),
    _fault(
        "probabilities instead of logarithms",
        _of_p,
        "That is the gradient of p, not of log p. A likely move is drawn more often already; "
        "log p divides by p, and so makes up for it.",
    ),
    _fault(
        "the favourite instead of the move made",
        _of_favourite,
        "You took the move with the largest p. The move that was *made* is `action`.",
    ),
    _fault("every weight times every logarithm", _every_row_for_every_row(False), _OUTER),
    _fault("every weight times every logarithm", _every_row_for_every_row(True), _OUTER),
    _fault(
        "every row is asked for every move",
        _all_moves_in_every_row(lambda w: np.tile(w, (len(w), 1))),
        _COLUMNS,
    ),
    _fault(
        "every row is asked for every move",
        _all_moves_in_every_row(lambda w: np.tile(w[:, None], (1, len(w)))),
        _COLUMNS,
    ),
)


@explained_for("6.2")
def check_loss(call: Call) -> str:
    given, into_baseline = [], False
    for case, (_, logits, legal, *_) in zip(cases(), _CASES, strict=True):
        _, action, own, z, baseline, num_games = case.arguments
        leaf, b = tensor(logits, requires_grad=True), tensor(baseline, requires_grad=True)
        log_p = leaf.masked_fill(~tensor(legal), -math.inf).log_softmax(1)
        tensors = log_p, tensor(action), tensor(own), tensor(z), b.clone()
        copies = [part.detach().clone() for part in tensors]
        loss = call(*tensors, num_games, shown=case.shown)
        if not unchanged(tensors, copies):  # before `backward`, which may raise then
            raise Wrong(
                "changes what it was given",
                f"For {case.shown}, you wrote into a tensor that you were given. `-=`, `*=`, an "
                "entry that is set, and every function whose name ends in `_` do; others still need "
                "it as it was, `backward` too. Make a new one: `z - b`.",
            )
        _step_down(loss, case.shown)
        if leaf.grad is None:
            raise _no_gradient(case.shown)
        given.append((-leaf.grad).tolist())
        into_baseline |= b.grad is not None and bool(b.grad.abs().max() > 0)
    compare(cases(), given, _FAULTS, form=_rounded, tolerance=1e-5)
    if into_baseline:
        raise Wrong(
            "the gradient flows into the baseline",
            "The logits are pushed as they should, but so is b. It comes from a network of its own, "
            "and lowering −(z − b) · log p would drive it up without end. For this loss it is a "
            "number: `baseline.detach()`.",
        )
    return "Likelier where it went better than expected, rarer where it went worse."


def _step_down(loss: Any, shown: str) -> None:
    """Leaves the loss's gradient where it starts from."""
    if np.ndim(numbers(loss)) > 0 and np.size(numbers(loss)) != 1:
        raise Wrong(
            "one loss a move",
            f"For {shown}, one number is asked for, a sum over all moves. You gave "
            f"{show(numbers(loss)):.80}.",
        )
    if not has_gradient(loss):
        raise _no_gradient(shown)
    if not math.isfinite(float(loss.detach())):
        raise Wrong(
            "the loss is not a number",
            f"For {shown}, your loss is {float(loss.detach())}. On illegal moves log p is −∞, and "
            "0 · (−∞) is “not a number”. Do not sum over all moves: take the one that was made, "
            "with `log_p.gather(1, action[:, None])`.",
        )
    loss.backward()


def _no_gradient(shown: str) -> Wrong:
    return Wrong(
        "no gradient",
        f"For {shown}, no gradient leads back from your loss to the logits (`.item()`, "
        "`.detach()`, NumPy or `torch.no_grad()`?), so nothing would be learnt. Stay with tensors.",
    )


def _rounded(push: list[list[float]]) -> str:
    return show([[round(number, 4) + 0.0 for number in row] for row in push])


EXERCISES = (
    Exercise(
        id="6.2",
        title="The loss of REINFORCE",
        minutes=15,
        difficulty=3,
        function="reinforce_loss(log_p, action, by_learner, z, baseline, num_games)",
        check=check_loss,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _FAULTS),
            "one loss a move",
            "no gradient",
            "the loss is not a number",
            "the gradient flows into the baseline",
            "changes what it was given",
        ),
        hints=(
            "Write what you want to *climb* for one move first: how much better than expected, "
            "times the logarithm of the probability of the move made. Which rows count, and what "
            "do you divide by?",
            "`log_p.gather(1, action[:, None]).squeeze(1)` are the logarithms of the moves made; "
            "`z - baseline.detach()` are their weights.",
            "In near-code:\n\n"
            "    chosen = log p of the move made, in every row\n"
            "    weight = z - baseline, without a gradient; 0 in the opponent's rows\n"
            "    minus the sum of weight * chosen, divided by the number of games",
        ),
    ),
)
