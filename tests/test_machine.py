"""What the machine has, as containers, control groups and a JupyterHub say it."""

import os

import pytest

from azlearn import machine
from azlearn.learning import launch

GIB = 2**30
V1 = "4:cpu,cpuacct:/q\n3:memory:/q\n2:cpuset:/\n1:name=systemd:/q\n0::/"


@pytest.fixture
def host(monkeypatch, tmp_path):
    """A machine of 64 cores and 256 GiB, whose /proc and /sys are files of the test."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(64)), raising=False)
    pages = {"SC_PHYS_PAGES": 256 * GIB // 4096, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", pages.__getitem__)
    monkeypatch.setattr(machine, "_ROOT", tmp_path)
    for name in ("CPU_LIMIT", "MEM_LIMIT"):
        monkeypatch.delenv(name, raising=False)

    def write(groups: str, files: dict[str, object]) -> None:
        for name, text in {"proc/self/cgroup": groups, **files}.items():
            path = tmp_path / (name if name.startswith("proc") else f"sys/fs/cgroup/{name}")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}\n")

    return write


@pytest.mark.parametrize(
    ("groups", "files", "cores", "gib"),
    [
        pytest.param(
            "0::/", {"cpu.max": "250000 100000", "memory.max": 3 * GIB}, 2, 3, id="a container"
        ),
        pytest.param("0::/a", {"a/cpu.max": "max 100000", "a/memory.max": "max"}, 64, 256,
                     id="no limits"),
        pytest.param(
            "0::/a/b",
            {"a/cpu.max": "400000 100000", "a/memory.high": 4 * GIB, "a/b/cpu.max": "8 1"},
            4, 4, id="the outer one is tighter",
        ),
        pytest.param(
            V1,
            {"cpu/q/cpu.cfs_quota_us": 100_000, "cpu/q/cpu.cfs_period_us": 100_000,
             "memory/q/memory.limit_in_bytes": 2 * GIB},
            1, 2, id="version 1",
        ),
        pytest.param("0::/a", {"a/cpu.max": "", "a/memory.max": "?"}, 64, 256, id="odd content"),
    ],
)  # fmt: skip
def test_the_tightest_limit_counts(host, groups, files, cores, gib):
    host(groups, files)
    assert (machine.num_cores(), machine.memory() / GIB) == (cores, gib)


@pytest.mark.parametrize(
    ("cpu", "memory", "cores", "gib"),
    [
        ("2.9", str(2 * GIB), 2, 2),
        ("0.5", "", 1, 256),
        ("0", "0", 64, 256),  # no limit
        ("500m", "2G", 64, 256),  # another program's
        ("1000", str(2**60), 64, 256),  # more than there is
    ],
)
def test_a_hub_tells_its_limits(host, monkeypatch, cpu, memory, cores, gib):
    monkeypatch.setenv("CPU_LIMIT", cpu)
    monkeypatch.setenv("MEM_LIMIT", memory)
    assert (machine.num_cores(), machine.memory() / GIB) == (cores, gib)


def test_where_nothing_is_known_of_affinity_or_memory(host, monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    monkeypatch.setattr(os, "sysconf_names", {})
    assert (machine.num_cores(), machine.memory()) == (1, None)
    assert launch.num_processes() == 1


def test_as_many_processes_as_the_memory_has_room_for(host, monkeypatch):
    monkeypatch.setenv("CPU_LIMIT", "8")
    for memory, processes in (("16e9", 8), ("1.5e9", 3)):
        monkeypatch.setenv("MEM_LIMIT", memory)
        assert launch.default_ranks("cpu") == launch.num_processes() == processes
    assert launch.default_ranks("cuda") == 1
