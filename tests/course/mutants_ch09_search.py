"""Chapter 9, one simulation and the whole search: answers as readers could have written them."""

import math

from azlearn.search import Node, Tree
from tests.course.mutants_ch09_scores import _scores, scores_with_arrays
from tests.course.registry import mutant, right

# --- 9.1 absorb(game, path, leaf, evaluate) ---


def _backup(path, leaf, value):
    for node, action in path:
        node.visit_counts[action] += 1
        node.value_sum[action] += value if node.to_play == leaf.to_play else -value


def _ask(game, path, leaf, evaluate):
    leaf.prior, leaf.raw_value = evaluate(game, leaf.state)
    return leaf.raw_value


def _absorb(ask=_ask, backup=_backup, end=lambda leaf: leaf.outcome):
    """Evaluate and back up, with a part to replace."""

    def absorb(game, path, leaf, evaluate):
        if leaf.outcome is not None:
            value = end(leaf)
        else:
            value = ask(game, path, leaf, evaluate)
        backup(path, leaf, value)

    return absorb


_right_absorb = _absorb()


def _edges(change):
    """A backup that books change(value, node, leaf, old W, old N) on every edge."""

    def backup(path, leaf, value):
        for node, action in path:
            mine = value if node.to_play == leaf.to_play else -value
            w, n = node.value_sum[action], node.visit_counts[action]
            node.value_sum[action] = change(mine, w, n)
            node.visit_counts[action] += 1

    return backup


def _same_sign(path, leaf, value):
    for node, action in path:
        node.visit_counts[action] += 1
        node.value_sum[action] += value


def _flips_late(path, leaf, value):
    for node, action in path:
        node.visit_counts[action] += 1
        node.value_sum[action] += value if node.to_play == path[-1][0].to_play else -value


def _flips_always(path, leaf, value):
    for node, action in reversed(path):
        value = -value
        node.visit_counts[action] += 1
        node.value_sum[action] += value


def _own_values(path, leaf, value):
    behind = [node for node, _ in path[1:]] + [leaf]
    for (node, action), child in zip(path, behind, strict=True):
        own = value if child is leaf else child.raw_value
        node.visit_counts[action] += 1
        node.value_sum[action] += own if node.to_play == child.to_play else -own


def _without_visits(path, leaf, value):
    for node, action in path:
        node.value_sum[action] += value if node.to_play == leaf.to_play else -value


def _at_the_leaf(path, leaf, value):
    _backup(path, leaf, value)
    if leaf.legal_actions:
        leaf.visit_counts[leaf.legal_actions[0]] += 1
        leaf.value_sum[leaf.legal_actions[0]] += value


mutant("9.1", "value not negated at backup")(_absorb(backup=_same_sign))
mutant("9.1", "the sign starts on the wrong side")(_absorb(backup=_flips_late))
mutant("9.1", "flips although the same player moves again")(_absorb(backup=_flips_always))
mutant("9.1", "finished game valued for the wrong player")(_absorb(end=lambda leaf: -leaf.outcome))
mutant("9.1", "finished game counted as 0")(_absorb(end=lambda leaf: 0))
mutant("9.1", "every edge gets the value of the node behind it")(_absorb(backup=_own_values))
mutant("9.1", "the value is rounded to a result")(
    _absorb(backup=lambda path, leaf, value: _backup(path, leaf, (value > 0) - (value < 0)))
)
mutant("9.1", "overwrites instead of adding")(_absorb(backup=_edges(lambda mine, w, n: mine)))
mutant("9.1", "mean instead of sum")(
    _absorb(backup=_edges(lambda mine, w, n: (w + mine) / (n + 1)))
)
mutant("9.1", "visits not counted")(_absorb(backup=_without_visits))
mutant("9.1", "only the last edge")(
    _absorb(backup=lambda path, leaf, value: _backup(path[-1:], leaf, value))
)
mutant("9.1", "booked on the leaf's own edges")(_absorb(backup=_at_the_leaf))
mutant("9.1", "no named fault")(
    _absorb(backup=lambda path, leaf, value: _backup(path, leaf, value / 2))
)


