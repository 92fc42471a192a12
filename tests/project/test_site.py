"""The course as a site: every page opens without a fault, its links hold, its trees are live."""

import functools
import gzip
import http.server
import re
import threading

import pytest
from playwright.sync_api import expect

from tests.axe import findings
from tests.browser import ROOT, no_external_requests
from tools import make_site
from tools.public_names import PACKAGES, public_names

CHAPTERS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))
EXERCISES = sorted(path.stem for path in (ROOT / "exercises").glob("*.ipynb"))
PAGES = ["index", *sorted(path.stem for path in (ROOT / "docs").glob("*.md"))]
PAGES += [f"notebooks/{name}" for name in CHAPTERS] + [f"exercises/{name}" for name in EXERCISES]
PAGES += [f"reference/{package}" for package in PACKAGES]

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


def test_every_page_opens_and_draws_all_its_widgets(opened, address):
    for name in PAGES:
        page = opened(f"{address}/{name}.html")
        assert page.locator("script[data-azlearn-widget], .azl-note").count() == 0, name
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "name",
    ["index", "results", "notebooks/03_uct", "exercises/03_exercises", "reference/azlearn.search"],
)
def test_axe_finds_nothing(opened, address, name, scheme):
    found = findings(opened(f"{address}/{name}.html", scheme))
    assert not found, "\n".join([f"axe on {name}, {scheme}:", *found])


def test_the_reference_has_every_public_name(site):
    for package in PACKAGES:
        page = (site / "reference" / f"{package}.html").read_text(encoding="utf-8")
        for public in public_names(package):
            assert f'id="{public.module}.{public.name}"' in page, public
        assert " at 0x" not in page, "a function is printed with its address"
        assert str(ROOT) not in page, "a path of this machine is printed"
        assert "Alias for field number" not in page


def test_code_words_in_a_chapter_are_links_to_the_reference(site):
    page = (site / "notebooks" / "03_uct.html").read_text(encoding="utf-8")
    assert 'href="../reference/azlearn.search.html#azlearn.search.MCTS"' in page


def test_the_first_page_plays_and_is_light(opened, address, site):
    page = opened(f"{address}/index.html")
    page.locator('.azl-can[data-action="3"]').first.click()
    expect(page.locator('.azl-play [data-part="moves"]')).to_have_value(re.compile(r"4\d"))
    loaded = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    names = {name.removeprefix(f"{address}/").partition("?")[0] for name in loaded}
    assert "_static/network_connect4.js" in names
    files = ["index.html", *(name for name in names if name.startswith("_static/"))]
    assert sum(len(gzip.compress((site / name).read_bytes())) for name in files) < 1_000_000


def test_a_prediction_stands_beside_its_answer(opened, address):
    page = opened(f"{address}/notebooks/09_puct.html")
    page.get_by_label("Your prediction").fill("never <b>")
    page.get_by_role("button", name="Show the answer").click()
    said = page.locator("section", has_text="5 · Priors").locator("> h2 + p")
    expect(said.first).to_have_text("Your prediction: never <b>")


def test_sliders_search_and_fetch_the_network_when_they_need_it(opened, address):
    for chapter, network in ("03_uct", ""), ("09_puct", "network_connect4.js"):
        page = opened(f"{address}/notebooks/{chapter}.html")
        explorer = page.locator(".azl-x").first
        scripts = "[...document.scripts].map(script => script.src).join()"
        assert "network_" not in page.evaluate(scripts)
        explorer.locator('[data-pop="knobs"]').click()
        explorer.locator('[data-number="num_simulations"]').fill("60")
        page.keyboard.press("Enter")
        expect(explorer.locator('[data-part="settings"]')).to_contain_text("60 sims")
        assert network in page.evaluate(scripts)


def test_only_what_the_package_brings_goes_into_the_sites_script(tmp_path):
    words = ["connect4", "own", "go:5:superko", str(tmp_path / "foreign.py:Game"), "nothing"]
    asked = [{"game": word, "evaluate": {}} for word in words]
    asked += [{"game": "tictactoe", "evaluate": {"network": n}} for n in ("tictactoe", "own")]
    engine = make_site.write_engine(asked, tmp_path)
    assert engine.games.keys() == {"connect4", "tictactoe"}
    assert engine.networks == {"tictactoe": "network_tictactoe.js"}
    assert [path.name for path in tmp_path.iterdir()] == ["network_tictactoe.js"]


def test_a_notebook_without_a_kept_state_keeps_its_picture():
    import nbformat

    output = nbformat.v4.new_output(
        "display_data", {"text/html": "<img alt='a'>", "image/png": "", "text/plain": "a"}
    )
    folded = nbformat.v4.new_code_cell("# Draws it.\nx = 1", outputs=[output])
    folded.metadata = {"jupyter": {"source_hidden": True}, "tags": ["hide-input"]}
    words = nbformat.v4.new_markdown_cell(
        "See [it](../README.md#x), [on](02_b.ipynb), [to](../docs/cli.md)."
    )
    page = make_site.page_of(nbformat.v4.new_notebook(cells=[folded, words]))
    assert page.cells[0].outputs[0].data == {"text/html": "<img alt='a'>"}
    assert page.cells[0].source == "x = 1"
    assert page.cells[0].metadata["mystnb"]["code_prompt_show"] == "Draws it."
    assert page.cells[1].source == "See it (`README.md`), [on](02_b.ipynb), [to](../cli.md)."


def test_a_page_of_docs_links_to_what_is_on_the_site_and_names_the_rest():
    page = make_site.page_text(
        "[all](../notebooks/01_games.ipynb), [Go](results.md#go-5x5-and-7x7),"
        " [`deploy/slurm.sh`](../deploy/slurm.sh), [how](../benchmarks/README.md#x)"
    )
    assert page == (
        "[all](notebooks/01_games.ipynb), [Go](results.md#Go,-5x5-and-7x7),"
        " `deploy/slurm.sh`, how (`benchmarks/README.md`)"
    )
