"""The marks of the still picture of a search tree: what is drawn where, and in which colours (as
in ``colors.PAIRS``, for a light page and a dark one)."""

import math

from azlearn.viz import colors, fields
from azlearn.viz.boards import STONES, crosses
from azlearn.viz.fields import dots_part, extent, is_straight, stars
from azlearn.viz.numerals import signed
from azlearn.viz.replaying import (
    Record,
    cells_at,
    label_of,
    line_at,
    owners_at,
    victor_at,
    winner_at,
)
from azlearn.viz.tree_layout import FLAG, HEAD, STRIP, Arrangement, Spot, arrange, board_height

THEME = colors.PAIRS
MARGIN = 14


class Marks:
    """What is to be drawn, back to front: tuples (kind, numbers …, colours …)."""

    def __init__(self) -> None:
        self.items: list[tuple] = []

    def curve(self, x0, y0, x1, y1, color, width):
        self.items.append(("curve", x0, y0, x1, y1, color, width))

    def box(self, x, y, w, h, radius, fill, stroke=None, width=1.0):
        self.items.append(("box", x, y, w, h, radius, fill, stroke, width))

    def text(self, x, y, text, size, color, anchor="middle", bold=False):
        self.items.append(("text", x, y, text, size, color, anchor, bold))

    def stone(self, x, y, cell, player, drawing):
        if drawing["field"] == "crossings":
            r = cell * 0.45
            at = x - r, y - r, 2 * r, 2 * r, r
            name = "second" if player else "first"
            self.box(*at, STONES[name], STONES[name + "-rim"], max(0.6, cell * 0.05))
            return
        crossed = crosses(drawing)
        self.items.append(("cross" if crossed and player == 0 else "ring" if crossed else
                           "disc" if player == 0 else "square", x, y, cell, player))  # fmt: skip

    def capsule(self, ends, width, color):
        """A thick line with round ends, from one centre to the other: ((x, y), (x, y))."""
        self.items.append(("capsule", *ends[0], *ends[1], width, color))

    def last(self, x, y, cell, player, crossed):
        self.items.append(("last", x, y, cell, crossed or player == 1))


def draw(record: Record, max_nodes: int = 40) -> tuple[Marks, float, float, Arrangement]:
    """The marks of the part of a tree that fits, and the size of the sheet."""
    plan = arrange(record, max_nodes)
    marks = Marks()
    total = max(1, sum(plan.visit_counts[s.node] for s in plan.root.kids if s.node > 0))
    spots = plan.spots()
    for spot in spots:
        for kid in spot.kids:
            share = plan.visit_counts[kid.node] / total if kid.node > 0 else 0.0
            flag = FLAG if winner_at(record, spot.node) is not None else 0
            _edge(marks, spot, kid, share, flag)
    for spot in spots:
        if spot.node < 0:
            _stub(marks, spot)
        else:
            _card(marks, record, plan, spot)
    return marks, plan.width + 2 * MARGIN, plan.height + 2 * MARGIN, plan


def _stub(marks: Marks, spot: Spot) -> None:
    """What stands for children that are not drawn."""
    x, y, w = spot.x + MARGIN, spot.y + MARGIN, spot.width - 2
    marks.box(x - w / 2, y + 1, w, 19, 9.5, THEME["card"], THEME["edge"])
    marks.text(x, y + 15, f"+{spot.hidden}", 11, THEME["mute"])


def _edge(marks: Marks, up: Spot, spot: Spot, share: float, flag: float) -> None:
    """As wide as its visits, which are a ``share`` of all; it begins behind the flag of ``up``."""
    x0, y0 = up.x + MARGIN, up.y + up.height - flag + MARGIN
    x1, y1 = spot.x + MARGIN, spot.y + MARGIN
    marks.curve(x0, y0, x1, y1, THEME["edge"], max(1.0, 9 * math.sqrt(share)))


