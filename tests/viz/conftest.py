"""A search to look at, and a browser page that shows a widget's own file."""

import contextlib

import pytest

from azlearn.games import ConnectFour
from azlearn.viz import assets, explore
from tests.browser import no_external_requests
from tests.viz.kernel import Link
from tests.viz.page import file_of

GAME = ConnectFour()


@pytest.fixture(scope="module")
def explorer():
    return explore(GAME, GAME.from_moves("44443"), num_simulations=300, seed=3)


@pytest.fixture(scope="module")
def in_browser(browser):
    """A function that evaluates JavaScript where the names of the explorer's modules are known."""
    page = browser.new_page()
    page.set_content("<p>modules</p>")
    page.add_script_tag(content=assets.module("explorer.js"))
    yield page.evaluate
    page.close()


@pytest.fixture
def fresh(browser):
    """A function that gives a new page; what it throws, complains of or asks of others fails."""
    with contextlib.ExitStack() as stack:
        wrong = []

        def new_page(width=1200, height=950, **options):
            context = browser.new_context(viewport={"width": width, "height": height}, **options)
            stack.callback(context.close)
            page = context.new_page()
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
            stack.enter_context(no_external_requests(page))
            return page

        yield new_page
        assert not wrong, wrong


@pytest.fixture
def opened(fresh, tmp_path):
    """A function that opens a widget's file and gives the page.

    Without a kernel nothing answers: what is clicked changes the page only. ``bypass_csp=True``
    where a test brings a script or a style of its own (axe, ``wait_for_function``).
    """

    def open_file(widget, width=1200, **options):
        path, page = tmp_path / "widget.html", fresh(width, **options)
        path.write_text(file_of(widget), encoding="utf-8")
        page.goto(path.as_uri())
        page.locator("[data-ready]").first.wait_for()
        return page

    return open_file


@pytest.fixture
def live(fresh, tmp_path):
    """A function that shows a widget in a page that is linked to it, as with a kernel."""
    return lambda widget, **options: Link(fresh(**options), widget, tmp_path / "live.html")


@pytest.fixture
def sit(fresh, tmp_path):
    """A function that shows a play table in such a page, and gives the table on the page."""

    def show(table, width=1100, **options):
        page = fresh(width, 900, **options)
        Link(page, table, tmp_path / "table.html", asks=True)
        return page.locator(".azl-play")

    return show
