"""A page whose widget talks to a real Python object, like a kernel but without a notebook."""

import json

from anywidget import AnyWidget

from azlearn.viz import assets

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Live</title>
<style>html {{ color-scheme: light dark; }} body {{ margin: 0; padding: 12px;
background: Canvas; color: CanvasText; font: 15px system-ui; }}
{css}</style></head><body><main><h1>Live</h1></main></body></html>"""

# A model for each widget, with a way in for what Python says and a way out for what the reader
# does. A widget that another one opens is rendered as anywidget would: by its own module.
START = """async ref => {
  const open = async ref => {
    const { state, esm } = await window.widget(ref), heard = {}, changes = new Set();
    const tell = (event, ...what) => { for (const f of [...(heard[event] || [])]) f(...what); };
    const model = {
      get: name => state[name],
      set(name, value) {
        if (state[name] === value) return;
        state[name] = value;
        changes.add(name);
        tell("change:" + name);
      },
      on(event, f) { (heard[event] ||= []).push(f); },
      off(event, f) { heard[event] = (heard[event] || []).filter(g => g !== f); },
      send(content) { window.toPython(ref, JSON.stringify({ content })); },
      save_changes() {
        const changed = Object.fromEntries([...changes].map(name => [name, state[name]]));
        changes.clear();
        window.toPython(ref, JSON.stringify({ changed }));
      },
      hear(news) {                   // all values first, then the events, as a kernel's model does
        const same = k => JSON.stringify(state[k]) === JSON.stringify(news[k]);
        const changed = Object.keys(news).filter(k => !same(k));
        Object.assign(state, news);
        for (const name of changed) tell("change:" + name);
      },
      tell: content => tell("msg:custom", content),
    };
    const widget = new Function(esm.replace("export default", "return"))();
    return { model, render: el => widget.render({ model, el, host }) };
  };
  const host = { async getWidget(ref) {
    const inner = await open(ref);
    return { async render({ el, signal }) {
      const close = inner.render(el);
      signal.addEventListener("abort", () => close());
    } };
  } };
  const widget = await open(ref), el = document.createElement("div");
  window.model = widget.model;
  document.querySelector("main").append(el);
  widget.render(el);
}"""
PLAIN = str | int | float | bool | dict | list | tuple | None


def ref(widget):
    return f"anywidget:{widget.model_id}"


def sent(value):
    """A trait in the form in which it is sent; another widget is sent as its name."""
    return ref(value) if isinstance(value, AnyWidget) else value


class Link:
    """Links a widget and its page.

    Changes in Python reach the page on ``flush``, or by themselves if the page ``asks``.
    """

    def __init__(self, page, widget, path, asks: bool = False) -> None:
        self.page, self.widget = page, widget
        self.news: dict = {}
        self.messages: list[dict] = []
        self.heard: list[dict] = []
        widget.observe(self._changed)
        widget.send = lambda content, buffers=None: self.messages.append(content)
        css = assets.styles("explorer.css", "tree.css") + str(widget._css)
        path.write_text(PAGE.format(css=css), encoding="utf-8")
        page.goto(path.as_uri())
        page.expose_function("toPython", self.to_python)
        page.expose_function("widget", self._opened)
        page.expose_function("news", self._news)
        page.evaluate(START, ref(widget))
        if asks:
            page.evaluate("setInterval(async () => window.model.hear(await window.news()), 60)")
        page.locator("[data-ready]").first.wait_for()

    def _named(self, name: str):
        inner = getattr(self.widget, "explorer", None)
        assert name in (ref(self.widget), inner and ref(inner))
        return self.widget if name == ref(self.widget) else inner

    def _opened(self, name: str) -> dict:
        widget = self._named(name)
        own = {trait: sent(getattr(widget, trait)) for trait in widget.keys if trait[0] != "_"}
        state = {trait: value for trait, value in own.items() if isinstance(value, PLAIN)}
        return {"state": state, "esm": str(widget._esm)}

    def _changed(self, change) -> None:
        if change["name"] in self.widget.keys and not change["name"].startswith("_"):
            self.news[change["name"]] = sent(change["new"])

    def _news(self) -> dict:
        news, self.news = self.news, {}
        return news

    def to_python(self, name: str, text: str) -> None:
        said, widget = json.loads(text), self._named(name)
        if "content" in said:
            self.heard.append(said["content"])
            widget._handle_custom_msg(said["content"], [])
        elif said["changed"]:
            widget.set_state(said["changed"])

    def flush(self) -> None:
        """Sends the page all changes in Python since the last call."""
        if news := self._news():
            self.page.evaluate("news => window.model.hear(news)", news)
        while self.messages:
            self.page.evaluate("m => window.model.tell(m)", self.messages.pop(0))

    def settle(self) -> None:
        """Waits for the search that a slider has started, and shows it."""
        assert self.widget.wait(60)
        self.flush()
