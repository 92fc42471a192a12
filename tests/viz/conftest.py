"""A search to look at, and a browser page that shows a widget's own file."""

import contextlib

import pytest

from azlearn.games import ConnectFour
from azlearn.viz import explore
from tests.browser import no_external_requests
from tests.viz.page import file_of
from tests.viz.play_page import open_table

GAME = ConnectFour()


@pytest.fixture(scope="module")
def explorer():
    return explore(GAME, GAME.from_moves("44443"), num_simulations=300, seed=3)


@pytest.fixture
def opened(browser, tmp_path):
    """A function that opens a widget's file and gives the page; errors and requests fail.

    Without a kernel nothing answers: what is clicked changes the page only. ``bypass_csp=True``
    where a test brings a script or a style of its own (axe, ``wait_for_function``).
    """
    with contextlib.ExitStack() as stack:
        wrong = []

        def open_file(widget, width=1200, **options):
            path = tmp_path / "widget.html"
            path.write_text(file_of(widget), encoding="utf-8")
            context = browser.new_context(viewport={"width": width, "height": 950}, **options)
            stack.callback(context.close)
            page = context.new_page()
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
            stack.enter_context(no_external_requests(page))
            page.goto(path.as_uri())
            page.locator("[data-ready]").first.wait_for()
            return page

        yield open_file
        assert not wrong, wrong


@pytest.fixture
def sit(browser, tmp_path):
    """A function that opens a table and gives its widget; errors and requests fail."""
    contexts, wrong = [], []

    def open_it(table, width=1100, **options):
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
        return open_table(page, table, tmp_path)

    yield open_it
    for context in contexts:
        context.close()
    assert not wrong, wrong
