"""Chapter 3: wrong and right answers, each as a reader could have written it."""

import math

import numpy as np

from azlearn.games import State
from azlearn.search import Node, Tree
from tests.course.registry import mutant, right

# --- 3.1 select(node, c) ---


def _score(node, action, c, sign=1, unvisited=math.inf):
    n, w = node.visit_counts[action], node.value_sum[action]
    if n == 0:
        return unvisited
    return sign * w / n + c * math.sqrt(math.log(node.num_visits) / n)


@mutant("3.1", "an illegal move")
def select_from_all(node, c):
    scores = [_score(node, action, c) for action in range(len(node.visit_counts))]
    return scores.index(max(scores))


@mutant("3.1", "an illegal move")
def select_from_all_last(node, c):
    scores = [_score(node, action, c) for action in range(len(node.visit_counts))]
    return max(reversed(range(len(scores))), key=scores.__getitem__)


@mutant("3.1", "index among the legal moves")
def select_argmax(node, c):
    return int(np.argmax([_score(node, action, c) for action in node.legal_actions]))


@mutant("3.1", "no exploration")
def select_greedy(node, c):
    return max(node.legal_actions, key=lambda a: _score(node, a, 0.0))


@mutant("3.1", "exploration only")
def select_bonus(node, c):
    return max(node.legal_actions, key=lambda a: _score(node, a, c, sign=0))


@mutant("3.1", "sum instead of mean")
def select_by_sum(node, c):
    def score(a):
        n = node.visit_counts[a]
        if not n:
            return math.inf
        return node.value_sum[a] + c * math.sqrt(math.log(node.num_visits) / n)

    return max(node.legal_actions, key=score)


@mutant("3.1", "opponent's view of Q")
def select_for_the_other(node, c):
    return max(node.legal_actions, key=lambda a: _score(node, a, c, sign=-1))


@mutant("3.1", "unvisited move scores 0")
def select_unvisited_zero(node, c):
    return max(node.legal_actions, key=lambda a: _score(node, a, c, unvisited=0))


@mutant("3.1", "lowest score")
def select_min(node, c):
    return min(node.legal_actions, key=lambda a: _score(node, a, c))


@mutant("3.1", "most visits")
def select_most_visited(node, c):
    return max(node.legal_actions, key=lambda a: node.visit_counts[a])


@mutant("3.1", "a fresh node has no logarithm")
def select_log_first(node, c):
    log_total = math.log(sum(node.visit_counts))
    scores = {}
    for a in node.legal_actions:
        n, w = node.visit_counts[a], node.value_sum[a]
        scores[a] = w / n + c * math.sqrt(log_total / n) if n else math.inf
    return max(scores, key=scores.get)


@mutant("3.1", "a list instead of a move")
def select_scores(node, c):
    return [_score(node, a, c) for a in range(9)]


@mutant("3.1", "returns nothing")
def select_prints(node, c):
    max(node.legal_actions, key=lambda a: _score(node, a, c))


@mutant("3.1", "no named fault")
def select_first(node, c):
    return node.legal_actions[0]


@right("3.1")
def select_with_arrays(node, c):
    n = np.array(node.visit_counts, float)
    w = np.array(node.value_sum)
    legal = np.array(node.legal_actions)
    if (n[legal] == 0).any():
        return legal[n[legal] == 0][0]
    scores = w[legal] / n[legal] + c * np.sqrt(np.log(n.sum()) / n[legal])
    return legal[np.argmax(scores)]


# --- 3.2 expand(game, node, action) ---


@mutant("3.2", "not a node")
def expand_to_state(game, node, action):
    node.children[action] = Node(game, game.play(node.state, action))
    return node.children[action].state


@mutant("3.2", "the move is not played")
def expand_same_state(game, node, action):
    node.children[action] = Node(game, node.state)
    return node.children[action]


@mutant("3.2", "me and opp the wrong way round")
def expand_swapped(game, node, action):
    me, opp = game.play(node.state, action)
    node.children[action] = Node(game, State(opp, me))
    return node.children[action]


