"""Searches to compare ``gumbel()`` with mctx, and the arbitrary evaluations that they use."""

from typing import NamedTuple

import numpy as np

from azlearn.games import ConnectFour, TicTacToe
from azlearn.games.dots_and_boxes import DotsAndBoxes
from azlearn.search import MCTS, gumbel
from azlearn.search.evaluators import hash_bits

GAMES = {"tictactoe": TicTacToe(), "connect4": ConnectFour(), "dots2x2": DotsAndBoxes(2, 2)}


class Case(NamedTuple):
    """One search, made by ``gumbel()`` and by mctx."""

    game: str
    moves: list[int]  # the moves before the search
    num_simulations: int
    num_considered: int
    c_scale: float
    rescale: bool


CASES = [
    Case("tictactoe", [], 16, 16, 1.0, False),
    Case("tictactoe", [4, 0], 50, 4, 0.1, True),
    Case("tictactoe", [0], 100, 9, 0.1, False),
    Case("connect4", [], 2, 16, 1.0, False),
    Case("connect4", [3, 3], 16, 16, 1.0, False),
    Case("connect4", [3, 2, 3], 64, 4, 0.1, True),
    Case("connect4", [3, 3, 3, 3, 3, 3], 100, 16, 0.1, True),
    Case("dots2x2", [], 32, 8, 0.1, False),
    Case("dots2x2", [0, 3, 1, 7], 100, 16, 1.0, True),
]


class Answer(NamedTuple):
    """The result of mctx for a case."""

    noise: list[float]  # [num_actions], the noise that it drew
    action: int  # the action that it plays
    policy: list[float]  # [num_actions], its policy target
    nodes: dict[str, list]  # actions that lead to a node -> N of its moves; for the root also Q


class Noise:
    """Noise that has been drawn before."""

    def __init__(self, noise: list[float]) -> None:
        self.noise = noise

    def drawn(self, node, rng) -> list[float]:
        return self.noise


def logits_and_value(state, num_actions: int, xp=np) -> tuple:
    """Arbitrary logits and value, from the hash of a position; ``xp`` is NumPy or JAX.

    Returns:
        [..., num_actions] multiples of 1/8 from 0 to 4, and a value in (-1, 1).
    """
    bits = hash_bits(*state)
    shares = (bits[..., None] >> (3 * xp.arange(num_actions) % 40)) & 31
    return shares / 8, (bits % 9973) / 9973 * 1.9 - 0.95


def evaluate(game, states) -> tuple[np.ndarray, np.ndarray]:
    """A batch evaluator with these logits and values: prior [n, num_actions] and value [n]."""
    states = game.State(*(np.asarray(word, np.int64) for word in states))
    logits, value = logits_and_value(states, game.num_actions)
    weights = np.exp(logits) * game.batch_legal_mask(states)
    return weights / np.maximum(weights.sum(1, keepdims=True), 1e-9), value


def readable_tree(case: Case, noise: list[float]):
    """The tree that the readable search makes."""
    game = GAMES[case.game]
    state = game.initial_state()
    for move in case.moves:
        state = game.next_state(state, move)
    tree_policy = gumbel(case.num_considered, c_scale=case.c_scale, rescale=case.rescale)

    def of_one(game, state, rng):
        prior, value = evaluate(game, game.stack([state]))
        return prior[0], float(value[0])

    return MCTS(game, tree_policy, of_one, root_noise=Noise(noise)).run(state, case.num_simulations)


def compare(case: Case, answer: Answer) -> int:
    """Checks that both trees are equal, and returns their number of nodes.

    Raises:
        AssertionError: N differs anywhere, or Q at the root, or the move or the policy.
    """
    tree, nodes = readable_tree(case, answer.noise), {}
    waiting = [("", tree.root)]
    while waiting:
        path, node = waiting.pop()
        nodes[path] = node.visit_counts
        children = [pair for pair in enumerate(node.children) if pair[1] is not None]
        waiting += [
            (f"{path} {action}".strip(), child)
            for action, child in children
            if child.outcome is None
        ]
    assert nodes == {path: visits for path, (visits, *_) in answer.nodes.items()}
    np.testing.assert_allclose(tree.root.q_values, answer.nodes[""][1], atol=1e-9)
    assert tree.best_action() == answer.action
    np.testing.assert_allclose(tree.policy(), answer.policy, atol=1e-9)
    return len(nodes)
