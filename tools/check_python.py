"""Whether a Python can make .venv: `make` asks this before anything is downloaded.

    python tools/check_python.py [keep]

prints one sentence and exits with 1 if it cannot. With `keep` (of TORCH=keep) PyTorch must be there
already, and the platform is the reader's affair. The range of versions is `requires-python` in
pyproject.toml. Pythons that are far too old run this file, too: it is written for Python 2.
"""

import os
import platform
import re
import sys
import sysconfig

ANOTHER = (
    "Name another Python, as in make lab PYTHON=python3.12, or let conda bring one:"
    " conda env create -f environment.yml"
)
# What PyTorch and Numba are built for.
GLIBC = (2, 28)
MACOS = (14,)


def python_range():
    """((3, 10), (3, 15)): the first version that will do, and the first that will not."""
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
        return "azlearn needs Python " + wanted + ", and this is " + this + ". " + ANOTHER
    if platform.python_implementation() != "CPython" or sysconfig.get_config_var("Py_GIL_DISABLED"):
        return "azlearn needs the usual CPython, not PyPy and no free-threaded build. " + ANOTHER
    if not keeps_torch:
        return _platform_problem(platform.system(), platform.machine())
    if _has_torch():
        return ""
    return (
        "TORCH=keep keeps the PyTorch that this Python has, and it has none (what PYTHONPATH or a"
        " virtual environment adds does not count). Name a Python that has it with PYTHON, or leave"
        " TORCH=keep out."
    )


def _platform_problem(system, machine):
    if system.startswith(("Windows", "CYGWIN", "MINGW", "MSYS")):
        return "On Windows, make works in WSL only: run wsl --install, then clone and make there."
    if sys.maxsize < 2**32:
        return "PyTorch has no build for a 32-bit Python. " + ANOTHER
    if system == "Darwin" and machine != "arm64":
        return (
            "PyTorch has no build for Macs with Intel any more: use a Linux machine. On a Mac with"
            " Apple silicon, this Python runs in Rosetta: name one for arm64, as in make lab"
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
            "PyTorch has no build for a Linux without glibc, such as Alpine: use another one,"
            " such as Debian, Ubuntu or Fedora."
        )
    return _age_problem("glibc", version, GLIBC)


def _age_problem(what, version, oldest):
    if _numbers(version)[: len(oldest)] >= oldest:
        return ""
    needs = "PyTorch needs " + what + " " + _dotted(oldest) + " or newer"
    return needs + ", and this machine has " + version + ": update it, or use another machine."


def _has_torch():
    from importlib.util import find_spec

    found = find_spec("torch")
    # A .venv made from within a virtual environment sees the packages of the Python below it.
    in_environment = sys.prefix != sys.base_prefix
    return bool(found) and not (in_environment and found.origin.startswith(sys.prefix + os.sep))


def _numbers(version):
    return tuple(map(int, version.split(".")))


def _dotted(numbers):
    return ".".join(map(str, numbers))


if __name__ == "__main__":
    sys.exit(problem("keep" in sys.argv[1:]) or 0)
