"""Who computes where: devices that are refused, a GPU for each process, too little memory."""

import os
import signal
import socket
import subprocess
import sys
from itertools import product
from types import SimpleNamespace
from unittest.mock import patch

import pytest
import torch

from azlearn.learning import Budget, NetworkEvaluator, Ranks, Training, TrainingStopped, launch
from azlearn.learning.launch import check_device, joined_ranks, num_cores
from tests.learning.tiny_runs import SETTINGS
from tests.threads import wanted_threads


@pytest.fixture
def two_gpus(monkeypatch):
    """A machine with two GPUs, as far as it is asked; which one was taken."""
    taken = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", taken.append)
    return taken


@pytest.mark.parametrize("device", ["mps", "xpu", "meta", "tpu", "gpu", "CUDA", "hip", ""])
def test_a_device_is_one_that_this_torch_computes_on(device):
    """On this machine that is the CPU; what computes on "meta" cannot be looked at."""
    with pytest.raises(ValueError, match=f"computes? on, such as mps, not '{device}'"):
        check_device(device)


def test_the_number_of_a_gpu_is_not_the_commands():
    with pytest.raises(ValueError, match="not 'cuda:1': CUDA_VISIBLE_DEVICES chooses"):
        check_device("cuda:1")


def test_a_gpu_that_is_not_cudas_has_one_rank():
    with (
        patch.object(launch, "check_device"),
        pytest.raises(ValueError, match="ranks must be 1 on mps, not 2"),
        joined_ranks(2, "mps", print),
    ):
        pass


TORCHRUN = {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "localhost", "MASTER_PORT": "29500"}
NAMES = (*TORCHRUN, "LOCAL_RANK", "LOCAL_WORLD_SIZE", "TORCHELASTIC_RUN_ID")


@pytest.fixture
def told(monkeypatch):
    """The environment's variables of torchrun: those given, and no others."""

    def tell(variables):
        for name in NAMES:
            monkeypatch.delenv(name, raising=False)
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return tell


@pytest.mark.parametrize(
    ("left", "said", "unset"),
    [
        ({"WORLD_SIZE": "2"}, "WORLD_SIZE, as .* not RANK, MASTER_ADDR, MASTER_PORT", "WORLD_SIZE"),
        ({"RANK": "0"}, "holds RANK, as .* not WORLD_SIZE, MASTER_ADDR, MASTER_PORT", "RANK"),
        (
            {"LOCAL_RANK": "3", "MASTER_ADDR": "node7"},
            "holds LOCAL_RANK, as .* but not RANK, WORLD_SIZE, MASTER_PORT",
            "MASTER_ADDR LOCAL_RANK",
        ),
        (
            TORCHRUN | {"MASTER_ADDR": ""}, "but not MASTER_ADDR",
            "RANK WORLD_SIZE MASTER_ADDR MASTER_PORT",
        ),
        (
            TORCHRUN | {"RANK": "2"}, "RANK is 2 and WORLD_SIZE 2",
            "RANK WORLD_SIZE MASTER_ADDR MASTER_PORT",
        ),
        (
            TORCHRUN | {"MASTER_PORT": "99999", "LOCAL_RANK": "0"}, "MASTER_PORT .* is no port",
            "RANK WORLD_SIZE MASTER_ADDR MASTER_PORT LOCAL_RANK",
        ),
    ],
)  # fmt: skip
def test_what_an_earlier_job_left_in_the_environment_is_named(told, left, said, unset):
    told(left)
    with pytest.raises(ValueError, match=said) as caught:
        launch.check_leftovers()
    assert str(caught.value).endswith(f"run this first: unset {unset}")


@pytest.mark.parametrize("set_", [{}, TORCHRUN, {"MASTER_ADDR": "node7", "MASTER_PORT": "1"}])
def test_an_environment_of_torchrun_or_none_is_taken(told, set_):
    told(set_)
    launch.check_leftovers()


