"""Draws a still picture of a search tree as SVG text: the part of the finished tree that fits, in
the colors of ``colors.PAIRS`` (for a light and a dark page)."""

import html
import math

from azlearn.viz import colors
from azlearn.viz.board_geometry import extent
from azlearn.viz.formatting import num, signed
from azlearn.viz.replaying import (
    Record,
    cells_at,
    label_of,
    line_at,
    owners_at,
    victor_at,
    winner_at,
)
from azlearn.viz.sheet import THEME, Sheet
from azlearn.viz.themes import light, themed
from azlearn.viz.tree_layout import FLAG, HEAD, STRIP, Arrangement, Spot, arrange, board_height

MARGIN = 14
TITLE, GAP, SIZE = 30, 24, 15  # for two trees: height of the names, gap, font size


def to_svg(record: Record, max_nodes: int = 40, alt: str = "", follow: bool = False) -> str:
    """The tree as SVG text, on white or, with ``follow``, in the theme of the page."""
    sheet = draw(record, max_nodes)
    return _page(sheet.svg(), sheet.width, sheet.height, alt or "Search tree", follow)


def pair_to_svg(pair: list[tuple[str, Record]], max_nodes: int, alt: str, follow=False) -> str:
    """Two trees side by side, each below its name, as SVG text like that of ``to_svg``."""
    (one, left), (two, right) = ((name, draw(record, max_nodes)) for name, record in pair)
    x, height = left.width + GAP, max(left.height, right.height) + TITLE
    style = f'font-size="{SIZE}" font-weight="700" fill="{THEME["fg"]}"'
    parts = [
        f'<text x="{start + MARGIN:.0f}" y="21" {style}>{html.escape(name)}</text>'
        f'<g transform="translate({start:.0f} {TITLE})">{sheet.svg()}</g>'
        for start, name, sheet in ((0, one, left), (x, two, right))
    ]
    line = f'<path d="M{x - GAP / 2:.0f} 8V{height - 8:.0f}" stroke="{THEME["line"]}"/>'
    return _page("".join([*parts, line]), x + right.width, height, alt, follow)


def _page(body: str, width: float, height: float, title: str, follow: bool) -> str:
    return (themed if follow else light)(
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width:.0f} {height:.0f}"'
        f' width="{width:.0f}" height="{height:.0f}"'
        ' font-family="DejaVu Sans, system-ui, sans-serif">'
        f"<title>{html.escape(title)}</title>"
        f'<rect width="100%" height="100%" fill="{THEME["bg"]}"/>{body}</svg>'
    )


def draw(record: Record, max_nodes: int = 40) -> Sheet:
    """Draws the part of a tree that fits."""
    plan = arrange(record, max_nodes)
    sheet = Sheet(plan.width + 2 * MARGIN, plan.height + 2 * MARGIN)
    total = max(1, sum(plan.visit_counts[s.node] for s in plan.root.kids if s.node > 0))
    spots = plan.spots()
    for spot in spots:
        for kid in spot.kids:
            share = plan.visit_counts[kid.node] / total if kid.node > 0 else 0.0
            flag = FLAG if winner_at(record, spot.node) is not None else 0
            _edge(sheet, spot, kid, share, flag)
    for spot in spots:
        if spot.node < 0:
            _stub(sheet, spot)
        else:
            _card(sheet, record, plan, spot)
    return sheet


def _stub(sheet: Sheet, spot: Spot) -> None:
    """Draws the sign for children that are not drawn."""
    x, y, w = spot.x + MARGIN, spot.y + MARGIN, spot.width - 2
    sheet.box(x - w / 2, y + 1, w, 19, 9.5, THEME["card"], THEME["edge"])
    sheet.text(x, y + 15, f"+{spot.hidden}", 11, THEME["mute"])


def _edge(sheet: Sheet, up: Spot, spot: Spot, share: float, flag: float) -> None:
    """Draws an edge whose width shows its ``share`` of all visits; the flag of ``up`` covers its
    start."""
    x0, y0 = up.x + MARGIN, up.y + up.height - flag + MARGIN
    x1, y1 = spot.x + MARGIN, spot.y + MARGIN
    mid = (y0 + y1) / 2
    way = f"M{x0:.0f} {y0:.0f}C{x0:.0f} {mid:.0f} {x1:.0f} {mid:.0f} {x1:.0f} {y1:.0f}"
    sheet.path(way, THEME["edge"], max(1.0, 9 * math.sqrt(share)))


