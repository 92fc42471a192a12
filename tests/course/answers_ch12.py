"""Chapter 12, batching: answers as readers could have written them."""

import numpy as np

from azlearn.games import State
from tests.course.registry import right


@right("12.1")
def ask_each_position_once(waiting, evaluate):
    asked = list(dict.fromkeys(state for state in waiting if state is not None))
    if not asked:
        return list(waiting)
    prior, value = evaluate(State(*np.array(asked, dtype=np.int64).T))
    found = {state: (prior[i].tolist(), float(value[i])) for i, state in enumerate(asked)}
    return tuple(found.get(state) for state in waiting)


@right("12.2")
def step_finished_leaves_first(search, roots, left, ask):
    waiting = []
    for i in range(len(roots)):
        if left[i] == 0:
            continue
        left[i] -= 1
        path, leaf = search.expand_leaf(*search.descend(roots[i]))[0]
        if leaf.outcome is not None:
            search.backup(path, leaf, leaf.outcome)
        else:
            waiting.append((path, leaf))
    if not waiting:
        return
    for (path, leaf), answer in zip(waiting, ask(w[1].state for w in waiting), strict=True):
        leaf.prior, leaf.raw_value = answer
        search.backup(path, leaf, answer[1])


@right("12.3")
def edge_by_strides(game, node, action, num_nodes, num_actions):
    strides = np.array([num_nodes * num_actions, num_actions, 1], dtype=np.int64)
    return np.stack([game, node, action], axis=-1) @ strides


@right("12.4")
def add_count_first(trees, game, node, action, prior):
    trees.num_nodes[game] += 1
    new = int(trees.num_nodes[game]) - 1
    for name in ("child", "visit_counts", "value_sum"):
        getattr(trees, name)[game][new] = 0
    trees.prior[game][new], trees.child[game][node][action] = prior, new
    return new


@right("12.5")
def collect_restoring_in_reverse(root, descend, num_leaves, virtual_loss):
    paths, before = [], []
    while len(paths) < num_leaves:
        paths.append(descend(root))
        for node, action in paths[-1]:
            before.append((node, action, node.visit_counts[action], node.value_sum[action]))
            node.visit_counts[action] += virtual_loss
            node.value_sum[action] -= virtual_loss
    for node, action, visits, value_sum in reversed(before):
        node.visit_counts[action], node.value_sum[action] = visits, value_sum
    return paths
