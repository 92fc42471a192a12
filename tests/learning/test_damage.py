"""Run folders that are cut short, foreign, edited, old, or hold a link: read as they are, or one
sentence that names the file."""

import json
import os
import pickle
import shutil
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file

from azlearn.learning import Budget, CorruptFileError, Counters, RunLog, Training, load_network
from azlearn.learning.checkpoint import read_summary
from azlearn.learning.files import list_snapshots, read_tensors, write_tensors
from tests.learning.tiny_runs import assert_same, edit_summary, run

FILES = ("rank0.safetensors", "training.safetensors", "checkpoint.json", "network.safetensors")


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    out = tmp_path_factory.mktemp("original") / "run"
    out.mkdir()
    run(out, stop_after=4, report=RunLog(out).add)
    return out


@pytest.fixture
def out(original, tmp_path):
    return shutil.copytree(original, tmp_path / "run")


def find(out, name):
    return out / ("000004" if name in FILES[:2] else "") / name


def sign(out, path):
    """So that the checksum is right and something deeper must refuse the file."""
    if path.parent != out:
        checksum = sha256(path.read_bytes()).hexdigest()
        edit_summary(out, lambda summary: summary["sha256"].update({path.name: checksum}))


def everything(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refusal(out, name, error=CorruptFileError) -> str:
    """What is said when the file of that name is used: the run goes on, or its network is loaded.

    Nothing in the folder changes.
    """
    before = everything(out)
    with pytest.raises(error) as caught:
        load_network(out) if name == "network.safetensors" else Training.resumed(out)
    message = str(caught.value)
    assert type(caught.value) is error
    assert len(message.splitlines()) == 1
    assert str(out) in message
    assert everything(out) == before
    return message


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("share", [0, 0.01, 0.9, 1])
def test_a_file_cut_short_is_refused(out, name, share):
    path = find(out, name)
    content = path.read_bytes()
    path.write_bytes(content[: min(int(share * len(content)), len(content) - 1)])
    assert str(path) in refusal(out, name)


@pytest.mark.parametrize("name", FILES[:2])
def test_a_flipped_bit_or_a_missing_file_of_a_checkpoint_is_found(out, name):
    path = find(out, name)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert f"{path} is damaged" in refusal(out, name)
    path.unlink()
    assert f"{path} is missing" in refusal(out, name)


def test_a_folder_without_a_run_is_refused(out, tmp_path):
    (out / "checkpoint.json").unlink()
    assert "there is nothing to go on with" in refusal(out, "checkpoint.json", FileNotFoundError)
    (out / "network.safetensors").unlink()
    with pytest.raises(FileNotFoundError, match="There is no network"):
        load_network(out)


class Payload:
    """Runs code when it is unpickled."""

    ran = Path()

    def __reduce__(self):
        return self.ran.touch, ()


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind", ["pickle", "noise", "no tensors", "other tensors"])
def test_other_content_is_refused_and_runs_no_code(out, name, kind, tmp_path):
    path, Payload.ran = find(out, name), tmp_path / "ran"
    if kind == "pickle":
        path.write_bytes(pickle.dumps(Payload()))
    elif kind == "noise":
        path.write_bytes(np.random.default_rng(0).bytes(path.stat().st_size))
    else:
        save_file({} if kind == "no tensors" else {"weight": torch.zeros(3)}, path)
    sign(out, path)
    assert str(path) in refusal(out, name)
    assert not Payload.ran.exists()


@pytest.mark.parametrize("content", ["[]", "4", "null", "{}", "[" * 100_000, '{"format": "x"}'])
def test_json_of_another_kind_is_refused(out, content):
    (out / "checkpoint.json").write_text(content)
    assert "checkpoint.json" in refusal(out, "checkpoint.json")
    save_file({"a": torch.zeros(1)}, out / "network.safetensors", {"about": content})
    refusal(out, "network.safetensors")


@pytest.mark.parametrize(
    "change",
    [
        {"settings": {"colour": 1}}, {"settings": []}, {"budget": {"iterations": None}},
        {"budget": {"iterations": 1.5}}, {"counters": {"wins": 1}}, {"folder": "../elsewhere"},
        {"counters": {"iteration": 4, "minutes": float("nan")}}, {"world_size": 3},
        {"counters": {"iteration": 10**30}}, {"sha256": {"training.safetensors": 1}},
    ],
    ids=str,
)  # fmt: skip
def test_a_checkpoint_with_an_impossible_entry_is_refused(out, change):
    edit_summary(out, lambda summary: summary.update(change))
    assert "checkpoint.json is damaged or foreign" in refusal(out, "checkpoint.json")


@pytest.mark.parametrize("change", [{"game": "connect4"}, {"network": "small"}, {"gate_games": 2}])
def test_a_checkpoint_of_other_settings_does_not_fit(out, change):
    edit_summary(out, lambda summary: summary["settings"].update(change))
    assert "does not fit the settings of the run" in refusal(out, "checkpoint.json")


@pytest.mark.parametrize(
    "change",
    [{"game": "chess"}, {"game": "connect4"}, {"game": []}, {"size": {}}, {"format": "other"},
     {"size": {"channels": 16, "blocks": 3}}, {"size": {"channels": 10**6, "blocks": 2}},
     {"size": {"channels": 16, "blocks": 10**6}}, {"info": {"counters": []}}],
)  # fmt: skip
def test_a_network_that_is_not_what_its_header_says_is_refused(out, change):
    path = out / "network.safetensors"
    tensors, about = read_tensors(path)
    write_tensors(path, tensors, about | change)
    refusal(out, "network.safetensors")
    with suppress(CorruptFileError):  # as a list of a run's networks
        assert list(list_snapshots(out)) in ([0], [4])
    write_tensors(path, {name: x.int() for name, x in tensors.items()}, about)
    assert "other shapes or types" in refusal(out, "network.safetensors")


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def changed_somewhere(data, value):
    """The value with anything in one place, which lies deep as often as not."""
    if isinstance(value, (dict, list)) and value and data.draw(st.integers(0, 3)):
        copy = value.copy()
        at = data.draw(st.sampled_from([*value] if isinstance(value, dict) else range(len(value))))
        copy[at] = changed_somewhere(data, value[at])
        return copy
    return data.draw(ANYTHING)


@given(st.data())
@settings(max_examples=60)
def test_anything_anywhere_in_a_run_is_read_or_refused(original, data):
    tensors, about = read_tensors(original / "network.safetensors")
    summary = json.loads((original / "checkpoint.json").read_text())
    with TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        shutil.copytree(original / "000004", out / "000004")
        (out / "checkpoint.json").write_text(json.dumps(changed_somewhere(data, summary)))
        with suppress(CorruptFileError):
            found = read_summary(out)
            assert found["counters"]["iteration"] == 4
            Budget(**found["budget"]).spent(Counters(**found["counters"]))
        path, header = out / "network.safetensors", json.dumps(changed_somewhere(data, about))
        save_file(tensors, path, {"about": header})
        for use in (load_network, list_snapshots):
            with suppress(CorruptFileError):
                use(out)


def test_a_run_of_an_older_version_goes_on(original, out, tmp_path):
    """Its names for positions and games, its settings, its checksums; a byte order mark."""
    new = shutil.copytree(original, tmp_path / "new")
    path = find(out, "rank0.safetensors")
    tensors, about = read_tensors(path)
    tensors["replay.me"], tensors["replay.opp"] = tensors.pop("replay.words").unbind(1)
    about["num_added"] = about.pop("replay.num_added")
    for name in ("records.proven", "records.surprise"):
        assert not tensors.pop(name).any()
    write_tensors(path, tensors, about | {"sha256": "of the tensors"})
    edit_summary(out, lambda summary: summary["settings"].update(engine="batched", trees="cpu"))
    edit_summary(out, lambda summary: summary["settings"].pop("snapshots_per_doubling"))
    sign(out, path)
    edit_summary(out, lambda summary: summary.update(checksum="of the rest"))
    path = out / "checkpoint.json"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    for at in (new, out):
        assert Training.resumed(at).run().iteration == 8
    edit_summary(out, lambda summary: summary["settings"].update(snapshots_per_doubling=0))
    assert_same(new, out)


def test_a_folder_may_have_any_name(original, tmp_path):
    """Also one that is not UTF-8: a run that trained there must not be lost."""
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xe9"))
    try:
        shutil.copytree(original, folder)
    except OSError:
        pytest.skip("this disk allows no such name")
    assert load_network(folder).info["counters"]["iteration"] == 4
    assert Training.resumed(folder).counters.iteration == 4


# A folder that somebody has sent: nothing outside it changes, nothing of a reader's goes.


@pytest.mark.parametrize("name", ["log.jsonl", "network.safetensors", "kept", "000005"])
def test_a_link_is_refused(out, tmp_path, name):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("the reader's")
    if (out / name).exists():
        (out / name).rename(tmp_path / name)
    (out / name).symlink_to(tmp_path / "outside" / ("file" if "." in name else ""))
    assert f"{name} is a link" in refusal(out, "checkpoint.json")


def test_folders_and_files_of_the_reader_survive(out):
    """Whatever their names: only files that a checkpoint is made of are deleted."""
    mine = {
        "2024/notes.txt": "a", "002024/notes.txt": "b", "000003/notes.txt": "c",
        "notes.partial": "d", "log.jsonl.partial": "e", "kept/2024.txt": "f", "000001": "g",
    }  # fmt: skip
    for name, text in mine.items():
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text(text)
    (out / "000003" / "rank0.safetensors").write_text("left by a process that was killed")
    (out / "000002").mkdir()
    (out / "000002" / "training.safetensors.0123456789abcdef.partial").write_text("the same")
    assert Training.resumed(out, checkpoint_minutes=0).run().iteration == 8
    assert {name: (out / name).read_text() for name in mine} == mine
    assert not (out / "000003" / "rank0.safetensors").exists()
    assert not (out / "000002").exists()
    assert not (out / "000004").exists()
