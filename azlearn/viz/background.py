"""A worker for jobs that are too slow for a click handler: one job at a time, the newest wins.

A widget that searches in its message handler cannot react to anything until the search is over, not
even to its own Stop button. So the search runs in a thread. Its callbacks run in the event loop
that was running when the job was started (a notebook kernel's), so they may set traits. Without
such a loop they run in the worker's thread.

    worker = Worker()

    def job(stop, progress):          # runs in the thread
        def ask(tree, simulations_left):
            progress(1 - simulations_left / 500)
            return stop()
        return mcts.run(state, 500, stop=ask)

    worker.start(job, on_done=self._show, on_error=self._fail, on_progress=self._advance)
    worker.stop()                     # end early: on_done gets the result so far
    worker.cancel()                   # end early and discard it: no callback is called
"""

import asyncio
import contextvars
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

Stop = Callable[[], bool]
Progress = Callable[[float], None]
Job = Callable[[Stop, Progress], Any]

SECONDS_BETWEEN_PROGRESS = 0.08


class Worker:
    """Runs jobs in a background thread, one at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._run: _Run | None = None  # the newest

    def start(
        self,
        job: Job,
        on_done: Callable[[Any], None] | None = None,
        on_error: Callable[[BaseException], None] | None = None,
        on_progress: Callable[[float], None] | None = None,
    ) -> None:
        """Starts a job. A running job is canceled first, and ends before the new one starts.

        Args:
            job: called as ``job(stop, progress)`` in the worker's thread. It should call ``stop()``
                often and, when it returns True, return its result so far. It may call
                ``progress(share)`` with a number from 0 to 1 as often as it likes.
            on_done: called with the job's return value.
            on_error: called with the exception that the job raised.
            on_progress: called with the share, a few times per second.
        """
        callbacks = {"done": on_done, "error": on_error, "progress": on_progress}
        with self._lock:
            self.cancel()
            run = self._run = _Run(job, callbacks, self._run)
        try:
            threading.Thread(target=run.execute, name="azlearn", daemon=True).start()
        except RuntimeError:  # no threads, for example Python in a browser
            run.execute()

    def stop(self) -> None:
        """Asks the job to end early; its result is still reported."""
        if self._run is not None:
            self._run.asked_to_stop.set()

    def cancel(self) -> None:
        """Asks the job to end early and discards it: no more callbacks are called."""
        if self._run is not None:
            self._run.is_dropped = True
            self._run.asked_to_stop.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until the newest job has reported, even if called in the callbacks' thread.

        Args:
            timeout: in seconds; None for no limit.

        Returns:
            False if the timeout came first, else True.
        """
        return self._wait(lambda run: run.is_dropped or run.has_reported, timeout)

    def wait_for_end(self, timeout: float | None = None) -> bool:
        """Waits until no job is running, whether it reported or was canceled."""
        return self._wait(lambda run: run.ended.is_set(), timeout)

    def _wait(self, over: Callable[["_Run"], bool], timeout: float | None) -> bool:
        deadline = None if timeout is None else time.monotonic() + timeout
        while (run := self._run) is not None and not over(run):
            if deadline is not None and time.monotonic() > deadline:
                return False
            run.ended.wait(0.02)
            if run.thread == threading.get_ident():
                run.deliver()
            else:
                time.sleep(0.002)  # an event loop in another thread is about to deliver the report
        return True


class _Run:
    """One started job: its requests to stop and its undelivered reports."""

    def __init__(self, job: Job, callbacks: dict[str, Callable | None], before: "_Run | None"):
        self.job, self.callbacks, self.before = job, callbacks, before
        self.asked_to_stop = threading.Event()
        self.ended = threading.Event()  # the job has returned, or will never run
        self.is_dropped = self.has_reported = False  # has_reported: no callback is left to call
        self.delivering = threading.RLock()
        self.reports: deque[tuple[str, Any]] = deque()
        self.reported_at = 0.0
        self.context = contextvars.copy_context()  # tells a kernel which cell prints
        self.thread = threading.get_ident()
        try:
            self.loop = asyncio.get_running_loop()
        except RuntimeError:
            self.loop = None

    def execute(self) -> None:
        """Runs the job in the current thread, once the previous job has ended."""
        if self.before is not None:
            self.before.ended.wait()
            self.before = None
        if self.is_dropped:  # a newer job replaced it before it started
            self.ended.set()
            return
        try:
            in_context = self.context.copy().run
            report = ("done", in_context(self.job, self.asked_to_stop.is_set, self.progress))
        except BaseException as error:  # also SystemExit: it must not vanish with the thread
            report = ("error", error)
        self.ended.set()
        self.post(*report)

    def progress(self, share: float) -> None:
        """Reports the share of the work done, 0 to 1. Most calls are dropped to save time."""
        now = time.monotonic()
        if now - self.reported_at >= SECONDS_BETWEEN_PROGRESS:
            self.reported_at = now
            self.post("progress", share)

    def post(self, kind: str, content: Any) -> None:
        self.reports.append((kind, content))
        try:
            if self.loop is not None:
                self.loop.call_soon_threadsafe(self.deliver, context=self.context.copy())
                return
        except RuntimeError:  # the loop has been closed
            pass
        self.deliver()

    def deliver(self) -> None:
        """Calls the callback of every waiting report."""
        with self.delivering:
            while self.reports:
                kind, content = self.reports.popleft()
                try:
                    callback = self.callbacks[kind]
                    if callback is not None and not self.is_dropped:
                        callback(content)
                finally:
                    self.has_reported = kind != "progress"
