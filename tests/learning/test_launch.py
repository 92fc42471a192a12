"""Who computes where: devices that are refused, a GPU for each process, too little memory."""

import os
from types import SimpleNamespace
from unittest.mock import patch

import pytest
import torch

from azlearn.learning import Budget, NetworkEvaluator, Ranks, Training, TrainingStopped, launch
from azlearn.learning.launch import check_device, joined_ranks, num_cores
from tests.learning.self_played import plain_python
from tests.learning.tiny_runs import SETTINGS
from tests.threads import wanted_threads

__all__ = ["plain_python"]
TORCHRUN = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "localhost", "MASTER_PORT": "29500"}


@pytest.fixture
def two_gpus(monkeypatch):
    """A machine with two GPUs, as far as it is asked; which one was taken."""
    taken = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", taken.append)
    return taken


@pytest.fixture
def told(monkeypatch):
    """The environment's variables of torchrun: those given, and no others."""

    def tell(variables):
        for name in (*TORCHRUN, "LOCAL_RANK", "LOCAL_WORLD_SIZE"):
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return tell


@pytest.mark.parametrize("device", ["mps", "meta", "tpu", "CUDA", "", "cuda:1"])
def test_a_device_is_one_that_this_torch_computes_on(device):
    """On this machine that is the CPU; what computes on "meta" cannot be looked at."""
    said = "CUDA_VISIBLE_DEVICES chooses" if ":" in device else f"such as mps, not '{device}'"
    with pytest.raises(ValueError, match=said):
        check_device(device)


@pytest.mark.parametrize(
    ("left", "said", "unset"),
    [
        ({"WORLD_SIZE": "2"}, "WORLD_SIZE, as .* not RANK, MASTER_ADDR, MASTER_PORT", "WORLD_SIZE"),
        (
            {"LOCAL_RANK": "3", "MASTER_ADDR": "node7"},
            "holds MASTER_ADDR, LOCAL_RANK, as .* but not RANK, WORLD_SIZE, MASTER_PORT",
            "MASTER_ADDR LOCAL_RANK",
        ),
        (TORCHRUN | {"MASTER_ADDR": ""}, "but not MASTER_ADDR", " ".join(TORCHRUN)),
    ],
)
def test_what_an_earlier_job_left_in_the_environment_is_named(told, left, said, unset):
    for taken in ({}, TORCHRUN, {"MASTER_ADDR": "node7", "MASTER_PORT": "1"}):
        told(taken)
        launch.check_leftovers()
    told(left)
    with pytest.raises(ValueError, match=said) as caught:
        launch.check_leftovers()
    assert str(caught.value).endswith(f"run this first: unset {unset}")


@pytest.mark.parametrize("name", ["WORLD_SIZE", "LOCAL_WORLD_SIZE", "RANK"])
@pytest.mark.parametrize("value", ["-1", "two", ""])
def test_an_environment_that_is_wrong_is_told(told, name, value, monkeypatch):
    monkeypatch.setattr(launch, "num_threads", wanted_threads)
    monkeypatch.setattr(torch, "set_num_threads", lambda number: None)
    told({"WORLD_SIZE": "2", name: value})
    said = f"{name} must be a whole number, at least ., not {value!r}"
    with pytest.raises(ValueError, match=said), joined_ranks(1, "cpu", print):
        pass


@pytest.mark.parametrize("local_rank", [None, "0", "1", "2"])
def test_each_process_takes_the_gpu_with_its_number(two_gpus, told, local_rank):
    told({"LOCAL_RANK": local_rank} if local_rank else {})
    if local_rank == "2":
        said = "A process needs a GPU of its own: there are only 2"
        with pytest.raises(ValueError, match=said), joined_ranks(1, "cuda", print):
            pass
        return
    with joined_ranks(1, "cuda", print) as ranks:
        assert ranks.world_size == 1
    assert two_gpus == [int(local_rank or 0)]


@pytest.mark.parametrize(
    ("number", "device", "said"),
    [
        (0, "cpu", "ranks must be at least 1, not 0"),
        (16 * num_cores() + 1, "cpu", r"ranks must be at most \d+"),
        (3, "cuda", "A process needs a GPU of its own: 3 for 2 are too many"),
        (2, "mps", "ranks must be 1 on mps, not 2"),
    ],
)
def test_a_number_of_processes_that_cannot_be(two_gpus, number, device, said):
    with (
        patch.object(launch, "check_device"),
        pytest.raises(ValueError, match=said),
        joined_ranks(number, device, print),
    ):
        pass
    assert two_gpus == []


