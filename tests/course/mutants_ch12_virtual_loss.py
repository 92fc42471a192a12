"""Chapter 12, virtual loss: answers as readers could write them."""

from tests.course.registry import mutant, right

# --- 12.6 collect(root, descend, num_leaves, virtual_loss) ---


def _collect(root, descend, num_leaves, virtual_loss, on, off):
    """The right way, with what is put on and taken off replaced."""
    paths = []
    for _ in range(num_leaves):
        path = descend(root)
        on(path, virtual_loss)
        paths.append(path)
    for path in paths:
        off(path, virtual_loss)
    return paths


def _change(path, visits, value):
    for node, action in path:
        node.visit_counts[action] += visits
        node.value_sum[action] += value


@mutant("12.6", "not undone")
def collect_and_leave(root, descend, num_leaves, k):
    return _collect(root, descend, num_leaves, k, lambda p, k: _change(p, k, -k), lambda p, k: None)


@mutant("12.6", "undone twice")
def collect_undone_twice(root, descend, num_leaves, k):
    paths = _collect(
        root, descend, num_leaves, k, lambda p, k: _change(p, k, -k), lambda p, k: _change(p, -k, k)
    )
    for path in paths:
        _change(path, -k, k)
    return paths


@mutant("12.6", "only W is restored")
def collect_n_stays(root, descend, num_leaves, k):
    return _collect(
        root, descend, num_leaves, k, lambda p, k: _change(p, k, -k), lambda p, k: _change(p, 0, k)
    )


@mutant("12.6", "only N is restored")
def collect_w_stays(root, descend, num_leaves, k):
    return _collect(
        root, descend, num_leaves, k, lambda p, k: _change(p, k, -k), lambda p, k: _change(p, -k, 0)
    )


@mutant("12.6", "undone before the next descent")
def collect_at_once(root, descend, num_leaves, virtual_loss):
    paths = []
    for _ in range(num_leaves):
        paths.append(descend(root))
        _change(paths[-1], virtual_loss, -virtual_loss)
        _change(paths[-1], -virtual_loss, virtual_loss)
    return paths


@mutant("12.6", "undone before the next descent")
def collect_without(root, descend, num_leaves, virtual_loss):
    return [descend(root) for _ in range(num_leaves)]


@mutant("12.6", "edges that two paths share keep a loss")
def collect_with_saved_numbers(root, descend, num_leaves, virtual_loss):
    saved, paths = {}, []
    for _ in range(num_leaves):
        path = descend(root)
        for node, action in path:
            saved[id(node), action] = node, node.visit_counts[action], node.value_sum[action]
        _change(path, virtual_loss, -virtual_loss)
        paths.append(path)
    for (_, action), (node, visits, value_sum) in saved.items():
        node.visit_counts[action], node.value_sum[action] = visits, value_sum
    return paths


@mutant("12.6", "virtual loss counts as a win")
def collect_virtual_wins(root, descend, num_leaves, k):
    return _collect(
        root, descend, num_leaves, k, lambda p, k: _change(p, k, k), lambda p, k: _change(p, -k, -k)
    )


@mutant("12.6", "the sign changes along the path")
def collect_alternating(root, descend, num_leaves, k):
    def change(path, k):
        loss = k
        for node, action in path:
            node.visit_counts[action] += abs(k) if k > 0 else -abs(k)
            node.value_sum[action] -= loss
            loss = -loss

    return _collect(root, descend, num_leaves, k, change, lambda p, k: change(p, -k))


@mutant("12.6", "N forgotten")
def collect_w_only(root, descend, num_leaves, k):
    return _collect(
        root, descend, num_leaves, k, lambda p, k: _change(p, 0, -k), lambda p, k: _change(p, 0, k)
    )


@mutant("12.6", "W forgotten")
def collect_n_only(root, descend, num_leaves, k):
    return _collect(
        root, descend, num_leaves, k, lambda p, k: _change(p, k, 0), lambda p, k: _change(p, -k, 0)
    )


@mutant("12.6", "one visit, whatever the virtual loss")
def collect_one_visit(root, descend, num_leaves, k):
    return _collect(
        root, descend, num_leaves, k, lambda p, k: _change(p, 1, -k), lambda p, k: _change(p, -1, k)
    )


@mutant("12.6", "one game, whatever the virtual loss")
def collect_one_game(root, descend, num_leaves, k):
    return _collect(
        root, descend, num_leaves, k, lambda p, k: _change(p, 1, -1), lambda p, k: _change(p, -1, 1)
    )


@mutant("12.6", "only the last edge")
def collect_at_the_leaf(root, descend, num_leaves, k):
    return _collect(
        root,
        descend,
        num_leaves,
        k,
        lambda p, k: _change(p[-1:], k, -k),
        lambda p, k: _change(p[-1:], -k, k),
    )


@mutant("12.6", "only the first edge")
def collect_at_the_root(root, descend, num_leaves, k):
    return _collect(
        root,
        descend,
        num_leaves,
        k,
        lambda p, k: _change(p[:1], k, -k),
        lambda p, k: _change(p[:1], -k, k),
    )


@mutant("12.6", "not as many descents as asked")
def collect_until_two_meet(root, descend, num_leaves, virtual_loss):
    paths = []
    while len(paths) < num_leaves:
        path = descend(root)
        if path in paths:
            break
        _change(path, virtual_loss, -virtual_loss)
        paths.append(path)
    for path in paths:
        _change(path, -virtual_loss, virtual_loss)
    return paths


@mutant("12.6", "not the paths")
def collect_edges(root, descend, num_leaves, k):
    paths = _collect(
        root, descend, num_leaves, k, lambda p, k: _change(p, k, -k), lambda p, k: _change(p, -k, k)
    )
    return [path[-1] for path in paths]


@mutant("12.6", "not the paths")
def collect_backwards(root, descend, num_leaves, k):
    paths = _collect(
        root, descend, num_leaves, k, lambda p, k: _change(p, k, -k), lambda p, k: _change(p, -k, k)
    )
    return paths[::-1]


@mutant("12.6", "no named fault")
def collect_doubled(root, descend, num_leaves, k):
    return _collect(
        root,
        descend,
        num_leaves,
        k,
        lambda p, k: _change(p, 2 * k, -2 * k),
        lambda p, k: _change(p, -2 * k, 2 * k),
    )


@mutant("12.6", "returns nothing")
def collect_no_return(root, descend, num_leaves, k):
    _collect(
        root, descend, num_leaves, k, lambda p, k: _change(p, k, -k), lambda p, k: _change(p, -k, k)
    )


@right("12.6")
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


@right("12.6")
def collect_counting_edges(root, descend, num_leaves, virtual_loss):
    paths, times = [], {}
    for number in range(num_leaves):
        path = descend(root)
        paths.append(tuple(path))
        for node, action in path:
            node.visit_counts[action] += virtual_loss
            node.value_sum[action] -= virtual_loss
            times[id(node), action] = node, times.get((id(node), action), (node, 0))[1] + 1
        assert len(paths) == number + 1
    for (_, action), (node, count) in times.items():
        node.visit_counts[action] -= count * virtual_loss
        node.value_sum[action] += count * virtual_loss
    return tuple(paths)
