"""How many cores and how much memory this process may use.

A container or a JupyterHub shows all cores and all memory of the host, so the limits that it sets
have to be looked up as well.
"""

import os
from collections.abc import Iterator
from math import isfinite
from pathlib import Path

_ROOT = Path("/")  # where /proc and /sys are looked up
_CPU_LIMIT, _MEM_LIMIT = "CPU_LIMIT", "MEM_LIMIT"  # JupyterHub's: cores, bytes


def num_cores() -> int:
    """The number of whole cores that this process may use, at least 1.

    This is the minimum of its CPU affinity, the CPU quota of its control groups and JupyterHub's
    ``CPU_LIMIT``, rounded down: a quota of 2.5 gives 2.
    """
    affinity = getattr(os, "sched_getaffinity", None)
    known = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, int(min([known, *_env_limit(_CPU_LIMIT), *_quotas()])))


def memory() -> int | None:
    """The bytes of memory that this process may use; None if the system does not report them.

    This is the minimum of the machine's memory, the limits of its control groups and JupyterHub's
    ``MEM_LIMIT``.
    """
    limits = [*_env_limit(_MEM_LIMIT), *_memory_limits()]
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return int(min(limits)) if limits else None


def _env_limit(name: str) -> list[float]:
    """The limit set by an environment variable, if that is a number above 0."""
    try:
        limit = float(os.environ.get(name, ""))
    except ValueError:
        return []
    return [limit] if limit > 0 and isfinite(limit) else []


def _quotas() -> Iterator[float]:
    """CPU quotas, in cores."""
    for folder in _groups("cpu"):
        # In version 2 a missing limit is the word "max".
        quota, period = (*_numbers(folder / "cpu.max"), 0, 0)[:2]
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
    """The numbers in a kernel file; none if it is missing or says that there is no limit."""
    try:
        return tuple(map(int, path.read_text().split()))
    except (OSError, ValueError):
        return ()


def _groups(controller: str) -> Iterator[Path]:
    """The folders of this process's control groups, version 1 and 2, starting with the outermost.

    The limits of outer groups apply too. A container sees its own group as the outermost one.
    """
    try:
        lines = (_ROOT / "proc/self/cgroup").read_text().splitlines()
    except (OSError, UnicodeError):  # not Linux
        return
    for line in lines:
        _, names, group = line.split(":", 2)
        folder = _ROOT / "sys/fs/cgroup"
        if names and controller not in names.split(","):
            continue
        if names:  # version 1 has a separate tree for each controller
            folder /= controller
        yield folder
        for name in group.strip("/").split("/"):
            folder /= name
            yield folder