def test_under_torchrun_the_number_of_processes_is_not_looked_at(two_gpus, told):
    """A resumed run brings the number of all its machines; each of them has GPUs for its own."""
    told({"WORLD_SIZE": "1"})
    with joined_ranks(3, "cuda", print) as ranks:
        assert ranks.world_size == 1
    assert two_gpus == [0]


@pytest.fixture
def quiet(monkeypatch):
    """Joining meets nobody and leaves the settings of this process alone; the threads wanted."""
    threads = []
    monkeypatch.setattr(torch, "set_num_threads", threads.append)
    monkeypatch.setattr(launch, "num_threads", wanted_threads)
    monkeypatch.setattr(launch, "keep_freed_memory", lambda: None)
    monkeypatch.setattr(Ranks, "join", lambda device: Ranks())
    return threads


@pytest.mark.parametrize(
    ("environment", "threads"),
    [
        ({}, 8),
        ({"WORLD_SIZE": "2"}, 4),
        ({"WORLD_SIZE": "16", "LOCAL_WORLD_SIZE": "2"}, 4),  # eight machines
        ({"WORLD_SIZE": "16"}, 1),
    ],
)
def test_the_processes_of_a_machine_share_its_cores(quiet, told, monkeypatch, environment, threads):
    monkeypatch.setattr(launch, "num_cores", lambda: 8)
    told(environment)
    before = torch.get_num_threads()
    with joined_ranks(1, "cpu", print):
        assert quiet == [threads]
    assert quiet == [threads, before]  # what follows a run asks about few positions again


class Child:
    """A process that is started only so far; the third one cannot be."""

    exitcode = -9

    def __init__(self, children):
        self._children, self.calls = children, []

    def start(self):
        if len(self._children) == 2:
            raise BlockingIOError("Resource temporarily unavailable")
        self._children.append(self)

    def kill(self):
        self.calls.append("kill")

    def join(self, timeout=None):
        self.calls.append("join")


def cpu_is_full(*_, **__):
    torch.empty(1 << 60)


def gpu_is_full(*_, **__):
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9.00 GiB.")


def connection_is_lost():
    raise RuntimeError("Connection closed by peer")


@pytest.mark.parametrize(
    ("number", "then", "error", "said"),
    [
        (4, None, BlockingIOError, "unavailable"),
        (3, cpu_is_full, MemoryError, "^$"),
        (3, connection_is_lost, ChildProcessError, r"\(exit code -9\): go on from the last"),
    ],
)
def test_a_run_that_cannot_begin_leaves_nothing_behind(
    quiet, monkeypatch, number, then, error, said
):
    """The third process cannot be started, memory is full, another one has ended."""
    children, before = [], dict(os.environ)
    system = SimpleNamespace(Process=lambda **_: Child(children))
    monkeypatch.setattr(launch.multiprocessing, "get_context", lambda method: system)
    with pytest.raises(error, match=said), joined_ranks(number, "cpu", print):
        then()
    assert os.environ == before
    assert [child.calls[-2:] for child in children] == [["kill", "join"]] * 2


@pytest.mark.usefixtures("plain_python")
@pytest.mark.parametrize(
    ("full", "said"),
    [
        (cpu_is_full, "there is not enough memory"),
        (gpu_is_full, "CUDA out of memory. Tried to allocate 9.00 GiB"),
    ],
)
def test_too_little_memory_ends_the_run_in_a_sentence(tmp_path, monkeypatch, full, said):
    training = Training(SETTINGS, Budget(iterations=2), tmp_path)
    monkeypatch.setattr(NetworkEvaluator, "batch", full)
    with pytest.raises(TrainingStopped) as caught:
        training.run()
    left = f"The checkpoint of iteration 0 in {tmp_path} is whole."
    assert str(caught.value) == f"The run cannot go on ({said}). {left}"


@pytest.mark.parametrize(
    ("error", "said"), [(MemoryError(), "MemoryError"), (OSError("No\nspace"), "No")]
)
def test_another_process_ends_in_a_sentence(monkeypatch, error, said):
    def run():
        raise error

    monkeypatch.setattr(launch, "exit_with_first_rank", lambda: None)
    for name in ("RANK", "LOCAL_RANK"):
        monkeypatch.setenv(name, "0")
    with pytest.raises(SystemExit, match=rf"^azlearn: process 1 of the run ends \({said}\)\.$"):
        launch._other_rank(1, run, ())


@pytest.mark.parametrize(
    "limits", [{"iterations": 1.5}, {"minutes": 2.0, "iterations": 0}, {"minutes": "3"}, {}]
)
def test_a_budget_that_cannot_be_kept_is_refused(limits):
    with pytest.raises(ValueError, match=r"must be a|Say how long"):
        Budget(**limits)