def _head(marks: Marks, record: Record, spot: Spot, visits: str, color: str, bold=False) -> None:
    """The line above a card: who moved where (left), visits (right)."""
    game, node = record["game"], spot.node
    x, y = spot.x + MARGIN - spot.width / 2, spot.y + MARGIN + HEAD
    start = x
    if node and game["rows"]:
        mover = record["nodes"]["to_play"][record["nodes"]["parent"][node]]
        marks.stone(x + 5, y - 7, 10, mover, game["drawing"])
        start += 12
    marks.text(start, y - 4, label_of(record, node), 11.5, color, "start", bold)
    marks.text(x + spot.width, y - 4, visits, 11, THEME["fg"], "end", True)


def _card(marks: Marks, record: Record, plan: Arrangement, spot: Spot) -> None:
    game, node, w = record["game"], spot.node, spot.width
    victor, winner = victor_at(record, node), winner_at(record, node)
    x, y, h = spot.x + MARGIN - w / 2, spot.y + MARGIN + HEAD, spot.height - HEAD
    h -= 0 if victor is None and winner is None else FLAG
    n, q = _statistics(record, plan, node)
    fill = THEME["bg"] if q is None else colors.q_pair(q)
    strong = node == 0 or node in plan.principal
    edge = THEME["fg" if strong else "edge"]
    marks.box(x, y, w, h, 5, fill)
    marks.box(x, y, w, h - STRIP + 5, 5, THEME["bg"])
    marks.box(x, y + h - STRIP, w, 6, 0, fill)
    bh = board_height(record, w)
    if game["rows"]:
        _board(
            marks, record, node, x + 4, y + 4, min((w - 8) / extent(game)[0], bh / extent(game)[1])
        )
    else:
        marks.text(x + w / 2, y + bh * 0.8, label_of(record, node), 16, THEME["fg"], bold=True)
    value = signed(q) if q is None or node not in plan.principal else "★ " + signed(q)
    ink = THEME["mute"] if q is None else colors.ink_pair(fill)
    marks.text(x + w / 2, y + h - 4.5, value, 11.5, ink)
    marks.box(x, y, w, h, 5, None, edge, 1.6 if strong else 1)
    if victor is not None:
        _flag(marks, record, x + w / 2, y + h, w, victor, "won")
    if winner is not None:
        _flag(marks, record, x + w / 2, y + h, w, winner, "wins")
    used = (12 if node and game["rows"] else 0) + 8.2 * len(label_of(record, node))
    ink = THEME["fg"] if strong else THEME["mute"]
    _head(marks, record, spot, _visits(n, w - used - 3), ink, strong)


