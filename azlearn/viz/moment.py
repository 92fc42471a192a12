"""One moment of a recorded search: its numbers, the path of its simulation, and what to say of it.

The Python twin of static/scene.js and static/say.js, for pictures that must stand still.
"""

import math
from dataclasses import dataclass, field

from azlearn.viz import colors
from azlearn.viz.numerals import gain, num, short
from azlearn.viz.replaying import Record, changes, label_of, move_scores, path_to, replay, unwritten

THEME = colors.LIGHT_THEME
PLAYERS = ("the first player", "the second player")


@dataclass
class Badge:
    """A few letters below a card; the letters say it, the colours repeat it."""

    text: str
    fill: str
    ink: str
    line: str | None = None


@dataclass
class Moment:
    """What a picture needs to know.

    ``row`` is the row of the record whose path is marked: -1 before the first, None for the
    finished tree, in which no path is. ``visits`` and ``values`` are N and W of the edge into
    every node. ``going_by`` is what the drawing is ordered by: N as it will be after the row, so
    that nothing changes its place between the phases.
    """

    row: int | None
    phase: str
    path: list[int]
    visits: list[int]
    values: list[float]
    going_by: list[int]
    there: set[int]
    new: set[int] = field(default_factory=set)
    badges: dict[int, Badge] = field(default_factory=dict)

    @property
    def ghosts(self) -> set[int]:
        """Nodes that join the tree only in the next phase."""
        return self.new if self.phase == "select" else set()

    @property
    def lit(self) -> set[int]:
        """Nodes of the marked path."""
        return set(self.path) - self.ghosts if self.row is not None and self.row >= 0 else set()


def finished(record: Record) -> Moment:
    """The tree after the last row, without a marked path."""
    visits, values = (column.tolist() for column in replay(record))
    there = {0} | {node for node, n in enumerate(visits) if n}
    return Moment(None, "backup", [0], visits, values, visits, there)


def moment(record: Record, step: int, phase: str) -> Moment:
    """The moment that the explorer shows at ``step`` and ``phase``.

    Args:
        record: as ``Recording.to_dict`` gives it.
        step: rows played, 0 to their number; the last of them is the one in progress.
        phase: of that row; its backup has happened only in "backup".

    Raises:
        ValueError: step is below 0 or above the number of rows.
    """
    steps = record["steps"]
    if not steps["leaf"]:
        return finished(record)
    if not 0 <= step <= len(steps["leaf"]):
        raise ValueError(f"step must be 0 to {len(steps['leaf'])}, not {step}.")
    row, simulation = step - 1, steps["simulation"]
    first = row  # of the rows of this simulation
    while first > 0 and simulation[first - 1] == simulation[row]:
        first -= 1
    if phase in ("select", "expand") and first < row:
        phase = "evaluate"  # later children of one expansion share its select and expand
    played = step if row < 0 or phase == "backup" else row
    visits, values = (column.tolist() for column in replay(record, played))
    base = (record["totals"] or {}).get("visit_counts", [])
    there = {0} | {node for node, n in enumerate(base) if n}
    if row < 0:
        return Moment(row, "backup", [0], visits, values, visits, there)
    for leaf in steps["leaf"][:first]:
        there.update(path_to(record, leaf))
    same = [r for r in range(first, len(simulation)) if simulation[r] == simulation[row]]
    new = {node for r in same for node in path_to(record, steps["leaf"][r])} - there
    path = path_to(record, steps["leaf"][row])
    ahead = set() if phase == "backup" else set(path)
    going_by = [n + (node in ahead) for node, n in enumerate(visits)]
    now = Moment(row, phase, path, visits, values, going_by, there | new, new)
    now.badges = _badges(record, now)
    return now


def decisions(record: Record, now: Moment) -> list[int]:
    """Nodes of the path where the rule chose: not the step onto a child opened with all others."""
    opened = record["expand"] == "all" and now.path[-1] in now.new
    return now.path[: -2 if opened else -1]


