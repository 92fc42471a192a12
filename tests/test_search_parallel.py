"""Several leaves of one tree in a batch: virtual loss by hand, and nothing of it left behind."""

from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from azlearn.games import ConnectFour, State, TicTacToe
from azlearn.search import (
    MCTS,
    Node,
    RootNoise,
    Tree,
    batch_evaluator,
    constant,
    gumbel,
    puct,
    uct,
)
from tests.engines import assert_alike, evaluators, random_positions

TIC_TAC_TOE, CONNECT_FOUR = TicTacToe(), ConnectFour()
GAMES = pytest.mark.parametrize("game", [TIC_TAC_TOE, CONNECT_FOUR], ids=lambda game: game.name)
EMPTY = State(0, 0)


def in_batches(game, tree_policy, batch, batch_size=8, *, search=MCTS, **options):
    """A search whose leaves are evaluated by a function of many positions."""
    mcts = search(game, tree_policy, batch_evaluator(batch), batch_size=batch_size, **options)
    mcts.grow = mcts.grow_in_batches  # for batches of one, too
    return mcts


class Asked:
    """A batch evaluator that writes down what it was asked."""

    def __init__(self, evaluate):
        self.evaluate, self.batches = evaluate, []

    def __call__(self, states):
        self.batches.append([State(int(me), int(opp)) for me, opp in zip(*states, strict=True)])
        return self.evaluate(states)


def by_hand(states):
    """Move 1 has half of the prior, move 2 has 0.3, the others 0.04 each. Values:

    0 at the root, 0.4 behind move 1, -0.2 behind move 2, 0 elsewhere.
    """
    values = {CONNECT_FOUR.from_moves("1"): 0.4, CONNECT_FOUR.from_moves("2"): -0.2}
    prior = np.array([[0.5, 0.3, 0.04, 0.04, 0.04, 0.04, 0.04]] * len(states.me))
    return prior, np.array([values.get(state, 0.0) for state in zip(*states, strict=True)])


def test_two_batches_of_two_by_hand():
    asked = Asked(by_hand)
    mcts = in_batches(CONNECT_FOUR, puct(1.0), asked, batch_size=2, virtual_loss=3)
    root = mcts.run(EMPTY, 2).root
    # First the highest prior: move 1. Now N = 3 and W = -3 there, until the answer comes:
    # move 1 scores -3/3 + √3·0.5/4 = -0.78, move 2 scores 0 + √3·0.3/1 = 0.52.
    assert asked.batches == [[EMPTY], [CONNECT_FOUR.from_moves(moves) for moves in ("1", "2")]]
    assert root.visit_counts == [1, 1, 0, 0, 0, 0, 0]
    assert root.value_sum == [-0.4, 0.2, 0, 0, 0, 0, 0]

    root = mcts.run(EMPTY, 4).root
    # √2: move 1 has -0.4 + √2·0.5/2 = -0.05, move 2 has 0.2 + √2·0.3/2 = 0.41. Below move 2 the
    # highest prior: 1. Three virtual losses make move 2 (0.2 - 3)/4 + √5·0.3/5 = -0.57 and leave
    # move 1 with -0.4 + √5·0.5/2 = 0.16, before the others with √5·0.04 = 0.09.
    assert asked.batches[4:] == [[CONNECT_FOUR.from_moves(moves) for moves in ("21", "11")]]
    assert root.visit_counts == [2, 2, 0, 0, 0, 0, 0]
    assert root.children[1].visit_counts == [1, 0, 0, 0, 0, 0, 0]
    assert root.value_sum == [-0.4, 0.2, 0, 0, 0, 0, 0]


def assert_sound(game, node) -> int:
    """Every N and W is what the values below it add up to: nothing else was added or left.

    For values exact in binary. Returns the number of positions that were evaluated.
    """
    evaluated = 1
    assert node.raw_value is not None
    for action in range(game.num_actions):
        n, w, child = node.visit_counts[action], node.value_sum[action], node.children[action]
        if child is None:
            assert (n, w) == (0, 0)
        elif child.outcome is not None:
            assert (n, w) == (n, -child.outcome * n)
        else:
            assert n == 1 + child.num_visits
            assert w == -(child.raw_value + sum(child.value_sum))
            evaluated += assert_sound(game, child)
    return evaluated


