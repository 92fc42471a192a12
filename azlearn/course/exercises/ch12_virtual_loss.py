"""Chapter 12, virtual loss (12.6): put on between the descents, gone at the end.

What every descent finds in the tree is written out by hand, edge by edge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, as_list, compare, show, signed
from azlearn.course.sections import explained_for
from azlearn.games import TicTacToe
from azlearn.search import Node

GAME = TicTacToe()
# Four edges are followed: two of the root's, two of the node behind the first.
EDGES = (("root", 0), ("root", 1), ("below", 4), ("below", 5))
_N, _W = (4, 2, 1, 0), (1.0, 0.5, -0.5, 0.0)
_DOWN, _ASIDE, _DOWN_OTHER = (0, 2), (1,), (0, 3)  # paths, by the numbers of their edges

# words, virtual loss, paths; what each descent finds in (N, W), by hand
_CASES = (
    ("three descents along three paths, virtual loss 3", 3, (_DOWN, _ASIDE, _DOWN_OTHER), (
        ((4, 2, 1, 0), (1.0, 0.5, -0.5, 0.0)),
        ((7, 2, 4, 0), (-2.0, 0.5, -3.5, 0.0)),
        ((7, 5, 4, 0), (-2.0, -2.5, -3.5, 0.0)),
    )),
    ("three descents, the first two along one path, virtual loss 1", 1, (_DOWN, _DOWN, _ASIDE), (
        ((4, 2, 1, 0), (1.0, 0.5, -0.5, 0.0)),
        ((5, 2, 2, 0), (0.0, 0.5, -1.5, 0.0)),
        ((6, 2, 3, 0), (-1.0, 0.5, -2.5, 0.0)),
    )),
    ("four descents that share their first edge, virtual loss 2", 2,
     (_DOWN_OTHER, _DOWN, _DOWN_OTHER, _ASIDE), (
        ((4, 2, 1, 0), (1.0, 0.5, -0.5, 0.0)),
        ((6, 2, 1, 2), (-1.0, 0.5, -0.5, -2.0)),
        ((8, 2, 3, 2), (-3.0, 0.5, -2.5, -2.0)),
        ((10, 2, 3, 4), (-5.0, 0.5, -2.5, -4.0)),
    )),
    ("a single descent, virtual loss 3", 3, (_ASIDE,), (((4, 2, 1, 0), (1.0, 0.5, -0.5, 0.0)),)),
)  # fmt: skip


def tree() -> tuple[Node, Node]:
    """The root and the node below its first edge, with their statistics."""
    root = Node(GAME, GAME.from_moves("59"))
    below = root.children[0] = Node(GAME, GAME.from_moves("591"))
    for (node, action), n, w in zip(EDGES, _N, _W, strict=True):
        node = root if node == "root" else below
        node.visit_counts[action], node.value_sum[action] = n, w
    return root, below


def cases() -> list[Case]:
    """Arguments: virtual loss, paths; right: (N, W) of the four edges, each descent and after."""
    return [
        Case(words, (virtual_loss, paths), [*map(list, found), [_N, _W]])
        for words, virtual_loss, paths, found in _CASES
    ]


# --- wrong ways ----------------------------------------------------------------------------------


def _wrong(
    *,
    put_on: Callable = lambda n, w, k, depth: (n + k, w - k),
    edges: Callable = lambda path: path,
    undo: str = "once",
) -> Callable[..., list]:
    """What a way with one part replaced shows: (N, W) at each descent, and after."""

    def found(virtual_loss: int, paths: Sequence[tuple]) -> list:
        n, w = list(_N), list(_W)
        shown, log, first = [], [], {}
        for path in paths:
            shown.append((tuple(n), tuple(w)))
            saved = {}
            for depth, edge in enumerate(edges(path)):
                saved[edge] = first[edge] = n[edge], w[edge]
                log.append((edge, *saved[edge], virtual_loss, depth))
                n[edge], w[edge] = put_on(n[edge], w[edge], virtual_loss, depth)
            if undo == "at once":
                for edge, before in saved.items():
                    n[edge], w[edge] = before
        if undo in ("once", "last"):
            restore = first if undo == "last" else {edge: (_N[edge], _W[edge]) for edge in first}
            for edge, before in restore.items():
                n[edge], w[edge] = before
        if undo in ("twice", "N stays", "W stays"):
            for edge, *_, k, _depth in log:
                n[edge] -= {"twice": 2 * k, "W stays": k}.get(undo, 0)
                w[edge] += {"twice": 2 * k, "N stays": k}.get(undo, 0)
        return [*shown, (tuple(n), tuple(w))]

    return found


_EDGE = "with {case}, the four edges should hold {right}; yours hold {yours}. "
_FAULTS = (
    Fault("not undone", _wrong(undo="never"),
          _EDGE + "The virtual losses are a guess. When all leaves are found they go, or every "
          "search leaves losses behind that nobody has suffered."),
    Fault("undone twice", _wrong(undo="twice"),
          _EDGE + "Each descent put its losses on once; take them off once."),
    Fault("only W is restored", _wrong(undo="N stays"),
          _EDGE + "Afterwards N still counts the virtual games."),
    Fault("only N is restored", _wrong(undo="W stays"),
          _EDGE + "Afterwards W still holds the virtual losses."),
    Fault("undone before the next descent", _wrong(undo="at once"),
          _EDGE + "If the losses are gone when the next descent starts, it finds the tree as it "
          "was and goes the same way."),
    Fault("edges that two paths share keep a loss", _wrong(undo="last"),
          _EDGE + "What you saved on the second path holds the losses of the first. Restore in the "
          "opposite order, or subtract what each descent has added."),
    Fault("virtual loss counts as a win", _wrong(put_on=lambda n, w, k, depth: (n + k, w + k)),
          _EDGE + "W is for the player who moves there, and a loss is −1 each: `-=`. With `+=` all "
          "descents crowd into one path."),
    Fault("the sign changes along the path",
          _wrong(put_on=lambda n, w, k, depth: (n + k, w - k if depth % 2 == 0 else w + k)),
          _EDGE + "It is no result of a game that one side wins. *Every* edge of the path shall "
          "look worse to the one who chooses there."),
    Fault("N forgotten", _wrong(put_on=lambda n, w, k, depth: (n, w - k)),
          _EDGE + "Games that count as lost also count as played: N grows too. Else an unvisited "
          "move has W without N, and its mean no meaning."),
    Fault("W forgotten", _wrong(put_on=lambda n, w, k, depth: (n + k, w)),
          _EDGE + "More visits alone do not make the games lost: W goes down as well."),
    Fault("one visit, whatever the virtual loss",
          _wrong(put_on=lambda n, w, k, depth: (n + 1, w - k)),
          _EDGE + "Three lost games are three games: N grows by as much as W sinks."),
    Fault("one game, whatever the virtual loss",
          _wrong(put_on=lambda n, w, k, depth: (n + 1, w - 1)),
          _EDGE + "`virtual_loss` says how many lost games a path counts for."),
    Fault("only the last edge", _wrong(edges=lambda path: path[-1:]),
          _EDGE + "Every edge of the path gets it, from the root down. The choice that matters "
          "most is the first."),
    Fault("only the first edge", _wrong(edges=lambda path: path[:1]),
          _EDGE + "Every edge of the path gets it, down to the leaf."),
)  # fmt: skip


# --- the check -----------------------------------------------------------------------------------


@explained_for("12.6")
def check_collect(call: Call) -> str:
    given = []
    for case in cases():
        virtual_loss, paths = case.arguments
        root, below = tree()
        nodes, found = {"root": root, "below": below}, []
        scripted = [[(nodes[EDGES[edge][0]], EDGES[edge][1]) for edge in path] for path in paths]

        def look(nodes=nodes) -> tuple:
            edges = [(nodes[name], action) for name, action in EDGES]
            return (
                tuple(node.visit_counts[action] for node, action in edges),
                tuple(float(node.value_sum[action]) for node, action in edges),
            )

        def descend(start: Node, found=found, scripted=scripted, look=look) -> list:
            found.append(look())
            return list(scripted[(len(found) - 1) % len(scripted)])

        value = call(root, descend, len(paths), virtual_loss, shown=case.shown)
        _check_paths(value, scripted, len(found), case.shown)
        given.append([*found, look()])
    compare(cases(), given, _FAULTS, form=_said, tolerance=1e-9)
    return "Each descent sees the others' paths as lost, and afterwards the tree is as it was."


def _said(found: Sequence[tuple]) -> str:
    """N and W of the four edges at the last descent, and after it."""
    (n, w), after = found[-2], found[-1]
    at_last = f"N {show(n)}, W {signed(w)} at the last descent"
    return f"{at_last}, N {show(after[0])}, W {signed(after[1])} after it"


def _check_paths(value: Any, paths: list, num_descents: int, shown: str) -> None:
    if num_descents != len(paths):
        raise Wrong(
            "not as many descents as asked",
            f"With {shown}, `descend` was called {num_descents} times, and {len(paths)} leaves are "
            "wanted: one call for each.",
        )
    listed = as_list(value)
    given = [as_list(path) for path in listed] if listed is not None else [None]
    if None in given or len(given) != len(paths) or not all(map(_same_path, given, paths)):
        raise Wrong(
            "not the paths",
            f"With {shown}, the list of the paths that `descend` gave is asked for, in their "
            f"order. You gave {show(value):.80}.",
        )


def _same_path(given: list, path: list) -> bool:
    edges = [as_list(edge) for edge in given]
    return len(edges) == len(path) and all(
        edge is not None and len(edge) == 2 and edge[0] is node and edge[1] == action
        for edge, (node, action) in zip(edges, path, strict=True)
    )


EXERCISES = (
    Exercise(
        id="12.6",
        title="Virtual loss, on and off",
        minutes=15,
        difficulty=2,
        function="collect(root, descend, num_leaves, virtual_loss)",
        check=check_collect,
        diagnoses=(
            *(fault.name for fault in _FAULTS),
            "not as many descents as asked",
            "not the paths",
        ),
        hints=(
            "A descent that is under way should look, to the next one, like a few games lost. And "
            "what must the tree look like when you hand it back?",
            "After each descent, for every (node, action) of its path: "
            "`node.visit_counts[action] += virtual_loss`, `node.value_sum[action] -= "
            "virtual_loss`. When all are done, the opposite.",
            "In near-code:\n\n"
            "    paths = []\n"
            "    num_leaves times:\n"
            "        path = descend(root)\n"
            "        on every edge of it: N up by virtual_loss, W down by it\n"
            "        keep the path\n"
            "    for every path, on every edge: N down again, W up again\n"
            "    return paths",
        ),
    ),
)
