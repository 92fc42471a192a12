"""The worker behind the widgets: one job at a time, the newest wins, reports where they belong."""

import asyncio
import concurrent.futures
import functools
import threading
import time

import pytest

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


def until(condition, seconds=5):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.002)


@alone
def test_a_job_runs_beside_and_reports_its_result():
    worker, got, ran_in = Worker(), [], []

    def job(stop, progress):
        ran_in.append(threading.get_ident())
        return 6 * 7

    worker.start(job, got.append)
    assert worker.wait(5)
    assert got == [42]
    assert worker.wait(0)
    assert ran_in != [threading.get_ident()]


@alone
def test_an_error_is_reported_as_it_is():
    worker, done, errors = Worker(), [], []
    worker.start(lambda stop, progress: 1 / 0, done.append, errors.append)
    assert worker.wait(5)
    assert not done
    assert isinstance(errors[0], ZeroDivisionError)


@alone
def test_stop_ends_early_with_what_there_is():
    worker, got = Worker(), []
    worker.start(counting, got.append)
    assert not worker.wait(0.05)
    worker.stop()
    assert worker.wait(5)
    assert len(got) == 1
    assert 0 <= got[0] < 1000


@alone
def test_cancel_ends_early_and_reports_nothing():
    worker, got = Worker(), []
    worker.start(counting, got.append, got.append)
    worker.cancel()
    assert worker.wait(0)
    assert worker.wait(0)
    assert worker.wait_for_end(5)
    time.sleep(0.05)
    assert got == []


@alone
def test_the_newest_job_wins_and_never_two_at_once():
    worker, got, inside, most = Worker(), [], [], []

    def job_named(name):
        def job(stop, progress):
            inside.append(name)
            most.append(len(inside))
            until(stop, 5) if name < 4 else None
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
        for _ in range(500):
            if any(what == "done" for what, *_ in seen):
                break
            await asyncio.sleep(0.01)

    asyncio.run(main())
    assert {thread for *_, thread in seen} == {threading.get_ident()}
    assert [what for what, *_ in seen].index("done") == len(seen) - 1
    shares = [content for what, content, _ in seen if what == "progress"]
    assert 2 <= len(shares) <= 8  # of some forty: most are not passed on
    assert shares == sorted(shares)


@alone
def test_waiting_on_the_loops_own_thread_delivers():
    worker, got = Worker(), []

    async def main():
        worker.start(lambda stop, progress: "here", got.append)
        assert worker.wait(5)
        assert got == ["here"]

    asyncio.run(main())


@alone
def test_a_loop_that_is_closed_meanwhile_loses_nothing():
    worker, got, go_on = Worker(), [], threading.Event()

    def job(stop, progress):
        assert go_on.wait(5)
        return "late"

    async def main():
        worker.start(job, got.append)

    asyncio.run(main())
    go_on.set()
    assert worker.wait(5)
    assert got == ["late"]


@alone
def test_a_callback_may_start_the_next_job():
    worker, got = Worker(), []

    def again(result):
        got.append(result)
        if result < 3:
            worker.start(lambda stop, progress: result + 1, again)

    worker.start(lambda stop, progress: 1, again)
    until(lambda: got == [1, 2, 3])
    assert worker.wait(5)


@alone
def test_a_callback_that_fails_does_not_block_the_worker():
    worker, got = Worker(), []

    async def main():
        heard = []
        asyncio.get_running_loop().set_exception_handler(lambda _, c: heard.append(c["exception"]))
        worker.start(lambda stop, progress: 0, lambda result: 1 / result)
        await asyncio.sleep(0.1)
        worker.start(lambda stop, progress: 5, got.append)
        await asyncio.sleep(0.1)
        assert [type(error) for error in heard] == [ZeroDivisionError]

    asyncio.run(main())
    assert got == [5]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@alone
def test_nor_does_one_that_fails_without_a_loop():
    worker, got = Worker(), []
    worker.start(lambda stop, progress: 0, lambda result: 1 / result)
    assert worker.wait(5)
    worker.start(lambda stop, progress: 5, got.append)
    assert worker.wait(5)
    assert got == [5]


def test_without_threads_the_job_runs_at_once(monkeypatch):
    def no_threads(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", no_threads)
    worker, got = Worker(), []
    for result in (1, 2):
        worker.start(lambda stop, progress, result=result: result, got.append)
        assert worker.wait(5)
    assert got == [1, 2]
    assert worker.wait(0)


@pytest.mark.parametrize("method", ["stop", "cancel", "wait", "wait_for_end"])
def test_an_idle_worker_takes_every_call(method):
    worker = Worker()
    assert getattr(worker, method)() in (None, True)
    assert worker.wait(0)
