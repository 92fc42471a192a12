"""Chapter 3: answers in other words than the solutions' and the faults'."""

import numpy as np

from azlearn.games import TicTacToe
from azlearn.search import Node, Tree
from tests.course.registry import mutant, right

GAME = TicTacToe()


@right("3.1")
def select_with_arrays(node, c):
    n = np.array(node.visit_counts, float)
    w = np.array(node.value_sum)
    legal = np.array(node.legal_actions)
    if (n[legal] == 0).any():
        return legal[n[legal] == 0][0]
    scores = w[legal] / n[legal] + c * np.sqrt(np.log(n.sum()) / n[legal])
    return legal[np.argmax(scores)]


@right("3.2")
def expand_by_or(game, node, action):
    children = list(node.children)
    children[action] = children[action] or Node(game, game.play(node.state, action))
    node.children = children
    return children[action]


def expand_and(change):
    """A right expansion, and then a change."""

    def expand(game, node, action):
        if node.children[action] is None:
            node.children[action] = Node(game, game.play(node.state, action))
            change(node, node.children[action])
        return node.children[action]

    return expand


CHANGES = {
    "the child is attached at the wrong index": lambda node, child: node.children.append(child),
    "more than one child added": lambda node, child: node.children.append(Node(GAME, child.state)),
    "shares the parent's lists": lambda node, child: setattr(child, "value_sum", node.value_sum),
    "the visit is counted at expansion": lambda node, child: node.value_sum.__setitem__(0, 9),
    "the child starts with visits": lambda node, child: child.visit_counts.__setitem__(0, 1),
    "no named fault": lambda node, child: setattr(node, "children", sole(child, node.children)),
}


def sole(child, children):
    return [other if other is child else None for other in children]


for diagnosis, change in CHANGES.items():
    mutant("3.2", diagnosis)(expand_and(change))


@right("3.3")
def backup_by_mover(path, leaf, value):
    while path:
        node, action = path.pop()
        node.visit_counts[action] += np.int64(1)
        node.value_sum[action] += np.float64(value if node.to_play == leaf.to_play else -value)


@right("3.4")
def final_sorted(node):
    def key(a):
        return -node.visit_counts[a], -node.q_values[a], a

    return np.int64(sorted(node.legal_actions, key=key)[0])


@right("3.5")
def search_by_recursion(game, state, num_simulations, c, evaluate, rng):
    def simulate(node):
        """The value for the player to move at `node`, after one more simulation through it."""
        action = int(select_with_arrays(node, c))
        child = node.children[action]
        if child is None:
            child = node.children[action] = Node(game, game.play(node.state, action))
            value = evaluate(game, child.state, rng) if child.outcome is None else child.outcome
        else:
            value = simulate(child) if child.outcome is None else child.outcome
        value = value if child.to_play == node.to_play else -value
        node.visit_counts[action] += 1
        node.value_sum[action] += value
        return value

    root = Node(game, state)
    for _ in range(num_simulations):
        simulate(root)
    return Tree(game, root)


@right("3.6")
def points_after_the_flip(path, leaf, value):
    for node, action in path:
        signed = value if node.to_play == leaf.to_play else -value
        node.visit_counts[action] += 1
        node.value_sum[action] += 0.5 + signed / 2
