"""Ctrl-C, or a notebook's Stop: once, to end after the iteration under way; twice, to end now."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

FINISHING = (
    "Finishing this iteration and saving it.\nPress Ctrl-C (or Stop) again to stop immediately."
)


def say_that_it_finishes() -> None:
    """Writes ``FINISHING`` to stderr; may be called in the middle of anything, even of a print."""
    os.write(2, f"\n{FINISHING}\n".encode())


@contextmanager
def heard_once(ask_to_stop: Callable[[], None]) -> Iterator[None]:
    """Meanwhile the first Ctrl-C calls ``ask_to_stop``; the second does what Ctrl-C did before.

    A thread other than the main one, and a process that ignores Ctrl-C, hear nothing.
    """
    before = signal.getsignal(signal.SIGINT)
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or before is signal.SIG_IGN:
        yield
        return

    def hear(number, frame):
        signal.signal(signal.SIGINT, before)
        ask_to_stop()

    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
