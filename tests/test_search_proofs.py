"""What the search calls proven is what minimax finds, and players act on it."""

from functools import cache

import numpy as np
import pytest

from azlearn.games import ConnectFour, TicTacToe
from azlearn.games.dots_and_boxes import DotsAndBoxes
from azlearn.search import (
    MCTS,
    BatchedSearch,
    Evaluation,
    MCTSSolver,
    constant,
    forced_puct,
    gumbel,
    hash_evaluator,
    puct,
    uct,
)
from azlearn.search.proofs import proof
from tests.engines import assert_engine_agrees, random_positions

CONNECT_FOUR, TIC_TAC_TOE, BOXES = ConnectFour(), TicTacToe(), DotsAndBoxes(2, 2)


@cache
def minimax(game, state) -> int:
    """For the player to move."""
    if not (legal := game.legal_actions(state)):
        return game.outcome(state)
    return max(after(game, state, action) for action in legal)


def after(game, state, action) -> int:
    """What a move is worth to who makes it; in Dots and Boxes that player may move again."""
    below = game.next_state(state, action)
    same = game.to_play(below) == game.to_play(state)
    return minimax(game, below) if same else -minimax(game, below)


def late(game, seed: int, num_cells: int) -> list:
    """Positions with at most 8 moves to come, of a game that fills its cells."""
    found = random_positions(game, 300, seed)
    filled = [sum(content != 0 for content in game.cells(state)) for state in found]
    return [state for state, n in zip(found, filled, strict=True) if n >= num_cells - 8][:12]


def nodes_of(tree) -> list:
    nodes = [tree.root]
    for node in nodes:  # grows on the way
        nodes += [child for child in node.children if child is not None]
    return nodes


@pytest.mark.parametrize(
    ("game", "states"),
    [
        (TIC_TAC_TOE, [*random_positions(TIC_TAC_TOE, 12, 3), TIC_TAC_TOE.initial_state()]),
        (CONNECT_FOUR, late(CONNECT_FOUR, 4, 42)),
        (BOXES, random_positions(BOXES, 12, 5)),
    ],
    ids=["tic-tac-toe", "connect four", "boxes"],
)
@pytest.mark.parametrize(
    "tree_policy",
    [uct(1.0), puct(1.5), gumbel(), forced_puct(1.5)],
    ids=lambda tree_policy: tree_policy.name,
)
@pytest.mark.parametrize(
    "options", [{}, {"batch_size": 4, "virtual_loss": 1}, {"expand": "all"}], ids=str
)
def test_what_is_proven_is_what_minimax_finds(game, states, tree_policy, options):
    """Against an evaluator that says the wrong thing as often as the right one."""
    num_proven, num_roots = 0, 0
    for state in states:
        tree = MCTSSolver(game, tree_policy, hash_evaluator, **options).run(state, 150)
        for node in nodes_of(tree):
            if node.proven is not None:
                assert node.proven == minimax(game, node.state)
                num_proven += node.outcome is None
        if tree.root.proven is not None:
            num_roots += 1
            assert after(game, state, tree.best_action()) == tree.root.proven
            taught = np.flatnonzero(tree.policy())
            assert {after(game, state, action) for action in taught} == {tree.root.proven}
            assert tree.tree_policy.value(tree.root) == tree.root.proven
    assert num_proven > len(states)
    assert num_roots >= len(states) / 2


@pytest.mark.parametrize(
    ("game", "tree_policy", "options"),
    [
        pytest.param(TIC_TAC_TOE, puct(1.5), {}, marks=pytest.mark.slow),  # compiled
        (TIC_TAC_TOE, forced_puct(1.5), {"compiled": False, "plies_on": (2,)}),
        (CONNECT_FOUR, puct(1.5), {"compiled": False, "plies_on": (1,)}),
        (BOXES, gumbel(), {"compiled": False, "plies_on": (1,)}),
        (BOXES, forced_puct(1.5), {"compiled": False}),
    ],
)
def test_the_engine_proves_the_same(game, tree_policy, options):
    """Node by node, with what is kept of a tree after a move, too."""
    states = late(game, 4, 42) if game is CONNECT_FOUR else random_positions(game, 12, 3)
    engine = assert_engine_agrees(
        game, tree_policy, "rough", 60, states, use_solver=True, **options
    )
    assert len({proof(root.known) for root in engine.roots(range(len(states)))}) > 1


def test_a_win_ends_the_search_and_what_is_proven_is_not_searched_again():
    state = TIC_TAC_TOE.from_moves("1425")  # 3 completes a row
    tree = MCTSSolver(TIC_TAC_TOE, uct(), constant()).run(state, 500)
    assert tree.root.proven == 1
    assert tree.root.num_visits <= 5
    assert tree.best_action() == 2
    again = MCTSSolver(TIC_TAC_TOE, uct(), constant()).run(state, 500, tree=tree)
    assert again.root.num_visits == tree.root.num_visits  # nothing is left to find
    for position, n, said in (
        (state, 0, "num_simulations must be a whole number, at least 1, not 0"),
        (TIC_TAC_TOE.from_moves("142"), 5, "root does not match the state"),
    ):
        with pytest.raises(ValueError, match=said):
            MCTSSolver(TIC_TAC_TOE, uct(), constant()).run(position, n, tree=tree)
    # From the empty board a draw takes longer; each finished game is visited once.
    tree = MCTSSolver(TIC_TAC_TOE, uct(), constant()).run(TIC_TAC_TOE.initial_state(), 300)
    for node in nodes_of(tree):
        for n, child in zip(node.visit_counts, node.children, strict=True):
            assert child is None or child.outcome is None or n == 1


@pytest.mark.parametrize("tree_policy", [puct(1.5), gumbel(4), gumbel(4, c_scale=0.1)], ids=str)
def test_where_nothing_is_proven_the_target_is_that_of_a_search_without_proofs(tree_policy):
    """A move that nobody has tried keeps what its tree policy gives it."""
    num_alike = 0
    for state in random_positions(CONNECT_FOUR, 30, 7):
        proving = MCTSSolver(CONNECT_FOUR, tree_policy, hash_evaluator).run(state, 16)
        if any(node.proven is not None for node in nodes_of(proving)):
            continue
        tree = MCTS(CONNECT_FOUR, tree_policy, hash_evaluator).run(state, 16)
        np.testing.assert_array_equal(proving.policy(), tree.policy())
        num_alike += 1
    assert num_alike > 10


def test_gumbel_goes_on_where_all_moves_with_a_prior_have_lost():
    """Only 8 has a prior, and it loses at once; so do all but 2."""
    game = TicTacToe()
    state = game.from_moves("142")

    def prior(game, position, rng):
        legal = [8] if position == state else game.legal_actions(position)
        return Evaluation(np.isin(np.arange(9), legal) / len(legal), 0.0)

    tree = MCTSSolver(game, gumbel(), prior).run(state, 60)
    engine = BatchedSearch(game, 1, 60, gumbel(), use_solver=True, compiled=False)
    engine.start(game.stack([state]), 60)
    while len((leaves := engine.select())[0]):
        answers = [prior(game, game.State(*row), None)[:2] for row in zip(*leaves, strict=True)]
        engine.update(*map(np.array, zip(*answers, strict=True)))
    (root,) = engine.roots([0])
    assert root.visit_counts.tolist() == tree.root.visit_counts
    for found, asked in ((tree, ()), (engine.tree_policy, (root,))):
        assert found.best_action(*asked) == 2
        assert found.policy(*asked).tolist() == [0, 0, 1, 0, 0, 0, 0, 0, 0]
