"""Chapter 4, the subtree to keep: answers as readers could have written them."""

import copy

import numpy as np

from azlearn.search import Node
from tests.course.registry import mutant, right

# --- 4.5 reuse(game, root, moves) ---


def _walk(game, root, moves):
    node = root
    for action in moves:
        state = game.next_state(node.state, action)
        node = node.children[action] or Node(game, state)
    return node


@mutant("4.5", "nothing is kept")
def reuse_replaces_first(game, root, moves):
    for action in moves:
        root = Node(game, game.next_state(root.state, action))
        root = root.children[action] or root
    return root


@mutant("4.5", "the old root again")
def reuse_stays(game, root, moves):
    node = root
    for action in moves:
        node = node.children[action] or Node(game, game.next_state(node.state, action))
    return root


@mutant("4.5", "only your own move is followed")
def reuse_own_move(game, root, moves):
    return _walk(game, root, moves[:1])


@mutant("4.5", "the moves in the wrong order")
def reuse_reversed(game, root, moves):
    return _walk(game, root, reversed(moves))


@mutant("4.5", "the moves in the wrong order")
def reuse_pop(game, root, moves):
    while moves:
        action = moves.pop()
        root = root.children[action] or Node(game, game.next_state(root.state, action))
    return root


@mutant("4.5", "another position")
def reuse_best_reply(game, root, moves):
    own = _walk(game, root, moves[:1])
    return own.children[3] or own


@mutant("4.5", "the statistics are emptied")
def reuse_empties(game, root, moves):
    node = _walk(game, root, moves)
    node.visit_counts = [0] * game.num_actions
    node.value_sum = [0.0] * game.num_actions
    return node


@mutant("4.5", "the statistics are emptied")
def reuse_empties_with_arrays(game, root, moves):
    node = _walk(game, root, moves)
    node.value_sum = np.zeros(game.num_actions)
    return node


@mutant("4.5", "W is negated")
def reuse_negates(game, root, moves):
    node = _walk(game, root, moves)
    node.value_sum = [-w for w in node.value_sum]
    return node


@mutant("4.5", "no named fault")
def reuse_negates_below(game, root, moves):
    node = _walk(game, root, moves)
    for child in filter(None, node.children):
        child.value_sum = [-w for w in child.value_sum]
    return node


@mutant("4.5", "no named fault")
def reuse_halves(game, root, moves):
    node = _walk(game, root, moves)
    node.visit_counts = [n // 2 for n in node.visit_counts]
    return node


@mutant("4.5", "what lies below is cut off")
def reuse_prunes(game, root, moves):
    node = _walk(game, root, moves)
    node.children = [None] * game.num_actions
    return node


@mutant("4.5", "a copy without its children")
def reuse_copies(game, root, moves):
    old = _walk(game, root, moves)
    new = Node(game, old.state)
    new.visit_counts, new.value_sum = list(old.visit_counts), list(old.value_sum)
    return new


@mutant("4.5", "a copy instead of the node")
def reuse_copies_deeply(game, root, moves):
    return copy.deepcopy(_walk(game, root, moves)) if moves else root


@mutant("4.5", "a copy instead of the node")
def reuse_copies_flatly(game, root, moves):
    return copy.copy(_walk(game, root, moves))


@mutant("4.5", "no named fault")
def reuse_copies_negated(game, root, moves):
    node = copy.deepcopy(_walk(game, root, moves))
    node.value_sum = [-w for w in node.value_sum]
    return node


@mutant("4.5", "nothing where the tree ends")
def reuse_none(game, root, moves):
    for action in moves:
        root = root.children[action] if root else None
    return root


@mutant("4.5", "nothing where the tree ends")
def reuse_falls(game, root, moves):
    for action in moves:
        root = root.children[action]
    return root


@mutant("4.5", "another position where the tree ends")
def reuse_stops_there(game, root, moves):
    for action in moves:
        if root.children[action] is None:
            return Node(game, root.state)
        root = root.children[action]
    return root


@mutant("4.5", "the tree ends before the moves do")
def reuse_forgets_to_return(game, root, moves):
    for action in moves:
        root = root.children[action]


@mutant("4.5", "not a node")
def reuse_state(game, root, moves):
    return _walk(game, root, moves).state


@mutant("4.5", "no named fault")
def reuse_always_two(game, root, moves):
    return _walk(game, root, moves) if moves else Node(game, root.state)


@right("4.5")
def reuse_recursive(game, root, moves):
    if not len(moves):
        return root
    child = root.children[moves[0]]
    if child is None:
        child = Node(game, game.play(root.state, moves[0]))
    return reuse_recursive(game, child, moves[1:])


@right("4.5")
def reuse_pops_from_the_front(game, root, moves):
    while moves:
        action = moves.pop(0)
        root = root.children[action] or Node(game, game.next_state(root.state, action))
    return root
