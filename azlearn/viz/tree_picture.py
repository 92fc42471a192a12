"""The still picture of a search tree, drawn twice from one list of marks: as SVG and as PNG."""

import html
import io
import math
import pathlib
from collections import Counter

import numpy as np

from azlearn.viz import colors
from azlearn.viz.boards import crosses
from azlearn.viz.moment import Badge, Moment, finished, short
from azlearn.viz.replaying import Record, cells_at, label_of, prior_at
from azlearn.viz.tree_layout import HEAD, Arrangement, Spot, arrange, board_height

THEME = colors.LIGHT_THEME
MARGIN = 14
NUM_COLORS = 64  # of the PNG; few, because saved notebooks carry it


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

    def stone(self, x, y, cell, player, crossed):
        self.items.append(("cross" if crossed and player == 0 else "ring" if crossed else
                           "disc" if player == 0 else "square", x, y, cell, player))  # fmt: skip

    def last(self, x, y, cell, player, crossed):
        self.items.append(("last", x, y, cell, crossed or player == 1))


def draw(
    record: Record, max_nodes: int = 40, now: Moment | None = None
) -> tuple[Marks, float, float, Arrangement]:
    """The marks of the part of a tree that fits, and the size of the sheet."""
    now = finished(record) if now is None else now
    plan = arrange(record, max_nodes, now=now)
    marks = Marks()
    total = max(1, sum(plan.visit_counts[s.node] for s in plan.root.kids if s.node > 0))
    spots = plan.spots()
    edges = [
        (kid.node in now.lit or bool(now.lit & set(kid.run)), spot, kid)
        for spot in spots
        for kid in spot.kids
    ]
    for lit, spot, kid in sorted(edges, key=lambda edge: edge[0]):
        _edge(marks, plan, spot, kid, _weight(record, plan, kid, total), lit)
    for spot in spots:
        if spot.node < 0:
            _mark(marks, spot, bool(now.lit & set(spot.run)))
            continue
        if spot.node in now.ghosts:
            _ghost(marks, record, spot)
        else:
            _card(marks, record, plan, spot, spot.node in now.lit)
        if spot.node in now.badges:
            _badge(marks, spot, now.badges[spot.node])
    foot = 10 if now.badges else 0
    return marks, plan.width + 2 * MARGIN, plan.height + 2 * MARGIN + foot, plan


def _mark(marks: Marks, spot: Spot, lit: bool) -> None:
    """What stands for nodes that are not drawn: children left out, or a folded run of moves."""
    x, y = spot.x + MARGIN, spot.y + MARGIN
    text = f"⋮ {len(spot.run)} move{'s' * (len(spot.run) > 1)}" if spot.run else f"+{spot.hidden}"
    w = spot.width - 2
    marks.box(x - w / 2, y + 1, w, 19, 9.5, THEME["card"], THEME["path" if lit else "edge"])
    marks.text(x, y + 15, text, 11, THEME["mute"])


def _weight(record: Record, plan: Arrangement, spot: Spot, total: int) -> float:
    """What the width of an edge shows: the prior of the move if priors count, else its visits."""
    if spot.node <= 0:
        return 0.0
    if record["nodes"]["prior"] or record["rule"]["name"] == "puct":
        up = record["nodes"]["parent"][spot.node]
        return prior_at(record, up)[record["nodes"]["action"][spot.node]]
    return plan.visit_counts[spot.node] / total


def _edge(marks: Marks, plan: Arrangement, up: Spot, spot: Spot, share: float, lit: bool) -> None:
    color = THEME["mute"] if spot.node in plan.principal else THEME["edge"]
    width = max(1.0, 9 * math.sqrt(share))
    if lit:
        color, width = THEME["path"], max(3.5, width)
    y0, y1 = up.y + up.height + MARGIN, spot.y + MARGIN
    marks.curve(up.x + MARGIN, y0, spot.x + MARGIN, y1, color, width)


def _badge(marks: Marks, spot: Spot, badge: Badge) -> None:
    x, y = spot.x + MARGIN, spot.y + spot.height + MARGIN + 1
    width = 7.2 * len(badge.text) + 9
    marks.box(x - width / 2, y, width, 16, 8, badge.fill, badge.line)
    marks.text(x, y + 12, badge.text, 11, badge.ink, bold=badge.line is None)


