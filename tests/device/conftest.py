"""Every test that asks for ``device`` runs on the CPU, and on a GPU where there is one."""

import pytest
import torch

from azlearn.learning.device.host_sync import fake_cuda

NEEDS_CUDA = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=NEEDS_CUDA)])
def device(request) -> str:
    return request.param


@pytest.fixture(
    params=[("cpu", "tape"), pytest.param(("cuda", "cuda"), marks=NEEDS_CUDA)],
    ids=["tape", "graph"],
)
def recorded(request) -> tuple[str, str]:
    """A device, and how a step is recorded there."""
    return request.param


@pytest.fixture
def fake_gpu_is_possible():
    """Skips, with the reason, where this PyTorch has no tensors of a GPU that is not there."""
    try:
        with fake_cuda():
            torch.zeros(1, device="cuda:0") + 1
    except (RuntimeError, AssertionError) as error:
        pytest.skip(f"this PyTorch makes no tensors of a GPU that is not there: {error}")


@pytest.fixture
def fake_gpu(fake_gpu_is_possible):
    """Tensors made in the test may be on "cuda:0" and hold nothing."""
    with fake_cuda() as mode:
        yield mode
