"""Chapter 4: answers as readers could have written them."""

import numpy as np

from azlearn.search import Node
from tests.course.registry import mutant, right

for _diagnosis, _values in {
    "follows the best mean at every node": ("47441",),
    "follows the most visits at every node": ([4, 7, 1, 1, 1],),
    "Yellow's W read as Red's": ("711",),
    "uses the root's ΣN at every node": ("7411",),
    "logarithm to base 10": ("4747",),
    "follows the bonus only": ("111",),
    "stops at the last node of the tree": ([7, 4, 7, 7],),
    "gives only the first move": (7,),
    "lists the moves from the leaf to the root": ("17747",),
    "columns are counted from 0": ([6, 3, 6, 6, 0],),
    "plays in a column that is not open": ("2", "78"),
    "does not give a string of columns": ("left", [[7], [4]]),
    "no named fault": ("747711", "1", "74"),
    "": (74771, "7 → 4 → 7 → 7 → 1", np.array([7.0, 4, 7, 7, 1])),
}.items():
    for _value in _values:
        _register = mutant("4.1", _diagnosis) if _diagnosis else right("4.1")
        _register(lambda value=_value: value)


@right("4.2")
def leaf_by_its_moves(game, leaf, evaluate, rng):
    if not leaf.legal_actions:
        return leaf.outcome
    return max(-1.0, min(1.0, evaluate(game=game, state=leaf.state, rng=rng)))


@right("4.3")
def scores_with_arrays(node, c):
    n, w = np.array(node.visit_counts, float), np.array(node.value_sum)
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = w / n + c * np.sqrt(np.log(max(n.sum(), 1)) / n)
    return np.where(n > 0, scores, np.inf)


@right("4.4")
def line_recursive(root):
    if root is None or not root.num_visits:
        return ()
    action = root.best_action()
    return (np.int64(action), *line_recursive(root.children[action]))


@right("4.5")
def reuse_pops_from_the_front(game, root, moves):
    while moves:
        action = moves.pop(0)
        root = root.children[action] or Node(game, game.next_state(root.state, action))
    return root


@right("4.6")
def decided_with_arrays(root, simulations_left):
    n = np.array(root.visit_counts)[root.legal_actions]
    others = np.delete(n, n.argmax())
    return simulations_left == 0 or (others + simulations_left < n.max()).all()