def scores(record: Record, now: Moment, k: int) -> dict[int, float]:
    """Scores of the children of path node ``k``, by node; infinite for a move never tried."""
    parent, action = record["nodes"]["parent"], record["nodes"]["action"]
    children = [i for i in now.there if i and parent[i] == now.path[k]]
    written = record["steps"]["scores"]
    if record["rule"]["name"] not in ("uct", "puct"):
        if not written or k >= len(written[now.row]):
            return {}
        row = written[now.row][k]
        return {i: unwritten(row[action[i]]) for i in children}
    known = move_scores(record, now.path[k], now.visits, now.values)
    return {i: known[action[i]] for i in children if action[i] in known}


def _badges(record: Record, now: Moment) -> dict[int, Badge]:
    badges = {}
    marked = Badge("new", THEME["path"], THEME["on-path"])
    if now.phase == "select":
        for k in range(len(decisions(record, now))):
            for node, score in scores(record, now, k).items():
                text = short(score, plus=False)
                badges[node] = Badge(text, THEME["bg"], THEME["mute"], THEME["edge"])
                if node == now.path[k + 1]:
                    badges[node] = Badge("✓" + text, marked.fill, marked.ink)
    elif now.phase == "expand":
        badges = dict.fromkeys(now.new, marked)
    elif now.phase == "evaluate":
        text, value = _value(record, now), record["steps"]["value"][now.row]
        text = f"value {text if len(text) < 4 else short(value)}"
        badges[now.path[-1]] = Badge(text, THEME["bg"], THEME["fg"], THEME["path"])
    else:
        for node, change in zip(now.path[1:], changes(record, now.row), strict=False):
            fill = THEME["ahead" if change > 0 else "behind" if change < 0 else "even"]
            badges[node] = Badge(gain(change), fill, colors.ink(fill))
    return badges


def _value(record: Record, now: Moment) -> str:
    value = record["steps"]["value"][now.row]
    if value is None:
        return "–"
    return f"{value:+.3g}".replace("-", "−") if value else "0"


def say(record: Record, now: Moment) -> str:
    """The moment in a sentence: which simulation, which phase, and what happens in it."""
    if now.row is None:
        return ""
    if now.row < 0:
        kept = "a tree kept from an earlier search" if len(now.there) > 1 else "the root alone"
        return f"Before the search: {kept}."
    simulation = record["steps"]["simulation"]
    tell = {"select": _select, "expand": _expand, "evaluate": _evaluate, "backup": _backup}
    head = f"Simulation {simulation[now.row]} of {simulation[-1]}, {now.phase}"
    return f"{head}: {tell[now.phase](record, now)}."


def _select(record: Record, now: Moment) -> str:
    nodes = decisions(record, now)
    if not nodes:
        return "the root is the leaf, so there is nothing to choose"
    line = [label_of(record, node) for node in now.path[1 : len(nodes) + 1]]
    won = scores(record, now, 0).get(now.path[1])
    why = ""
    if won is not None:
        is_new = won == math.inf and not now.visits[now.path[1]]
        why = ", never tried before" if is_new else f" with the score {num(won)}"
    then = f", then {', '.join(line[1:])}" if line[1:] else ""
    return f"from the root the search follows move {line[0]}{why}{then}"


def _expand(record: Record, now: Moment) -> str:
    leaf = now.path[-1]
    if leaf not in now.new:
        over = record["nodes"]["outcome"][leaf] is not None
        return (
            "the game is over at the leaf, so no node joins" if over else "no node joins the tree"
        )
    if record["expand"] == "all" and len(now.new) > 1:
        return f"all {len(now.new)} moves of the position join the tree"
    return f"move {label_of(record, leaf)} joins the tree"


def _evaluate(record: Record, now: Moment) -> str:
    leaf = now.path[-1]
    who = PLAYERS[record["nodes"]["to_play"][leaf]]
    name = f"move {label_of(record, leaf)}" if leaf else "the root"
    return f"the leaf, {name}, has the value {_value(record, now)} for {who}, to move there"


def _backup(record: Record, now: Moment) -> str:
    gains = [
        f"move {label_of(record, node)} {gain(change)}"
        for node, change in zip(now.path[1:], changes(record, now.row), strict=False)
    ][::-1]
    if not gains:
        return "the path is the root alone, so no move gains a visit"
    who = PLAYERS[record["nodes"]["to_play"][now.path[-1]]]
    start = f"from the leaf ({_value(record, now)} for {who}, to move there) up"
    return f"{start}, {', '.join(gains[:6])}{' and so on' if len(gains) > 6 else ''}"
