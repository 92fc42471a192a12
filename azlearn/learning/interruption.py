"""The first Ctrl-C or notebook Stop ends a run after the iteration, the second immediately."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

FINISHING = (
    "Finishing this iteration and saving it.\nPress Ctrl-C (or Stop) again to stop immediately."
)


def say_that_it_finishes() -> None:
    """Writes ``FINISHING`` to stderr; safe to call at any moment, even during a print."""
    os.write(2, f"\n{FINISHING}\n".encode())


@contextmanager
def heard_once(ask_to_stop: Callable[[], None]) -> Iterator[None]:
    """Inside the block, the first Ctrl-C calls ``ask_to_stop``; the second acts as usual.

    Nothing changes outside the main thread, or in a process that ignores Ctrl-C.
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
