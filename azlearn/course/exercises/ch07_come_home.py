"""Chapter 7, a thread comes home (7.4): its virtual loss goes, its value is booked, in one step.

The changes of N and W are written out by hand, root to leaf.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from azlearn.course.backup_cases import BACKUP_FAULTS, booked
from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, Case, Fault, compare, show, signed
from azlearn.course.probe_games import P6
from azlearn.course.sections import explained_for
from azlearn.course.your_apv import grow_by_threads, right_threads
from azlearn.course.your_puct import puct_consequence
from azlearn.course.your_search import TWICE
from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import Node

_FOUR, _THREE = ConnectFour(), TicTacToe()

# words, game, moves before the root, actions, value at the leaf, virtual loss, N and W of each
# edge before (this thread's virtual loss in them), right changes of N and of W
_LINES = (
    # 0.6 for the leaf's mover, who is the root's: +0.6 above, -0.6 on the last edge; 3 lost games
    # come back everywhere.
    ("a leaf 2 plies down with the value 0.6, virtual loss 3", _FOUR, "", (3, 2), 0.6, 3,
     ((12, 1.5), (4, -2.5)), ((-2, -2), (3.6, 2.4))),
    ("a leaf 3 plies down with the value -0.5, virtual loss 1", _FOUR, "", (3, 3, 2), -0.5, 1,
     ((9, 2.0), (5, -1.0), (1, -1.0)), ((0, 0, 0), (1.5, 0.5, 1.5))),
    ("a new leaf with the value 0.25, virtual loss 2", _FOUR, "4", (4,), 0.25, 2,
     ((2, -2.0),), ((-1,), (1.75,))),
    ("a leaf 2 plies down where three threads are under way, value -1, virtual loss 3", _THREE, "",
     (4, 0), -1.0, 3, ((30, -8.0), (10, -9.5)), ((-2, -2), (2.0, 4.0))),
    ("a board that X has just won (value -1 for O), virtual loss 3", _THREE, "1425", (2,), -1.0, 3,
     ((5, -1.0),), ((-2,), (4.0,))),
    ("a leaf at which the same player moves again, value 0.4, virtual loss 2", P6, "", (0,), 0.4, 2,
     ((4, -1.2),), ((-1,), (2.4,))),
    # The mover of both edges has won: +1 on each.
    ("two moves of the same player, the second wins (value -1 for the other), virtual loss 2", P6, "",
     (0, 0), -1.0, 2, ((7, 0.5), (3, -2.0)), ((-1, -1), (3.0, 3.0))),
    ("a leaf 2 plies down with the value 0.5, virtual loss 0", _FOUR, "", (0, 6), 0.5, 0,
     ((6, 1.0), (2, 0.5)), ((1, 1), (0.5, -0.5))),
)  # fmt: skip


def grow(
    game: Any, before: str, actions: Sequence[int], edges: Sequence[tuple[int, float]]
) -> tuple[list[tuple[Node, int]], Node]:
    """The path with (N, W) on its edges, and the leaf."""
    node, path = Node(game, game.from_moves(before)), []
    for action, (n, w) in zip(actions, edges, strict=True):
        node.visit_counts[action], node.value_sum[action] = n, w
        node.children[action] = Node(game, game.play(node.state, action))
        path.append((node, action))
        node = node.children[action]
    return path, node


def cases() -> list[Case]:
    """Arguments: movers along the path and at the leaf, the value, the virtual loss."""
    made = []
    for words, game, before, actions, value, k, edges, right in _LINES:
        path, leaf = grow(game, before, actions, edges)
        movers = [node.to_play for node, _ in path] + [leaf.to_play]
        made.append(Case(words, (movers, value, k), tuple(map(list, right))))
    return made


# --- wrong ways ----------------------------------------------------------------------------------

_Change = tuple[list[float], list[float]]


def _wrong(
    *,
    n: Callable[[int], float] = lambda k: 1 - k,
    w: Callable[[float, int], float] = lambda value, k: value + k,
    values: Callable[[Sequence[int], float], list[float]] = booked,
) -> Callable[..., _Change]:
    """Changes of N and W with one part replaced; w takes the edge's own view of the value."""

    def give(movers: Sequence[int], value: float, k: int) -> _Change:
        own = values(movers, value)
        return [n(k)] * len(own), [w(v, k) for v in own]

    return give


