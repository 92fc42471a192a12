"""Chapter 5, how often a network finds the expert's move (5.3).

The network of the check is small enough for its favourite moves to be seen at a glance, and notes how
it was asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare, show
from azlearn.course.numbers import numbers, tensor
from azlearn.course.sections import explained_for


class Row(NamedTuple):
    """A position: logits in eval mode, and in which of the four moves 4 of it come from plane 1."""

    logits: tuple[int, ...]
    far: tuple[int, ...]
    legal: tuple[int, ...]
    action: int


_ROWS = (
    Row((5, 1, 3, 0), (1, 0, 0, 0), (1, 1, 1, 1), 0),  # found
    Row((2, 1, 3, 0), (0, 1, 0, 0), (1, 1, 1, 1), 1),  # 2 is the favourite
    Row((0, 6, 1, 2), (0, 1, 0, 0), (1, 0, 1, 1), 3),  # found: 1 is illegal
    Row((-1, -2, -3, -4), (0, 0, 1, 0), (0, 1, 1, 0), 1),  # found: 0 is illegal
    Row((1, 2, 0, 3), (0, 0, 0, 1), (1, 1, 1, 1), 0),  # 3 is the favourite
)

# words, rows, batch_size, whether the network is in training mode, accuracy
_CASES = (
    ("five positions, batch_size = 2", (0, 1, 2, 3, 4), 2, True, 3 / 5),
    ("four positions, batch_size = 3", (1, 2, 3, 4), 3, False, 2 / 4),
    ("three positions, batch_size = 8", (0, 2, 3), 8, True, 3 / 3),
)


def cases() -> list[Case]:
    """Arguments: rows, batch_size, whether in training mode; right: the accuracy."""
    return [
        Case(
            f"{words}, the network in {'training' if training else 'eval'} mode",
            (tuple(_ROWS[i] for i in rows), batch_size, training),
            right,
        )
        for words, rows, batch_size, training, right in _CASES
    ]


def planes_of(rows: Sequence[Row]) -> np.ndarray:
    """[B, 2, 1, 4]: what the probe turns into the logits of the rows, in eval mode."""
    logits, far = (np.array([getattr(row, name) for row in rows]) for name in ("logits", "far"))
    return np.stack([logits - 4 * far, far], axis=1)[:, :, None].astype(float)


def probe_network():
    """A network [B, 2, 1, 4] -> ([B, 4], [B]) whose `asked` lists (rows, training, with gradient).

    The list belongs to the class: a copy of the network notes there, too.

    Its batch norm knows deviation 1 in plane 0 and 1/4 in plane 1: in eval mode the logits are
    plane 0 plus 4 times plane 1.
    """
    import torch

    class Probe(torch.nn.Module):
        asked: ClassVar[list[tuple[int, bool, bool]]] = []

        def __init__(self) -> None:
            super().__init__()
            self.norm = torch.nn.BatchNorm2d(2)
            self.norm.running_var.copy_(torch.tensor([1.0, 0.0625]) - self.norm.eps)

        def forward(self, planes):
            self.asked.append((len(planes), self.training, torch.is_grad_enabled()))
            near, far = self.norm(planes).flatten(2).unbind(1)
            logits = near + far
            return logits, torch.tanh(logits.sum(1))

    return Probe()


# --- wrong ways ----------------------------------------------------------------------------------


def _columns(rows: Sequence[Row]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    logits, _, legal, action = map(np.array, zip(*rows, strict=True))
    return logits.astype(float), legal.astype(bool), action


def _masked(logits: np.ndarray, keep: np.ndarray) -> np.ndarray:
    return np.where(keep, logits, -np.inf)


def _hits(rows: Sequence[Row], favourite: Callable = lambda x, legal: _masked(x, legal).argmax(1)):
    """bool [B]: where the favourite(logits, legal) is the expert's move."""
    logits, legal, action = _columns(rows)
    return favourite(logits, legal) == action


def _by_batch(rows: Sequence[Row], size: int) -> list[np.ndarray]:
    hits = _hits(rows)
    return [hits[start : start + size] for start in range(0, len(hits), size)]


def _p_of_move(rows: Sequence[Row]) -> np.ndarray:
    logits, legal, action = _columns(rows)
    weights = np.exp(_masked(logits, legal))
    return weights[range(len(action)), action] / weights.sum(1)


def _fault(name: str, give: Callable[[Sequence[Row], int], Any], message: str) -> Fault:
    return Fault(
        name,
        lambda rows, size, training: give(rows, size),
        "with {case}, the accuracy is {right}; yours is {yours}. " + message,
    )


