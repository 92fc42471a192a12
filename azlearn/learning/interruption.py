"""Ctrl-C in the middle of an iteration: every rank gives it up, and what was whole is kept."""

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from azlearn.learning.evaluator import NetworkEvaluator
from azlearn.learning.ranks import Ranks

_SECONDS_BETWEEN_LOOKS = 0.2  # at what other ranks have called off


class Interrupted(Exception):
    """What is under way is given up."""


class Interruption:
    """Whether a run has been asked to stop, and how all its ranks come to know.

    Args:
        within: whether an iteration may be given up; else ``check`` and ``agree`` do nothing.

    Attributes:
        asked: whether this rank was asked to.
    """

    def __init__(self, ranks: Ranks, within: bool) -> None:
        self._ranks, self.within, self.asked, self._looked = ranks, within, False, 0.0

    def check(self) -> None:
        """Interrupted if any rank was asked to stop; one rank may call it alone.

        Who raises it must ``agree`` next, as all the others will.
        """
        if not self.within:
            return
        if self.asked:
            self._ranks.call_off()
        elif time.monotonic() - self._looked > _SECONDS_BETWEEN_LOOKS:
            self._looked = time.monotonic()
            self.asked = self._ranks.is_called_off()
        if self.asked:
            raise Interrupted

    def all_stop(self) -> bool:
        """The same answer for all ranks; every one of them must call it."""
        return bool(self._ranks.highest(float(self.asked))[0])

    def agree(self) -> None:
        """Interrupted, in all ranks or in none; every one of them must call it."""
        if self.within and self.all_stop():
            raise Interrupted

    @contextmanager
    def by_ctrl_c(self, told: Callable[[], None]) -> Iterator[None]:
        """Meanwhile the first Ctrl-C asks to stop and calls ``told``; the second ends all."""
        before = signal.getsignal(signal.SIGINT)
        in_main_thread = threading.current_thread() is threading.main_thread()
        if not in_main_thread or before is signal.SIG_IGN:
            yield
            return

        def ask_to_stop(number, frame):
            signal.signal(signal.SIGINT, before)
            self.asked = True
            told()

        signal.signal(signal.SIGINT, ask_to_stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


class InterruptibleEvaluator(NetworkEvaluator):
    """Calls ``check``, which may raise, before each question to the network."""

    def __init__(self, *arguments, check: Callable[[], None], **others) -> None:
        super().__init__(*arguments, **others)
        self._check = check

    def _evaluate(self, states, rng) -> tuple:
        self._check()
        return super()._evaluate(states, rng)
