"""The still picture of a search tree as SVG text: the part of the finished tree that fits, in the
colours of ``colors.PAIRS`` (for a light page and a dark one)."""

import html
import math

from azlearn.viz import colors, fields
from azlearn.viz.boards import STONES, crosses
from azlearn.viz.fields import dots_part, extent, is_straight, stars
from azlearn.viz.numerals import signed
from azlearn.viz.picture import light, themed
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
RIM = 1.1  # of a stone, both sides together
TITLE, GAP, SIZE = 30, 24, 15  # of two trees: the names above, the room between, the letters


def to_svg(record: Record, max_nodes: int = 40, alt: str = "", follow: bool = False) -> str:
    """The tree as SVG text: on a white sheet, or with ``follow`` in the theme of its page."""
    sheet = draw(record, max_nodes)
    return _page(sheet.svg(), sheet.width, sheet.height, alt or "Search tree", follow)


def pair_to_svg(pair: list[tuple[str, Record]], max_nodes: int, alt: str, follow=False) -> str:
    """Two trees beside each other, each with its name above, as one SVG text like ``to_svg``'s."""
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


class Sheet:
    """What is drawn of a tree.

    Stones of one kind and size share a path, and texts of one style a group: that keeps the picture
    short, which saved notebooks carry.

    Attributes:
        width, height: of the whole.
        stones: by (kind, width of a cell) the ways of the path; kinds are "disc" and "square", or
            "cross" and "ring".
        texts: by (size, color, anchor, bold) tuples (x, y, text).
    """

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.back: list[str] = []
        self.stones: dict[tuple[str, float], list[str]] = {}
        self.front: list[str] = []
        self.texts: dict[tuple, list[tuple[float, float, str]]] = {}

    def svg(self) -> str:
        """Everything, back to front, as SVG elements."""
        stones = [_stones(*key, "".join(ways)) for key, ways in self.stones.items()]
        texts = []
        for (size, color, anchor, bold), lines in self.texts.items():
            style = f'font-size="{size}" fill="{color}" text-anchor="{anchor}"'
            words = (f'<text x="{x:.0f}" y="{y:.0f}">{html.escape(t)}</text>' for x, y, t in lines)
            weight = ' font-weight="700"' if bold else ""
            texts.append(f"<g {style}{weight}>{''.join(words)}</g>")
        return "".join([*self.back, *stones, *self.front, *texts])

    def curve(self, x0, y0, x1, y1, color, width):
        mid = (y0 + y1) / 2
        way = f"M{x0:.0f} {y0:.0f}C{x0:.0f} {mid:.0f} {x1:.0f} {mid:.0f} {x1:.0f} {y1:.0f}"
        line = f'stroke="{color}" stroke-width="{width:.1f}"'
        self.back.append(f'<path d="{way}" fill="none" {line}/>')

    def box(self, x, y, w, h, radius, fill, stroke=None, width=1.0):
        self.back.append(_rect(x, y, w, h, radius, fill, stroke, width))

    def text(self, x, y, text, size, color, anchor="middle", bold=False):
        self.texts.setdefault((size, color, anchor, bold), []).append((x, y, text))

    def capsule(self, ends, width, color):
        """A thick line with round ends, from one centre to the other: ((x, y), (x, y))."""
        (x0, y0), (x1, y1) = ends
        line = f'stroke="{color}" stroke-width="{width:.2f}" stroke-linecap="round"'
        self.back.append(f'<path d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" {line}/>')

    def stone(self, x, y, cell, player, drawing):
        if drawing["field"] == "crossings":
            r = cell * 0.45
            name = "second" if player else "first"
            rim = STONES[name + "-rim"], max(0.6, cell * 0.05)
            return self.box(x - r, y - r, 2 * r, 2 * r, r, STONES[name], *rim)
        if not crosses(drawing):  # a line without length but with ends: very short to say
            kind, way = "square" if player else "disc", f"M{x:.1f} {y:.1f}h0"
        elif player:
            kind, r = "ring", cell * 0.32
            half = f"a{r:.1f} {r:.1f} 0 1 0 "
            way = f"M{x - r:.1f} {y:.1f}{half}{2 * r:.1f} 0{half}-{2 * r:.1f} 0"
        else:
            kind, a = "cross", cell * 0.288
            b = f"{2 * a:.1f}"
            way = f"M{x - a:.1f} {y - a:.1f}l{b} {b}m0 -{b}l-{b} {b}"
        self.stones.setdefault((kind, cell), []).append(way)

    def last(self, x, y, cell, is_round):
        """A line around the stone of the last move."""
        s = cell * (0.46 if is_round else 0.44)
        box = x - s, y - s, 2 * s, 2 * s, s if is_round else 1
        self.front.append(_rect(*box, None, THEME["fg"], max(0.9, cell * 0.08)))


def _rect(x, y, w, h, radius, fill, stroke, width) -> str:
    line = f' stroke="{stroke}" stroke-width="{width:.3g}"' if stroke else ""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.3g}" height="{h:.1f}" rx="{radius:.3g}"'
        f' fill="{fill or "none"}"{line}/>'
    )


def _stones(kind: str, cell: float, way: str) -> str:
    """All stones of a kind as one path, twice: the rim, and what it surrounds."""
    name = "second" if kind in ("square", "ring") else "first"
    thin = max(1.4, cell * 0.15)
    width = {"disc": cell * 0.8 - RIM, "square": cell * 0.7 - RIM}.get(kind, thin)
    cap = {"disc": "round", "square": "square"}.get(kind, "butt")
    return "".join(
        f'<path d="{way}" fill="none" stroke="{THEME[part]}" stroke-width="{w:.2f}"'
        f' stroke-linecap="{cap}"/>'
        for part, w in ((f"{name}-rim", width + RIM), (name, width))
    )