@mutant("3.2", "attached at the wrong place")
def expand_append(game, node, action):
    child = Node(game, game.play(node.state, action))
    node.children.append(child)
    return child


@mutant("3.2", "attached at the wrong place")
def expand_one_off(game, node, action):
    child = Node(game, game.play(node.state, action))
    node.children[action + 1] = child
    return child


@mutant("3.2", "child is not attached")
def expand_unattached(game, node, action):
    return Node(game, game.play(node.state, action))


@mutant("3.2", "more than one child added")
def expand_every_move(game, node, action):
    for a in node.legal_actions:
        if node.children[a] is None:
            node.children[a] = Node(game, game.play(node.state, a))
    return node.children[action]


@mutant("3.2", "shares the parent's lists")
def expand_shared(game, node, action):
    child = Node(game, game.play(node.state, action))
    child.visit_counts, child.value_sum = node.visit_counts, node.value_sum
    node.children[action] = child
    return child


@mutant("3.2", "visit counted at expansion")
def expand_counting(game, node, action):
    if node.children[action] is None:
        node.children[action] = Node(game, game.play(node.state, action))
        node.visit_counts[action] += 1
    return node.children[action]


@mutant("3.2", "child starts with visits")
def expand_with_ones(game, node, action):
    if node.children[action] is None:
        child = Node(game, game.play(node.state, action))
        child.visit_counts = [1] * game.num_actions
        node.children[action] = child
    return node.children[action]


@mutant("3.2", "existing child replaced")
def expand_always_anew(game, node, action):
    child = Node(game, game.next_state(node.state, action))
    node.children[action] = child
    return child


@mutant("3.2", "returns nothing")
def expand_silent(game, node, action):
    node.children[action] = Node(game, game.next_state(node.state, action))


@mutant("3.2", "no named fault")
def expand_other_move(game, node, action):
    node.children[action] = Node(game, game.play(node.state, action + 1))
    return node.children[action]


@right("3.2")
def expand_by_or(game, node, action):
    children = list(node.children)
    children[action] = children[action] or Node(game, game.play(node.state, action))
    node.children = children
    return children[action]


# --- 3.3 backup(path, leaf, value) ---


@mutant("3.3", "value not negated at backup")
def backup_without_flip(path, leaf, value):
    for node, action in path:
        node.visit_counts[action] += 1
        node.value_sum[action] += value


@mutant("3.3", "the sign starts on the wrong side")
def backup_flip_after(path, leaf, value):
    mover = leaf.to_play
    for i, (node, action) in enumerate(reversed(path)):
        if i and node.to_play != mover:
            value = -value
        mover = node.to_play
        node.visit_counts[action] += 1
        node.value_sum[action] += value


@mutant("3.3", "flips although the same player moves again")
def backup_always_flip(path, leaf, value):
    for node, action in reversed(path):
        value = -value
        node.visit_counts[action] += 1
        node.value_sum[action] += value


@mutant("3.3", "everything in the first player's view")
def backup_first_player(path, leaf, value):
    if leaf.to_play == 1:
        value = -value
    for node, action in path:
        node.visit_counts[action] += 1
        node.value_sum[action] += value


@mutant("3.3", "walks from the root down")
def backup_downwards(path, leaf, value):
    for node, action in path:
        value = -value
        node.visit_counts[action] += 1
        node.value_sum[action] += value


@mutant("3.3", "only the last edge")
def backup_last_edge(path, leaf, value):
    node, action = path[-1]
    node.visit_counts[action] += 1
    node.value_sum[action] += value if node.to_play == leaf.to_play else -value


@mutant("3.3", "the root is left out")
def backup_without_root(path, leaf, value):
    for node, action in path[1:]:
        node.visit_counts[action] += 1
        node.value_sum[action] += value if node.to_play == leaf.to_play else -value


