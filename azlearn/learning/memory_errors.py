"""What torch says when a CPU's memory is full, in Python's words."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def cpu_memory_errors() -> Iterator[None]:
    """Makes a MemoryError of torch's, which on a CPU is a plain RuntimeError.

    Raises:
        MemoryError: instead of it, without its long message.
    """
    try:
        yield
    except RuntimeError as error:
        if "DefaultCPUAllocator" not in str(error):
            raise
        raise MemoryError from error
