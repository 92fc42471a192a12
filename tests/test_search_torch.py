"""The engine on tensors against the readable search: equal in every node, visit for visit."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from azlearn.games import ConnectFour, State, TicTacToe
from azlearn.search import MCTS, puct
from azlearn.search.plans import as_plan
from azlearn.search.root_noise import RootNoise
from azlearn.search.selection import tensor_in_order
from azlearn.search.torch_puct import TorchPUCT
from tests.engines import (
    assert_same_tree,
    evaluators,
    random_positions,
    run,
    stacked,
)

TIC_TAC_TOE, CONNECT_FOUR = TicTacToe(), ConnectFour()
GAMES = pytest.mark.parametrize("game", [TIC_TAC_TOE, CONNECT_FOUR], ids=lambda game: game.name)
KINDS = ("hash", "rough", "uniform", "constant")
# Full columns, wins and threats of three kinds, and a board with one column left.
ONE_COLUMN_LEFT = "121212212121343434434343565656656565"
SPECIAL = [
    CONNECT_FOUR.from_moves(moves)
    for moves in ("111111", "111111222222", "444444", "445566", "121212", ONE_COLUMN_LEFT)
]


def searched(game, states, num_simulations, evaluate, plan=None, *, noise=None, **options):
    """An engine that has searched ``states``."""
    engine = TorchPUCT(game, len(states), num_simulations, plan, **options)
    engine.start(stacked(states), num_simulations, noise)
    run(engine, evaluate)
    return engine


def assert_agrees(game, states, num_simulations, kind, plan):
    """Every node of every tree is the readable search's."""
    single, batch = evaluators(game, kind)
    engine = searched(game, states, num_simulations, batch, plan)
    mcts = MCTS(game, plan, single)
    for row, state in enumerate(states):
        assert_same_tree(mcts.run(state, num_simulations).root, engine, row)


@GAMES
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fpu", [0.0, -1.0, "parent"])
def test_every_node_agrees_with_the_readable_search(game, kind, fpu):
    states = random_positions(game, 24, seed=3) + (SPECIAL if game is CONNECT_FOUR else [])
    for num_simulations in (1, 2, 17, 120):
        assert_agrees(game, states, num_simulations, kind, puct(1.25, fpu))
    assert_agrees(game, states, 120, kind, puct(1.25, fpu, fpu_reduction=0.25))


@GAMES
@settings(max_examples=30)
@given(
    seed=st.integers(0, 2**32 - 1),
    num_simulations=st.integers(1, 90),
    kind=st.sampled_from(KINDS),
    c=st.one_of(st.just(0.0), st.floats(0.01, 20)),
    fpu=st.one_of(st.just("parent"), st.floats(-1, 1)),
    reduction=st.one_of(st.just(0.0), st.floats(0, 2)),
)
def test_they_agree_whatever_the_settings(game, seed, num_simulations, kind, c, fpu, reduction):
    states = random_positions(game, 4, seed)
    assert_agrees(game, states, num_simulations, kind, puct(c, fpu, fpu_reduction=reduction))


def test_a_forced_line_is_followed_to_the_full_board_beside_games_of_other_depths():
    forced = CONNECT_FOUR.from_moves(ONE_COLUMN_LEFT)
    states = [forced, State(0, 0), *random_positions(CONNECT_FOUR, 6, seed=8)]
    _, batch = evaluators(CONNECT_FOUR, "hash")
    engine = searched(CONNECT_FOUR, states, 400, batch, puct(0.5))
    # Five positions behind the root; the sixth stone fills the board, which is no node.
    assert engine.visit_counts[0].sum(dim=1)[:8].tolist() == [400, 399, 398, 397, 396, 395, 0, 0]
    for kind in ("constant", "hash"):
        assert_agrees(CONNECT_FOUR, states, 400, kind, puct(0.5, 0.0))


