"""Where trees grow and in how many games: a rule, and what fits a GPU's memory."""

from dataclasses import replace

import pytest
import torch

from azlearn.learning import PRESETS, Ranks, ResNet, hardware
from azlearn.learning.hardware import fitted, memory_plan, resolve_backend, resolve_precision
from azlearn.learning.settings import TrainSettings
from azlearn.learning.worker import Worker

GPU = replace(PRESETS["connect4", "gpu"], precision="bfloat16")


@pytest.fixture
def gpu(monkeypatch):
    """A GPU as far as the rule asks: 80 GB of memory."""
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (80 * 10**9, 80 * 10**9))
    monkeypatch.setattr(hardware, "why_no_kernels", lambda: "")


def test_on_a_cpu_and_on_another_kind_of_gpu_trees_grow_on_the_cpu():
    for device, num_games in (("cpu", 256), ("mps", 2048)):
        found = resolve_backend(GPU, Ranks(), device)
        assert (found.backend, found.num_games) == ("cpu", num_games)
        with pytest.raises(ValueError, match="backend=cuda needs a GPU"):
            resolve_backend(replace(GPU, backend="cuda"), Ranks(), device)
    network, settings = ResNet(GPU.make_game(), channels=8, blocks=1), PRESETS["connect4", "cpu"]
    assert resolve_precision(settings, network, Ranks(), "mps").precision == "float32"


def test_on_a_gpu_trees_grow_there_unless_they_are_not_to(gpu):
    lines = []
    found = resolve_backend(GPU, Ranks(), "cuda", lines.append)
    assert (found.backend, found.num_games) == ("cuda", 4096)
    assert lines[0].startswith("4,096 games take ")
    found = resolve_backend(replace(GPU, backend="cpu"), Ranks(), "cuda", lines.append)
    assert (found.backend, found.num_games) == ("cpu", 2048)
    assert len(lines) == 1


def test_without_kernels_trees_grow_on_the_cpu_and_a_line_says_why(gpu, monkeypatch):
    monkeypatch.setattr(hardware, "why_no_kernels", lambda: "numba-cuda is missing.")
    lines = []
    assert resolve_backend(GPU, Ranks(), "cuda", lines.append).backend == "cpu"
    assert lines == ["numba-cuda is missing. The search runs on the CPU, the network on the GPU."]
    with pytest.raises(ValueError, match="numba-cuda is missing"):
        resolve_backend(replace(GPU, backend="cuda"), Ranks(), "cuda")


def test_the_plan_is_what_a_worker_takes():
    settings = TrainSettings(
        game="tictactoe", num_games=8, simulations=6, first_simulations=6, fast_simulations=1,
        opening_plies=1, window=100, first_window=1, backend="cpu", network="tiny",
        precision="float32",
    )  # fmt: skip
    network = ResNet(settings.make_game(), channels=8, blocks=1)
    worker = Worker(settings, network, Ranks(), "cpu")
    plan, play = memory_plan(settings, 8), worker.self_play
    tables = {"trees": play.trees, "games": play.games, "cache": play._cache}
    for name, table in tables.items():
        assert plan[name] == sum(column.nbytes for column in table), name
    assert plan["positions"] == sum(column.nbytes for column in worker.replay.stored())
    drawn = replace(settings, symmetry="random")
    assert memory_plan(drawn, 8)["cache"] == 0
    grown = {"batch_size": settings.batch_size * 8}, {"final_batch_size": settings.batch_size * 8}
    one, other = (memory_plan(replace(settings, **larger), 8) for larger in grown)
    assert one == other
    assert one["network"] > plan["network"]


def test_as_many_games_as_fit_the_memory_and_the_window():
    free = 80 * 10**9
    assert fitted(GPU, free).num_games == 4096
    tight = sum(memory_plan(GPU, 512).values()) / (1 - hardware.SPARE)
    assert fitted(GPU, int(tight) + 1).num_games == 512
    assert fitted(GPU, int(tight) - 1).num_games == 256
    assert fitted(replace(GPU, window=42 * 1024), free).num_games == 1024
    assert fitted(replace(GPU, num_games=3000), free).num_games == 3000
    with pytest.raises(ValueError, match=r"num_games=3000 needs .* MB .*: num_games=512 fits"):
        fitted(replace(GPU, num_games=3000), int(tight) + 1)
    with pytest.raises(ValueError, match="not even one game fits"):
        fitted(GPU, 10**6)
    with pytest.raises(ValueError, match="window must be at least 42, the length of the longest"):
        fitted(replace(GPU, window=41, first_window=1), free)