def _on_one_edge(which: int) -> Callable[..., _Change]:
    """The value goes up everywhere, the virtual loss comes off at one edge only."""

    def give(movers: Sequence[int], value: float, k: int) -> _Change:
        own = booked(movers, value)
        off = [k if i == which % len(own) else 0 for i in range(len(own))]
        return [1 - x for x in off], [v + x for v, x in zip(own, off, strict=True)]

    return give


def _late(movers: Sequence[int], value: float) -> list[float]:
    return booked([*movers[:-1], movers[-2]], value)


def _turned_with_it(movers: Sequence[int], value: float, k: int) -> _Change:
    """The lost games are added to the value, and then change their sign with it."""
    changes = booked(movers, value + k)
    return [1 - k] * len(changes), changes


def _with_sign_of(fault: Fault) -> Fault:
    """The fault of exercise 3.3, with the virtual loss taken off as it should be."""
    return Fault(
        fault.name, _wrong(values=lambda movers, value: fault.give(movers, value)[1]), fault.message
    )


# Of 3.3's faults those in which only the sign is wrong; three more stand below in words of 7.4.
_SIGNS = (
    "flipped too late",
    "compared with the leaf, but earlier flips are kept",
    "everything in the root player's view",
    "everything in the first player's view",
    "walks from the root down",
)
_PATH = "after {case}, the change along the path should be {right}; yours is {yours}. "
_FAULTS = (
    Fault("virtual loss not taken off", _wrong(n=lambda k: 1, w=lambda value, k: value),
          _PATH + "The value is booked, but the lost games stay: nobody lost them, and every search "
          "leaves more of them behind."),
    Fault("N keeps the virtual games", _wrong(n=lambda k: 1),
          _PATH + "Going down added n_vl games to N; coming home takes them off and leaves one, the "
          "visit itself."),
    Fault("W keeps the virtual losses", _wrong(w=lambda value, k: value),
          _PATH + "Going down took n_vl off W. They come back: W += n_vl, and then the value."),
    Fault("taken off with the wrong sign", _wrong(w=lambda value, k: value - k),
          _PATH + "Going down *lowered* W by n_vl. Lower it again, and the path counts as lost twice "
          "over; add n_vl."),
    Fault("taken off twice", _wrong(n=lambda k: 1 - 2 * k, w=lambda value, k: value + 2 * k),
          _PATH + "The thread put its virtual loss on once. What you take off beyond that belongs to "
          "the other threads, which are still under way."),
    Fault("the visit itself is not counted", _wrong(n=lambda k: -k),
          _PATH + "The virtual games go and one real one comes: N changes by 1 − n_vl."),
    Fault("the virtual loss changes sign with the value", _turned_with_it,
          _PATH + "The value belongs to one player, and changes sign on the way up. The virtual loss "
          "was a loss for *whoever chose*, at each edge: it comes back with + everywhere."),
    Fault("one lost game, whatever the virtual loss",
          _wrong(n=lambda k: 0, w=lambda value, k: value + 1),
          _PATH + "`virtual_loss` says how many games were put on."),
    Fault("the value counts for every virtual game",
          _wrong(n=lambda k: 0 * k, w=lambda value, k: k + k * value),
          _PATH + "You turned the virtual games into real ones, each with this value. One "
          "simulation is one visit and one value."),
    Fault("taken off at the last edge only", _on_one_edge(-1),
          _PATH + "Every edge of the path carries the virtual loss, from the root down."),
    Fault("taken off at the first edge only", _on_one_edge(0),
          _PATH + "Every edge of the path carries the virtual loss, down to the leaf."),
    Fault("value not negated at backup",
          _wrong(values=lambda m, v: booked(m, v, when=lambda above, below: False)),
          _PATH + "What is good for one player is bad for the other: the value changes sign where "
          "`to_play` does."),
    Fault("the sign starts on the wrong side", _wrong(values=_late),
          _PATH + "Already the last edge belongs to the other player than the leaf: change the sign "
          "before you add."),
    Fault(TWICE, _wrong(values=lambda m, v: booked(m, v, when=lambda above, below: True)),
          _PATH + "Negate only where `to_play` changes."),
    Fault("the value is not booked", _wrong(w=lambda value, k: k),
          _PATH + "The virtual loss is gone, and the value has not arrived: W += n_vl + value, in the "
          "view of each edge's player."),
    *(_with_sign_of(fault) for fault in BACKUP_FAULTS if fault.name in _SIGNS),
)  # fmt: skip


