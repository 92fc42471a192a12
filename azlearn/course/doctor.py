"""Checks whether this machine can run the course, and says how to fix each problem.

Run ``azlearn doctor`` in a terminal, or ``doctor()`` in a notebook. It changes nothing and sends
nothing. Because notebooks store their output, no line shows the path of a folder of yours, except
one that a package is wrongly imported from.
"""

import importlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from azlearn.atomic_io import in_words
from azlearn.course.findings import NOTE, OK, PROBLEM, Finding, Report
from azlearn.machine import memory, num_cores

_INSTALL = "Install the course: make install (or: pip install -e . in its folder)."
_GIB = 2**30
_GAMES = "/usr/games"
# The module that the course imports, if it is not named like its package.
# JupyterLab is not imported: that takes two seconds, and it reports its own problems at startup.
_MODULES = {
    "ipykernel": "ipykernel.kernelapp",
    "matplotlib": "matplotlib.pyplot",
    "pillow": "PIL",
    "tensorboard": "tensorboard.compat.proto.event_pb2",
    "tqdm": "tqdm.auto",
}


def doctor() -> Report:
    """Check Python, packages, other programs, widgets, CPU, bf16, GPU, disk and progress file.

    Takes a few seconds, mostly for importing every package. Never raises: a check that fails is
    reported as a problem.
    """
    return Report(tuple(_run(subject, probe) for subject, probe in _PROBES.items()))


def _run(subject: str, probe: Callable[[], Finding]) -> Finding:
    try:
        return probe()
    except Exception as error:
        is_system = isinstance(error, OSError)
        why = in_words(error) if is_system else f"{type(error).__name__}: {error}"
        return Finding(subject, PROBLEM, f"the check failed: {why}", _INSTALL)


def _python() -> Finding:
    from packaging.specifiers import SpecifierSet

    version = ".".join(map(str, sys.version_info[:3]))
    needed = importlib.metadata.metadata("azlearn")["Requires-Python"]
    if version not in SpecifierSet(needed):
        text = f"version {version}, but azlearn needs {needed}."
        remedy = "Use another Python: make clean, then make lab PYTHON=python3.12"
        return Finding("Python", PROBLEM, text, remedy)
    is_own = sys.prefix != sys.base_prefix
    where = "in a virtual environment" if is_own else "not in a virtual environment"
    return Finding("Python", OK, f"{version}, {where}")


def _packages() -> Finding:
    from packaging.requirements import Requirement

    try:
        lines = importlib.metadata.requires("azlearn") or []
    except importlib.metadata.PackageNotFoundError:
        return Finding("packages", PROBLEM, "azlearn is not installed in this Python.", _INSTALL)
    requirements = [Requirement(line) for line in lines]
    needed = [r for r in requirements if r.marker is None or r.marker.evaluate({"extra": ""})]
    wrong = [problem for r in needed if (problem := package_problem(r))]
    if wrong:
        return Finding("packages", PROBLEM, "; ".join(wrong) + ".", _INSTALL)
    names = [r.name for r in needed if r.name != "jupyterlab"]
    if broken := [said for name in names if (said := import_problem(_MODULES.get(name, name)))]:
        # Another version in PYTHONPATH may hide the one that is installed.
        is_mixed = bool(os.environ.get("PYTHONPATH"))
        remedy = "PYTHONPATH may be the cause: unset PYTHONPATH" if is_mixed else _INSTALL
        return Finding("packages", PROBLEM, "; ".join(broken) + ".", remedy)
    shown = ", ".join(
        f"{name} {_version(name)}" for name in ("torch", "numba", "numpy", "jupyterlab")
    )
    text = f"all {len(needed)} have the versions that azlearn needs ({shown})"
    return Finding("packages", OK, text)


def import_problem(module: str) -> str:
    """Returns 'torch cannot be imported (OSError: …)', or '' if the module can be imported."""
    try:
        importlib.import_module(module)
    except Exception as error:
        why = f"{type(error).__name__}: {error}".partition("\n")[0]
        return f"{module} cannot be imported ({why})"
    return ""


def package_problem(requirement) -> str:
    """Returns '' if a ``Requirement`` is met, or a problem such as 'torch is missing'."""
    version = _version(requirement.name)
    if version is None:
        return f"{requirement.name} is missing"
    if requirement.specifier.contains(version, prereleases=True):
        return ""
    return f"{requirement.name} must be {requirement.specifier}, not {version}"


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _program(subject: str, command: str, without: str, remedy: str) -> Finding:
    """Checks a program that the course can do without."""
    name, option = command.split()
    # Debian installs GNU Go in a folder that is not in root's PATH.
    program = shutil.which(name) or shutil.which(name, path=_GAMES)
    if program is None:
        return Finding(subject, NOTE, f"not found; {without}", remedy)
    done = subprocess.run(
        [program, option], capture_output=True, text=True, timeout=20, check=False
    )
    found = re.search(r"(?:version|GNU Go) ([\d.]+)", done.stderr + done.stdout)
    if found is None:
        text = f"installed, but it does not start; {without}"
        return Finding(subject, NOTE, text, "Reinstall it.")
    where = f", in {_GAMES}" if Path(program).parent == Path(_GAMES) else ""
    return Finding(subject, OK, f"version {found[1]}{where}")


def _solver() -> Finding:
    from azlearn.games import ConnectFour
    from azlearn.games.solver import SolverMissing, optimal_actions

    game = ConnectFour()
    try:
        optimal_actions(game, game.from_moves("44444"))
    except SolverMissing:
        text = "bitbully is not installed; the play widget cannot show best moves in Connect Four."
        return Finding("solver", NOTE, text, "To install it: pip install bitbully")
    return Finding("solver", OK, f"bitbully {_version('bitbully')}: exact play in Connect Four")