@mutant("3.3", "overwrites instead of adding")
def backup_overwrites(path, leaf, value):
    for node, action in path:
        node.visit_counts[action] += 1
        node.value_sum[action] = value if node.to_play == leaf.to_play else -value


@mutant("3.3", "mean instead of sum")
def backup_running_mean(path, leaf, value):
    for node, action in path:
        signed = value if node.to_play == leaf.to_play else -value
        node.visit_counts[action] += 1
        mean = node.value_sum[action]
        node.value_sum[action] = (mean + signed) / node.visit_counts[action]


@mutant("3.3", "visits not counted")
def backup_without_visits(path, leaf, value):
    for node, action in path:
        node.value_sum[action] += value if node.to_play == leaf.to_play else -value


@mutant("3.3", "only wins are counted")
def backup_wins(path, leaf, value):
    for node, action in path:
        signed = value if node.to_play == leaf.to_play else -value
        if signed > 0:
            node.visit_counts[action] += 1
            node.value_sum[action] += signed


@mutant("3.3", "the mean of what is already there")
def backup_divided(path, leaf, value):
    for node, action in path:
        signed = value if node.to_play == leaf.to_play else -value
        node.visit_counts[action] += 1
        node.value_sum[action] += signed / node.visit_counts[action]


@mutant("3.3", "books at the child")
def backup_at_child(path, leaf, value):
    for node, action in path:
        child = node.children[action]
        child.visit_counts[action] += 1
        child.value_sum[action] += value if node.to_play == leaf.to_play else -value


@mutant("3.3", "no named fault")
def backup_nothing(path, leaf, value):
    return value


@right("3.3")
def backup_by_mover(path, leaf, value):
    while path:
        node, action = path.pop()
        node.visit_counts[action] += np.int64(1)
        node.value_sum[action] += np.float64(value if node.to_play == leaf.to_play else -value)


# --- 3.4 final_move(node) ---


def _mean(node, action):
    n = node.visit_counts[action]
    return node.value_sum[action] / n if n else 0.0


@mutant("3.4", "best mean instead of most visits")
def final_best_mean(node):
    visited = [a for a in node.legal_actions if node.visit_counts[a]]
    return max(visited, key=lambda a: _mean(node, a))


@mutant("3.4", "best mean, unvisited counted as 0")
def final_q_values(node):
    q = node.q_values
    return max(node.legal_actions, key=lambda a: q[a])


@mutant("3.4", "largest sum of values")
def final_largest_sum(node):
    return max(node.legal_actions, key=lambda a: node.value_sum[a])


@mutant("3.4", "the selection score")
def final_uct(node):
    return max(node.legal_actions, key=lambda a: _score(node, a, 1.0))


@mutant("3.4", "least visited")
def final_least(node):
    return min(node.legal_actions, key=lambda a: node.visit_counts[a])


@mutant("3.4", "equal visits: the first is taken")
def final_argmax(node):
    return int(np.argmax(node.visit_counts))


@mutant("3.4", "equal visits: the worse mean is taken")
def final_worse_of_equals(node):
    return min(node.legal_actions, key=lambda a: (-node.visit_counts[a], _mean(node, a)))


@mutant("3.4", "all equal: the last is taken")
def final_last(node):
    return max((node.visit_counts[a], _mean(node, a), a) for a in node.legal_actions)[2]


@mutant("3.4", "index among the legal moves")
def final_index(node):
    pairs = [(node.visit_counts[a], _mean(node, a)) for a in node.legal_actions]
    return pairs.index(max(pairs))


@mutant("3.4", "unvisited move divides by zero")
def final_divides(node):
    def key(a):
        return node.visit_counts[a], node.value_sum[a] / node.visit_counts[a]

    return max(node.legal_actions, key=key)


@mutant("3.4", "a list instead of a move")
def final_policy(node):
    return [n / node.num_visits for n in node.visit_counts]


