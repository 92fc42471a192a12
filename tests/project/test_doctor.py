"""The doctor says the truth about machines that lack something, and gives the remedy."""

import importlib
import os
import shutil
import sys
from types import SimpleNamespace

import pytest
import torch
from azlearn.origins import imported
from packaging.requirements import Requirement

from azlearn.course import doctor as module
from azlearn.course.doctor import NOTE, OK, PROBLEM, Finding, Report, doctor, package_problem
from azlearn.games import solver
from azlearn.learning import hardware

main = importlib.import_module("azlearn.cli.main")  # the function hides the module


def finding(subject: str) -> Finding:
    return module._run(subject, module._PROBES[subject])


def test_a_line_for_each_thing_the_course_needs():
    report = doctor()
    subjects = [f.subject for f in report.findings]
    assert subjects == [
        "Python",
        "packages",
        "graphviz dot",
        "solver",
        "GNU Go",
        "widgets",
        "CPU",
        "bf16",
        "GPU",
        "disk",
        "progress",
    ]
    assert len(str(report).splitlines()) == len(subjects) + 1
    assert report.exit_code == 0, str(report)


def test_no_line_names_a_path_of_this_machine():
    text = str(doctor())
    for path in (os.getcwd(), sys.prefix, os.path.expanduser("~")):
        assert path == "/" or path not in text


def test_a_problem_is_exit_code_1_and_a_note_is_not():
    notes = Report((Finding("a", OK, "x"), Finding("b", NOTE, "y", "Do z.")))
    assert (notes.exit_code, notes.verdict) == (0, "Everything the course needs is here.")
    broken = Report((*notes.findings, Finding("c", PROBLEM, "gone", "Get it.")))
    assert (broken.exit_code, broken.verdict) == (1, "1 problem to solve before you start.")
    assert str(broken).splitlines()[2] == "✗ c  problem  gone Get it."


def test_the_notebook_table_says_status_in_words_and_escapes_text():
    page = Report((Finding("a", PROBLEM, "1 < 2", "Do b."),))._repr_html_()
    assert "✗ problem" in page
    assert "1 &lt; 2" in page
    assert "Do b." in page


@pytest.mark.parametrize(
    ("requirement", "said"),
    [
        ("numpy>=1.0", ""),
        ("numpy>=99", f"numpy {module._version('numpy')} is not in >=99"),
        ("no-such-package-here>=1", "no-such-package-here is missing"),
        ("torch>=2.0", ""),  # 2.13.0+cpu: the local part of a version must not put it outside
    ],
)
def test_packages_are_held_against_their_ranges(requirement, said):
    assert package_problem(Requirement(requirement)) == said


def test_a_missing_package_is_a_problem_with_the_remedy(monkeypatch):
    known = module._version
    monkeypatch.setattr(module, "_version", lambda name: None if name == "numba" else known(name))
    found = finding("packages")
    assert (found.status, found.text) == (PROBLEM, "numba is missing.")
    assert "make install" in found.remedy


@pytest.mark.parametrize(
    ("subject", "remedy"),
    [("graphviz dot", "apt-get install graphviz"), ("GNU Go", "apt-get install gnugo")],
)
def test_without_other_programs_the_course_goes_on(monkeypatch, subject, remedy):
    monkeypatch.setattr(shutil, "which", lambda name, path=None: None)
    found = finding(subject)
    assert (found.status, found.text.split(";")[0]) == (NOTE, "not found")
    assert remedy in found.remedy


@pytest.mark.parametrize(
    ("said", "status", "text"),
    [
        ("GNU Go 3.8\nCopyright 1999", OK, "version 3.8, in /usr/games"),
        ("error while loading shared libraries", NOTE, "there, but it does not start"),
    ],
)
def test_programs_say_their_version_and_where_they_are(monkeypatch, said, status, text):
    def which(name, path=None):
        return "/usr/games/gnugo" if path == "/usr/games" else None

    done = SimpleNamespace(stdout=said, stderr="")
    monkeypatch.setattr(module.shutil, "which", which)
    monkeypatch.setattr(module.subprocess, "run", lambda *args, **kwargs: done)
    found = module._gnugo()
    assert (found.status, found.text.split(";")[0]) == (status, text)


def test_without_the_solver_the_course_goes_on(monkeypatch):
    monkeypatch.setitem(sys.modules, "bitbully", None)
    solver._bitbully.cache_clear()
    found = finding("solver")
    assert (found.status, found.remedy) == (NOTE, "To have it: pip install bitbully")


def test_widgets_without_their_lab_extension_are_a_problem(monkeypatch, tmp_path):
    monkeypatch.setattr("jupyter_core.paths.jupyter_path", lambda *parts: [str(tmp_path)])
    found = finding("widgets")
    assert found.status == PROBLEM
    assert "anywidget and jupyterlab_widgets" in found.text


@pytest.mark.parametrize("version", [(3, 9, 1), (3, 15, 0)])
def test_a_python_outside_the_range_of_the_package_is_a_problem(monkeypatch, version):
    monkeypatch.setattr(sys, "version_info", version)
    monkeypatch.setattr(
        "importlib.metadata.metadata", lambda name: {"Requires-Python": ">=3.10,<3.15"}
    )
    assert module._python().status == PROBLEM
    monkeypatch.setattr(sys, "version_info", (3, 14, 9))
    assert module._python().status == OK


@pytest.mark.parametrize(("single", "half", "status"), [(2.0, 1.0, OK), (1.0, 20.0, NOTE)])
def test_bf16_is_measured(monkeypatch, single, half, status):
    seconds = {torch.float32: single, torch.bfloat16: half}
    monkeypatch.setattr(module, "matmul_seconds", lambda dtype: seconds[dtype])
    found = finding("bf16")
    assert found.status == status
    assert ("2.0 times as fast" if status == OK else "no gain on this CPU") in found.text


