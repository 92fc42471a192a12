"""Two finished trees beside each other, each with its name above: for pictures that stand still."""

import html
import io
import pathlib
import re

from azlearn.viz import tree_picture
from azlearn.viz.colors import LIGHT_THEME, PAIRS
from azlearn.viz.picture import light, themed
from azlearn.viz.replaying import Record

HEAD, GAP, SIZE = 30, 24, 15  # the line of the names, the room between the trees, the letters
Named = list[tuple[str, Record]]


def to_svg(pair: Named, max_nodes: int, alt: str, follow: bool = False) -> str:
    """Both trees as one SVG text: on a white sheet, or with ``follow`` in the theme of its page."""
    trees = [tree_picture.draw_svg(record, max_nodes, name) for name, record in pair]
    sizes = [
        [float(re.search(rf' {s}="([\d.]+)"', t)[1]) for s in ("width", "height")] for t in trees
    ]
    width, height = sum(w for w, _ in sizes) + GAP, max(h for _, h in sizes) + HEAD
    style = f'font-size="{SIZE}" font-weight="700" fill="{PAIRS["fg"]}"'
    parts, x = [], 0.0
    for (name, _), tree, (w, _), prefix in zip(pair, trees, sizes, "ab", strict=True):
        own = re.sub(r'(id="|href="#)s(\d)', rf"\1{prefix}\2", tree)  # names hold in the whole page
        parts.append(f'<text x="{x + 14:.0f}" y="21" {style}>{html.escape(name)}</text>')
        parts.append(own.replace("<svg ", f'<svg x="{x:.0f}" y="{HEAD}" ', 1))
        x += w + GAP
    line = sizes[0][0] + GAP / 2
    return (themed if follow else light)(
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width:.0f} {height:.0f}"'
        f' width="{width:.0f}" height="{height:.0f}"'
        ' font-family="DejaVu Sans, system-ui, sans-serif">'
        f"<title>{html.escape(alt)}</title>"
        f'<rect width="100%" height="100%" fill="{PAIRS["bg"]}"/>{"".join(parts)}'
        f'<path d="M{line:.0f} 8V{height - 8:.0f}" stroke="{PAIRS["line"]}"/></svg>'
    )


def to_png(pair: Named, max_nodes: int, scale: float) -> bytes:
    """The same as PNG bytes, ``scale`` pixels a unit."""
    import matplotlib
    from PIL import Image, ImageDraw, ImageFont

    trees = [Image.open(io.BytesIO(tree_picture.to_png(r, max_nodes, scale))) for _, r in pair]
    head, gap = round(HEAD * scale), round(GAP * scale)
    width = sum(tree.width for tree in trees) + gap
    sheet = Image.new("RGB", (width, max(tree.height for tree in trees) + head), LIGHT_THEME["bg"])
    pen = ImageDraw.Draw(sheet)
    folder = pathlib.Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    font = ImageFont.truetype(str(folder / "DejaVuSans-Bold.ttf"), round(SIZE * scale))
    x = 0
    for (name, _), tree in zip(pair, trees, strict=True):
        sheet.paste(tree.convert("RGB"), (x, head))
        pen.text((x + 14 * scale, 21 * scale), name, LIGHT_THEME["fg"], font, anchor="ls")
        x += tree.width + gap
    line = trees[0].width + gap // 2
    pen.line((line, 8 * scale, line, sheet.height - 8 * scale), LIGHT_THEME["line"])
    out = io.BytesIO()
    sheet.quantize(128).save(out, "PNG", optimize=True)
    return out.getvalue()
