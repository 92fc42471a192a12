"""The doctor says the truth about machines that lack something, and gives the remedy."""

import os
import re
import shutil
import sys
from types import SimpleNamespace

import pytest
import torch
from packaging.requirements import Requirement

from azlearn.course import doctor as module
from azlearn.course.doctor import NOTE, OK, PROBLEM, Finding, Report, doctor, package_problem
from azlearn.games import solver
from azlearn.learning import hardware
from azlearn.viz import Explorer

SUBJECTS = [
    "Python", "packages", "graphviz dot", "solver", "GNU Go", "widgets", "CPU", "bf16", "GPU",
    "disk", "progress",
]  # fmt: skip


def finding(subject: str) -> Finding:
    return module._run(subject, module._PROBES[subject])


def test_a_line_for_each_thing_the_course_needs_and_no_path_of_this_machine():
    report = doctor()
    assert [f.subject for f in report.findings] == SUBJECTS
    assert len(str(report).splitlines()) == len(SUBJECTS) + 1
    assert report.exit_code == 0, str(report)
    for path in (os.getcwd(), sys.prefix):
        assert path not in str(report)


def test_a_problem_is_exit_code_1_and_a_note_is_not():
    notes = Report((Finding("a", OK, "x"), Finding("b", NOTE, "y", "Do z.")))
    assert (notes.exit_code, notes.verdict) == (0, "Everything the course needs is here.")
    broken = Report((*notes.findings, Finding("c", PROBLEM, "1 < 2", "Get it.")))
    assert (broken.exit_code, broken.verdict) == (1, "1 problem to solve before you start.")
    assert str(broken).splitlines()[2] == "✗ c  problem  1 < 2 Get it."
    for words in ("✗ problem", "1 &lt; 2", "Get it."):
        assert words in broken._repr_html_()


@pytest.mark.parametrize(
    ("requirement", "said"),
    [
        ("numpy>=1.0", ""),
        ("numpy>=99", f"numpy must be >=99, not {module._version('numpy')}"),
        ("no-such-package-here>=1", "no-such-package-here is missing"),
        ("torch>=2.0", ""),  # 2.13.0+cpu: the local part of a version must not put it outside
    ],
)
def test_packages_are_held_against_their_ranges(requirement, said):
    assert package_problem(Requirement(requirement)) == said


def test_a_package_that_cannot_be_imported_is_named(monkeypatch, tmp_path):
    """Such as an older version that PYTHONPATH puts in front."""
    (tmp_path / "sgfmill.py").write_text("raise TypeError('type List is no use')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "sgfmill", raising=False)
    monkeypatch.setenv("PYTHONPATH", "/mine")
    found = finding("packages")
    said = "sgfmill cannot be imported (TypeError: type List is no use)."
    assert (found.status, found.text) == (PROBLEM, said)
    assert found.remedy == "PYTHONPATH may be the cause: unset PYTHONPATH"


def test_without_other_programs_the_course_goes_on(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None)
    monkeypatch.setitem(sys.modules, "bitbully", None)
    solver._bitbully.cache_clear()
    for subject, remedy in {
        "graphviz dot": "apt-get install graphviz",
        "GNU Go": "apt-get install gnugo",
        "solver": "pip install bitbully",
    }.items():
        found = finding(subject)
        assert (found.status, remedy in found.remedy) == (NOTE, True)
    assert hasattr(Explorer, re.search(r"explorer\.(\w+)", finding("graphviz dot").text)[1])


@pytest.mark.parametrize(
    ("said", "status", "text"),
    [
        ("GNU Go 3.8\nCopyright 1999", OK, "version 3.8, in /usr/games"),
        ("error while loading shared libraries", NOTE, "installed, but it does not start"),
    ],
)
def test_programs_say_their_version_and_where_they_are(monkeypatch, said, status, text):
    def which(name, path=None):
        return "/usr/games/gnugo" if path == "/usr/games" else None

    done = SimpleNamespace(stdout=said, stderr="")
    monkeypatch.setattr(module.shutil, "which", which)
    monkeypatch.setattr(module.subprocess, "run", lambda *args, **kwargs: done)
    found = finding("GNU Go")
    assert (found.status, found.text.split(";")[0]) == (status, text)


def test_widgets_without_their_lab_extension_are_a_problem(monkeypatch, tmp_path):
    monkeypatch.setattr("jupyter_core.paths.jupyter_path", lambda *parts: [str(tmp_path)])
    found = finding("widgets")
    assert found.status == PROBLEM
    assert "anywidget and jupyterlab_widgets" in found.text


def test_a_gpu_is_named_with_its_memory(monkeypatch):
    card = SimpleNamespace(name="Some GPU", total_memory=24 * 2**30)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda index: card)
    monkeypatch.setattr(hardware, "why_no_kernels", lambda: "")
    both = "Some GPU, 24 GiB; networks and searches can run on it"
    assert finding("GPU") == Finding("GPU", OK, both)
    monkeypatch.setattr(hardware, "why_no_kernels", lambda: "numba-cuda is missing.")
    without = "numba-cuda is missing. Networks train on the GPU, searches run on the CPU."
    assert finding("GPU") == Finding("GPU", NOTE, f"Some GPU, 24 GiB. {without}")


