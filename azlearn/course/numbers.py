"""Converts between tensors and lists in checks.

Only the functions that use torch import it, so exercises without tensors need not wait for it.
"""

from typing import Any

import numpy as np

from azlearn.course.comparing import as_list


def tensor(values: Any, **options: Any):
    """Makes a tensor like ``torch.tensor``, but floats always become float32."""
    import torch

    made = torch.tensor(np.asarray(values).tolist(), **options)
    return made.float() if made.is_floating_point() else made


def numbers(value: Any) -> Any:
    """Converts a tensor, array or nested sequence to nested lists, and a scalar to a number."""
    if hasattr(value, "detach"):
        return value.detach().tolist()
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    listed = as_list(value)
    return value if listed is None else [numbers(item) for item in listed]


def single(value: Any) -> Any:
    """Like ``numbers``, but unwraps (nested) tensors and lists of one element to their number."""
    value = numbers(value)
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value


def unchanged(given: Any, copies: Any) -> bool:
    """Whether no tensor was written to since it was copied, not even with equal values."""
    return all(
        one._version == two._version and one.shape == two.shape and bool((one == two).all())
        for one, two in zip(given, copies, strict=True)
    )


def shape(value: Any) -> tuple[int, ...]:
    """Returns the shape of a result of ``numbers``; () for a scalar.

    Raises:
        ValueError: the rows have different lengths.
    """
    return np.asarray(value, dtype=float).shape


def has_gradient(value: Any) -> bool:
    """Whether ``value`` is a tensor that gradients flow through."""
    return bool(getattr(value, "requires_grad", False))