@pytest.mark.parametrize("share", [0.25, 0.1, 0.3])  # two of them no sums of powers of 2
def test_noise_as_the_readable_search_mixes_it(share):
    states, n = random_positions(CONNECT_FOUR, 12, seed=5), 60
    single, batch = evaluators(CONNECT_FOUR, "hash")
    mcts = MCTS(CONNECT_FOUR, puct(1.5), single, root_noise=RootNoise(0.8, share))
    trees = [mcts.run(state, n, rng=row) for row, state in enumerate(states)]
    noise = np.zeros((len(states), 7))
    for row, state in enumerate(states):
        legal, rng = CONNECT_FOUR.legal_actions(state), np.random.default_rng(row)
        rng.spawn(1)  # the root's evaluation has the first
        noise[row, legal] = rng.spawn(1)[0].dirichlet([0.8] * len(legal))
    noisy = {"noise": noise, "noise_fraction": share}
    engine = searched(CONNECT_FOUR, states, n, batch, puct(1.5), **noisy)
    plain = searched(CONNECT_FOUR, states, n, batch, puct(1.5))
    for row, tree in enumerate(trees):
        assert_same_tree(tree.root, engine, row)
    noise[::2] = 0  # every other game without
    half = searched(CONNECT_FOUR, states, n, batch, puct(1.5), **noisy).visit_counts[:, 0]
    assert torch.equal(half[::2], plain.visit_counts[::2, 0])
    assert torch.equal(half[1::2], engine.visit_counts[1::2, 0])
    assert not torch.equal(half, plain.visit_counts[:, 0])
    none = searched(CONNECT_FOUR, states, n, batch, puct(1.5), noise=noise, noise_fraction=0.0)
    assert torch.equal(none.visit_counts, plain.visit_counts)


def test_a_win_in_one_takes_the_visits_and_is_no_node():
    """X: 1 2, O: 4 5, X to move. With c = 0 the won move, once tried, is met for ever after."""
    state = TIC_TAC_TOE.from_moves("1425")
    _, batch = evaluators(TIC_TAC_TOE, "constant")
    engine = searched(TIC_TAC_TOE, [state], 50, batch, puct(0.0))
    # Every score is 0 until a move is worth more: the first legal one, cell 3, wins.
    assert engine.visit_counts[0, 0].tolist() == [0, 0, 50, 0, 0, 0, 0, 0, 0]
    assert engine.value_sum[0, 0, 2] == 50
    assert not engine.child.any()


def test_the_answers_for_finished_games_are_never_used():
    """A network says NaN of a board without legal moves; the rules have decided there already."""
    states = random_positions(TIC_TAC_TOE, 16, seed=1)
    _, batch = evaluators(TIC_TAC_TOE, "hash")

    def careless(leaves):
        prior, value = batch(leaves)
        over = TIC_TAC_TOE.batch_outcome(leaves)[0].numpy()
        prior[over], value[over] = np.nan, np.nan
        met.append(over.sum())
        return prior, value

    met = []
    one = searched(TIC_TAC_TOE, states, 60, careless)
    other = searched(TIC_TAC_TOE, states, 60, batch)
    assert sum(met) > 100
    assert torch.equal(one.visit_counts[:, 0], other.visit_counts[:, 0])
    assert torch.equal(one.value_sum[:, 0], other.value_sum[:, 0])


@GAMES
def test_visits_add_up_in_every_node(game):
    """N of the edge into a node is 1 and what leaves it; W is within N; nothing is illegal."""
    states = random_positions(game, 32, seed=11)
    engine = searched(game, states, 150, evaluators(game, "rough").batch, puct(2.0, "parent"))
    visits, value_sum, child = engine.visit_counts, engine.value_sum, engine.child
    rows, nodes, actions = child.nonzero(as_tuple=True)
    below = child[rows, nodes, actions]
    assert torch.equal(visits[rows, nodes, actions], 1 + visits[rows, below].sum(dim=1))
    assert (visits[:, 0].sum(dim=1) == 150).all()
    assert (value_sum.abs() <= visits).all()
    legal = torch.as_tensor(game.batch_legal_mask(stacked(states)))
    assert not visits[:, 0][~legal].any()


