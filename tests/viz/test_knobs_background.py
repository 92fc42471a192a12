"""The worker behind the widgets: one job at a time, the newest wins, reports where they belong.

What Stop, closing and a newer job do to a search and to an opponent that thinks stands in
`test_knobs.py` and `test_play.py`.
"""

import asyncio
import concurrent.futures
import functools
import threading
import time

from azlearn.viz.background import Worker


def alone(test):
    """Runs a test in a thread without an event loop: the browser of other tests has one here."""

    @functools.wraps(test)
    def run(*args, **kwargs):
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            pool.submit(test, *args, **kwargs).result()

    return run


def counting(stop, progress):
    """Counts for up to ten seconds, and says how far it came."""
    for i in range(1000):
        if stop():
            return i
        progress(i / 1000)
        time.sleep(0.01)
    return 1000


@alone
def test_the_newest_job_wins_and_never_two_at_once():
    worker, got, inside, most = Worker(), [], [], []

    def job_named(name):
        def job(stop, progress):
            inside.append(name)
            most.append(len(inside))
            while name < 4 and not stop():
                time.sleep(0.002)
            inside.remove(name)
            return name

        return job

    for name in range(5):
        worker.start(job_named(name), got.append)
        time.sleep(0.01 if name < 2 else 0)
    assert worker.wait(5)
    assert got == [4]
    assert set(most) == {1}


@alone
def test_with_a_loop_every_report_comes_on_its_thread_in_order():
    worker, seen = Worker(), []

    def note(what):
        return lambda content: seen.append((what, content, threading.get_ident()))

    async def main():
        worker.start(counting, note("done"), note("error"), note("progress"))
        await asyncio.sleep(0.4)
        worker.stop()
        while not any(what == "done" for what, *_ in seen):
            await asyncio.sleep(0.01)
        worker.start(lambda stop, progress: "waited for", note("done"))
        assert worker.wait(5)  # on the loop's own thread

    asyncio.run(asyncio.wait_for(main(), 60))
    assert {thread for *_, thread in seen} == {threading.get_ident()}
    kinds, contents, _ = zip(*seen, strict=True)
    shares = [content for what, content, _ in seen if what == "progress"]
    assert kinds == ("progress",) * len(shares) + ("done", "done")
    assert contents[-1] == "waited for"
    assert 2 <= len(shares) <= 8  # of some forty: most are not passed on
    assert shares == sorted(shares)


def test_without_threads_the_job_runs_at_once(monkeypatch):
    def no_threads(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_threads)
    worker, got = Worker(), []
    for result in (1, 2):
        worker.start(lambda stop, progress, result=result: result, got.append)
        assert worker.wait(5)
    assert got == [1, 2]