@GAMES
@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    num_simulations=st.integers(1, 150),
    batch_size=st.integers(1, 40),
    virtual_loss=st.integers(0, 10),
    fpu=st.sampled_from([0.0, -1.0, "parent"]),
    kind=st.sampled_from(["hash", "uniform", "constant"]),
)
def test_no_virtual_loss_is_left(game, seed, num_simulations, batch_size, virtual_loss, fpu, kind):
    asked = Asked(evaluators(game, kind).batch)
    mcts = in_batches(game, puct(1.5, fpu), asked, batch_size=batch_size, virtual_loss=virtual_loss)
    root = mcts.run(random_positions(game, 2, seed)[1], num_simulations).root
    assert root.num_visits == num_simulations
    assert assert_sound(game, root) == sum(map(len, asked.batches))  # each leaf, once
    assert max(map(len, asked.batches)) <= batch_size


@GAMES
@pytest.mark.parametrize("rule", [puct(1.5), puct(0.7, "parent"), uct(1.0)], ids=lambda r: r.name)
def test_a_batch_of_one_is_the_plain_search(game, rule):
    single, batch = evaluators(game, "rough")  # W - 3 + 3 would not be W
    parallel = in_batches(game, rule, batch, batch_size=1)
    plain = MCTS(game, rule, single)
    for state in random_positions(game, 8, seed=4):
        for num_simulations in (1, 100):
            one, other = plain.run(state, num_simulations), parallel.run(state, num_simulations)
            assert_alike(one.root, other.root)
    options = {"ties": "random", "root_noise": RootNoise(0.5)}
    parallel = in_batches(game, rule, batch, batch_size=1, **options)
    plain = MCTS(game, rule, single, **options)
    one, other = plain.run(EMPTY, 60, 3), parallel.run(EMPTY, 60, 3)
    assert_alike(one.root, other.root)
    assert one.root.prior == other.root.prior


def test_a_tree_goes_on_and_stop_is_asked_after_every_batch():
    asked, left = Asked(evaluators(CONNECT_FOUR, "hash").batch), []

    def stop(tree, simulations_left):
        left.append(simulations_left)
        return tree.root.num_visits >= 24

    mcts = in_batches(CONNECT_FOUR, puct(1.5), asked, virtual_loss=3)
    tree = mcts.run(EMPTY, 60, stop=stop)
    done = np.cumsum([len(batch) for batch in asked.batches[1:]])
    assert left == (60 - done).tolist()
    assert left[-2] > 36 >= left[-1]  # it has stopped as soon as it could
    visits = tree.root.num_visits
    tree = mcts.run(EMPTY, 30, tree=tree)
    assert tree.root.num_visits == visits + 30
    assert assert_sound(CONNECT_FOUR, tree.root) == sum(map(len, asked.batches))


def breaking(function, at, answer):
    """The function, except that ``answer`` takes its call number ``at``."""
    calls = count(1)
    return lambda *args: (answer if next(calls) == at else function)(*args)


@pytest.mark.parametrize("fault", ["NaN", "Ctrl-C in an evaluation", "Ctrl-C in a selection"])
@pytest.mark.parametrize("rule", [puct(1.5), uct(1.0), gumbel()], ids=lambda rule: rule.name)
@pytest.mark.parametrize(
    ("batch_size", "options"),
    [(1, {}), (8, {}), (1, {"expand": "all"}), *((n, {"policy": constant()}) for n in (1, 8))],
)
def test_a_search_that_fails_leaves_a_tree_that_can_be_continued(batch_size, options, rule, fault):
    """As if nothing had happened, except where some children of a leaf were already added."""
    batch = evaluators(CONNECT_FOUR, "hash").batch

    def interrupt(*_):
        raise KeyboardInterrupt

    def nan(states):
        prior, value = batch(states)
        return prior, np.where(np.arange(len(value)) < len(value) - 1, value, np.nan)

    def search(evaluate):
        options_ = {"batch_size": batch_size, "virtual_loss": 1} | options
        return MCTS(CONNECT_FOUR, rule, batch_evaluator(evaluate), **options_)

    broken = {"NaN": nan, "Ctrl-C in an evaluation": interrupt}.get(fault, batch)
    mcts = search(breaking(batch, 12, broken))
    if broken is batch:
        mcts.choose = breaking(mcts.choose, 40, interrupt)
    tree = Tree(CONNECT_FOUR, Node(CONNECT_FOUR, EMPTY))
    with pytest.raises((KeyboardInterrupt, ValueError), match=r"^$|must be in \[-1, 1\], not nan"):
        mcts.run(EMPTY, 100, tree=tree)
    assert assert_sound(CONNECT_FOUR, tree.root) > 1
    mcts.run(EMPTY, max(100 - tree.root.num_visits, 1), tree=tree)
    assert_sound(CONNECT_FOUR, tree.root)
    if "expand" not in options:
        assert_alike(tree.root, search(batch).run(EMPTY, 100).root)
