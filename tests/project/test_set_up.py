"""`make lab` up to what it downloads: which Python, whose settings, which folder."""

import ast
import os
import platform
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHECK = ROOT / "tools" / "check_python.py"

LINUX = {"system": "Linux", "machine": "x86_64", "libc_ver": ("glibc", "2.36")}
MAC = {"system": "Darwin", "machine": "arm64", "mac_ver": ("14.5", ("", "", ""), "arm64")}


def problem(
    monkeypatch, version=(3, 12, 1), bits=64, implementation="CPython", keep=False, **machine
):
    """What is said of a Python of that version on such a machine."""
    monkeypatch.setattr(sys, "version_info", version)
    monkeypatch.setattr(sys, "maxsize", 2 ** (bits - 1) - 1)
    answers = {
        "python_implementation": implementation,
        "python_version": ".".join(map(str, version)),
    }
    for name, answer in ({**LINUX, **answers} | machine).items():
        monkeypatch.setattr(platform, name, lambda answer=answer: answer)
    return runpy.run_path(str(CHECK))["problem"](keep)


@pytest.mark.parametrize("version", [(3, 10, 0), (3, 11, 2), (3, 14, 9)])
@pytest.mark.parametrize("machine", [LINUX, LINUX | {"machine": "aarch64"}, MAC])
def test_these_pythons_can_make_the_environment(monkeypatch, version, machine):
    assert problem(monkeypatch, version, **machine) == ""


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"version": (3, 9, 18)}, "azlearn needs Python 3.10 to 3.14, but this is 3.9.18. Choose"),
        ({"implementation": "PyPy"}, "standard CPython, not PyPy"),
        ({"bits": 32}, "no build for a 32-bit Python"),
        ({"system": "Windows", "machine": "AMD64"}, "wsl --install"),
        ({"libc_ver": ("musl", "1.2.5")}, "such as Alpine"),
        ({"libc_ver": ("glibc", "2.17")}, "needs glibc 2.28 or newer, but this machine has 2.17"),
        ({"system": "FreeBSD", "machine": "amd64"}, "no build for FreeBSD on amd64"),
        (MAC | {"machine": "x86_64"}, "no longer has builds for Intel Macs"),
        (MAC | {"mac_ver": ("13.7.1", (), "")}, "macOS 14 or newer, but this machine has 13.7.1"),
    ],
)
def test_others_are_told_why_and_what_to_do_in_one_line(monkeypatch, given, said):
    found = problem(monkeypatch, **given)
    assert said in found
    assert "\n" not in found
    assert "make lab PYTHON=" in found or re.search(r"\b([Uu]se|update|run)\b", found)


def test_pytorch_can_be_kept_only_where_there_is_one(monkeypatch):
    told = "TORCH=keep uses the PyTorch of this Python, but this Python has none"
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    where = {"/usr": "", "/env": told, "/env-of-mine": ""}
    for prefix, said in where.items():
        monkeypatch.setattr(sys, "prefix", prefix)
        place = SimpleNamespace(origin="/env/site-packages/torch/__init__.py")
        monkeypatch.setattr("importlib.util.find_spec", lambda name, place=place: place)
        # Whatever the machine: its owner has built it.
        assert problem(monkeypatch, keep=True, machine="riscv64")[: len(told)] == said
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert problem(monkeypatch, keep=True).startswith(told)


def test_the_check_can_be_read_by_pythons_that_it_refuses():
    ast.parse(CHECK.read_text(encoding="ascii"), feature_version=(3, 4))


