"""Checkpoints hold everything, and a new one counts when it is whole, not a moment earlier."""

import ast
import json
import shutil
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file

from azlearn.learning import CorruptFileError, Training, load_network
from azlearn.learning.checkpoint import read_summary
from azlearn.learning.ranks import Ranks
from tests.learning.disk import Disk
from tests.learning.tiny_runs import assert_same, edit_summary, run


class Killed(BaseException):
    """The process ends here: nothing may catch it."""


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """``(training, before, after)``: a run at iteration 5, its folder then and an iteration ago."""
    before, after = (tmp_path_factory.mktemp(name) / "run" for name in ("before", "after"))
    run(before, stop_after=4)
    shutil.copytree(before, after)
    training = run(after, stop_after=5)
    return training, before, after


@pytest.fixture
def save(saved, tmp_path):
    """Makes a fresh copy of the folder of iteration 4 and writes the checkpoint of 5 into it."""
    training, before, _ = saved

    def save_on(disk: Disk) -> Path:
        out = tmp_path / str(len(list(tmp_path.iterdir())))
        shutil.copytree(before, out)
        training.out, training.saved = out, 4
        with disk.in_use():
            training.save()
        return out

    return save_on


def test_what_a_run_is_made_of_comes_back(saved, tmp_path):
    training, _, after = saved
    again = Training.resumed(after)
    assert again.settings == training.settings
    assert again.budget == training.budget
    assert again.counters == training.counters
    for name, tensor in training.network.state_dict().items():
        assert again.network.state_dict()[name].equal(tensor)
    moments, expected = (t.optimizer.state_dict()["state"] for t in (again, training))
    torch.testing.assert_close(moments, expected, rtol=0, atol=0)
    assert len(expected) == len(list(training.network.parameters()))
    assert again.replay.num_added == training.replay.num_added > training.replay.window
    for mine, theirs in zip(again.replay._store, training.replay._store, strict=True):
        np.testing.assert_array_equal(mine, theirs, strict=True)  # each position in its place
    mine, theirs = again.self_play.state_dict(), training.self_play.state_dict()
    assert mine.keys() == theirs.keys()
    assert all(np.array_equal(mine[name], theirs[name]) for name in mine)
    assert len(mine["records.state"]) > 0
    again.out = tmp_path
    again.save()
    assert_same(tmp_path, after)


def test_the_files_are_plain_json_and_safetensors(saved):
    _, _, after = saved
    summary = json.loads((after / "checkpoint.json").read_text())
    assert summary["format"] == "azlearn checkpoint 2"
    assert summary["counters"]["iteration"] == 5
    folder = after / summary["folder"]
    assert {f.name: sha256(f.read_bytes()).hexdigest() for f in folder.iterdir()} == summary[
        "sha256"
    ]
    replay = load_file(folder / "rank0.safetensors")
    assert replay["replay.policy_target"].shape == (60, 9)
    weights = load_file(folder / "training.safetensors")
    with safe_open(after / "network.safetensors", "pt") as network:
        for name in network.keys():  # noqa: SIM118
            assert network.get_tensor(name).equal(weights[f"network.{name}"])


def test_the_new_checkpoint_is_on_the_disk_before_it_counts_and_the_old_goes_last(save):
    disk = Disk()
    save(disk)
    names = ["network", "rank0", "training"]
    written = [f"write {name}.safetensors.partial" for name in names]
    written += ["write checkpoint.json.partial"]
    assert [step for step in disk.steps if step.startswith("write")] == written
    assert sorted(disk.steps[-3:-1]) == ["unlink rank0.safetensors", "unlink training.safetensors"]
    assert disk.steps[-1] == "rmdir 000004"
    for position, step in enumerate(disk.steps):
        if step.startswith("replace"):  # synced before, and its name synced after
            assert disk.steps[position - 1 : position + 2 : 2] == ["fsync", "fsync"]


def test_killed_at_any_step_a_whole_checkpoint_is_left(saved, save):
    training, before, after = saved
    disk = Disk()
    save(disk)
    left = set()
    for number, step in enumerate(disk.steps):
        with pytest.raises(Killed):
            save(Disk(number, Killed()))
        out = training.out
        iteration = Training.resumed(out).counters.iteration
        assert_same(out, {4: before, 5: after}[iteration])
        load_network(out)
        left.add(iteration)
        training.save()  # as it will when the resumed run comes here
        assert not list((out / "000005").glob("*.partial")), step
        assert_same(out, after)
        assert [p.name for p in out.iterdir() if p.is_dir()] == ["000005"]
    assert len(disk.steps) >= 20
    assert left == {4, 5}


def test_a_machine_with_another_folder_is_told_so(saved, save):
    """Each rank writes a file of its own, and the first one sees them all."""

    class Elsewhere(Ranks):
        def all_gather(self, what):
            return [what, {"rank1.safetensors": "written on another disk"}]

    training, before, _ = saved
    training.ranks = Elsewhere(0, 2)
    try:
        with pytest.raises(OSError, match=r"000005/rank1\.safetensors is on another machine: let"):
            save(Disk())
    finally:
        training.ranks = Ranks()
    assert_same(training.out, before)


def test_a_rank_checks_the_files_that_it_reads(saved, save):
    """With those of all ranks read by all, a hundred would read ten thousand."""
    out = save(Disk())
    folder = out / "000005"
    shutil.copy(folder / "rank0.safetensors", folder / "rank1.safetensors")
    checksum = sha256((folder / "rank0.safetensors").read_bytes()).hexdigest()
    edit_summary(out, lambda s: s.update(world_size=2))
    edit_summary(out, lambda s: s["sha256"].update({"rank1.safetensors": checksum}))
    (folder / "rank1.safetensors").write_bytes(b"cut short")
    read_summary(out, Ranks(0, 2))
    for who in (None, Ranks(1, 2), Ranks()):
        with pytest.raises(CorruptFileError, match=r"rank1\.safetensors is damaged"):
            read_summary(out, who)


UNPICKLING = (
    "pickle", "cPickle", "_pickle", "cloudpickle", "dill", "joblib", "shelve", "marshal",
    "torch.load", "torch.jit.load", "torch.hub", "torch.package", "numpy.load", "np.load",
    "allow_pickle=",
)  # fmt: skip


def unpickles(source: str) -> list[str]:
    """The names in a program that can unpickle."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute):
            found += [ast.unparse(node)]
        elif isinstance(node, ast.keyword):
            found += [f"{node.arg}="]
    return [name for name in found if f"{name}.".startswith(tuple(f"{u}." for u in UNPICKLING))]


def test_nothing_is_ever_unpickled():
    for path in sorted(Path(str(files("azlearn") / "learning")).glob("*.py")):
        assert unpickles(path.read_text()) == [], path
    assert unpickles("import joblib as j") == ["joblib"]
    assert unpickles("from torch import load") == unpickles("torch.load(x)") == ["torch.load"]
    assert unpickles("read_array(file, allow_pickle=True)") == ["allow_pickle="]
