"""Chapter 4, lines and stopping: answers as readers could have written them."""

import numpy as np

from tests.course.registry import mutant, right

# --- 4.4 principal_variation(root) ---


def _mean(node, action):
    n = node.visit_counts[action]
    return node.value_sum[action] / n if n else -2


def _best(node):
    return max(node.legal_actions, key=lambda a: (node.visit_counts[a], _mean(node, a)))


def _line(root, choose=_best):
    line, node = [], root
    while node is not None and node.num_visits:
        line.append(choose(node))
        node = node.children[line[-1]]
    return line


@mutant("4.4", "best mean at every node")
def line_by_mean(root):
    return _line(root, lambda node: max(node.legal_actions, key=lambda a: _mean(node, a)))


@mutant("4.4", "the other player picks the worst")
def line_minimax(root):
    def choose(node):
        if node.to_play == root.to_play:
            return _best(node)
        return min(
            (a for a in node.legal_actions if node.visit_counts[a]), key=node.q_values.__getitem__
        )

    return _line(root, choose)


@mutant("4.4", "equal visits: the first is taken")
def line_argmax(root):
    return _line(root, lambda node: int(np.argmax(node.visit_counts)))


@mutant("4.4", "equal visits: the last is taken")
def line_by_sorting(root):
    return _line(
        root, lambda node: sorted(node.legal_actions, key=node.visit_counts.__getitem__)[-1]
    )


def _tie(node, sign):
    return max(node.legal_actions, key=lambda a: (node.visit_counts[a], sign * node.q_values[a]))


@mutant("4.4", "equal visits: the lower Q is taken")
def line_lower(root):
    return _line(root, lambda node: _tie(node, -1))


@mutant("4.4", "equal visits: Q in the first player's view")
def line_first_player(root):
    return _line(root, lambda node: _tie(node, 1 if node.to_play == 0 else -1))


@mutant("4.4", "equal visits: Q in the root player's view")
def line_root_player(root):
    return _line(root, lambda node: _tie(node, 1 if node.to_play == root.to_play else -1))


@mutant("4.4", "no named fault")
def line_second_player(root):
    return _line(root, lambda node: _tie(node, 1 if node.to_play == 1 else -1))


@mutant("4.4", "all equal: the last is taken")
def line_last(root):
    return _line(
        root,
        lambda node: max((node.visit_counts[a], _mean(node, a), a) for a in node.legal_actions)[2],
    )


@mutant("4.4", "one move beyond the tree")
def line_too_long(root):
    line, node = [], root
    while node is not None and node.outcome is None:
        line.append(_best(node))
        node = node.children[line[-1]]
    return line


@mutant("4.4", "the last move is missing")
def line_too_short(root):
    line, node = [], root
    while any(node.children):
        action = _best(node)
        node = node.children[action]
        if any(node.children):
            line.append(action)
    return line


@mutant("4.4", "the first move only")
def line_first(root):
    return [_best(root)] if root.num_visits else []


@mutant("4.4", "from the end to the root")
def line_backwards(root):
    if not root.num_visits:
        return []
    action = _best(root)
    return [*line_backwards(root.children[action]), action]


@mutant("4.4", "columns instead of actions")
def line_of_columns(root):
    return [action + 1 for action in _line(root)]


@mutant("4.4", "does not stop where the tree ends")
def line_never_stops(root):
    line, node = [], root
    while node is not None:
        line.append(_best(node))
        node = node.children[line[-1]]
    return line


@mutant("4.4", "not a list")
def line_as_text(root):
    return "".join(str(action + 1) for action in _line(root))


@mutant("4.4", "returns nothing")
def line_printed(root):
    print(_line(root))


@mutant("4.4", "no named fault")
def line_of_least(root):
    return _line(root, lambda node: min(node.legal_actions))


@right("4.4")
def line_recursive(root):
    if root is None or not root.num_visits:
        return ()
    action = root.best_action()
    return (np.int64(action), *line_recursive(root.children[action]))


# --- 4.6 decided(root, num_left) ---


def _counts(root):
    return sorted(root.visit_counts[a] for a in root.legal_actions)


def _runner_up(root):
    return ([0, *_counts(root)])[-2]


@mutant("4.6", "equal visits count as decided")
def decided_too_early(root, num_left):
    return len(root.legal_actions) < 2 or _runner_up(root) + num_left <= _counts(root)[-1]


@mutant("4.6", "undecided with nothing left")
def decided_strict(root, num_left):
    return len(root.legal_actions) < 2 or _runner_up(root) + num_left < _counts(root)[-1]


@mutant("4.6", "the leader is enough")
def decided_by_lead(root, num_left):
    return _counts(root)[-1] > _runner_up(root)


@mutant("4.6", "all others together")
def decided_against_all(root, num_left):
    n = _counts(root)
    return not num_left or sum(n[:-1]) + num_left < n[-1]


@mutant("4.6", "half of the visits so far")
def decided_by_half(root, num_left):
    return max(root.visit_counts) > root.num_visits / 2


@mutant("4.6", "all others together")
def decided_by_half_of_all(root, num_left):
    return num_left == 0 or 2 * max(root.visit_counts) > root.num_visits + num_left


@mutant("4.6", "the last move for the runner-up")
def decided_unsorted(root, num_left):
    n = [root.visit_counts[a] for a in root.legal_actions]
    return num_left == 0 or n[-1] + num_left < max(n)


@mutant("4.6", "the least visited for the runner-up")
def decided_by_least(root, num_left):
    return num_left == 0 or _counts(root)[0] + num_left < _counts(root)[-1]


@mutant("4.6", "equal N counted once")
def decided_by_set(root, num_left):
    n = sorted({root.visit_counts[a] for a in root.legal_actions})
    return num_left == 0 or len(n) == 1 or n[-2] + num_left < n[-1]


@mutant("4.6", "the answer turned round")
def undecided(root, num_left):
    return num_left > 0 and _runner_up(root) + num_left >= _counts(root)[-1]


@mutant("4.6", "no runner-up")
def decided_index(root, num_left):
    n = _counts(root)
    return num_left == 0 or n[-2] + num_left < n[-1]


@mutant("4.6", "one legal move is not decided")
def decided_of_all_actions(root, num_left):
    second, first = sorted(root.visit_counts)[-2:]
    return num_left == 0 or second + num_left < first


@mutant("4.6", "not True or False")
def decided_moves(root, num_left):
    return [root.visit_counts[a] + num_left < max(root.visit_counts) for a in root.legal_actions]


@mutant("4.6", "returns nothing")
def decided_silent(root, num_left):
    if _runner_up(root) + num_left < _counts(root)[-1]:
        return True


@mutant("4.6", "no named fault")
def decided_never(root, num_left):
    return False


@mutant("4.6", "no named fault")
def decided_with_seven_moves(root, num_left):
    """Right as long as there are few moves to choose from."""
    lead, few = _counts(root)[-1] - _runner_up(root), len(root.legal_actions) < 4
    return not num_left or len(root.legal_actions) < 2 or lead > (num_left if few else num_left / 9)


@right("4.6")
def decided_with_arrays(root, num_left):
    n = np.array(root.visit_counts)[root.legal_actions]
    leader = n.argmax()
    others = np.delete(n, leader)
    return num_left == 0 or (others + num_left < n[leader]).all()
