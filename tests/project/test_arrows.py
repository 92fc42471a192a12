"""`make test` runs the contract of imports; here it notices each arrow that points up."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
UPWARD = {"games": "search", "arena": "viz", "viz": "arena", "course": "cli"}


def test_an_arrow_that_points_up_is_caught(tmp_path):
    package = tmp_path / "azlearn"
    for name in {*UPWARD, *UPWARD.values()}:
        (package / name).mkdir(parents=True)
        (package / name / "__init__.py").write_text("")
    (package / "__init__.py").write_text("")
    for module, forbidden in UPWARD.items():
        (package / module / "up.py").write_text(f"import azlearn.{forbidden}\n")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    program = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([program, "--no-cache"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    for module, forbidden in UPWARD.items():
        assert f"azlearn.{module} is not allowed to import azlearn.{forbidden}" in done.stdout
