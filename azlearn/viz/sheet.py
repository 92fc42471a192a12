"""An SVG drawing of boards: large single boards, and the small ones on the cards of a tree. The
colors are those of ``colors.PAIRS``, for a light and a dark page."""

import html
from collections.abc import Sequence
from typing import Any

from azlearn.games import Drawing
from azlearn.viz import board_geometry, colors

THEME = colors.PAIRS
STONES = {name: 2 * color for name, color in colors.STONES.items()}  # the same in both themes
LARGE = 20  # cells at least this wide show the whole field and ring the winning line


def crosses(look: Drawing | dict[str, Any]) -> bool:
    """Whether pictures of a game show crosses and rings instead of stones."""
    return (look if isinstance(look, dict) else look._asdict())["marks"][0] == "✕"


class Sheet:
    """An SVG drawing, from back to front.

    Stones of one kind and size share a path, and texts of one style share a group. This keeps the
    picture short, which matters in saved notebooks.

    Attributes:
        width, height: the size of the drawing.
        stones: path data by (kind, width of a cell); kinds are "hole", "disc" and "square", or
            "cross" and "ring".
        texts: tuples (x, y, text) by (size, color, anchor, bold).
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

    def path(self, way: str, color: str, width: float, cap: str = "butt") -> None:
        line = f'stroke="{color}" stroke-width="{width:.3g}" stroke-linecap="{cap}"'
        self.back.append(f'<path d="{way}" fill="none" {line}/>')

    def box(self, x, y, w, h, radius, fill, stroke=None, width=1.0):
        self.back.append(_rect(x, y, w, h, radius, fill, stroke, width))

    def disc(self, x, y, r, fill, stroke=None, width=1.0):
        line = f' stroke="{stroke}" stroke-width="{width:.3g}"' if stroke else ""
        self.back.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" fill="{fill}"{line}/>')

    def text(self, x, y, text, size, color, anchor="middle", bold=False):
        self.texts.setdefault((size, color, anchor, bold), []).append((x, y, text))

    def stone(self, x, y, cell, player, drawing):
        if drawing["field"] == "crossings":
            name = "second" if player else "first"
            rim = STONES[name + "-rim"], max(0.6, cell * 0.04)
            return self.disc(x, y, cell * 0.45, STONES[name], *rim)
        if not crosses(drawing):  # a line of length 0 with caps: very short markup
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

    def ring(self, x, y, cell, is_round, color=THEME["fg"]):
        """Draws a ring around a stone, for example to mark the last move."""
        s = cell * (0.46 if is_round else 0.44)
        box = x - s, y - s, 2 * s, 2 * s, s if is_round else cell * 0.14
        self.front.append(_rect(*box, None, color, max(0.9, cell * 0.08)))

    def board(
        self,
        look: dict[str, Any],
        cells: Sequence[int],
        x: float,
        y: float,
        cell: float,
        last: int = -1,
        line: Sequence[int] = (),
        owners: str = "",
    ) -> None:
        """Draws a board with its top left corner at (x, y).

        Args:
            look: ``rows``, ``cols`` and ``drawing``, as in a record.
            cells: row-major from the top: 0 empty, 1 first player, 2 second.
            cell: the width of a cell.
            last: the cell of the last move; -1 for none.
            line: cells to highlight, such as the winning line.
            owners: the owner of each cell at the end, a string of 0, 1 and 2; "" for none.
        """
        field, crossed = look["drawing"]["field"], crosses(look["drawing"])
        spots = (board_geometry.spot(look, i, cell) for i in range(len(cells)))
        center = [(x + dx, y + dy) for dx, dy in spots]
        _field(self, look, center, cell)
        small_line = cell < LARGE and bool(line) and board_geometry.is_straight(look, list(line))
        if small_line:  # an outline around the stones
            (x0, y0), (x1, y1) = center[line[0]], center[line[-1]]
            way = f"M{x0:.1f} {y0:.1f}L{x1:.1f} {y1:.1f}"
            self.path(way, THEME["fg"], cell + 0.8, "round")
            self.path(way, THEME["bg"], cell - 1.2, "round")
        for i, (who, (cx, cy)) in enumerate(zip(cells, center, strict=True)):
            if field == "dots":
                _dots_cell(self, look, i, cx, cy, cell, "path" if i == last else who)
            if who in (1, 2):
                self.stone(cx, cy, cell, who - 1, look["drawing"])
            elif owners and owners[i] != "0":
                name, s = "first" if owners[i] == "1" else "second", cell * 0.17
                square = cx - s, cy - s, 2 * s, 2 * s, 0
                self.box(*square, STONES[name], STONES[name + "-rim"], 0.5)
            elif field == ("holes" if cell >= LARGE else "hexagons"):
                self.stones.setdefault(("hole", cell), []).append(f"M{cx:.1f} {cy:.1f}h0")
            is_round = who == 1 and not crossed
            if i == last and field == "crossings":
                r, ink = cell * 0.23, STONES["on-first" if who == 1 else "on-second"]
                round_box = cx - r, cy - r, 2 * r, 2 * r, r
                self.front.append(_rect(*round_box, None, ink, max(0.9, cell * 0.08)))
            elif i == last and field != "dots":
                self.ring(cx, cy, cell, is_round)
            if i in line and not small_line:
                self.ring(cx, cy, cell, is_round, THEME["path"])


def _rect(x, y, w, h, radius, fill, stroke, width) -> str:
    line = f' stroke="{stroke}" stroke-width="{width:.3g}"' if stroke else ""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.3g}" height="{h:.1f}" rx="{radius:.3g}"'
        f' fill="{fill or "none"}"{line}/>'
    )


def _stones(kind: str, cell: float, way: str) -> str:
    """All stones of a kind as one path, drawn twice: the rim, then the inside."""
    rim, thin = max(1.1, cell * 0.06), max(1.4, cell * 0.15)
    width = {"disc": cell * 0.8 - rim, "square": cell * 0.7 - rim, "hole": cell * 0.8}.get(
        kind, thin
    )
    cap = {"disc": "round", "hole": "round", "square": "square"}.get(kind, "butt")
    name = "second" if kind in ("square", "ring") else "first"
    parts = ((f"{name}-rim", width + rim), (name, width))
    return "".join(
        f'<path d="{way}" fill="none" stroke="{THEME[part]}" stroke-width="{w:.2f}"'
        f' stroke-linecap="{cap}"/>'
        for part, w in (parts if kind != "hole" else [("hole", width)])
    )


def _field(sheet: Sheet, look: dict[str, Any], center: list, cell: float) -> None:
    """Draws the field below the stones: hexagons, or lines between squares or through crossings."""
    field, rows, cols = look["drawing"]["field"], look["rows"], look["cols"]
    if not center or field in ("holes", "dots"):
        return
    x, y = center[0]
    if field == "hexagons":
        return _hexagons(sheet, look, center, cell) if cell >= LARGE else None
    if field == "crossings":
        wide, high = (cols - 1) * cell, (rows - 1) * cell
        way = "".join(f"M{x + c * cell:.1f} {y:.1f}v{high:.1f}" for c in range(cols))
        way += "".join(f"M{x:.1f} {y + r * cell:.1f}h{wide:.1f}" for r in range(rows))
        sheet.path(way, THEME["grain"], 1 if cell >= LARGE else 0.8, "square")
        for i in board_geometry.stars(look):
            sheet.disc(*center[i], max(1.4, cell * 0.085), THEME["grain"])
        return
    x, y, wide, high = x - cell / 2, y - cell / 2, cols * cell, rows * cell
    way = "".join(f"M{x + c * cell:.1f} {y:.1f}v{high:.1f}" for c in range(1, cols))
    way += "".join(f"M{x:.1f} {y + r * cell:.1f}h{wide:.1f}" for r in range(1, rows))
    if not crosses(look["drawing"]):
        way += f"M{x:.1f} {y:.1f}h{wide:.1f}v{high:.1f}h{-wide:.1f}Z"
    sheet.path(way, THEME["line"], 2 if cell >= LARGE else 1)


def _hexagons(sheet: Sheet, look: dict[str, Any], center: list, cell: float) -> None:
    """Draws the cells, and the sides that each player connects, in the player's color."""
    rows, cols, way, sides = look["rows"], look["cols"], "", {"first": "", "second": ""}
    for i, (x, y) in enumerate(center):
        row, col = divmod(i, cols)
        at = [f"{px:.1f} {py:.1f}" for px, py in board_geometry.corners(x, y, cell)]
        way += f"M{'L'.join(at)}Z"
        for who, is_side, run in (
            ("first", row == 0, (5, 0, 1)), ("first", row == rows - 1, (2, 3, 4)),
            ("second", col == 0, (3, 4, 5)), ("second", col == cols - 1, (0, 1, 2)),
        ):  # fmt: skip
            if is_side:
                sides[who] += "M" + "L".join(at[k] for k in run)
    sheet.path(way, THEME["line"], 1)
    for who, side in sides.items():
        sheet.path(side, THEME[who], cell * 0.08)


def _dots_cell(sheet: Sheet, look: dict[str, Any], i: int, x, y, cell: float, who) -> None:
    """Draws a dot or a line. ``who`` is 0 for an unplayed line, "path" for the last line played."""
    part, s = board_geometry.dots_part(look, i), cell * 0.84
    if part == "dot":
        sheet.disc(x, y, max(1.0, cell * 0.15), THEME["fg"])
    elif part != "box":
        way = f"M{x - s:.1f} {y:.1f}h{2 * s:.1f}"
        if part == "down":
            way = f"M{x:.1f} {y - s:.1f}v{2 * s:.1f}"
        color = who if who == "path" else "fg" if who else "hole"
        sheet.path(way, THEME[color], max(1.0, cell * (0.14 if who else 0.1)))