def draw(record: Record, max_nodes: int = 40) -> Sheet:
    """The part of a tree that fits."""
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
    """What stands for children that are not drawn."""
    x, y, w = spot.x + MARGIN, spot.y + MARGIN, spot.width - 2
    sheet.box(x - w / 2, y + 1, w, 19, 9.5, THEME["card"], THEME["edge"])
    sheet.text(x, y + 15, f"+{spot.hidden}", 11, THEME["mute"])


def _edge(sheet: Sheet, up: Spot, spot: Spot, share: float, flag: float) -> None:
    """As wide as its visits, which are a ``share`` of all; it begins behind the flag of ``up``."""
    x0, y0 = up.x + MARGIN, up.y + up.height - flag + MARGIN
    x1, y1 = spot.x + MARGIN, spot.y + MARGIN
    sheet.curve(x0, y0, x1, y1, THEME["edge"], max(1.0, 9 * math.sqrt(share)))


def _head(sheet: Sheet, record: Record, spot: Spot, visits: str, color: str, bold=False) -> None:
    """The line above a card: who moved where (left), visits (right)."""
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
        _board(
            sheet, record, node, x + 4, y + 4, min((w - 8) / extent(game)[0], bh / extent(game)[1])
        )
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


def _board(sheet: Sheet, record: Record, node: int, x: float, y: float, cell: float) -> None:
    """The board of a node with its top left corner at (x, y)."""
    game, cells, line = record["game"], cells_at(record, node), line_at(record, node)
    crossed, field = crosses(game["drawing"]), game["drawing"]["field"]
    centre = [
        (x + dx, y + dy) for dx, dy in (fields.spot(game, i, cell) for i in range(len(cells)))
    ]
    if field == "squares":
        wide, high = game["cols"] * cell, game["rows"] * cell
        for k in range(1, game["cols"]):
            sheet.box(x - 0.5 + k * cell, y + 1, 1, high - 2, 0, THEME["hole"])
        for k in range(1, game["rows"]):
            sheet.box(x + 1, y - 0.5 + k * cell, wide - 2, 1, 0, THEME["hole"])
    if field == "crossings":
        wide, high, half = (game["cols"] - 1) * cell, (game["rows"] - 1) * cell, cell / 2
        sheet.box(x, y, wide + cell, high + cell, 3, THEME["wood"])
        for k in range(game["cols"]):
            sheet.box(x + half + k * cell - 0.4, y + half, 0.8, high, 0, THEME["grain"])
        for k in range(game["rows"]):
            sheet.box(x + half, y + half + k * cell - 0.4, wide, 0.8, 0, THEME["grain"])
        for cx, cy in (centre[i] for i in stars(game)):
            sheet.box(cx - 1.4, cy - 1.4, 2.8, 2.8, 1.4, THEME["grain"])
    if line and is_straight(game, line):  # an outline around its stones
        ends = centre[line[0]], centre[line[-1]]
        sheet.capsule(ends, cell + 0.8, THEME["fg"])
        sheet.capsule(ends, cell - 1.2, THEME["bg"])
    last = record["nodes"]["cell"][node] if node else -1
    owner = owners_at(record, node)
    for i, (who, (cx, cy)) in enumerate(zip(cells, centre, strict=True)):
        if field == "dots":
            _dots_cell(sheet, game, i, cx, cy, cell, THEME["path"] if i == last else who)
        elif field == "hexagons" and not who:
            sheet.box(cx - cell * 0.3, cy - cell * 0.3, cell * 0.6, cell * 0.6, 9, THEME["hole"])
        if who in (1, 2):
            sheet.stone(cx, cy, cell, who - 1, game["drawing"])
        elif owner and owner[i] != "0":
            name, s = "first" if owner[i] == "1" else "second", cell * 0.17
            square = cx - s, cy - s, 2 * s, 2 * s, 0
            sheet.box(*square, STONES[name], STONES[name + "-rim"], 0.5)
        if field == "crossings" and i == last:
            r, ink = cell * 0.23, STONES["on-first" if who == 1 else "on-second"]
            sheet.box(cx - r, cy - r, 2 * r, 2 * r, r, None, ink, max(0.9, cell * 0.08))
        elif field != "dots" and (i == last or (i in line and not is_straight(game, line))):
            sheet.last(cx, cy, cell, is_round=who == 1 and not crossed)


def _dots_cell(sheet: Sheet, game, i: int, x: float, y: float, cell: float, who) -> None:
    """A dot or a line; ``who`` is 0 for a line not drawn, or the colour of the last one."""
    part, w = dots_part(game, i), max(1.0, cell * 0.16)
    color = who if isinstance(who, str) else THEME["fg"] if who else THEME["hole"]
    if part == "dot":
        sheet.box(x - w, y - w, 2 * w, 2 * w, w, THEME["fg"])
    elif part == "across":
        sheet.box(x - cell + w, y - w / 2, 2 * (cell - w), w, 0, color)
    elif part == "down":
        sheet.box(x - w / 2, y - cell + w, w, 2 * (cell - w), 0, color)


def _flag(
    sheet: Sheet, record: Record, x: float, y: float, w: float, victor: int, verb: str
) -> None:
    """Below the card, whose middle is x: who has won; in outline, who wins by a proof."""
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
