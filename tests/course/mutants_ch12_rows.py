"""Chapter 12, flat arrays: answers as readers could write them."""

import numpy as np

from tests.course.registry import mutant, right

# --- 12.3 edge_index(game, node, action, num_nodes, num_actions) ---


@mutant("12.3", "index overflow")
def edge_in_int32(game, node, action, num_nodes, num_actions):
    return (game * num_nodes + node) * num_actions + action


@mutant("12.3", "index overflow")
def edge_widened_too_late(game, node, action, num_nodes, num_actions):
    return (game * (num_nodes * num_actions) + node * num_actions + action).astype(np.int64)


@mutant("12.3", "the game's step is too short")
def edge_nodes_only(game, node, action, num_nodes, num_actions):
    return game.astype(np.int64) * num_nodes + node * num_actions + action


@mutant("12.3", "the game's step is too short")
def edge_sum_first(game, node, action, num_nodes, num_actions):
    return (game.astype(np.int64) + node) * num_actions + action


@mutant("12.3", "the game is left out")
def edge_of_one_tree(game, node, action, num_nodes, num_actions):
    return node.astype(np.int64) * num_actions + action


@mutant("12.3", "nodes and actions exchanged")
def edge_action_major(game, node, action, num_nodes, num_actions):
    return (game.astype(np.int64) * num_actions + action) * num_nodes + node


@mutant("12.3", "games and nodes exchanged")
def edge_node_major(game, node, action, num_nodes, num_actions):
    return (node.astype(np.int64) * num_nodes + game) * num_actions + action


@mutant("12.3", "the rows of the root are left out")
def edge_without_roots(game, node, action, num_nodes, num_actions):
    return (game.astype(np.int64) * (num_nodes - 1) + node) * num_actions + action


@mutant("12.3", "not an index for every edge")
def edge_of_the_first(game, node, action, num_nodes, num_actions):
    return (int(game[0]) * num_nodes + int(node[0])) * num_actions + int(action[0])


@mutant("12.3", "no named fault")
def edge_from_one(game, node, action, num_nodes, num_actions):
    return (game.astype(np.int64) * num_nodes + node) * num_actions + action + 1


@mutant("12.3", "returns nothing")
def edge_no_return(game, node, action, num_nodes, num_actions):
    (game.astype(np.int64) * num_nodes + node) * num_actions + action


@right("12.3")
def edge_in_python(game, node, action, num_nodes, num_actions):
    return [
        int(g) * num_nodes * num_actions + int(n) * num_actions + int(a)
        for g, n, a in zip(game, node, action, strict=True)
    ]


@right("12.3")
def edge_by_strides(game, node, action, num_nodes, num_actions):
    strides = np.array([num_nodes * num_actions, num_actions, 1], dtype=np.int64)
    return np.stack([game, node, action], axis=-1) @ strides


@right("12.3")
def edge_by_numpy(game, node, action, num_nodes, num_actions):
    shape = (int(game.max()) + 1, num_nodes, num_actions)
    return np.ravel_multi_index((game, node, action), shape)


# --- 12.4 add_row(trees, game, node, action, prior) ---


def _add(
    t,
    game,
    node,
    action,
    prior,
    *,
    row=None,
    link=True,
    cleared=("child", "visit_counts", "value_sum"),
):
    row = int(t.num_nodes[game]) if row is None else row
    if link:
        t.child[game, node, action] = row
    for name in cleared:
        getattr(t, name)[game, row] = 0
    t.prior[game, row] = prior
    return row


@mutant("12.4", "row 0 used as a child")
def add_at_the_root(trees, game, node, action, prior):
    return _add(trees, game, node, action, prior, row=0)


@mutant("12.4", "the last row is written over")
def add_at_the_last(trees, game, node, action, prior):
    row = trees.num_nodes[game] - 1
    trees.num_nodes[game] += 1
    return _add(trees, game, node, action, prior, row=int(row))


@mutant("12.4", "a row is left out")
def add_after_a_gap(trees, game, node, action, prior):
    trees.num_nodes[game] += 1
    row = _add(trees, game, node, action, prior)
    trees.num_nodes[game] += 1
    return row


