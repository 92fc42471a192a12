"""Writing goes into the folder that it is meant for, over files, and nowhere else."""

import errno
import fcntl
import os
import stat

import pytest

from azlearn.learning.files import LOCK_FILE, sole_use
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


@pytest.fixture
def refused(monkeypatch):
    """Makes a system call fail for some descriptors, as disks do that do not know it."""

    def refuse(module, name, code, of=lambda mode: True):
        real = getattr(module, name)

        def call(descriptor, *arguments):
            if of(os.fstat(descriptor).st_mode):
                raise OSError(code, os.strerror(code))
            return real(descriptor, *arguments)

        monkeypatch.setattr(module, name, call)

    return refuse


@pytest.mark.parametrize("code", ["EINVAL", "EOPNOTSUPP", "EBADF", "EACCES", "EPERM", "ENOSYS"])
@pytest.mark.parametrize("of", [stat.S_ISDIR, stat.S_ISREG])
def test_a_disk_that_cannot_sync_is_written_to(tmp_path, refused, code, of):
    refused(os, "fsync", getattr(errno, code), of)
    write_whole(tmp_path / "a", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"new")]


@pytest.mark.parametrize("code", ["EIO", "ENOSPC", "EDQUOT"])
def test_a_disk_that_fails_to_sync_is_told(tmp_path, refused, code):
    refused(os, "fsync", getattr(errno, code), stat.S_ISDIR)
    with pytest.raises(OSError, match=os.strerror(getattr(errno, code))):
        write_whole(tmp_path / "a", b"new")


@pytest.mark.parametrize("length", [61, 143, 255])
def test_names_as_long_as_a_disk_takes_them(tmp_path, length):
    path = tmp_path / ("ä" * (length - 5)).encode()[: length - 5].decode(errors="ignore")
    path = path.with_name(f"{path.name}.json")
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    left = tmp_path / f"{path.name[:60]}.0123456789abcdef.partial"
    left.touch()
    sweep(tmp_path, path.name)
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


def test_the_lock_of_a_file_goes_with_it(tmp_path):
    lock = tmp_path / "lock"
    with locked(lock) as is_locked:
        assert is_locked
        assert lock.exists()
        with pytest.raises(BlockingIOError), locked(lock, patience=0.05):
            pass
        assert lock.exists()
    assert list(tmp_path.iterdir()) == []
    lock.touch()  # of a process that was killed
    with locked(lock) as is_locked:
        assert is_locked
    lock.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OSError, match="is a link"), locked(lock):
        pass
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("code", ["ENOLCK", "EBADF", "EOPNOTSUPP", "ENOSYS", "EINVAL"])
def test_where_a_disk_knows_no_locks_the_reader_is_asked_to_see_to_it(tmp_path, refused, code):
    refused(fcntl, "flock", getattr(errno, code))
    said = "make sure that no other process trains"
    with pytest.warns(UserWarning, match=said), sole_use(tmp_path):
        (tmp_path / "begun").touch()
    assert [path.name for path in tmp_path.iterdir()] == ["begun"]


def test_the_lock_of_a_folder_in_use_is_one_that_other_machines_see(tmp_path, refused):
    """A network drive locks no folders beyond this machine, and files only if opened to write."""
    refused(fcntl, "flock", errno.EBADF, stat.S_ISDIR)
    with sole_use(tmp_path):
        descriptor = os.open(tmp_path / LOCK_FILE, os.O_RDWR)
        with pytest.raises(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(descriptor)
        with pytest.raises(ValueError, match="is in use"), sole_use(tmp_path):
            pass


@pytest.mark.parametrize("code", ["EAGAIN", "EACCES"])
def test_a_lock_that_another_process_has(tmp_path, refused, code):
    refused(fcntl, "flock", getattr(errno, code))
    with pytest.raises(ValueError, match="is in use"), sole_use(tmp_path):
        pass
