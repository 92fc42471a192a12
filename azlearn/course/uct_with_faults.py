"""UCT written a second time, small, with one knob for each thing that a search gets wrong.

It serves to recognise a fault by its numbers; with no knob turned it is the right search.
"""

from __future__ import annotations

import math
from typing import Any, Literal


class _Position:
    """A node: statistics per legal move, children as they come."""

    def __init__(self, game, state) -> None:
        self.state, self.to_play = state, game.to_play(state)
        self.outcome, self.moves = game.outcome(state), game.legal_actions(state)
        self.n = dict.fromkeys(self.moves, 0)
        self.w = dict.fromkeys(self.moves, 0.0)
        self.child: dict[int, _Position] = {}

    def best(self, c: float, last: bool) -> int:
        total = sum(self.n.values())
        scores = [
            self.w[a] / n + c * math.sqrt(math.log(total) / n) if n else math.inf
            for a, n in self.n.items()
        ]
        ties = [a for a, score in zip(self.moves, scores, strict=True) if score == max(scores)]
        return ties[-1 if last else 0]


def faulty_uct(
    game: Any,
    state: Any,
    num_simulations: int,
    c_asked: float,
    evaluate: Any,
    *,
    flip: Literal["turn", "never", "always", "late"] = "turn",
    ending: int = 1,
    skip_first: bool = False,
    extra: int = 0,
    deep: bool = True,
    back_up_endings: bool = True,
    c: float | None = None,
    evaluate_parent: bool = False,
    only_root: bool = False,
    last: bool = False,
) -> tuple[list[int], list[float]]:
    """Search, with what the knobs make wrong.

    Args:
        flip: when a value changes sign on its way up.
        ending: what a finished game's outcome is multiplied with.
        skip_first: the first simulation backs nothing up.
        extra: simulations beyond num_simulations.
        deep: False stops every walk at the root's children.
        back_up_endings: False forgets the simulations that end in a finished game.
        c: used instead of the one that was asked for.
        evaluate_parent: asks about the position before the last move.
        only_root: only the root's edge is updated.
        last: of equal scores the last wins.

    Returns:
        visit_counts and value_sum of the root, both [num_actions].
    """
    root = _Position(game, state)
    c = c_asked if c is None else c
    for _ in range(num_simulations - skip_first + extra):
        path, leaf = _walk(game, root, c, last, deep)
        if leaf.outcome is not None:
            if not back_up_endings:
                continue
            value = leaf.outcome * ending
        else:
            value = evaluate(game, (path[-1][0] if evaluate_parent else leaf).state, None)
        _back_up(path[:1] if only_root else path, leaf, _signs(path, leaf, flip), value)
    counts, sums = [0] * game.num_actions, [0.0] * game.num_actions
    for action in root.moves:
        counts[action], sums[action] = root.n[action], root.w[action]
    return counts, sums


def _walk(game, root, c, last, deep) -> tuple[list, _Position]:
    path, node = [], root
    while node.outcome is None:
        action = node.best(c, last)
        path.append((node, action))
        if action not in node.child:
            node.child[action] = _Position(game, game.next_state(node.state, action))
            return path, node.child[action]
        node = node.child[action]
        if not deep:
            break
    return path, node


def _signs(path, leaf, flip) -> list[int]:
    """The sign of the leaf's value on each edge, root to leaf."""
    movers = [node.to_play for node, _ in path] + [leaf.to_play]
    if flip == "late":  # the last edge takes the leaf's value as it is
        movers[-1] = movers[-2]
    signs, sign = [], 1
    for above, below in zip(movers[-2::-1], movers[:0:-1], strict=True):
        if flip == "always" or (flip in ("turn", "late") and above != below):
            sign = -sign
        signs.append(sign)
    return signs[::-1]


def _back_up(path, leaf, signs, value) -> None:
    for (node, action), sign in zip(path, signs[: len(path)], strict=True):
        node.n[action] += 1
        node.w[action] += sign * value
