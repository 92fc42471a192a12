"""A step whose operations are fused: a GPU then reads and writes its memory less often."""

from collections.abc import Callable
from types import FunctionType

import torch


class CannotCompile(ValueError):
    """``torch.compile`` does not work here; the message says why."""


def fused(step: Callable[[], None]) -> Callable[[], None]:
    """The step with its operations fused by ``torch.compile``, when it is called first.

    Raises (the step):
        CannotCompile: there is no Triton, for a GPU, or no C++ compiler.
    """
    # The compiler makes so many programs of one function's code and no more: each has its own.
    code = step.__code__.replace()
    own = FunctionType(code, step.__globals__, closure=step.__closure__)
    compiled = torch.compile(own, fullgraph=True, dynamic=False)

    def run() -> None:
        try:
            compiled()
        except RuntimeError as error:
            from torch._dynamo.exc import TorchDynamoException  # takes a second to import

            if not isinstance(error, TorchDynamoException):
                raise
            why = str(error).strip().partition("\n")[0].rstrip(".")
            raise CannotCompile(
                f"torch.compile does not work here ({why}): trees=device goes without."
            ) from error

    return run
