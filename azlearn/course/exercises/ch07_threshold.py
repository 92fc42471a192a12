"""Chapter 7, the expansion threshold (7.3): counted on the edge that leads to the leaf.

Yes or no is worked out by hand beside each case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from azlearn.course.checking import Call, Exercise
from azlearn.course.comparing import Case, Fault, compare
from azlearn.course.sections import explained_for
from azlearn.course.your_apv import record_apv, right_apv
from azlearn.course.your_puct import puct_consequence
from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import Node

_FOUR, _THREE = ConnectFour(), TicTacToe()

# words, game, moves before the root, actions of the path, N of the path's edges and of one other
# move beside each, threshold, right. Of the visits of an edge threshold + 1 end at its node.
_LINES = (
    ("a new leaf, threshold 0", _FOUR, "", (3,), (0,), (5,), 0, True),  # 1 > 0
    ("a new leaf, threshold 1", _FOUR, "", (3,), (0,), (5,), 1, False),  # 1 > 1 fails
    ("a leaf with one visit before, threshold 1", _FOUR, "", (3,), (1,), (5,), 1, True),  # 2 > 1
    ("N = 9 and 2 on the path, threshold 3", _FOUR, "4", (3, 2), (9, 2), (6, 3), 3, False),
    ("N = 9 and 3 on the path, threshold 3", _FOUR, "4", (3, 2), (9, 3), (6, 2), 3, True),
    ("N = 50, 20 and 1 on the path, threshold 3", _FOUR, "", (3, 2, 2), (50, 20, 1), (30, 26, 15), 3,
     False),
    ("N = 100 and 39 on the path, threshold 40", _FOUR, "", (0, 6), (100, 39), (5, 20), 40, False),
    ("N = 100 and 40 on the path, threshold 40", _FOUR, "", (0, 6), (100, 40), (5, 19), 40, True),
    ("N = 12 and 6 on the path, not expanded yet although the threshold is 3", _THREE, "5", (0, 2),
     (12, 6), (2, 2), 3, True),
    ("a finished, won game with N = 7, threshold 3", _FOUR, "112233", (3,), (7,), (2,), 3, False),
    ("a finished, drawn game with N = 7, threshold 3", _THREE, "1324657", (7, 8), (11, 7), (4, 0), 3,
     False),
)  # fmt: skip


def grow(
    game: Any, before: str, actions: Sequence[int], counts: Sequence[int], beside: Sequence[int]
) -> tuple[list[tuple[Node, int]], Node]:
    """The path with N = ``counts`` on its edges, another move of each node with ``beside``; the leaf.

    Every node has a prior but the leaf.
    """
    node, path = Node(game, game.from_moves(before)), []
    for action, n, others in zip(actions, counts, beside, strict=True):
        legal = node.legal_actions
        node.prior = [1 / len(legal) * (a in legal) for a in range(game.num_actions)]
        other = next((a for a in legal if a != action), None)
        if other is not None:
            node.visit_counts[other] = others
        node.visit_counts[action] = n
        node.children[action] = Node(game, game.play(node.state, action))
        path.append((node, action))
        node = node.children[action]
    return path, node


def cases() -> list[Case]:
    """Arguments: N of the path's edges, N beside them, the threshold, the leaf's outcome."""
    made = []
    for words, game, before, actions, counts, beside, threshold, right in _LINES:
        _, leaf = grow(game, before, actions, counts, beside)
        made.append(Case(words, (counts, beside, threshold, leaf.outcome), right))
    return made


def _fault(name: str, passes: Callable[..., bool], message: str) -> Fault:
    """Expands where passes(counts, beside, threshold), never a finished game."""
    return Fault(name, lambda ns, others, t, outcome: outcome is None and passes(ns, others, t),
                 "with {case}, the right answer is {right}; yours is {yours}. " + message)  # fmt: skip


_LATE = (
    "N does not count the visit under way yet: backup comes later. This visit is number N + 1, and "
    "it expands if that is above the threshold."
)
_EARLY = "N + 1 must be *above* the threshold, not equal to it: 40 visits, and the 41st expands."
_PARENT = (
    "You counted every move of the node above, but the question is how often the search came to "
    "*this* leaf: `visit_counts[action]` of the last edge."
)
_ROOT = (
    "You counted on the first edge of the path. It has the visits of everything below it; the leaf's "
    "own are on the *last* edge, `path[-1]`."
)
_BELOW = (
    "You counted the leaf's own moves. Below a leaf nobody has been, so that is 0, however often "
    "it was visited: its visits stand on the edge that leads to it."
)
_FAULTS = (
    _fault("one visit late", lambda ns, others, t: ns[-1] > t, _LATE),
    _fault("one visit early", lambda ns, others, t: ns[-1] + 1 >= t, _EARLY),
    _fault("counted on the parent", lambda ns, others, t: ns[-1] + others[-1] + 1 > t, _PARENT),
    _fault("counted on the parent", lambda ns, others, t: ns[-1] + others[-1] > t, _PARENT),
    _fault("counted on the root's edge", lambda ns, others, t: ns[0] + 1 > t, _ROOT),
    _fault("counted on the root's edge", lambda ns, others, t: ns[0] > t, _ROOT),
    _fault("counted on the leaf's moves", lambda ns, others, t: t < 1, _BELOW),
    _fault("counted on the leaf's moves", lambda ns, others, t: t < 0, _BELOW),
    _fault("only the visit that reaches it", lambda ns, others, t: ns[-1] == t,
           "“Above” means from there on, until it is done: with several threads under way N can "
           "step over the number at which you wait, and the node would stay a leaf for ever."),
    _fault("upside down", lambda ns, others, t: ns[-1] + 1 <= t,
           "You expand what was visited *rarely*. The network is slow: it is asked about positions "
           "that the search comes back to."),
    Fault("finished game expanded", lambda ns, others, t, outcome: ns[-1] + 1 > t,
          "with {case}, the right answer is {right}; yours is {yours}. Where `leaf.outcome` is not "
          "None there are no moves, and nothing to ask the policy about."),
    Fault("a draw is taken for no result",
          lambda ns, others, t, outcome: not outcome and ns[-1] + 1 > t,
          "with {case}, the right answer is {right}; yours is {yours}. `if leaf.outcome:` is false "
          "for a draw, 0, too: ask whether it `is not None`."),
)  # fmt: skip


@explained_for("7.3")
def check_threshold(call: Call) -> str:
    given = []
    for words, game, before, actions, counts, beside, threshold, _ in _LINES:
        path, leaf = grow(game, before, actions, counts, beside)
        given.append(call(path, leaf, threshold, shown=words))
    compare(cases(), given, _FAULTS)
    return "Visits of the last edge, this one counted: above the threshold the policy is asked."


EXERCISES = (
    Exercise(
        id="7.3",
        title="When a node is expanded",
        minutes=8,
        difficulty=1,
        function="should_expand(path, leaf, expand_threshold)",
        check=check_threshold,
        explore=lambda call, diagnosis: record_apv(should_expand=call.quietly),
        remark=lambda found: puct_consequence(found, right_apv()),
        diagnoses=tuple(dict.fromkeys(fault.name for fault in _FAULTS)),
        hints=(
            "How often did the search come to this leaf? That number stands on an edge. And does it "
            "count the visit that is under way?",
            "`node, action = path[-1]`; `node.visit_counts[action] + 1` is the number of this visit. "
            "And a finished game has no moves to expand.",
            "In near-code:\n\n"
            "    node, action = the last edge of the path\n"
            "    return leaf's outcome is None and N of that edge + 1 > threshold",
        ),
    ),
)
