"""CUDA graphs: a step is recorded once from Python, then replayed by the GPU."""

from collections.abc import Callable

import torch

WARM_UPS = 3  # real steps first: they compile and select kernels, and Adam allocates its memory


class Recorded:
    """A step without arguments and without a result, called again and again.

    On a GPU it first runs ``WARM_UPS`` times directly. Then it is recorded as a CUDA graph, a list
    of kernels and of the addresses that they read and write, and replayed: one launch instead of
    hundreds. On other devices it always runs directly.

    Args:
        step: works on memory at fixed addresses, and reads nothing from the device.
        device: where that memory is.
    """

    def __init__(self, step: Callable[[], object], device: str | torch.device) -> None:
        self._step, self._is_recorded = step, torch.device(device).type == "cuda"
        self._num_calls, self._graph = 0, None

    def __call__(self) -> None:
        """Runs one step."""
        self._num_calls += 1
        if not self._is_recorded:
            self._step()
        elif self._num_calls <= WARM_UPS:
            side = torch.cuda.Stream()  # as in PyTorch's manual: "CUDA semantics", CUDA graphs
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                self._step()
            torch.cuda.current_stream().wait_stream(side)
        else:
            if self._graph is None:
                self._graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(self._graph):  # records without running
                    self._step()
            self._graph.replay()
