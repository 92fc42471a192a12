"""Chapter 3, the tree: expand (3.2) adds a node, backup (3.3) books a value.

What backup should leave behind is written out edge by edge, by hand.
"""

from __future__ import annotations

from typing import Any

from azlearn.course.backup_cases import BACKUP_FAULTS, backup_cases, changes_made, form_change
from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, compare
from azlearn.course.sections import explained_for
from azlearn.course.your_search import consequence, record_with, root_of
from azlearn.games import ConnectFour, State
from azlearn.search import Node

CONNECT_FOUR = ConnectFour()

# --- 3.2 expand ----------------------------------------------------------------------------------


@explained_for("3.2")
def check_expand(call: Call) -> str:
    parent = Node(CONNECT_FOUR, CONNECT_FOUR.from_moves("4453"))
    parent.visit_counts[0], parent.value_sum[0] = 3, 1.0
    # By hand: 4453 puts Red on 4 and 5, Yellow on 4 (second row) and 3; Red plays 1, Yellow is next.
    right = CONNECT_FOUR.from_moves("44531")
    shown = 'the node after "4453" and action 0'
    child, problem = call.attempt(CONNECT_FOUR, parent, 0, shown=shown)
    found = [(a, node) for a, node in enumerate(parent.children) if node is not None]
    if problem is not None or child is None:
        child = call.settle(child, problem)
    _check_child(child, parent, right, shown)
    _check_attached(child, parent, found, shown)
    _check_statistics(child, parent)
    again = call(CONNECT_FOUR, parent, 0, shown=f"{shown}, a second time")
    if again is not child or parent.children[0] is not child:
        raise Wrong(
            "existing child replaced",
            "A second call for the same action made a new node: the subtree below the first one, "
            "with all its visits, is lost. If `node.children[action]` is there, give that back. "
            "The search below calls `expand` only where there is no child yet.",
        )
    return "One new node, in its place, with the rules' answer inside and no visits yet."


def _alone_or_losing(found: Any) -> str:
    """The consequence of a wrong expansion."""
    root = root_of(found)
    if not any(root.children):
        return (
            f"\n\nBelow stands the root alone: after {root.num_visits} simulations no other node is "
            "in the tree."
        )
    return consequence(found)


def _check_child(child: Any, parent: Node, right: State, shown: str) -> None:
    if not isinstance(child, Node):
        raise Wrong(
            "not a node",
            f"On {shown} you gave back a {type(child).__name__}. The new *node* is asked for: "
            "`Node(game, state)`.",
        )
    rows = [("child.state", tuple(right), tuple(child.state))]
    if child is parent or child.state == parent.state:
        raise Wrong(
            "the move is not played",
            f"On {shown} the child shows the same position as its parent. The child's state is "
            "`game.next_state(node.state, action)`.",
            rows,
        )
    if child.state == (right.opp, right.me):
        raise Wrong(
            "me and opp the wrong way round",
            f"On {shown} the child's state has the players exchanged. `game.next_state` already "
            "hands the turn over; swap nothing after it.",
            rows,
        )
    if child.state != right:
        raise Wrong(UNRECOGNISED, f"On {shown} the child's state is not the one after 44531.", rows)


def _check_attached(child: Node, parent: Node, found: list, shown: str) -> None:
    if len(parent.children) != 7 or (found and 0 not in [action for action, _ in found]):
        raise Wrong(
            "attached at the wrong place",
            f"On {shown} the child belongs at `node.children[0]`: the index is the action, and "
            "the list keeps its seven entries (`append` makes it eight).",
        )
    if not found or parent.children[0] is not child:
        raise Wrong(
            "child is not attached",
            f"On {shown} the node was made but `node.children[0]` does not hold it. The search "
            "would make it anew at every visit, and the tree would never grow.",
        )
    if len(found) > 1:
        raise Wrong(
            "more than one child added",
            f"On {shown} children appeared for the actions {[action for action, _ in found]}. "
            "One simulation adds one node, behind the edge it followed.",
        )


def _check_statistics(child: Node, parent: Node) -> None:
    if child.visit_counts is parent.visit_counts or child.value_sum is parent.value_sum:
        raise Wrong(
            "shares the parent's lists",
            "The child's visit_counts *are* the parent's list: a visit to one shows up at the "
            "other. Every node needs lists of its own.",
        )
    if parent.visit_counts != [3, 0, 0, 0, 0, 0, 0] or parent.value_sum[0] != 1.0:
        raise Wrong(
            "visit counted at expansion",
            "The parent's N or W changed. Backup counts the visit; counting it here too makes "
            "every new node's first visit two.",
            [("parent N", [3, 0, 0, 0, 0, 0, 0], parent.visit_counts)],
        )
    if any(child.visit_counts) or any(child.value_sum):
        raise Wrong(
            "child starts with visits",
            "The new node's own N and W should all be 0: no move has been tried from it.",
            [("child N", [0] * 7, child.visit_counts), ("child W", [0] * 7, child.value_sum)],
        )


# --- 3.3 backup ----------------------------------------------------------------------------------


@explained_for("3.3")
def check_backup(call: Call) -> str:
    cases = backup_cases()
    given = [changes_made(call, case) for case in cases]
    compare(cases, given, BACKUP_FAULTS, form=form_change)
    return "One visit to every edge of the path, and one flip where the player changes."


EXERCISES = (
    Exercise(
        id="3.2",
        title="Expand",
        minutes=10,
        difficulty=1,
        function="expand(game, node, action)",
        check=check_expand,
        explore=lambda call, diagnosis: record_with(expand=call.quietly),
        remark=_alone_or_losing,
        diagnoses=(
            "not a node",
            "the move is not played",
            "me and opp the wrong way round",
            "attached at the wrong place",
            "child is not attached",
            "more than one child added",
            "shares the parent's lists",
            "visit counted at expansion",
            "child starts with visits",
            "existing child replaced",
        ),
        hints=(
            "Three things: play the move, make a node of the new position, remember it in the "
            "parent.",
            "`Node(game, game.next_state(node.state, action))`, and "
            "`node.children[action] = child`. If something is there already, give it back.",
            "In near-code:\n\n"
            "    if node.children[action] is None:\n"
            "        node.children[action] = a new Node of the position after the move\n"
            "    return node.children[action]",
        ),
    ),
    Exercise(
        id="3.3",
        title="Backup",
        minutes=15,
        difficulty=3,
        function="backup(path, leaf, value)",
        check=check_backup,
        explore=lambda call, diagnosis: record_with(diagnosis, backup=call.quietly),
        remark=consequence,
        diagnoses=(*dict.fromkeys(fault.name for fault in BACKUP_FAULTS), "books at the child"),
        hints=(
            "`value` speaks for the player to move at the leaf. The last edge belongs to the "
            "player who moved *to* the leaf: usually the other one.",
            "Walk the path from the leaf up, `for node, action in reversed(path)`, and negate "
            "`value` whenever `node.to_play` differs from the `to_play` of the node below.",
            "In near-code:\n\n"
            "    below = leaf\n"
            "    for each (node, action), from the leaf's end:\n"
            "        if the player to move differs from below's: value = -value\n"
            "        node.visit_counts[action] += 1\n"
            "        node.value_sum[action] += value\n"
            "        below = node",
        ),
    ),
)