def _widgets() -> Finding:
    from jupyter_core.paths import jupyter_path

    folders = [Path(folder) for folder in jupyter_path("labextensions")]
    needed = {"anywidget": "anywidget", "jupyterlab_widgets": "@jupyter-widgets/jupyterlab-manager"}
    missing = [
        package
        for package, extension in needed.items()
        if _version(package) is None
        or not any((folder / extension / "package.json").is_file() for folder in folders)
    ]
    if missing:
        verb = "are" if len(missing) > 1 else "is"
        text = f"JupyterLab cannot show the explorer: {' and '.join(missing)} {verb} incomplete."
        again = f"pip install --force-reinstall {' '.join(missing)}, then restart JupyterLab."
        return Finding("widgets", PROBLEM, text, again)
    shown = ", ".join(f"{package} {_version(package)}" for package in (*needed, "ipywidgets"))
    return Finding("widgets", OK, f"{shown}; both JupyterLab extensions are installed")


def _cpu() -> Finding:
    cores, room = num_cores(), memory()
    text = f"{cores} core{'s' * (cores > 1)}"
    if room is not None:
        gib = room / _GIB
        text += f", {gib:.{int(gib < 10)}f} GiB of memory"
        if gib < 3:
            return Finding("CPU", NOTE, text, "Close other programs: a chapter uses up to 2 GiB.")
    if cores < 2:
        remedy = "The course states times for two cores: expect twice as long."
        return Finding("CPU", NOTE, text, remedy)
    return Finding("CPU", OK, text)


def _bf16() -> Finding:
    import torch

    single = matmul_seconds(torch.float32)
    half = matmul_seconds(torch.bfloat16)
    speedup = single / half
    if speedup > 1.2:
        text = f"this CPU multiplies matrices {speedup:.1f} times as fast in bf16 as in fp32"
        return Finding("bf16", OK, text)
    return Finding("bf16", NOTE, "not faster on this CPU, so networks run in fp32.")


def matmul_seconds(dtype, size: int = 384, repeats: int = 3) -> float:
    """Best time of a [size, size] matrix product in ``dtype`` on the CPU, in seconds."""
    import torch

    matrix = torch.ones(size, size, dtype=dtype)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        torch.matmul(matrix, matrix)
        times.append(time.perf_counter() - start)
    return min(times)


def _gpu() -> Finding:
    import torch

    from azlearn.learning.hardware import why_no_kernels

    if torch.cuda.is_available():
        devices = [torch.cuda.get_device_properties(i) for i in range(torch.cuda.device_count())]
        shown = "; ".join(f"{d.name}, {d.total_memory / _GIB:.0f} GiB" for d in devices)
        if why := why_no_kernels():
            text = f"{shown}. {why} Networks train on the GPU, searches run on the CPU."
            return Finding("GPU", NOTE, text)
        return Finding("GPU", OK, f"{shown}; networks and searches can run on it")
    later = "The course does not need one."
    others = ("an Apple GPU", "mps", torch.backends.mps), ("an Intel GPU", "xpu", torch.xpu)
    for kind, device, module in others:
        if module.is_available():
            text = f"{kind}: azlearn train --device {device} runs the network on it"
            return Finding("GPU", OK, text)
    if torch.version.cuda is None and torch.version.hip is None:
        if shutil.which("nvidia-smi"):
            text = "there is an NVIDIA driver, but this is the CPU build of PyTorch."
            remedy = (
                "To use a CUDA build that your Python already has: make clean, then make lab"
                " TORCH=keep."
            )
            return Finding("GPU", NOTE, text, remedy)
        return Finding("GPU", NOTE, f"none: this is the CPU build of PyTorch. {later}")
    return Finding("GPU", NOTE, f"none: PyTorch finds no driver or no device. {later}")


def _disk() -> Finding:
    free = shutil.disk_usage(os.curdir).free / _GIB
    text = f"{free:.1f} GiB free in this folder"
    if free < 0.2:
        return Finding("disk", PROBLEM, text, "Free some space, or you cannot save notebooks.")
    if free < 2:
        return Finding("disk", NOTE, text, "Training runs in later chapters take up to 2 GiB.")
    return Finding("disk", OK, text)


def _progress_file() -> Finding:
    from azlearn.course.progress_file import ENVIRONMENT_VARIABLE, progress_path

    path = progress_path()
    folder = next(parent for parent in path.parents if parent.exists())
    shown = (
        path.name if ENVIRONMENT_VARIABLE in os.environ else f"~/{path.relative_to(Path.home())}"
    )
    try:
        if path.is_file() or path.is_dir():
            path.read_bytes()
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        text = f"{shown} cannot be read or written: {error.strerror}."
        remedy = f"Choose another file: export {ENVIRONMENT_VARIABLE}=/path/to/progress.json"
        return Finding("progress", PROBLEM, text, remedy)
    return Finding("progress", OK, f"stored in {shown}, on this machine only")


_PROBES: dict[str, Callable[[], Finding]] = {
    "Python": _python,
    "packages": _packages,
    "graphviz dot": partial(
        _program, "graphviz dot", "dot -V", "only explorer.to_graphviz() needs it.",
        "To draw trees for print: apt-get install graphviz, brew install graphviz or conda install"
        " graphviz.",
    ),
    "solver": _solver,
    "GNU Go": partial(
        _program, "GNU Go", "gnugo --version", "the course works without it.",
        "To play against it: apt-get install gnugo or brew install gnu-go.",
    ),
    "widgets": _widgets,
    "CPU": _cpu,
    "bf16": _bf16,
    "GPU": _gpu,
    "disk": _disk,
    "progress": _progress_file,
}  # fmt: skip
