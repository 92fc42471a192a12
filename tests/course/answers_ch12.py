"""Chapter 12, batching: answers as readers could have written them."""

import numpy as np
import torch

from azlearn.games import State
from tests.course.registry import mutant, right

# --- 12.1 ask_all(waiting, evaluate) ---


def _stacked(states):
    me, opp = np.array(states, dtype=np.int64).T
    return State(me, opp)


@right("12.1")
def ask_with_an_iterator(waiting, evaluate):
    states = list(filter(None, waiting))
    if not states:
        return [None for _ in waiting]
    me, opp = (np.fromiter(side, np.int64) for side in zip(*states, strict=True))
    answers = zip(*evaluate(State(me, opp)), strict=True)
    return [None if state is None else next(answers) for state in waiting]


@right("12.1")
def ask_each_position_once(waiting, evaluate):
    asked = list(dict.fromkeys(state for state in waiting if state is not None))
    if not asked:
        return list(waiting)
    prior, value = evaluate(_stacked(asked))
    found = {state: (prior[i].tolist(), float(value[i])) for i, state in enumerate(asked)}
    return tuple(found.get(state) for state in waiting)


@mutant("12.1", "an empty slot is asked about")
def ask_about_every_slot(waiting, evaluate):
    prior, value = evaluate(_stacked([state or State(0, 0) for state in waiting]))
    return [None if state is None else (prior[i], value[i]) for i, state in enumerate(waiting)]


@mutant("12.1", "a batch of one")
def ask_one_by_one(waiting, evaluate):
    asked = [state and evaluate(_stacked([state])) for state in waiting]
    return [answer and (answer[0][0], answer[1][0]) for answer in asked]


@mutant("12.1", "not a list of pairs")
def ask_and_give_the_arrays(waiting, evaluate):
    return evaluate(_stacked([state for state in waiting if state is not None]))


@mutant("12.1", "no named fault")
def ask_without_the_start_of_the_game(waiting, evaluate):
    rows = [i for i, state in enumerate(waiting) if state is not None and any(state)]
    answers = [None] * len(waiting)
    if rows:
        prior, value = evaluate(_stacked([waiting[i] for i in rows]))
        for i, row in enumerate(rows):
            answers[row] = prior[i], value[i]
    return answers


@mutant("12.1", "not a State of int64 arrays")
def ask_with_int32(waiting, evaluate):
    states = np.array([state for state in waiting if state is not None], dtype=np.int32)
    return evaluate(State(states[:, 0], states[:, 1]))


# --- 12.2 step(search, roots, left, ask) ---


@right("12.2")
def step_with_a_dictionary(search, roots, left, ask):
    going_on = [i for i, num_left in enumerate(left) if num_left]
    found = {i: search.expand_leaf(*search.descend(roots[i]))[0] for i in going_on}
    open_games = [i for i in going_on if found[i][1].outcome is None]
    if open_games:
        answers = dict(zip(open_games, ask([found[i][1].state for i in open_games]), strict=True))
        for i, (prior, value) in answers.items():
            found[i][1].prior, found[i][1].raw_value = np.array(prior), value
    for i in reversed(going_on):
        path, leaf = found[i]
        search.backup(path, leaf, leaf.raw_value if leaf.outcome is None else leaf.outcome)
        left[i] -= 1


def step_finished_leaves_first(search, roots, left, ask, *, every=False, keyed=False):
    waiting = []
    for i in range(len(roots)):
        if left[i] == 0 and not every:
            continue
        left[i] = max(0, left[i] - 1)
        path, leaf = search.expand_leaf(*search.descend(roots[i]))[0]
        if leaf.outcome is not None:
            search.backup(path, leaf, leaf.outcome)
        else:
            waiting.append((path, leaf))
    if keyed:
        waiting = list({leaf.state: (path, leaf) for path, leaf in waiting}.values())
    if not waiting:
        return True
    for (path, leaf), answer in zip(waiting, ask(w[1].state for w in waiting), strict=True):
        leaf.prior, leaf.raw_value = answer
        search.backup(path, leaf, answer[1])
    return False


right("12.2")(step_finished_leaves_first)


@mutant("12.2", "a batch of one")
def step_game_by_game(search, roots, left, ask):
    for i, root in enumerate(roots):
        one = [left[i]]
        step_finished_leaves_first(search, [root], one, ask)
        left[i] = one[0]


@mutant("12.2", "simulations spent on a game that is done")
def step_for_every_game(search, roots, left, ask):
    step_finished_leaves_first(search, roots, left, ask, every=True)


@mutant("12.2", "the answer is not kept in the leaf")
def step_with_a_leaf_for_each_position(search, roots, left, ask):
    step_finished_leaves_first(search, roots, left, ask, keyed=True)