def _head(sheet: Sheet, record: Record, spot: Spot, visits: str, color: str, bold=False) -> None:
    """Writes the line above a card: player and move on the left, visits on the right."""
    game, node = record["game"], spot.node
    x, y = spot.x + MARGIN - spot.width / 2, spot.y + MARGIN + HEAD
    start = x
    if node and game["rows"]:
        mover = record["nodes"]["to_play"][record["nodes"]["parent"][node]]
        sheet.stone(x + 5, y - 7, 10, mover, game["drawing"])
        start += 12
    sheet.text(start, y - 4, label_of(record, node), 11.5, color, "start", bold)
    sheet.text(x + spot.width, y - 4, visits, 11, THEME["fg"], "end", True)


def _card(sheet: Sheet, record: Record, plan: Arrangement, spot: Spot) -> None:
    game, node, w = record["game"], spot.node, spot.width
    victor, winner = victor_at(record, node), winner_at(record, node)
    x, y, h = spot.x + MARGIN - w / 2, spot.y + MARGIN + HEAD, spot.height - HEAD
    h -= 0 if victor is None and winner is None else FLAG
    n, q = _statistics(record, plan, node)
    fill = THEME["bg"] if q is None else colors.q_pair(q)
    strong = node == 0 or node in plan.principal
    edge = THEME["fg" if strong else "edge"]
    sheet.box(x, y, w, h, 5, fill)
    sheet.box(x, y, w, h - STRIP + 5, 5, THEME["bg"])
    sheet.box(x, y + h - STRIP, w, 6, 0, fill)
    bh = board_height(record, w)
    if game["rows"]:
        wide, high = extent(game)
        cell, last = min((w - 8) / wide, bh / high), record["nodes"]["cell"][node] if node else -1
        if game["drawing"]["field"] == "crossings":
            sheet.box(x + 4, y + 4, wide * cell, high * cell, 3, THEME["wood"])
        sheet.board(
            game, cells_at(record, node), x + 4, y + 4, cell,
            last, line_at(record, node), owners_at(record, node),
        )  # fmt: skip
    else:
        sheet.text(x + w / 2, y + bh * 0.8, label_of(record, node), 16, THEME["fg"], bold=True)
    value = signed(q) if q is None or node not in plan.principal else "★ " + signed(q)
    ink = THEME["mute"] if q is None else colors.ink_pair(fill)
    sheet.text(x + w / 2, y + h - 4.5, value, 11.5, ink)
    sheet.box(x, y, w, h, 5, None, edge, 1.6 if strong else 1)
    if victor is not None:
        _flag(sheet, record, x + w / 2, y + h, w, victor, "won")
    if winner is not None:
        _flag(sheet, record, x + w / 2, y + h, w, winner, "wins")
    used = (12 if node and game["rows"] else 0) + 8.2 * len(label_of(record, node))
    ink = THEME["fg"] if strong else THEME["mute"]
    _head(sheet, record, spot, _visits(n, w - used - 3), ink, strong)


def _flag(
    sheet: Sheet, record: Record, x: float, y: float, w: float, victor: int, verb: str
) -> None:
    """Draws the flag below a card with its middle at x: who has won, or in outline who is proven to
    win."""
    fill, ink, stroke = THEME["fg"], THEME["bg"], None
    if verb == "wins":
        fill, ink, stroke = THEME["bg"], THEME["fg"], THEME["fg"]
    sheet.box(x - w / 2 - 2, y, w + 4, FLAG, 4, fill, stroke, 1.4)
    if victor < 0:
        sheet.text(x, y + 11, "draw", 11, ink, bold=True)
        return
    sheet.stone(x - 15, y + FLAG / 2, 11, victor, record["game"]["drawing"])
    sheet.text(x + 7, y + 11, verb, 11, ink, bold=True)


def _statistics(record: Record, plan: Arrangement, node: int) -> tuple[int, float | None]:
    """N, and Q for the player who made the move into the node (root: for the player to move)."""
    if node:
        n, w = plan.visit_counts[node], plan.value_sum[node]
    else:
        children = [i for i, parent in enumerate(record["nodes"]["parent"]) if parent == 0]
        n = sum(plan.visit_counts[i] for i in children)
        w = sum(plan.value_sum[i] for i in children)
    return n, (w / n if n and math.isfinite(w) else None)


def _visits(n: int, room: float) -> str:
    """The number in full if it fits (7 units per digit), else "1.3k", "12k", "2.0M"."""
    if 7 * len(str(n)) <= room or n < 1000:
        return str(n)
    value, unit = (n / 1000, "k") if n < 999_500 else (n / 1e6, "M")
    return num(value, 1 if value < 9.95 else 0) + unit
