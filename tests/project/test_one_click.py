"""Dockerfile, dev container and Colab: what they name exists, and agrees with the project.

The services themselves are not asked; docs/teaching.md says what was tried by hand.
"""

import json
import re
import shlex
from pathlib import Path

import nbformat
import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from tools import colab
from tools.notebooks import KIND

ROOT = Path(__file__).resolve().parents[2]
WELCOME = "notebooks/00_welcome.ipynb"
REPOSITORY = "https://github.com/OWNER/azlearn"

# Docker's instructions; ONBUILD and MAINTAINER are left out.
INSTRUCTIONS = {
    "ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL",
    "RUN", "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR",
}  # fmt: skip

# The types of the keys that we use, from devContainer.base.schema.json of devcontainers/spec.
# It knows no other keys than those that it lists.
SCHEMA = {
    "name": str, "build": dict, "remoteUser": str, "onCreateCommand": (str, list, dict),
    "forwardPorts": list, "portsAttributes": dict, "customizations": dict,
}  # fmt: skip
AUTO_FORWARD = {"notify", "openBrowser", "openBrowserOnce", "openPreview", "silent", "ignore"}


def instructions() -> list[tuple[str, str]]:
    """[("FROM", "python:…"), …], with joined lines."""
    lines = (ROOT / "Dockerfile").read_text("utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
    joined = re.sub(r"\\\n\s*", "", text)
    found = [line.partition(" ")[::2] for line in joined.splitlines() if line.strip()]
    return [(word, rest.strip()) for word, rest in found]


def arguments(word: str) -> list[str]:
    return [rest for name, rest in instructions() if name == word]


def defaults() -> dict[str, str]:
    """{"NB_USER": "jovyan", …}"""
    pairs = (shlex.split(rest)[0].partition("=")[::2] for rest in arguments("ARG"))
    return dict(pairs)


def test_the_dockerfile_has_one_stage_with_a_python_of_the_project():
    words = [word for word, _ in instructions()]
    assert set(words) <= INSTRUCTIONS
    assert words[0] == "FROM"
    assert words.count("FROM") == words.count("CMD") == 1
    version = re.fullmatch(r"python:(3\.\d+)-slim-[a-z]+", arguments("FROM")[0])[1]
    needed = re.search(r'^requires-python = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.M)
    assert Version(version) in SpecifierSet(needed[1])


def test_what_the_dockerfile_copies_exists_and_the_environment_of_the_clone_stays_out():
    for rest in arguments("COPY") + arguments("ADD"):
        *sources, _ = [word for word in shlex.split(rest) if not word.startswith("--")]
        assert sources
        assert all((ROOT / source).exists() for source in sources)
    left_out = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    ignored = (ROOT / ".gitignore").read_text("utf-8").splitlines()
    for name in (".venv", "build", "runs"):
        assert name in left_out
        assert name in [line.rstrip("/") for line in ignored]
    assert not {"azlearn", "tools", "Makefile", "notebooks", "exercises"} & set(left_out)


def test_binder_can_start_the_image():
    """Its rules: the user NB_USER with the number NB_UID, the repository in HOME, JupyterLab."""
    given = instructions()
    assert defaults().keys() >= {"NB_USER", "NB_UID"}
    assert defaults()["NB_UID"] == "1000"
    assert ("COPY", ". ${HOME}") in given
    assert ("WORKDIR", "${HOME}") in given
    assert arguments("USER") == ["${NB_USER}"]
    assert not arguments("ENTRYPOINT")
    assert any("HOME=/home/${NB_USER}" in rest for rest in arguments("ENV"))
    assert any("useradd" in rest and "--uid ${NB_UID}" in rest for rest in arguments("RUN"))
    # Without these folders, it takes the root's Dockerfile, and prefers it to environment.yml.
    assert not (ROOT / "binder").exists()
    assert not (ROOT / ".binder").exists()


def test_the_image_is_installed_by_make_with_the_small_pytorch_and_starts_jupyterlab():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    (run,) = [rest for rest in arguments("RUN") if "TORCH_ARGS" in rest]
    (target,) = re.findall(r"\bmake ([a-z]+)", run)
    assert re.search(rf"^{target}: install\b", makefile, re.M)
    assert 'TORCH_ARGS="${TORCH_ARGS}"' in run
    assert "https://download.pytorch.org/whl/cpu" in defaults()["TORCH_ARGS"]
    assert "https://download.pytorch.org/whl/cpu" in makefile
    (apt,) = [rest for rest in arguments("RUN") if "apt-get install" in rest]
    assert {"bubblewrap", "git", "gnugo", "graphviz", "make"} <= set(apt.split())
    command = json.loads(arguments("CMD")[0])
    assert command[:2] == ["jupyter", "lab"]
    assert {"--ip=0.0.0.0", "--port=8888"} <= set(command)
    assert f"--LabApp.default_url=/lab/tree/{WELCOME}" in command


def test_the_dev_container_builds_the_dockerfile_and_opens_the_welcome_chapter():
    path = ROOT / ".devcontainer" / "devcontainer.json"
    given = json.loads(path.read_text("utf-8"))
    assert given.keys() <= SCHEMA.keys()
    assert all(isinstance(value, SCHEMA[key]) for key, value in given.items())
    assert given["build"].keys() <= {"dockerfile", "context", "args", "target", "cacheFrom"}
    assert (path.parent / given["build"]["dockerfile"]).resolve() == ROOT / "Dockerfile"
    assert (path.parent / given["build"]["context"]).resolve() == ROOT
    assert given["remoteUser"] == defaults()["NB_USER"]
    assert given["forwardPorts"] == [8888]
    assert given["portsAttributes"]["8888"]["onAutoForward"] in AUTO_FORWARD
    custom = given["customizations"]
    assert custom["codespaces"]["openFiles"] == [WELCOME]
    assert (ROOT / WELCOME).exists()
    assert custom["vscode"]["extensions"] == ["ms-python.python", "ms-toolsai.jupyter"]


@pytest.fixture(scope="module", params=["", REPOSITORY], ids=["unpublished", "published"])
def written(request, tmp_path_factory):
    """(the address of the repository, the folder of the notebooks)."""
    folder = tmp_path_factory.mktemp("colab")
    colab.write_notebooks(folder, request.param)
    return request.param, folder


@pytest.mark.parametrize("chapter", colab.CHAPTERS)
def test_a_notebook_for_colab(written, chapter):
    repository, folder = written
    path = folder / f"{chapter}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    first, second = notebook.cells[:2]
    place = f"{REPOSITORY}/raw/colab" if repository else "/content"
    assert f'WHEEL_URL = "{place}/azlearn-' in first.source
    assert "%pip install --quiet --no-deps {WHEEL_URL}" in first.source
    assert first.source.endswith("output.enable_custom_widget_manager()")
    assert second.source.startswith(f"# {chapter[:2]} · ")
    text = path.read_text("utf-8")
    assert KIND not in text
    assert "widget-view" not in text
    for target in links(notebook):
        assert target.startswith(("https://", "#")), target
    assert (f"{REPOSITORY}/blob/main/notebooks/" in text) is bool(repository)
    original = nbformat.read(ROOT / "notebooks" / path.name, as_version=4)
    left_out = [cell for cell in original.cells if colab.LEFT_OUT in cell.source]
    assert len(notebook.cells) == len(original.cells) + 1 - 2 * len(left_out)


def links(notebook) -> list[str]:
    """The targets of all links in texts and outputs, also of pictures that lie beside a page."""
    outputs = [
        output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", ())
    ]
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    texts += [
        data[kind] for data in outputs for kind in ("text/html", "text/markdown") if kind in data
    ]
    found = [target for text in texts for target in re.findall(r"\]\(([^)\s]+)", text)]
    found += [target for text in texts for target in re.findall(r"(?:href|src)=\"([^\"]+)", text)]
    return [target for target in found if not target.startswith("data:")]


def test_links_lead_to_a_file_of_the_repository():
    text = '[a](../docs/x.md#b), [c](01_d.ipynb) and [e](https://f.example), <a href="../g">h</a>'
    assert colab.absolute_links(text, "") == "a, c and [e](https://f.example), h"
    base = f"{REPOSITORY}/blob/main"
    assert colab.absolute_links(text, REPOSITORY) == (
        f"[a]({base}/docs/x.md#b), [c]({base}/notebooks/01_d.ipynb) and [e](https://f.example),"
        f' <a href="{base}/g">h</a>'
    )


def test_colab_keeps_the_packages_of_its_own_page_and_kernel():
    """Its page draws the widgets of ipywidgets 7, and its own package pins ipykernel."""
    source = colab.first_cell("https://x.example/w.whl")
    asked = {Requirement(line).name for line in re.findall(r'"([a-z]\S*>=\S+)"', source)}
    assert {"anywidget", "sgfmill", "torch", "tyro"} <= asked
    assert not asked & colab.LEFT_AS_THEY_ARE


def test_all_addresses_come_from_one_variable(tmp_path, capsys):
    assert colab.main(["--out", str(tmp_path), "--repository", REPOSITORY + ".git"]) == 0
    said = capsys.readouterr().out
    assert "Codespaces: https://codespaces.new/OWNER/azlearn\n" in said
    assert "https://mybinder.org/v2/gh/OWNER/azlearn/main?urlpath=lab/tree/" + WELCOME in said
    assert "/github/OWNER/azlearn/blob/colab/00_welcome.ipynb" in said
    assert colab.main(["--out", str(tmp_path), "--repository", "azlearn"]) == 2
    assert (
        "REPOSITORY must be https://github.com/OWNER/NAME, not 'azlearn'" in capsys.readouterr().err
    )