@mutant("12.2", "the budget is counted wrongly")
def step_below_zero(search, roots, left, ask):
    done = [i for i, num_left in enumerate(left) if not num_left]
    step_finished_leaves_first(search, roots, left, ask)
    for i in done:
        left[i] -= 1


# --- 12.3 edge_index(game, node, action, num_nodes, num_actions) ---


@right("12.3")
def edge_by_strides(game, node, action, num_nodes, num_actions):
    strides = np.array([num_nodes * num_actions, num_actions, 1], dtype=np.int64)
    return np.stack([game, node, action], axis=-1) @ strides


@right("12.3")
def edge_by_torch(game, node, action, num_nodes, num_actions):
    game, node, action = (torch.from_numpy(part).long() for part in (game, node, action))
    return game * (num_nodes * num_actions) + node * num_actions + action


@mutant("12.3", "index overflow")
def edge_widened_too_late(game, node, action, num_nodes, num_actions):
    return (game * (num_nodes * num_actions) + node * num_actions + action).astype(np.int64)


@mutant("12.3", "no named fault")
def edge_widened_in_part(game, node, action, num_nodes, num_actions):
    return game.astype(np.int64) * num_nodes * num_actions + (node * num_actions + action)


@mutant("12.3", "not an index for every edge")
def edge_of_the_first(game, node, action, num_nodes, num_actions):
    return (int(game[0]) * num_nodes + int(node[0])) * num_actions + int(action[0])


# --- 12.4 add_row(trees, game, node, action, prior) ---


@right("12.4")
def add_by_names(trees, game, node, action, prior):
    row = trees.num_nodes[game].copy()
    trees.num_nodes[game] = row + 1
    for name, values in {"child": 0, "visit_counts": 0, "value_sum": 0.0, "prior": prior}.items():
        getattr(trees, name)[game, row, :] = values
    trees.child[game, node, action] = row
    return row


@right("12.4")
def add_count_first(
    trees, game, node, action, prior, cleared=("child", "visit_counts", "value_sum")
):
    trees.num_nodes[game] += 1
    new = int(trees.num_nodes[game]) - 1
    for name in cleared:
        getattr(trees, name)[game][new] = 0
    trees.prior[game][new], trees.child[game][node][action] = prior, new
    return new


@mutant("12.4", "old numbers left in the row")
def add_with_old_values(*arguments):
    return add_count_first(*arguments, cleared=("child", "visit_counts"))


@mutant("12.4", "not the row's number")
def add_count(trees, *arguments):
    return add_count_first(trees, *arguments) + 1


@mutant("12.4", "another game's row is written")
def add_in_every_game(trees, *arguments):
    row = add_count_first(trees, *arguments)
    trees.visit_counts[:, row] = 0
    return row


@mutant("12.4", "no named fault")
def add_and_clear_all_below(trees, game, *arguments):
    row = add_count_first(trees, game, *arguments)
    trees.child[game, row:] = 0
    return row


# --- 12.5 collect(root, descend, num_leaves, virtual_loss) ---


def _change(path, visits, value):
    for node, action in path:
        node.visit_counts[action] += visits
        node.value_sum[action] += value


@right("12.5")
def collect_restoring_in_reverse(root, descend, num_leaves, virtual_loss):
    paths, before = [], []
    while len(paths) < num_leaves:
        paths.append(descend(root))
        for node, action in paths[-1]:
            before.append((node, action, node.visit_counts[action], node.value_sum[action]))
        _change(paths[-1], virtual_loss, -virtual_loss)
    for node, action, visits, value_sum in reversed(before):
        node.visit_counts[action], node.value_sum[action] = visits, value_sum
    return paths


@right("12.5")
def collect_by_recursion(root, descend, num_leaves, virtual_loss):
    if not num_leaves:
        return ()
    path = tuple(descend(root))
    _change(path, virtual_loss, -virtual_loss)
    others = collect_by_recursion(root, descend, num_leaves - 1, virtual_loss)
    _change(path, -virtual_loss, virtual_loss)
    return path, *others


@mutant("12.5", "undone before the next descent")
def collect_without(root, descend, num_leaves, virtual_loss):
    return [descend(root) for _ in range(num_leaves)]


@mutant("12.5", "not as many descents as asked")
def collect_until_two_meet(root, descend, num_leaves, virtual_loss):
    paths = []
    while len(paths) < num_leaves and (path := descend(root)) not in paths:
        _change(path, virtual_loss, -virtual_loss)
        paths.append(path)
    for path in paths:
        _change(path, -virtual_loss, virtual_loss)
    return paths


@mutant("12.5", "not the paths")
def collect_leaves(*arguments):
    return [path[-1] for path in collect_restoring_in_reverse(*arguments)]
