"""Chapter 9, evaluate and back up (9.1): one question to the network, one value up the path.

The changes of W are written out by hand, root to leaf.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from azlearn.course.backup_cases import booked, form_change
from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare, same, show
from azlearn.course.probe_games import P2, P5, P6
from azlearn.course.sections import explained_for
from azlearn.course.your_puct import puct_consequence, record_puct
from azlearn.course.your_search import TWICE
from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import Node

_FOUR, _THREE = ConnectFour(), TicTacToe()

# (words, game, moves before the root, actions, the network's value at the leaf or None at the end,
# N and W of each edge before, right change of W by hand).
_LINES = (
    ("a leaf after 2 plies that the network gives 0.6", _FOUR, "", (3, 2), 0.6, 0, 0.0,
     [0.6, -0.6]),
    ("a leaf after 3 plies that the network gives -0.5, with N = 2, W = 0.9 before", _FOUR, "",
     (3, 3, 2), -0.5, 2, 0.9, [0.5, -0.5, 0.5]),
    ("a leaf after 1 ply that the network gives 0.25, the second player at the root", _FOUR, "4",
     (4,), 0.25, 1, -0.5, [-0.25]),
    ("a board that Red has just won", _FOUR, "112233", (3,), None, 1, 0.5, [1]),
    ("a board that Red has won, 2 plies down", _FOUR, "1213147", (6, 0), None, 0, 0.0, [-1, 1]),
    ("a finished game that the player to move has won", P2, "", (0,), None, 0, 0.0, [-1]),
    ("a drawn tic-tac-toe board", _THREE, "13246578", (8,), None, 3, 1.5, [0]),
    ("a leaf at which the same player moves again, and the network gives 0.4", P6, "", (0,), 0.4, 1,
     0.2, [0.4]),
    ("a leaf with one legal move that the network gives -0.75", P5, "", (4,), -0.75, 0, 0.0,
     [0.75]),
)  # fmt: skip
_RAW_VALUES = (0.125, -0.375, 0.625)  # what the nodes on the path were worth when they joined


class AskedAtTheEnd(Exception):
    """The network was asked about a finished game."""


class AskedElsewhere(Exception):
    """The network was asked about another position than the leaf's."""


def _leaning(game: Any, state: Any, *, last: bool = False) -> list[float]:
    """A prior [num_actions] that leans to the first legal move, or to the last."""
    legal = game.legal_actions(state)
    weights = {a: 1 + place for place, a in enumerate(legal if last else reversed(legal))}
    return [weights.get(action, 0) / sum(weights.values()) for action in range(game.num_actions)]


def _grow(game: Any, before: str, actions: Sequence[int], n: int, w: float):
    """The path along ``actions``, evaluated nodes with N = n and W = w on its edges; the new leaf."""
    node, path = Node(game, game.from_moves(before)), []
    for action, raw_value in zip(actions, _RAW_VALUES, strict=False):
        node.prior, node.raw_value = _leaning(game, node.state), raw_value
        node.visit_counts[action], node.value_sum[action] = n, w
        node.children[action] = Node(game, game.play(node.state, action))
        path.append((node, action))
        node = node.children[action]
    return path, node


def backup_lines() -> list[Case]:
    """Arguments: movers along the path and at the leaf, the leaf's value, N, W before, finished."""
    cases = []
    for words, game, before, actions, said, n, w, change in _LINES:
        path, leaf = _grow(game, before, actions, n, w)
        movers = [node.to_play for node, _ in path] + [leaf.to_play]
        value = float(leaf.outcome) if said is None else said
        arguments = (movers, value, n, w, said is None)
        cases.append(Case(words, arguments, ([1] * len(actions), change)))
    return cases


def _pair(change: Sequence[float]) -> tuple[list[int], list[float]]:
    return [1] * len(change), list(change)


def _own_values(movers: Sequence[int], value: float, *rest: Any) -> tuple[list[int], list[float]]:
    """Every edge gets the value of the node behind it, not the leaf's."""
    values = [*_RAW_VALUES[1 : len(movers) - 1], value]
    pairs = zip(movers, movers[1:], values, strict=False)
    return _pair([-v if above != below else v for above, below, v in pairs])