@right("3.4")
def final_sorted(node):
    def key(a):
        return -node.visit_counts[a], -node.q_values[a], a

    return np.int64(sorted(node.legal_actions, key=key)[0])


# --- 3.5 uct_search(game, state, num_simulations, c, evaluate, rng) ---


def _backup(path, leaf, value):
    for node, action in path:
        node.visit_counts[action] += 1
        node.value_sum[action] += value if node.to_play == leaf.to_play else -value


def _search(
    *,
    backup=_backup,
    choose=lambda node, c: max(node.legal_actions, key=lambda a: _score(node, a, c)),
    value_of=lambda game, leaf, path, evaluate, rng: (
        evaluate(game, leaf.state, rng) if leaf.outcome is None else leaf.outcome
    ),
    simulations=range,
    keep=lambda leaf: True,
    deep=True,
    answer=lambda game, root, leaf: root,
):
    """A search with a part to replace."""

    def uct_search(game, state, num_simulations, c, evaluate, rng):
        root = leaf = Node(game, state)
        for _ in simulations(num_simulations):
            path, node = [], root
            while node is not None and node.outcome is None:
                action = choose(node, c)
                path.append((node, action))
                node = node.children[action]
                if not deep:
                    break
            leaf = node
            if leaf is None:
                parent, action = path[-1]
                leaf = Node(game, game.next_state(parent.state, action))
                parent.children[action] = leaf
            value = value_of(game, leaf, path, evaluate, rng)
            if keep(leaf):
                backup(path, leaf, value)
        return answer(game, root, leaf)

    return uct_search


mutant("3.5", "value not negated at backup")(_search(backup=backup_without_flip))
mutant("3.5", "the sign starts on the wrong side")(_search(backup=backup_flip_after))
mutant("3.5", "flips although the same player moves again")(_search(backup=backup_always_flip))
mutant("3.5", "finished game valued for the wrong player")(
    _search(
        value_of=lambda game, leaf, path, evaluate, rng: (
            evaluate(game, leaf.state, rng) if leaf.outcome is None else -leaf.outcome
        )
    )
)
mutant("3.5", "finished game counted as 0")(
    _search(
        value_of=lambda game, leaf, path, evaluate, rng: (
            evaluate(game, leaf.state, rng) if leaf.outcome is None else 0
        )
    )
)
mutant("3.5", "evaluator asked about a finished game")(
    _search(value_of=lambda game, leaf, path, evaluate, rng: evaluate(game, leaf.state, rng))
)
mutant("3.5", "evaluator asked about a finished game")(
    _search(
        value_of=lambda game, leaf, path, evaluate, rng: (
            leaf.outcome or evaluate(game, leaf.state, rng)
        )
    )
)
mutant("3.5", "one simulation goes to the root")(_search(simulations=lambda n: range(1, n)))
mutant("3.5", "one simulation too many")(_search(simulations=lambda n: range(n + 1)))
mutant("3.5", "never goes below the first move")(_search(deep=False))
mutant("3.5", "finished leaves are not backed up")(_search(keep=lambda leaf: leaf.outcome is None))
mutant("3.5", "c is ignored")(
    _search(choose=lambda node, c: max(node.legal_actions, key=lambda a: _score(node, a, 1.0)))
)
mutant("3.5", "no exploration")(
    _search(choose=lambda node, c: max(node.legal_actions, key=lambda a: _score(node, a, 0.0)))
)
mutant("3.5", "evaluates the parent, not the new node")(
    _search(
        value_of=lambda game, leaf, path, evaluate, rng: (
            evaluate(game, path[-1][0].state, rng) if leaf.outcome is None else leaf.outcome
        )
    )
)
mutant("3.5", "only the root's edge is updated")(
    _search(backup=lambda path, leaf, value: _backup(path[:1], leaf, value))
)
mutant("3.5", "of equal scores the last is taken")(
    _search(
        choose=lambda node, c: max(reversed(node.legal_actions), key=lambda a: _score(node, a, c))
    )
)
mutant("3.5", "an illegal move")(
    _search(choose=lambda node, c: max(range(len(node.children)), key=lambda a: _score(node, a, c)))
)
mutant("3.5", "not the root")(_search(answer=lambda game, root, leaf: root.best_action()))
mutant("3.5", "a node below the root")(_search(answer=lambda game, root, leaf: leaf))
mutant("3.5", "no named fault")(
    _search(choose=lambda node, c: max(node.legal_actions, key=lambda a: _score(node, a, 2 * c)))
)

