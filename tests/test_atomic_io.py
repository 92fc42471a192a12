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
NOT_OURS = ["a.partial", "a.json.0123456789abcdeg.partial", "b.0123456789abcdef.partial.txt"]


def test_links_are_replaced_and_not_followed_even_where_their_name_was_foreseen(
    tmp_path, monkeypatch
):
    (outside := tmp_path / "outside").write_text("the reader's")
    (path := tmp_path / "a.json").symlink_to(outside)
    atomic_write(path, b"ours")
    assert (path.read_text(), path.is_symlink()) == ("ours", False)
    monkeypatch.setattr("azlearn.atomic_io.token_hex", lambda n: "0123456789abcdef")
    (tmp_path / OURS).symlink_to(outside)
    with pytest.raises(FileExistsError):
        atomic_write(path, b"ours")
    assert outside.read_text() == "the reader's"


def test_where_the_reader_says_a_device_stays_one_and_a_link_is_followed(tmp_path, a_device):
    write_user_path(a_device, "gone")
    assert a_device.is_char_device()
    (link := tmp_path / "link").symlink_to(tmp_path / "new")
    write_user_path(link, "new")
    assert (link.is_symlink(), link.resolve().read_text()) == (True, "new")
    with pytest.raises(OSError, match=str(tmp_path)):
        write_user_path(tmp_path, "new")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match=os.strerror(errno.ENXIO)):  # nobody waits for its reader
        write_user_path(tmp_path / "pipe", "new")


def test_a_full_disk_or_text_that_is_not_utf_8_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "file"
    atomic_write(path, b"old")
    full = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(OSError, match=f"device: '{path}'"), Disk(1, full).in_use():
        atomic_write(path, b"new")
    with pytest.raises(UnicodeEncodeError):
        atomic_write(path, "\udcfc")
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_what_killed_writers_left_is_swept_away_and_nothing_else(tmp_path):
    path = tmp_path / f"{'ä' * 125}.json"  # as long as a disk takes it
    atomic_write(path, b"new")
    left = tmp_path / f"{path.name[:60]}.0123456789abcdef.partial"
    for name in (OURS, left.name, *NOT_OURS):
        (tmp_path / name).write_text("")
    for prefix, kept in ((path.name, [OURS]), ("", [])):
        sweep(tmp_path, prefix)
        names = {found.name for found in tmp_path.iterdir()}
        assert names == {path.name, *NOT_OURS, *kept}


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


def test_a_disk_that_cannot_sync_is_written_to_and_one_that_fails_is_told(tmp_path, refused):
    refused(os, "fsync", "EINVAL", stat.S_ISREG)
    refused(os, "fsync", "EACCES", stat.S_ISDIR)
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
    said = "Make sure that no other process uses it"
    with pytest.warns(UserWarning, match=said), exclusive_lock(tmp_path):
        (tmp_path / "begun").touch()
    assert [path.name for path in tmp_path.iterdir()] == ["begun"]


def test_a_folder_in_use_is_refused(tmp_path, refused):
    refused(fcntl, "flock", "EBADF", stat.S_ISDIR)  # a network drive locks no folders
    with exclusive_lock(tmp_path):
        assert (tmp_path / LOCK_FILE).exists()
        for code in (None, "EACCES"):  # as some drives say that it is locked
            if code:
                refused(fcntl, "flock", code)
            with pytest.raises(ValueError, match="is in use"), exclusive_lock(tmp_path):
                pass
