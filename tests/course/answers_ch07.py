"""Chapter 7: answers as readers could have written them."""

import numpy as np

from azlearn.search import Node
from tests.course.registry import right


@right("7.1")
def priors_by_powers(logits, legal_mask, temperature):
    p = np.zeros(len(logits))
    p[legal_mask] = np.exp(logits[legal_mask] - logits[legal_mask].max())
    p = (p / p.sum()) ** (1 / temperature)
    return (p / p.sum()).tolist()


@right("7.2")
def leaf_value_by_steps(game, leaf, v, final, mixing_lambda):
    z = game.outcome(final)
    if game.to_play(final) != game.to_play(leaf):
        z *= -1
    return np.float64(z if leaf == final else v + mixing_lambda * (z - v))


@right("7.3")
def should_expand_by_legal_moves(path, leaf, expand_threshold):
    *_, (node, action) = path
    return int(bool(leaf.legal_actions) and node.visit_counts[action] > expand_threshold - 1)


@right("7.4")
def come_home_in_two_steps(path, leaf, value, virtual_loss):
    for node, action in path:
        node.visit_counts[action] -= virtual_loss
        node.value_sum[action] += virtual_loss
    for node, action in reversed(path):
        node.visit_counts[action] += 1
        node.value_sum[action] += value if node.to_play == leaf.to_play else -value


@right("7.5")
def simulate_by_recursion(game, root, select, policy, evaluate, expand_threshold):
    """The value for the player to move at each node, from the bottom up."""

    def visit(node):
        scores = select(node)
        action = sorted(node.legal_actions, key=lambda a: -scores[a])[0]
        child = node.children[action]
        if child is None:
            child = node.children[action] = Node(game, game.next_state(node.state, action))
        if child.outcome is not None:
            value = child.outcome
        elif child.prior is not None:
            value = visit(child)
        else:
            value = evaluate(game, child.state)
            if node.visit_counts[action] >= expand_threshold:
                child.prior = policy(game, child.state)
        own = value if node.to_play == child.to_play else -value
        node.visit_counts[action] += 1
        node.value_sum[action] += own
        return own

    visit(root)
