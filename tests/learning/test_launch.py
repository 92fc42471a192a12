"""Who computes where: devices that are refused, a GPU for each process, too little memory."""

import pytest
import torch

from azlearn.learning import Budget, NetworkEvaluator, Ranks, Training, TrainingStopped, launch
from azlearn.learning.launch import check_device, joined_ranks, num_cores
from tests.learning.tiny_runs import SETTINGS
from tests.threads import wanted_threads

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


@pytest.mark.parametrize("device", ["mps", "meta", "tpu", "cuda:1"])
def test_a_device_is_one_that_this_torch_computes_on(device):
    """On this machine that is the CPU; what computes on "meta" cannot be looked at."""
    said = "CUDA_VISIBLE_DEVICES" if ":" in device else f"such as mps, not '{device}'"
    with pytest.raises(ValueError, match=said):
        check_device(device)


@pytest.mark.parametrize(
    ("left", "said"),
    [
        ({"WORLD_SIZE": "2"}, "contains WORLD_SIZE .* not RANK, MASTER_ADDR.*: unset WORLD_SIZE"),
        ({"LOCAL_RANK": "3", "MASTER_ADDR": "node7"}, "unset MASTER_ADDR LOCAL_RANK"),
        (TORCHRUN | {"MASTER_ADDR": ""}, f"but not MASTER_ADDR.*: unset {' '.join(TORCHRUN)}"),
    ],
)
def test_what_an_earlier_job_left_in_the_environment_is_named(told, left, said):
    for taken in ({}, TORCHRUN, {"MASTER_ADDR": "node7", "MASTER_PORT": "1"}):
        told(taken)
        launch.check_leftovers()
    told(left)
    with pytest.raises(ValueError, match=rf"{said}$"):
        launch.check_leftovers()


@pytest.mark.parametrize("local_rank", [None, "1"])
def test_each_process_takes_the_gpu_with_its_number(two_gpus, told, local_rank):
    """Under torchrun: a resumed run brings the number of processes of all its machines."""
    told({"WORLD_SIZE": "1"} | ({"LOCAL_RANK": local_rank} if local_rank else {}))
    with joined_ranks(3, "cuda", print) as ranks:
        assert ranks.world_size == 1
    assert two_gpus == [int(local_rank or 0)]


@pytest.mark.parametrize(
    ("number", "device", "environment", "said"),
    [
        (0, "cpu", {}, "ranks must be at least 1, not 0"),
        (16 * num_cores() + 1, "cpu", {}, r"ranks must be at most \d+"),
        (3, "cuda", {}, "Each process needs its own GPU: ranks must be at most 2, not 3"),
        (1, "cuda", {"LOCAL_RANK": "2"}, "own GPU: ranks on this machine must be at most 2"),
        (2, "mps", {}, "ranks must be 1 on mps, not 2"),
        (1, "cpu", {"WORLD_SIZE": "-1"}, "WORLD_SIZE must be a whole number, at least 1, not '-1'"),
        (1, "cpu", {"WORLD_SIZE": "2", "RANK": ""}, "RANK must be a whole number, .*, not ''"),
    ],
)
def test_a_number_of_processes_that_cannot_be(
    two_gpus, told, monkeypatch, number, device, environment, said
):
    monkeypatch.setattr(launch, "check_device", lambda device: None)
    monkeypatch.setattr(launch, "num_threads", wanted_threads)
    monkeypatch.setattr(torch, "set_num_threads", lambda number: None)
    told(environment)
    with pytest.raises(ValueError, match=said), joined_ranks(number, device, print):
        pass
    assert two_gpus == []


@pytest.mark.parametrize(
    ("environment", "threads"),
    [
        ({}, 8),
        ({"WORLD_SIZE": "2"}, 4),
        ({"WORLD_SIZE": "16", "LOCAL_WORLD_SIZE": "2"}, 4),  # eight machines
        ({"WORLD_SIZE": "16"}, 1),
    ],
)
def test_the_processes_of_a_machine_share_its_cores(told, monkeypatch, environment, threads):
    """Joining meets nobody here and leaves this process as it is."""
    wanted, before = [], torch.get_num_threads()
    monkeypatch.setattr(torch, "set_num_threads", wanted.append)
    monkeypatch.setattr(launch, "num_threads", wanted_threads)
    monkeypatch.setattr(launch, "num_cores", lambda: 8)
    monkeypatch.setattr(launch, "keep_freed_memory", lambda: None)
    monkeypatch.setattr(Ranks, "join", lambda device: Ranks())
    told(environment)
    with joined_ranks(1, "cpu", print):
        assert wanted == [threads]
    assert wanted == [threads, before]  # what follows a run asks about few positions again


def cpu_is_full(*_, **__):
    torch.empty(1 << 60)


def gpu_is_full(*_, **__):
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9.00 GiB.")


@pytest.mark.parametrize(
    ("full", "said"), [(cpu_is_full, "there is not enough memory"), (gpu_is_full, "CUDA out of")]
)
def test_too_little_memory_ends_the_run_in_a_sentence(tmp_path, monkeypatch, full, said):
    training = Training(SETTINGS, Budget(iterations=2), tmp_path)
    monkeypatch.setattr(NetworkEvaluator, "batch", full)
    with pytest.raises(TrainingStopped) as caught:
        training.run()
    assert str(caught.value).startswith(f"The run cannot continue ({said}")
    assert str(caught.value).endswith(f"). The checkpoint of iteration 0 in {tmp_path} is intact.")
