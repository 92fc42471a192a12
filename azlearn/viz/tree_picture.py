"""The still picture of a search tree, drawn twice from one list of marks: as SVG and as PNG."""

import html
import io
import math
import pathlib

from azlearn.viz import colors
from azlearn.viz.replay import Record, cells_at, label_of
from azlearn.viz.tree_layout import HEAD, Arrangement, Spot, arrange, board_height

THEME = colors.LIGHT_THEME
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

    def stone(self, x, y, cell, player, crosses):
        self.items.append(("cross" if crosses and player == 0 else "ring" if crosses else
                           "disc" if player == 0 else "square", x, y, cell, player))  # fmt: skip

    def last(self, x, y, cell, player, crosses):
        self.items.append(("last", x, y, cell, crosses or player == 1))


def draw(record: Record, max_nodes: int = 40) -> tuple[Marks, float, float, Arrangement]:
    """The marks of the most visited part of a tree, and the size of the sheet."""
    plan = arrange(record, max_nodes)
    marks, total = (
        Marks(),
        max(1, sum(plan.visit_counts[s.node] for s in plan.root.kids if s.node > 0)),
    )
    spots = plan.spots()
    for spot in spots:
        for kid in spot.kids:
            _edge(marks, plan, spot, kid, total)
    for spot in spots:
        if spot.node < 0:
            x, y = spot.x + MARGIN, spot.y + MARGIN
            marks.box(x - 14, y + 1, 28, 19, 9.5, THEME["card"], THEME["edge"])
            marks.text(x, y + 15, f"+{spot.hidden}", 11, THEME["mute"])
        else:
            _card(marks, record, plan, spot)
    return marks, plan.width + 2 * MARGIN, plan.height + 2 * MARGIN, plan


def _edge(marks: Marks, plan: Arrangement, up: Spot, spot: Spot, total: int) -> None:
    share = plan.visit_counts[spot.node] / total if spot.node > 0 else 0.0
    color = THEME["mute"] if spot.node in plan.principal else THEME["edge"]
    y0, y1 = up.y + up.height + MARGIN, spot.y + MARGIN
    marks.curve(up.x + MARGIN, y0, spot.x + MARGIN, y1, color, max(1.0, 9 * math.sqrt(share)))


def _card(marks: Marks, record: Record, plan: Arrangement, spot: Spot) -> None:
    game, node, w = record["game"], spot.node, spot.width
    x, y, h = spot.x + MARGIN - w / 2, spot.y + MARGIN + HEAD, spot.height - HEAD
    n, q = _statistics(record, plan, node)
    fill = THEME["card"] if q is None else colors.q_color(q)
    strong = node == 0 or node in plan.principal
    edge = THEME["fg"] if strong else THEME["edge"]
    marks.box(x, y, w, h, 7, fill, edge, 1.6 if strong else 1)
    bh, crosses = board_height(record, w), "tic" in game["name"]
    mover = record["nodes"]["to_play"][record["nodes"]["parent"][node]] if node else -1
    if game["rows"]:
        cell = (w - 8) / game["cols"]
        marks.box(x + 3, y + 3, w - 6, bh + 2, 4, THEME["bg"])
        if crosses:
            for k in range(1, game["cols"]):
                marks.box(x + 3.5 + k * cell, y + 5, 1, bh - 2, 0, THEME["hole"])
                marks.box(x + 5, y + 3.5 + k * cell, w - 10, 1, 0, THEME["hole"])
        for i, who in enumerate(cells_at(record, node)):
            cx = x + 4 + (i % game["cols"] + 0.5) * cell
            cy = y + 4 + (i // game["cols"] + 0.5) * cell
            if who:
                marks.stone(cx, cy, cell, who - 1, crosses)
            if node and i == record["nodes"]["cell"][node]:
                marks.last(cx, cy, cell, who - 1, crosses)
    else:
        marks.text(x + w / 2, y + bh * 0.8, label_of(record, node), 16, THEME["fg"], bold=True)
    value = "–" if q is None else ("★ " if node in plan.principal else "") + _short(q)
    marks.text(x + w / 2, y + h - 5, value, 11.5, THEME["mute"] if q is None else colors.ink(fill))
    label = label_of(record, node)
    if node and game["rows"]:
        marks.stone(x + 5, y - 7, 10, mover, crosses)
    start = x + (12 if node and game["rows"] else 0)
    marks.text(start, y - 4, label, 11.5, THEME["fg"] if strong else THEME["mute"], "start", strong)
    marks.text(x + w, y - 4, str(n), 11, colors.LIGHT["N"], "end")


def _statistics(record: Record, plan: Arrangement, node: int) -> tuple[int, float | None]:
    """N, and Q for the player who moved into the node (for the root: for the player to move)."""
    if node:
        n, w = plan.visit_counts[node], plan.value_sum[node]
    else:
        children = [i for i, parent in enumerate(record["nodes"]["parent"]) if parent == 0]
        n = sum(plan.visit_counts[i] for i in children)
        w = sum(plan.value_sum[i] for i in children)
    return n, (w / n if n else None)


def _short(q: float) -> str:
    text = f"{abs(q):.2f}"
    if float(text) == 0:
        return ".00"
    text = text[1:] if text.startswith("0") else text[:-1]
    return ("+" if q > 0 else "−") + text


def to_svg(record: Record, max_nodes: int = 40, alt: str = "") -> str:
    """The tree as SVG text on a white sheet."""
    marks, width, height, _ = draw(record, max_nodes)
    back, front, shapes, dots = [], [], {}, {}
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
            x, y, text, size, color, anchor, bold = a
            where = {"middle": ' text-anchor="middle"', "end": ' text-anchor="end"'}.get(anchor, "")
            weight = ' font-weight="700"' if bold else ""
            front.append(
                f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{color}"{where}{weight}>'
                f"{html.escape(text)}</text>"
            )
        else:
            x, y, cell, extra = a
            if kind in ("disc", "square"):  # a line without length but with ends: very short to say
                dots.setdefault((kind, cell), []).append(f"M{x:.1f} {y:.1f}h0")
                continue
            named = (f"s{len(shapes)}", _shape(kind, cell, extra))
            key = shapes.setdefault((kind, cell, extra), named)[0]
            front.append(f'<use href="#{key}" x="{x:.1f}" y="{y:.1f}"/>')
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


def to_png(record: Record, max_nodes: int = 40, scale: float = 1.5) -> bytes:
    """The tree as PNG bytes: the same marks, drawn at three times the size and smoothed."""
    import matplotlib
    from PIL import Image, ImageDraw, ImageFont

    marks, width, height, _ = draw(record, max_nodes)
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
    small.quantize(48, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return out.getvalue()


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
