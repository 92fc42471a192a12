"""The imports of azlearn go downward only; the contract itself notices an arrow that goes up."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def lint_imports(folder: Path) -> subprocess.CompletedProcess:
    program = Path(sys.executable).with_name("lint-imports")
    return subprocess.run(
        [program, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False
    )


def test_the_arrows_of_the_package_point_down():
    done = lint_imports(ROOT)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("module", "forbidden"),
    [
        ("games", "azlearn.search"),
        ("arena", "azlearn.viz"),
        ("viz", "azlearn.arena"),
        ("course", "azlearn.cli"),
    ],
)
def test_an_arrow_that_points_up_is_caught(tmp_path, module, forbidden):
    package = tmp_path / "azlearn"
    for name in ("games", "search", "arena", "viz", "course"):
        (package / name).mkdir(parents=True)
        (package / name / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    (package / "cli.py").write_text("")
    (package / module / "up.py").write_text(f"import {forbidden}\n")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    done = lint_imports(tmp_path)
    assert done.returncode == 1
    assert f"azlearn.{module}" in done.stdout
