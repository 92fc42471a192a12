"""A step that Python goes through once and a GPU from then on: CUDA graphs."""

from collections.abc import Callable

import torch

WARM_UPS = 3  # real steps first: kernels are compiled, libraries choose theirs, Adam takes memory


class Recorded:
    """A step without arguments and without an answer, called again and again.

    On a GPU it runs ``WARM_UPS`` times as it is. Then it is recorded as a CUDA graph, a list of
    kernels and of the addresses that they read and write, and replayed: one launch in place of
    hundreds. Elsewhere it always runs as it is.

    Args:
        step: works on memory that stays where it is, and does not look at it.
        device: where that is.
    """

    def __init__(self, step: Callable[[], object], device: str | torch.device) -> None:
        self._step, self._is_recorded = step, torch.device(device).type == "cuda"
        self._num_calls, self._graph = 0, None

    def __call__(self) -> None:
        """One step."""
        self._num_calls += 1
        if not self._is_recorded:
            self._step()
        elif self._num_calls <= WARM_UPS:
            side = torch.cuda.Stream()  # as the manual wants it: "CUDA semantics", CUDA graphs
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                self._step()
            torch.cuda.current_stream().wait_stream(side)
        else:
            if self._graph is None:
                self._graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(self._graph):  # which runs nothing
                    self._step()
            self._graph.replay()
