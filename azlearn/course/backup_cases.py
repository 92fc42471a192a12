"""Paths, and what a backup should leave on them: for exercises 3.3 and 3.6.

A case is a line of moves, the value at its leaf, and N and W on every edge before. The right
changes are written out by hand; the faults are what a backup with one thing wrong would do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from azlearn.course.checking import Call
from azlearn.course.comparing import Case, Fault, Wrong, signed
from azlearn.course.probe_games import P6
from azlearn.course.your_search import TWICE
from azlearn.games import ConnectFour, State
from azlearn.search import Node

_FOUR = ConnectFour()

# (words, game, moves before the root, actions, value at the leaf, N and W of each edge before,
# right change of W)
_LINES = (
    (
        "a win for the player to move after 4 plies",
        _FOUR,
        "",
        (3, 3, 2, 4),
        1.0,
        0,
        0.0,
        [1, -1, 1, -1],
    ),
    ("a value of -0.5 after 3 plies", _FOUR, "", (0, 6, 0), -0.5, 0, 0.0, [0.5, -0.5, 0.5]),
    ("a loss after 2 plies, with N = 3, W = 2 before", _FOUR, "", (5, 5), -1.0, 3, 2.0, [-1, 1]),
    (
        "a draw after 3 plies, with N = 2, W = 1 before",
        _FOUR,
        "",
        (1, 2, 3),
        0.0,
        2,
        1.0,
        [0, 0, 0],
    ),
    ("two moves of the same player, the second wins", P6, "", (0, 0), -1.0, 0, 0.0, [1, 1]),
    (
        "a value of +0.5 after 3 plies, the second player at the root",
        _FOUR,
        "4",
        (3, 2, 3),
        0.5,
        0,
        0.0,
        [-0.5, 0.5, -0.5],
    ),
)


def backup_cases(right: Sequence[Sequence[float]] | None = None) -> list[Case]:
    """The six cases; `right` gives other changes of W than those of the [-1, 1] convention.

    A case's arguments are (movers along the path and at the leaf, value, N before, W before, game,
    root, actions), its right value the pair (changes of N, changes of W), root to leaf.
    """
    cases = []
    for number, (words, game, before, actions, value, n, w, change) in enumerate(_LINES):
        root = game.from_moves(before)
        path, leaf = _grow(game, root, actions, n, w)
        movers = [node.to_play for node, _ in path] + [leaf.to_play]
        change = list(change if right is None else right[number])
        arguments = (movers, value, n, w, game, root, actions)
        cases.append(Case(words, arguments, ([1] * len(actions), change)))
    return cases


def _grow(
    game, root: State, actions: Sequence[int], n: int, w: float
) -> tuple[list[tuple[Node, int]], Node]:
    """A chain of nodes from `root` along `actions`, N = n and W = w on each of its edges."""
    node, path = Node(game, root), []
    for action in actions:
        node.visit_counts[action], node.value_sum[action] = n, w
        child = Node(game, game.play(node.state, action))
        node.children[action] = child
        path.append((node, action))
        node = child
    return path, node


def changes_made(call: Call, case: Case) -> tuple[list[float], list[float]]:
    """Back the case's value up with the reader's function; the changes of N and W, root to leaf."""
    _, value, n, w, game, root, actions = case.arguments
    path, leaf = _grow(game, root, actions, n, w)
    edges = list(path)
    call(path, leaf, value, shown=case.shown, may_return_none=True)
    _nothing_beside(edges, leaf, case)
    return (
        [node.visit_counts[action] - n for node, action in edges],
        [node.value_sum[action] - w for node, action in edges],
    )


def _nothing_beside(edges: list[tuple[Node, int]], leaf: Node, case: Case) -> None:
    on_path = {(id(node), action) for node, action in edges}
    for node in [*(node for node, _ in edges), leaf]:
        for action, (n, w) in enumerate(zip(node.visit_counts, node.value_sum, strict=True)):
            if (n or w) and (id(node), action) not in on_path:
                raise Wrong(
                    "books at the child",
                    f"On {case.shown}, N = {n}, W = {w:g} appeared at action {action} of a node "
                    "that the path does not leave by that action. Statistics live on the "
                    "*parent's* edge: `node.visit_counts[action]` for each (node, action).",
                )


def booked(
    movers: Sequence[int],
    value: float,
    *,
    flip: Callable[[float], float] = lambda v: -v,
    when: Callable[[int, int], bool] = lambda above, below: above != below,
) -> list[float]:
    """What a backup adds to W, root to leaf, with one thing turned: how it flips, or when."""
    change = []
    for i in range(len(movers) - 2, -1, -1):
        if when(movers[i], movers[i + 1]):
            value = flip(value)
        change.insert(0, value)
    return change


def _pair(change: list[float]) -> tuple[list[int], list[float]]:
    return [1] * len(change), change


def _late(movers, value) -> list[float]:
    """Add first, negate after: the last edge gets the leaf's own view."""
    change = []
    for i in range(len(movers) - 2, -1, -1):
        change.insert(0, value)
        if i > 0 and movers[i] != movers[i - 1]:
            value = -value
    return change


def _flipped_after(movers, value) -> list[float]:
    """Add first, then negate if this mover differs from the one below: one edge too late."""
    change = []
    for i in range(len(movers) - 2, -1, -1):
        change.insert(0, value)
        if movers[i] != movers[i + 1]:
            value = -value
    return change


def _kept_flips(movers, value) -> list[float]:
    """Compare every mover, in the order given, with the leaf's, and keep what was negated."""
    change = []
    for mover in movers[:-1]:
        if mover != movers[-1]:
            value = -value
        change.append(value)
    return change


