"""Chapter 7: answers as readers could have written them."""

import math

import numpy as np
import torch

from azlearn.search import Node
from tests.course.registry import mutant, right

# --- 7.1 priors(logits, legal_mask, temperature) ---


@mutant("7.1", "overflows")
def priors_by_math(logits, legal_mask, temperature):
    weights = [math.exp(x / temperature) * ok for x, ok in zip(logits, legal_mask, strict=True)]
    return [weight / sum(weights) for weight in weights]


@mutant("7.1", "overflows")
def priors_relative(logits, legal_mask, temperature):
    """Right as long as no legal move is 1000 better than another."""
    legal = [a for a in range(len(logits)) if legal_mask[a]]
    total = {a: sum(math.exp((logits[b] - logits[a]) / temperature) for b in legal) for a in legal}
    return [1 / total[a] if a in total else 0 for a in range(len(logits))]


@right("7.1")
def priors_of_a_network(logits, legal_mask, temperature):
    """In float32, with a gradient, as a network gives them."""
    x = torch.tensor(logits, dtype=torch.float32, requires_grad=True)
    return x.where(torch.tensor(legal_mask), -math.inf).div(temperature).softmax(0)


@right("7.1")
def priors_by_powers(logits, legal_mask, temperature):
    p = np.zeros(len(logits))
    p[legal_mask] = np.exp(logits[legal_mask] - logits[legal_mask].max())
    p = (p / p.sum()) ** (1 / temperature)
    return (p / p.sum()).tolist()


@right("7.1")
def priors_one_by_one(logits, legal_mask, temperature):
    best = max(x for x, ok in zip(logits, legal_mask, strict=True) if ok)
    pairs = zip(logits, legal_mask, strict=True)
    weights = [math.exp((x - best) / temperature) if ok else 0 for x, ok in pairs]
    for weight in weights:
        yield weight / sum(weights)


# --- 7.2 leaf_value(game, leaf, v, final, mixing_lambda) ---


@right("7.2")
def leaf_value_by_steps(game, leaf, v, final, mixing_lambda):
    z = game.outcome(final)
    if game.to_play(final) != game.to_play(leaf):
        z *= -1
    return np.float64(z if leaf == final else v + mixing_lambda * (z - v))


@right("7.2")
def leaf_value_for_the_first_player(game, leaf, v, final, mixing_lambda):
    """Everything for player 0, turned at the end."""
    sign = [1, -1]
    mine, last = sign[game.to_play(leaf)], sign[game.to_play(final)]
    if (outcome := game.outcome(leaf)) is not None:
        return float(outcome)
    mixed = (1 - mixing_lambda) * v * mine + mixing_lambda * game.outcome(final) * last
    return mixed * mine


# --- 7.3 should_expand(path, leaf, expand_threshold) ---


def _last(path):
    node, action = path[-1]
    return node.visit_counts[action]


@right("7.3")
def should_expand_by_cases(path, leaf, expand_threshold):
    if leaf.outcome is not None:
        return False
    parent, action = path.pop()
    return np.bool_(parent.visit_counts[action] >= expand_threshold)


@right("7.3")
def should_expand_by_legal_moves(path, leaf, expand_threshold):
    *_, (node, action) = path
    return int(bool(leaf.legal_actions) and node.visit_counts[action] > expand_threshold - 1)


# --- 7.4 come_home(path, leaf, value, virtual_loss) ---


def _book(path, leaf, value, virtual_loss):
    for node, action in path:
        node.visit_counts[action] += 1 - virtual_loss
        node.value_sum[action] += virtual_loss + (value if node.to_play == leaf.to_play else -value)


@right("7.4")
def come_home_in_two_steps(path, leaf, value, virtual_loss):
    for node, action in path:
        node.visit_counts[action] -= virtual_loss
        node.value_sum[action] += virtual_loss
    _book(path, leaf, value, 0)


@right("7.4")
def come_home_by_popping(path, leaf, value, virtual_loss):
    below = leaf
    while path:
        node, action = path.pop()
        value *= 1 if node.to_play == below.to_play else -1
        node.visit_counts[action] = node.visit_counts[action] - (virtual_loss - 1)
        node.value_sum[action] = value + virtual_loss + node.value_sum[action]
        below = node


# --- 7.5 simulate(game, root, select, policy, evaluate, expand_threshold) ---


def _simulate(
    *,
    choose=lambda node, scores: max(node.legal_actions, key=scores.__getitem__),
    walks_on=lambda node: node.prior is not None,
    add=lambda node, action, leaf: node.children.__setitem__(action, leaf),
    expands=lambda path, leaf, t: leaf.outcome is None and _last(path) + 1 > t,
    value_of=lambda leaf, ask: leaf.outcome if leaf.outcome is not None else ask(),
):
    """The right way with one part replaced."""

    def simulate(game, root, select, policy, evaluate, expand_threshold):
        path, leaf = [], root
        while leaf is not None and leaf.outcome is None and walks_on(leaf):
            path.append((leaf, choose(leaf, select(leaf))))
            leaf = leaf.children[path[-1][1]]
        if leaf is None:
            node, action = path[-1]
            leaf = Node(game, game.next_state(node.state, action))
            add(node, action, leaf)
        if expands(path, leaf, expand_threshold):
            leaf.prior = policy(game, leaf.state)
        _book(path, leaf, value_of(leaf, lambda: evaluate(game, leaf.state)), 0)

    return simulate


mutant("7.5", "selects in a node that is not expanded")(_simulate(walks_on=lambda node: True))
mutant("7.5", "policy asked about a finished game")(
    _simulate(expands=lambda path, leaf, t: _last(path) + 1 > t)
)
mutant("7.5", "a finished game is evaluated")(_simulate(value_of=lambda leaf, ask: ask()))
mutant("7.5", "a draw is taken for no result")(
    _simulate(value_of=lambda leaf, ask: leaf.outcome or ask())
)
mutant("7.5", "the new node is not kept")(_simulate(add=lambda node, action, leaf: None))
mutant("7.5", "no named fault")(  # some legal moves have the prior 0
    _simulate(choose=lambda node, x: max(np.flatnonzero(node.prior), key=x.__getitem__))
)


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


right("7.5")(
    _simulate(choose=lambda node, scores: node.legal_actions[scores[node.legal_actions].argmax()])
)