def test_without_cuda_another_gpu_or_the_driver_beside_a_cpu_build_is_told(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    monkeypatch.setattr(torch.version, "cuda", None)
    monkeypatch.setattr(torch.version, "hip", None, raising=False)
    monkeypatch.setattr(module.shutil, "which", lambda name: "/usr/bin/nvidia-smi")
    found = module._gpu()
    assert (found.status, "TORCH=keep" in found.remedy) == (NOTE, True)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    found = module._gpu()
    assert found.status == OK
    assert found.text.startswith("an Apple GPU: azlearn train --device mps ")


@pytest.mark.parametrize(
    ("free", "memory", "disk", "cpu"),
    [(0.1, 1.4, PROBLEM, NOTE), (1, 64, NOTE, OK), (50, None, OK, OK)],
)
def test_room_on_the_disk_and_in_memory(monkeypatch, free, memory, disk, cpu):
    usage = SimpleNamespace(free=free * 2**30)
    monkeypatch.setattr(module.shutil, "disk_usage", lambda path: usage)
    monkeypatch.setattr(module, "num_cores", lambda: 2)
    monkeypatch.setattr(module, "memory", lambda: memory and int(memory * 2**30))
    found, said = module._cpu(), f", {memory} GiB of memory" if memory else ""
    assert (module._disk().status, found.status, found.text) == (disk, cpu, f"2 cores{said}")


def test_a_progress_file_that_cannot_be_read_or_written_is_a_problem(monkeypatch, tmp_path):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setenv("AZLEARN_PROGRESS", str(tmp_path / "new" / "mine.json"))
    said = "stored in mine.json, on this machine only"
    assert module._progress_file() == Finding("progress", OK, said)
    assert list(tmp_path.iterdir()) == []
    path = tmp_path / "new" / "mine.json"
    for where, name in ((module.tempfile, "TemporaryFile"), (type(path), "read_bytes")):
        with monkeypatch.context() as broken:
            broken.setattr(where, name, refuse)
            found = module._progress_file()
        assert (found.status, "Permission denied" in found.text) == (PROBLEM, True)
        assert "AZLEARN_PROGRESS" in found.remedy
        path.parent.mkdir(exist_ok=True)
        path.write_text("{}")
    monkeypatch.setenv("AZLEARN_PROGRESS", str(tmp_path))
    assert "Is a directory" in module._progress_file().text


def test_a_probe_that_fails_is_a_finding(monkeypatch):
    def fail():
        raise RuntimeError("no such sensor")

    monkeypatch.setitem(module._PROBES, "disk", fail)
    found = finding("disk")
    assert (found.status, "RuntimeError: no such sensor" in found.text) == (PROBLEM, True)
