"""What the tests of training share: games in plain Python, and a run that has been stopped."""

import shutil
from functools import partial

import pytest

from azlearn.learning import RunLog, SelfPlay, worker
from tests.learning.tiny_runs import run


@pytest.fixture(scope="package", autouse=True)
def plain_python():
    """Runs play in plain Python: for few short games that takes less time than to compile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "SelfPlay", partial(SelfPlay, compiled=False))
        yield


@pytest.fixture(scope="package")
def stopped(tmp_path_factory, plain_python):
    """The folder of a run at its fourth iteration of eight, with a log; to be left as it is."""
    out = tmp_path_factory.mktemp("stopped") / "run"
    out.mkdir()
    run(out, stop_after=4, report=RunLog(out).add)
    return out


@pytest.fixture
def out(stopped, tmp_path):
    """A copy of it."""
    return shutil.copytree(stopped, tmp_path / "run")
