"""Chapter 9: answers as readers could have written them."""

import math

import numpy as np

from azlearn.search import Node, Tree
from tests.course.registry import mutant, right

# --- 9.1 absorb(game, path, leaf, evaluate) ---


def _backup(path, leaf, value):
    for node, action in path:
        node.visit_counts[action] += 1
        node.value_sum[action] += value if node.to_play == leaf.to_play else -value


@right("9.1")
def absorb_from_the_root(game, path, leaf, evaluate):
    value = game.outcome(leaf.state)
    if value is None:
        prior, value = evaluate(game, leaf.state)
        leaf.prior, leaf.raw_value = list(prior), float(value)
    while path:
        _backup([path.pop()], leaf, value)


# --- 9.2 puct_scores(node, c) ---


@right("9.2")
def scores_with_arrays(node, c):
    n, w, p = (np.array(x, float) for x in (node.visit_counts, node.value_sum, node.prior))
    q = np.divide(w, n, out=np.zeros_like(w), where=n > 0)
    return q + c * p * np.sqrt(max(n.sum(), 1)) / (1 + n)


@right("9.2")
def scores_illegal_never(node, c):
    for a, p in enumerate(node.prior):
        bonus = c * p * max(node.num_visits, 1) ** 0.5 / (node.visit_counts[a] + 1)
        yield node.q_values[a] + bonus if a in node.legal_actions else -math.inf


# --- 9.3 score_in_points(n_parent, w, n, prior, c, fpu) ---


@right("9.3")
def points_of_our_score(n_parent, w, n, prior, c, fpu):
    q = -w / n if n else fpu
    return np.float64((q + c * prior * n_parent**0.5 / (1 + n) + 1) / 2)


@right("9.3")
def points_in_two_cases(n_parent, w, n, prior, c, fpu):
    if n == 0:
        return 0.5 * (1 + fpu) + 0.5 * c * prior * math.sqrt(n_parent)
    return (n - w) / (2 * n) + c * prior * math.sqrt(n_parent) / (2 + 2 * n)


# --- 9.4 noisy_prior(prior, legal_actions, alpha, fraction, rng) ---


def _mixed(prior, legal_actions, fraction, noise):
    out = [(1 - fraction) * p for p in prior]
    for action, x in zip(legal_actions, noise, strict=True):
        out[action] += fraction * x
    return out


@right("9.4")
def noise_from_gammas(prior, legal_actions, alpha, fraction, rng):
    """Dirichlet numbers are gamma numbers made to sum to 1."""
    numbers = rng.gamma(alpha, size=len(legal_actions))
    return _mixed(prior, legal_actions, fraction, numbers / numbers.sum())


@right("9.4")
def noise_from_sticks(prior, legal_actions, alpha, fraction, rng):
    """A stick is broken, what is left of it again, and so on."""
    noise, left = [], 1.0
    for others in reversed(range(len(legal_actions))):
        noise.append(left * rng.beta(alpha, alpha * others) if others else left)
        left -= noise[-1]
    return tuple(_mixed(prior, legal_actions, fraction, noise))


# --- 9.5 visit_policy(visit_counts, temperature) ---


@right("9.5")
def policy_in_logarithms(visit_counts, temperature):
    counts = np.array(visit_counts, float)
    if temperature < 1e-9:
        return np.eye(len(counts))[counts.argmax()]
    with np.errstate(divide="ignore"):
        exponents = np.log(counts) / temperature
    weights = np.exp(exponents - exponents.max())
    return (weights / weights.sum()).tolist()


@right("9.5")
def policy_in_single_precision(visit_counts, temperature):
    shares = np.array(visit_counts, dtype=np.float32) / max(visit_counts)
    if temperature == 0:
        return [float(a == shares.argmax()) for a in range(len(shares))]
    weights = shares ** np.float32(1 / temperature)
    return weights / weights.sum()


def _plain(visit_counts, temperature):
    weights = [n ** (1 / temperature) for n in visit_counts]
    return [w / sum(weights) for w in weights]


mutant("9.5", "τ = 0 divides by zero")(_plain)  # and it overflows at a small τ


@mutant("9.5", "no named fault")
def policy_gives_up(visit_counts, temperature):
    try:
        return _plain(visit_counts, temperature)
    except ArithmeticError:
        return policy_in_logarithms(visit_counts, 0)


# --- 9.6 puct_search(game, state, num_simulations, c, evaluate, mix) ---


def _search(
    at_each=lambda root, mix: None,
    at_the_end=lambda node, evaluate: None,
    joins=lambda node, evaluate, mix: None,
    scores=scores_with_arrays,
    answer=lambda root: root,
):
    """A recursive search with a part to replace."""

    def puct_search(game, state, num_simulations, c, evaluate, mix):
        def visit(node):
            """The value for the player to move at `node`, after one more simulation through it."""
            if node.outcome is not None:
                at_the_end(node, lambda at: evaluate(game, at))
                return node.outcome
            if node.prior is None:
                node.prior, node.raw_value = evaluate(game, node.state)
                joins(node, lambda at: evaluate(game, at), mix)
                return node.raw_value
            score = scores(node, c)
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
            at_each(root, mix)
        return answer(root)

    return puct_search


def _mixes_again(node, mix):
    node.prior = mix(node.prior, node.legal_actions)


def _scores_from_one(node, c):
    """The node's own visit counts too."""
    n, w, p = (np.array(x, float) for x in (node.visit_counts, node.value_sum, node.prior))
    return w / np.maximum(n, 1) + c * p * np.sqrt(1 + n.sum()) / (1 + n)


right("9.6")(_search())
right("9.6")(_search(answer=lambda root: Tree(None, root)))
mutant("9.6", "noise more than once a search")(_search(_mixes_again))
mutant("9.6", "noise below the root")(_search(joins=lambda node, _, mix: _mixes_again(node, mix)))
mutant("9.6", "network asked about a finished game")(
    _search(at_the_end=lambda node, evaluate: evaluate(node.state))
)
mutant("9.6", "the network is asked twice about a node")(
    _search(joins=lambda node, evaluate, _: evaluate(node.state))
)
mutant("9.6", "not the root")(_search(answer=lambda root: root.best_action()))
mutant("9.6", "no named fault")(_search(scores=_scores_from_one))