def test_sums_are_added_from_left_to_right_as_in_a_loop():
    """In any other order the ones are lost, or found again, beside the large numbers."""
    numbers = torch.tensor([[1.0, 1e16, 1.0, -1e16, 0.3, 0.1, 0.2]], dtype=torch.float64)
    total = 0.0
    for number in numbers[0].tolist():
        total += number
    assert tensor_in_order(numbers).tolist() == [[total]]
    assert tensor_in_order(numbers.flip(1)).item() != total


def test_one_engine_serves_many_searches_and_asks_once_a_step():
    _, batch = evaluators(CONNECT_FOUR, "hash")
    engine = TorchPUCT(CONNECT_FOUR, 5, 64)
    states = random_positions(CONNECT_FOUR, 10, seed=2)
    for five, n in ((states[:5], 64), (states[5:], 20), (states[:5], 64)):
        engine.start(stacked(five), n)
        assert run(engine, batch) == 1 + n
        fresh = searched(CONNECT_FOUR, five, n, batch)
        assert torch.equal(engine.visit_counts[:, 0], fresh.visit_counts[:, 0])
        assert torch.equal(engine.value_sum[:, 0], fresh.value_sum[:, 0])


def test_select_alone_changes_nothing():
    _, batch = evaluators(CONNECT_FOUR, "hash")
    states = random_positions(CONNECT_FOUR, 4, seed=6)
    once = searched(CONNECT_FOUR, states, 30, batch)
    twice = TorchPUCT(CONNECT_FOUR, 4, 30)
    twice.start(stacked(states), 30)
    while len((leaves := twice.select()).me):
        again = twice.select()
        assert all(torch.equal(a, b) for a, b in zip(leaves, again, strict=True))
        twice.update(*batch(again))
    assert torch.equal(once.visit_counts, twice.visit_counts)


def test_single_precision_and_tensors_from_a_network():
    """float32 priors that still carry gradients, int64 tensors as states: the same kind of tree."""
    states = stacked(random_positions(CONNECT_FOUR, 8, seed=4))
    _, batch = evaluators(CONNECT_FOUR, "hash")

    def tensors(leaves):
        return tuple(
            torch.tensor(x, dtype=torch.float32, requires_grad=True) for x in batch(leaves)
        )

    engine = TorchPUCT(CONNECT_FOUR, 8, 100, dtype=torch.float32)
    engine.start(State(*map(torch.from_numpy, states)), 100)
    run(engine, tensors)
    assert engine.value_sum.dtype == torch.float32
    assert not engine.value_sum.requires_grad
    assert (engine.visit_counts[:, 0].sum(dim=1) == 100).all()


def test_the_engine_keeps_its_own_copy_of_the_roots():
    states = stacked([State(0, 0)] * 3)
    _, batch = evaluators(CONNECT_FOUR, "hash")
    engine = TorchPUCT(CONNECT_FOUR, 3, 10)
    engine.start(states, 10)
    states.me[:] = 1
    run(engine, batch)
    assert not engine.words[:, 0].any()


def answer(**wrong):
    """Evaluations of three empty boards, wrong in row 1 where told so."""
    prior, value = np.full((3, 7), 1 / 7), np.zeros(3)
    for name, row in wrong.items():
        {"prior": prior, "value": value}[name][1] = row
    return prior, value


FULL_COLUMN = CONNECT_FOUR.from_moves("444444")


