"""What the compiled engine keeps between moves: the readable search's subtree, visit for visit."""

import numpy as np
import pytest

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import MCTS, BatchedPUCT, puct
from tests.engines import assert_same_tree, evaluators, run, stacked


@pytest.mark.parametrize("game", [TicTacToe(), ConnectFour()], ids=lambda game: game.name)
@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "plain Python"])
@pytest.mark.parametrize("noise", [False, True], ids=["quiet", "noise"])
def test_what_is_kept_between_moves_is_the_readable_searchs_subtree(game, compiled, noise):
    """Game by game beside ``Tree.advance``, two plies a time; one game begins anew."""
    single, batch = evaluators(game, "rough")
    states = [game.initial_state()] * 4
    engine = BatchedPUCT(game, 4, 40, puct(), compiled=compiled)
    fixed = _FixedNoise(game)
    mcts = MCTS(game, puct(), single, root_noise=fixed if noise else None)
    trees = [None] * 4
    for budget in (40, 40, 30):
        drawn = np.array([fixed.of(state) for state in states]) if noise else None
        engine.start(stacked(states), budget, drawn, keep=True)
        run(engine, batch)
        for row, state in enumerate(states):
            known = trees[row].root.num_visits if trees[row] else 0
            trees[row] = mcts.run(state, max(budget - known, 1), tree=trees[row])
            assert_same_tree(trees[row].root, engine, row)
            assert engine.visit_counts[row, 0].sum() == budget
        for row, tree in enumerate(trees[:3]):
            for _ in range(2):
                legal = tree.root.legal_actions
                tree = tree.advance(
                    sorted(legal, key=lambda a: tree.root.visit_counts[a])[-1 - row // 2]
                )
            trees[row], states[row] = tree, tree.root.state
            tree.has_root_noise = False
        assert trees[0].root.num_visits > 0
        states[3], trees[3] = game.from_moves("123"), None


class _FixedNoise:
    """Noise that depends on the position alone."""

    def __init__(self, game):
        self.game = game

    def of(self, state):
        legal = self.game.legal_mask(state) * np.arange(1.0, self.game.num_actions + 1)
        return legal / legal.sum()

    def mixed(self, node, rng):
        return (0.75 * np.array(node.prior) + 0.25 * self.of(node.state)).tolist()
