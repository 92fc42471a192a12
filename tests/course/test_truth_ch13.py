"""What the checks of chapter 13 take for the truth is true: published numbers, trees, PUCT."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from azlearn.course.exercises import EXERCISES
from azlearn.course.exercises.ch13_gpu import refresh_end, roll, step_down
from azlearn.games import ConnectFour
from azlearn.games.tensor_game import TensorGame
from azlearn.learning.device import hashed_draws
from azlearn.search import puct
from azlearn.search.tensor_trees import TensorTrees
from tests.engines import evaluators, random_positions, stacked

# The first outputs of splitmix64 from the state 1234567, as S. Vigna's program prints them; and
# the first one from 0.
PUBLISHED = (
    6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
    16408922859458223821,
)  # fmt: skip


def test_the_hash_of_the_check_is_splitmix64():
    states = [(1234567 + i * roll.GOLDEN) & roll.MASK for i in range(5)]
    assert tuple(map(roll.splitmix64, states)) == PUBLISHED
    assert roll.splitmix64(0) == 0xE220A8397B1DCDAF
    signed = np.array([state + roll.GOLDEN for state in states[:1]], dtype=np.uint64)
    mixed = hashed_draws.mixed(signed.astype(np.int64))
    assert int(mixed[0]) % 2**64 == PUBLISHED[0]


@pytest.mark.parametrize("number", range(len(step_down.GAMES)))
def test_best_moves_are_those_of_puct(number):
    row, rows, right = step_down.GAMES[number]
    n, w, p, legal, child = rows[row]
    scores = puct(c=1.0)(SimpleNamespace(visit_counts=n, value_sum=w, prior=p, raw_value=0.0))
    action = max((a for a in range(4) if legal[a]), key=scores.__getitem__)
    assert (action, child[action] or row) == right


def test_refreshed_ends_are_where_walks_from_node_to_node_arrive():
    """In the trees of a real search, after every simulation, at every node of the lines."""
    game = ConnectFour()
    trees = TensorTrees(TensorGame(game), 12, 40, puct())
    answer = evaluators(game, "rough")[1]

    def evaluate(states):
        words = game.State(*(word.numpy() for word in states))
        return map(torch.from_numpy, answer(words))

    states = stacked(random_positions(game, 12, seed=3))
    states = game.State(*(torch.as_tensor(word) for word in states))
    trees.begin(states, *evaluate(states))
    solution = EXERCISES["13.5"].marking.function(EXERCISES["13.5"].marking.solution)
    rows, changed = torch.arange(12), 0
    for new in range(1, 41):
        leaves = trees.select()
        before, parent = trees.end.clone(), trees.end[:, 0].clone()
        before[:, new] = new
        trees.update(*evaluate(leaves))
        ways = trees.line[rows, parent].long().flip(1)  # from the root down
        line = torch.cat([ways, torch.full((12, 1), new)], dim=1)
        best = trees.best.gather(1, line)
        behind = trees.child[rows[:, None], line, best].long()
        found = solution(line, behind, before)
        for game_number, nodes in enumerate(line.tolist()):
            for level, node in enumerate(nodes):
                assert found[game_number, level] == _walk(trees, game_number, node)
        changed += int((found != before.gather(1, line)).sum())
    assert changed > 400


def _walk(trees, game_number: int, node: int) -> int:
    while below := int(trees.child[game_number, node, trees.best[game_number, node]]):
        node = below
    return node


def test_the_games_of_the_refresh_are_lines_of_one_tree_each():
    """Nodes are numbered as they came, so what lies behind one has a higher number."""
    for line, behind, end, right in refresh_end.GAMES:
        assert all(b == 0 or b > node for node, b in zip(line, behind, strict=True))
        assert all(e >= node for node, e in enumerate(end))
        assert all(e >= node for node, e in zip(line, right, strict=True))
