"""Chapter 3: answers in other words than the solutions' and the faults'."""

import math

import numpy as np

from azlearn.games import TicTacToe
from azlearn.search import Node, Tree
from tests.course.registry import mutant, right

GAME = TicTacToe()

# --- 3.1 select(node, c) ---


def score(node, action, c):
    n, w = node.visit_counts[action], node.value_sum[action]
    return w / n + c * math.sqrt(math.log(node.num_visits) / n) if n else math.inf


@right("3.1")
def select_with_arrays(node, c):
    n = np.array(node.visit_counts, float)
    w = np.array(node.value_sum)
    legal = np.array(node.legal_actions)
    if (n[legal] == 0).any():
        return legal[n[legal] == 0][0]
    scores = w[legal] / n[legal] + c * np.sqrt(np.log(n.sum()) / n[legal])
    return legal[np.argmax(scores)]


@right("3.1")
def select_backwards(node, c):
    best = -math.inf
    for action in reversed(node.legal_actions):
        if score(node, action, c) >= best:
            best, best_action = score(node, action, c), action
    return best_action


def running_maximum(start, first):
    def select(node, c):
        best, best_action = start, first
        for action in node.legal_actions:
            if score(node, action, c) > best:
                best, best_action = score(node, action, c), action
        return best_action

    return select


mutant("3.1", "running maximum starts too high")(running_maximum(-1, None))
mutant("3.1", "running maximum starts too high")(running_maximum(0, -1))

# --- 3.2 expand(game, node, action) ---


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
    "attached at the wrong place": lambda node, child: node.children.append(child),
    "more than one child added": lambda node, child: node.children.append(Node(GAME, child.state)),
    "shares the parent's lists": lambda node, child: setattr(child, "value_sum", node.value_sum),
    "visit counted at expansion": lambda node, child: node.value_sum.__setitem__(0, 9),
    "child starts with visits": lambda node, child: child.visit_counts.__setitem__(0, 1),
    "no named fault": lambda node, child: setattr(node, "children", sole(child, node.children)),
}


def sole(child, children):
    return [other if other is child else None for other in children]


for diagnosis, change in CHANGES.items():
    mutant("3.2", diagnosis)(expand_and(change))

# --- 3.3 backup(path, leaf, value) ---


@right("3.3")
def backup_by_mover(path, leaf, value):
    while path:
        node, action = path.pop()
        node.visit_counts[action] += np.int64(1)
        node.value_sum[action] += np.float64(value if node.to_play == leaf.to_play else -value)


@right("3.3")
def backup_from_the_root(path, leaf, value):
    to_play = leaf.to_play
    for node, action in path:
        value = value if node.to_play == to_play else -value
        to_play = node.to_play
        node.visit_counts[action] += 1
        node.value_sum[action] += value


# --- 3.4 final_move(node) ---


@right("3.4")
def final_sorted(node):
    def key(a):
        return -node.visit_counts[a], -node.q_values[a], a

    return np.int64(sorted(node.legal_actions, key=key)[0])


# --- 3.5 uct_search(game, state, num_simulations, c, evaluate, rng) ---


def search(give=lambda tree: tree, times=1, asks=lambda node: node.outcome is None):
    """A recursive search with parts to replace: what it gives, how much c, whom it asks about."""

    def uct_search(game, state, num_simulations, c, evaluate, rng):
        def simulate(node):
            """The value for the player to move at `node`, after one more simulation through it."""
            action = int(select_with_arrays(node, times * c))
            child, is_new = node.children[action], node.children[action] is None
            if is_new:
                child = node.children[action] = Node(game, game.play(node.state, action))
            if is_new and asks(child):
                value = evaluate(game, child.state, rng)
            else:
                value = simulate(child) if child.outcome is None else child.outcome
            value = value if child.to_play == node.to_play else -value
            node.visit_counts[action] += 1
            node.value_sum[action] += value
            return value

        root = Node(game, state)
        for _ in range(num_simulations):
            simulate(root)
        return give(Tree(game, root))

    return uct_search


right("3.5")(search())
right("3.5")(search(give=lambda tree: tree.root))
mutant("3.5", "not the root")(search(give=lambda tree: tree.best_action()))
mutant("3.5", "a node below the root")(
    search(give=lambda tree: tree.root.children[tree.best_action()])
)
mutant("3.5", "evaluator asked about a finished game")(search(asks=lambda node: True))
mutant("3.5", "no named fault")(search(times=2))

# --- 3.6 backup_points(path, leaf, value) ---


@right("3.6")
def points_after_the_flip(path, leaf, value):
    for node, action in path:
        signed = value if node.to_play == leaf.to_play else -value
        node.visit_counts[action] += 1
        node.value_sum[action] += 0.5 + signed / 2


@right("3.6")
def points_by_their_distance_from_one(path, leaf, value):
    mine, to_play = np.float64(0.5 * value + 0.5), leaf.to_play
    for node, action in path[::-1]:
        if node.to_play != to_play:
            mine, to_play = abs(mine - 1), node.to_play
        node.visit_counts[action] += 1
        node.value_sum[action] += mine
