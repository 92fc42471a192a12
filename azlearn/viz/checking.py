"""What can be wrong with a record, in a sentence. The Python twin of static/check.js."""

import json
import pathlib
from typing import Any

VERSION = 2
SCHEMA = json.loads((pathlib.Path(__file__).parent / "static" / "record.json").read_text("utf-8"))
_KINDS = {
    bool: "boolean", int: "integer", float: "number", str: "string", list: "array", tuple: "array",
    dict: "object", type(None): "null",
}  # fmt: skip


def complaint(record: dict[str, Any]) -> str:
    """Why a record cannot be drawn, or "".

    Its types are those of static/record.json; every column must have an entry for each node or
    step, and every node, action and cell that is named must be there.
    """
    nodes, steps = record.get("nodes"), record.get("steps")
    if not nodes or not isinstance(nodes, dict):
        return "This explorer was given no recorded search."
    version = record.get("version", VERSION)
    if type(version) is int and 0 <= version < 1000 and version != VERSION:
        return (
            f"This record was written in format {version}, and this explorer reads "
            f"format {VERSION}: run the search again with this version of the package."
        )
    if not nodes.get("parent"):
        return "This record has no nodes: the search never started."
    if not isinstance(steps, dict) or steps.get("leaf") is None:
        return "This record has no steps, so there is nothing to draw."
    if steps["leaf"] == [] and record.get("totals") is None:
        return "This search ran no simulations: there is no tree yet."
    damage = fault(record) or _misfit(record)
    return f"This record is damaged: {damage}. Run the search again." if damage else ""


def fault(value: Any, schema: dict[str, Any] = SCHEMA) -> str:
    """What does not have the type that static/record.json wants, such as "nodes.to_play[3] is 7,
    not a player, 0 or 1", or "".

    The file is JSON Schema, of which these words are read: $ref, type, enum, minimum, maximum,
    maxLength, minItems, maxItems, items, required, properties, additionalProperties.
    """
    return _fault(value, schema).lstrip(".")


def _fault(value: Any, schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    if not _fits(value, schema):
        return f" is {_shown(value)}, not {schema.get('title', 'an object')}"
    if isinstance(value, list | tuple):
        for k, part in enumerate(value):
            if wrong := _fault(part, schema["items"]):
                return f"[{k}]{wrong}"
    elif isinstance(value, dict):
        names, others = schema.get("properties", {}), schema.get("additionalProperties")
        for name in schema.get("required", ()):
            if name not in value:
                return f".{name} is missing"
        for name, part in value.items():
            kind = names.get(name, others)
            if kind is not None and (wrong := _fault(part, kind)):
                return f".{name}{wrong}"
    return ""


def _fits(value: Any, schema: dict[str, Any]) -> bool:
    kind, wanted = _KINDS.get(type(value), ""), schema["type"]
    types = (wanted,) if isinstance(wanted, str) else wanted
    if kind not in types and (kind != "integer" or "number" not in types):
        return False
    if kind in ("integer", "number"):
        return "minimum" not in schema or schema["minimum"] <= value <= schema["maximum"]
    if kind == "string":
        return value in schema.get("enum", (value,)) and len(value) <= schema.get("maxLength", 200)
    if kind == "array" and "minItems" in schema:
        return schema["minItems"] <= len(value) <= schema["maxItems"]
    return True


def _shown(value: Any) -> str:
    if isinstance(value, list | tuple | dict):
        return "an object" if isinstance(value, dict) else f"a list of {len(value)}"
    text = json.dumps(value, ensure_ascii=False, default=str)
    text = text.encode(errors="backslashreplace").decode()  # half a letter cannot be printed
    return text if len(text) <= 24 else text[:23] + "…"


def _misfit(record: dict[str, Any]) -> str:
    """Of a record whose types are right: what is not there although it is named."""
    game, root, nodes, steps = (record[name] for name in ("game", "root", "nodes", "steps"))
    size, rows, actions = len(nodes["parent"]), len(steps["leaf"]), game["num_actions"]
    cells, board = len(root["cells"]), game["rows"] * game["cols"]
    ends = {"nodes": (size, "nodes"), "steps": (rows, "steps"), "totals": (size, "nodes")}
    columns = [
        (f"{part}.{name}", (record.get(part) or {}).get(name), *ends[part])
        for part in ends
        for name in SCHEMA["properties"][part]["properties"]
    ]
    columns.append(("game.labels", game["labels"], actions, "actions"))
    if board and not game["drawing"]["falls"]:
        columns.append(("root.lands", root["lands"], actions, "actions"))
    for name, part, wanted, noun in columns:
        if isinstance(part, list | tuple) and len(part) != wanted:
            return f"{name} has {len(part)} entries for {wanted} {noun}"
    for i, up in enumerate(nodes["parent"]):
        if not (0 <= up < i if i else up == -1):
            return f"node {i} does not come after its parent"
    for row, leaf in enumerate(steps["leaf"], start=1):
        if leaf >= size:
            return f"step {row} ends at a node that is not there"
    if board and cells != board:
        return f"the root has {cells} cells, but a board of {game['name']} has {board}"
    named = [(f"nodes.legal[{i}]", legal, actions) for i, legal in enumerate(nodes["legal"])]
    named += [("nodes.action", nodes["action"], actions), ("nodes.cell", nodes["cell"], cells)]
    named += [("nodes.origin", nodes.get("origin") or (), cells)]
    named += [("root.lands", root["lands"], cells)]
    named += [("nodes.highlights", line, cells) for line in nodes["highlights"].values()]
    named += [("nodes.changes", pairs[::2], cells) for pairs in nodes.get("changes") or ()]
    for name, part, end in named:
        if (highest := max(part, default=-1)) >= end:
            return f"{name} names {highest}, but {end} is the end"
    if min(nodes["action"][1:], default=0) < 0:
        return "nodes.action does not tell how a node is reached"
    return _uneven(record)


def _uneven(record: dict[str, Any]) -> str:
    """Lists of a node or a step that are not as long as they should be."""
    nodes, steps, actions = record["nodes"], record["steps"], record["game"]["num_actions"]
    depth = [0] * len(nodes["parent"])
    for i, up in enumerate(nodes["parent"][1:], start=1):
        depth[i] = depth[up] + 1
    priors = enumerate(nodes.get("prior") or ())
    lists = [(f"nodes.prior[{i}]", p, actions) for i, p in priors if p is not None]
    for name in ("change", "visits", "scores"):
        for row, part in enumerate(steps.get(name) or ()):
            lists.append((f"steps.{name}[{row}]", part, depth[steps["leaf"][row]]))
            if name == "scores":
                lists += [(f"steps.scores[{row}]", scores, actions) for scores in part]
    for name, part, wanted in lists:
        if len(part) != wanted:
            return f"{name} has {len(part)} entries, not {wanted}"
    if any(b < a for a, b in zip([1, *steps["simulation"]], steps["simulation"], strict=False)):
        return "steps.simulation does not count up"
    return ""


def remark(record: dict[str, Any]) -> str:
    """What to say of a search that did not end as planned, or ""."""
    info, steps = record.get("info") or {}, record.get("steps") or {}
    if not info.get("stopped") or not steps.get("leaf"):
        return ""
    done, wanted = steps["simulation"][-1], info["num_simulations"]
    if "0" in ((record.get("nodes") or {}).get("proven") or {}):
        return f"This search ended after {done:,} of {wanted:,} simulations: its root is proven."
    return f"This search was stopped after {done:,} of {wanted:,} simulations."
