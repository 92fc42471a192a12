"""What is looked at beside an answer: what a GPU would be waited for, and a loop over the games."""

from collections.abc import Callable
from typing import Any

WAITS, LOOPS = "what the guard finds", "operations for 48 games"
_FETCHES = "tolist", "item", "numpy", "__array__", "__int__", "__index__", "__float__", "__bool__"


def watched(answer: Callable, *given: Any) -> tuple[Any, str, int]:
    """What ``answer`` gives, what it made the host wait for, and how often it called torch.

    Operations are watched by ``NoHostSync``, which names the line; ``tolist`` and ``numpy``, which
    it does not see on a CPU, by their names, in a call of its own with copies.
    """
    import torch
    from torch.overrides import TorchFunctionMode

    from azlearn.learning.device.host_sync import NoHostSync

    class Counting(TorchFunctionMode):
        num_calls, fetched = 0, ""

        def __torch_function__(self, func, types, args=(), kwargs=None):
            name = getattr(func, "__name__", "")
            self.num_calls += 1
            if name in _FETCHES and not self.fetched:
                self.fetched = f"read: `{name}`"
            return func(*args, **(kwargs or {}))

    copies = [one.clone() if isinstance(one, torch.Tensor) else one for one in given]
    with Counting() as counting:
        answer(*copies)
    with NoHostSync(collect=True) as guard:
        value = answer(*given)
    for kind, operation, line in guard.found:
        source = line.split(": ", 1)[1] if ": " in line else ""
        return value, f"{kind}: `{source or operation}`", counting.num_calls
    return value, counting.fetched or "nothing", counting.num_calls


def loops(num_calls: int, num_for_one: int) -> str:
    """Whether many games take more operations than one, in words."""
    is_loop = num_calls > 1.5 * num_for_one + 8
    return f"{num_calls}, {num_for_one} for one game" if is_loop else "as many as for one"
