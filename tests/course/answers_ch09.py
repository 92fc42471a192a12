"""Chapter 9: answers as readers could have written them."""

import numpy as np

from azlearn.search import Node, Tree
from tests.course.registry import right


@right("9.1")
def absorb_from_the_root(game, path, leaf, evaluate):
    value = game.outcome(leaf.state)
    if value is None:
        prior, value = evaluate(game, leaf.state)
        leaf.prior, leaf.raw_value = list(prior), float(value)
    while path:
        node, action = path.pop()
        node.visit_counts[action] += 1
        node.value_sum[action] += value if node.to_play == leaf.to_play else -value


@right("9.2")
def scores_with_arrays(node, c):
    n, w, p = (np.array(x, float) for x in (node.visit_counts, node.value_sum, node.prior))
    q = np.divide(w, n, out=np.zeros_like(w), where=n > 0)
    return q + c * p * np.sqrt(max(n.sum(), 1)) / (1 + n)


@right("9.3")
def points_of_our_score(n_parent, w, n, prior, c, fpu):
    q = -w / n if n else fpu
    return np.float64((q + c * prior * n_parent**0.5 / (1 + n) + 1) / 2)


@right("9.4")
def noise_from_gammas(prior, legal_actions, alpha, fraction, rng):
    """Dirichlet numbers are gamma numbers made to sum to 1."""
    numbers = rng.gamma(alpha, size=len(legal_actions))
    out = [(1 - fraction) * p for p in prior]
    for action, x in zip(legal_actions, numbers / numbers.sum(), strict=True):
        out[action] += fraction * x
    return out


@right("9.5")
def policy_in_logarithms(visit_counts, temperature):
    counts = np.array(visit_counts, float)
    if temperature < 1e-9:
        return np.eye(len(counts))[counts.argmax()]
    with np.errstate(divide="ignore"):
        exponents = np.log(counts) / temperature
    weights = np.exp(exponents - exponents.max())
    return (weights / weights.sum()).tolist()


@right("9.6")
def search_by_recursion(game, state, num_simulations, c, evaluate, mix):
    def visit(node):
        """The value for the player to move at `node`, after one more simulation through it."""
        if node.outcome is not None:
            return node.outcome
        if node.prior is None:
            node.prior, node.raw_value = evaluate(game, node.state)
            return node.raw_value
        score = scores_with_arrays(node, c)
        action = max(node.legal_actions, key=score.__getitem__)
        child = node.children[action]
        if child is None:
            child = node.children[action] = Node(game, game.play(node.state, action))
        value = visit(child) if child.to_play == node.to_play else -visit(child)
        node.visit_counts[action] += 1
        node.value_sum[action] += value
        return value

    root = Node(game, state)
    visit(root)
    root.prior = mix(root.prior, root.legal_actions)
    for _ in range(num_simulations):
        visit(root)
    return Tree(game, root)


@right("9.6")
def search_that_makes_all_children(game, state, num_simulations, c, evaluate, mix):
    """As AlphaGo Zero expands: a child for each move, without visits."""

    def expand(node):
        node.prior, node.raw_value = evaluate(game, node.state)
        for action in node.legal_actions:
            node.children[action] = Node(game, game.next_state(node.state, action))

    root = Node(game, state)
    expand(root)
    root.prior = mix(root.prior, root.legal_actions)
    for _ in range(num_simulations):
        path, node = [], root
        while node.prior is not None and node.outcome is None:
            scores = scores_with_arrays(node, c)
            action = max(node.legal_actions, key=scores.__getitem__)
            path.append((node, action))
            node = node.children[action]
        if node.outcome is None:
            expand(node)
        value = node.raw_value if node.outcome is None else node.outcome
        for parent, action in path:
            parent.visit_counts[action] += 1
            parent.value_sum[action] += value if parent.to_play == node.to_play else -value
    return root
