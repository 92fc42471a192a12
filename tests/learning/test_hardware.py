"""Where trees grow and in how many games: a rule, and what fits a GPU's memory."""

from dataclasses import asdict, replace

import pytest
import torch

from azlearn.learning import PRESETS, Ranks, ResNet, hardware
from azlearn.learning.checkpoint import other_settings
from azlearn.learning.hardware import fitted, memory_plan, resolve_backend, resolve_precision
from azlearn.learning.settings import TrainSettings, read_settings
from azlearn.learning.worker import Worker

GPU = replace(PRESETS["connect4", "gpu"], precision="bfloat16")


@pytest.fixture
def gpu(monkeypatch):
    """A GPU as far as the rule asks: 80 GB of memory."""
    monkeypatch.setattr(torch.cuda, "empty_cache", lambda: None)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (80 * 10**9, 80 * 10**9))
    monkeypatch.setattr(hardware, "why_no_kernels", lambda: "")


def test_on_a_cpu_trees_grow_there():
    found = resolve_backend(GPU, Ranks(), "cpu")
    assert (found.backend, found.num_games) == ("cpu", 256)
    with pytest.raises(ValueError, match="backend=cuda needs a GPU"):
        resolve_backend(replace(GPU, backend="cuda"), Ranks(), "cpu")


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


def test_another_kind_of_gpu_has_the_network_alone():
    found = resolve_backend(GPU, Ranks(), "mps")
    assert (found.backend, found.num_games) == ("cpu", 2048)
    network = ResNet(GPU.make_game(), channels=8, blocks=1)
    assert (
        resolve_precision(PRESETS["connect4", "cpu"], network, Ranks(), "mps").precision
        == "float32"
    )


def test_no_kernels_for_a_build_without_cuda_and_without_numba_cuda(monkeypatch):
    why = hardware.why_no_kernels.__wrapped__  # without what it remembers
    monkeypatch.setattr(torch.version, "cuda", None)
    assert why() == "Kernels of the search are for NVIDIA GPUs alone."
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(hardware, "find_spec", lambda name: None)
    assert why() == "numba-cuda is missing (pip install 'azlearn[gpu]')."
    monkeypatch.setattr(hardware, "find_spec", lambda name: name)
    if not torch.cuda.is_available():
        assert why().startswith("numba-cuda does not work with this GPU's driver (")


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


def test_as_many_games_as_fit_the_memory_and_the_window():
    free = 80 * 10**9
    assert fitted(GPU, free).num_games == 4096
    tight = sum(memory_plan(GPU, 512).values()) / (1 - hardware.SPARE)
    assert fitted(GPU, int(tight) + 1).num_games == 512
    assert fitted(GPU, int(tight) - 1).num_games == 256
    assert fitted(replace(GPU, window=42 * 1024), free).num_games == 1024
    assert fitted(replace(GPU, num_games=3000), free).num_games == 3000
    with pytest.raises(ValueError, match=r"num_games=3000 takes .* MB .*: num_games=512 fits"):
        fitted(replace(GPU, num_games=3000), int(tight) + 1)
    with pytest.raises(ValueError, match="no game fits"):
        fitted(GPU, 10**6)


@pytest.mark.parametrize("name", ["engine", "trees"])
def test_a_run_from_when_trees_had_a_setting_is_read(name):
    older = asdict(TrainSettings()) | {name: "compiled"}
    assert read_settings(older).backend == "fastest"
    assert not other_settings(older, asdict(TrainSettings()))
    assert not other_settings(asdict(TrainSettings()), older)
    assert other_settings(older, older | {"seed": 1}) == "seed 1, not 0"
