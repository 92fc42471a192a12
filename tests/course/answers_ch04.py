"""Chapter 4: answers as readers could have written them."""

import copy
import math

import numpy as np

from azlearn.search import Node
from tests.course.registry import mutant, right

# --- 4.1 path ---

for _diagnosis, _values in {
    "best mean at every node": ("47441",),
    "most visits at every node": ([4, 7, 1, 1, 1],),
    "Yellow's W read as Red's": ("711",),
    "ΣN of the root at every node": ("7411",),
    "logarithm to base 10": ("4747",),
    "bonus only": ("111",),
    "stops at the last node of the tree": ([7, 4, 7, 7],),
    "first move only": ("7", 7, [7]),
    "from the leaf to the root": ("17747",),
    "counted from 0": ([6, 3, 6, 6, 0],),
    "through a column that is not open": ("2", "745", "78", "40", "4123456"),
    "not a row of columns": ("left", 7.5, [[7], [4]]),
    "no named fault": ("74471", "747711", "1", "74", "74774"),
    "": (74771, "7 4 7 7 1", "7 → 4 → 7 → 7 → 1", [7.0, 4, 7, 7, 1], np.array([7, 4, 7, 7, 1])),
}.items():
    for _value in _values:
        _register = mutant("4.1", _diagnosis) if _diagnosis else right("4.1")
        _register(lambda value=_value: value)


# --- 4.2 leaf_value(game, leaf, evaluate, rng) ---


@right("4.2")
def leaf_asks_the_rules(game, leaf, evaluate, rng):
    outcome = game.outcome(leaf.state)
    return evaluate(game, leaf.state, rng) if outcome is None else np.float64(outcome)


@right("4.2")
def leaf_by_its_moves(game, leaf, evaluate, rng):
    if not leaf.legal_actions:
        return leaf.outcome
    return max(-1.0, min(1.0, evaluate(game=game, state=leaf.state, rng=rng)))


# --- 4.3 scores(node, c) ---


@right("4.3")
def scores_with_arrays(node, c):
    n, w = np.array(node.visit_counts, float), np.array(node.value_sum)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = w / n + c * np.sqrt(np.log(max(n.sum(), 1)) / n)
    return np.where(n > 0, scores, np.inf)


@right("4.3")
def scores_one_by_one(node, c):
    for n, q in zip(node.visit_counts, node.q_values, strict=True):
        yield q + c * (math.log(node.num_visits) / n) ** 0.5 if n else math.inf


# --- 4.4 principal_variation(root) ---


@right("4.4")
def line_recursive(root):
    if root is None or not root.num_visits:
        return ()
    action = root.best_action()
    return (np.int64(action), *line_recursive(root.children[action]))


@right("4.4")
def line_yielded(root):
    while root.num_visits:
        n, w = root.visit_counts, root.value_sum
        action = min(range(len(n)), key=lambda a: (-n[a], -w[a], a))
        yield action
        root = root.children[action]


# --- 4.5 reuse(game, root, moves) ---


def _walk(game, root, moves):
    node = root
    for action in moves:
        node = node.children[action] or Node(game, game.next_state(node.state, action))
    return node


@mutant("4.5", "a copy instead of the node")
def reuse_copies_deeply(game, root, moves):
    return copy.deepcopy(_walk(game, root, moves)) if moves else root


@right("4.5")
def reuse_recursive(game, root, moves):
    if not len(moves):
        return root
    if root.children[moves[0]] is None:
        root.children[moves[0]] = Node(game, game.play(root.state, moves[0]))
    return reuse_recursive(game, root.children[moves[0]], moves[1:])


@right("4.5")
def reuse_pops_from_the_front(game, root, moves):
    while moves:
        action = moves.pop(0)
        root = root.children[action] or Node(game, game.next_state(root.state, action))
    return root


# --- 4.6 decided(root, num_left) ---


@right("4.6")
def decided_with_arrays(root, num_left):
    n = np.array(root.visit_counts)[root.legal_actions]
    others = np.delete(n, n.argmax())
    return num_left == 0 or (others + num_left < n.max()).all()


@right("4.6")
def decided_by_the_best(root, num_left):
    best, n = root.best_action(), root.visit_counts
    rivals = [a for a in root.legal_actions if a != best and n[a] + num_left >= n[best]]
    return not num_left or not rivals
