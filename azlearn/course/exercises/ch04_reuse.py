"""Chapter 4, the subtree to keep (4.5): the root of the next search.

The tree is written out edge by edge; a node that is there already must be given back itself.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, as_list, same, show
from azlearn.course.sections import explained_for
from azlearn.course.small_trees import columns, grown
from azlearn.games import ConnectFour
from azlearn.search import MCTS, Node, Recorder, Recording, Tree, random_rollout, uct

GAME = ConnectFour()

# Red has searched after 44, has played 3 and was answered with 5.
_KEPT = {
    "": {2: (9, 3), 4: (5, -1), 5: (1, -1)},
    "3": {4: (5, -3), 2: (2, 0), 3: (1, 1)},
    "35": {3: (3, 2), 1: (1, 0)},
    "354": {6: (1, 1), 0: (1, -1)},
    "5": {2: (2, 1), 4: (2, 1)},
    "53": {3: (1, 0)},
    "6": {},
}
_BEFORE = "44"
_PLAYED = [2, 4]


def _fresh_tree() -> Node:
    return grown(GAME, _BEFORE, _KEPT)


@explained_for("4.5")
def check_reuse(call: Call) -> str:
    _check_kept(call)
    for moves, words in (
        ([2, 6], "the reply was never searched"),
        ([6, 3], "your own move was never searched"),
    ):
        _check_made(call, moves, words)
    root = _fresh_tree()
    if call(GAME, root, [], shown="no move was played since") is not root:
        raise Wrong(
            UNRECOGNISED,
            "When no move was played since, the position is that of the root: give the root back.",
        )
    return (
        "Both moves are followed, and what was known stays. Below, a search of 200 simulations "
        "goes on in what your function kept of one before."
    )


def _check_kept(call: Call) -> None:
    root = _fresh_tree()
    own, kept = root.children[2], root.children[2].children[4]
    before = _held(kept)
    shown = "the tree after 44, with 3 and 5 played since"
    node, problem = call.attempt(GAME, root, list(_PLAYED), shown=shown)
    node = _settled(call, node, problem, shown, "the tree ends before the moves do")
    wrong_nodes = (
        (root, "the old root again", "That is the position of two moves ago."),
        (
            own,
            "only your own move is followed",
            "There the opponent is to move; the reply has been played as well.",
        ),
        (
            root.children[4].children[2],
            "the moves in the wrong order",
            "That is the node after 5 and 3 (`reversed`, or `pop()`?): your move came first.",
        ),
    )
    for wrong, name, message in wrong_nodes:
        if node is wrong:
            raise Wrong(
                name, f"On {shown}, you gave back the node after {_where(root, wrong)}. {message}"
            )
    if node is not kept:
        _raise_for_new_node(node, kept, shown)
    _check_untouched(before, _held(kept), shown)
    if root.visit_counts[2] != 9 or own.visit_counts[4] != 5:
        raise Wrong(UNRECOGNISED, "The statistics above the node were changed; leave them alone.")


def _held(node: Node) -> tuple[list[int], list[float], list]:
    """N, W and what lies below, copied."""
    below = [child and _held(child) for child in node.children]
    return as_list(node.visit_counts), as_list(node.value_sum), below


def _check_untouched(before: tuple, after: tuple, shown: str) -> None:
    """Raise Wrong if the kept node no longer holds what it held."""
    if after == before:
        return
    (n, w, below), (n_after, w_after, below_after) = before, after
    rows = [("N", n, n_after), ("W", w, w_after)]
    right = f"On {shown}, the node is the right one, but"
    if n_after == n and w_after != w and same(w_after, [-x for x in w]):
        raise Wrong(
            "W is negated",
            f"{right} the signs of its W were changed. They are in the view of the player to move "
            "there, before the moves as after them: nothing is to be turned.",
            rows[1:],
        )
    if not any(n_after) or not any(w_after):
        raise Wrong(
            "the statistics are emptied",
            f"{right} its N or W were set to 0. They are what makes it worth keeping.",
            rows,
        )
    if (n_after, w_after) == (n, w) and not any(below_after):
        raise Wrong(
            "what lies below is cut off",
            f"{right} its children are gone. The next search would have to find them again.",
            [("children", sum(map(bool, below)), 0)],
        )
    where = "its N or W are" if (n_after, w_after) != (n, w) else "what lies below it is"
    raise Wrong(UNRECOGNISED, f"{right} {where} not as before. Leave the subtree as it was.", rows)


def _where(root: Node, node: Node) -> str:
    """The moves to a node of the tree, in columns."""
    if node is root:
        return "44"
    for action, child in enumerate(root.children):
        if child is node:
            return f"44{columns([action])}"
        for reply, below in enumerate(child.children if child else ()):
            if below is node:
                return f"44{columns([action, reply])}"
    return "other moves"


def _raise_for_new_node(node: Node, kept: Node, shown: str) -> None:
    if node.state != kept.state:
        raise Wrong(
            "another position",
            f"On {shown}, the node you gave back is of another position. It must be that after all "
            "the moves.",
            [("position", _named(kept.state), _named(node.state))],
        )
    if same(node.visit_counts, kept.visit_counts) and same(node.value_sum, kept.value_sum):
        if any(node.children):
            raise Wrong(
                "a copy instead of the node",
                f"On {shown}, you gave back a copy with the same numbers, and nodes below it. A copy "
                "of a large tree costs time and memory, and nothing is gained: give back the node "
                "itself.",
            )
        raise Wrong(
            "a copy without its children",
            f"On {shown}, you made a new node and copied N and W into it, but what lies below is "
            "lost. Give back the node itself.",
        )
    if any(node.visit_counts):
        raise Wrong(
            UNRECOGNISED,
            f"On {shown}, you made a new node with other numbers. Give back the node itself.",
            [("N", kept.visit_counts, node.visit_counts), ("W", kept.value_sum, node.value_sum)],
        )
    raise Wrong(
        "nothing is kept",
        f"On {shown}, you gave back a new node, though the tree has one with "
        f"{kept.num_visits} visits. Look the child up *before* anything replaces the root, and "
        "make a node only where there is none.",
        [("visits kept", kept.num_visits, 0)],
    )


def _check_made(call: Call, moves: list[int], words: str) -> None:
    root = _fresh_tree()
    shown = f"the tree after 44, with {columns(moves)} played since: {words}"
    node, problem = call.attempt(GAME, root, list(moves), shown=shown)
    node = _settled(call, node, problem, shown, "nothing where the tree ends")
    state = GAME.from_moves(_BEFORE + columns(moves))
    if node.state != state:
        raise Wrong(
            "another position where the tree ends",
            f"On {shown}, the node you gave back is of another position. Play the remaining moves "
            "too, with `game.next_state`.",
            [("position", _named(state), _named(node.state))],
        )
    if any(node.visit_counts):
        raise Wrong(UNRECOGNISED, f"On {shown}, a new node starts without visits.")


def _named(state: Any) -> str:
    """ "after 4435": a position by the fewest moves that lead to it from the root."""
    for length in range(4):
        for actions in product(range(GAME.num_actions), repeat=length):
            moves = _BEFORE + columns(actions)
            if GAME.from_moves(moves) == state:
                return f"after {moves}"
    return "none that follows from the root"


def _settled(call: Call, node: Any, problem: BaseException | None, shown: str, name: str) -> Node:
    """The node; a missing one has a name of its own."""
    if isinstance(problem, AttributeError) or (problem is None and node is None):
        found = f"raised `AttributeError`: {problem}" if problem else "gave back `None`"
        raise Wrong(
            name,
            f"On {shown}, your function {found}. Where `children[action]` is None, make the node "
            "of the position: `Node(game, state)`.",
        )
    node = call.settle(node, problem)
    if not isinstance(node, Node):
        raise Wrong(
            "not a node",
            f"On {shown}, a node is asked for, the next search's root; you gave {show(node):.60}.",
        )
    return node


_SEARCHES = 200


def _searched() -> tuple[Node, list[int]]:
    """A search of 200 simulations after 44, and the two moves that it expects."""
    tree = MCTS(GAME, uct(1.0), random_rollout()).run(GAME.from_moves(_BEFORE), _SEARCHES, 0)
    return tree.root, tree.principal_variation()[:2]


def explore_reuse(call: Call, diagnosis: str) -> Recording:
    """The search goes on below the expected moves, in what the reader's function keeps."""
    root, moves = _searched()
    kept = call.quietly(GAME, root, list(moves))  # a reader's may empty the list
    recorder = Recorder()
    search = MCTS(GAME, uct(1.0), random_rollout(), recorder=recorder)
    state = GAME.from_moves(_BEFORE + columns(moves))
    search.run(state, _SEARCHES, 1, tree=Tree(GAME, kept))
    return recorder.recording()


