"""What the exercises of this chapter look at: numbers of float32, a loss, a board."""

from collections.abc import Callable

import numpy as np

from azlearn.course.kit import (
    CHANGED,
    About,
    Case,
    Observation,
    has_gradient,
    numbers,
    single,
    tensor,
)


def measured(value):
    """Numbers up to the rounding of float32."""
    array = np.asarray(numbers(value), dtype=float) + 0.0  # -0 is shown as 0
    largest = np.abs(array).max(initial=1.0, where=np.isfinite(array))
    return About(array.tolist(), 1e-4 * largest)


def drawn(planes) -> str:
    """The planes of a board as "x.. .o. o..", x for plane 0."""
    marks = {(0, 0): ".", (1, 0): "x", (0, 1): "o"}
    rows = zip(*np.asarray(numbers(planes), dtype=float).tolist(), strict=True)
    return " ".join(
        "".join(marks.get(cell, "?") for cell in zip(*row, strict=True)) for row in rows
    )


def kind_of_number(value) -> str:
    """ "float32": the dtype of an array or a tensor."""
    return str(getattr(value, "dtype", type(value).__name__)).removeprefix("torch.")


def seen_loss(loss: Callable, case: Case, learned: dict[str, int]) -> Observation:
    """Of a loss of tensors: the number, and its gradient at the arguments ``learned``."""
    import torch

    leaves = [_each(tensor, argument) for argument in case.arguments]
    for place in learned.values():
        _each(torch.Tensor.requires_grad_, leaves[place])
    given = [_each(torch.clone, leaf) for leaf in leaves]
    value = loss(*given)
    number = single(value)
    amount = "one number" if np.size(number) == 1 else f"{np.size(number)} numbers"
    seen = {"what comes back": amount, "": measured(number)}
    for name, place in learned.items():
        back = "nothing"
        if has_gradient(value):
            parts = torch.autograd.grad(
                value.sum(), leaves[place], None, True, allow_unused=True, materialize_grads=True
            )
            back = measured(torch.cat([part.flatten() for part in parts]))
        seen[f"the gradient at {name}"] = back
    return {**seen, CHANGED: numbers(given) != numbers(leaves)}


def _each(do: Callable, argument):
    """``do`` with an array, or with every one in a list; a plain number stays as it is."""
    if isinstance(argument, list):
        return [do(one) for one in argument]
    return argument if isinstance(argument, float) else do(argument)
