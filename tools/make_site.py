"""The course as a site: `make site` writes build/site/html from the notebooks as they are stored.

Sphinx makes the pages (its index works from a folder, without a server), MyST-NB reads the
notebooks, furo is the theme. Nothing is executed. An explorer, a comparison or a bandit is drawn
again from what the notebook keeps of it; the exercises are their statements and stubs.
"""

import argparse
import importlib.metadata
import re
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "docs" / "site"
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from azlearn.viz import assets  # noqa: E402
from tools import site_reference  # noqa: E402
from tools.notebooks import is_folded, kept_state  # noqa: E402

MATHJAX = "tex-svg-full.js"
_PAGES = ("notebooks", "exercises")
_TO_PAGE = re.compile(r"(?<=href=\")((?:\.\./)?[\w/]+)\.ipynb(?:#[^\"]*)?(?=\")")
_TO_CODE = re.compile(
    r"\[([^\]]*)\]\(((?:\.\./)+(?!exercises/|notebooks/|docs/[\w-]+\.md)[^)\s#]+)[^)\s]*\)"
)
_TO_DOCS = re.compile(r"(?<=\]\()\.\./docs/(?=[\w-]+\.md\b)")  # from a notebook
_ANCHOR = re.compile(r"(?<=\]\()([\w-]+\.md)#([^)\s]+)")  # between pages of docs/
_FROM_DOCS = re.compile(r"(?<=\]\()\.\./(?=(?:exercises|notebooks)/)")


def jupyter_anchor(title: str) -> str:
    """The name that JupyterLab gives a heading's place, by which the chapters link to it."""
    return title.replace(" ", "-")


def github_anchor(title: str) -> str:
    """The name that GitHub gives a heading's place."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def page_of(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook as Sphinx is to read it: what is folded stays folded, widgets are live.

    Outputs keep one form each, HTML before text.
    """
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _TO_DOCS.sub("../", _TO_CODE.sub(_as_text, cell.source))
            continue
        if is_folded(cell):
            first, _, rest = cell.source.partition("\n")
            prompt = first.lstrip("# ")
            cell.source = rest.strip("\n") or first
            cell.metadata["tags"] = sorted({*cell.metadata.get("tags", ()), "hide-input"})
            cell.metadata["mystnb"] = {"code_prompt_show": prompt, "code_prompt_hide": prompt}
        for output in cell.outputs:
            if "data" in output:
                output.data = _one_form(output.data)
    return notebook


def _as_text(link: re.Match[str]) -> str:
    """A link to a file of the repository, which is not on the site, as the name of that file."""
    text, path = link[1], link[2].lstrip("./")
    return f"`{path}`" if text.strip("`") == path else f"{text} (`{path}`)"


def page_text(markdown: str) -> str:
    """A page of ``docs/`` as Sphinx is to read it, in the folder above the notebooks."""
    return _FROM_DOCS.sub("", _ANCHOR.sub(_site_anchor, _TO_CODE.sub(_as_text, markdown)))


def _site_anchor(link: re.Match[str]) -> str:
    """A link to a heading as GitHub names it, under the name that the heading has on the site."""
    text = (ROOT / "docs" / link[1]).read_text(encoding="utf-8")
    titles = re.findall(r"^#+ (.*)", text, re.M)
    names = {github_anchor(title): jupyter_anchor(title) for title in titles}
    return f"{link[1]}#{names[link[2]]}"


def _one_form(data: dict) -> dict:
    kept = kept_state(data)
    if kept is not None:
        return {"text/html": assets.element(*kept, still=data["text/html"])}
    if "text/html" in data:
        return {"text/html": _TO_PAGE.sub(r"\1.html", data["text/html"])}
    for kind in ("text/markdown", "text/plain"):
        if kind in data:
            return {kind: data[kind]}
    raise ValueError(f"An output has no form that a page can show, only {', '.join(data)}.")


def index_page(source: Path) -> str:
    """The first page: the chapters, with their rows of README's table, and a live explorer."""
    table = (ROOT / "README.md").read_text(encoding="utf-8")
    rows, shown = [], ""
    for path in sorted((source / "notebooks").glob("*.ipynb")):
        notebook, place = nbformat.read(path, as_version=4), f"notebooks/{path.name}"
        row = re.search(rf"^\| \[\d\d\]\({re.escape(place)}\) (\|.*)", table, re.M)
        title = notebook.cells[0].source.partition("\n")[0].lstrip("# ").partition(" · ")[2]
        rows.append(f"| [{path.name[:2]}]({place}) {row[1] if row else f'| {title} | | |'}")
        shown = shown or next(_live(notebook), "")
    text = (HERE / "index.md").read_text(encoding="utf-8")
    return text.replace("CHAPTERS", "\n".join(rows)).replace("EXPLORER", shown)


def _live(notebook: nbformat.NotebookNode) -> Iterator[str]:
    """The elements of a page's live widgets."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            text = output.get("data", {}).get("text/html", "")
            if text.startswith('<div class="azlearn-widget">'):
                yield text


def write_sources(source: Path, root: Path = ROOT) -> int:
    """Fill an empty folder with what Sphinx reads; returns the number of pages.

    Args:
        root: where the folders ``notebooks`` and ``exercises`` are.
    """
    static = source / "_static"
    static.mkdir(parents=True)
    for name in _PAGES:
        (source / name).mkdir()
        for path in sorted((root / name).glob("*.ipynb")):
            page = page_of(nbformat.read(path, as_version=4))
            nbformat.write(page, source / name / path.name)
    shutil.copy(HERE / "conf.py", source)
    for path in sorted((ROOT / "docs").glob("*.md")):
        (source / path.name).write_text(page_text(path.read_text(encoding="utf-8")), "utf-8")
    for name in ("site.css", "site.js"):
        shutil.copy(HERE / name, static)
    (static / "azlearn.js").write_text(assets.script(), encoding="utf-8")
    (static / "azlearn.css").write_text(assets.sheet(), encoding="utf-8")
    shutil.copy(mathjax(), static)
    (source / "index.md").write_text(index_page(source), encoding="utf-8")
    site_reference.write_pages(source)
    return sum(path.suffix in (".ipynb", ".md", ".rst") for path in source.rglob("*"))


def mathjax() -> Path:
    """The one file of MathJax that needs no other.

    Raises:
        ImportError: the package that brings it is not installed.
    """
    files = importlib.metadata.files("sphinx-mathjax-offline") or []
    return next(Path(f.locate()) for f in files if f.name == MATHJAX)


def build(out: Path, root: Path = ROOT) -> int:
    """Write the site into the folder ``out``; returns Sphinx's exit code: a warning is an error."""
    from sphinx.cmd.build import main as sphinx

    source = out.with_name("source")
    for folder in (source, out):
        shutil.rmtree(folder, ignore_errors=True)
    num_pages, start = write_sources(source, root), time.perf_counter()
    code = sphinx(
        [
            "-q",
            "-W",
            "--keep-going",
            "-b",
            "html",
            "-d",
            str(out.with_name("doctrees")),
            str(source),
            str(out),
        ]
    )
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file()) / 1e6
    seconds = time.perf_counter() - start
    print(f"{out}: {num_pages} pages, {size:.1f} MB, {seconds:.0f} s. Open {out / 'index.html'}.")
    return code


def main() -> int:
    """Sphinx's exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "site" / "html")
    return build(parser.parse_args().out)


if __name__ == "__main__":
    sys.exit(main())
