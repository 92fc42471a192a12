"""What compilers see of a simulation: one graph, and the same one whatever the trees hold."""

import shutil

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from azlearn.games import ConnectFour, TicTacToe
from azlearn.games.dots_and_boxes import DotsAndBoxes
from azlearn.games.tensor_game import TensorGame
from azlearn.learning.device import self_play as module
from azlearn.search import puct
from azlearn.search.tensor_trees import TensorTrees
from tests.device.small import Hashed, game_id, tensors, tensors_of
from tests.device.small_runs import SmallRun, small
from tests.engines import random_positions

GAMES = [ConnectFour(), DotsAndBoxes(2, 2)]
IN_ONE_GRAPH = [*GAMES, TicTacToe()]


def searches(game, device="cpu", dtype=torch.float64):
    """Trees with their roots, and one simulation of them."""
    on = TensorGame(game, device)
    trees = TensorTrees(on, 8, 40, puct(1.25, "parent", fpu_reduction=0.25), dtype=dtype)
    evaluate = Hashed(on)
    states = tensors(game.stack(random_positions(game, 8, seed=1)), device)
    trees.begin(states, *evaluate(states))

    def simulate():
        trees.update(*evaluate(trees.select()))
        return trees._new

    return trees, simulate


def shapes(graph):
    """Every operation with the shapes, kinds of numbers and places of what it gives."""
    found = []
    for node in graph.graph.nodes:
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor):
            assert all(isinstance(size, int) for size in value.shape)
            value = tuple(value.shape), value.dtype, value.stride()
        else:
            value = None
        found.append((str(node.target), value))
    return found


@pytest.mark.parametrize("game", GAMES, ids=game_id)
def test_the_operations_are_the_same_whatever_the_trees_look_like(game):
    """Traced with small trees and with grown ones: the same operations on the same shapes."""
    _, simulate = searches(game)
    first = shapes(make_fx(simulate, tracing_mode="real")())
    for _ in range(25):
        simulate()
    assert shapes(make_fx(simulate, tracing_mode="real")()) == first
    names = {name for name, _ in first}
    assert not any("scalar_dense" in name or "nonzero" in name for name in names)
    assert len(first) > 100


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("game", IN_ONE_GRAPH, ids=game_id)
def test_a_simulation_is_one_graph_without_a_break(game):
    torch._dynamo.reset()
    trees, simulate = searches(game)
    told = torch._dynamo.explain(simulate)()
    assert told.graph_count == 1
    assert told.graph_break_count == 0
    other, simulate_again = searches(game)
    simulate_again()
    compiled = torch.compile(simulate_again, fullgraph=True, dynamic=False, backend="eager")
    for _ in range(20):
        simulate()
        compiled()
    for name, column in tensors_of(trees).items():
        assert torch.equal(column, tensors_of(other)[name]), name


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="no C++ compiler")
def test_fused_by_the_compiler_the_trees_are_still_sound(device):
    """Fused sums may be rounded in another way: nearly all visits are the same, none is lost."""
    torch._dynamo.reset()
    straight, simulate = searches(GAMES[0], device)
    fused, to_fuse = searches(GAMES[0], device)
    compiled = torch.compile(to_fuse, fullgraph=True, dynamic=False)
    for _ in range(40):
        simulate()
        compiled()
    assert (fused.visit_counts[:, 0].sum(dim=1) == 40).all()
    same = fused.visit_counts[:, 0] == straight.visit_counts[:, 0]
    assert same.float().mean() > 0.9


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="no C++ compiler")
def test_self_play_whose_simulations_are_compiled_ends_its_games(device, monkeypatch):
    monkeypatch.setattr(module, "NUM_OPENINGS", 64)
    torch._dynamo.reset()
    run = SmallRun(small("tictactoe", simulations=8, first_simulations=8), device)
    play = module.DeviceSelfPlay(run.settings, run.evaluator, run.ring, compiled=True)
    played = play.play(8 * 12)
    assert played.games >= 8
    assert int(run.ring.num_added) == played.samples > 0
