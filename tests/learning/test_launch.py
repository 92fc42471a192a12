"""Who computes where: devices that are refused, a GPU for each process."""

import pytest
import torch

from azlearn.learning import Budget, NetworkEvaluator, Training, TrainingStopped
from azlearn.learning.launch import check_device, joined_ranks
from tests.learning.tiny_runs import SETTINGS


@pytest.fixture
def two_gpus(monkeypatch):
    """A machine with two GPUs, as far as it is asked; which one was taken."""
    taken = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", taken.append)
    return taken


@pytest.mark.parametrize("device", ["tpu", "cuda:1", "cpu:0", ""])
def test_devices_have_two_names(device):
    with pytest.raises(ValueError, match=r"device must be cpu or cuda, not .*CUDA_VISIBLE_DEVICES"):
        check_device(device)


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


def test_a_gpu_without_room_ends_the_run_in_a_sentence(tmp_path, monkeypatch):
    def full(*_):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 9.00 GiB.")

    training = Training(SETTINGS, Budget(iterations=2), tmp_path)
    monkeypatch.setattr(NetworkEvaluator, "batch", full)
    with pytest.raises(
        TrainingStopped, match=r"CUDA out of memory.* The checkpoint of iteration 0"
    ):
        training.run()