def _kept_flips_upwards(movers, value) -> list[float]:
    return _kept_flips([*movers[-2::-1], movers[-1]], value)[::-1]


def _from_the_root(movers, value) -> list[float]:
    return [-value * (-1) ** i for i in range(len(movers) - 1)]


_KEPT = "compared with the leaf, but earlier flips are kept"
_KEPT_MESSAGE = (
    "after {case}, along the path the change should be {right}; yours is {yours}. If you compare "
    "each node with the *leaf*, start from the leaf's value at every edge; a value that you "
    "negate for good has to be compared with the node *below*."
)
_LATE = "flipped too late"
_LATE_MESSAGE = (
    "after {case}, along the path the change should be {right}; yours is {yours}. The last edge "
    "belongs to the player who moved *to* the leaf: change the sign before you add."
)


BACKUP_FAULTS = (
    Fault(
        "value not negated at backup",
        lambda m, v, *rest: _pair(booked(m, v, when=lambda above, below: False)),
        "after {case}, along the path the change should be {right}; yours is {yours}. What is "
        "good for one player is bad for the other.",
    ),
    Fault(
        "the sign starts on the wrong side",
        lambda m, v, *rest: _pair(_late(m, v)),
        "after {case}, along the path the change should be {right}; yours is {yours}. Negate "
        "*before* you add: already the last edge belongs to the other player than the leaf.",
    ),
    Fault(
        TWICE,
        lambda m, v, *rest: _pair(booked(m, v, when=lambda above, below: True)),
        "after {case}, along the path the change should be {right}; yours is {yours}. Negate only "
        "where `node.to_play` and the `to_play` below differ.",
    ),
    Fault(_LATE, lambda m, v, *rest: _pair(_flipped_after(m, v)), _LATE_MESSAGE),
    Fault(_KEPT, lambda m, v, *rest: _pair(_kept_flips(m, v)), _KEPT_MESSAGE),
    Fault(_KEPT, lambda m, v, *rest: _pair(_kept_flips_upwards(m, v)), _KEPT_MESSAGE),
    Fault(
        "everything in the root player's view",
        lambda m, v, *rest: _pair([v if m[0] == m[-1] else -v] * (len(m) - 1)),
        "after {case}, along the path the change should be {right}; yours is {yours}: every edge "
        "sees the game with the eyes of the player at the root. W belongs to the player who moves "
        "at the edge's own node.",
    ),
    Fault(
        "everything in the first player's view",
        lambda m, v, *rest: _pair([v if m[-1] == 0 else -v] * (len(m) - 1)),
        "after {case}, along the path the change should be {right}; yours is {yours}: every edge "
        "sees the game with the first player's eyes. W belongs to the player who moves at the "
        "edge's own node.",
    ),
    Fault(
        "walks from the root down",
        lambda m, v, *rest: _pair(_from_the_root(m, v)),
        "after {case}, along the path the change should be {right}; yours is {yours}. The value "
        "starts at the leaf: walk `reversed(path)`.",
    ),
    Fault(
        "walks from the root down",
        lambda m, v, *rest: _pair([-change for change in _from_the_root(m, v)]),
        "after {case}, along the path the change should be {right}; yours is {yours}. The value "
        "starts at the leaf: walk `reversed(path)`, and negate before you add.",
    ),
    Fault(
        "only the last edge",
        lambda m, v, *rest: (
            [0] * (len(m) - 2) + [1],
            [0] * (len(m) - 2) + booked(m, v)[-1:],
        ),
        "after {case}, the change should be {right}; yours is {yours}. Every edge on the path "
        "was visited, up to the root.",
    ),
    Fault(
        "the root is left out",
        lambda m, v, *rest: ([0] + [1] * (len(m) - 2), [0, *booked(m, v)[1:]]),
        "after {case}, the change should be {right}; yours is {yours}. The first edge, the root's, "
        "is where the move is chosen in the end.",
    ),
    Fault(
        "overwrites instead of adding",
        lambda m, v, n, w, *rest: _pair([change - w for change in booked(m, v)]),
        "after {case}, the change should be {right}; yours is {yours}. W is a sum: `+=`, not `=`.",
    ),
    Fault(
        "mean instead of sum",
        lambda m, v, n, w, *rest: _pair([(w + x) / (n + 1) - w for x in booked(m, v)]),
        "after {case}, the change should be {right}; yours is {yours}. W is a sum; the mean is "
        "W / N, worked out when it is needed.",
    ),
    Fault(
        "visits not counted",
        lambda m, v, *rest: ([0] * (len(m) - 1), booked(m, v)),
        "after {case}, the change should be {right}; yours is {yours}. Each edge's N grows by 1.",
    ),
    Fault(
        "only wins are counted",
        lambda m, v, *rest: (
            [int(x > 0) for x in booked(m, v)],
            [max(x, 0) for x in booked(m, v)],
        ),
        "after {case}, the change should be {right}; yours is {yours}. Losses and draws are "
        "visits too.",
    ),
    Fault(
        "the mean of what is already there",
        lambda m, v, n, w, *rest: _pair([x / (n + 1) for x in booked(m, v)]),
        "after {case}, the change should be {right}; yours is {yours}. Dividing each value by the "
        "visits so far gives neither a sum nor a mean: early values weigh more than late ones.",
    ),
)


def form_change(pair: Any) -> str:
    """W along the path, signed; N too where it is not one visit an edge."""
    visits, change = pair
    text = f"W {signed(change)}"
    return text if all(n == 1 for n in visits) else f"N {signed(visits)}, {text}"