@pytest.mark.parametrize(
    ("evaluation", "words"),
    [
        (answer(value=np.nan), r"Row 1: The evaluator's value must lie in \[-1, 1\], not nan"),
        (answer(value=1.5), r"Row 1: The evaluator's value must lie in \[-1, 1\], not 1.5"),
        (answer(prior=np.nan), "Row 1: The evaluator's prior must be probabilities"),
        (answer(prior=0.5), "Row 1: The evaluator's prior must be probabilities"),
        (answer(prior=np.eye(7)[3]), r"Row 1: .* prior to illegal moves: 4 \(action 3\)"),
        ((np.ones((3, 6)) / 6, np.zeros(3)), r"prior must have shape \(3, 7\), not \(3, 6\)"),
        ((np.ones((1, 7)) / 7, np.zeros(3)), r"prior must have shape \(3, 7\), not \(1, 7\)"),
        ((np.ones((3, 7)) / 7, np.zeros((3, 1))), r"value must have shape \(3,\), not \(3, 1\)"),
    ],
)
def test_an_evaluation_that_is_none_is_one_clear_sentence(evaluation, words):
    engine = TorchPUCT(CONNECT_FOUR, 3, 10)
    engine.start(stacked([State(0, 0), FULL_COLUMN, State(0, 0)]), 10)
    prior, value = answer(prior=np.array([1, 1, 1, 0, 1, 1, 1]) / 6)
    engine.select()
    with pytest.raises(ValueError, match=words) as error:
        engine.update(*evaluation)
    assert "\n" not in str(error.value)
    engine.update(prior, value)  # and nothing is broken by it
    assert engine.select().me.tolist() != [0, 0, 0]


def test_other_bad_input():
    engine = TorchPUCT(CONNECT_FOUR, 2, 10)
    with pytest.raises(ValueError, match="No position waits for an evaluation"):
        engine.update(*answer())
    over = CONNECT_FOUR.from_moves("1212121")
    with pytest.raises(ValueError, match="Row 1: the game is over here"):
        engine.start(stacked([State(0, 0), over]), 10)
    with pytest.raises(ValueError, match=r"states must have shape \(2,\), not \(1,\)"):
        engine.start(stacked([State(0, 0)]), 10)
    with pytest.raises(ValueError, match="at most max_simulations, 10, not 11"):
        engine.start(stacked([State(0, 0)] * 2), 11)
    with pytest.raises(ValueError, match="num_simulations must be a whole number"):
        engine.start(stacked([State(0, 0)] * 2), 0)
    with pytest.raises(ValueError, match="num_games must be a whole number, at least 1, not 0"):
        TorchPUCT(CONNECT_FOUR, 0, 10)
    with pytest.raises(ValueError, match="max_simulations must be a whole number, at least 1"):
        TorchPUCT(CONNECT_FOUR, 2, 0)
    with pytest.raises(ValueError, match="OwnRule has no tensor_scores, which this engine needs"):
        TorchPUCT(CONNECT_FOUR, 2, 10, as_plan(lambda node: [0] * 7))
    for share in (7, -0.1, np.nan):
        with pytest.raises(ValueError, match=r"noise_fraction must be in \[0, 1\]"):
            TorchPUCT(CONNECT_FOUR, 2, 10, noise_fraction=share)
    with pytest.raises(ValueError, match="go in lockstep: start all of them, in their order"):
        engine.start(stacked([State(0, 0)]), 10, rows=[1])
    assert len(engine.select().me) == 0  # nothing has been started


def test_all_games_are_idle_or_none_is():
    engine = TorchPUCT(CONNECT_FOUR, 2, 10)
    assert engine.idle.tolist() == [0, 1]
    engine.start(stacked([State(0, 0)] * 2), 3, rows=engine.idle)
    assert engine.idle.tolist() == []
    run(engine, evaluators(CONNECT_FOUR, "hash").batch)
    assert engine.idle.tolist() == [0, 1]
    assert [root.visit_counts.sum() for root in engine.roots([0, 1])] == [3, 3]


@pytest.mark.parametrize(
    ("noise", "words"),
    [
        (np.ones((2, 7)) / 7, "Row 1: noise must be probabilities of the legal moves"),
        (np.full((2, 7), np.nan), "Row 0: noise must be probabilities of the legal moves"),
        (np.ones(7) / 7, r"noise must have shape \(2, 7\), not \(7,\)"),
    ],
)
def test_noise_that_is_none_is_refused(noise, words):
    engine = TorchPUCT(CONNECT_FOUR, 2, 10)
    with pytest.raises(ValueError, match=words):
        engine.start(stacked([State(0, 0), FULL_COLUMN]), 10, noise)
