"""Chapter 7, the whole simulation: answers as readers could have written them."""

import numpy as np

from azlearn.search import Node
from tests.course.registry import mutant, right

# --- 7.5 simulate(game, root, select, policy, evaluate, expand_threshold) ---


def _simulate(
    *,
    choose=lambda node, scores: max(node.legal_actions, key=scores.__getitem__),
    walks_on=lambda node: node.prior is not None,
    add=lambda node, action, leaf: node.children.__setitem__(action, leaf),
    expands=lambda path, leaf, t: (
        leaf.outcome is None and path[-1][0].visit_counts[path[-1][1]] + 1 > t
    ),
    keep=lambda leaf, prior: setattr(leaf, "prior", prior),
    value_of=lambda leaf, ask: leaf.outcome if leaf.outcome is not None else ask(),
    turns=lambda node, below: node.to_play != below.to_play,
):
    """The right way with one part replaced."""

    def simulate(game, root, select, policy, evaluate, expand_threshold):
        path, node = [], root
        while node is not None and node.outcome is None and walks_on(node):
            action = choose(node, select(node))
            path.append((node, action))
            node = node.children[action]
        leaf = node
        if leaf is None:
            node, action = path[-1]
            leaf = Node(game, game.next_state(node.state, action))
            add(node, action, leaf)
        if expands(path, leaf, expand_threshold):
            keep(leaf, policy(game, leaf.state))
        value = value_of(leaf, lambda: evaluate(game, leaf.state))
        below = leaf
        for node, action in reversed(path):
            if turns(node, below):
                value = -value
            node.visit_counts[action] += 1
            node.value_sum[action] += value
            below = node

    return simulate


def _n(path):
    node, action = path[-1]
    return node.visit_counts[action]


mutant("7.5", "expanded at once, whatever the threshold")(
    _simulate(expands=lambda path, leaf, t: leaf.outcome is None)
)
mutant("7.5", "expanded one visit late")(
    _simulate(expands=lambda path, leaf, t: leaf.outcome is None and _n(path) > t)
)
mutant("7.5", "expanded one visit early")(
    _simulate(expands=lambda path, leaf, t: leaf.outcome is None and _n(path) + 1 >= t)
)
mutant("7.5", "counted on the parent")(
    _simulate(expands=lambda path, leaf, t: leaf.outcome is None and path[-1][0].num_visits >= t)
)
mutant("7.5", "value not negated at backup")(_simulate(turns=lambda node, below: False))
mutant("7.5", "flips although the same player moves again")(
    _simulate(turns=lambda node, below: True)
)
mutant("7.5", "finished game valued for the wrong player")(
    _simulate(value_of=lambda leaf, ask: ask() if leaf.outcome is None else -leaf.outcome)
)
mutant("7.5", "finished game counted as 0")(
    _simulate(value_of=lambda leaf, ask: ask() if leaf.outcome is None else 0)
)
mutant("7.5", "of equal scores the last is taken")(
    _simulate(choose=lambda node, scores: max(node.legal_actions[::-1], key=scores.__getitem__))
)
mutant("7.5", "selects in a node that is not expanded")(_simulate(walks_on=lambda node: True))
mutant("7.5", "policy asked about a finished game")(
    _simulate(expands=lambda path, leaf, t: _n(path) + 1 > t)
)
mutant("7.5", "a finished game is evaluated")(_simulate(value_of=lambda leaf, ask: ask()))
mutant("7.5", "a draw is taken for no result")(
    _simulate(value_of=lambda leaf, ask: leaf.outcome or ask())
)
mutant("7.5", "an illegal move is followed")(
    _simulate(choose=lambda node, scores: int(np.argmax(scores)))
)
mutant("7.5", "the new node is not kept")(_simulate(add=lambda node, action, leaf: None))
mutant("7.5", "the policy's answer is not kept")(_simulate(keep=lambda leaf, prior: None))
mutant("7.5", "no named fault")(
    _simulate(value_of=lambda leaf, ask: leaf.outcome if leaf.outcome is not None else ask() / 2)
)


