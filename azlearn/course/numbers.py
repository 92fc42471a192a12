"""Tensors in a check: made from lists, and read back as lists.

torch is imported where it is used: who does the exercises of another chapter need not wait for it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from azlearn.course.comparing import as_list


def tensor(values: Any, **options: Any):
    """A tensor as `torch.tensor` makes it; lists of floats and NumPy's floats become float32."""
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


def shape(value: Any) -> tuple[int, ...]:
    """The shape of what `numbers` gave; () for a scalar.

    Raises:
        ValueError: rows of different lengths.
    """
    return np.asarray(value, dtype=float).shape


def has_gradient(value: Any) -> bool:
    """Whether it is a tensor through which a gradient flows back."""
    return bool(getattr(value, "requires_grad", False))
