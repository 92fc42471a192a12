"""Fixtures for all tests, such as those of `tests/browser.py`, and the markers they imply."""

import os
import sys
import tempfile
from functools import partial
from pathlib import Path

import hypothesis
import pytest
from numba.core import event

from tests.browser import NO_CHROMIUM, browser, lab, lab_page, notebook7, notebook7_page
from tests.course.summary import mutants_line
from tests.gtp_programs import write_program
from tests.threads import one_each

one_each()

# A busy machine is not the code's fault, so no deadline. CI tries the same examples every time.
hypothesis.settings.register_profile(
    "azlearn", deadline=None, derandomize=bool(os.environ.get("CI"))
)
hypothesis.settings.load_profile("azlearn")


class _Untraced(event.Listener):
    """Turns off coverage in numba's compiler: it is Python, and tracing doubles its time."""

    def __init__(self) -> None:
        self._tracers = []

    def on_start(self, _) -> None:
        self._tracers.append(sys.gettrace())
        sys.settrace(None)

    def on_end(self, _) -> None:
        sys.settrace(self._tracers.pop())


event.register("numba:compile", _Untraced())

__all__ = ["browser", "lab", "lab_page", "notebook7", "notebook7_page"]


def pytest_configure(config):
    """Keeps tests, and kernels that they start, from writing to your own progress file."""
    folder = tempfile.TemporaryDirectory(prefix="azlearn-tests-")
    config.add_cleanup(folder.cleanup)
    os.environ["AZLEARN_PROGRESS"] = str(Path(folder.name) / "progress.json")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Marks the tests that use the browser or JupyterLab."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker("no_cover")  # with tracing, the long searches take three times as long
        fixtures = set(getattr(item, "fixturenames", ()))
        if fixtures & {"lab", "notebook7"}:
            item.add_marker("lab")
        if "browser" in fixtures:
            item.add_marker("browser")


def pytest_terminal_summary(terminalreporter):
    """Reports the mutants caught, and warns if browser tests were skipped."""
    if line := mutants_line(terminalreporter):
        terminalreporter.write_line(line)
    skipped = terminalreporter.stats.get("skipped", [])
    missed = [report.nodeid for report in skipped if NO_CHROMIUM in str(report.longrepr)]
    if missed:
        terminalreporter.write_sep("!", f"{len(missed)} BROWSER TESTS SKIPPED", red=True)
        terminalreporter.write_line(NO_CHROMIUM)


@pytest.fixture
def a_device(tmp_path):
    """A second null device, in a folder of its own."""
    path = tmp_path / "null"
    try:
        os.mknod(path, 0o20666, os.makedev(1, 3))
        path.write_bytes(b"x")
    except OSError:
        pytest.skip("only root can make a device, and not on every disk")
    return path


@pytest.fixture
def program(tmp_path):
    """A function: lines of Python -> the command of a GTP program that runs them."""
    return partial(write_program, tmp_path)
