"""What compilers see of a simulation: one graph, and the same one whatever the trees hold."""

import shutil
import weakref
from dataclasses import replace
from functools import partial

import pytest
import torch
from torch.fx.experimental.proxy_tensor import make_fx

from azlearn.games import ConnectFour, TicTacToe
from azlearn.games.dots_and_boxes import DotsAndBoxes
from azlearn.games.tensor_game import TensorGame
from azlearn.learning import Budget, Ranks, ResNet, Training, placing
from azlearn.learning.device import self_play as module
from azlearn.learning.device.fused import NotFused, fused
from azlearn.learning.settings import PLACES
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
@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "error::azlearn.learning.device.fused.NotFused"
)
@pytest.mark.skipif(not (shutil.which("g++") or shutil.which("clang++")), reason="no C++ compiler")
def test_self_play_whose_simulations_are_compiled_ends_its_games(device, monkeypatch):
    monkeypatch.setattr(module, "NUM_OPENINGS", 64)
    torch._dynamo.reset()
    run = SmallRun(small("tictactoe", simulations=8, first_simulations=8), device)
    play = module.DeviceSelfPlay(run.settings, run.evaluator, run.ring, compiled=True)
    played = play.play(8 * 12)
    assert played.games >= 8
    assert int(run.ring.num_added) == played.samples > 0


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "error::azlearn.learning.device.fused.NotFused"
)
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
def test_where_the_compiler_does_not_work_the_games_go_on_and_a_sentence_says_why(monkeypatch):
    monkeypatch.setattr(module, "NUM_OPENINGS", 64)
    torch._dynamo.reset()
    runs = [SmallRun(small("tictactoe", simulations=4, first_simulations=4)) for _ in range(2)]
    play = module.DeviceSelfPlay(runs[0].settings, runs[0].evaluator, runs[0].ring, compiled=True)
    no_compiler = {"cpp.cxx": ("no-such-compiler",), "force_disable_caches": True}
    said = r"torch.compile does not work here \(.*[Cc]ompiler.*\): trees grow uncompiled"
    with torch._inductor.config.patch(no_compiler), pytest.warns(UserWarning, match=said):
        played = play.play(80)
    assert played == runs[1].self_play.play(80)
    assert torch.equal(play.games.state, runs[1].self_play.games.state)


@pytest.mark.parametrize("where", ["made", "called"])
def test_whatever_a_compiler_raises_the_step_runs_once_a_call(where, monkeypatch):
    calls, error = [], LookupError("no\nroom")

    def compiled(step, **how):
        if where == "made":
            raise error
        return lambda: (_ for _ in ()).throw(error)

    monkeypatch.setattr(torch, "compile", compiled)
    run = fused(lambda: calls.append(1))
    with pytest.warns(UserWarning, match=r"\(no\): trees grow uncompiled"):
        run()
    run()
    assert calls == [1, 1]


@pytest.mark.parametrize("wrapped", [True, False])
def test_missing_memory_is_not_the_compilers_fault(wrapped, monkeypatch):
    def compiled(step, **how):
        missing = torch.OutOfMemoryError("all of it is taken")
        if not wrapped:
            raise missing
        error = RuntimeError("backend raised")
        error.inner_exception = missing
        raise error

    monkeypatch.setattr(torch, "compile", compiled)
    with pytest.raises(torch.OutOfMemoryError, match="taken"):
        fused(lambda: None)()


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "error::azlearn.learning.device.fused.NotFused"
)
@pytest.mark.parametrize("changes", [{}, {"symmetry": "random"}, {"search": "gumbel"}], ids=str)
def test_a_training_with_compiled_trees_is_that_without(changes, monkeypatch, tmp_path):
    """Compiled, but not fused, nothing rounds in another way: the same games and weights."""
    real, made, ends = torch.compile, [], {}

    def compiled(step, **how):
        made.append(step)
        return real(step, **how, backend="eager")

    monkeypatch.setattr(module, "NUM_OPENINGS", 64)
    monkeypatch.setattr(torch, "compile", compiled)
    torch._dynamo.reset()
    for trees, number in (("device", 0), ("compiled", 2)):
        settings = small("tictactoe", **changes)
        settings = replace(settings, trees=trees, first_window=20, moves_per_iteration=64)
        (tmp_path / trees).mkdir()
        training = Training(settings, Budget(iterations=3), tmp_path / trees)
        counters = training.run()
        assert len(made) == number, "a program for paths of 8 levels and one for the longest"
        ends[trees] = replace(counters, minutes=0.0), training.network.state_dict()
    (one, weights), (other, same) = ends.values()
    assert one == other
    assert one.steps > 0
    assert all(torch.equal(weights[name], same[name]) for name in weights)


