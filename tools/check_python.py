"""Whether a Python can make .venv: `make` asks before anything is downloaded.

    python tools/check_python.py [keep]

prints a sentence and exits with 1 if it cannot. "keep" (of TORCH=keep) means that PyTorch is there already:
then the platform may be any, but PyTorch must be importable. The range of versions is `requires-python` in
pyproject.toml. Pythons that are far too old run this file as well, so it is written for Python 2.
"""

import os
import platform
import re
import sys
import sysconfig

ANOTHER = (
    "Name another Python, as in make lab PYTHON=python3.12, or let conda bring one: conda env create"
    " -f environment.yml"
)
GLIBC = (2, 28)  # what the wheels of PyTorch and Numba are built for
MACOS = 14


def python_range():
    """((3, 10), (3, 15)): the first version that will do, and the first that will not."""
    pyproject = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "pyproject.toml")
    with open(pyproject, "rb") as file:
        text = file.read().decode("utf-8")
    bounds = re.search(r'^requires-python = ">=(\d+)\.(\d+),<(\d+)\.(\d+)"$', text, re.M)
    first, first_minor, stop, stop_minor = map(int, bounds.groups())
    return (first, first_minor), (stop, stop_minor)


def problem(keeps_torch):
    """Why this Python cannot run the course and what to do, or ""."""
    first, stop = python_range()
    version = platform.python_version()
    if not first <= tuple(sys.version_info[:2]) < stop:
        span = "%d.%d to %d.%d" % (first[0], first[1], stop[0], stop[1] - 1)
        return "azlearn needs Python " + span + ", and this is " + version + ". " + ANOTHER
    if platform.python_implementation() != "CPython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return (
            "azlearn needs the standard CPython, and this Python " + version + " is a free-threaded"
            " build or another implementation, for which packages are missing. " + ANOTHER
        )
    if keeps_torch:
        return (
            ""
            if _has_torch()
            else (
                "TORCH=keep keeps the PyTorch that this Python has, but it has none (PYTHONPATH does not"
                " count). Name the Python that has one with PYTHON, or leave TORCH=keep out."
            )
        )
    return _platform_problem()


def _has_torch():
    import importlib.util

    return importlib.util.find_spec("torch") is not None


def _platform_problem():
    system, machine = platform.system(), platform.machine()
    if system.startswith(("Windows", "CYGWIN", "MINGW", "MSYS")):
        return "On Windows, azlearn runs in WSL: run wsl --install, then clone and make there."
    if sys.maxsize < 2**32:
        return "PyTorch has no build for a Python of 32 bits. " + ANOTHER
    if system == "Darwin":
        return _mac_problem(machine)
    if system != "Linux" or machine not in ("x86_64", "aarch64"):
        return (
            "PyTorch has no build for " + system + " on " + machine + ": use Linux on x86_64 or"
            " aarch64, or a Mac with Apple silicon."
        )
    libc, version = platform.libc_ver()
    if libc != "glibc":
        return (
            "PyTorch has no build for a Linux without glibc, such as Alpine: use Debian, Ubuntu or"
            " Fedora, for example the container image python:3.12"
        )
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < GLIBC:
        return (
            "PyTorch needs glibc %d.%d or newer, and this Linux has " % GLIBC
            + version
            + (": use a newer one.")
        )
    return ""


def _mac_problem(machine):
    if machine != "arm64":
        return (
            "PyTorch has no build for an Intel Mac. On Apple silicon, name an arm64 Python, as in make lab"
            " PYTHON=/opt/homebrew/bin/python3.12; on an Intel Mac, use a Linux machine or container."
        )
    version = platform.mac_ver()[0]
    if int(version.split(".")[0]) < MACOS:
        return "PyTorch needs macOS %d or newer, and this is " % MACOS + version + ": update it."
    return ""


if __name__ == "__main__":
    found = problem("keep" in sys.argv[1:])
    if found:
        sys.exit(found)