def test_a_gpu_is_named_with_its_memory(monkeypatch):
    card = SimpleNamespace(name="Some GPU", total_memory=24 * 2**30)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda index: card)
    monkeypatch.setattr(hardware, "why_no_kernels", lambda: "")
    assert finding("GPU") == Finding("GPU", OK, "Some GPU, 24 GiB; searches run on it, too")
    monkeypatch.setattr(hardware, "why_no_kernels", lambda: "numba-cuda is missing.")
    without = "numba-cuda is missing. Networks train on it, searches run on the CPU."
    assert finding("GPU") == Finding("GPU", NOTE, f"Some GPU, 24 GiB. {without}")


@pytest.mark.parametrize(("device", "kind"), [("mps", "an Apple GPU"), ("xpu", "an Intel GPU")])
def test_another_gpu_is_named_with_its_option(monkeypatch, device, kind):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    backend = {"mps": torch.backends.mps, "xpu": torch.xpu}[device]
    monkeypatch.setattr(backend, "is_available", lambda: True)
    found = module._gpu()
    assert found.status == OK
    assert found.text.startswith(f"{kind}: azlearn train --device {device} ")


def test_a_driver_beside_a_cpu_build_is_told(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    monkeypatch.setattr(torch.version, "cuda", None)
    monkeypatch.setattr(torch.version, "hip", None, raising=False)
    monkeypatch.setattr(module.shutil, "which", lambda name: "/usr/bin/nvidia-smi")
    found = module._gpu()
    assert found.status == NOTE
    assert "TORCH=keep" in found.remedy


@pytest.mark.parametrize(("free", "status"), [(0.1, PROBLEM), (1, NOTE), (50, OK)])
def test_disk_space(monkeypatch, free, status):
    usage = SimpleNamespace(free=free * 2**30)
    monkeypatch.setattr(module.shutil, "disk_usage", lambda path: usage)
    assert module._disk().status == status


def test_a_deleted_folder_is_told(monkeypatch, tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert module._disk().status == PROBLEM
    assert module._disk().text == "this folder has been deleted."


@pytest.mark.parametrize(("cores", "status"), [(1, NOTE), (2, OK)])
def test_a_single_core_is_told(monkeypatch, cores, status):
    monkeypatch.setattr(module, "num_cores", lambda: cores)
    assert module._cpu().status == status


@pytest.mark.parametrize(
    ("memory", "status", "said"),
    [
        (1_500_000_000, NOTE, "2 cores, 1.4 GiB of memory"),
        (64 * 2**30, OK, "2 cores, 64 GiB of memory"),
        (None, OK, "2 cores"),
    ],
)
def test_memory_is_told(monkeypatch, memory, status, said):
    monkeypatch.setattr(module, "num_cores", lambda: 2)
    monkeypatch.setattr(module, "memory", lambda: memory)
    assert (module._cpu().status, module._cpu().text) == (status, said)


def test_a_progress_file_that_cannot_be_written_is_a_problem(monkeypatch, tmp_path):
    def refuse(*, dir):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setenv("AZLEARN_PROGRESS", str(tmp_path / "new" / "mine.json"))
    assert module._progress_file() == Finding(
        "progress", OK, "kept in mine.json, on this machine only"
    )
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(module.tempfile, "TemporaryFile", refuse)
    found = module._progress_file()
    assert found.status == PROBLEM
    assert "Permission denied" in found.text
    assert "AZLEARN_PROGRESS" in found.remedy


def test_a_probe_that_fails_is_a_finding(monkeypatch):
    def fail():
        raise RuntimeError("no such sensor")

    monkeypatch.setitem(module._PROBES, "disk", fail)
    found = finding("disk")
    assert found.status == PROBLEM
    assert "RuntimeError: no such sensor" in found.text


def test_a_package_that_cannot_be_imported_is_named_with_its_folder(monkeypatch, tmp_path):
    """What PYTHONPATH puts in front: one that is broken, one that ends Python, one that is fine."""
    (tmp_path / "nbformat.py").write_text("raise TypeError('type List is no use')")
    (tmp_path / "tyro.py").write_text("import os; os._exit(3)")
    (tmp_path / "graphviz.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert imported(["rich", "tyro"]).broken == {"tyro": "it ends Python"}
    found = imported(["graphviz", "nbformat", "rich"])
    assert found.broken == {"nbformat": "TypeError: type List is no use"}
    assert found.outside == {"nbformat": str(tmp_path), "graphviz": str(tmp_path)}
    monkeypatch.setattr(module, "imported", lambda names: found)
    finding = module._packages()
    assert finding.status == PROBLEM
    assert "nbformat cannot be imported (TypeError: type List is no use)" in finding.text
    names = ", ".join(found.outside)
    assert f"outside of this Python: {names} from {tmp_path}." in finding.text
    assert finding.remedy == "It is in PYTHONPATH: unset PYTHONPATH"


def test_a_broken_package_is_one_sentence_of_a_command(monkeypatch, tmp_path, capsys):
    (tmp_path / "a_package.py").write_text("raise TypeError('type List is no use')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(main._COMMANDS, "progress", lambda: __import__("a_package"))
    assert main.main(["progress"]) == 2
    said = capsys.readouterr().err
    why = "azlearn: a_package cannot be imported (TypeError: type List is no use; outside of this"
    assert said.startswith(why)
    assert f"a_package from {tmp_path})" in said
    assert said.count("\n") == 1