right("3.5")(_search(answer=lambda game, root, leaf: Tree(game, root)))


@right("3.5")
def search_recursive(game, state, num_simulations, c, evaluate, rng):
    def simulate(node):
        """The value for the player to move at `node`, after one more simulation through it."""
        if node.outcome is not None:
            return node.outcome
        action = select_with_arrays(node, c)
        child = node.children[action]
        if child is None:
            child = node.children[action] = Node(game, game.play(node.state, int(action)))
            value = evaluate(game, child.state, rng) if child.outcome is None else child.outcome
        else:
            value = simulate(child)
        if child.to_play != node.to_play:
            value = -value
        node.visit_counts[action] += 1
        node.value_sum[action] += value
        return value

    root = Node(game, state)
    for _ in range(num_simulations):
        simulate(root)
    return root


# --- 3.6 backup_points(path, leaf, value) ---


def _points(flip, start=lambda value: (value + 1) / 2, when=lambda above, below: above != below):
    def backup_points(path, leaf, value):
        points, below = start(value), leaf.to_play
        for node, action in reversed(path):
            if when(node.to_play, below):
                points = flip(points)
            node.visit_counts[action] += 1
            node.value_sum[action] += points
            below = node.to_play

    return backup_points


def _rest(points):
    return 1 - points


mutant("3.6", "negated instead of 1 - v")(_points(lambda v: -v))
mutant("3.6", "still in [-1, 1]")(_points(lambda v: -v, start=lambda value: value))
mutant("3.6", "not turned into points before the flip")(_points(_rest, start=lambda value: value))
mutant("3.6", "the points are not passed over")(_points(lambda v: v))
mutant("3.6", "flips although the same player moves again")(_points(_rest, when=lambda a, b: True))
mutant("3.6", "halved but not shifted")(_points(lambda v: -v, start=lambda value: value / 2))


@mutant("3.6", "the points start on the wrong side")
def points_flip_after(path, leaf, value):
    points, below = (value + 1) / 2, path[-1][0].to_play
    for node, action in reversed(path):
        points = points if node.to_play == below else 1 - points
        node.visit_counts[action] += 1
        node.value_sum[action] += points
        below = node.to_play


@mutant("3.6", "draw counted as a loss")
def points_for_wins(path, leaf, value):
    for node, action in path:
        signed = value if node.to_play == leaf.to_play else -value
        node.visit_counts[action] += 1
        node.value_sum[action] += max(signed, 0)


@mutant("3.6", "draw counted as a win")
def points_rounded_up(path, leaf, value):
    for node, action in path:
        signed = value if node.to_play == leaf.to_play else -value
        node.visit_counts[action] += 1
        node.value_sum[action] += 1 if signed >= 0 else 0


@mutant("3.6", "visits not counted")
def points_without_visits(path, leaf, value):
    for node, action in path:
        signed = value if node.to_play == leaf.to_play else -value
        node.value_sum[action] += (signed + 1) / 2


@mutant("3.6", "books at the child")
def points_at_child(path, leaf, value):
    for node, action in path:
        child = node.children[action]
        child.visit_counts[action] += 1
        child.value_sum[action] += ((value if node.to_play == leaf.to_play else -value) + 1) / 2


@right("3.6")
def points_after_the_flip(path, leaf, value):
    for node, action in path:
        signed = value if node.to_play == leaf.to_play else -value
        node.visit_counts[action] += 1
        node.value_sum[action] += 0.5 + signed / 2
