"""Fixtures for the tests of training: games in plain Python, and a stopped run."""

import shutil
from functools import partial

import pytest

from azlearn.learning import RunLog, SelfPlay, worker
from tests.learning.tiny_runs import run


@pytest.fixture(scope="package", autouse=True)
def plain_python():
    """Makes runs play in plain Python, which for a few short games is faster than compiling."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "SelfPlay", partial(SelfPlay, compiled=False))
        yield


@pytest.fixture(scope="package")
def stopped(tmp_path_factory, plain_python):
    """The folder of a run stopped at iteration 4 of 8, with a log. Tests must not change it."""
    out = tmp_path_factory.mktemp("stopped") / "run"
    out.mkdir()
    run(out, stop_after=4, report=RunLog(out).add)
    return out


@pytest.fixture
def out(stopped, tmp_path):
    """A copy of the stopped run."""
    return shutil.copytree(stopped, tmp_path / "run")
