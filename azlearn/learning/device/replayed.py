"""A step that Python goes through once and the device from then on: CUDA graphs, and a tape.

A CUDA graph is a list of kernels and of the addresses that they read and write; replaying it costs
one launch in place of hundreds. A ``Tape`` is the same for any device: the operations of PyTorch
and the tensors that they touched, run again on the same memory. So what makes a step fit for a
graph can be tested without a GPU. A Python number that should have changed, a tensor that was put
in another's place, a branch on what a tensor holds: all of them replay wrongly.
"""

from collections.abc import Callable

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

WARM_UPS = 3  # real steps before the recording: libraries choose kernels, Adam makes its memory
HOW = ("python", "tape", "cuda")


class Tape(TorchDispatchMode):
    """Records the operations inside it; ``replay`` runs them again, each into its old answer."""

    def __init__(self) -> None:
        super().__init__()
        self.operations: list[tuple] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        """Runs one operation and keeps it, with what it was given and what it gave."""
        answer = func(*args, **(kwargs or {}))
        aliases = [each.alias_info for each in func._schema.returns]
        is_view = any(alias is not None and not alias.is_write for alias in aliases)
        if not is_view:  # a view shows the old memory, which is the right one
            self.operations.append((func, args, kwargs or {}, answer))
        return answer

    @torch.no_grad()
    def replay(self) -> None:
        """The same operations on the same memory, whatever it holds by now."""
        for func, args, kwargs, answer in self.operations:
            again = func(*args, **kwargs)
            for old, new in zip(tree_leaves(answer), tree_leaves(again), strict=True):
                if isinstance(old, torch.Tensor) and old is not new:
                    old.copy_(new)


class Replayed:
    """A step without arguments and without an answer, called again and again.

    Args:
        step: works on memory that stays where it is.
        how: ``"python"`` runs it as it is. ``"tape"`` and ``"cuda"`` do so ``WARM_UPS`` times, all
            of them real steps, then record one and replay it.

    Raises:
        ValueError: another word for ``how``.
    """

    def __init__(self, step: Callable[[], None], how: str = "python") -> None:
        if how not in HOW:
            raise ValueError(f"how must be one of {', '.join(HOW)}, not {how!r}.")
        self._step, self._how, self._num_calls, self._recorded = step, how, 0, None

    def __call__(self) -> None:
        """One step."""
        self._num_calls += 1
        if self._how == "python":
            self._step()
        elif self._recorded is not None:
            self._recorded.replay()
        elif self._num_calls <= WARM_UPS:
            self._warm_up()
        elif self._how == "tape":
            with Tape() as self._recorded:
                self._step()  # recording is a real step …
        else:
            self._recorded = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._recorded):
                self._step()  # … but of a graph it runs nothing
            self._recorded.replay()

    def _warm_up(self) -> None:
        if self._how == "tape":
            self._step()
            return
        side = torch.cuda.Stream()  # as the manual wants it: "CUDA semantics", CUDA graphs
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            self._step()
        torch.cuda.current_stream().wait_stream(side)
