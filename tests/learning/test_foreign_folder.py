"""A run's folder that somebody has sent: nothing outside it changes, nothing of a reader's goes."""

import json
import os
import shutil

import pytest

from azlearn.learning import RunLog, Training, TrainingStopped, load_network
from azlearn.learning.checkpoint import read_summary
from azlearn.learning.files import read_tensors
from tests.learning.tiny_runs import contents, run

NAMES = ("checkpoint.json", "network.safetensors", "log.jsonl", "kept", "tensorboard")


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    out = tmp_path_factory.mktemp("original") / "run"
    out.mkdir()
    run(out, stop_after=4, report=RunLog(out).add)
    return out


@pytest.fixture
def out(original, tmp_path):
    return shutil.copytree(original, tmp_path / "run")


@pytest.fixture
def outside(tmp_path):
    """Files of the reader beside the run."""
    folder = tmp_path / "outside"
    (folder / "folder").mkdir(parents=True)
    for name in ("file", "folder/training.safetensors", "folder/64.safetensors"):
        (folder / name).write_text("the reader's")
    return folder


def as_it_was(outside):
    files = {path: path.read_text() for path in outside.rglob("*") if path.is_file()}
    return len(files) == 3 and set(files.values()) == {"the reader's"}


def resume(out):
    training = Training.resumed(out, checkpoint_minutes=0)
    training.hooks.report = RunLog(out, training.counters.iteration).add
    return training.run()


@pytest.mark.parametrize("name", NAMES)
def test_a_link_in_place_of_a_file_is_refused(out, outside, name):
    path = out / name
    kept = outside.parent / name  # the link leads to what was there: all would go well
    if not path.exists():
        path.mkdir()
    path.rename(kept)
    path.symlink_to(kept)
    before = {p: p.read_bytes() for p in outside.parent.rglob("*") if p.is_file()}
    with pytest.raises((ValueError, TrainingStopped), match=f"{name} is a link"):
        resume(out)
    assert before == {p: p.read_bytes() for p in outside.parent.rglob("*") if p.is_file()}


def test_links_under_names_that_come_lead_nowhere(out, outside):
    """Where files are about to be written: unfinished ones, the next checkpoint's folder."""
    for name in NAMES[:3]:
        for middle in ("", f".{os.getpid()}"):
            (out / f"{name}{middle}.partial").symlink_to(outside / "file")
    (out / "000005").symlink_to(outside / "folder")
    with pytest.raises(TrainingStopped, match=r"000005: this is a link.*iteration 4 .* is whole"):
        resume(out)
    assert as_it_was(outside)
    (out / "000005").unlink()
    for number in range(5, 9):
        (out / f"{number:06d}").mkdir()
        for name in ("training", "rank0"):
            (out / f"{number:06d}" / f"{name}.safetensors").symlink_to(outside / "file")
    with pytest.raises(TrainingStopped, match=r"(rank0|training)\.safetensors: this is a link"):
        resume(out)
    assert as_it_was(outside)
    assert load_network(out)


def test_old_checkpoints_that_are_links_are_left_alone(out, outside):
    (out / "000003").symlink_to(outside / "folder")
    (out / "000002").symlink_to(outside / "file")
    assert resume(out).iteration == 8
    assert as_it_was(outside)
    assert (out / "000003").is_symlink()


def test_a_hard_link_to_a_readers_file_is_taken_apart(out, outside):
    (out / "log.jsonl").unlink()
    os.link(outside / "file", out / "log.jsonl")
    with pytest.warns(UserWarning, match="cannot be read"):
        assert resume(out).iteration == 8
    assert as_it_was(outside)


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
    assert resume(out).iteration == 8
    assert {name: (out / name).read_text() for name in mine} == mine
    assert not (out / "000003" / "rank0.safetensors").exists()
    assert not (out / "000002").exists()
    assert not (out / "000004").exists()


def test_a_resume_that_cannot_go_on_changes_nothing(out, monkeypatch):
    log = out / "log.jsonl"
    first, *rest = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"\xef\xbb\xbf" + first + b"\xff\n" + b"".join(rest))
    (out / "000004" / "rank0.safetensors").write_bytes(b"cut short")
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    with pytest.raises(ValueError, match="is damaged or cut short"):
        resume(out)
    assert before == {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}


def flips(path, number):
    """Copies of a file's content with one bit changed, evenly over the file."""
    content = path.read_bytes()
    for n in range(number):
        at = n * 8 * len(content) // number
        changed = bytearray(content)
        changed[at // 8] ^= 1 << n % 8
        yield bytes(changed)


def test_a_changed_bit_of_the_summary_is_found(out):
    path, right = out / "checkpoint.json", contents(out)
    num_bytes, refused = path.stat().st_size, 0
    for changed in flips(path, num_bytes):
        path.write_bytes(changed)
        try:
            found = contents(out)
        except ValueError:
            refused += 1
            continue
        # The name of the checksum itself: then there is none, as in an older file.
        other = [name for name in found if name not in right]
        assert {name: found[name] for name in right} == right
        assert len(other) <= 1
    assert refused >= num_bytes - 3 * len("checksum")


def test_a_changed_bit_of_a_network_is_found(out):
    path, right = out / "network.safetensors", load_network(out)
    weights, refused = right.network.state_dict(), 0
    header = 8 + int.from_bytes(path.read_bytes()[:8], "little")
    content = path.read_bytes()
    for at in [*range(0, header, 7), *range(header, len(content), 199)]:
        changed = bytearray(content)
        changed[at] ^= 1 << at % 8
        path.write_bytes(changed)
        try:
            found = load_network(out)
        except ValueError:
            refused += 1
            continue
        assert (found.info, found.game) == (right.info, right.game)
        assert all(weights[name].equal(x) for name, x in found.network.state_dict().items())
    assert refused > 600


def test_older_files_without_checksums_are_read(out):
    from safetensors.torch import save_file

    summary, path = read_summary(out), out / "network.safetensors"
    (out / "checkpoint.json").write_text(json.dumps(summary))
    tensors, about = read_tensors(path)
    save_file(tensors, path, {"about": json.dumps(about)})
    assert Training.resumed(out).counters.iteration == 4
    assert load_network(out).info["counters"]["iteration"] == 4
