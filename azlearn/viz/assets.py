"""The widgets' front end: bundles the ES modules and style sheets in ``static``."""

import base64
import functools
import hashlib
import html
import json
import pathlib
import re
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from azlearn.atomic_io import in_words, write_user_path
from azlearn.viz.colors import css_variables

STATIC = pathlib.Path(__file__).parent / "static"
EXPLORER, COMPARE, PLAY = "mount.js", "compare.js", "play_mount.js"  # the widgets
BANDIT = "bandit.js"
TABLE = "play_page.js"  # a page to play on
MODEL, WORKER = "page_model.js", "page_worker.js"  # for pages without a kernel

_IMPORT = re.compile(r'^import [^;]* from "\./(\w+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?!default)", re.MULTILINE)


def files(name: str) -> list[str]:
    """A front-end module and all its imports, each after the modules it imports itself."""
    found: list[str] = []
    for needed in _IMPORT.findall(_source(name)):
        found += [file for file in files(needed) if file not in found]
    return [*found, name]


@functools.cache
def module(name: str) -> str:
    """Bundles a module and its imports into one module that keeps only the last file's exports.

    Each file keeps its own scope; its exports are visible to the files after it.
    """
    *needed, own = files(name)
    return "\n".join([*map(_scoped, needed), _unscoped(own)])


def _scoped(file: str) -> str:
    """A module in a scope of its own, from which only its exports are visible."""
    exported = re.findall(r"^export (?:const|class|function) (\w+)", _source(file), re.MULTILINE)
    given = "{ " + ", ".join(exported) + " }"
    body = _EXPORT.sub("", _IMPORT.sub("", _source(file)))
    return f"// {file}\nconst {given} = (() => {{\n{body}return {given};\n}})();\n"


def _unscoped(file: str) -> str:
    return f"// {file}\n" + _EXPORT.sub("", _IMPORT.sub("", _source(file)))


@functools.cache
def _source(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


@functools.cache
def styles(*names: str) -> str:
    """Joins style sheets, with the colors first."""
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
# "alone" tells the widget that there is no kernel, and whether the widget fills the whole page.
_START = """
const state = { ...JSON.parse(document.getElementById("state").textContent), alone: "page" };
widget.render({ model: new PageModel(state, engine), el: document.getElementById("widget") });
"""
_START_EACH = """
for (const data of document.querySelectorAll("script[data-azlearn-widget]")) {
  const el = document.createElement("div"), kind = data.dataset.azlearnWidget;
  data.parentElement.replaceChildren(el);
  const state = { ...JSON.parse(data.textContent), alone: "part" };
  widgets[kind].render({ model: new PageModel(state, engine), el });
}
"""


class Engine(NamedTuple):
    """The games and networks that a page searches with, as JavaScript and JSON.

    Attributes:
        games: for each name, the game in JavaScript.
        networks: for each name, the dict that ``network_spec`` returns. For ``script()`` it can be
            the name of a ``network_script`` file, which the page loads when it needs the network.
    """

    games: Mapping[str, str]
    networks: Mapping[str, dict | str] = {}


def page(title: str, esm: str, css: str, state: dict, engine: Engine | None = None) -> str:
    """An HTML page that works without a kernel or internet; it contains widget, style and state.

    Its policy lets the browser run only this script, use only this style sheet, and load nothing
    else, so that a script in an untrusted record cannot run.

    Args:
        engine: the games and networks of the page; None for a page that only replays.
    """
    widget = esm.replace("export default", "return")
    model = f"const {{ PageModel }} = (() => {{\n{module(MODEL)}return {{ PageModel }};\n}})();\n"
    script = f"const widget = (() => {{\n{widget}}})();\n{model}{_engine(engine)}{_START}"
    # Inside a string \\! means ! and \\s means s; unescaped "<!--" or "<script" breaks the page.
    script = re.sub(r"<(?=!--|/?script)", r"<\\", script, flags=re.IGNORECASE)
    css = _STYLE + css
    worker = "worker-src blob:; " if engine else ""
    wasm = " 'wasm-unsafe-eval'" if engine and engine.networks else ""
    policy = (
        f"default-src 'none'; script-src {_hash(script)}{wasm}; style-src {_hash(css)}; {worker}"
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
    """HTML that ``script()`` turns into a widget: its state, and a still version of it.

    Args:
        kind: the type of widget: "explorer", "comparison", "table" or "bandit".
        state: the state that the widget's ``to_html`` puts into its file.
        still: HTML shown until the script runs, and on a page without scripts.
    """
    data = f'<script type="application/json" data-azlearn-widget="{kind}">'
    return f'<div class="azlearn-widget">{still}{data}{_in_markup(state)}</script></div>'


def _engine(engine: Engine | None) -> str:
    """Returns the JavaScript that declares ``engine`` in a page."""
    if engine is None:
        return "const engine = null;\n"
    games = ", ".join(f"{json.dumps(name)}: () => ({js})" for name, js in engine.games.items())
    parts = json.dumps({"text": _lean(module(WORKER)), "networks": engine.networks})
    here = "document.currentScript?.src"  # an inline script has no src and needs none
    return f"const engine = {{ ...{parts}, here: {here}, games: {{ {games} }} }};\n"


def _lean(js: str) -> str:
    """Removes indentation and comment lines."""
    return re.sub(r"^[ \t]*//.*\n|^[ \t]+", "", js, flags=re.MULTILINE)


def script(engine: Engine | None = None) -> str:
    """A classic script to put at the end of a page, where it draws every ``element``.

    Args:
        engine: as in ``page``.
    """
    kinds = {"explorer": EXPLORER, "comparison": COMPARE, "table": TABLE, "bandit": BANDIT}
    needed = Counter(file for name in (*kinds.values(), MODEL) for file in files(name))
    shared = [_scoped(file) for file, times in needed.items() if times > 1]
    made = (
        f"  {kind}: (() => {{\n{_own(name, needed).replace('export default', 'return')}}})(),"
        for kind, name in kinds.items()
    )
    widgets = _lean("\n".join([*shared, "const widgets = {", *made, "};"]))
    return f'(() => {{\n"use strict";\n{widgets}\n{_engine(engine)}{_START_EACH}}})();\n'


def _own(name: str, needed: Counter[str]) -> str:
    """A module and those of its imports that no other module of the script needs."""
    *imports, last = files(name)
    return "\n".join([*(_scoped(x) for x in imports if needed[x] == 1), _unscoped(last)])


def network_script(name: str, spec: dict) -> str:
    """A file beside ``script()`` with a network; see ``Engine.networks``."""
    return f"(globalThis.azlearnNetworks ||= {{}})[{json.dumps(name)}] = {json.dumps(spec)};\n"


def sheet() -> str:
    """The style sheet that goes with ``script()``."""
    return styles(
        "explorer.css", "tree.css", "search_settings.css", "compare.css", "play.css", "bandit.css"
    )


def _in_markup(state: dict) -> str:
    """Returns JSON that cannot close the ``<script>`` element around it."""
    return json.dumps(state, separators=(",", ":")).replace("<", "\\u003c")


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def write_page(path: str | pathlib.Path, text: str) -> None:
    """Writes a page completely or not at all, so an earlier file survives a full disk.

    Raises:
        OSError: the file could not be written.
    """
    try:
        write_user_path(pathlib.Path(path), text)
    except OSError as error:
        raise OSError(f"Could not write {in_words(error)}") from error
