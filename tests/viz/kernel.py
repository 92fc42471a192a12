"""A page whose widget talks to a real Python object: the kernel, without a notebook around it."""

import json

from azlearn.viz.explorer import Explorer

# The widget's model, with a way in for what Python says and a way out for what the reader does.
START = """state => {
  const heard = {}, changes = new Set(), el = document.createElement("div");
  const tell = (event, ...what) => { for (const f of [...(heard[event] || [])]) f(...what); };
  const model = window.model = {
    get: name => state[name],
    set(name, value) {
      if (state[name] === value) return;
      state[name] = value;
      changes.add(name);
      tell("change:" + name);
    },
    on(event, f) { (heard[event] ||= []).push(f); },
    off(event, f) { heard[event] = (heard[event] || []).filter(g => g !== f); },
    send(content) { window.toPython(JSON.stringify({ content })); },
    save_changes() {
      const changed = Object.fromEntries([...changes].map(name => [name, state[name]]));
      changes.clear();
      window.toPython(JSON.stringify({ changed }));
    },
    hear(news) {                     // all values first, then the events, as a kernel's model does
      const same = k => JSON.stringify(state[k]) === JSON.stringify(news[k]);
      const changed = Object.keys(news).filter(k => !same(k));
      Object.assign(state, news);
      for (const name of changed) tell("change:" + name);
    },
    tell: content => tell("msg:custom", content),
  };
  document.querySelector("main").append(el);
  widget.render({ model, el });
}"""


class Link:
    """Joins a widget and its page. Python's news reach the page when ``flush`` is called."""

    def __init__(self, page, widget: Explorer) -> None:
        self.page, self.widget = page, widget
        self.news: dict = {}
        self.messages: list[dict] = []
        self.heard: list[dict] = []
        widget.observe(self._changed)
        widget.send = lambda content, buffers=None: self.messages.append(content)
        page.set_content(
            "<!doctype html><html lang=en><title>Live</title><main><h1>Live</h1></main></html>"
        )
        page.expose_function("toPython", self.to_python)
        page.add_style_tag(content=str(widget._css))
        page.add_script_tag(content=str(widget._esm).replace("export default", "const widget ="))
        own = {name: getattr(widget, name) for name in widget.keys if name[0] != "_"}
        plain = str | int | float | bool | dict | list | tuple | None
        page.evaluate(START, {name: own[name] for name in own if isinstance(own[name], plain)})
        page.locator("[data-ready]").first.wait_for()

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

    def settle(self) -> None:
        """Waits for the search that a slider has started, and shows it."""
        assert self.widget.wait(60)
        self.flush()