@mutant("12.4", "the row is not counted")
def add_uncounted(trees, game, node, action, prior):
    return _add(trees, game, node, action, prior)


@mutant("12.4", "every game counts a row")
def add_to_all(trees, game, node, action, prior):
    row = _add(trees, game, node, action, prior)
    trees.num_nodes += 1
    return row


@mutant("12.4", "old numbers left in the row")
def add_without_clearing(trees, game, node, action, prior):
    row = _add(trees, game, node, action, prior, cleared=())
    trees.num_nodes[game] += 1
    return row


@mutant("12.4", "old numbers left in the row")
def add_with_old_children(trees, game, node, action, prior):
    row = _add(trees, game, node, action, prior, cleared=("visit_counts", "value_sum"))
    trees.num_nodes[game] += 1
    return row


@mutant("12.4", "old numbers left in the row")
def add_with_old_values(trees, game, node, action, prior):
    row = _add(trees, game, node, action, prior, cleared=("child", "visit_counts"))
    trees.num_nodes[game] += 1
    return row


@mutant("12.4", "the parent does not know its child")
def add_without_a_link(trees, game, node, action, prior):
    row = _add(trees, game, node, action, prior, link=False)
    trees.num_nodes[game] += 1
    return row


@mutant("12.4", "the link stands in the new row")
def add_link_up(trees, game, node, action, prior):
    row = _add(trees, game, node, action, prior, link=False)
    trees.child[game, row, action] = node
    trees.num_nodes[game] += 1
    return row


@mutant("12.4", "the link stands in the new row")
def add_link_to_itself(trees, game, node, action, prior):
    row = _add(trees, game, node, action, prior, link=False)
    trees.child[game, row, action] = row
    trees.num_nodes[game] += 1
    return row


@mutant("12.4", "the link stands at the root")
def add_below_the_root(trees, game, node, action, prior):
    row = _add(trees, game, 0, action, prior)
    trees.num_nodes[game] += 1
    return row


@mutant("12.4", "the prior is put on the parent")
def add_prior_above(trees, game, node, action, prior):
    row = _add(trees, game, node, action, trees.prior[game, trees.num_nodes[game]].copy())
    trees.prior[game, node] = prior
    trees.num_nodes[game] += 1
    return row


@mutant("12.4", "another game's row is written")
def add_in_every_game(trees, game, node, action, prior):
    row = int(trees.num_nodes[game])
    trees.num_nodes[game] += 1
    trees.child[game, node, action] = row
    for array in (trees.child, trees.visit_counts, trees.value_sum):
        array[:, row] = 0
    trees.prior[:, row] = prior
    return row


@mutant("12.4", "not the row's number")
def add_flat_number(trees, game, node, action, prior):
    row = _add(trees, game, node, action, prior)
    trees.num_nodes[game] += 1
    return game * 5 + row


@mutant("12.4", "not the row's number")
def add_count(trees, game, node, action, prior):
    _add(trees, game, node, action, prior)
    trees.num_nodes[game] += 1
    return trees.num_nodes[game]


@mutant("12.4", "returns nothing")
def add_no_return(trees, game, node, action, prior):
    _add(trees, game, node, action, prior)
    trees.num_nodes[game] += 1


@mutant("12.4", "no named fault")
def add_with_a_visit(trees, game, node, action, prior):
    row = _add(trees, game, node, action, prior)
    trees.num_nodes[game] += 1
    trees.visit_counts[game, node, action] += 1
    return row


@right("12.4")
def add_by_names(trees, game, node, action, prior):
    row = trees.num_nodes[game].copy()
    trees.num_nodes[game] = row + 1
    for name, values in {"child": 0, "visit_counts": 0, "value_sum": 0.0, "prior": prior}.items():
        getattr(trees, name)[game, row, :] = values
    trees.child[game, node, action] = row
    return row


@right("12.4")
def add_edge_by_edge(trees, game, node, action, prior):
    trees.num_nodes[game] += 1
    new = int(trees.num_nodes[game]) - 1
    for a, p in enumerate(prior):
        trees.prior[game, new, a] = p
        trees.child[game, new, a] = trees.visit_counts[game, new, a] = 0
        trees.value_sum[game, new, a] = 0
    trees.child[game, node, action] = new
    return new
