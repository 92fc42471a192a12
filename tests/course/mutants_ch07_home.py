"""Chapter 7, a thread comes home: answers as readers could have written them."""

from tests.course.registry import mutant, right

# --- 7.4 come_home(path, leaf, value, virtual_loss) ---


def _come_home(
    n=lambda k: 1 - k,
    w=lambda value, k: value + k,
    turns=lambda node, below: node.to_play != below.to_play,
):
    """The right way with a change of N or W, or the rule of the sign, replaced."""

    def come_home(path, leaf, value, virtual_loss):
        below = leaf
        for node, action in reversed(path):
            if turns(node, below):
                value = -value
            node.visit_counts[action] += n(virtual_loss)
            node.value_sum[action] += w(value, virtual_loss)
            below = node

    return come_home


mutant("7.4", "virtual loss not taken off")(_come_home(lambda k: 1, lambda value, k: value))
mutant("7.4", "N keeps the virtual games")(_come_home(n=lambda k: 1))
mutant("7.4", "W keeps the virtual losses")(_come_home(w=lambda value, k: value))
mutant("7.4", "taken off with the wrong sign")(_come_home(w=lambda value, k: value - k))
mutant("7.4", "taken off twice")(_come_home(lambda k: 1 - 2 * k, lambda value, k: value + 2 * k))
mutant("7.4", "the visit itself is not counted")(_come_home(n=lambda k: -k))
mutant("7.4", "one lost game, whatever the virtual loss")(
    _come_home(lambda k: 1 - 1, lambda value, k: value + 1)
)
mutant("7.4", "the value counts for every virtual game")(
    _come_home(lambda k: 0, lambda value, k: k * (1 + value))
)
mutant("7.4", "value not negated at backup")(_come_home(turns=lambda node, below: False))
mutant("7.4", "flips although the same player moves again")(
    _come_home(turns=lambda node, below: True)
)
mutant("7.4", "the value is not booked")(_come_home(w=lambda value, k: k))
mutant("7.4", "no named fault")(_come_home(lambda k: 2 - k))


@mutant("7.4", "the virtual loss changes sign with the value")
def come_home_together(path, leaf, value, virtual_loss):
    value += virtual_loss
    below = leaf
    for node, action in path[::-1]:
        value = -value if node.to_play != below.to_play else value
        node.visit_counts[action] += 1 - virtual_loss
        node.value_sum[action] += value
        below = node


@mutant("7.4", "the sign starts on the wrong side")
def come_home_late(path, leaf, value, virtual_loss):
    for i in range(len(path) - 1, -1, -1):
        node, action = path[i]
        node.visit_counts[action] += 1 - virtual_loss
        node.value_sum[action] += value + virtual_loss
        if i and path[i - 1][0].to_play != node.to_play:
            value = -value


@mutant("7.4", "flipped too late")
def come_home_flips_after(path, leaf, value, virtual_loss):
    below = leaf
    for node, action in reversed(path):
        _book(node, action, value, virtual_loss)
        if node.to_play != below.to_play:
            value = -value
        below = node


def _book(node, action, value, virtual_loss):
    node.visit_counts[action] += 1 - virtual_loss
    node.value_sum[action] += virtual_loss + value


@mutant("7.4", "compared with the leaf, but earlier flips are kept")
def come_home_compares_with_the_leaf(path, leaf, value, virtual_loss):
    for node, action in path:
        if node.to_play != leaf.to_play:
            value = -value
        _book(node, action, value, virtual_loss)


@mutant("7.4", "compared with the leaf, but earlier flips are kept")
def come_home_compares_upwards(path, leaf, value, virtual_loss):
    come_home_compares_with_the_leaf(path[::-1], leaf, value, virtual_loss)


@mutant("7.4", "everything in the root player's view")
def come_home_for_the_root(path, leaf, value, virtual_loss):
    own = value if path[0][0].to_play == leaf.to_play else -value
    for node, action in path:
        _book(node, action, own, virtual_loss)


@mutant("7.4", "everything in the first player's view")
def come_home_for_the_first_player(path, leaf, value, virtual_loss):
    own = [value, -value][leaf.to_play]
    for node, action in path:
        _book(node, action, own, virtual_loss)


@mutant("7.4", "walks from the root down")
def come_home_downwards(path, leaf, value, virtual_loss):
    for node, action in path:
        value = -value
        _book(node, action, value, virtual_loss)


@mutant("7.4", "walks from the root down")
def come_home_downwards_late(path, leaf, value, virtual_loss):
    for node, action in path:
        _book(node, action, value, virtual_loss)
        value = -value


@mutant("7.4", "taken off at the last edge only")
def come_home_last(path, leaf, value, virtual_loss):
    node, action = path[-1]
    node.visit_counts[action] -= virtual_loss
    node.value_sum[action] += virtual_loss
    _come_home(lambda k: 1, lambda value, k: value)(path, leaf, value, virtual_loss)


@mutant("7.4", "taken off at the first edge only")
def come_home_first(path, leaf, value, virtual_loss):
    node, action = path[0]
    node.visit_counts[action] -= virtual_loss
    node.value_sum[action] += virtual_loss
    _come_home(lambda k: 1, lambda value, k: value)(path, leaf, value, virtual_loss)


@mutant("7.4", "books at the child")
def come_home_below(path, leaf, value, virtual_loss):
    _come_home()(path, leaf, value, virtual_loss)
    leaf.visit_counts[leaf.legal_actions[0] if leaf.legal_actions else 0] += 1


@mutant("7.4", "books at the child")
def come_home_one_down(path, leaf, value, virtual_loss):
    for (_, action), node in zip(path, [node for node, _ in path[1:]] + [leaf], strict=True):
        node.visit_counts[action] += 1 - virtual_loss
        node.value_sum[action] += value + virtual_loss


@right("7.4")
def come_home_in_two_steps(path, leaf, value, virtual_loss):
    for node, action in path:
        node.visit_counts[action] -= virtual_loss
        node.value_sum[action] += virtual_loss
    _come_home(lambda k: 1, lambda value, k: value)(path, leaf, value, virtual_loss)


@right("7.4")
def come_home_from_the_root(path, leaf, value, virtual_loss):
    for node, action in path:
        own = value if node.to_play == leaf.to_play else -value
        node.visit_counts[action] = node.visit_counts[action] - (virtual_loss - 1)
        node.value_sum[action] = node.value_sum[action] + own + virtual_loss
