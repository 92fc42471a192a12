"""Chapter 3, whole search and other convention: answers as readers could have written them."""

from azlearn.search import Node, Tree
from tests.course.mutants_ch03_choices import score, select_with_arrays
from tests.course.mutants_ch03_tree import (
    backup_always_flip,
    backup_flip_after,
    backup_without_flip,
)
from tests.course.registry import mutant, right

# --- 3.5 uct_search(game, state, num_simulations, c, evaluate, rng) ---


def _backup(path, leaf, value):
    for node, action in path:
        node.visit_counts[action] += 1
        node.value_sum[action] += value if node.to_play == leaf.to_play else -value


def _search(
    *,
    backup=_backup,
    choose=lambda node, c: max(node.legal_actions, key=lambda a: score(node, a, c)),
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
    _search(choose=lambda node, c: max(node.legal_actions, key=lambda a: score(node, a, 1.0)))
)
mutant("3.5", "no exploration")(
    _search(choose=lambda node, c: max(node.legal_actions, key=lambda a: score(node, a, 0.0)))
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
        choose=lambda node, c: max(reversed(node.legal_actions), key=lambda a: score(node, a, c))
    )
)
mutant("3.5", "an illegal move")(
    _search(choose=lambda node, c: max(range(len(node.children)), key=lambda a: score(node, a, c)))
)
mutant("3.5", "not the root")(_search(answer=lambda game, root, leaf: root.best_action()))
mutant("3.5", "a node below the root")(_search(answer=lambda game, root, leaf: leaf))
mutant("3.5", "no named fault")(
    _search(choose=lambda node, c: max(node.legal_actions, key=lambda a: score(node, a, 2 * c)))
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
