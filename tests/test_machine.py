"""What the machine has, as containers, control groups and a JupyterHub say it."""

import os

import pytest

from azlearn import machine
from azlearn.learning import launch

GIB = 2**30
UNLIMITED = 9223372036854771712  # as version 1 writes it
V1 = """\
33 32 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct
34 32 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
35 32 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset
"""
V2 = "30 29 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
HYBRID = V1 + "36 32 0:32 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
BOTH = "4:cpu,cpuacct:{0}\n3:memory:{0}\n2:cpuset:/\n1:name=systemd:{0}\n"


@pytest.fixture
def host(monkeypatch, tmp_path):
    """A machine of 64 cores and 256 GiB, whose /proc and /sys are files of the test."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(64)), raising=False)
    pages = {"SC_PHYS_PAGES": 256 * GIB // 4096, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", pages.__getitem__)
    monkeypatch.setattr(machine, "_ROOT", tmp_path)
    for name in ("CPU_LIMIT", "MEM_LIMIT"):
        monkeypatch.delenv(name, raising=False)

    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    return write


def proc(groups: str, mounts: str) -> dict[str, str]:
    return {"proc/self/cgroup": groups, "proc/self/mountinfo": mounts}


def v1(folder: str, quota: int, limit: int, period: int = 100_000) -> dict[str, str]:
    cpu, memory = f"sys/fs/cgroup/cpu,cpuacct{folder}", f"sys/fs/cgroup/memory{folder}"
    return {
        f"{cpu}/cpu.cfs_quota_us": f"{quota}\n",
        f"{cpu}/cpu.cfs_period_us": f"{period}\n",
        f"{memory}/memory.limit_in_bytes": f"{limit}\n",
    }


def v2(folder: str, cpu: str, memory: str) -> dict[str, str]:
    at = f"sys/fs/cgroup{folder}"
    return {f"{at}/cpu.max": f"{cpu}\n", f"{at}/memory.max": f"{memory}\n"}


@pytest.mark.parametrize(
    ("files", "cores", "gib"),
    [
        pytest.param({}, 64, 256, id="nothing says more"),
        pytest.param(
            proc("0::/\n", V2) | v2("", "200000 100000", str(3 * GIB)), 2, 3, id="a container"
        ),
        pytest.param(
            proc("0::/a/b\n", V2) | v2("/a/b", "max 100000", "max"), 64, 256, id="no limits"
        ),
        pytest.param(
            proc("0::/a/b\n", V2)
            | v2("/a", "400000 100000", str(4 * GIB))
            | v2("/a/b", "800000 100000", "max"),
            4, 4, id="the outer one is tighter",
        ),
        pytest.param(
            proc("0::/a\n", V2) | v2("/a", "50000 100000", "max"), 1, 256, id="half a core is one"
        ),
        pytest.param(
            proc("0::/a\n", V2) | v2("/a", "25000 10000", "max"), 2, 256, id="2.5 cores are two"
        ),
        pytest.param(
            proc("0::/a\n", V2) | {"sys/fs/cgroup/a/memory.high": str(5 * GIB)}, 64, 5,
            id="throttled memory",
        ),
        pytest.param(
            proc("0::/../other\n", V2) | v2("", "300000 100000", "max"), 3, 256,
            id="a group beside the mount",
        ),
        pytest.param(
            proc(BOTH.format("/q"), V1) | v1("/q", 100_000, 1_500_000_000), 1,
            1_500_000_000 / GIB, id="version 1",
        ),
        pytest.param(
            proc(BOTH.format("/q"), V1) | v1("/q", -1, UNLIMITED), 64, 256, id="v1 without limits"
        ),
        pytest.param(
            proc(BOTH.format("/docker/x"), V1.replace(" / ", " /docker/x "))
            | v1("", 600_000, 6 * GIB, 200_000),
            3, 6, id="v1 in a container that sees the host's names",
        ),
        pytest.param(
            proc(BOTH.format("/q") + "0::/q\n", HYBRID) | v1("/q", 500_000, 7 * GIB), 5, 7,
            id="both versions",
        ),
        pytest.param(
            proc("0::/my group\n", V2.replace("/sys/fs/cgroup ", "/sys/fs/c\\040g "))
            | {"sys/fs/c g/my group/cpu.max": "100000 100000"},
            1, 256, id="blanks",
        ),
        pytest.param(proc("0::/a\n", V2) | v2("/a", "", "?"), 64, 256, id="odd content"),
    ],
)  # fmt: skip
def test_the_tightest_limit_counts(host, files, cores, gib):
    host(files)
    assert (machine.num_cores(), machine.memory() / GIB) == (cores, gib)


@pytest.mark.parametrize(
    ("cpu", "memory", "cores", "gib"),
    [
        ("4", str(2 * GIB), 4, 2),
        ("0.5", "1.0e9", 1, 1e9 / GIB),
        ("2.9", "", 2, 256),
        ("0", "0", 64, 256),  # no limit
        ("500m", "2G", 64, 256),  # another program's
        ("nan", "inf", 64, 256),
        ("1000", str(2**60), 64, 256),  # more than there is
    ],
)
def test_a_hub_tells_its_limits(host, monkeypatch, cpu, memory, cores, gib):
    monkeypatch.setenv("CPU_LIMIT", cpu)
    monkeypatch.setenv("MEM_LIMIT", memory)
    assert machine.num_cores() == cores
    assert machine.memory() / GIB == pytest.approx(gib, abs=1e-9)


def test_where_nothing_is_known_of_affinity_or_memory(host, monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    monkeypatch.setattr(os, "sysconf_names", {})
    assert (machine.num_cores(), machine.memory()) == (1, None)
    assert launch.num_processes() == 1


@pytest.mark.parametrize(
    ("cores", "memory", "processes"),
    [("8", 16e9, 8), ("8", 1.5e9, 3), ("8", 1e8, 1), ("1", 1.5e9, 1)],
)
def test_as_many_processes_as_the_memory_has_room_for(host, monkeypatch, cores, memory, processes):
    monkeypatch.setenv("CPU_LIMIT", cores)
    monkeypatch.setenv("MEM_LIMIT", str(memory))
    assert launch.default_ranks("cpu") == launch.num_processes() == processes
    assert launch.default_ranks("cuda") == 1
