"""Widgets as files, functions that read the explorer's page, and searches to show."""

import time

from azlearn.games import ConnectFour
from azlearn.search import MCTS, Recorder, random_rollout, uct
from azlearn.viz import Explorer, assets
from azlearn.viz.replaying import path_to


def recorded(search=MCTS, select=None, evaluate=None, moves="44443", simulations=120, **options):
    """The recording of any kind of search in Connect Four."""
    game, recorder = ConnectFour(), Recorder()
    given = game, select or uct(1.0), evaluate or random_rollout()
    search(*given, recorder=recorder, **options).run(game.from_moves(moves), simulations, 3)
    return recorder.recording()


def file_of(widget):
    """The text of a page that shows `widget`: its `to_html`, or its code, style and state."""
    if hasattr(widget, "to_html"):
        return widget.to_html()
    state = {name: value for name, value in widget.get_state().items() if name[0] != "_"}
    return assets.page(type(widget).__name__, str(widget._esm), str(widget._css), state)


def until(heard, holds, seconds=60):
    """Waits until ``holds()``, and meanwhile processes messages from a page or a table's opponent.

    A page sends a change to Python after a moment, which can be long on a busy machine.
    """
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"not so after {seconds} s"
        heard.wait(0.01) if hasattr(heard, "wait") else heard.wait_for_timeout(10)


def part(page, name):
    return page.locator(f'[data-part="{name}"]')


def field(page, name):
    """A field of the filters; opens their box first, which a click elsewhere closes."""
    if not part(page, "filters").is_visible():
        page.get_by_role("button", name="Find and filter").click()
    return part(page, name)


def drawn(page):
    """{node: what its card shows}: "n", its visits; "counts", these and what they were before;
    "strip", its mean; "end", the flag below it; "pills"; "prior", the length of its bar, 0 to 1.
    """
    return page.evaluate(
        """() => Object.fromEntries([...document.querySelectorAll('.azl-node')].map(g => {
          const text = name => g.querySelector(name)?.textContent ?? '';
          const texts = name => [...g.querySelectorAll(name)].map(t => t.textContent);
          const wide = g.querySelector('.azl-frame')?.getAttribute('width');
          return [g.dataset.node, { n: text('.azl-n'), counts: texts('.azl-n'),
            strip: text('.azl-strip'), end: text('.azl-over-text'), pills: texts('.azl-pill text'),
            prior: (g.querySelector('.azl-prior')?.getTotalLength() ?? 0) / wide }];
        }))"""
    )


def number(text):
    return float(text.replace("−", "-"))


def now(page):
    """(step, phase, selected), as shown by the widget."""
    seen = page.evaluate("({ ...document.querySelector('.azl-x').dataset })")
    return int(seen["step"]), seen["phase"], int(seen["selected"])


def at(explorer, step, phase, selected=None):
    moment = Explorer(explorer.recording)
    moment.step, moment.phase, moment.selected = step, phase, selected
    return moment


def kids(record, node):
    return [i for i, up in enumerate(record["nodes"]["parent"]) if up == node]


def moves_to(record, node):
    """The actions from the root to a node."""
    return [record["nodes"]["action"][i] for i in path_to(record, node)[1:]]


def path_labels(explorer, node):
    return [str(action + 1) for action in moves_to(explorer.record, node)]
