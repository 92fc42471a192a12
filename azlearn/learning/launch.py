"""Starts the ranks of a run on this machine."""

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
import torch.distributed as dist

from azlearn.atomic_io import in_words
from azlearn.learning.denormals import flushed_denormals
from azlearn.learning.ranks import MEETING_FILE, Ranks, env_int
from azlearn.machine import memory, num_cores

PROCESS_BYTES = 450_000_000  # memory of a process with the usual settings, PyTorch included
_MOST_A_CORE = 16  # processes per core
_TOLD_BY_TORCHRUN = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
_TOLD_BESIDE = ("LOCAL_RANK", "LOCAL_WORLD_SIZE")


def num_threads() -> int:
    """Returns PyTorch's threads per process: the cores divided by the ranks on this machine."""
    return max(1, num_cores() // _ranks_on_this_machine())


def default_ranks(device: str) -> int:
    """Returns the default number of ranks: one per core on a CPU if memory allows, else one."""
    return num_processes() if device == "cpu" else 1


def num_processes() -> int:
    """Returns the number of processes: one per core, but no more than fit in memory; at least 1."""
    room = memory()
    return num_cores() if room is None else max(1, min(num_cores(), room // PROCESS_BYTES))


def check_device(device: str) -> None:
    """Raises ValueError unless PyTorch can compute on ``device``: "cpu", "cuda", "mps", ..."""
    if device in ("cpu", "cuda"):
        if device == "cuda" and not torch.cuda.is_available():
            raise ValueError("There is no CUDA device that this PyTorch can use. Use cpu instead.")
        return
    kind, _, number = str(device).partition(":")
    if kind == "cuda" and number:
        raise ValueError(
            f"device must be cuda, not {device!r}. Choose a GPU with CUDA_VISIBLE_DEVICES."
        )
    try:
        torch.zeros(1, device=device).cpu()
    except (RuntimeError, AssertionError) as error:  # PyTorch raises various errors
        raise ValueError(
            f"device must be cpu, cuda or another one that this PyTorch can compute on, such as"
            f" mps, not {device!r}."
        ) from error


@contextmanager
def joined_ranks(
    num_ranks: int, device: str, run: Callable[..., object], *arguments: object
) -> Iterator[Ranks]:
    """Joins the ranks of a run; the first rank starts the others and waits for them at the end.

    Under ``torchrun`` all ranks are already running, and ``num_ranks`` is ignored. Inside the block
    PyTorch has ``num_threads()`` threads; afterward the old number is restored.

    Args:
        num_ranks: number of processes, including this one.
        device: ``"cpu"``, ``"cuda"``, or another one that PyTorch knows.
        run: what the other ranks call, with ``arguments``; it must call ``joined_ranks``, too.

    Raises:
        ValueError: there is no such device, or ``num_ranks`` is below 1 or too large.
        ChildProcessError: another rank, or its machine, stopped too early.
        MemoryError: PyTorch cannot allocate memory on the CPU.
    """
    check_device(device)
    if num_ranks < 1:
        raise ValueError(f"ranks must be at least 1, not {num_ranks}.")
    if num_ranks > (most := _MOST_A_CORE * num_cores()):
        raise ValueError(
            f"ranks must be at most {most} ({_MOST_A_CORE} per core of this machine), not"
            f" {num_ranks:,}: each rank is a separate process with its own copy of PyTorch."
        )
    starts_others = "WORLD_SIZE" not in os.environ
    if starts_others and device == "cuda" and num_ranks > (num_gpus := torch.cuda.device_count()):
        raise ValueError(
            f"Each process needs its own GPU: ranks must be at most {num_gpus}, not {num_ranks}."
        )
    if device not in ("cpu", "cuda") and num_ranks > 1:
        raise ValueError(f"ranks must be 1 on {device}, not {num_ranks}.")
    others: list[multiprocessing.Process] = []
    meeting = TemporaryDirectory(prefix="azlearn-") if starts_others and num_ranks > 1 else None
    environment = _meeting_point(Path(meeting.name), num_ranks) if meeting else {}
    threads_before = torch.get_num_threads()
    if is_under_torchrun():
        _end_with_the_agent()
    try:
        os.environ.update(environment)
        if environment:
            spawn = multiprocessing.get_context("spawn")
            with ignore_sigint():  # the others inherit this; only this process handles Ctrl-C
                for rank in range(1, num_ranks):
                    what = (rank, run, arguments)
                    process = spawn.Process(target=_other_rank, args=what, daemon=True)
                    process.start()
                    others.append(process)
        torch.set_num_threads(num_threads())
        if device == "cpu":
            keep_freed_memory()
        if device == "cuda":
            _take_own_gpu()
        # The worker threads of PyTorch and gloo start in this block, so they flush denormals, too.
        with cpu_memory_errors(), flushed_denormals():
            ranks = Ranks.join(device)
            yield ranks
        ranks.leave()
        for process in others:
            process.join()
    except RuntimeError as error:
        if not starts_others and _is_lost_connection(error):
            raise ChildProcessError(
                "Another process of this run ended, or cannot be reached. torchrun restarts the run"
                " from its last checkpoint if --max-restarts allows it."
            ) from error
        for process in others:
            process.join(timeout=5)
        if ended := [process for process in others if process.exitcode]:
            raise ChildProcessError(
                f"Another process of this run ended (exit code {ended[0].exitcode}). Resume the run"
                " from its last checkpoint, if there is one."
            ) from error
        raise
    finally:
        torch.set_num_threads(threads_before)
        for process in others:
            process.kill()  # no effect on a process that has ended
            process.join()
        for name in environment:
            os.environ.pop(name, None)
        if meeting:
            meeting.cleanup()


@contextmanager
def cpu_memory_errors() -> Iterator[None]:
    """Turns PyTorch's out-of-memory error on a CPU, a plain RuntimeError, into a MemoryError.

    Raises:
        MemoryError: in place of PyTorch's error, without its long message.
    """
    try:
        yield
    except RuntimeError as error:
        if "DefaultCPUAllocator" not in str(error):
            raise
        raise MemoryError from error


def check_leftovers() -> None:
    """Raises ValueError if only some of torchrun's environment variables are set.

    An earlier job may have left them. The message names them and says how to unset them.
    """
    found = [name for name in (*_TOLD_BY_TORCHRUN, *_TOLD_BESIDE) if name in os.environ]
    missing = [name for name in _TOLD_BY_TORCHRUN if not os.environ.get(name)]
    if missing and {"RANK", "WORLD_SIZE", *_TOLD_BESIDE} & {*found}:
        raise ValueError(
            f"The environment contains {', '.join(found)} from torchrun, but not"
            f" {', '.join(missing)}. If you do not use torchrun, run this first: unset"
            f" {' '.join(found)}"
        )


def is_under_torchrun() -> bool:
    """Returns whether ``torchrun`` has started this process."""
    return dist.is_torchelastic_launched()


def _is_lost_connection(error: RuntimeError) -> bool:
    """Returns whether gloo lost a connection: the RuntimeError then names a file of gloo."""
    return isinstance(error, dist.DistError) or "gloo" in str(error)


def _ranks_on_this_machine() -> int:
    everywhere = env_int("WORLD_SIZE", 1, least=1)
    return env_int("LOCAL_WORLD_SIZE", everywhere, least=1)  # torchrun sets both


def _take_own_gpu() -> None:
    """Makes "cuda" mean the GPU of this process, chosen by its rank on this machine."""
    local, num_gpus = env_int("LOCAL_RANK", 0), torch.cuda.device_count()
    if local >= num_gpus:
        raise ValueError(
            f"Each process needs its own GPU: ranks on this machine must be at most {num_gpus}."
        )
    torch.cuda.set_device(local)


def keep_freed_memory() -> None:
    """Tells glibc to keep the memory blocks that PyTorch frees and soon needs again.

    Otherwise they go back to the system each time, and clearing new ones takes a fifth of a small
    network's time on a CPU. Without glibc this does nothing.
    """
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    if hasattr(library, "mallopt"):
        library.mallopt(_M_MMAP_THRESHOLD, 32 << 20)
        library.mallopt(_M_TRIM_THRESHOLD, 1 << 30)


_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3  # from malloc.h


def _meeting_point(folder: Path, num_ranks: int) -> dict[str, str]:
    """Returns the environment for ranks on this machine: they meet in a file and use loopback.

    PyTorch's own store would listen on every address of the machine and query a name server.
    """
    loopback = {"linux": "lo", "darwin": "lo0"}.get(sys.platform)
    return {
        MEETING_FILE: str(folder / "store"),
        "WORLD_SIZE": str(num_ranks),
        "RANK": "0",
        "LOCAL_RANK": "0",
        **({"GLOO_SOCKET_IFNAME": loopback} if loopback else {}),
    }


@contextmanager
def ignore_sigint() -> Iterator[None]:
    """Makes processes started inside the block ignore Ctrl-C, so that their parent can end them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _other_rank(rank: int, run: Callable[..., object], arguments: tuple) -> None:
    os.environ["RANK"] = os.environ["LOCAL_RANK"] = str(rank)
    exit_with_first_rank()
    try:
        run(*arguments)
    except (RuntimeError, ValueError, OSError, MemoryError) as error:
        first_line = in_words(error).partition("\n")[0].rstrip(".") or type(error).__name__
        sys.exit(f"azlearn: process {rank} of the run has stopped ({first_line}).")


def exit_with_first_rank() -> None:
    """Ends this process as soon as the process that started it ends.

    An orphan must not play on, and above all must not write into a run that others have resumed.
    """

    _exit_after(multiprocessing.parent_process().join)


def _end_with_the_agent() -> None:
    """Ends this process, which torchrun's agent started, as soon as the agent exits."""
    agent = os.getppid()

    def until_it_is_gone() -> None:
        while os.getppid() == agent:
            time.sleep(0.2)

    _exit_after(until_it_is_gone)


def _exit_after(wait: Callable[[], object]) -> None:
    def watch() -> None:
        wait()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