def _ghost(marks: Marks, record: Record, spot: Spot) -> None:
    """The place of a node that joins the tree in the next phase."""
    x, y, w = spot.x + MARGIN, spot.y + MARGIN + HEAD, spot.width
    marks.box(x - w / 2, y, w, spot.height - HEAD, 7, THEME["bg"], THEME["edge"])
    marks.text(x, y + (spot.height - HEAD) / 2 + 4, "new", 11.5, THEME["mute"])
    _head(marks, record, spot, "", THEME["mute"])


def _head(marks: Marks, record: Record, spot: Spot, visits: str, color: str, bold=False) -> None:
    """The line above a card: who moved where (left), visits (right)."""
    game, node = record["game"], spot.node
    x, y = spot.x + MARGIN - spot.width / 2, spot.y + MARGIN + HEAD
    start = x
    if node and game["rows"]:
        mover = record["nodes"]["to_play"][record["nodes"]["parent"][node]]
        marks.stone(x + 5, y - 7, 10, mover, crosses(game["name"]))
        start += 12
    marks.text(start, y - 4, label_of(record, node), 11.5, color, "start", bold)
    marks.text(x + spot.width, y - 4, visits, 11, colors.LIGHT["N"], "end")


def _card(marks: Marks, record: Record, plan: Arrangement, spot: Spot, lit: bool) -> None:
    game, node, w = record["game"], spot.node, spot.width
    x, y, h = spot.x + MARGIN - w / 2, spot.y + MARGIN + HEAD, spot.height - HEAD
    n, q = _statistics(record, plan, node)
    fill = THEME["card"] if q is None else colors.q_color(q)
    strong = node == 0 or node in plan.principal
    edge = THEME["path"] if lit else THEME["fg"] if strong else THEME["edge"]
    marks.box(x, y, w, h, 7, fill, edge, 3 if lit else 1.6 if strong else 1)
    bh, crossed = board_height(record, w), crosses(game["name"])
    if game["rows"]:
        cell = (w - 8) / game["cols"]
        marks.box(x + 3, y + 3, w - 6, bh + 2, 4, THEME["bg"])
        if crossed:
            for k in range(1, game["cols"]):
                marks.box(x + 3.5 + k * cell, y + 5, 1, bh - 2, 0, THEME["hole"])
                marks.box(x + 5, y + 3.5 + k * cell, w - 10, 1, 0, THEME["hole"])
        for i, who in enumerate(cells_at(record, node)):
            cx = x + 4 + (i % game["cols"] + 0.5) * cell
            cy = y + 4 + (i // game["cols"] + 0.5) * cell
            if who:
                marks.stone(cx, cy, cell, who - 1, crossed)
            if node and i == record["nodes"]["cell"][node]:
                marks.last(cx, cy, cell, who - 1, crossed)
    else:
        marks.text(x + w / 2, y + bh * 0.8, label_of(record, node), 16, THEME["fg"], bold=True)
    value = short(q) if q is None or node not in plan.principal else "★ " + short(q)
    marks.text(x + w / 2, y + h - 5, value, 11.5, THEME["mute"] if q is None else colors.ink(fill))
    used = (12 if node and game["rows"] else 0) + 8.2 * len(label_of(record, node))
    ink = THEME["fg"] if strong else THEME["mute"]
    _head(marks, record, spot, _visits(n, w - used - 3), ink, strong)


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
    """The number in full where it has room (7 units a digit), else "1.3k", "12k", "2M"."""
    if 7 * len(str(n)) <= room or n < 1000:
        return str(n)
    value, unit = (n / 1000, "k") if n < 999_500 else (n / 1e6, "M")
    return f"{value:.1f}{unit}" if value < 9.95 else f"{value:.0f}{unit}"


def to_svg(record: Record, max_nodes: int = 40, alt: str = "", now: Moment | None = None) -> str:
    """The tree as SVG text on a white sheet: at a moment, or finished."""
    marks, width, height, _ = draw(record, max_nodes, now)
    back, front, texts, shapes, dots = [], [], {}, {}, {}
    for kind, *a in marks.items:
        if kind == "curve":
            x0, y0, x1, y1, color, w = a
            mid = (y0 + y1) / 2
            way = f"M{x0:.0f} {y0:.0f}C{x0:.0f} {mid:.0f} {x1:.0f} {mid:.0f} {x1:.0f} {y1:.0f}"
            line = f'stroke="{color}" stroke-width="{w:.1f}"'
            back.append(f'<path d="{way}" fill="none" {line}/>')
        elif kind == "box":
            x, y, w, h, r, fill, stroke, sw = a
            line = f' stroke="{stroke}" stroke-width="{sw}"' if stroke else ""
            back.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:g}" height="{h:.1f}" rx="{r}"'
                f' fill="{fill}"{line}/>'
            )
        elif kind == "text":
            x, y, text, *style = a
            line = f'<text x="{x:.0f}" y="{y:.0f}">{html.escape(text)}</text>'
            texts.setdefault(tuple(style), []).append(line)
        else:
            x, y, cell, extra = a
            if kind in ("disc", "square"):  # a line without length but with ends: very short to say
                dots.setdefault((kind, cell), []).append(f"M{x:.1f} {y:.1f}h0")
                continue
            named = (f"s{len(shapes)}", _shape(kind, cell, extra))
            key = shapes.setdefault((kind, cell, extra), named)[0]
            front.append(f'<use href="#{key}" x="{x:.1f}" y="{y:.1f}"/>')
    for (size, color, anchor, bold), lines in texts.items():
        weight = ' font-weight="700"' if bold else ""
        style = f'font-size="{size}" fill="{color}" text-anchor="{anchor}"{weight}'
        front.append(f"<g {style}>{''.join(lines)}</g>")
    stones = "".join(_dots(*key, "".join(ways)) for key, ways in dots.items())
    defs = "".join(f'<g id="{key}">{body}</g>' for key, body in shapes.values())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width:.0f} {height:.0f}"'
        f' width="{width:.0f}" height="{height:.0f}"'
        ' font-family="DejaVu Sans, system-ui, sans-serif">'
        f"<title>{html.escape(alt or 'Search tree')}</title><defs>{defs}</defs>"
        f'<rect width="100%" height="100%" fill="{THEME["bg"]}"/>'
        f"{''.join(back)}{stones}{''.join(front)}</svg>"
    )