def test_the_fastest_place_for_trees_is_measured_on_a_gpu_alone(device, monkeypatch):
    monkeypatch.setattr(module, "NUM_OPENINGS", 64)
    settings, told = small("tictactoe", trees="fastest"), []
    network = ResNet(settings.make_game(), **NETWORK).to(device)
    found = placing.placed(settings, network, Ranks(), device, told.append).trees
    if device == "cpu":
        assert (found, told) == ("host", [])
    else:
        assert found in PLACES
        assert all(place in told[-1] for place in PLACES)


@pytest.fixture
def moves(monkeypatch):
    """What each place of trees is said to make a second, or raises; and that of a GPU's memory."""
    speeds = {"host": 1.0, "device": 5.0, "compiled": 9.0}

    def told(settings, *_):
        if isinstance(speeds[settings.trees], Exception):
            raise speeds[settings.trees]
        return speeds[settings.trees]

    monkeypatch.setattr(module, "NUM_OPENINGS", 64)
    monkeypatch.setattr(placing, "moves_per_second", told)
    monkeypatch.setattr(placing, "sized", lambda settings, device: settings)
    return speeds


def fastest(game: str = "tictactoe") -> tuple[str, str]:
    """Of a GPU that is not there, and what is said of it."""
    told, settings = [], small(game, trees="fastest")
    network = ResNet(settings.make_game(), **NETWORK)
    return placing.fastest_trees(settings, network, "cuda", told.append), " ".join(told[1:])


def test_the_place_that_makes_most_moves_is_taken_and_all_are_told(moves):
    assert fastest() == ("compiled", "Moves a second: host 1, device 5, compiled 9.")
    moves["host"] = 20.0
    assert fastest()[0] == "host"


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("no room.\nTried to allocate"),
        ValueError("no room."),
        NotFused("no room."),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_place_that_does_not_work_is_left_out_and_told_of_unless_none_works(moves, error):
    moves["compiled"] = error
    told = "compiled is left out: no room. Moves a second: host 1, device 5."
    assert fastest() == ("device", told)
    moves["host"] = moves["device"] = error
    with pytest.raises(ValueError, match=r"host is left out: no room\.; device is left out"):
        fastest()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_trees_that_could_not_be_compiled_are_not_measured_as_compiled(monkeypatch):
    """What falls back to uncompiled trees in a run is no place of its own here."""
    monkeypatch.setattr(module, "NUM_OPENINGS", 64)
    monkeypatch.setattr(placing, "sized", lambda settings, device: settings)

    def moves(settings, network, device):
        fused(lambda: None)() if settings.trees == "compiled" else None
        return 1.0

    def compiled(step, **how):
        raise LookupError("no compiler")

    monkeypatch.setattr(placing, "moves_per_second", moves)
    monkeypatch.setattr(torch, "compile", compiled)
    place, told = fastest()
    assert place in ("host", "device")
    assert "compiled is left out: torch.compile does not work here (no compiler)" in told


def test_a_place_that_did_not_fit_leaves_no_memory_behind(moves, monkeypatch):
    """The next one is measured in what is free by then."""
    left = []

    def tried(settings, *_):
        assert all(worker() is None for worker in left)
        worker = torch.nn.Linear(2, 2)
        left.append(weakref.ref(worker))
        raise torch.OutOfMemoryError(f"{settings.trees} does not fit")

    monkeypatch.setattr(placing, "moves_per_second", tried)
    with pytest.raises(ValueError, match="compiled does not fit"):
        fastest()
    assert len(left) == 3


def test_a_simulation_of_go_is_too_long_to_be_compiled(moves):
    assert fastest("othello:6")[0] == "compiled"
    assert fastest("go5")[0] == "device"


def test_operations_are_counted_without_a_trace(monkeypatch):
    monkeypatch.setattr(module, "NUM_OPENINGS", 64)
    one, other = (SmallRun(small("connect4")) for _ in range(2))
    for run in (one, other):
        run.self_play.play(80)
    assert 100 < one.self_play.num_operations() < placing.MOST_FUSED
    for run in (one, other):
        run.self_play.play(80)
    for name, stored in one.self_play.state_dict().items():
        same = other.self_play.state_dict()[name]
        assert torch.equal(stored, same) if isinstance(stored, torch.Tensor) else stored == same
