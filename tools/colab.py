"""Writes three chapters as notebooks for Google Colab, and the wheel that they install.

``make colab`` writes them to build/colab. Each begins with a cell that installs azlearn from
WHEEL_URL. Two options, variables of make, hold the addresses:

REPOSITORY
    The repository on GitHub, such as https://github.com/OWNER/azlearn. With it, links to other
    chapters, exercises and files lead there. Without it, a relative link becomes plain text,
    because Colab opens a notebook without its folder.
WHEEL_URL
    Where the wheel is. By default it is in the branch ``colab`` of REPOSITORY or, without
    REPOSITORY, in the folder /content of Colab, into which you upload it.
"""

import argparse
import posixpath
import re
import sys
from pathlib import Path

import nbformat
from packaging.requirements import Requirement

try:
    import tomllib
except ModuleNotFoundError:  # Python 3.10
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from tools.notebooks import KIND, clean, is_folded, write  # noqa: E402

CHAPTERS = ("00_welcome", "10_self_play", "13_gpu")
ON_A_GPU = ("13_gpu",)
BRANCH = "colab"  # holds what `make colab` writes
# Colab's page and kernel need its own versions of these; the three chapters run with them.
LEFT_AS_THEY_ARE = {"ipykernel", "ipywidgets", "jupyterlab", "nbclient", "tensorboard"}
# It checks the packages of JupyterLab, which Colab does not use.
LEFT_OUT = "azlearn.course.doctor"

_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)")
_MARKDOWN_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
_HTML_LINK = re.compile(r"<a\b[^>]*?\bhref=\"([^\"]*)\"[^>]*>(.*?)</a>", re.S)


def first_cell(wheel_url: str) -> str:
    """The code that installs azlearn in Colab and lets Colab show its widgets."""
    lines = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    needed = [line for line in lines if Requirement(line).name not in LEFT_AS_THEY_ARE]
    packages = " ".join(f'"{line}"' for line in needed)
    return (
        "# Installs azlearn and lets Colab show its widgets. Run this cell first.\n"
        f'WHEEL_URL = "{wheel_url}"\n'
        "%pip install --quiet --no-deps {WHEEL_URL}\n"
        f"%pip install --quiet {packages}\n"
        "from google.colab import output\n\n"
        "output.enable_custom_widget_manager()"
    )


def for_colab(
    notebook: nbformat.NotebookNode, repository: str, wheel_url: str, on_a_gpu: bool = False
) -> nbformat.NotebookNode:
    """The chapter for Colab: with the first cell, and without relative links and stored widgets.

    Args:
        notebook: a chapter as it is stored; it is changed.
        repository: see the module's docstring; "" removes the links.
        on_a_gpu: whether Colab should offer a machine with a GPU.
    """
    clean(notebook)
    notebook.metadata["colab"] = {"provenance": []}
    if on_a_gpu:
        notebook.metadata["accelerator"] = "GPU"
    cells = notebook.cells
    for number, cell in enumerate(cells):
        if cell.cell_type == "code" and LEFT_OUT in cell.source:
            del cells[number - 1 : number + 1]  # with the text that introduces it
            break
    for cell in cells:
        cell.metadata.pop("azlearn", None)  # it compares the cell with its stored output
        if is_folded(cell):  # Colab folds cells in this form
            cell.source = cell.source.replace("# ", "# @title ", 1)
            cell.metadata["cellView"] = "form"
        if cell.cell_type == "markdown":
            cell.source = absolute_links(cell.source, repository)
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            data.pop(KIND, None)
            if "text/html" in data:
                data["text/html"] = absolute_links(data["text/html"], repository)
            if "text/markdown" in data:
                data["text/markdown"] = absolute_links(data["text/markdown"], repository)
    start = nbformat.v4.new_code_cell(first_cell(wheel_url), id="install")
    notebook.cells = [start, *cells]
    return notebook


def absolute_links(text: str, repository: str) -> str:
    """Markdown or HTML of a chapter whose links lead to ``repository``, or to the web only."""

    def in_markdown(link: re.Match[str]) -> str:
        where = _absolute(link[2], repository)
        return f"[{link[1]}]({where})" if where else link[1]

    def in_html(link: re.Match[str]) -> str:
        where = _absolute(link[1], repository)
        return link[0].replace(f'"{link[1]}"', f'"{where}"') if where else link[2]

    return _HTML_LINK.sub(in_html, _MARKDOWN_LINK.sub(in_markdown, text))


def _absolute(target: str, repository: str) -> str:
    """The address of a target that is relative to the folder ``notebooks``; "" for none."""
    if "://" in target or target.startswith(("#", "mailto:")):
        return target
    path = posixpath.normpath(posixpath.join("notebooks", target))
    return f"{repository}/blob/main/{path}" if repository else ""


def addresses(repository: str) -> dict[str, str]:
    """The address that opens the course in each service: {"Binder": "https://…", …}.

    Raises:
        ValueError: ``repository`` is not a repository on GitHub.
    """
    found = _GITHUB.fullmatch(repository)
    if not found:
        raise ValueError(
            f"REPOSITORY must be https://github.com/OWNER/NAME, not {repository!r}. Leave it out if"
            " there is no repository yet."
        )
    name = found[1]
    colab = f"https://colab.research.google.com/github/{name}/blob/{BRANCH}"
    return {
        "Codespaces": f"https://codespaces.new/{name}",
        "Binder": f"https://mybinder.org/v2/gh/{name}/main"
        "?urlpath=lab/tree/notebooks/00_welcome.ipynb",
    } | {f"Colab, {chapter}": f"{colab}/{chapter}.ipynb" for chapter in CHAPTERS}


def wheel_name() -> str:
    """The name of the wheel, with azlearn's version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return f"{project['name']}-{project['version']}-py3-none-any.whl"


def write_notebooks(out: Path, repository: str = "", wheel_url: str = "") -> list[Path]:
    """Writes the notebooks into the folder ``out``; returns their paths."""
    place = f"{repository}/raw/{BRANCH}" if repository else "/content"
    wheel_url = wheel_url or f"{place}/{wheel_name()}"
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for chapter in CHAPTERS:
        notebook = nbformat.read(ROOT / "notebooks" / f"{chapter}.ipynb", as_version=4)
        made = for_colab(notebook, repository, wheel_url, chapter in ON_A_GPU)
        paths.append(out / f"{chapter}.ipynb")
        write(made, paths[-1])
    return paths


def main(arguments: list[str] | None = None) -> int:
    """Runs the command line; returns 2 after an error message, else 0."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "colab")
    parser.add_argument("--repository", default="")
    parser.add_argument("--wheel-url", default="")
    options = parser.parse_args(arguments)
    repository = options.repository.rstrip("/").removesuffix(".git")
    try:
        opened = addresses(repository) if repository else {}
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    for path in write_notebooks(options.out, repository, options.wheel_url):
        print(path)
    for service, address in opened.items():
        print(f"{service}: {address}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
