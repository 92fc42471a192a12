"""Checks whether a Python can be used for .venv; `make` runs it before it downloads anything.

    python tools/check_python.py [keep]

If it cannot, this prints one sentence and exits with 1. With `keep` (from TORCH=keep) PyTorch must
already be installed, and the platform is not checked. The range of versions is `requires-python` in
pyproject.toml. This file also runs on Pythons that are far too old, so it is written for Python 2.
"""

import os
import platform
import re
import sys
import sysconfig

ANOTHER = (
    "Choose another Python, as in make lab PYTHON=python3.12, or install one with conda:"
    " conda env create -f environment.yml"
)
# The oldest systems that PyTorch and Numba are built for.
GLIBC = (2, 28)
MACOS = (14,)


def python_range():
    """((3, 10), (3, 15)): the first supported version, and the first unsupported one after it."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "..", "pyproject.toml"), "rb") as file:
        text = file.read().decode("utf-8")
    bounds = re.search('^requires-python = ">=([0-9.]+),<([0-9.]+)"$', text, re.M)
    return _numbers(bounds.group(1)), _numbers(bounds.group(2))


def problem(keeps_torch):
    """Why this Python cannot run the course, and what to do; "" if it can."""
    first, stop = python_range()
    this = platform.python_version()
    if not first <= tuple(sys.version_info[:2]) < stop:
        last = (stop[0], stop[1] - 1)
        wanted = _dotted(first) + " to " + _dotted(last)
        return "azlearn needs Python " + wanted + ", but this is " + this + ". " + ANOTHER
    if platform.python_implementation() != "CPython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "azlearn needs standard CPython, not PyPy or a free-threaded build. " + ANOTHER
    if not keeps_torch:
        return _platform_problem(platform.system(), platform.machine())
    if _has_torch():
        return ""
    return (
        "TORCH=keep uses the PyTorch of this Python, but this Python has none (packages from"
        " PYTHONPATH or a virtual environment do not count). Choose a Python that has PyTorch with"
        " PYTHON=..., or leave out TORCH=keep."
    )


def _platform_problem(system, machine):
    if system.startswith(("Windows", "CYGWIN", "MINGW", "MSYS")):
        return "On Windows, make works only in WSL: run wsl --install, then clone and make there."
    if sys.maxsize < 2**32:
        return "PyTorch has no build for a 32-bit Python. " + ANOTHER
    if system == "Darwin" and machine != "arm64":
        return (
            "PyTorch no longer has builds for Intel Macs: use a Linux machine. If your Mac has"
            " Apple silicon, this Python runs in Rosetta: choose one for arm64, as in make lab"
            " PYTHON=/opt/homebrew/bin/python3.12"
        )
    if system == "Darwin":
        return _age_problem("macOS", platform.mac_ver()[0], MACOS)
    if system != "Linux" or machine not in ("x86_64", "aarch64"):
        return (
            "PyTorch has no build for " + system + " on " + machine + ": use Linux on x86_64 or"
            " aarch64, or a Mac with Apple silicon."
        )
    libc, version = platform.libc_ver()
    if libc != "glibc":
        return (
            "PyTorch has no build for Linux without glibc, such as Alpine. Use another"
            " distribution, such as Debian, Ubuntu or Fedora."
        )
    return _age_problem("glibc", version, GLIBC)


def _age_problem(what, version, oldest):
    if _numbers(version)[: len(oldest)] >= oldest:
        return ""
    needs = "PyTorch needs " + what + " " + _dotted(oldest) + " or newer"
    return needs + ", but this machine has " + version + ". Update it, or use another machine."


def _has_torch():
    from importlib.util import find_spec

    found = find_spec("torch")
    # A .venv made inside a virtual environment sees the packages of the underlying Python.
    in_environment = sys.prefix != sys.base_prefix
    return bool(found) and not (in_environment and found.origin.startswith(sys.prefix + os.sep))


def _numbers(version):
    return tuple(map(int, version.split(".")))


def _dotted(numbers):
    return ".".join(map(str, numbers))


if __name__ == "__main__":
    sys.exit(problem("keep" in sys.argv[1:]) or 0)