def _late(movers: Sequence[int], value: float, *rest: Any) -> tuple[list[int], list[float]]:
    """The leaf's own view on the last edge, the sign changed from there on."""
    return _pair(booked([*movers[:-1], movers[-2]], value))


_PATH = "along the path, after {case}, the change should be {right}; yours is {yours}. "
_FAULTS = (
    Fault(
        "value not negated at backup",
        lambda m, v, *rest: _pair(booked(m, v, when=lambda above, below: False)),
        _PATH + "The network speaks for the player to move at the leaf; the edge above belongs to "
        "the other.",
    ),
    Fault(
        "the sign starts on the wrong side",
        _late,
        _PATH + "Already the last edge belongs to the other player than the leaf: change the sign "
        "before you add.",
    ),
    Fault(
        TWICE,
        lambda m, v, *rest: _pair(booked(m, v, when=lambda above, below: True)),
        _PATH + "Negate only where `to_play` changes.",
    ),
    Fault(
        "finished game valued for the wrong player",
        lambda m, v, n, w, over: _pair(booked(m, -v if over else v)),
        _PATH + "`leaf.outcome` speaks for the player to move at the leaf, as the network does.",
    ),
    Fault(
        "finished game counted as 0",
        lambda m, v, n, w, over: _pair(booked(m, 0.0 if over else v)),
        _PATH + "At the end the rules know the value: `leaf.outcome`.",
    ),
    Fault(
        "every edge gets the value of the node behind it",
        _own_values,
        _PATH + "Only the *new* node's value goes up, the same number on every edge but for the "
        "sign. The `raw_value` of the older nodes went up when they joined.",
    ),
    Fault(
        "the value is rounded to a result",
        lambda m, v, *rest: _pair(booked(m, (v > 0) - (v < 0))),
        _PATH + "A network's value is no game's result: it is booked as it is, between -1 and 1.",
    ),
    Fault(
        "overwrites instead of adding",
        lambda m, v, n, w, over: _pair([x - w for x in booked(m, v)]),
        _PATH + "W is a sum: `+=`, not `=`.",
    ),
    Fault(
        "mean instead of sum",
        lambda m, v, n, w, over: _pair([(w + x) / (n + 1) - w for x in booked(m, v)]),
        _PATH + "W is a sum; the mean Q = W / N is worked out when it is needed.",
    ),
    Fault(
        "visits not counted",
        lambda m, v, *rest: ([0] * (len(m) - 1), booked(m, v)),
        _PATH + "Each edge's N grows by 1.",
    ),
    Fault(
        "only the last edge",
        lambda m, v, *rest: (
            [0] * (len(m) - 2) + [1],
            [0.0] * (len(m) - 2) + booked(m, v)[-1:],
        ),
        _PATH + "Every edge on the path was visited, up to the root.",
    ),
)  # fmt: skip


@explained_for("9.1")
def check_absorb(call: Call) -> str:
    cases = backup_lines()
    given = [_absorbed(call, line) for line in _LINES]
    compare(cases, given, _FAULTS, form=form_change)
    return (
        "One question, one number: the value changes sign on the way up, the prior stays with the "
        "node."
    )


