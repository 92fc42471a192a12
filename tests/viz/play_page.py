"""A play table in a page without JupyterLab: its front end here, its Python in this process.

The page's model asks Python for the table's traits several times a second and sends its messages
straight to it. An explorer that the table opens is rendered as anywidget would: by its own module.
"""

import json

from azlearn.viz import assets

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>table</title>
<style>html {{ color-scheme: light dark; }} body {{ margin: 0; padding: 12px;
background: Canvas; color: CanvasText; font: 15px system-ui; }}
{css}</style></head><body><main><h1>table</h1><div id="widget"></div></main><script type="module">
const load = text => import(URL.createObjectURL(new Blob([text], {{ type: "text/javascript" }})));
const model = (state, send, save) => {{
  const heard = {{}};
  return {{
    state,
    get: name => state[name],
    set(name, value) {{
      if (JSON.stringify(state[name]) === JSON.stringify(value)) return;
      state[name] = value;
      for (const f of heard["change:" + name] || []) f();
    }},
    on(event, f) {{ (heard[event] ||= []).push(f); }},
    off(event, f) {{ heard[event] = (heard[event] || []).filter(g => g !== f); }},
    send, save_changes: save,
  }};
}};
const table = model(await window.read(""), content => window.tell(content), () => 0);
const host = {{ async getWidget(ref) {{
  const inner = model(await window.read(ref), () => 0, () => window.write(ref, inner.state));
  const widget = (await load(await window.source(ref))).default;
  return {{ async render({{ el, signal }}) {{
    const close = widget.render({{ model: inner, el }});
    signal.addEventListener("abort", () => close());
  }} }};
}} }};
const widget = (await load({esm})).default;
widget.render({{ model: table, el: document.getElementById("widget"), host }});
setInterval(async () => {{
  for (const [name, value] of Object.entries(await window.read(""))) table.set(name, value);
}}, 60);
</script></body></html>
"""


def open_table(page, table, tmp_path):
    """Shows ``table`` in ``page``. The page's clicks reach it, and what it does is shown."""

    def explorer(ref):
        found = table.explorer
        assert found is not None
        assert ref == f"anywidget:{found.model_id}"
        return found

    def read(ref):
        if ref:
            inner = explorer(ref)
            hidden = ("layout", "tabbable", "tooltip")
            names = [n for n in inner.keys if n not in hidden and not n.startswith("_")]
            return json.loads(json.dumps({name: getattr(inner, name) for name in names}))
        ref = None if table.explorer is None else f"anywidget:{table.explorer.model_id}"
        return {"view": table.view, "progress": table.progress, "explorer": ref}

    def write(ref, state):
        for name in ("step", "phase", "selected"):
            setattr(explorer(ref), name, state[name])

    page.expose_function("read", read)
    page.expose_function("write", write)
    page.expose_function("source", lambda ref: explorer(ref)._esm)
    page.expose_function("tell", lambda content: table._heard(table, content, []))
    path = tmp_path / "table.html"
    css = table._css + assets.styles("explorer.css", "tree.css")
    path.write_text(PAGE.format(css=css, esm=json.dumps(table._esm).replace("</", "<\\/")))
    page.goto(path.as_uri())
    page.locator(".azl-play[data-ready]").wait_for()
    return page.locator(".azl-play")