@mutant("9.1", "network asked about a finished game")
def absorb_always_asks(game, path, leaf, evaluate):
    _backup(path, leaf, _ask(game, path, leaf, evaluate))


@mutant("9.1", "a draw is taken for no result")
def absorb_falsy(game, path, leaf, evaluate):
    _backup(path, leaf, leaf.outcome or _ask(game, path, leaf, evaluate))


@mutant("9.1", "evaluates another node, not the new one")
def absorb_asks_the_parent(game, path, leaf, evaluate):
    value = leaf.outcome
    if value is None:
        leaf.prior, leaf.raw_value = evaluate(game, path[-1][0].state)
        value = leaf.raw_value
    _backup(path, leaf, value)


def _asks_twice(game, path, leaf, evaluate):
    leaf.prior = evaluate(game, leaf.state)[0]
    leaf.raw_value = evaluate(game, leaf.state)[1]
    return leaf.raw_value


def _parents_prior(game, path, leaf, evaluate):
    path[-1][0].prior, leaf.raw_value = evaluate(game, leaf.state)
    return leaf.raw_value


def _value_only(game, path, leaf, evaluate):
    _, leaf.raw_value = evaluate(game, leaf.state)
    return leaf.raw_value


def _prior_only(game, path, leaf, evaluate):
    leaf.prior, value = evaluate(game, leaf.state)
    return value


def _parents_view(game, path, leaf, evaluate):
    value = _ask(game, path, leaf, evaluate)
    leaf.raw_value = -value
    return value


mutant("9.1", "the network is asked twice")(_absorb(_asks_twice))
mutant("9.1", "the prior is put on the parent")(_absorb(_parents_prior))
mutant("9.1", "the prior is not kept")(_absorb(_value_only))
mutant("9.1", "the node's own value is not kept")(_absorb(_prior_only))
mutant("9.1", "the node's own value is not kept")(_absorb(_parents_view))


@right("9.1")
def absorb_from_the_root(game, path, leaf, evaluate):
    value = game.outcome(leaf.state)
    if value is None:
        prior, value = evaluate(game, leaf.state)
        leaf.prior, leaf.raw_value = list(prior), float(value)
    while path:
        node, action = path.pop()
        node.visit_counts[action] += 1
        node.value_sum[action] += value * (1 if node.to_play == leaf.to_play else -1)


# --- 9.6 puct_search(game, state, num_simulations, c, evaluate, mix) ---


def _prepared(game, state, evaluate, mix):
    """The root as the first simulation wants it."""
    root = Node(game, state)
    root.prior, root.raw_value = evaluate(game, state)
    root.prior = mix(root.prior, root.legal_actions)
    return root


def _search(
    *,
    prepare=_prepared,
    absorb=_right_absorb,
    scores=scores_with_arrays,
    simulations=range,
    deep=True,
    order=lambda actions: actions,
    at_each=lambda root, mix: None,
    joins=lambda node, mix: None,
    answer=lambda game, root: root,
):
    """A search with a part to replace."""

    def puct_search(game, state, num_simulations, c, evaluate, mix):
        root = prepare(game, state, evaluate, mix)
        for _ in simulations(num_simulations):
            at_each(root, mix)
            path, node = [], root
            while node is not None and node.outcome is None:
                score = scores(node, c)
                action = max(order(node.legal_actions), key=score.__getitem__)
                path.append((node, action))
                node = node.children[action]
                if not deep:
                    break
            if node is None:
                parent, action = path[-1]
                node = Node(game, game.next_state(parent.state, action))
                parent.children[action] = node
            absorb(game, path, node, evaluate)
            if node.outcome is None:
                joins(node, mix)
        return answer(game, root)

    return puct_search


