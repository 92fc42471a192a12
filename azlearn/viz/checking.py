"""What can be wrong with a record, in a sentence. The Python twin of static/check.js."""

from typing import Any

VERSION = 2
_COLUMNS = ("parent", "action", "cell", "to_play", "outcome", "legal")


def complaint(record: dict[str, Any]) -> str:
    """Why a record cannot be drawn, or ""."""
    nodes, steps = record.get("nodes"), record.get("steps")
    if not nodes or not isinstance(nodes, dict):
        return "This explorer was given no recorded search."
    if record.get("version", VERSION) != VERSION:
        return (
            f"This record was written in format {record['version']}, and this explorer reads "
            f"format {VERSION}: run the search again with this version of the package."
        )
    if not nodes.get("parent"):
        return "This record has no nodes: the search never started."
    if not isinstance(steps, dict) or steps.get("leaf") is None:
        return "This record has no steps, so there is nothing to draw."
    if not steps["leaf"] and not record.get("totals"):
        return "This search ran no simulations: there is no tree yet."
    damage = _damage(record)
    return f"This record is damaged: {damage}. Run the search again." if damage else ""


def _damage(record: dict[str, Any]) -> str:
    nodes, steps = record["nodes"], record["steps"]
    for name in ("game", "rule", "root"):
        if not isinstance(record.get(name), dict):
            return f"{name} is missing"
    size, optional = len(nodes["parent"]), ["prior"] if nodes.get("prior") else []
    for name in (*_COLUMNS, *optional):
        if not isinstance(nodes.get(name), list):
            return f"nodes.{name} is missing"
        if len(nodes[name]) != size:
            return f"nodes.{name} has {len(nodes[name])} entries for {size} nodes"
    for i, up in enumerate(nodes["parent"]):
        if up is None or not (0 <= up < i if i else up == -1):
            return f"node {i} does not come after its parent"
    for name in ("simulation", "value"):
        if len(steps.get(name) or []) != len(steps["leaf"]):
            return f"steps.{name} does not have one entry a step"
    for row, leaf in enumerate(steps["leaf"], start=1):
        if leaf is None or not 0 <= leaf < size:
            return f"step {row} ends at a node that is not there"
    game, cells = record["game"], len(record["root"].get("cells") or [])
    if game.get("rows") and cells != game["rows"] * game["cols"]:
        board = game["rows"] * game["cols"]
        return f"the root has {cells} cells, but a board of {game['name']} has {board}"
    return ""


def remark(record: dict[str, Any]) -> str:
    """What to say of a search that did not end as planned, or ""."""
    info, steps = record.get("info") or {}, record.get("steps") or {}
    if not info.get("stopped") or not steps.get("leaf"):
        return ""
    done, wanted = steps["simulation"][-1], info["num_simulations"]
    return f"This search was stopped after {done:,} of {wanted:,} simulations."
