"""pyproject.toml, constraints.txt, environment.yml and the Makefile say the same thing."""

import ast
import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

tomllib = pytest.importorskip("tomllib", reason="Python 3.10 has no tomllib")

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
EXTRAS = PYPROJECT["project"]["optional-dependencies"]

# conda-forge calls these by another name than PyPI.
CONDA_NAMES = {
    "pytorch": "torch",
    "python-graphviz": "graphviz",
    "python-fastjsonschema": "fastjsonschema",
}
NOT_PYTHON = {"python", "pip", "graphviz"}


def bounds(lines) -> dict[str, str]:
    """{'numpy': '>=1.26', …} of requirement lines."""
    requirements = map(Requirement, lines)
    return {canonicalize_name(r.name): str(r.specifier) for r in requirements}


def needed() -> dict[str, str]:
    return bounds(PYPROJECT["project"]["dependencies"] + EXTRAS["test"])


def environment() -> dict[str, str]:
    packages = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    (from_pip,) = (entry["pip"] for entry in packages if isinstance(entry, dict))
    from_conda = [entry for entry in packages if isinstance(entry, str)]
    found = bounds(line for line in from_pip if not line.startswith("-e"))
    for name, bound in bounds(line.split("#")[0] for line in from_conda).items():
        if name not in NOT_PYTHON:
            found[CONDA_NAMES.get(name, name)] = bound
    return found


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pairs = [line.split("==") for line in lines if line and not line.startswith("#")]
    return {canonicalize_name(name): version for name, version in pairs}


def test_conda_users_get_the_same_packages_bounds_and_pythons():
    assert environment() == needed()
    packages = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    (python,) = (Requirement(p) for p in packages if isinstance(p, str) and p.startswith("python>"))
    assert python.specifier == SpecifierSet(PYPROJECT["project"]["requires-python"])


def test_constraints_pin_each_package_inside_its_range_and_name_no_build_path_or_address():
    for name, bound in needed().items():
        specifier = Requirement(f"{name}{bound}").specifier
        assert specifier.contains(pins()[name]), f"{name} {pins()[name]} is outside {specifier}"
    assert bounds(EXTRAS["benchmarks"]).keys() <= pins().keys()
    text = (ROOT / "constraints.txt").read_text()
    pinned = [line for line in text.splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line) for line in pinned)


def make(*arguments: str) -> str:
    """What make prints; without the options of the make that runs the tests."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("M")}
    command = ["make", "--dry-run", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=env, capture_output=True, text=True, check=True
    ).stdout


def test_ci_runs_every_test_once():
    ran = (ROOT / ".ci" / "run").read_text()
    assert re.findall(r"^make ([\w-]+)", ran, re.M) == ["test", "test-slow", "kernels"]
    steps = {target: make(target) for target in ("test", "test-slow")}
    for target, mark in (("test", "not slow"), ("test-slow", "slow")):
        for kind in ("not browser", "browser"):
            assert steps[target].count(f'-m "{kind} and ({mark})"') == 1
    ran_cells = " ".join(said.partition("--nbval")[2] for said in steps.values())
    kept = [str(path.relative_to(ROOT)) for path in ROOT.glob("[ns]o*/*.ipynb")]
    assert sorted(re.findall(r"\S+\.ipynb", ran_cells)) == sorted(kept)
    for step in ("ruff check", "lint-imports", "build_exercises.py --check", "tests.summary"):
        assert step in steps["test"], f"make test leaves out {step}"


def imported_roots(tree: ast.AST) -> set[str]:
    """{"numpy", …} of all imports below a node."""
    roots = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            roots |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            roots.add(node.module.split(".")[0])
    return roots


def test_what_azlearn_imports_is_what_it_asks_for():
    trees = (ast.parse(path.read_text()) for path in (ROOT / "azlearn").rglob("*.py"))
    owners = importlib.metadata.packages_distributions()
    foreign = set().union(*map(imported_roots, trees)) - sys.stdlib_module_names
    foreign -= {"azlearn"}
    imported = {root: {canonicalize_name(d) for d in owners.get(root, [root])} for root in foreign}
    # These come with a package that is asked for, and are part of what it promises.
    comes_with = {"IPython": "ipykernel", "jupyter_core": "jupyterlab", "traitlets": "ipywidgets"}
    comes_with["nbconvert"] = "jupyterlab"  # through jupyter_server, which writes its pages with it
    asked = bounds(PYPROJECT["project"]["dependencies"]).keys()
    undeclared = {
        root for root, names in imported.items() if not names & asked and root not in comes_with
    }
    assert undeclared == set(bounds(EXTRAS["solver"]))  # the optional one