def _board(marks: Marks, record: Record, node: int, x: float, y: float, cell: float) -> None:
    """The board of a node with its top left corner at (x, y)."""
    game, cells, line = record["game"], cells_at(record, node), line_at(record, node)
    crossed, field = crosses(game["drawing"]), game["drawing"]["field"]
    centre = [
        (x + dx, y + dy) for dx, dy in (fields.spot(game, i, cell) for i in range(len(cells)))
    ]
    if field == "squares":
        wide, high = game["cols"] * cell, game["rows"] * cell
        for k in range(1, game["cols"]):
            marks.box(x - 0.5 + k * cell, y + 1, 1, high - 2, 0, THEME["hole"])
        for k in range(1, game["rows"]):
            marks.box(x + 1, y - 0.5 + k * cell, wide - 2, 1, 0, THEME["hole"])
    if field == "crossings":
        wide, high, half = (game["cols"] - 1) * cell, (game["rows"] - 1) * cell, cell / 2
        marks.box(x, y, wide + cell, high + cell, 3, THEME["wood"])
        for k in range(game["cols"]):
            marks.box(x + half + k * cell - 0.4, y + half, 0.8, high, 0, THEME["grain"])
        for k in range(game["rows"]):
            marks.box(x + half, y + half + k * cell - 0.4, wide, 0.8, 0, THEME["grain"])
        for cx, cy in (centre[i] for i in stars(game)):
            marks.box(cx - 1.4, cy - 1.4, 2.8, 2.8, 1.4, THEME["grain"])
    if line and is_straight(game, line):  # an outline around its stones
        ends = centre[line[0]], centre[line[-1]]
        marks.capsule(ends, cell + 0.8, THEME["fg"])
        marks.capsule(ends, cell - 1.2, THEME["bg"])
    last = record["nodes"]["cell"][node] if node else -1
    owner = owners_at(record, node)
    for i, (who, (cx, cy)) in enumerate(zip(cells, centre, strict=True)):
        if field == "dots":
            _dots_cell(marks, game, i, cx, cy, cell, THEME["path"] if i == last else who)
        elif field == "hexagons" and not who:
            marks.box(cx - cell * 0.3, cy - cell * 0.3, cell * 0.6, cell * 0.6, 9, THEME["hole"])
        if who in (1, 2):
            marks.stone(cx, cy, cell, who - 1, game["drawing"])
        elif owner and owner[i] != "0":
            name, s = "first" if owner[i] == "1" else "second", cell * 0.17
            square = cx - s, cy - s, 2 * s, 2 * s, 0
            marks.box(*square, STONES[name], STONES[name + "-rim"], 0.5)
        if field == "crossings" and i == last:
            r, ink = cell * 0.23, STONES["on-first" if who == 1 else "on-second"]
            marks.box(cx - r, cy - r, 2 * r, 2 * r, r, None, ink, max(0.9, cell * 0.08))
        elif field != "dots" and (i == last or (i in line and not is_straight(game, line))):
            marks.last(cx, cy, cell, who - 1, crossed)


def _dots_cell(marks: Marks, game, i: int, x: float, y: float, cell: float, who) -> None:
    """A dot or a line; ``who`` is 0 for a line not drawn, or the colour of the last one."""
    part, w = dots_part(game, i), max(1.0, cell * 0.16)
    color = who if isinstance(who, str) else THEME["fg"] if who else THEME["hole"]
    if part == "dot":
        marks.box(x - w, y - w, 2 * w, 2 * w, w, THEME["fg"])
    elif part == "across":
        marks.box(x - cell + w, y - w / 2, 2 * (cell - w), w, 0, color)
    elif part == "down":
        marks.box(x - w / 2, y - cell + w, w, 2 * (cell - w), 0, color)


def _flag(
    marks: Marks, record: Record, x: float, y: float, w: float, victor: int, verb: str
) -> None:
    """Below the card, whose middle is x: who has won; in outline, who wins by a proof."""
    fill, ink, stroke = THEME["fg"], THEME["bg"], None
    if verb == "wins":
        fill, ink, stroke = THEME["bg"], THEME["fg"], THEME["fg"]
    marks.box(x - w / 2 - 2, y, w + 4, FLAG, 4, fill, stroke, 1.4)
    if victor < 0:
        marks.text(x, y + 11, "draw", 11, ink, bold=True)
        return
    marks.stone(x - 15, y + FLAG / 2, 11, victor, record["game"]["drawing"])
    marks.text(x + 7, y + 11, verb, 11, ink, bold=True)


def _statistics(record: Record, plan: Arrangement, node: int) -> tuple[int, float | None]:
    """N, and Q for the player who moved into the node (for the root: for the player to move)."""
    if node:
        n, w = plan.visit_counts[node], plan.value_sum[node]
    else:
        children = [i for i, parent in enumerate(record["nodes"]["parent"]) if parent == 0]
        n = sum(plan.visit_counts[i] for i in children)
        w = sum(plan.value_sum[i] for i in children)
    return n, (w / n if n and math.isfinite(w) else None)


def _visits(n: int, room: float) -> str:
    """The number in full where it has room (7 units a digit), else "1.3k", "12k", "2.0M"."""
    if 7 * len(str(n)) <= room or n < 1000:
        return str(n)
    value, unit = (n / 1000, "k") if n < 999_500 else (n / 1e6, "M")
    return f"{value:.1f}{unit}" if value < 9.95 else f"{value:.0f}{unit}"
