"""Writing is whole or not at all, and goes into the folder that it is meant for."""

import errno
import fcntl
import os
import stat

import pytest

from azlearn.atomic_io import atomic_write, locked, sweep, write_user_path
from azlearn.learning.files import LOCK_FILE, exclusive_lock
from tests.learning.disk import Disk

OURS = "a.json.0123456789abcdef.partial"
NOT_OURS = [
    "a.partial", "a.json.partial", "a.json.0123456789abcdeg.partial", "a.json",
    "notes.0123456789abcdef.partial.txt",
]  # fmt: skip


@pytest.fixture
def outside(tmp_path):
    (tmp_path / "outside").write_text("the reader's")
    (tmp_path / "run").mkdir()
    return tmp_path / "outside"


def test_a_link_is_replaced_and_not_followed(outside):
    path = outside.parent / "run" / "a.json"
    path.symlink_to(outside)
    atomic_write(path, b"ours")
    assert (outside.read_text(), path.read_text()) == ("the reader's", "ours")
    assert not path.is_symlink()


def test_a_name_that_was_foreseen_is_not_written_to(outside, monkeypatch):
    run = outside.parent / "run"
    monkeypatch.setattr("azlearn.atomic_io.token_hex", lambda n: "0123456789abcdef")
    (run / OURS).symlink_to(outside)
    with pytest.raises(FileExistsError):
        atomic_write(run / "a.json", b"ours")
    assert outside.read_text() == "the reader's"


def test_where_the_reader_says_a_device_stays_one_and_a_link_is_followed(outside, a_device):
    write_user_path(a_device, "gone")
    assert a_device.is_char_device()
    link = outside.parent / "link"
    link.symlink_to(outside)
    write_user_path(link, "new")
    assert (link.is_symlink(), outside.read_text()) == (True, "new")
    with pytest.raises(OSError, match="run"):
        write_user_path(outside.parent / "run", "new")
    os.mkfifo(outside.parent / "pipe")
    with pytest.raises(OSError, match=os.strerror(errno.ENXIO)):  # nobody waits for its reader
        write_user_path(outside.parent / "pipe", "new")


def test_a_full_disk_leaves_the_file_as_it_was_and_names_it(tmp_path):
    path = tmp_path / "file"
    atomic_write(path, b"old")
    full = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(OSError, match=f"device: '{path}'"), Disk(1, full).in_use():
        atomic_write(path, b"new")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("length", [61, 143, 255])
def test_what_killed_writers_left_is_swept_away_and_nothing_else(tmp_path, length):
    path = tmp_path / ("ä" * (length - 5)).encode()[: length - 5].decode(errors="ignore")
    path = path.with_name(f"{path.name}.json")  # as long as a disk takes it
    atomic_write(path, b"new")
    left = tmp_path / f"{path.name[:60]}.0123456789abcdef.partial"
    for name in (OURS, left.name, *NOT_OURS):
        (tmp_path / name).write_text("")
    (tmp_path / "b.0123456789abcdef.partial").mkdir()
    sweep(tmp_path, path.name)
    assert not left.exists()
    assert (tmp_path / OURS).exists()
    sweep(tmp_path)
    names = {found.name for found in tmp_path.iterdir()}
    assert names == {path.name, *NOT_OURS, "b.0123456789abcdef.partial"}


@pytest.fixture
def refused(monkeypatch):
    """Makes a system call fail for some descriptors, as disks do that do not know it."""

    def refuse(module, name, code, of=lambda mode: True):
        real = getattr(module, name)

        def call(descriptor, *arguments):
            if of(os.fstat(descriptor).st_mode):
                raise OSError(getattr(errno, code), os.strerror(getattr(errno, code)))
            return real(descriptor, *arguments)

        monkeypatch.setattr(module, name, call)

    return refuse


@pytest.mark.parametrize(
    ("code", "of"), [("EINVAL", stat.S_ISREG), ("EACCES", stat.S_ISDIR), ("EBADF", stat.S_ISDIR)]
)
def test_a_disk_that_cannot_sync_is_written_to_and_one_that_fails_is_told(
    tmp_path, refused, code, of
):
    refused(os, "fsync", code, of)
    atomic_write(tmp_path / "a", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"new")]
    refused(os, "fsync", "EIO")
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        atomic_write(tmp_path / "a", b"newer")
    assert (tmp_path / "a").read_bytes() == b"new"


@pytest.mark.parametrize("name", [".", "lock"])
def test_a_lock_keeps_others_out_and_goes_with_its_file(tmp_path, name):
    lock = tmp_path / name
    for _ in range(2):
        with locked(lock) as is_locked:
            assert is_locked
            with pytest.raises(BlockingIOError), locked(lock, patience=0.05):
                pass
        assert list(tmp_path.iterdir()) == []
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="link"), locked(tmp_path / "link"):
        pass
    assert not (tmp_path / "elsewhere").exists()


def test_where_a_disk_knows_no_locks_the_reader_is_asked_to_see_to_it(tmp_path, refused):
    refused(fcntl, "flock", "ENOLCK")
    said = "make sure that no other process trains"
    with pytest.warns(UserWarning, match=said), exclusive_lock(tmp_path):
        (tmp_path / "begun").touch()
    assert [path.name for path in tmp_path.iterdir()] == ["begun"]


@pytest.mark.parametrize("code", ["EAGAIN", "EACCES"])
def test_a_folder_in_use_is_refused(tmp_path, refused, code):
    refused(fcntl, "flock", "EBADF", stat.S_ISDIR)  # a network drive locks no folders
    with exclusive_lock(tmp_path):
        assert (tmp_path / LOCK_FILE).exists()
        with pytest.raises(ValueError, match="is in use"), exclusive_lock(tmp_path):
            pass
        refused(fcntl, "flock", code)
        with pytest.raises(ValueError, match="is in use"), exclusive_lock(tmp_path):
            pass
