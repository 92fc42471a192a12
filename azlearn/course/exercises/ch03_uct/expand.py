"""The node behind an edge (3.2)."""

from azlearn.course.comparing import form_statistics
from azlearn.course.drawing import drawn_line
from azlearn.course.kit import FOUR, THREE, Case, attempt, in_words
from azlearn.course.probe_games import P6
from azlearn.course.your_search import consequence, record_with, root_of
from azlearn.search import Node

LISTS = ("visit_counts", "value_sum", "children")
# By hand: Red on 4 and 5, Yellow on 4 (second row) and 3; Red plays 1, bit 0, Yellow is next.
AFTER = {"its position": (1 << 22 | 1 << 14, 1 << 21 | 1 << 28 | 1)}
CASES = [Case('the node after "4453" and action 0', (FOUR, "4453", 0, ()), AFTER)]


def draw(rng):
    """A move beside children that are there. The next action is legal: to follow that one is wrong, but raises nothing."""
    game, moves, (action, *_) = drawn_line(rng, (FOUR, THREE, P6), 1)
    legal = game.legal_actions(game.from_moves(moves))
    if action + 1 not in legal:
        return draw(rng)
    siblings = tuple(a for a in legal if a != action and rng.random() < 0.3)
    beside = f" beside children at {list(siblings)}" if siblings else ""
    words = f"{in_words(game, moves)}, action {action}{beside}"
    return Case(words, (game, moves, action, siblings))


def observe(expand, case):
    game, moves, action, siblings = case.arguments
    node = Node(game, game.from_moves(moves))
    for a in siblings:
        node.children[a] = Node(game, game.next_state(node.state, a))
        node.visit_counts[a], node.value_sum[a] = 3, 1.0
    before = list(node.children)
    child = expand(game, node, action)
    if not isinstance(child, Node):
        return {"what is returned": f"{type(child).__name__}, no Node"}
    after = list(enumerate(node.children))
    places = [a for a, other in after if other is child]
    seen = {
        "what is returned": "a Node",
        "its position": tuple(child.state),
        "its place in node.children": f"at {places}" if places else "nowhere",
        "other children added": [a for a, o in after if o not in (None, child, *before)],
        "children lost": [a for a in siblings if after[a][1] is not before[a]],
        "lists that it shares": [x for x in LISTS if getattr(child, x) is getattr(node, x)],
        "the parent's N and W": form_statistics((node.visit_counts, node.value_sum)),
        "its own N and W": form_statistics((child.visit_counts, child.value_sum)),
    }
    again = attempt(expand, game, node, action)
    kept = again is child and node.children[action] is child
    return seen | {"the same call again": "the same node" if kept else "another node"}


def remark(found):
    """The consequence of a wrong expansion."""
    if any(root_of(found).children):
        return consequence(found)
    words = f"after {root_of(found).num_visits} simulations no other node is in the tree."
    return f"\n\nBelow stands the root alone: {words}"


def explore(call, diagnosis):
    return record_with(expand=call.quietly)
