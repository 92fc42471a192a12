"""The widgets' front end: ES modules beside this file joined into one, and their colours."""

import base64
import functools
import hashlib
import html
import json
import pathlib
import re

from azlearn.atomic_io import in_words, write_user_path
from azlearn.viz.colors import css_variables

STATIC = pathlib.Path(__file__).parent / "static"
EXPLORER, COMPARE, PLAY, BANDIT = "mount.js", "compare.js", "play.js", "bandit.js"  # the widgets

_IMPORT = re.compile(r'^import [^;]* from "\./(\w+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def files(name: str) -> list[str]:
    """A module of the front end after all that it imports, each after what it needs itself."""
    found: list[str] = []
    for needed in _IMPORT.findall(_source(name)):
        found += [file for file in files(needed) if file not in found]
    return [*found, name]


@functools.cache
def module(name: str) -> str:
    """A module and all that it imports as one: imports dropped, only the last exports.

    Each file keeps its own scope; what it exports is visible to the files after it.
    """
    parts = []
    for file in files(name):
        source = _IMPORT.sub("", _source(file))
        exported = re.findall(r"^export (?:const|class|function) (\w+)", source, re.MULTILINE)
        body = _EXPORT.sub("", source)
        if file == name:
            parts.append(f"// {file}\n{body}")
        else:
            given = "{ " + ", ".join(exported) + " }"
            parts.append(f"// {file}\nconst {given} = (() => {{\n{body}return {given};\n}})();\n")
    return "\n".join(parts)


@functools.cache
def _source(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


@functools.cache
def styles(*names: str) -> str:
    """Style sheets, one after the other, with the colours in front."""
    return "\n".join([css_variables(), *map(_source, names)])


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>{css}</style>
</head>
<body>
<main><h1>{title}</h1><div id="widget"></div></main>
<noscript>{title}: this page needs JavaScript.</noscript>
<script type="application/json" id="state">{state}</script>
<script type="module">{script}</script>
</body>
</html>
"""
_STYLE = """
html { color-scheme: light dark; }
body { margin: 0 auto; padding: 8px 16px; max-width: 1600px; font: 15px/1.5 system-ui, sans-serif;
       background: Canvas; color: CanvasText; }
h1 { font-size: 16px; margin: 0 0 6px; }
"""
# Stands in for the notebook's model where there is none: what a widget is given, it keeps. What is
# alone has no kernel, and is a page of its own or part of one.
_MODEL = """
const modelOf = state => {
  const heard = {};
  return {
    get: name => state[name],
    set(name, value) {
      if (state[name] === value) return;
      state[name] = value;
      for (const f of heard["change:" + name] || []) f();
    },
    on(event, f) { (heard[event] ||= []).push(f); },
    off(event, f) { heard[event] = (heard[event] || []).filter(g => g !== f); },
    save_changes() {},
    send() {},
  };
};
"""
_START = """
const state = { ...JSON.parse(document.getElementById("state").textContent), alone: "page" };
widget.render({ model: modelOf(state), el: document.getElementById("widget") });
"""
_START_EACH = """
for (const data of document.querySelectorAll("script[data-azlearn-widget]")) {
  const el = document.createElement("div"), kind = data.dataset.azlearnWidget;
  data.parentElement.replaceChildren(el);
  widgets[kind].render({ model: modelOf({ ...JSON.parse(data.textContent), alone: "part" }), el });
}
"""


def page(title: str, esm: str, css: str, state: dict) -> str:
    """A file that opens without a kernel and without a network: widget, style and state inside.

    Its policy lets the browser run this script and use this style sheet, and load nothing: what a
    foreign record may bring along is not run.
    """
    script = esm.replace("export default", "const widget =") + _MODEL + _START
    # Within a string \\! is ! and \\s is s; unescaped, these would end or go on with the element.
    script = re.sub(r"<(?=!--|/?script)", r"<\\", script, flags=re.IGNORECASE)
    css = _STYLE + css
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(css)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return _PAGE.format(
        policy=policy,
        title=html.escape(title.encode(errors="replace").decode()),
        css=css,
        script=script,
        state=_in_markup(state),
    )


def element(kind: str, state: dict, still: str) -> str:
    """HTML that ``script()`` makes a widget of: its state, and what is shown until then.

    Args:
        kind: "explorer", "comparison" or "bandit".
        state: what the widget's ``to_html`` puts into its file.
        still: HTML for a page without scripts.
    """
    data = f'<script type="application/json" data-azlearn-widget="{kind}">'
    return f'<div class="azlearn-widget">{still}{data}{_in_markup(state)}</script></div>'


def script() -> str:
    """A classic script for the end of a page: draws every ``element`` of that page."""
    kinds = {"explorer": EXPLORER, "comparison": COMPARE, "bandit": BANDIT}
    made = (
        f"  {kind}: (() => {{\n{module(names).replace('export default', 'return')}}})(),"
        for kind, names in kinds.items()
    )
    widgets = "\n".join(["const widgets = {", *made, "};"])
    return f'(() => {{\n"use strict";\n{widgets}{_MODEL}{_START_EACH}}})();\n'


def sheet() -> str:
    """The style sheet that goes with ``script()``."""
    return styles("explorer.css", "tree.css", "compare.css", "bandit.css")


def _in_markup(state: dict) -> str:
    """JSON that cannot end the element it stands in."""
    return json.dumps(state, separators=(",", ":")).replace("<", "\\u003c")


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def write_page(path: str | pathlib.Path, text: str) -> None:
    """Writes a page in whole or not at all: an earlier one survives a full disk.

    Raises:
        OSError: it could not be written.
    """
    try:
        write_user_path(pathlib.Path(path), text)
    except OSError as error:
        raise OSError(f"Could not write {in_words(error)}") from error
