"""Tensors in a check: made from lists, and read back as lists.

torch is imported where it is used: who does the exercises of another chapter need not wait for it.
"""

from typing import Any

import numpy as np

from azlearn.course.comparing import as_list


def tensor(values: Any, **options: Any):
    """A tensor as ``torch.tensor`` makes it; lists of floats and NumPy's floats become float32."""
    import torch

    made = torch.tensor(np.asarray(values).tolist(), **options)
    return made.float() if made.is_floating_point() else made


def numbers(value: Any) -> Any:
    """A tensor, an array or a nested sequence as nested lists; a scalar as a number."""
    if hasattr(value, "detach"):
        return value.detach().tolist()
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    listed = as_list(value)
    return value if listed is None else [numbers(item) for item in listed]


def single(value: Any) -> Any:
    """As ``numbers``; the one number of a tensor or a list of one element, however it is nested."""
    value = numbers(value)
    while isinstance(value, list) and len(value) == 1:
        value = value[0]
    return value


def unchanged(given: Any, copies: Any) -> bool:
    """Whether nobody has written into tensors since their copies were made, not even the same."""
    return all(
        one._version == two._version and one.shape == two.shape and bool((one == two).all())
        for one, two in zip(given, copies, strict=True)
    )


def shape(value: Any) -> tuple[int, ...]:
    """The shape of what ``numbers`` gave; () for a scalar.

    Raises:
        ValueError: rows of different lengths.
    """
    return np.asarray(value, dtype=float).shape


def has_gradient(value: Any) -> bool:
    """Whether it is a tensor through which a gradient flows back."""
    return bool(getattr(value, "requires_grad", False))