# --- the check -----------------------------------------------------------------------------------


@explained_for("7.4")
def check_come_home(call: Call) -> str:
    given = []
    for words, game, before, actions, value, k, edges, _ in _LINES:
        path, leaf = grow(game, before, actions, edges)
        own = list(path)
        call(path, leaf, value, k, shown=words, may_return_none=True)
        _nothing_beside(own, leaf, words)
        now = [(node.visit_counts[a], float(node.value_sum[a])) for node, a in own]
        given.append(
            (
                [n - before for (n, _), (before, _) in zip(now, edges, strict=True)],
                [w - before for (_, w), (_, before) in zip(now, edges, strict=True)],
            )
        )
    compare(cases(), given, _FAULTS, form=_said)
    return (
        "The lost games come back on every edge, one visit and the value stay: whoever comes home "
        "last, the tree is that of plain backups."
    )


def _said(change: _Change) -> str:
    n, w = change
    return f"N {signed(n)}, W {signed([round(x, 6) for x in w])}"


def _nothing_beside(path: list[tuple[Node, int]], leaf: Node, words: str) -> None:
    """Raise Wrong if another edge than the path's has changed."""
    on_path = {(id(node), action) for node, action in path}
    for node in [*(node for node, _ in path), leaf]:
        for action, (n, w) in enumerate(zip(node.visit_counts, node.value_sum, strict=True)):
            if (n or w) and (id(node), action) not in on_path:
                where = "the leaf" if node is leaf else "a node of the path"
                raise Wrong(
                    "books at the child" if node is not path[0][0] else UNRECOGNISED,
                    f"After {words}, N = {show(n)}, W = {show(w)} stand at action {action} of "
                    f"{where}, which the path does not take. Each (node, action) of the path is an "
                    "edge of its own: `node.visit_counts[action]`.",
                )


EXERCISES = (
    Exercise(
        id="7.4",
        title="A thread comes home",
        minutes=12,
        difficulty=2,
        function="come_home(path, leaf, value, virtual_loss)",
        check=check_come_home,
        explore=lambda call, diagnosis: grow_by_threads(call.quietly),
        remark=lambda found: puct_consequence(found, right_threads()),
        diagnoses=(*dict.fromkeys(fault.name for fault in _FAULTS), "books at the child"),
        hints=(
            "Two things happen to each edge: lost games that were only supposed come back, and one "
            "real visit with a real value is added. Which of them depends on whose edge it is?",
            "On each edge, from the leaf's end: turn the value if `to_play` changes, then "
            "`N += 1 - virtual_loss` and `W += virtual_loss + value`.",
            "In near-code:\n\n"
            "    below = leaf\n"
            "    for (node, action), from the leaf's end:\n"
            "        if the player to move differs from below's: value = -value\n"
            "        N of the edge: minus virtual_loss, plus 1\n"
            "        W of the edge: plus virtual_loss, plus value\n"
            "        below = node",
        ),
    ),
)
