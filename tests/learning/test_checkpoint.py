"""Checkpoints hold everything, and a new one counts when it is whole, not a moment earlier."""

import json
import re
import shutil
from hashlib import sha256
from pathlib import Path

import pytest
from safetensors import safe_open
from safetensors.torch import load_file

import azlearn.learning
from azlearn.learning import Training, load_network
from azlearn.learning.ranks import Ranks
from tests.learning.disk import Disk
from tests.learning.tiny_runs import assert_same, run


class Killed(BaseException):
    """The process ends here: nothing may catch it."""


@pytest.fixture(scope="module")
def saved(stopped, tmp_path_factory):
    """``(training, folder)`` of the stopped run, an iteration later."""
    after = shutil.copytree(stopped, tmp_path_factory.mktemp("after") / "run")
    return run(after, stop_after=5), after


@pytest.fixture
def save(saved, stopped, tmp_path):
    """Writes the checkpoint of iteration 5 into a fresh copy of the folder of iteration 4."""
    training, _ = saved

    def save_on(disk: Disk) -> Path:
        out = tmp_path / str(len(list(tmp_path.iterdir())))
        shutil.copytree(stopped, out)
        training.out, training.saved = out, 4
        with disk.in_use():
            training.save()
        return out

    return save_on


def test_the_files_are_plain_json_and_safetensors(saved):
    _, after = saved
    summary = json.loads((after / "checkpoint.json").read_text())
    assert summary["format"] == "azlearn checkpoint 2"
    assert summary["counters"]["iteration"] == 5
    folder = after / summary["folder"]
    checksums = {file.name: sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}
    assert checksums == summary["sha256"]
    assert load_file(folder / "rank0.safetensors")["replay.policy_target"].shape == (60, 9)
    weights = load_file(folder / "training.safetensors")
    with safe_open(after / "network.safetensors", "pt") as network:
        for name in network.keys():  # noqa: SIM118
            assert network.get_tensor(name).equal(weights[f"network.{name}"])


def test_killed_at_any_step_a_whole_checkpoint_is_left(saved, save, stopped):
    """And where the power fails: each file is synced before it gets its name, which is synced."""
    training, after = saved
    disk = Disk()
    save(disk)
    for position, step in enumerate(disk.steps):
        if step.startswith("replace"):
            assert disk.steps[position - 1 : position + 2 : 2] == ["fsync", "fsync"]
    left = set()
    for number, step in enumerate(disk.steps):
        with pytest.raises(Killed):
            save(Disk(number, Killed()))
        out = training.out
        iteration = Training.resumed(out).counters.iteration
        assert_same(out, {4: stopped, 5: after}[iteration])
        load_network(out)
        left.add(iteration)
        training.save()  # as it will when the resumed run comes here
        assert not list((out / "000005").glob("*.partial")), step
        assert_same(out, after)
        assert [p.name for p in out.iterdir() if p.name.startswith("0000")] == ["000005"]
    assert len(disk.steps) >= 20
    assert left == {4, 5}


def test_a_machine_with_another_folder_is_told_so(saved, save, stopped):
    """Each rank writes a file of its own, and the first one sees them all."""

    class Elsewhere(Ranks):
        def all_gather(self, what):
            return [what, {"rank1.safetensors": "written on another disk"}]

    training, _ = saved
    training.ranks = Elsewhere(0, 2)
    try:
        with pytest.raises(OSError, match=r"000005/rank1\.safetensors is on another machine, but"):
            save(Disk())
    finally:
        training.ranks = Ranks()
    assert_same(training.out, stopped)


def test_nothing_is_ever_unpickled():
    unpickling = r"pickle|\bdill\b|joblib|shelve|marshal\b|torch\.(load|jit|hub|package)|np\.load"
    for path in Path(azlearn.learning.__file__).parent.glob("*.py"):
        code = re.sub(r'""".*?"""', "", path.read_text(), flags=re.DOTALL)
        assert not re.search(unpickling, code), path
