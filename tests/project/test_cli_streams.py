"""`azlearn …` where little is as usual: any encoding, closed streams, a folder that is gone."""

import io
import os
import shlex
import subprocess
import sys
import sysconfig
import venv
from importlib.resources import files

import pytest
from azlearn.cli.streams import use_plain_streams

REPOSITORY = files("azlearn").parent
POSITIONS = files("azlearn") / "data" / "connect_four_positions.csv"
AS_ASCII = {"PYTHONIOENCODING": "ascii"}
AS_LATIN = {"PYTHONIOENCODING": "latin-1"}
POSIX = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def shell(command: str, cwd=None, python=sys.executable, **environment) -> tuple[int, bytes, bytes]:
    """Exit code, output and errors of a command line, with ``azlearn`` this one."""
    line = command.replace("azlearn", f"{shlex.quote(str(python))} -m azlearn", 1)
    environment = {**os.environ, **environment}
    done = subprocess.run(
        line, shell=True, capture_output=True, env=environment, cwd=cwd, check=False
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode(errors="replace")
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("locale", [AS_ASCII, AS_LATIN, POSIX], ids=["ascii", "latin-1", "posix"])
@pytest.mark.parametrize(
    "command",
    [
        "--help",
        "progress",
        "doctor",
        "alphago --report",
        "watch connect4 --once",
        "evaluate nobody",
    ],
)
def test_every_encoding_will_do(command, locale):
    code, out, err = shell(f"azlearn {command}", **locale)
    assert code == (2 if command.endswith("nobody") else 0), err
    assert out
    encoding = "latin-1" if locale is AS_LATIN else "ascii"
    (out + err).decode(encoding)


def test_a_python_in_a_folder_with_an_umlaut_will_do(tmp_path):
    venv.create(tmp_path / "Dröge", with_pip=False)
    packages = next((tmp_path / "Dröge").glob("lib/python*/site-packages"))
    packages.rmdir()
    packages.symlink_to(sysconfig.get_paths()["purelib"])
    python = tmp_path / "Dröge/bin/python"
    train = "azlearn train --device cuda:99 --out run"
    code, _, err = shell(train, tmp_path, python, PYTHONPATH=str(REPOSITORY), **POSIX)
    assert (code, b"cuda:99" in err) == (2, True), err  # it is PyTorch that counts the GPUs


def test_marks_and_curves_can_be_told_apart_in_ascii():
    bytes_ = io.BytesIO()
    stream = io.TextIOWrapper(bytes_, encoding="ascii")
    before, sys.stdout = sys.stdout, stream
    try:
        use_plain_streams()
        print("✓ ✗ ● ■ ▁▄█ loading … 3 µs \udcff 木")
        stream.flush()
    finally:
        sys.stdout = before
    assert bytes_.getvalue() == b"+ x X O 148 loading ... 3 us ? ?\n"


def test_a_keyboard_that_is_closed_ends_the_game():
    code, out, err = shell("azlearn play uct@5 <&-")
    assert (code, err) == (0, b"")
    assert out.rstrip().endswith(b"your move:")


def test_bytes_that_are_no_text_are_no_move():
    code, out, err = shell(r"printf '\377\n4\nq\n' | azlearn play random", LC_ALL="C.UTF-8")
    assert (code, err) == (0, b"")
    assert b"is no move here: 1, 2, 3" in out
    assert b"It plays" in out


@pytest.mark.parametrize("closed", [">&-", "<&- >&- 2>&-"])
def test_a_closed_output_ends_nothing(closed, tmp_path):
    command = f"azlearn match random random --games 2 --out games.jsonl {closed}"
    assert shell(command, cwd=tmp_path)[0] == 0
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize("command", ["train --iterations 1", "doctor"])
def test_a_folder_that_is_gone_is_one_sentence(command, tmp_path):
    (tmp_path / "gone").mkdir()
    code, out, err = shell(f'rmdir "$PWD"; azlearn {command}', cwd=tmp_path / "gone")
    assert (code, out) == (2, b"")
    assert err == b"azlearn: The folder that you are in is gone: go to another one.\n"


@pytest.mark.parametrize("value", ["0", "-3"])
def test_no_threads_are_one_sentence(value):
    code, _, err = shell("azlearn match uct@5 random --games 2", NUMBA_NUM_THREADS=value)
    said = f"azlearn: NUMBA_NUM_THREADS must be a whole number, at least 1, not {value}: unset"
    assert (code, err.decode().startswith(said)) == (2, True)


def test_a_table_from_a_spreadsheet_begins_with_a_mark(tmp_path):
    lines = POSITIONS.read_bytes().splitlines(keepends=True)
    (tmp_path / "bom.csv").write_bytes(b"\xef\xbb\xbf" + b"".join(lines[:11]))
    code, out, _ = shell("azlearn evaluate random --positions bom.csv --json", cwd=tmp_path)
    assert (code, b'"n": 10' in out) == (0, True)
