"""The wheel: all that the package needs, and it runs in an environment of its own."""

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from azlearn.course.solutions import solution_source

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow


def run(*command, cwd, **more):
    done = subprocess.run(
        list(map(str, command)), cwd=cwd, capture_output=True, text=True, timeout=300, **more
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from a copy of the files that git knows, links as links; nothing is downloaded."""
    tree, out = (tmp_path_factory.mktemp(name) for name in ("tree", "wheel"))
    _, listed, _ = run("git", "ls-files", cwd=ROOT)
    if not listed:
        pytest.skip("not a git checkout")
    for name in filter(lambda name: os.path.lexists(ROOT / name), listed.splitlines()):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tree / name, follow_symlinks=False)
    options = ["--no-deps", "--no-build-isolation", "--disable-pip-version-check", "-q"]
    code, _, said = run(sys.executable, "-m", "pip", "wheel", *options, "-w", out, tree, cwd=tree)
    assert code == 0, said
    (built,) = out.glob("azlearn-*.whl")
    return built, tree


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """A function that runs `azlearn` of the wheel, in a folder without the clone.

    The environment sees this one's packages, so that torch is not installed again.
    """
    home = tmp_path_factory.mktemp("clean")
    venv.create(home / "env", with_pip=False)
    python = home / "env" / "bin" / "python"
    _, place, _ = run(python, "-c", "import site; print(site.getsitepackages()[0])", cwd=home)
    place = Path(place.strip())
    with zipfile.ZipFile(wheel[0]) as archive:
        archive.extractall(place)
    others = [path for path in sys.path if path.endswith("site-packages")]
    (place / "others.pth").write_text("\n".join(others) + "\n")
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env |= {"AZLEARN_PROGRESS": str(home / "progress.json")}
    env |= {"JUPYTER_PATH": str(Path(sys.prefix) / "share" / "jupyter")}  # JupyterLab's own part

    def azlearn(*words, **more):
        return run(python, "-m", "azlearn", *words, cwd=home, env=env, **more)

    code, where, _ = run(python, "-c", "import azlearn; print(azlearn.__file__)", cwd=home, env=env)
    assert (code, Path(where.strip()).parent.parent) == (0, place), "this is another azlearn"
    return azlearn, home


def test_the_wheel_holds_every_file_of_the_package_and_no_other(wheel):
    built, tree = wheel
    with zipfile.ZipFile(built) as archive:
        packed = {name for name in archive.namelist() if name.startswith("azlearn/")}
    handout = "azlearn/course/handout"
    wanted = {
        str(path.relative_to(tree))
        for path in (tree / "azlearn").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    for name in ("notebooks", "exercises"):
        wanted |= {f"{handout}/{name}/{path.name}" for path in (tree / name).glob("*.ipynb")}
    assert packed == wanted
    assert not any("solutions/" in name for name in packed)


def test_the_doctor_and_a_game_run_without_the_clone(installed):
    azlearn, _ = installed
    code, said, error = azlearn("doctor")
    assert code == 0, said + error
    assert "widgets" in said
    assert len(said.strip().splitlines()) == 12  # none is cut or wrapped
    code, said, error = azlearn("play", "--game", "tictactoe", input="5\nq\n")
    assert code == 0, error
    assert "It plays" in said


def test_a_search_is_written_as_a_page(installed):
    azlearn, home = installed
    code, said, error = azlearn("explore", "connect4@20", "--moves", "44443", "--out", "page.html")
    assert code == 0, error
    assert "Open page.html in any browser" in said
    assert "<title>A search on Connect Four" in (home / "page.html").read_text()


def test_the_course_is_unpacked_once_and_never_over_a_readers_files(installed):
    azlearn, home = installed
    code, said, error = azlearn("course", "my lessons")
    assert code == 0, error
    assert "jupyter lab 'my lessons/notebooks/00_welcome.ipynb'" in said
    for name in ("notebooks", "exercises"):
        ours = {path.name: path.read_bytes() for path in (ROOT / name).glob("*.ipynb")}
        theirs = {path.name: path.read_bytes() for path in (home / "my lessons" / name).iterdir()}
        assert theirs.items() <= ours.items()
        assert len(theirs) > 10
    body = solution_source("3.3").splitlines()[-1].strip()
    exercises = home / "my lessons" / "exercises"
    assert not any(body in path.read_text() for path in exercises.iterdir())

    mine = home / "my lessons" / "exercises" / "03_exercises.ipynb"
    mine.write_text("my answers")
    (home / "my lessons" / "notebooks" / "00_welcome.ipynb").unlink()
    code, _, error = azlearn("course", "my lessons")
    assert code == 2
    assert error.startswith("azlearn: my lessons/README.md and ")
    assert error.endswith("Choose another folder. Nothing was written.\n")
    assert mine.read_text() == "my answers"
    assert not (home / "my lessons" / "notebooks" / "00_welcome.ipynb").exists()
