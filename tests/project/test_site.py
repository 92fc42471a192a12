"""The course as a site: every page opens without a fault, its links hold, its trees are live."""

import functools
import http.server
import re
import threading
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from tests.axe import findings
from tests.browser import ROOT, no_external_requests
from tools import make_site

CHAPTERS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
EXERCISES = sorted(path.stem for path in (ROOT / "exercises").glob("*.ipynb"))
PAGES = ["index", "teaching"]
PAGES += [f"notebooks/{name}" for name in CHAPTERS] + [f"exercises/{name}" for name in EXERCISES]
LARGEST = 60e6

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def site(browser, tmp_path_factory):
    """The folder with the pages, built once; whoever asks for it has a browser."""
    pytest.importorskip("myst_nb", reason="the site's tools are not installed: make site")
    out = tmp_path_factory.mktemp("site") / "html"
    assert make_site.build(out) == 0, "Sphinx warned: see what it printed"
    return out


@pytest.fixture(scope="session")
def address(site):
    """Where a plain server of files has the pages."""
    handler = functools.partial(Quiet, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that prints nothing."""

    def log_message(self, *_):
        pass


@pytest.fixture
def opened(address, browser):
    """A function that opens an address; what goes wrong on the page fails."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, reduced_motion="reduce")
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda m: wrong.append(m.text) if m.type in ("error", "warning") else None)

    def open_page(url, scheme="light"):
        page.emulate_media(color_scheme=scheme)
        page.goto(url)
        page.wait_for_load_state("load")
        return page

    with no_external_requests(page, address):
        yield open_page
    context.close()
    assert not wrong, wrong


@pytest.mark.parametrize("name", PAGES)
def test_a_page_opens_and_axe_finds_nothing(opened, address, name):
    scheme = ("light", "dark")[PAGES.index(name) % 2]  # half the pages in each theme
    page = opened(f"{address}/{name}.html", scheme)
    assert page.locator("script[data-azlearn-widget], .azl-note").count() == 0, "not all is drawn"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    found = findings(page)
    assert not found, "\n".join([f"axe on {name}, {scheme}:", *found])


def test_an_explorer_steps_by_keys_from_a_folder_too(opened, site):
    page = opened((site / "notebooks" / "03_uct.html").as_uri())
    assert page.locator(".azl-x").count() == 7
    explorer = page.locator(".azl-x").first
    explorer.locator('[data-part="tree"]').focus()
    seen = lambda: explorer.evaluate("x => [x.dataset.step, x.dataset.phase]")  # noqa: E731
    assert seen() == ["400", "backup"]
    page.keyboard.press("ArrowLeft")
    assert seen() == ["400", "evaluate"]
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert seen() == ["1", "select"]
    assert page.evaluate("scrollY") < 2000, "the keys scrolled the page as well"


def test_figures_and_explorers_follow_the_theme_that_is_chosen(opened, site):
    page = opened((site / "notebooks" / "03_uct.html").as_uri(), "light")
    look = """() => [document.querySelector("img.azl-both"), document.querySelector(".azl-x")].map(
        e => [getComputedStyle(e).colorScheme, getComputedStyle(e).getPropertyValue("--azl-even"),
    ])"""
    (figure, _), (_, light) = page.evaluate(look)
    page.locator(".theme-toggle-content button").click()  # the system's, here light, gives way
    assert page.evaluate("document.body.dataset.theme") == "dark"
    (dark_figure, _), (_, dark) = page.evaluate(look)
    assert (figure, dark_figure) == ("light", "dark")
    assert light != dark


@pytest.mark.parametrize("served", [True, False], ids=["server", "folder"])
def test_the_search_finds_a_chapter(opened, site, address, served):
    start = address if served else site.as_uri()
    page = opened(f"{start}/search.html?q=dirichlet")
    page.locator("#search-results li a").first.wait_for()
    found = page.locator("#search-results li a").evaluate_all("all => all.map(a => a.href)")
    assert any("09_puct" in link for link in found)


def test_no_solution_is_on_the_site(site):
    from azlearn.course.solutions import solution_source

    page = (site / "exercises" / "03_exercises.html").read_text(encoding="utf-8")
    assert "NotImplementedError" in page
    body = solution_source("3.3").splitlines()[-1].strip()
    assert len(body) > 10
    assert body not in re.sub("<[^>]+>", "", page)


class Targets(HTMLParser):
    """The ids of a page, and the places that it links to or loads."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links = set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.ids |= {given[name] for name in ("id", "name") if given.get(name)}
        self.links |= {given[name] for name in ("href", "src") if given.get(name)}


def test_links_hold_and_the_site_is_small(site):
    pages = {path: Targets(path.read_text(encoding="utf-8")) for path in site.rglob("*.html")}
    assert len(pages) >= len(PAGES)
    dead = []
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"(https?|mailto|data|javascript):", link):
                continue
            file, _, anchor = unquote(link.split("?")[0]).partition("#")
            target = (path.parent / file).resolve() if file else path
            anchor = unquote(link.partition("#")[2])
            if not target.exists() or (anchor and anchor not in pages[target].ids):
                dead.append(f"{path.name}: {link}")
    assert dead == []
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) < LARGEST


def test_a_notebook_without_a_kept_state_keeps_its_picture():
    import nbformat

    output = nbformat.v4.new_output(
        "display_data", {"text/html": "<img alt='a'>", "image/png": "", "text/plain": "a"}
    )
    folded = nbformat.v4.new_code_cell("# Draws it.\nx = 1", outputs=[output])
    folded.metadata = {"jupyter": {"source_hidden": True}, "tags": ["hide-input"]}
    words = nbformat.v4.new_markdown_cell("See [it](../README.md#x), [on](02_b.ipynb).")
    page = make_site.page_of(nbformat.v4.new_notebook(cells=[folded, words]))
    assert page.cells[0].outputs[0].data == {"text/html": "<img alt='a'>"}
    assert page.cells[0].source == "x = 1"
    assert page.cells[0].metadata["mystnb"]["code_prompt_show"] == "Draws it."
    assert page.cells[1].source == "See it (`README.md`), [on](02_b.ipynb)."