def _what_survived(found: Recording) -> str:
    root, moves = _searched()
    for action in moves:
        root = root.children[action]
    visits = found.tree.root.num_visits - _SEARCHES
    if visits == root.num_visits:
        return (
            f"\n\nIn the search below, the {visits} visits of the subtree were there before its "
            "first simulation; the fault shows in other positions, or below the root."
        )
    return (
        f"\n\nIn the search below, {visits} visits were there before its first simulation; with "
        f"the subtree kept there are {root.num_visits}."
    )


EXERCISES = (
    Exercise(
        id="4.5",
        title="Keep the subtree",
        minutes=10,
        difficulty=2,
        function="reuse(game, root, moves)",
        check=check_reuse,
        explore=explore_reuse,
        remark=_what_survived,
        diagnoses=(
            "the old root again",
            "only your own move is followed",
            "the moves in the wrong order",
            "the statistics are emptied",
            "W is negated",
            "what lies below is cut off",
            "another position",
            "a copy instead of the node",
            "a copy without its children",
            "nothing is kept",
            "the tree ends before the moves do",
            "nothing where the tree ends",
            "another position where the tree ends",
            "not a node",
        ),
        hints=(
            "Follow the moves from the root, one child after the other. What if there is no child?",
            "`child = node.children[action]`; if it is None, `Node(game, game.next_state(node.state, "
            "action))`. Then go on from there.",
            "In near-code:\n\n"
            "    node = root\n"
            "    for each action of moves:\n"
            "        node = the child behind it, or a new node of the position after it\n"
            "    return node",
        ),
    ),
)
