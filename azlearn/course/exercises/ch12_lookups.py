"""Chapter 12, a descent step as look-ups (12.5): every game one move down, no loop over games.

The scores are worked out by hand, one game at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare, show
from azlearn.course.numbers import numbers, shape
from azlearn.course.sections import explained_for

_NAMES = ("visit_counts", "value_sum", "prior", "legal_mask", "child")
_ALL, _EVEN = [1, 1, 1, 1], [0.25] * 4
_ROOT = ([9, 0, 0, 0], [9.0, 0, 0, 0], [1.0, 0, 0, 0], _ALL, [1, 0, 0, 0])
_OTHER = ([0, 4, 0, 0], [0, 4.0, 0, 0], _EVEN, _ALL, [0, 0, 0, 0])

# Each game: the node to go on from, three rows of (N, W, P, legal, child); then (action, next).
_GAMES = (
    # √4 = 2. Scores 0.5 + 2·0.4/4 = 0.7; 0 + 2·0.3 = 0.6; -1 + 2·0.2/2 = -0.8; 0 + 2·0.1 = 0.2.
    (1, (_ROOT, ([3, 0, 1, 0], [1.5, 0, -1.0, 0], [0.4, 0.3, 0.2, 0.1], _ALL, [2, 0, 0, 0]),
     _OTHER), (0, 2)),
    # √9 = 3; only 0 and 2 are legal: -0.75 + 3·0.5/5 = -0.45; -0.9 + 3·0.5/6 = -0.65.
    (2, (_ROOT, _OTHER, ([4, 0, 5, 0], [-3.0, 0, -4.5, 0], [0.5, 0, 0.5, 0], [1, 0, 1, 0],
     [0, 0, 1, 0])), (0, 2)),
    # No visits yet: the root of the sum counts as 1, and the priors decide.
    (2, (_ROOT, _OTHER, ([0] * 4, [0.0] * 4, [0.1, 0.2, 0.6, 0.1], _ALL, [0] * 4)), (2, 2)),
    # √16 = 4: 0.2 + 4·0.25/11 = 0.29; 0 + 4·0.25/4 = 0.25; 0.5 + 4·0.25/4 = 0.75; 0 + 1 = 1.
    (0, (([10, 3, 3, 0], [2.0, 0, 1.5, 0], _EVEN, _ALL, [1, 2, 0, 0]), _OTHER, _OTHER), (3, 0)),
    # √4 = 2: 0 + 2·0.5/5 = 0.2; 0.3 legal no more; 0 + 2·0.25 = 0.5 … twice: the first of equals.
    (1, (_ROOT, ([4, 0, 0, 0], [0.0, 0, 0, 0], [0.5, 0, 0.25, 0.25], [1, 0, 1, 1], [2, 0, 0, 0]),
     _OTHER), (2, 1)),
    # √1 = 1: -1 + 1·0.7/2 = -0.65; 0 + 1·0.3 = 0.3. Behind the second lies row 2.
    (0, (([1, 0, 0, 0], [-1.0, 0, 0, 0], [0.7, 0.3, 0, 0], [1, 1, 0, 0], [1, 2, 0, 0]), _OTHER,
     _OTHER), (1, 2)),
)  # fmt: skip
_BATCHES = ((0, 1, 2), (3, 4, 5, 1), (2,))


def arrays(batch: tuple[int, ...]) -> list[np.ndarray]:
    """node [B], then the five arrays [B, 3, 4]."""
    tables = [np.array([[row[k] for row in _GAMES[i][1]] for i in batch]) for k in range(5)]
    tables[3] = tables[3].astype(bool)
    return [np.array([_GAMES[i][0] for i in batch]), *tables]


def cases() -> list[Case]:
    """Arguments: arrays; right: [actions, next rows]."""
    return [
        Case(
            f"{len(batch)} game{'s'[: len(batch) > 1]}, at rows {[_GAMES[i][0] for i in batch]}",
            tuple(arrays(batch)),
            [[_GAMES[i][2][0] for i in batch], [_GAMES[i][2][1] for i in batch]],
        )
        for batch in _BATCHES
    ]


def tensors(given: tuple[np.ndarray, ...]) -> list:
    import torch

    return [torch.tensor(array) for array in given]


# --- wrong steps ---------------------------------------------------------------------------------


def _mean(visits, value_sum):
    return np.where(visits > 0, value_sum / np.maximum(visits, 1), 0.0)


def _wrong(
    *,
    row: Callable = lambda node: node,
    mean: Callable = _mean,
    total: Callable = lambda n: n.sum(-1, keepdims=True),
    least: int = 1,
    mask: Callable = lambda score, legal: np.where(legal, score, -np.inf),
    last: bool = False,
    child_row: Callable = lambda node: node,
    follow: Callable = lambda behind, node: np.where(behind > 0, behind, node),
) -> Callable[..., list]:
    """A step with one part replaced."""

    def step(node, *tables):
        games = np.arange(len(node))
        n, w, p, legal, _ = (table[games, row(node)] for table in tables)
        scale = np.sqrt(np.maximum(total(n), least).astype(float))
        with np.errstate(all="ignore"):
            score = mask(mean(n, w) + scale * p / (1 + n), legal)
        score = np.where(np.isnan(score), np.inf, score)  # as argmax ranks them
        action = 3 - score[:, ::-1].argmax(-1) if last else score.argmax(-1)
        behind = tables[-1][games, child_row(node), action]
        return [action.tolist(), follow(behind, node).tolist()]

    return step


_STEP = "for {case}, {right} is right; yours is {yours}. "
_FAULTS = (
    Fault("row 0 is taken for a child", _wrong(follow=lambda behind, node: behind),
          _STEP + "A 0 in `child` means that there is none, and row 0 is the root: this descent "
          "would start again from the top. Where there is no child the game stays at `node`."),
    Fault("mask forgotten", _wrong(mask=lambda score, legal: score),
          _STEP + "An illegal move has N = 0 and P = 0, so without a mask, or times a mask of 0, "
          "its score is 0: better than any move when all that are legal look bad. Give it −∞."),
    Fault("0 / 0 wins", _wrong(mean=lambda n, w: w / n),
          _STEP + "An unvisited move has W / N = 0 / 0, nan, and `argmax` takes nan for the "
          "largest. Say where N is 0 what its mean shall be: 0."),
    *(Fault("the root's statistics at every level", wrong,
            _STEP + "Each game looks at the row where it is: `table[games, node]`.")
      for wrong in (_wrong(row=lambda node: node * 0),
                    _wrong(row=lambda node: node * 0, child_row=lambda node: node * 0))),
    Fault("√0 hides the priors", _wrong(least=0),
          _STEP + "At a new node the sum of N is 0, and its root makes every prior count for "
          "nothing. As in `puct`, take at least 1."),
    Fault("the sum of N runs over all games", _wrong(total=lambda n: n.sum()),
          _STEP + "The sum runs over the moves of one node: `sum(dim=-1, keepdim=True)`. Games "
          "know nothing of each other."),
    Fault("the mean's sign is turned", _wrong(mean=lambda n, w: -_mean(n, w)),
          _STEP + "W is for the player who moves at this node: no sign changes here."),
    Fault("the last of equals", _wrong(last=True),
          _STEP + "Of equal scores take the first, as `MCTS` does and `argmax` too."),
)  # fmt: skip


# --- the check -----------------------------------------------------------------------------------


def _counting():
    """A mode that counts the calls of torch, and notes those that fetch numbers from the device."""
    from torch.overrides import TorchFunctionMode

    fetches = {
        "tolist",
        "item",
        "numpy",
        "__array__",
        "__int__",
        "__index__",
        "__float__",
        "__bool__",
    }

    class Counting(TorchFunctionMode):
        num_calls, fetched = 0, ""

        def __torch_function__(self, func, types, args=(), kwargs=None):
            name = getattr(func, "__name__", "")
            self.num_calls += 1
            if name in fetches:
                self.fetched = name
            return func(*args, **(kwargs or {}))

    return Counting()


@explained_for("12.5")
def check_step_down(call: Call) -> str:
    given = []
    for case in cases():
        with _counting() as mode:
            value = call(*tensors(case.arguments), shown=case.shown)
        given.append(_pair(value, case))
    compare(cases(), given, _FAULTS, form=lambda pair: f"actions {pair[0]}, next {pair[1]}")
    _check_calls(call, mode.num_calls, mode.fetched)
    return "One move down in every game, by the same few operations for one game and for hundreds."


def _check_calls(call: Call, num_calls: int, fetched: str) -> None:
    """As many calls for 48 games as for one."""
    many = tensors(arrays(tuple(range(6)) * 8))
    with _counting() as mode:
        call(*many, shown="48 games")
    if mode.num_calls > 1.5 * num_calls + 8:
        raise Wrong(
            "a loop over the games",
            f"Right, but slow: one game took {num_calls} calls of torch, 48 games took "
            f"{mode.num_calls}. What an operation costs is the call: index all games at once, with "
            "`table[games, node]`, where `games = torch.arange(len(node))`.",
        )
    if fetched or mode.fetched:
        raise Wrong(
            "numbers fetched from the device",
            f"Right, but `{fetched or mode.fetched}` takes numbers out of their tensor. On a GPU "
            "it would wait there until all that was asked is done. Stay within tensors.",
        )


def _pair(value: Any, case: Case) -> list:
    pair = list(value) if isinstance(value, (tuple, list)) and len(value) == 2 else []
    pair = [numbers(part) for part in pair]
    batch = len(case.right[0])
    if pair and shape(pair[0])[:2] == (batch, batch) and batch > 1:
        raise Wrong(
            "every node for every game",
            f"For {case.shown}, your actions have the shape {list(shape(pair[0]))}: "
            "`table[:, node]` takes every game's node from *every* game. Index both: "
            "`table[games, node]`.",
        )
    if not pair or any(shape(part) != (batch,) for part in pair):
        raise Wrong(
            "not a pair of int [B]",
            f"For {case.shown}, a pair is asked for: the actions and the next rows, {batch} of "
            f"each. You gave {show(value):.80}.",
        )
    return pair


EXERCISES = (
    Exercise(
        id="12.5",
        title="One move down, by look-ups",
        minutes=15,
        difficulty=3,
        function="step_down(node, visit_counts, value_sum, prior, legal_mask, child)",
        check=check_step_down,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _FAULTS),
            "a loop over the games",
            "numbers fetched from the device",
            "every node for every game",
            "not a pair of int [B]",
        ),
        hints=(
            "Write it for one game, with the arrays of one node. Then put a batch dimension in "
            "front and let one index pick all nodes at once.",
            "`games = torch.arange(len(node))`, `n = visit_counts[games, node]` is [B, A]. "
            "`torch.where(legal, score, -torch.inf).argmax(-1)`, and `child[games, node, action]`.",
            "In near-code:\n\n"
            "    n, w, p, legal = the four tables at [games, node]\n"
            "    q = w / n where n > 0, else 0 (divide by n.clamp(min=1))\n"
            "    score = q + root of (sum of n, at least 1) * p / (1 + n), -inf where illegal\n"
            "    action = argmax over the moves\n"
            "    behind = child at [games, node, action]\n"
            "    next = behind where it is above 0, else node",
        ),
    ),
)