def test_who_waits_for_others_that_never_come_says_so_and_can_be_stopped(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
    environment = {name: os.environ[name] for name in os.environ if name not in NAMES}
    script = (
        "from azlearn.learning import launch; launch._WAIT = 0.1\n"
        "with launch.joined_ranks(1, 'cpu', print): pass"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stderr=subprocess.PIPE, text=True,
        env=environment | TORCHRUN | {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port},
    )  # fmt: skip
    try:
        assert process.stderr.readline() == (
            "azlearn: Process 0 of 2 waits for the others at 127.0.0.1. If you do not start it with"
            " torchrun, run this first: unset RANK WORLD_SIZE MASTER_ADDR MASTER_PORT\n"
        )
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == -signal.SIGINT
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("local_rank", [None, "0", "1"])
def test_each_process_takes_the_gpu_with_its_number(two_gpus, monkeypatch, local_rank):
    if local_rank:
        monkeypatch.setenv("LOCAL_RANK", local_rank)
    with joined_ranks(1, "cuda", print) as ranks:
        assert ranks.world_size == 1
    assert two_gpus == [int(local_rank or 0)]


def test_more_processes_than_gpus_are_refused(two_gpus, monkeypatch):
    with (
        pytest.raises(ValueError, match="A process needs a GPU of its own: 3 for 2 are too many"),
        joined_ranks(3, "cuda", print),
    ):
        pass
    monkeypatch.setenv("LOCAL_RANK", "2")
    with (
        pytest.raises(ValueError, match="A process needs a GPU of its own: there are only 2"),
        joined_ranks(1, "cuda", print),
    ):
        pass
    assert two_gpus == []


@pytest.mark.parametrize("number", [0, -1, 16 * num_cores() + 1, 10**18])
def test_no_process_or_far_too_many_are_refused(number):
    with (
        pytest.raises(ValueError, match=r"ranks must be at (least 1|most \d+)"),
        joined_ranks(number, "cpu", print),
    ):
        pass


def test_under_torchrun_the_number_of_processes_is_not_looked_at(two_gpus, monkeypatch):
    """A resumed run brings the number of all its machines; each of them has GPUs for its own."""
    monkeypatch.setenv("WORLD_SIZE", "1")
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
def test_the_processes_of_a_machine_share_its_cores(quiet, monkeypatch, environment, threads):
    monkeypatch.setattr(launch, "num_cores", lambda: 8)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
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


@pytest.fixture
def children(monkeypatch):
    """Those that have been started, of a system that starts no process."""
    started = []
    system = SimpleNamespace(Process=lambda **_: Child(started))
    monkeypatch.setattr(launch.multiprocessing, "get_context", lambda method: system)
    return started


def test_a_process_that_cannot_be_started_leaves_nothing_behind(quiet, children):
    before = dict(os.environ)
    with pytest.raises(BlockingIOError), joined_ranks(4, "cpu", print):
        pass
    assert os.environ == before
    assert [child.calls for child in children] == [["kill", "join"]] * 2


def test_a_process_that_ends_before_the_first_checkpoint(quiet, children):
    said = r"\(exit code -9\): go on from the last checkpoint, if there is one\.$"
    with pytest.raises(ChildProcessError, match=said), joined_ranks(3, "cpu", print):
        raise RuntimeError("Connection closed by peer")


def cpu_is_full(*_, **__):
    torch.empty(1 << 60)


def python_is_full(*_, **__):
    raise MemoryError


def gpu_is_full(*_, **__):
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9.00 GiB.")


@pytest.mark.parametrize(
    ("full", "said"),
    [
        (cpu_is_full, "there is not enough memory"),
        (python_is_full, "there is not enough memory"),
        (gpu_is_full, "CUDA out of memory. Tried to allocate 9.00 GiB."),
    ],
)
def test_too_little_memory_ends_the_run_in_a_sentence(tmp_path, monkeypatch, full, said):
    training = Training(SETTINGS, Budget(iterations=2), tmp_path)
    monkeypatch.setattr(NetworkEvaluator, "batch", full)
    with pytest.raises(TrainingStopped) as caught:
        training.run()
    left = f"The checkpoint of iteration 0 in {tmp_path} is whole."
    assert str(caught.value) == f"The run cannot go on ({said.rstrip('.')}). {left}"


def test_too_little_memory_before_the_run_is_a_memory_error(quiet, children):
    with pytest.raises(MemoryError), joined_ranks(2, "cpu", print):
        cpu_is_full()
    assert [child.calls for child in children] == [["kill", "join"]]


@pytest.mark.parametrize(
    ("error", "said"), [(MemoryError(), "MemoryError"), (OSError("No\nspace"), "No")]
)
def test_another_process_ends_in_a_sentence(monkeypatch, error, said):
    def run():
        raise error

    monkeypatch.setattr(launch, "end_with_the_first", lambda: None)
    for name in ("RANK", "LOCAL_RANK"):
        monkeypatch.setenv(name, "0")
    with pytest.raises(SystemExit, match=rf"^azlearn: process 1 of the run ends \({said}\)\.$"):
        launch._other_rank(1, run, ())


@pytest.mark.parametrize(
    "limits",
    [{"iterations": 1.5}, {"iterations": True}, {"minutes": 2.0, "iterations": 0}, {"minutes": "3"},
     {"minutes": float("nan")}, {}],
)  # fmt: skip
def test_a_budget_that_cannot_be_kept_is_refused(limits):
    with pytest.raises(ValueError, match=r"must be a|Say how long"):
        Budget(**limits)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *product(["WORLD_SIZE", "LOCAL_WORLD_SIZE", "RANK"], ["-1", "two", ""]),
        *product(["WORLD_SIZE", "LOCAL_WORLD_SIZE"], ["0"]),
    ],
)
def test_an_environment_that_is_wrong_is_told(name, value, monkeypatch, quiet):
    monkeypatch.undo()  # what `quiet` does: the real way of joining
    monkeypatch.setattr(launch, "num_threads", wanted_threads)
    monkeypatch.setattr(torch, "set_num_threads", lambda number: None)
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv(name, value)
    with (
        pytest.raises(
            ValueError, match=f"{name} must be a whole number, at least ., not {value!r}"
        ),
        joined_ranks(1, "cpu", print),
    ):
        pass