def _shape(kind: str, cell: float, extra) -> str:
    """SVG of one stone or ring around the origin; ``extra`` is the player, or a square ring."""
    r = cell * 0.4
    if kind == "last":
        s, width = cell * (0.44 if extra else 0.46), max(0.9, cell * 0.08)
        line = f'fill="none" stroke="{THEME["fg"]}" stroke-width="{width:.2f}"'
        return _square(s, 1, line) if extra else f'<circle r="{s:.2f}" {line}/>'
    color = THEME["second" if extra else "first"]
    line = f'fill="none" stroke="{color}" stroke-width="{max(1.4, cell * 0.15):.2f}"'
    if kind == "cross":
        a, b = r * 0.72, r * 1.44
        return f'<path d="M{-a:.2f} {-a:.2f}l{b:.2f} {b:.2f}m0 {-b:.2f}l{-b:.2f} {b:.2f}" {line}/>'
    if kind == "ring":
        return f'<circle r="{r * 0.8:.2f}" {line}/>'
    raise ValueError(f"There is no shape called {kind}.")


def _dots(kind: str, cell: float, way: str) -> str:
    """All discs or all squares of one size as one path."""
    side, color = (0.8, "first") if kind == "disc" else (0.7, "second")
    cap = "round" if kind == "disc" else "square"
    line = f'stroke="{THEME[color]}" stroke-width="{cell * side:.2f}" stroke-linecap="{cap}"'
    return f'<path d="{way}" fill="none" {line}/>'


def _square(s: float, radius: float, style: str) -> str:
    x, side = f"{-s:.2f}", f"{2 * s:.2f}"
    return f'<rect x="{x}" y="{x}" width="{side}" height="{side}" rx="{radius:.2f}" {style}/>'


