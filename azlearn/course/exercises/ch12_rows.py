"""Chapter 12, trees in flat arrays: where an edge lives (12.3), and a node is a row (12.4).

The indices and the arrays after a new row are worked out by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, as_list, compare, same, show
from azlearn.course.sections import explained_for

# --- 12.3 edge_index -----------------------------------------------------------------------------

# words, games, nodes, actions, nodes a game, actions a node, right
_EDGES = (
    ("5 nodes a game, 7 actions a node", [0, 0, 0, 1, 2], [0, 0, 1, 0, 3], [0, 6, 0, 0, 1], 5, 7,
     [0, 6, 7, 35, 92]),
    ("3 nodes a game, 9 actions a node", [1, 2], [2, 0], [8, 4], 3, 9, [53, 58]),
    # (100,000 · 4,097 + 4,096) · 7 + 6; 2**31 is 2,147,483,648
    ("100,001 games of 4,097 nodes, 7 actions a node", [0, 100_000], [4_096, 4_096], [6, 6], 4_097,
     7, [28_678, 2_867_928_678]),
)  # fmt: skip


def edge_cases() -> list[Case]:
    """Arguments: game, node, action, int32 [n]; nodes a game, actions a node; right: [n]."""
    return [
        Case(words, (*(np.array(x, np.int32) for x in (g, n, a)), num_nodes, num_actions), right)
        for words, g, n, a, num_nodes, num_actions, right in _EDGES
    ]


def _fault(name: str, give: Callable[..., Any], message: str) -> Fault:
    def indices(*arguments: Any) -> list:
        game, node, action, *sizes = arguments
        wide = (x.astype(np.int64) for x in (game, node, action))
        return give(*wide, *sizes).tolist()

    return Fault(
        name, indices, "with {case}, the indices are {right}; yours are {yours}. " + message
    )


_LAYOUT = (
    "A game has `num_nodes * num_actions` places, a node `num_actions` of them: whole games come "
    "before, then whole nodes of this game, then actions."
)
_EDGE_FAULTS = (
    _fault(
        "index overflow",
        lambda g, n, a, nodes, actions: (
            ((g * nodes + n) * actions + a).astype(np.int32).astype(np.int64)
        ),
        "int32 ends at 2,147,483,647, and what is larger comes round from below, without a word. "
        "Turn the numbers into int64 *before* you multiply.",
    ),
    _fault("the game's step is too short",
           lambda g, n, a, nodes, actions: g * nodes + n * actions + a, _LAYOUT),
    _fault("the game's step is too short", lambda g, n, a, nodes, actions: (g + n) * actions + a,
           _LAYOUT),
    _fault("the game is left out", lambda g, n, a, nodes, actions: n * actions + a,
           "Every game's edges would lie on top of those of game 0. " + _LAYOUT),
    _fault("nodes and actions exchanged",
           lambda g, n, a, nodes, actions: (g * actions + a) * nodes + n,
           "The actions of a node lie side by side: an action counts single places. " + _LAYOUT),
    _fault("games and nodes exchanged",
           lambda g, n, a, nodes, actions: (n * nodes + g) * actions + a, _LAYOUT),
    _fault("the rows of the root are left out",
           lambda g, n, a, nodes, actions: (g * (nodes - 1) + n) * actions + a,
           "`num_nodes` counts row 0, the root, already."),
)  # fmt: skip


@explained_for("12.3")
def check_edge_index(call: Call) -> str:
    given = []
    for case in edge_cases():
        with np.errstate(over="ignore"):
            value = call(*case.arguments, shown=case.shown)
        listed = as_list(value.numpy() if hasattr(value, "detach") else value)
        if listed is None or len(listed) != len(case.right):
            raise Wrong(
                "not an index for every edge",
                f"With {case.shown}, you got {len(case.right)} edges; as many indices are asked "
                f"for. You gave {show(value):.80}.",
            )
        given.append(listed)
    compare(edge_cases(), given, _EDGE_FAULTS)
    return "The same place that a three-dimensional array finds, beyond 2**31 too."


# --- 12.4 add_row --------------------------------------------------------------------------------


@dataclass
class Rows:
    """The trees of 2 games, 5 nodes and 3 actions each."""

    num_nodes: np.ndarray  # int32 [B], the rows in use, the root's included
    child: np.ndarray  # int32 [B, nodes, A], the row behind every move, 0 = none
    visit_counts: np.ndarray  # int32 [B, nodes, A]
    value_sum: np.ndarray  # float64 [B, nodes, A]
    prior: np.ndarray  # float64 [B, nodes, A]


def before() -> Rows:
    """Game 0 holds 2 rows and game 1 holds 3; the rest are left over from another search."""
    child = np.tile(np.array([4, 2, 1], np.int32), (2, 5, 1))
    visits = np.full((2, 5, 3), 4, np.int32)
    child[0, :2] = [[1, 0, 0], [0, 0, 0]]
    child[1, :3] = [[1, 0, 2], [0, 0, 0], [0, 0, 0]]
    visits[0, :2] = [[2, 1, 0], [1, 0, 0]]
    visits[1, :3] = [[3, 0, 2], [0, 1, 0], [1, 0, 0]]
    return Rows(np.array([2, 3], np.int32), child, visits, visits / 2, np.full((2, 5, 3), 0.25))


# words, game, node, action, prior; the new row
_ADDED = (
    ("game 0, node 1, action 2", 0, 1, 2, [0.5, 0.0, 0.5], 2),
    ("game 1, node 2, action 1", 1, 2, 1, [0.125, 0.25, 0.625], 3),
    ("game 1, node 0, action 1", 1, 0, 1, [0.0, 1.0, 0.0], 3),
)


def row_cases() -> list[Case]:
    """Arguments: game, node, action, prior; right: [row, num_nodes, child, N, W, P] after it."""
    cases = []
    for words, game, node, action, prior, row in _ADDED:
        after = before()
        after.num_nodes[game] = row + 1
        after.child[game, node, action] = row
        for array in (after.child, after.visit_counts, after.value_sum):
            array[game, row] = 0
        after.prior[game, row] = prior
        cases.append(Case(words, (game, node, action, prior), _plain(row, after)))
    return cases


def _plain(row: Any, rows: Rows) -> list:
    return [row, *(np.asarray(getattr(rows, field.name)).tolist() for field in fields(rows))]


def _added(change: Callable[..., Any]) -> Callable[..., list]:
    """What a faulty function leaves behind."""

    def after(game, node, action, prior):
        rows = before()
        return _plain(change(rows, game, node, action, prior), rows)

    return after


def _wrong_add(
    new: Callable = lambda t, g: int(t.num_nodes[g]),
    count: Callable = lambda t, g: t.num_nodes.__setitem__(g, t.num_nodes[g] + 1),
    link: Callable = lambda t, g, node, a, new: t.child.__setitem__((g, node, a), new),
    cleared: tuple[str, ...] = ("child", "visit_counts", "value_sum"),
    link_first: bool = False,
) -> Callable[..., list]:
    """The new row with one part replaced."""

    def add(t, g, node, a, prior):
        row = new(t, g)
        count(t, g)
        if link_first:
            link(t, g, node, a, row)
        for name in cleared:
            getattr(t, name)[g, row] = 0
        t.prior[g, row] = prior
        if not link_first:
            link(t, g, node, a, row)
        return row

    return _added(add)


_ROW = "for {case}. "
_OLD = (
    "The arrays are used again and again, and a row holds what the last search left there. Write "
    "all of the new row: no children, no visits, no value, the new prior."
)
_ROW_FAULTS = (
    Fault("row 0 used as a child", _wrong_add(new=lambda t, g: 0, count=lambda t, g: None),
          _ROW + "Row 0 is the root, and a 0 in `child` says that there is none."),
    *(Fault("the last row is written over",
            _wrong_add(new=lambda t, g: int(t.num_nodes[g]) - 1, link_first=link_first),
            _ROW + "Rows count from 0: with `num_nodes` rows in use the next free one *is* number "
            "`num_nodes`.") for link_first in (True, False)),
    Fault("a row is left out", _wrong_add(new=lambda t, g: int(t.num_nodes[g]) + 1,
          count=lambda t, g: t.num_nodes.__setitem__(g, t.num_nodes[g] + 2)),
          _ROW + "Rows count from 0: with `num_nodes` rows in use the next free one *is* number "
          "`num_nodes`."),
    Fault("the row is not counted", _wrong_add(count=lambda t, g: None),
          _ROW + "The next leaf of this game would be written into the same row."),
    Fault("every game counts a row", _wrong_add(count=lambda t, g: t.num_nodes.__iadd__(1)),
          _ROW + "Only game g has a new node: `num_nodes[g] += 1`."),
    Fault("old numbers left in the row", _wrong_add(cleared=()), _ROW + _OLD),
    Fault("old numbers left in the row", _wrong_add(cleared=("visit_counts", "value_sum")),
          _ROW + _OLD),
    Fault("old numbers left in the row", _wrong_add(cleared=("visit_counts", "child")),
          _ROW + _OLD),
    Fault("old numbers left in the row", _wrong_add(cleared=("child",)), _ROW + _OLD),
    Fault("old numbers left in the row", _wrong_add(cleared=("visit_counts",)), _ROW + _OLD),
    Fault("the parent does not know its child", _wrong_add(link=lambda *_: None),
          _ROW + "Nothing leads to the new row: `child[game, node, action]` holds its number."),
    Fault("the link stands in the new row",
          _wrong_add(link=lambda t, g, node, a, new: t.child.__setitem__((g, new, a), node)),
          _ROW + "Links point down: the *parent's* edge names the new row."),
    Fault("the link stands in the new row",
          _wrong_add(link=lambda t, g, node, a, new: t.child.__setitem__((g, new, a), new)),
          _ROW + "Links point down: the *parent's* edge names the new row."),
    Fault("the link stands at the root",
          _wrong_add(link=lambda t, g, node, a, new: t.child.__setitem__((g, 0, a), new)),
          _ROW + "The move was made at `node`, which need not be row 0."),
    Fault("the prior is put on the parent",
          _added(lambda t, g, node, a, prior: _prior_above(t, g, node, a, prior)),
          _ROW + "The prior is for the moves of the *new* position."),
)  # fmt: skip


def _prior_above(t: Rows, g: int, node: int, a: int, prior: list) -> int:
    row = int(t.num_nodes[g])
    t.num_nodes[g] += 1
    t.child[g, node, a] = row
    for array in (t.child, t.visit_counts, t.value_sum):
        array[g, row] = 0
    t.prior[g, node] = prior
    return row


@explained_for("12.4")
def check_add_row(call: Call) -> str:
    given = []
    for case in row_cases():
        rows, (game, *_) = before(), case.arguments
        value = call(rows, *case.arguments, shown=case.shown)
        after = _plain(value, rows)
        _check_other_game(after, game, case)
        given.append(after)
    _check_returned(given)
    try:
        compare(row_cases(), given, _ROW_FAULTS, form=_said)
    except Wrong as fault:
        fault.message += _first_difference(given)
        raise
    return "A new row, empty but for its prior, and one number in its parent."


def _first_difference(given: list[list]) -> str:
    """The first place of the first wrong answer, as a sentence."""
    names = [field.name for field in fields(Rows)]
    for case, yours in zip(row_cases(), given, strict=True):
        pairs = zip(names, case.right[1:], yours[1:], strict=True)
        for name, *tables in pairs:
            right, found = map(np.array, tables)
            for place in np.argwhere(right != found):
                at = tuple(place.tolist())
                return (
                    f" For {case.shown} `{name}{list(at)}` should be {show(right[at])} afterwards; "
                    f"yours is {show(found[at])}."
                )
    return ""


def _check_other_game(after: list, game: int, case: Case) -> None:
    for name, yours, right in zip(
        (f.name for f in fields(Rows)), after[1:], case.right[1:], strict=True
    ):
        if name != "num_nodes" and not same(yours[1 - game], right[1 - game]):
            raise Wrong(
                "another game's row is written",
                f"For {case.shown}, `{name}` of game {1 - game} has changed. The first index is "
                "the game, and a row's number counts within its game.",
            )


def _check_returned(given: list[list]) -> None:
    pairs = list(zip(row_cases(), given, strict=True))
    wrong = [(case, after[0]) for case, after in pairs if not same(after[0], case.right[0])]
    if wrong and all(same(after[1:], case.right[1:]) for case, after in pairs):
        case, yours = wrong[0]
        raise Wrong(
            "not the row's number",
            f"The arrays are right, but for {case.shown} you gave back {show(yours):.60}, and the "
            f"new node is row {case.right[0]} of its game. Backup will want that number.",
        )


def _said(after: list) -> str:
    return f"row {show(after[0])}, num_nodes {after[1]}"


EXERCISES = (
    Exercise(
        id="12.3",
        title="Where an edge lives",
        minutes=10,
        difficulty=1,
        function="edge_index(game, node, action, num_nodes, num_actions)",
        check=check_edge_index,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _EDGE_FAULTS),
            "not an index for every edge",
        ),
        hints=(
            "How many places lie before the first edge of this game? Before the first edge of this "
            "node? And how large can the number become?",
            "A game holds `num_nodes * num_actions` places. The inputs are int32: "
            "`game.astype(np.int64)` first.",
            "In near-code:\n\n"
            "    game = game, as int64\n"
            "    nodes before = game * nodes a game + node\n"
            "    places before = nodes before * actions a node + action",
        ),
    ),
    Exercise(
        id="12.4",
        title="A node is a row",
        minutes=12,
        difficulty=2,
        function="add_row(trees, game, node, action, prior)",
        check=check_add_row,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _ROW_FAULTS),
            "another game's row is written",
            "not the row's number",
        ),
        hints=(
            "What did `Node(…)` do for you? It took fresh memory, filled it with zeros and handed "
            "you the place. Do the same by hand.",
            "`row = trees.num_nodes[game]`, count it, `trees.child[game, node, action] = row`. "
            "Then every array's `[game, row]`.",
            "In near-code:\n\n"
            "    row = the number of rows in use in this game; one more is in use now\n"
            "    the parent's edge leads to row\n"
            "    child, visit_counts and value_sum of the row: all 0\n"
            "    prior of the row: prior\n"
            "    return row",
        ),
    ),
)
