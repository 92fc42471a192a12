"""What VS Code shows of our stored outputs before anything runs, by its published rules.

The notebook editor sorts the types of an output by ``NOTEBOOK_DISPLAY_ORDER`` (notebookCommon.ts),
with unknown types first. It moves those without a renderer to the end (``getOutputMimeTypeInfo``,
notebookServiceImpl.ts) and shows the first. In a folder that is not trusted it skips HTML.
"""

import json
from fnmatch import fnmatch
from pathlib import Path

import pytest

NOTEBOOKS = sorted(Path("notebooks").glob("*.ipynb")) + sorted(Path("solutions").glob("*.ipynb"))
ORDER = (
    "application/json", "application/javascript", "text/html", "image/svg+xml", "text/latex",
    "text/markdown", "image/png", "image/jpeg", "text/plain",
)  # fmt: skip
# The renderers of VS Code, of Jupyter and of Jupyter Notebook Renderers.
RENDERED = (
    *ORDER, "image/gif", "image/git", "application/vnd.code.notebook.*",
    "application/vnd.jupyter.widget-view+json", "application/vnd.plotly.v1+json",
    "application/vnd.vega*", "application/vnd.dataresource+json", "application/geo+json",
    "application/vdom.v1+json", "application/x-nteract-model-debug+json",
)  # fmt: skip


def shown(types, is_trusted=True):
    """The type that VS Code shows."""
    rank = {name: place for place, name in enumerate(ORDER)}
    ordered = sorted(types, key=lambda name: rank.get(name, -1))
    known = [name for name in ordered if any(fnmatch(name, one) for one in RENDERED)]
    trusted = [name for name in known if is_trusted or name != "text/html"]
    return (trusted or known or ordered)[0]


def outputs(path):
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    found = (output for cell in cells for output in cell.get("outputs", []))
    return [output["data"] for output in found if "data" in output]


def test_the_rules():
    widget = "application/vnd.jupyter.widget-view+json"
    assert shown(["text/plain", "text/html", widget]) == widget  # as after a run
    assert shown(["application/vnd.unknown+json", "image/png", "text/plain"]) == "image/png"
    assert shown(["text/html", "image/svg+xml"], is_trusted=False) == "image/svg+xml"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.parametrize("is_trusted", [True, False])
def test_every_stored_widget_shows_its_still_picture(path, is_trusted):
    for data in outputs(path):
        assert "application/vnd.jupyter.widget-view+json" not in data
        if any(name.startswith("application/vnd.") for name in data):
            kind = shown(data, is_trusted)
            text = "".join(data[kind])
            assert kind in ("text/html", "image/svg+xml"), kind
            assert "<svg" in text or "<img" in text
