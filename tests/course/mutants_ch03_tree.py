"""Chapter 3, expand and backup: wrong and right answers, each as a reader could have written it."""

import numpy as np

from azlearn.games import State
from azlearn.search import Node
from tests.course.registry import mutant, right

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


@mutant("3.3", "flipped too late")
def backup_adds_then_compares(path, leaf, value):
    below = leaf
    for node, action in reversed(path):
        node.visit_counts[action] += 1
        node.value_sum[action] += value
        if node.to_play != below.to_play:
            value = -value
        below = node


@mutant("3.3", "flipped too late")
def backup_adds_then_flips(path, leaf, value):
    for node, action in reversed(path):
        node.visit_counts[action] += 1
        node.value_sum[action] += value
        value = -value


@mutant("3.3", "everything in the root player's view")
def backup_root_player(path, leaf, value):
    root, _ = path[0]
    for node, action in path:
        node.visit_counts[action] += 1
        node.value_sum[action] += value if leaf.to_play == root.to_play else -value


@mutant("3.3", "compared with the leaf, but earlier flips are kept")
def backup_flips_add_up(path, leaf, value):
    for node, action in path:
        if node.to_play != leaf.to_play:
            value = -value
        node.visit_counts[action] += 1
        node.value_sum[action] += value


@mutant("3.3", "compared with the leaf, but earlier flips are kept")
def backup_flips_add_up_upwards(path, leaf, value):
    for node, action in reversed(path):
        if node.to_play != leaf.to_play:
            value = -value
        node.visit_counts[action] += 1
        node.value_sum[action] += value


@mutant("3.3", "walks from the root down")
def backup_downwards_adds_first(path, leaf, value):
    for node, action in path:
        node.visit_counts[action] += 1
        node.value_sum[action] += value
        value = -value


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
