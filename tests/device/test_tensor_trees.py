"""Trees in fixed memory against the readable search: equal in every node, to the last bit."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from azlearn.games import ConnectFour, TicTacToe
from azlearn.games.dots_and_boxes import DotsAndBoxes
from azlearn.games.tensor_game import TensorGame
from azlearn.search import MCTS, puct, uct
from azlearn.search.root_noise import RootNoise
from azlearn.search.tensor_trees import TensorTrees, bytes_per_game, longest_path
from azlearn.search.torch_puct import TorchPUCT
from tests.device.small import (
    GAMES,
    KINDS,
    Hashed,
    Mixed,
    a_readers_game,
    game_id,
    grow,
    read,
    tensors,
)
from tests.engines import assert_same_tree, evaluators, random_positions, run
from tests.test_search_plans import EvenRoot

PLANS = [
    puct(1.25), puct(0.5, -1.0), puct(1.25, "parent"), puct(1.25, "parent", fpu_reduction=0.25),
    puct(2.0, 0.1, fpu_reduction=0.5), uct(0.7), EvenRoot(),
]  # fmt: skip
BUDGETS = (1, 2, 17, 120)


def plan_id(plan) -> str:
    return "-".join([plan.name, *map(str, plan.parameters.values())])


def static_trees(game, states, num_simulations, plan, evaluate, device="cpu", noise=None):
    """Searched by ``TensorTrees`` alone, every simulation with the full number of levels."""
    trees = TensorTrees(TensorGame(game, device), len(states), num_simulations, plan)
    return grow(trees, evaluate, tensors(game.stack(states), device), num_simulations, noise)


def checked_trees(game, states, num_simulations, plan, evaluate, device="cpu"):
    """Searched by ``TorchPUCT``, which asks how deep the paths are."""
    engine = TorchPUCT(game, len(states), num_simulations, plan, device=device)
    engine.start(game.stack(states), num_simulations)
    run(engine, evaluate)
    return engine.trees


def assert_equal_to_mcts(game, states, num_simulations, plan, device="cpu"):
    """Both engines and the readable search: the number of nodes compared."""
    evaluate, compared = Mixed(game), 0
    engines = [
        read(search(game, states, num_simulations, plan, evaluate, device))
        for search in (static_trees, checked_trees)
    ]
    for row, state in enumerate(states):
        root = MCTS(game, plan, evaluate.single(row)).run(state, num_simulations).root
        for engine in engines:
            compared += assert_same_tree(root, engine, row)
    return compared


# On large boards, where the readable search is slow, every third plan.
CASES = [
    pytest.param(game, plan, id=f"{game_id(game)}-{plan_id(plan)}")
    for game in GAMES
    for plan in (PLANS if game.num_actions < 40 else PLANS[::3])
]


@pytest.mark.parametrize(("game", "plan"), CASES)
def test_every_node_is_that_of_the_readable_search(game, plan, device):
    if device == "cuda" and plan.name == "uct":
        pytest.skip("CUDA's logarithm may differ from the C library's in the last bit")
    for num_simulations in BUDGETS:
        n = 4 if num_simulations == max(BUDGETS) else 8
        states = random_positions(game, n, seed=num_simulations)
        assert assert_equal_to_mcts(game, states, num_simulations, plan, device) >= 2 * n


def test_a_readers_own_game_too(tmp_path, device):
    game = a_readers_game(tmp_path)
    for plan in (puct(1.25, "parent"), EvenRoot()):
        assert_equal_to_mcts(game, random_positions(game, 8, seed=1), 60, plan, device)


@settings(max_examples=40)
@given(
    game=st.sampled_from(GAMES),
    seed=st.integers(0, 2**32 - 1),
    num_games=st.integers(1, 9),
    num_simulations=st.integers(1, 60),
    c=st.one_of(st.just(0.0), st.floats(0.01, 20)),
    fpu=st.one_of(st.just("parent"), st.floats(-1, 1)),
    reduction=st.one_of(st.just(0.0), st.floats(0, 2)),
)
def test_equal_whatever_the_settings(game, seed, num_games, num_simulations, c, fpu, reduction):
    states = random_positions(game, num_games, seed)
    assert_equal_to_mcts(game, states, num_simulations, puct(c, fpu, fpu_reduction=reduction))


def test_to_the_end_of_the_game_in_one_line(device):
    """One column is left, six cells high: the path grows to the full board, beside other trees."""
    game = ConnectFour()
    one_column = game.from_moves("121212212121343434434343565656656565")
    states = [one_column, *random_positions(game, 3, seed=8)]
    evaluate = evaluators(game, "hash").batch
    trees = static_trees(
        game, states, 200, puct(0.5), lambda leaves: on_cpu(evaluate, leaves), device
    )
    # Five positions behind the root; the sixth stone fills the board, which is no node.
    assert trees.visit_counts[0].sum(dim=1)[:7].tolist() == [200, 199, 198, 197, 196, 195, 0]
    root = MCTS(game, puct(0.5), evaluators(game, "hash").single).run(one_column, 200).root
    assert_same_tree(root, read(trees), 0)


def on_cpu(evaluate, leaves):
    """Evaluations by NumPy of positions on a device."""
    words = type(leaves)(*(word.cpu().numpy() for word in leaves))
    return tuple(torch.from_numpy(x).to(leaves[0].device) for x in evaluate(words))


def test_noise_as_the_readable_search_mixes_it(device):
    game, n = DotsAndBoxes(2, 2), 60
    states = random_positions(game, 8, seed=5)
    mcts = [
        MCTS(game, puct(1.5), Mixed(game).single(row), root_noise=RootNoise(0.8, 0.25))
        for row in range(8)
    ]
    noise = np.zeros((8, game.num_actions))
    for row, state in enumerate(states):
        legal, rng = game.legal_actions(state), np.random.default_rng(row)
        rng.spawn(1)  # the root's evaluation has the first
        noise[row, legal] = rng.spawn(1)[0].dirichlet([0.8] * len(legal))
    noise_there = torch.from_numpy(noise).to(device)
    trees = static_trees(game, states, n, puct(1.5), Mixed(game), device, noise_there)
    for row, state in enumerate(states):
        assert_same_tree(mcts[row].run(state, n, rng=row).root, read(trees), row)
    none = static_trees(
        game, states, n, puct(1.5), Mixed(game), device, torch.zeros_like(noise_there)
    )
    plain = static_trees(game, states, n, puct(1.5), Mixed(game), device)
    assert torch.equal(none.value_sum, plain.value_sum)  # a row of zeros: no noise there
    assert not torch.equal(none.value_sum, trees.value_sum)


@pytest.mark.parametrize("game", GAMES, ids=game_id)
def test_every_node_knows_its_line_and_where_a_descent_from_it_ends(game):
    """Walked through by hand, for every node of every tree, on the path or not."""
    states = random_positions(game, 8, seed=3)
    trees = read(static_trees(game, states, 100, puct(1.25, "parent"), Mixed(game)))
    num_levels = trees.line.shape[2]
    for row in range(8):
        line_of = {0: [0]}  # the nodes from the root, by node; parents have the lower numbers
        for node in range(101):
            if node not in line_of:
                continue  # a finished game: nothing leads there
            for child in trees.child[row, node][trees.child[row, node] > 0].tolist():
                assert child > node
                line_of[child] = [*line_of[node], child]
        for node, line in line_of.items():
            assert trees.depth[row, node] == len(line) - 1
            padded = ([node] * num_levels + line[::-1])[-num_levels:]  # the deepest first
            assert trees.line[row, node].tolist() == padded
            at = node
            while behind := int(trees.child[row, at, trees.best[row, at]]):
                at = behind
            assert trees.end[row, node] == at


def test_one_memory_serves_many_searches_and_a_new_one_forgets_the_last(device):
    game = ConnectFour()
    on, evaluate = TensorGame(game, device), Mixed(game)
    trees = TensorTrees(on, 6, 50, puct(1.25))
    for seed, n in ((1, 50), (2, 20), (3, 50)):
        states = random_positions(game, 6, seed)
        grow(trees, evaluate, tensors(game.stack(states), device), n)
        for row, state in enumerate(states):
            root = MCTS(game, puct(1.25), evaluate.single(row)).run(state, n).root
            assert_same_tree(root, read(trees), row)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_visits_add_up_in_every_node(dtype, device):
    """N of the edge into a node is 1 and what leaves it; W is within N; nothing is illegal."""
    for game in GAMES:
        on = TensorGame(game, device)
        trees = TensorTrees(on, 16, 60, puct(2.0, "parent"), dtype=dtype)
        states = tensors(game.stack(random_positions(game, 16, seed=11)), device)
        grow(trees, Hashed(on), states, 60)
        assert trees.value_sum.dtype == trees.prior.dtype == trees.raw_value.dtype == dtype
        found = read(trees)
        rows, nodes, actions = found.child.nonzero()
        below = found.child[rows, nodes, actions]
        into = found.visit_counts[rows, nodes, actions]
        np.testing.assert_array_equal(into, 1 + found.visit_counts[rows, below].sum(axis=1))
        assert (found.visit_counts[:, 0].sum(axis=1) == 60).all()
        assert (abs(found.value_sum) <= found.visit_counts * 1.000001).all()
        assert not found.visit_counts[~found.is_legal].any()


def test_the_answers_for_finished_games_are_never_used(device):
    """A network says NaN of a board without legal moves; the rules have decided there already."""
    game = TicTacToe()
    states, met = random_positions(game, 16, seed=1), []

    def careless(leaves):
        prior, value = Mixed(game)(leaves)
        over = game.batch_outcome(leaves)[0]
        met.append(int(over.sum()))
        return prior.masked_fill(over[:, None], np.nan), value.masked_fill(over, np.nan)

    one = static_trees(game, states, 60, puct(), careless, device)
    other = static_trees(game, states, 60, puct(), Mixed(game), device)
    assert sum(met) > 100
    linked = other.child.flatten(1)  # where a finished game is written nothing leads
    assert torch.equal(one.child.flatten(1), linked)
    assert torch.equal(one.visit_counts[:, 0], other.visit_counts[:, 0])
    assert torch.equal(one.value_sum[:, 0], other.value_sum[:, 0])


def test_a_path_has_a_node_for_every_simulation_up_to_the_longest_game():
    """Tic-tac-toe has 9 plies, Connect Four 42; Dots and Boxes 2x2 has 12 lines."""
    assert [longest_path(TicTacToe(), n) for n in (1, 8, 9, 10, 800)] == [1, 8, 9, 9, 9]
    assert longest_path(ConnectFour(), 800) == 42
    assert longest_path(DotsAndBoxes(2, 2), 800) == 12


def test_the_memory_of_a_game_worked_out_by_hand():
    """Connect Four, 10 simulations, float32: 11 nodes of these bytes, and so the real trees have.

    words 2 * 8, N 7 * 4, W 7 * 4, P 7 * 4, children 7 * 4, legal 7, value 4; mover, depth, best and
    end 8 each, the line 10 * 2: 191.
    """
    assert bytes_per_game(ConnectFour(), 10, torch.float32) == 11 * 191
    for game in GAMES:
        for dtype in (torch.float32, torch.float64):
            trees = TensorTrees(TensorGame(game), 5, 70, puct(), dtype=dtype)
            held = sum(column.numel() * column.element_size() for column in trees._columns.values())
            assert held == 5 * bytes_per_game(game, 70, dtype)


def test_kinds_differ_where_trees_stand_beside_each_other():
    """The comparison above means something: the four kinds grow four different trees."""
    game = ConnectFour()
    states = [game.initial_state()] * 4
    visits = static_trees(game, states, 100, puct(1.25, 0.1), Mixed(game)).visit_counts
    assert len({tuple(rows.flatten().tolist()) for rows in visits}) == len(KINDS)