_FAULTS = (
    _fault(
        "an illegal move may be the favourite",
        lambda rows, size: _hits(rows, lambda x, legal: x.argmax(1)).mean(),
        "The network was trained on legal moves only: what it says of the others means nothing. Put "
        "−∞ on them before you look for the largest logit.",
    ),
    _fault(
        "masked with 0",
        lambda rows, size: _hits(rows, lambda x, legal: (x * legal).argmax(1)).mean(),
        "A logit of 0 is no mask: where all legal logits are negative, the 0 wins. Use −∞.",
    ),
    _fault(
        "mask upside down",
        lambda rows, size: _hits(rows, lambda x, legal: _masked(x, ~legal).argmax(1)).mean(),
        "You keep the illegal moves: `legal_mask` is True where a move is *legal*, and "
        "`masked_fill` fills where its mask is True.",
    ),
    _fault(
        "all batches weigh alike",
        lambda rows, size: np.mean([hits.mean() for hits in _by_batch(rows, size)]),
        "You take the mean of the batches' accuracies. The last batch is smaller, and its positions "
        "count for more than the others. Add up the hits, and divide once.",
    ),
    _fault(
        "the last batch counted as a full one",
        lambda rows, size: _hits(rows).sum() / (len(_by_batch(rows, size)) * size),
        "You divide by the number of batches times their size. The last one is smaller.",
    ),
    _fault(
        "the last batch alone",
        lambda rows, size: _by_batch(rows, size)[-1].mean(),
        "What the earlier batches gave is overwritten. Add it up.",
    ),
    _fault(
        "a number of hits, not a share",
        lambda rows, size: _hits(rows).sum(),
        "Divide by the number of positions.",
    ),
    _fault(
        "percent",
        lambda rows, size: 100 * _hits(rows).mean(),
        "A share is asked for, 0 to 1.",
    ),
    _fault(
        "the share of the misses",
        lambda rows, size: 1 - _hits(rows).mean(),
        "The other share is asked for: where the favourite *is* the expert's move.",
    ),
    _fault(
        "the expert's p, not how often it is the largest",
        lambda rows, size: _p_of_move(rows).mean(),
        "That is the mean of p(expert's move). Accuracy asks only whether that move is the favourite.",
    ),
)


# --- the check -----------------------------------------------------------------------------------


@explained_for("5.3")
def check_accuracy(call: Call) -> str:
    given = []
    for case in cases():
        rows, size, training = case.arguments
        network = probe_network().train(training)
        _, legal, action = _columns(rows)
        arguments = tensor(planes_of(rows)), tensor(legal), tensor(action)
        value, problem = call.attempt(network, *arguments, size, shown=case.shown)
        _check_manner(network.asked, size, case.shown)
        value = numbers(call.settle(value, problem))
        _check_all_seen(network.asked, len(rows), case.shown)
        if not isinstance(value, (int, float)):
            raise Wrong(
                "not a number",
                f"With {case.shown}, one number is asked for; you gave {show(value):.80}.",
            )
        if network.training != training:
            raise Wrong(
                "the network left in another mode",
                f"With {case.shown}, the mode is another after your call. Whoever was training goes "
                "on with batch norms that learn nothing any more, or a finished network starts to "
                "change: switch back, `network.train(before)`.",
            )
        given.append(value)
    compare(cases(), given, _FAULTS, tolerance=1e-5)
    return "Every position counts once, legal moves only, and the network is as it was."


def _check_manner(asked: list[tuple[int, bool, bool]], size: int, shown: str) -> None:
    """How the network was asked, whatever was made of its answers."""
    if any(training for _, training, _ in asked):
        raise Wrong(
            "train mode while measuring",
            f"With {shown}, you asked while `network.training` was True. Batch norm then measures "
            "the batch that it is given, so that the answer on a position depends on its company; "
            "and its running means move towards the held-out positions. Say `network.eval()` first.",
        )
    if any(with_gradient for *_, with_gradient in asked):
        raise Wrong(
            "gradients are kept",
            f"With {shown}, you asked with gradients switched on: every layer's output is kept for a "
            "step that never comes, and large data do not fit. Ask inside `torch.no_grad()`.",
        )
    if any(rows > size for rows, *_ in asked):
        raise Wrong(
            "more than a batch at once",
            f"With {shown}, you asked about {max(rows for rows, *_ in asked)} positions at once. No "
            f"more than `batch_size` are to be in the network at a time.",
        )


def _check_all_seen(asked: list[tuple[int, bool, bool]], num_rows: int, shown: str) -> None:
    seen = sum(rows for rows, *_ in asked)
    if 0 < seen < num_rows:
        raise Wrong(
            "the last batch is left out",
            f"With {shown}, you asked about {seen} of {num_rows} positions. The last batch is "
            "smaller than the others (`planes[start : start + batch_size]` ends by itself where the "
            "data end), but its positions count.",
        )


EXERCISES = (
    Exercise(
        id="5.3",
        title="Top-1 accuracy",
        minutes=12,
        difficulty=2,
        function="top1_accuracy(network, planes, legal_mask, action, batch_size)",
        check=check_accuracy,
        diagnoses=(
            *(fault.name for fault in _FAULTS),
            "not a number",
            "the network left in another mode",
            "train mode while measuring",
            "gradients are kept",
            "more than a batch at once",
            "the last batch is left out",
        ),
        hints=(
            "Three things before the first batch: which mode is the network in, which should it be "
            "in, and does anybody need gradients? And what do you add up over the batches: shares, "
            "or hits?",
            "`for start in range(0, len(planes), batch_size)`, the rows `start : start + "
            "batch_size`, `logits.masked_fill(~legal, -math.inf).argmax(1) == action`, and its sum.",
            "In near-code:\n\n"
            "    before = network.training; network.eval()\n"
            "    without gradients, for every batch:\n"
            "        logits, _ = network(planes of the batch)\n"
            "        favourite = arg max of the logits, with -inf where illegal\n"
            "        hits += how many favourites are the expert's move\n"
            "    network.train(before)\n"
            "    hits / number of positions",
        ),
    ),
)
