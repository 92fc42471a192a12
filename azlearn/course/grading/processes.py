"""Runs a student's notebook in processes with limits, and collects the verdicts."""

import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from azlearn.course.cards import OUTCOMES
from azlearn.course.exercises import SHEETS
from azlearn.course.grading.submissions import Submission
from azlearn.course.results import Compared, Result
from azlearn.json_validation import CorruptFileError, read_json

STEP_SECONDS = 60.0  # for one answer, or one statement before it; the check itself stops after 20
MEMORY = 8 << 30  # bytes of address space: PyTorch alone reserves 3 GiB
_MOST_STEPS_LOST = 10  # after as many hanging or crashing steps, the notebook is given up
_LONGEST_LINE = 1 << 20  # bytes of a verdict
# The lines of ``one_submission``, by the first key.
_SHAPES = {
    "step": {"step": int, "cell": int, "exercise": str},
    "result": {
        "result": str, "outcome": str, "diagnosis": str, "message": str, "code": str,
        "rows": [[str]],
    },
    "remark": {"remark": str},
    "done": {},
}  # fmt: skip


class Limits(NamedTuple):
    """What one submission may use: seconds per step, bytes of memory and of each file it writes."""

    seconds: float = STEP_SECONDS
    memory: int = MEMORY
    file_size: int = 10 << 20
    new_processes: int = 64

    def of_process(self) -> dict[str, int]:
        """The limits as names of ``resource`` and their values."""
        import psutil  # comes with ipykernel

        mine = [p for p in psutil.process_iter(["uids", "num_threads"]) if _is_mine(p)]
        running = sum(p.info["num_threads"] or 1 for p in mine)
        most = resource.getrlimit(resource.RLIMIT_NPROC)[1]
        wanted = running + self.new_processes
        return {
            "RLIMIT_AS": self.memory,
            "RLIMIT_FSIZE": self.file_size,
            "RLIMIT_NPROC": wanted if most < 0 else min(most, wanted),
        }


def _is_mine(process) -> bool:
    return bool(process.info["uids"]) and process.info["uids"].real == os.getuid()


def grade(
    submissions: Sequence[Submission],
    seed: int = 1,
    limits: Limits | None = None,
    done: Callable[[Submission], None] = lambda submission: None,
) -> None:
    """Checks all answers, on all CPUs, and adds the verdicts to the submissions.

    Args:
        seed: determines the hidden cases, which differ from those of the students' own checks.
        limits: None: the default ones.
        done: called with each finished submission.
    """
    limits = limits or Limits()
    box, of_process = sandbox(), limits.of_process()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(_grade_one, one, seed, limits, of_process, box) for one in submissions]
        for job in jobs:
            done(job.result())


def sandbox() -> tuple[str, ...]:
    """The start of a command line that protects files and network; () if there is no Bubblewrap."""
    bwrap = shutil.which("bwrap")
    if not bwrap:
        return ()
    box = (bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-all")
    box += ("--die-with-parent", "--new-session")
    works = subprocess.run([*box, "true"], capture_output=True, check=False).returncode == 0
    return box if works else ()


def _grade_one(submission, seed, limits, of_process, box) -> Submission:
    """Runs a submission's steps; after a step that hangs or crashes, starts again without it."""
    skip: set[int] = set()
    for _ in range(_MOST_STEPS_LOST):
        at: dict[str, Any] = {}
        asked = {"cells": submission.cells, "seed": seed, "limits": of_process}
        try:
            for line in _lines(asked | {"skip": sorted(skip)}, limits.seconds, box):
                if "done" in line:
                    return submission
                if "step" in line:
                    at = line
                elif "remark" in line and line["remark"] not in submission.remarks:
                    submission.remarks.append(line["remark"])
                elif "result" in line and line["result"] == at.get("exercise"):
                    skip.add(at["step"])
                    submission.results.append(_result(**line))
        except (TimeoutError, ValueError) as stopped:
            problem = str(stopped)
        if not at or at["step"] in skip:
            break
        skip.add(at["step"])
        if at["exercise"] in SHEETS:
            said = f"The check was stopped: your function {problem}."
            submission.results.append(_result(at["exercise"], "error", problem, said))
        else:
            submission.remarks.append(f"Part of code cell {at['cell']} was skipped: it {problem}.")
    submission.remarks.append(f"The notebook was given up: it {problem}.")
    return submission


def _lines(asked: dict[str, Any], seconds: float, box: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Runs ``one_submission`` and yields its lines.

    Raises:
        TimeoutError: there was no line for that many seconds.
        ValueError: the process ended, or a line cannot be read.
    """
    with TemporaryDirectory() as folder:
        if box:
            box = (*box, "--bind", folder, folder, "--chdir", folder)
        own = {"HOME": folder, "TMPDIR": folder, "AZLEARN_PROGRESS": f"{folder}/progress.json"}
        process = subprocess.Popen(
            [*box, sys.executable, "-m", "azlearn.course.grading.one_submission"],
            cwd=folder, env=os.environ | own | {"OMP_NUM_THREADS": "1"}, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            with process.stdin as pipe:
                pipe.write(json.dumps(asked).encode())
            yield from _read(process.stdout, seconds)
        except BrokenPipeError:
            raise ValueError("ended its process") from None
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()


def _read(pipe, seconds: float) -> Iterator[dict[str, Any]]:
    pending = b""
    while True:
        if not select.select([pipe], [], [], seconds)[0]:
            raise TimeoutError(f"was still running after {seconds:g} seconds")
        chunk = os.read(pipe.fileno(), 1 << 16)
        if not chunk:
            raise ValueError("ended its process, or ran out of memory")
        *whole, pending = (pending + chunk).split(b"\n")
        if len(pending) > _LONGEST_LINE:
            raise ValueError("returned too long a verdict")
        yield from map(_read_line, whole)


def _read_line(line: bytes) -> dict[str, Any]:
    try:
        kind = next(iter(read_json(line, {})), "")
        return read_json(line, _SHAPES[kind])
    except (CorruptFileError, KeyError):
        raise ValueError("returned a verdict that cannot be read") from None


def _result(result, outcome, diagnosis="", message="", code="", rows=()) -> Result:
    compared = tuple(Compared(*row) for row in rows if len(row) == 3)
    outcome = outcome if outcome in OUTCOMES else "error"
    title = SHEETS[result].title
    return Result(result, title, outcome, diagnosis, message, compared, code)