def test_the_range_of_pythons_is_the_same_wherever_it_is_told():
    (first, (major, stop)) = runpy.run_path(str(CHECK))["python_range"]()
    told = "Python " + ".".join(map(str, first)) + f" to {major}.{stop - 1}"
    for page in ("README.md", "docs/teaching.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        assert re.findall(r"Python 3\.\d+ (?:to 3\.\d+|or newer)", text) == [told], page


# pip: from where is the reader's affair, into where and how is not.


def pip_environment(tmp_path, settings: str, **given: str) -> dict[str, str]:
    """What pip is given where ``settings`` are the reader's pip.conf."""
    (tmp_path / "pip").mkdir()
    (tmp_path / "pip" / "pip.conf").write_text(settings)
    bare = {k: v for k, v in os.environ.items() if not k.startswith("PIP_")}
    environment = runpy.run_path(str(ROOT / "tools" / "pip_install.py"))["environment"]
    return environment(bare | {"XDG_CONFIG_HOME": str(tmp_path)} | given)


def test_pip_keeps_where_packages_come_from_and_nothing_else(tmp_path):
    found = pip_environment(
        tmp_path,
        "[global]\nindex-url = https://a.example/simple\nproxy = http://c'd:1\ntarget = /x\n"
        "constraint = /y\n[install]\nuser = true\nno-binary = :all:\nrequire-hashes = true\n"
        "extra-index-url =\n    https://e.example\n    https://f.example\n",
        PIP_TARGET="/t", PIP_PREFIX="/p", PIP_NO_DEPS="1", PIP_PYTHON="python2", PIP_PROXY="",
        PIP_USER="1", PIP_CERT="/my certificates.pem", PIP_INDEX_URL="https://b.example/simple",
    )  # fmt: skip
    found = {name: value for name, value in found.items() if name.startswith("PIP_")}
    assert found.pop("PIP_CONFIG_FILE") == os.devnull
    assert found.pop("PIP_INDEX_URL") == "https://b.example/simple"
    assert found.pop("PIP_EXTRA_INDEX_URL").split() == ["https://e.example", "https://f.example"]
    assert found.pop("PIP_PROXY") == "http://c'd:1"
    assert found.pop("PIP_CERT") == "/my certificates.pem"
    assert found.keys() <= {"PIP_FIND_LINKS", "PIP_TRUSTED_HOST", "PIP_DEFAULT_TIMEOUT"}  # /etc


# make, with a Python that only writes down how it is called.

RECORDER = """#!/bin/sh
{ printf '%s|' "$0" "$PWD" "$@"; echo; env | grep -E '^(PYTHON|JUPYTER)' | sort; echo; } >> "$CALLS"
case "$*" in *"-m venv"*) mkdir -p .venv/bin && cp "$0" .venv/bin/python;; esac
"""


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """(folder with what make reads, a function that runs make there and returns the calls)."""
    folder = tmp_path / 'Jörg\'s "course" $HOME' / "az learn"
    folder.mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "tools", folder / "tools")
    recorder, calls = tmp_path / 'my "python" d\'or', tmp_path / "calls"
    for program in (recorder, tmp_path / "dot"):
        program.write_text(RECORDER)
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("CALLS", str(calls))
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "PYTHONNOUSERSITE", "TORCH"):
        monkeypatch.delenv(name, raising=False)  # of the make that runs the tests

    def make(*arguments: str) -> list[str]:
        command = ["make", *arguments, f"PYTHON={recorder}"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return calls.read_text(encoding="utf-8").split("\n\n")

    return folder, make


LEAKS = (
    "PYTHONPATH", "PYTHONHOME", "PYTHONSAFEPATH", "PYTHONOPTIMIZE", "PYTHONINSPECT",
    "PYTHONWARNINGS", "JUPYTER_PATH", "JUPYTERLAB_DIR",
)  # fmt: skip


@pytest.mark.parametrize("options", [[], ["TORCH=keep"]])
def test_make_works_in_any_folder_and_settings_of_your_own_python_reach_no_recipe(
    clone, monkeypatch, options
):
    folder, make = clone
    for name in LEAKS:
        monkeypatch.setenv(name, "/mine")
    calls = [call for call in make("lab", *options) if call]
    programs = [Path(call.split("|")[0]).name for call in calls]
    assert programs[:3] == ['my "python" d\'or'] * 3  # is it a good one, has it ensurepip, venv
    assert set(programs[3:]) == {"python"}
    assert all(call.split("|")[1] == str(folder) for call in calls)
    lab = next(call for call in calls if "|jupyterlab|" in call)
    assert f"|--ServerApp.root_dir={folder}|" in lab
    assert any("tools/pip_install.py" in call for call in calls)
    assert not [call for call in calls if call.split("|")[2:4] == ["-m", "pip"]]
    assert not [(name, call) for call in calls for name in LEAKS if f"\n{name}=" in call]
    # Your own packages may hold the PyTorch that is to be kept.
    assert all(("\nPYTHONNOUSERSITE=1" in call) is not bool(options) for call in calls)


def test_a_python_that_is_not_there_is_one_sentence(clone):
    folder, _ = clone
    command = ["make", "install", "PYTHON=no such python"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "no such python does not start. Choose another Python" in done.stderr
    assert not (folder / ".venv").exists()