def to_png(
    record: Record, max_nodes: int = 40, scale: float = 1.5, now: Moment | None = None
) -> bytes:
    """The tree as PNG bytes: the same marks, drawn at three times the size and smoothed."""
    import matplotlib
    from PIL import Image, ImageDraw, ImageFont

    marks, width, height, _ = draw(record, max_nodes, now)
    k = 3 * scale
    image = Image.new("RGB", (round(width * k), round(height * k)), THEME["bg"])
    pen = ImageDraw.Draw(image)
    fonts = pathlib.Path(matplotlib.get_data_path()) / "fonts" / "ttf"

    def font(size, bold):
        name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
        return ImageFont.truetype(str(fonts / name), round(size * k))

    for kind, *a in marks.items:
        if kind == "curve":
            x0, y0, x1, y1, color, w = a
            points = []
            for step in range(25):
                t = step / 24
                bend = 3 * t * t - 2 * t**3  # of the cubic with both handles half-way down
                points.append(((x0 + (x1 - x0) * bend) * k, (y0 + (y1 - y0) * _fall(t)) * k))
            pen.line(points, fill=color, width=round(w * k), joint="curve")
        elif kind == "box":
            x, y, w, h, r, fill, stroke, sw = a
            corners = (x * k, y * k, (x + w) * k, (y + h) * k)
            pen.rounded_rectangle(corners, r * k, fill=fill, outline=stroke, width=round(sw * k))
        elif kind == "text":
            x, y, text, size, color, anchor, bold = a
            where = {"middle": "ms", "start": "ls", "end": "rs"}[anchor]
            pen.text((x * k, y * k), text, font=font(size, bold), fill=color, anchor=where)
        else:
            _stamp(pen, kind, *a, k)
    small = image.resize((round(width * scale), round(height * scale)), Image.Resampling.LANCZOS)
    out = io.BytesIO()
    _palette(marks, small).save(out, "PNG", optimize=True)
    return out.getvalue()


def _palette(marks: Marks, image):
    """The image in few colours: the marks' own stay exact, the rest is for smooth edges."""
    from PIL import Image

    used = [c for item in marks.items for c in item if isinstance(c, str) and c.startswith("#")]
    used += [THEME["bg"], THEME["first"], THEME["second"]]
    solid = [color for color, _ in Counter(used).most_common()]
    shades = [colors.mix(c, THEME["bg"], t) for t in (0.5, 0.25, 0.75) for c in solid]
    chosen = list(dict.fromkeys([*solid, *shades]))[:NUM_COLORS]
    palette = np.array([[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in chosen])
    pixels = np.asarray(image, dtype=np.int64) @ [1 << 16, 1 << 8, 1]
    found, which = np.unique(pixels, return_inverse=True)
    channels = np.stack([found >> 16, found >> 8 & 255, found & 255], axis=1)
    nearest = ((channels[:, None] - palette) ** 2).sum(axis=2).argmin(axis=1)
    few = Image.fromarray(nearest[which].reshape(pixels.shape).astype(np.uint8))
    few.putpalette(palette.astype(np.uint8).tobytes())
    return few


def _fall(t: float) -> float:
    """y of the cubic with handles at half height, from 0 to 1."""
    return 1.5 * t * (1 - t) ** 2 + 1.5 * t * t * (1 - t) + t**3


def _stamp(pen, kind: str, x: float, y: float, cell: float, extra, k: float) -> None:
    r = cell * 0.4
    color = THEME["fg"] if kind == "last" else THEME["second" if extra else "first"]
    line = round(max(1.4, cell * 0.15) * k)
    x, y = x * k, y * k
    if kind == "last":
        s, w = cell * (0.44 if extra else 0.46) * k, round(max(0.9, cell * 0.08) * k)
        shape = pen.rectangle if extra else pen.ellipse
        shape((x - s, y - s, x + s, y + s), outline=color, width=w)
    elif kind == "cross":
        a = r * 0.72 * k
        pen.line((x - a, y - a, x + a, y + a), fill=color, width=line)
        pen.line((x + a, y - a, x - a, y + a), fill=color, width=line)
    elif kind == "ring":
        s = (r * 0.8 + cell * 0.075) * k
        pen.ellipse((x - s, y - s, x + s, y + s), outline=color, width=line)
    elif kind == "disc":
        s = r * k
        pen.ellipse((x - s, y - s, x + s, y + s), fill=color)
    else:
        s = r * 0.88 * k
        pen.rounded_rectangle((x - s, y - s, x + s, y + s), s * 0.28, fill=color)
