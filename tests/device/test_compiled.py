"""What compilers see of a simulation: one graph, and the same one whatever the trees hold."""

import shutil
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from azlearn.games import ConnectFour, TicTacToe
from azlearn.games.dots_and_boxes import DotsAndBoxes
from azlearn.games.tensor_game import TensorGame
from azlearn.learning import Budget, Ranks, ResNet, Training, worker
from azlearn.learning.device import self_play as module
from azlearn.learning.device.fused import CannotCompile, fused
from azlearn.learning.worker import PLACES, placed
from azlearn.search import puct
from azlearn.search.tensor_trees import TensorTrees
from tests.device.small import Hashed, game_id, tensors, tensors_of
from tests.device.small_runs import NETWORK, SmallRun, small
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


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_more_sizes_and_searches_than_the_compiler_makes_of_one_function(monkeypatch):
    """As many as there are: the limit counts the programs of each size of each search by itself."""
    monkeypatch.setattr(module, "NUM_OPENINGS", 64)
    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend="eager"))
    torch._dynamo.reset()
    limit = (
        "recompile_limit"
        if hasattr(torch._dynamo.config, "recompile_limit")
        else "cache_size_limit"
    )
    with torch._dynamo.config.patch({limit: 1}):
        for _ in range(2):
            run = SmallRun(small("tictactoe", simulations=9, first_simulations=9), "cpu")
            play = module.DeviceSelfPlay(run.settings, run.evaluator, run.ring, compiled=True)
            assert len(play._simulations) == 2
            assert play.play(8).moves == 8


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_where_the_compiler_does_not_work_a_sentence_says_what_does(monkeypatch):
    monkeypatch.setattr(module, "NUM_OPENINGS", 64)
    torch._dynamo.reset()
    run = SmallRun(small("tictactoe", simulations=4, first_simulations=4), "cpu")
    play = module.DeviceSelfPlay(run.settings, run.evaluator, run.ring, compiled=True)
    no_compiler = {"cpp.cxx": ("no-such-compiler",), "force_disable_caches": True}
    with (
        torch._inductor.config.patch(no_compiler),
        pytest.raises(
            CannotCompile, match=r"torch.compile does not work here \(.+\): trees=device"
        ),
    ):
        play.play(8)


def test_an_error_of_the_step_itself_is_not_the_compilers(monkeypatch):
    def step():
        raise RuntimeError("no memory")

    monkeypatch.setattr(torch, "compile", lambda step, **how: step)
    with pytest.raises(RuntimeError, match="no memory"):
        fused(step)()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_training_with_compiled_trees_ends_like_any_other(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "NUM_OPENINGS", 64)
    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend="eager"))
    ends = {}
    for trees in ("device", "compiled"):
        settings = replace(small("tictactoe"), trees=trees, first_window=20, moves_per_iteration=64)
        (tmp_path / trees).mkdir()
        training = Training(settings, Budget(iterations=3), tmp_path / trees)
        ends[trees] = training.run()
        assert training.placed.trees == trees
    one, other = (replace(counters, minutes=0.0) for counters in ends.values())
    assert one == other  # the same games: nothing rounds where nothing is fused


def test_the_fastest_place_for_trees_is_one_that_works(device, monkeypatch):
    """On a CPU it is the host, unmeasured; on a GPU one of three."""
    monkeypatch.setattr(module, "NUM_OPENINGS", 64)
    settings = small("tictactoe", trees="fastest")
    network = ResNet(settings.make_game(), **NETWORK).to(device)
    found = placed(settings, network, Ranks(), device).trees
    assert found == "host" if device == "cpu" else found in PLACES


def test_a_place_that_cannot_be_compiled_is_not_taken(monkeypatch):
    """What a GPU without Triton would do, told without a GPU."""

    def found(num_operations: int, error: Exception | None = None) -> str:
        class Told:
            def __init__(self, settings, *_):
                self.trees = settings.trees
                self.self_play = SimpleNamespace(num_operations=lambda: num_operations)

            def play(self, *_):
                if self.trees == "compiled" and error:
                    raise error
                moves = {"host": 1, "device": 10**6, "compiled": 10**12}
                return SimpleNamespace(moves=moves[self.trees])

        monkeypatch.setattr(worker, "make_worker", Told)
        return worker.fastest_trees(small("tictactoe", trees="fastest"), None, "cuda")

    monkeypatch.setattr(worker, "sized", lambda settings, device: settings)
    assert found(200) == "compiled"
    assert found(200, CannotCompile("no Triton")) == "device"
    assert found(worker.MOST_FUSED + 1) == "device"


@pytest.mark.parametrize(
    ("game", "is_fused"), [("connect4", True), ("othello:6", True), ("go5", False)]
)
def test_a_simulation_of_go_is_too_long_to_be_compiled(game, is_fused, monkeypatch):
    monkeypatch.setattr(module, "NUM_OPENINGS", 64)
    run = SmallRun(small(game, simulations=4, first_simulations=4, num_games=4))
    before = run.self_play.play(4).moves
    number = run.self_play.num_operations()
    assert (number <= worker.MOST_FUSED) == is_fused
    assert run.self_play.play(4).moves == before  # it goes on as if nobody had counted
