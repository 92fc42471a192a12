"""What the machine has, as containers, control groups and a JupyterHub say it."""

import os

import pytest

from azlearn import machine
from azlearn.learning import launch

GIB = 2**30
UNLIMITED = 9223372036854771712  # as version 1 writes it
V1 = "4:cpu,cpuacct:{0}\n3:memory:{0}\n2:cpuset:/\n1:name=systemd:{0}\n0::/"


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


def v1(folder: str, quota: int, limit: int) -> dict[str, object]:
    return {
        f"cpu{folder}/cpu.cfs_quota_us": quota,
        f"cpu{folder}/cpu.cfs_period_us": 100_000,
        f"memory{folder}/memory.limit_in_bytes": limit,
    }


@pytest.mark.parametrize(
    ("groups", "files", "cores", "gib"),
    [
        pytest.param(
            "0::/", {"cpu.max": "250000 100000", "memory.max": 3 * GIB}, 2, 3, id="a container"
        ),
        pytest.param("0::/", {"cpu.max": "50000 100000"}, 1, 256, id="half a core is one"),
        pytest.param("0::/a", {"a/cpu.max": "max 100000", "a/memory.max": "max"}, 64, 256,
                     id="no limits"),
        pytest.param(
            "0::/a/b",
            {"a/cpu.max": "400000 100000", "a/memory.high": 4 * GIB, "a/b/cpu.max": "8 1"},
            4, 4, id="the outer one is tighter",
        ),
        pytest.param("0::/not/seen", {"cpu.max": "300000 100000"}, 3, 256,
                     id="a container that sees the host's names"),
        pytest.param(V1.format("/q"), v1("/q", 100_000, 2 * GIB), 1, 2, id="version 1"),
        pytest.param(V1.format("/q"), v1("/q", -1, UNLIMITED), 64, 256, id="v1 without limits"),
        pytest.param(V1.format("/docker/x"), v1("", 300_000, 6 * GIB), 3, 6, id="v1, a container"),
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
        ("nan", "inf", 64, 256),
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


@pytest.mark.parametrize(("cores", "memory", "processes"), [("8", 16e9, 8), ("8", 1.5e9, 3)])
def test_as_many_processes_as_the_memory_has_room_for(host, monkeypatch, cores, memory, processes):
    monkeypatch.setenv("CPU_LIMIT", cores)
    monkeypatch.setenv("MEM_LIMIT", str(memory))
    assert launch.default_ranks("cpu") == launch.num_processes() == processes
    assert launch.default_ranks("cuda") == 1
