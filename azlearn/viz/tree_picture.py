"""The still picture of a search tree, drawn twice from one list of marks: as SVG and as PNG."""

import html
import io
import pathlib
from collections import Counter

import numpy as np

from azlearn.viz import colors
from azlearn.viz.picture import light, themed
from azlearn.viz.replaying import Record
from azlearn.viz.tree_marks import Marks, draw

THEME = colors.PAIRS
RIM = 1.1  # of a stone, both sides together
NUM_COLORS = 64  # of the PNG; few, because saved notebooks carry it


def to_svg(record: Record, max_nodes: int = 40, alt: str = "", follow: bool = False) -> str:
    """The tree as SVG text: on a white sheet, or with ``follow`` in the theme of its page."""
    return (themed if follow else light)(draw_svg(record, max_nodes, alt))


def draw_svg(record: Record, max_nodes: int, alt: str) -> str:
    """The tree as SVG text in the colours of both themes, see ``colors.PAIRS``."""
    marks, width, height, _ = draw(record, max_nodes)
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
                f' fill="{fill or "none"}"{line}/>'
            )
        elif kind == "capsule":
            x0, y0, x1, y1, w, color = a
            line = f'stroke="{color}" stroke-width="{w:.2f}" stroke-linecap="round"'
            back.append(f'<path d="M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}" {line}/>')
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
    a, b = r * 0.72, r * 1.44
    shape = {
        "cross": f'<path d="M{-a:.2f} {-a:.2f}l{b:.2f} {b:.2f}m0 {-b:.2f}l{-b:.2f} {b:.2f}"',
        "ring": f'<circle r="{r * 0.8:.2f}"',
    }[kind]
    name, width = "second" if extra else "first", max(1.4, cell * 0.15)
    return "".join(
        f'{shape} fill="none" stroke="{THEME[part]}" stroke-width="{w:.2f}"/>'
        for part, w in ((f"{name}-rim", width + RIM), (name, width))
    )


def _dots(kind: str, cell: float, way: str) -> str:
    """All discs or all squares of one size as one path, twice: the rim, and what it surrounds."""
    side, name = (0.8, "first") if kind == "disc" else (0.7, "second")
    cap, w = "round" if kind == "disc" else "square", cell * side
    return "".join(
        f'<path d="{way}" fill="none" stroke="{THEME[part]}" stroke-width="{width:.2f}"'
        f' stroke-linecap="{cap}"/>'
        for part, width in ((f"{name}-rim", w), (name, w - RIM))
    )


def _square(s: float, radius: float, style: str) -> str:
    x, side = f"{-s:.2f}", f"{2 * s:.2f}"
    return f'<rect x="{x}" y="{x}" width="{side}" height="{side}" rx="{radius:.2f}" {style}/>'


def to_png(record: Record, max_nodes: int = 40, scale: float = 1.5) -> bytes:
    """The tree as PNG bytes: the same marks, drawn at three times the size and smoothed."""
    import matplotlib
    from PIL import Image, ImageDraw, ImageFont

    marks, width, height, _ = draw(record, max_nodes)
    k = 3 * scale
    image = Image.new("RGB", (round(width * k), round(height * k)), light(THEME["bg"]))
    pen = ImageDraw.Draw(image)
    fonts = pathlib.Path(matplotlib.get_data_path()) / "fonts" / "ttf"

    def font(size, bold):
        name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
        return ImageFont.truetype(str(fonts / name), round(size * k))

    for kind, *mark in marks.items:
        a = [light(part) if isinstance(part, str) else part for part in mark]
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
        elif kind == "capsule":
            x0, y0, x1, y1, w, color = a
            pen.line((x0 * k, y0 * k, x1 * k, y1 * k), color, round(w * k))
            for x, y in ((x0, y0), (x1, y1)):
                box = [(x - w / 2) * k, (y - w / 2) * k, (x + w / 2) * k, (y + w / 2) * k]
                pen.ellipse(box, fill=color)
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
    used += [THEME[f"{name}{rim}"] for name in ("first", "second") for rim in ("", "-rim")]
    solid = [light(color) for color, _ in Counter([*used, THEME["bg"]]).most_common()]
    shades = [colors.mix(c, light(THEME["bg"]), t) for t in (0.5, 0.25, 0.75) for c in solid]
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
    """One stone with its rim, or the ring of the last move."""
    r, name = cell * 0.4, "second" if extra else "first"
    color, rim = light(THEME[name]), light(THEME[f"{name}-rim"])
    line, edge = round(max(1.4, cell * 0.15) * k), round(RIM / 2 * k)
    x, y = x * k, y * k
    if kind == "last":
        s, w = cell * (0.44 if extra else 0.46) * k, round(max(0.9, cell * 0.08) * k)
        shape = pen.rectangle if extra else pen.ellipse
        shape((x - s, y - s, x + s, y + s), outline=light(THEME["fg"]), width=w)
    elif kind == "cross":
        a = r * 0.72 * k
        for shade, w in ((rim, line + 2 * edge), (color, line)):
            pen.line((x - a, y - a, x + a, y + a), fill=shade, width=w)
            pen.line((x + a, y - a, x - a, y + a), fill=shade, width=w)
    elif kind == "ring":
        for shade, w in ((rim, line + 2 * edge), (color, line)):
            s = r * 0.8 * k + w / 2
            pen.ellipse((x - s, y - s, x + s, y + s), outline=shade, width=w)
    elif kind == "disc":
        s = r * k
        pen.ellipse((x - s, y - s, x + s, y + s), fill=color, outline=rim, width=edge)
    else:
        s, box = r * 0.88 * k, pen.rounded_rectangle
        box((x - s, y - s, x + s, y + s), s * 0.28, fill=color, outline=rim, width=edge)
