"""How many cores and how much memory this process may use, asked of everything that may limit it.

A container or a JupyterHub shows all cores and all memory of the host; its limits are elsewhere.
"""

import os
from collections.abc import Iterator
from math import isfinite
from pathlib import Path

_ROOT = Path("/")  # where /proc and /sys are looked up
_CPU_LIMIT, _MEM_LIMIT = "CPU_LIMIT", "MEM_LIMIT"  # JupyterHub's: cores, bytes


def num_cores() -> int:
    """Whole cores that this process may use, at least 1.

    The least of its affinity, the CPU quota of its control groups and JupyterHub's ``CPU_LIMIT``.
    Half a core more is no core: a quota of 2.5 is 2.
    """
    affinity = getattr(os, "sched_getaffinity", None)
    known = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, int(min([known, *_told(_CPU_LIMIT), *_quotas()])))


def memory() -> int | None:
    """Bytes of memory that this process may use; None on systems that do not say.

    The least of the machine's memory, the limits of its control groups and JupyterHub's
    ``MEM_LIMIT``.
    """
    limits = [*_told(_MEM_LIMIT), *_memory_limits()]
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return int(min(limits)) if limits else None


def _told(name: str) -> list[float]:
    """The limit that a variable of the environment sets, if it is a number above 0."""
    try:
        limit = float(os.environ.get(name, ""))
    except ValueError:
        return []
    return [limit] if limit > 0 and isfinite(limit) else []


def _quotas() -> Iterator[float]:
    """CPU quotas, in cores."""
    for folder in _groups("cpu"):
        quota, period = (*_numbers(folder / "cpu.max"), 0, 0)[:2]  # version 2: "max" is no number
        if not period:
            quota, period = (
                (*_numbers(folder / f"cpu.cfs_{name}_us"), 0)[0] for name in ("quota", "period")
            )
        if quota > 0 and period > 0:
            yield quota / period


def _memory_limits() -> Iterator[int]:
    for folder in _groups("memory"):
        for name in ("memory.max", "memory.high", "memory.limit_in_bytes"):
            yield from (limit for limit in _numbers(folder / name) if limit > 0)


def _numbers(path: Path) -> tuple[int, ...]:
    """Those in a file of the kernel; none where it is missing, or says that there is no limit."""
    try:
        return tuple(map(int, path.read_text().split()))
    except (OSError, ValueError):
        return ()


def _groups(controller: str) -> Iterator[Path]:
    """The folders of this process's control groups, of version 1 and 2, from the outermost on.

    Limits of the outer ones hold as well. A container sees its own group as the outermost one.
    """
    try:
        lines = (_ROOT / "proc/self/cgroup").read_text().splitlines()
    except (OSError, UnicodeError):  # no Linux
        return
    for line in lines:
        _, names, group = line.split(":", 2)
        folder = _ROOT / "sys/fs/cgroup"
        if names and controller not in names.split(","):
            continue
        if names:  # version 1 has a tree for each controller
            folder /= controller
        yield folder
        for name in group.strip("/").split("/"):
            folder /= name
            yield folder
