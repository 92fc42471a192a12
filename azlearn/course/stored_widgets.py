"""What a widget showed, kept beside its still picture in a notebook: the site draws it again.

A saved notebook has no kernel, and a widget's own state carries all of its code. So of an explorer
or a comparison only what ``to_html`` puts into a file is kept, packed into a cell's output; a
notebook's program passes over that kind of output.
"""

import base64
import json
import zlib
from collections.abc import Iterator
from typing import Any

from nbformat import NotebookNode

from azlearn.viz import Comparison, Explorer

KIND = "application/vnd.azlearn.widget+json"

_VIEW = "application/vnd.jupyter.widget-view+json"
_STATES = "application/vnd.jupyter.widget-state+json"
_KEPT = {"explorer": Explorer.IN_A_FILE, "comparison": Comparison.IN_A_FILE}


def keep_states(notebook: NotebookNode) -> None:
    """Pack into the outputs, in place, what the notebook's widgets showed in the end."""
    states = notebook.metadata.get("widgets", {}).get(_STATES, {}).get("state", {})
    for data in _bundles(notebook):
        state = states.get(data.get(_VIEW, {}).get("model_id"), {}).get("state", {})
        for kind, names in _KEPT.items():
            if set(names) <= set(state):
                data[KIND] = {"kind": kind, "state": _packed({name: state[name] for name in names})}


def kept_state(data: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """("explorer" or "comparison", what ``to_html`` would show) of an output's bundle, or None."""
    if KIND not in data:
        return None
    text = zlib.decompress(base64.b64decode(data[KIND]["state"]))
    return data[KIND]["kind"], json.loads(text)


def _bundles(notebook: NotebookNode) -> Iterator[dict[str, Any]]:
    for cell in notebook.cells:
        yield from (output["data"] for output in cell.get("outputs", ()) if "data" in output)


def _packed(state: dict[str, Any]) -> str:
    """The same state, the same text."""
    text = json.dumps(state, separators=(",", ":"), sort_keys=True)
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()
