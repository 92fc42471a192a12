"""Checks whether the record of a search can be shown, and comments on an early end."""

import functools
import json
import pathlib
from collections.abc import Iterator
from itertools import chain
from typing import Any

VERSION = 2
SCHEMA = pathlib.Path(__file__).parent / "record.json"


def check(record: dict[str, Any]) -> None:
    """Checks that a record from a file or another program can be shown.

    It must match the schema in ``record.json``, every column must have an entry for each node or
    step, and every node, action and cell that it refers to must exist.

    Raises:
        ValueError: the record cannot be shown; the message says why.
    """
    if not record.get("nodes"):
        raise ValueError("This record does not contain a search.")
    version = record.get("version", VERSION)
    if type(version) is int and version != VERSION:
        raise ValueError(
            f"This record has format {version}, but this explorer reads format {VERSION}. "
            "Run the search again with this version of the package."
        )
    if damage := _damage(record):
        raise ValueError(f"This record is damaged: {damage}. Run the search again.")


def _damage(record: dict[str, Any]) -> str:
    """Describes what is wrong with a record; "" if nothing is."""
    from fastjsonschema import JsonSchemaValueException

    try:
        _schema()(record, name_prefix="record")
    except JsonSchemaValueException as error:
        return error.message
    return next(_misfits(record), "")


@functools.cache
def _schema():
    import fastjsonschema

    return fastjsonschema.compile(json.loads(SCHEMA.read_text(encoding="utf-8")))


def _misfits(record: dict[str, Any]) -> Iterator[str]:
    """Describes wrong lengths and references to missing items, in a record that fits the schema."""
    game, root, nodes, steps = (record[name] for name in ("game", "root", "nodes", "steps"))
    size, actions, cells = len(nodes["parent"]), game["num_actions"], len(root["cells"])
    for part, wanted in (("nodes", size), ("steps", len(steps["leaf"])), ("totals", size)):
        for name, column in (record.get(part) or {}).items():
            if isinstance(column, list | tuple) and len(column) != wanted:
                yield f"{part}.{name} has {len(column)} entries, not {wanted}"
    if len(game["labels"]) != actions:
        yield f"game.labels has {len(game['labels'])} entries, not {actions}"
    rows, cols, changes = game["rows"], game["cols"], nodes.get("changes") or ()
    if rows and not cells == rows * cols > 0:
        board = f"the board of {game['name']} has {rows} rows and {cols} columns"
        yield f"the root has {cells} cells, but {board}"
    if any(len(pairs) % 2 for pairs in changes):
        yield "nodes.changes names a cell without its content"
    for i, up in enumerate(nodes["parent"]):
        if not (0 <= up < i if i else up == -1):
            yield f"node {i} does not come after its parent"
    changed = (pairs[::2] for pairs in changes)
    for name, named, end in (
        ("steps.leaf", steps["leaf"], size),
        ("nodes.action", nodes["action"], actions),
        ("nodes.legal", chain(*nodes["legal"]), actions),
        ("nodes.cell", nodes["cell"], cells),
        ("nodes.origin", nodes.get("origin") or (), cells),
        ("nodes.highlights", chain(*nodes["highlights"].values()), cells),
        ("nodes.changes", chain(*changed), cells),
        ("root.lands", root["lands"], cells),
    ):
        if (highest := max(named, default=-1)) >= end:
            yield f"{name} contains {highest}, but the largest index is {end - 1}"


def remark(record: dict[str, Any]) -> str:
    """A remark on a search that ended early; "" for any other."""
    info, steps = record.get("info") or {}, record["steps"]
    if not info.get("stopped"):
        return ""
    done, wanted = max(steps["simulation"], default=0), info["num_simulations"]
    if "0" in (record["nodes"].get("proven") or {}):
        return f"This search ended after {done:,} of {wanted:,} simulations: its root is proven."
    return f"This search was stopped after {done:,} of {wanted:,} simulations."
