"""The course as a site: `make site` writes build/site/html from the notebooks as they are stored.

Sphinx makes the pages (its index works from a folder, without a server), MyST-NB reads the
notebooks, furo is the theme. Nothing is executed. An explorer, a comparison or a bandit is drawn
again from what the notebook keeps of it. An explorer searches in the page if its game and its
network are the package's. The exercises are their statements and stubs.
"""

import importlib.metadata
import re
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "docs" / "site"
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from azlearn.arena import make_player  # noqa: E402
from azlearn.games.javascript import to_javascript  # noqa: E402
from azlearn.games.named import is_own_game, make_game  # noqa: E402
from azlearn.learning import load_network, shipped_networks  # noqa: E402
from azlearn.viz import assets  # noqa: E402
from azlearn.viz.page_network import network_spec  # noqa: E402
from azlearn.viz.page_table import play_state  # noqa: E402
from tools import site_reference  # noqa: E402
from tools.notebooks import is_folded, kept_state  # noqa: E402

MATHJAX = "tex-svg-full.js"
OPPONENT = "connect4@100"  # of the first page
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


def index_page(source: Path, table: dict[str, Any]) -> str:
    """The first page: a table to play at, and the chapters that are there, as README says them."""
    listed = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = []
    for path in sorted((source / "notebooks").glob("*.ipynb")):
        notebook, place = nbformat.read(path, as_version=4), f"notebooks/{path.name}"
        row = re.search(rf"^\| \[\d\d\]\({re.escape(place)}\) (\|.*)", listed, re.M)
        title = notebook.cells[0].source.partition("\n")[0].lstrip("# ").partition(" · ")[2]
        rows.append(f"| [{path.name[:2]}]({place}) {row[1] if row else f'| {title} | | |'}")
    text = (HERE / "index.md").read_text(encoding="utf-8")
    board = assets.element("table", table, "<p>The board is drawn by a script.</p>")
    return text.replace("CHAPTERS", "\n".join(rows)).replace("BOARD", board)


def searches(notebook: nbformat.NotebookNode) -> Iterator[dict[str, Any]]:
    """What the explorers of a notebook search; see ``azlearn.viz.page_search.in_page``."""
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            kept = kept_state(output.get("data", {}))
            if kept is not None and kept[1].get("search"):
                yield kept[1]["search"]


def write_engine(asked: Iterable[dict[str, Any]], static: Path) -> assets.Engine:
    """The games and the networks of these searches, each network in a file of its own.

    What is not the package's is left out: its explorers replay.
    """
    games, networks = {}, {}
    for search in asked:
        word, name = search["game"], search["evaluate"].get("network")
        try:
            if word not in games and not is_own_game(word):
                games[word] = to_javascript(make_game(word))
        except ValueError:  # no word of the package, or not in JavaScript
            continue
        if name in shipped_networks() and name not in networks:
            spec = network_spec(load_network(name).game, name)
            networks[name] = f"network_{name}.js"
            (static / networks[name]).write_text(assets.network_script(name, spec), "utf-8")
    return assets.Engine(games, networks)


def write_sources(source: Path, root: Path = ROOT) -> int:
    """Fill an empty folder with what Sphinx reads; returns the number of pages.

    Args:
        root: where the folders ``notebooks`` and ``exercises`` are.
    """
    static = source / "_static"
    static.mkdir(parents=True)
    table = play_state(make_player(OPPONENT))[0] | {"opponent": "AlphaZero"}
    asked = [table["search"]]
    for name in _PAGES:
        (source / name).mkdir()
        for path in sorted((root / name).glob("*.ipynb")):
            notebook = nbformat.read(path, as_version=4)
            asked += searches(notebook)
            nbformat.write(page_of(notebook), source / name / path.name)
    shutil.copy(HERE / "conf.py", source)
    for path in sorted((ROOT / "docs").glob("*.md")):
        (source / path.name).write_text(page_text(path.read_text(encoding="utf-8")), "utf-8")
    for name in ("site.css", "site.js"):
        shutil.copy(HERE / name, static)
    engine = write_engine(asked, static)
    (static / "azlearn.js").write_text(assets.script(engine), encoding="utf-8")
    (static / "azlearn.css").write_text(assets.sheet(), encoding="utf-8")
    shutil.copy(mathjax(), static)
    (source / "index.md").write_text(index_page(source, table), encoding="utf-8")
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
    return build(ROOT / "build" / "site" / "html")


if __name__ == "__main__":
    sys.exit(main())