mutant("9.6", "√0 at the root")(
    _search(scores=_scores(lambda p, n, total, c: c * p * math.sqrt(total) / (1 + n)))
)
mutant("9.6", "value not negated at backup")(_search(absorb=_absorb(backup=_same_sign)))
mutant("9.6", "the sign starts on the wrong side")(_search(absorb=_absorb(backup=_flips_late)))
mutant("9.6", "flips although the same player moves again")(
    _search(absorb=_absorb(backup=_flips_always))
)
mutant("9.6", "finished game valued for the wrong player")(
    _search(absorb=_absorb(end=lambda leaf: -leaf.outcome))
)
mutant("9.6", "finished game counted as 0")(_search(absorb=_absorb(end=lambda leaf: 0)))
mutant("9.6", "unvisited moves first")(
    _search(scores=_scores(mean=lambda w, n: w / n if n else math.inf))
)
mutant("9.6", "c is ignored")(_search(scores=lambda node, c: scores_with_arrays(node, 1.0)))
mutant("9.6", "no exploration")(_search(scores=lambda node, c: scores_with_arrays(node, 0.0)))
mutant("9.6", "one simulation goes to the root")(_search(simulations=lambda n: range(1, n)))
mutant("9.6", "one simulation too many")(_search(simulations=lambda n: range(n + 1)))
mutant("9.6", "of equal scores the last is taken")(_search(order=reversed))
mutant("9.6", "no named fault")(_search(scores=lambda node, c: scores_with_arrays(node, 3 * c)))
mutant("9.6", "network asked about a finished game")(_search(absorb=absorb_always_asks))
mutant("9.6", "the network is asked twice about a node")(_search(absorb=_absorb(_asks_twice)))
mutant("9.6", "not the root")(_search(answer=lambda game, root: root.best_action()))
mutant("9.6", "never goes below the first move")(
    _search(
        deep=False,
        absorb=lambda game, path, leaf, evaluate: _backup(
            path,
            leaf,
            leaf.outcome if leaf.outcome is not None else _known(game, leaf, evaluate),
        ),
    )
)


def _known(game, leaf, evaluate):
    if leaf.raw_value is None:
        leaf.prior, leaf.raw_value = evaluate(game, leaf.state)
    return leaf.raw_value


@mutant("9.6", "UCT's rule, without the prior")
def search_uct(*arguments):
    def scores(node, c):
        total = math.log(node.num_visits or 1)
        return [
            w / n + c * math.sqrt(total / n) if n else math.inf
            for w, n in zip(node.value_sum, node.visit_counts, strict=True)
        ]

    return _search(scores=scores)(*arguments)


def _mix_unused(game, state, evaluate, mix):
    root = Node(game, state)
    root.prior, root.raw_value = evaluate(game, state)
    mix(root.prior, root.legal_actions)
    return root


def _no_mix(game, state, evaluate, mix):
    root = Node(game, state)
    root.prior, root.raw_value = evaluate(game, state)
    return root


def _uniform_root(game, state, evaluate, mix):
    root = Node(game, state)
    share = 1 / len(root.legal_actions)
    root.prior = [share if a in root.legal_actions else 0.0 for a in range(game.num_actions)]
    root.prior = mix(root.prior, root.legal_actions)
    return root


def _mix_of_uniform(game, state, evaluate, mix):
    root = _uniform_root(game, state, evaluate, mix)
    root.raw_value = evaluate(game, state)[1]
    return root


def _mix_again(node, mix):
    node.prior = mix(node.prior, node.legal_actions)


mutant("9.6", "the mixed prior is not used")(_search(prepare=_mix_unused))
mutant("9.6", "no noise")(_search(prepare=_no_mix))
mutant("9.6", "the root is never evaluated")(_search(prepare=_uniform_root))
mutant("9.6", "noise in another prior")(_search(prepare=_mix_of_uniform))
mutant("9.6", "noise below the root")(_search(joins=_mix_again))
mutant("9.6", "noise more than once a search")(_search(at_each=_mix_again))
mutant("9.6", "noise more than once a search")(_search(prepare=_no_mix, at_each=_mix_again))


@mutant("9.6", "returns nothing")
def search_without_return(game, state, num_simulations, c, evaluate, mix):
    _search()(game, state, num_simulations, c, evaluate, mix)


right("9.6")(_search(answer=Tree))


@right("9.6")
def search_recursive(game, state, num_simulations, c, evaluate, mix):
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
    return root
