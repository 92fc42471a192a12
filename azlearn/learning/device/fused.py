"""A step whose operations are fused: a GPU then reads and writes its memory less often."""

import warnings
from collections.abc import Callable
from types import FunctionType

import torch


class NotFused(UserWarning):
    """``torch.compile`` does not work here, and a step stays as it is."""


def fused(step: Callable[[], None]) -> Callable[[], None]:
    """The step with its operations fused by ``torch.compile``, which its first call does.

    Where that does not work, for want of Triton or of a compiler, it warns (``NotFused``) and
    stays as it is.
    """
    # The compiler makes so many programs of one function's code and no more: each has its own.
    code = step.__code__.replace()
    own = FunctionType(code, step.__globals__, closure=step.__closure__)
    way: Callable[[], None] | None = None

    def run() -> None:
        nonlocal way
        if way is not None:
            return way()
        try:
            way = torch.compile(own, fullgraph=True, dynamic=False)
            return way()
        except torch.OutOfMemoryError:
            raise
        except Exception as error:  # whatever a compiler may raise, before anything is computed
            cause = getattr(error, "inner_exception", None) or error
            if isinstance(cause, torch.OutOfMemoryError):
                raise cause from error
            why = (str(cause).strip() or type(cause).__name__).partition("\n")[0].rstrip(".")
            warnings.warn(
                NotFused(f"torch.compile does not work here ({why}): trees grow uncompiled."),
                stacklevel=2,
            )
            way = step
        return way()

    return run
