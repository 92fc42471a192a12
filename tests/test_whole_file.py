"""Writing goes into the folder that it is meant for, over files, and nowhere else."""

import errno
import os

import pytest

from azlearn.whole_file import append, locked, own_folder, sweep, write_where_told, write_whole

OURS = [
    "a.json.0123456789abcdef.partial",
    "0123456789abcdef0123456789abcdef.3.partial",
]
NOT_OURS = [
    "a.partial", "a.json.partial", "a.json.7.partial", "a.json.0123456789abcdeg.partial", "a.json",
    "notes.0123456789abcdef.partial.txt",
]  # fmt: skip


@pytest.fixture
def outside(tmp_path):
    (tmp_path / "outside").write_text("the reader's")
    (tmp_path / "run").mkdir()
    return tmp_path / "outside"


@pytest.mark.parametrize("write", [write_whole, append])
@pytest.mark.parametrize("leads", ["to a file", "nowhere", "to a folder"])
def test_no_link_is_followed(outside, write, leads):
    path = outside.parent / "run" / "a.json"
    path.symlink_to(
        {"to a file": outside, "nowhere": outside.parent / "new", "to a folder": ".."}[leads]
    )
    with pytest.raises(OSError, match="is a link, nothing is written there"):
        write(path, b"ours")
    assert outside.read_text() == "the reader's"
    assert path.is_symlink()
    assert sorted(p.name for p in outside.parent.iterdir()) == ["outside", "run"]
    assert [p.name for p in path.parent.iterdir()] == ["a.json"]


def test_names_that_could_be_foreseen_are_not_used(outside, monkeypatch):
    """Links wait under every name that an unfinished file once had."""
    run = outside.parent / "run"
    for name in ("a.json.partial", f"a.json.{os.getpid()}.partial"):
        (run / name).symlink_to(outside)
    monkeypatch.setattr("azlearn.whole_file.token_hex", lambda n: "0123456789abcdef")
    write_whole(run / "a.json", b"ours")
    (run / OURS[0]).symlink_to(outside)
    with pytest.raises(FileExistsError):  # even the one that it has now
        write_whole(run / "a.json", b"ours again")
    assert outside.read_text() == "the reader's"
    assert (run / "a.json").read_bytes() == b"ours"


@pytest.mark.parametrize("write", [write_whole, append])
def test_a_device_is_no_place_for_a_file(a_device, write):
    with pytest.raises(OSError, match="is no regular file"):
        write(a_device, b"ours")
    assert a_device.is_char_device()


def test_where_the_reader_says_a_device_stays_one_and_a_link_is_followed(outside, a_device):
    write_where_told(a_device, "gone")
    assert a_device.is_char_device()
    link = outside.parent / "link"
    link.symlink_to(outside)
    write_where_told(link, "new")
    assert (link.is_symlink(), outside.read_text()) == (True, "new")
    with pytest.raises(OSError, match="run"):
        write_where_told(outside.parent / "run", "new")


def test_nobody_waits_for_the_reader_of_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match=os.strerror(errno.ENXIO)):
        write_where_told(tmp_path / "pipe", "new")
    with pytest.raises(OSError, match="no regular file"):
        append(tmp_path / "pipe", b"new")


def test_a_folder_of_ours_is_no_link(outside):
    (outside.parent / "elsewhere").mkdir()
    (outside.parent / "run" / "kept").symlink_to(outside.parent / "elsewhere")
    with pytest.raises(OSError, match="is a link"):
        own_folder(outside.parent / "run" / "kept")
    assert own_folder(outside.parent / "run" / "a" / "b").is_dir()
    with pytest.raises(OSError, match="exists"):
        own_folder(outside)


def test_what_killed_writers_left_is_swept_away_and_nothing_else(tmp_path):
    for name in [*OURS, *NOT_OURS]:
        (tmp_path / name).write_text("")
    (tmp_path / "b.0123456789abcdef.partial").mkdir()
    (tmp_path / "c.0123456789abcdef.partial").symlink_to(tmp_path / "a.json")
    sweep(tmp_path, "other")
    assert all((tmp_path / name).exists() for name in OURS)
    sweep(tmp_path)
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {*NOT_OURS, "b.0123456789abcdef.partial", "c.0123456789abcdef.partial"}


def test_a_lock_keeps_others_out(tmp_path):
    with (
        locked(tmp_path),
        pytest.raises(BlockingIOError),
        locked(tmp_path, patience=0.05),
    ):
        pass
    with locked(tmp_path):
        pass
