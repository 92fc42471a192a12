"""A page whose widget talks to a real Python object: the kernel, without a notebook around it."""

import contextlib
import json
import re

from azlearn.viz import assets
from azlearn.viz.explorer import Explorer

# The page's own model, with a way in for what Python says and a way out for what the reader does.
LINK = """
  send(content) { window.toPython(JSON.stringify({ content })); },
  save_changes() {
    const changed = {};
    for (const name of changes) changed[name] = state[name];
    changes.clear();
    window.toPython(JSON.stringify({ changed }));
  },
  hear(news) {                       // all values first, then the events, as a kernel's model does
    const same = k => JSON.stringify(state[k]) === JSON.stringify(news[k]);
    const changed = Object.keys(news).filter(k => !same(k));
    Object.assign(state, news);
    for (const name of changed) for (const f of [...(heard["change:" + name] || [])]) f();
  },
  tell(content) { for (const f of [...(heard["msg:custom"] || [])]) f(content); },
"""


class Link:
    """Joins a widget and its page. Python's news reach the page when ``flush`` is called."""

    def __init__(self, page, widget: Explorer) -> None:
        self.page, self.widget = page, widget
        self.news: dict = {}
        self.messages: list[dict] = []
        self.heard: list[dict] = []
        widget.observe(self._changed)
        widget.send = lambda content, buffers=None: self.messages.append(content)

    def _changed(self, change) -> None:
        if change["name"] in self.widget.keys and not change["name"].startswith("_"):
            self.news[change["name"]] = change["new"]

    def to_python(self, text: str) -> None:
        said = json.loads(text)
        if "content" in said:
            self.heard.append(said["content"])
            self.widget._handle_custom_msg(said["content"], [])
        elif said["changed"]:
            self.widget.set_state(said["changed"])

    def flush(self) -> None:
        """Tells the page what has changed in Python since the last time."""
        news, self.news = self.news, {}
        if news:
            self.page.evaluate("news => window.model.hear(news)", news)
        while self.messages:
            self.page.evaluate("m => window.model.tell(m)", self.messages.pop(0))

    def settle(self, seconds: float = 20) -> None:
        """Waits for the search that a slider has started, and shows it."""
        assert self.widget.wait(seconds)
        self.flush()


def is_json(value) -> bool:
    return isinstance(value, str | int | float | bool | dict | list | tuple | None)


def linked(page, path, widget) -> Link:
    """Opens ``widget`` in ``page`` with a live link to it."""
    own = [name for name in widget.keys if not name.startswith("_")]
    state = {name: getattr(widget, name) for name in own if is_json(getattr(widget, name))}
    text = assets.page("A live widget", widget._esm, widget._css, state)
    text = re.sub("<meta http-equiv[^>]*>", "", text)  # its policy allows no other script
    text = text.replace("    save_changes() {},\n    send() {},\n", LINK)
    heard = "  const heard = {};\n"
    text = text.replace(
        f"{heard}  return {{",
        f"{heard}  const changes = new Set();\n  return window.model = {{",
    )
    text = text.replace(
        "      state[name] = value;\n", "      state[name] = value;\n      changes.add(name);\n"
    )
    text = text.replace(', alone: "page"', "")
    assert text.count("window.toPython") == 2
    assert 'alone: "page"' not in text
    assert "changes.add" in text
    assert "window.model = {" in text
    path.write_text(text, encoding="utf-8")
    link = Link(page, widget)
    page.expose_function("toPython", link.to_python)
    page.goto(path.as_uri())
    page.locator("#widget > [data-ready]").wait_for()
    return link


@contextlib.contextmanager
def a_page(browser, width=1200, height=950, **options):
    """A page that fails the block if the widget throws or complains."""
    wrong = []
    context = browser.new_context(viewport={"width": width, "height": height}, **options)
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
    try:
        yield page
    finally:
        context.close()
    assert not wrong, wrong