@mutant("7.5", "the policy is asked again")
def simulate_asks_twice(game, root, select, policy, evaluate, expand_threshold):
    def value_of(leaf, ask):
        if leaf.prior is not None:
            leaf.prior = policy(game, leaf.state)
        return ask() if leaf.outcome is None else leaf.outcome

    _simulate(value_of=value_of)(game, root, select, policy, evaluate, expand_threshold)


@mutant("7.5", "evaluated once only")
def simulate_with_memory(game, root, select, policy, evaluate, expand_threshold):
    def value_of(leaf, ask):
        if leaf.raw_value is None:
            leaf.raw_value = ask() if leaf.outcome is None else leaf.outcome
        return leaf.raw_value

    _simulate(value_of=value_of)(game, root, select, policy, evaluate, expand_threshold)


@mutant("7.5", "walks on in the visit that expands")
def simulate_in_one_loop(game, root, select, policy, evaluate, expand_threshold):
    path, node = [], root
    while node.outcome is None:
        if node.prior is None:
            if _n(path) + 1 <= expand_threshold:
                break
            node.prior = policy(game, node.state)
        scores = select(node)
        action = max(node.legal_actions, key=lambda a: scores[a])
        path.append((node, action))
        if node.children[action] is None:
            node.children[action] = Node(game, game.next_state(node.state, action))
        node = node.children[action]
    value = evaluate(game, node.state) if node.outcome is None else node.outcome
    _book(path, node, value)


def _book(path, leaf, value):
    for node, action in path:
        node.visit_counts[action] += 1
        node.value_sum[action] += value if node.to_play == leaf.to_play else -value


@mutant("7.5", "the visit that expands has no value")
def simulate_expands_or_evaluates(game, root, select, policy, evaluate, expand_threshold):
    def value_of(leaf, ask):
        if leaf.outcome is not None:
            return leaf.outcome
        return ask() if leaf.prior is None else 0

    _simulate(value_of=value_of)(game, root, select, policy, evaluate, expand_threshold)


@mutant("7.5", "the sign starts on the wrong side")
def simulate_late(game, root, select, policy, evaluate, expand_threshold):
    last = []

    def turns(node, below):
        last.append(node)
        return len(last) > 1 and node.to_play != below.to_play

    _simulate(turns=turns)(game, root, select, policy, evaluate, expand_threshold)


@mutant("7.5", "never goes below the first move")
def simulate_shallow(game, root, select, policy, evaluate, expand_threshold):
    scores = select(root)
    action = max(root.legal_actions, key=scores.__getitem__)
    leaf = root.children[action] or Node(game, game.next_state(root.state, action))
    root.children[action] = leaf
    value = evaluate(game, leaf.state) if leaf.outcome is None else leaf.outcome
    _book([(root, action)], leaf, value)


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
right("7.5")(
    _simulate(
        choose=lambda node, scores: int(
            np.where(np.isin(range(len(scores)), node.legal_actions), scores, -np.inf).argmax()
        )
    )
)


@right("7.5")
def simulate_from_the_root(game, root, select, policy, evaluate, expand_threshold):
    path, node = [], root
    while node and node.prior and node.outcome is None:
        scores = select(node)
        best = max(scores[a] for a in node.legal_actions)
        action = next(a for a in node.legal_actions if scores[a] == best)
        path.append((node, action))
        node = node.children[action]
    parent, action = path[-1]
    if node is None:
        node = Node(game, game.play(parent.state, action))
        parent.children[action] = node
    if node.outcome is None:
        if _n(path) + 1 > expand_threshold:
            node.prior = policy(game, node.state)
        _book(path, node, evaluate(game, node.state))
    else:
        _book(path, node, node.outcome)
