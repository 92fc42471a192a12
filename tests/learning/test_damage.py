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

from azlearn.learning import Budget, CorruptFileError, Counters, Training, load_network
from azlearn.learning.checkpoint import read_summary
from azlearn.learning.files import list_snapshots, read_tensors, write_tensors
from tests.learning.tiny_runs import assert_same, edit_summary

SUMMARY, NETWORK = "checkpoint.json", "network.safetensors"
FILES = ("000004/rank0.safetensors", "000004/training.safetensors", SUMMARY, NETWORK)


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
        load_network(out) if name == NETWORK else Training.resumed(out)
    message = str(caught.value)
    assert type(caught.value) is error
    assert len(message.splitlines()) == 1
    assert str(out) in message
    assert everything(out) == before
    return message


class Payload:
    """Runs code when it is unpickled."""

    ran = Path()

    def __reduce__(self):
        return self.ran.touch, ()


CONTENTS = {  # of a file, from what it was
    "nothing": lambda before: b"",
    "cut short": lambda before: before[: len(before) * 9 // 10],
    "a pickle": lambda before: pickle.dumps(Payload()),
    "noise": lambda before: np.random.default_rng(0).bytes(len(before)),
}


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind", [*CONTENTS, "other tensors"])
def test_other_content_is_refused_and_runs_no_code(out, name, kind, tmp_path):
    path, Payload.ran = out / name, tmp_path / "ran"
    if kind == "other tensors":
        save_file({"weight": torch.zeros(3)}, path)
    else:
        path.write_bytes(CONTENTS[kind](path.read_bytes()))
    sign(out, path)
    assert str(path) in refusal(out, name)
    assert not Payload.ran.exists()


@pytest.mark.parametrize("name", FILES[:2])
def test_a_flipped_bit_or_a_missing_file_of_a_checkpoint_is_found(out, name):
    path = out / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert f"{path} is damaged" in refusal(out, name)
    path.unlink()
    assert f"{path} is missing" in refusal(out, name)


def test_a_folder_without_a_run_is_refused(out):
    (out / SUMMARY).unlink()
    assert "there is no run to resume" in refusal(out, SUMMARY, FileNotFoundError)
    (out / NETWORK).unlink()
    with pytest.raises(FileNotFoundError, match="There is no network"):
        load_network(out)


MISFIT = "does not match the settings of the run"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        *(({"settings": {name: value}}, MISFIT)
          for name, value in (("game", "connect4"), ("network", "small"), ("gate_games", 2))),
        *((change, "checkpoint.json is damaged or ") for change in (
            {"settings": {"color": 1}}, {"budget": {"iterations": 1.5}}, {"world_size": 3},
            {"folder": "../elsewhere"}, {"counters": {"minutes": float("nan")}},
            {"counters": {"iteration": 10**30}}, {"sha256": {"training.safetensors": 1}},
        )),
    ],
    ids=str,
)  # fmt: skip
def test_a_checkpoint_with_an_impossible_entry_is_refused(out, change, said):
    def enter(summary):
        for name, value in change.items():
            summary[name] = summary[name] | value if isinstance(value, dict) else value

    edit_summary(out, enter)
    assert said in refusal(out, SUMMARY)


@pytest.mark.parametrize(
    "change",
    [{"game": "chess"}, {"game": "connect4"}, {"game": []}, {"size": {}}, {"format": "other"},
     {"size": {"channels": 10**6, "blocks": 2}}, {"size": {"channels": 16, "blocks": 10**6}}],
)  # fmt: skip
def test_a_network_that_is_not_what_its_header_says_is_refused(out, change):
    tensors, about = read_tensors(out / NETWORK)
    write_tensors(out / NETWORK, tensors, about | change)
    refusal(out, NETWORK)
    write_tensors(out / NETWORK, {name: x.int() for name, x in tensors.items()}, about)
    assert "different shapes or types" in refusal(out, NETWORK)


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
def test_anything_anywhere_in_a_run_is_read_or_refused(stopped, data):
    tensors, about = read_tensors(stopped / NETWORK)
    summary = json.loads((stopped / SUMMARY).read_text())
    with TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        shutil.copytree(stopped / "000004", out / "000004")
        (out / SUMMARY).write_text(json.dumps(changed_somewhere(data, summary)))
        with suppress(CorruptFileError):
            found = read_summary(out)
            assert found["counters"]["iteration"] == 4
            Budget(**found["budget"]).spent(Counters(**found["counters"]))
        header = json.dumps(changed_somewhere(data, about))
        save_file(tensors, out / NETWORK, {"about": header})
        for use in (load_network, list_snapshots):
            with suppress(CorruptFileError):
                use(out)


def test_a_run_of_an_older_version_goes_on(out, tmp_path):
    """Its names for positions and games, its settings, its checksums; a byte order mark."""
    new = shutil.copytree(out, tmp_path / "new")
    path = out / FILES[0]
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
    path = out / SUMMARY
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    for at in (new, out):
        assert Training.resumed(at).run().iteration == 8
    edit_summary(out, lambda summary: summary["settings"].update(snapshots_per_doubling=0))
    assert_same(new, out)


def test_a_folder_may_have_any_name(stopped, tmp_path):
    """Also one that is not UTF-8: a run that trained there must not be lost."""
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xe9"))
    try:
        shutil.copytree(stopped, folder)
    except OSError:
        pytest.skip("this disk allows no such name")
    assert load_network(folder).info["counters"]["iteration"] == 4
    assert Training.resumed(folder).counters.iteration == 4


# A folder that somebody has sent: nothing outside it changes, nothing of a reader's goes.


@pytest.mark.parametrize("name", ["log.jsonl", NETWORK, "kept", "000005"])
def test_a_link_is_refused(out, tmp_path, name):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "file").write_text("the reader's")
    if (out / name).exists():
        (out / name).rename(tmp_path / name)
    (out / name).symlink_to(tmp_path / "outside" / ("file" if "." in name else ""))
    assert f"{name} is a link" in refusal(out, SUMMARY)


def test_folders_and_files_of_the_reader_survive(out):
    """Whatever their names: only files that a checkpoint is made of are deleted."""
    mine = {
        "2024/notes.txt": "a", "002024/notes.txt": "b", "000003/notes.txt": "c",
        "notes.partial": "d", "log.jsonl.partial": "e", "kept/2024.txt": "f", "000001": "g",
    }  # fmt: skip
    killed = "of a process that was killed"
    theirs = {
        "000003/rank0.safetensors": killed, "kept/5.safetensors": killed,
        "000002/training.safetensors.0123456789abcdef.partial": killed,
        "kept/2.safetensors.0123456789abcdef.partial": killed,
    }  # fmt: skip
    for name, text in (mine | theirs).items():
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text(text)
    assert Training.resumed(out, checkpoint_minutes=0).run().iteration == 8
    assert {name: (out / name).read_text() for name in mine} == mine
    assert not any((out / name).exists() for name in theirs)
    assert not any((out / name).exists() for name in ("000002", "000004"))