def _absorbed(call: Call, line: tuple) -> tuple[list[float], list[float]]:
    """What the reader's function changes on the edges of one line, root to leaf."""
    words, game, before, actions, said, n, w, _ = line
    path, leaf = _grow(game, before, actions, n, w)
    edges, above, asked = list(path), list(path[-1][0].prior), []

    def evaluate(rules: Any, state: Any) -> tuple[list[float], float]:
        if said is None:
            raise AskedAtTheEnd
        if state != leaf.state:
            raise AskedElsewhere
        asked.append(state)
        return _leaning(game, state, last=True), said

    value, problem = call.attempt(game, path, leaf, evaluate, shown=words)
    if isinstance(problem, AskedAtTheEnd):
        drawn = leaf.outcome == 0
        raise Wrong(
            "a draw is taken for no result" if drawn else "network asked about a finished game",
            f"For {words}, your function asked the network. "
            + (
                "`if leaf.outcome:` is false for a draw, 0, too: ask whether it `is not None`."
                if drawn
                else "If `leaf.outcome` is not None, the rules have decided."
            ),
        )
    if isinstance(problem, AskedElsewhere):
        raise Wrong(
            "evaluates another node, not the new one",
            f"For {words}, your function asked about another position than `leaf.state`.",
        )
    call.settle(value, problem, may_return_none=True)
    _nothing_below(leaf, words)
    change = (
        [node.visit_counts[action] - n for node, action in edges],
        [float(node.value_sum[action]) - w for node, action in edges],
    )
    if said is not None:
        _prior_kept(leaf, edges[-1][0], above, _leaning(game, leaf.state, last=True), words)
        _value_kept(leaf, said, words)
        if len(asked) > 1:
            raise Wrong(
                "the network is asked twice",
                f"For {words}, your function asked the network {len(asked)} times. One answer holds "
                "both: `prior, value = evaluate(game, leaf.state)`. The network is what a search "
                "waits for.",
            )
    return change


def _nothing_below(leaf: Node, words: str) -> None:
    if any(leaf.visit_counts) or any(leaf.value_sum):
        raise Wrong(
            "booked on the leaf's own edges",
            f"For {words}, N or W appeared on the leaf's own moves. None of them has been tried: the "
            "value says how good the *leaf* is, and belongs to the edges that lead to it.",
            [("N of the leaf", [0] * len(leaf.visit_counts), list(leaf.visit_counts))],
        )


def _prior_kept(leaf: Node, parent: Node, above: list, prior: list, words: str) -> None:
    if leaf.prior is not None and same(leaf.prior, prior):
        return
    if not same(parent.prior, above):
        raise Wrong(
            "the prior is put on the parent",
            f"For {words}, the prior of the node above the leaf has changed. The network was asked "
            "about the leaf: its prior is for the moves *there*.",
        )
    raise Wrong(
        "the prior is not kept",
        f"For {words}, `leaf.prior` is {show(leaf.prior):.60} afterwards; the network said "
        f"{show(prior)}. Without it the next simulation through this node cannot choose.",
    )


def _value_kept(leaf: Node, said: float, words: str) -> None:
    if leaf.raw_value is not None and same(leaf.raw_value, said):
        return
    raise Wrong(
        "the node's own value is not kept",
        f"For {words}, `leaf.raw_value` is {show(leaf.raw_value):.60} afterwards; keep the network's "
        f"{show(said)} there, as it is, for the player to move at the leaf.",
    )


EXERCISES = (
    Exercise(
        id="9.1",
        title="Evaluate and back up",
        minutes=12,
        difficulty=2,
        function="absorb(game, path, leaf, evaluate)",
        check=check_absorb,
        explore=lambda call, diagnosis: record_puct(absorb=call.quietly),
        remark=puct_consequence,
        diagnoses=(
            *(fault.name for fault in _FAULTS),
            "network asked about a finished game",
            "a draw is taken for no result",
            "evaluates another node, not the new one",
            "the network is asked twice",
            "booked on the leaf's own edges",
            "the prior is put on the parent",
            "the prior is not kept",
            "the node's own value is not kept",
        ),
        hints=(
            "Two things come from the network. One stays with the new node, the other travels up. And "
            "who decides when the game is over?",
            "`leaf.prior, leaf.raw_value = evaluate(game, leaf.state)`; then exercise 3.3 with that "
            "value.",
            "In near-code:\n\n"
            "    if the leaf's outcome is not None: value = outcome\n"
            "    otherwise: prior and value from evaluate; keep both in the leaf\n"
            "    below = leaf\n"
            "    for (node, action), from the leaf's end:\n"
            "        if the player to move differs from below's: value = -value\n"
            "        one visit, and the value, to the edge\n"
            "        below = node",
        ),
    ),
)
