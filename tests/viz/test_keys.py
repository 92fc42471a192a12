"""Keys pressed in a widget are not the notebook's, which has a command for each.

The key handler of JupyterLab and Notebook 7 sees a key before the widget does. It lets the key be
when the element that has the focus carries `data-lm-suppress-shortcuts`; an ancestor's does not
count.
"""

import pytest

from azlearn.games import ConnectFour
from azlearn.search import uct
from azlearn.viz import Explorer, compare, explore, play
from tests.viz.nim import Nim
from tests.viz.test_play import Leftmost

FOUR = ConnectFour()

UNGUARDED = """() => [...document.querySelectorAll(".azl *")]
  .filter(e => (e.matches("button, input, select, textarea, a[href]") || e.tabIndex >= 0)
    && !e.hasAttribute("data-lm-suppress-shortcuts"))
  .map(e => e.outerHTML.slice(0, 120))"""
FOCUSABLE = """() => document.querySelectorAll(".azl [tabindex], .azl button, .azl input").length"""


def searched(moves="44443", **options):
    return explore(FOUR, FOUR.from_moves(moves), num_simulations=60, **options)


WIDGETS = {
    "explorer": searched,
    "explorer without a board": lambda: Explorer(explore(Nim(), num_simulations=20).recording),
    "comparison": lambda: compare(searched(), searched(select=uct(0.3))),
    "play table": lambda: play(FOUR, Leftmost(FOUR)),
    "play table without a board": lambda: play(Nim()),
}


@pytest.mark.parametrize("name", WIDGETS)
def test_whatever_takes_the_focus_keeps_its_keys(opened, name):
    page = opened(WIDGETS[name]())
    assert page.evaluate(FOCUSABLE) > 3
    assert page.evaluate(UNGUARDED) == []


def test_the_sliders_keep_their_keys(live):
    page = live(searched()).page
    assert page.locator('.azl-knobs input[type="range"]').count() > 1
    assert page.evaluate(UNGUARDED) == []
