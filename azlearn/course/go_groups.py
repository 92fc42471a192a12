"""A Go board on which a click shows a group, its liberties and the rounds of the flood."""

from collections.abc import Iterator
from typing import Any

import anywidget
import traitlets

from azlearn.course.small_go import BOARD, POINTS, SIZE, around, flood, label, stones
from azlearn.viz.colors import PAIRS, STONES
from azlearn.viz.picture import Picture
from azlearn.viz.themes import FOLLOW_CSS, themed

CELL, MARGIN = 46, 22
WIDE, HIGH = SIZE * CELL + MARGIN, SIZE * CELL + MARGIN
STILL = "A still picture: run the cell, then click a stone."
_ESM = """
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
function render({ model, el }) {
  const image = document.createElement("img"), words = document.createElement("div");
  const choose = (row, col) => {
    if (Math.min(row, col) < 0 || Math.max(row, col) >= SIZE) return;
    model.set("point", SIZE * row + col);
    model.save_changes();
  };
  const draw = () => {
    image.src = model.get("shown").image;
    words.textContent = model.get("shown").words;
  };
  el.classList.add("azl-groups");
  el.tabIndex = 0;
  el.setAttribute("role", "group");
  el.setAttribute("aria-label", "Go board. The arrow keys choose a point.");
  el.setAttribute("data-lm-suppress-shortcuts", "true");
  image.className = "azl-both";
  image.alt = "";  // the words describe it
  words.setAttribute("aria-live", "polite");
  image.addEventListener("click", (event) => {
    const box = image.getBoundingClientRect(), scale = WIDE / box.width;
    const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
    choose(Math.floor(y / CELL), Math.floor((x - MARGIN) / CELL));
  });
  el.addEventListener("keydown", (event) => {
    const step = STEPS[event.key], point = model.get("point");
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    choose(Math.floor(point / SIZE) + step[0], (point % SIZE) + step[1]);
  });
  el.replaceChildren(image, words);
  model.on("change:shown", draw);
  draw();
  el.dataset.ready = "1";
}
export default { render };
"""


def flood_rounds(start: int, area: int) -> Iterator[int]:
    """The points of ``area`` that each round of a flood from ``start`` reaches for the first time.

    The points of ``start`` itself need not be in ``area``.
    """
    reached, new = 0, around(start) & area
    while new:
        yield new
        reached |= new
        new = around(new) & area & ~reached


class GroupBoard(anywidget.AnyWidget):
    """A board of 5x5 points; see ``show_groups``.

    Attributes (shared with the browser):
        point: the chosen point, ``5 * row + col``.
        shown: ``image``, the picture for this point as a URL that contains it, and ``words``, the
            same in words.
    """

    point = traitlets.Int(0).tag(sync=True)
    shown = traitlets.Dict().tag(sync=True)
    _esm = f"const SIZE = {SIZE}, CELL = {CELL}, MARGIN = {MARGIN}, WIDE = {WIDE};{_ESM}"
    _css = f"{FOLLOW_CSS}\n.azl-groups img {{ max-width: 100%; color-scheme: light; }}"

    def __init__(self, board: str, point: int) -> None:
        self.black, self.white = stones(board)
        super().__init__(point=point)
        self._draw()
        self.observe(self._draw, "point")

    def _draw(self, _change: Any = None) -> None:
        picture = self.to_picture()
        self.shown = {"image": picture.url(), "words": picture.caption}

    def _chosen(self) -> tuple[int, int, list[int]]:
        """The chosen group, its liberties, and what each round of the flood reaches."""
        start = POINTS[self.point % len(POINTS)]
        own = next((color for color in (self.black, self.white) if color & start), 0)
        group = flood(start, own)
        liberties = around(group) & BOARD & ~(self.black | self.white)
        return group, liberties, [*flood_rounds(liberties, group)]

    def describe(self) -> str:
        """The chosen group in words."""
        group, liberties, rounds = self._chosen()
        if not group:
            return f"{label(POINTS[self.point % len(POINTS)])} is empty. Click a stone."
        owner = "Black" if group & self.black else "White"
        if not liberties:
            return f"This group of {owner} has no liberty, so it would be captured."
        number, last = group.bit_count(), label(next(p for p in POINTS if p & rounds[-1]))
        names = ", ".join(label(p) for p in POINTS if p & liberties)
        return (
            f"{owner}'s group of {number} stone{'s' * (number > 1)} has {liberties.bit_count()}"
            f" libert{'ies' if liberties.bit_count() > 1 else 'y'}, {names}. From there the flood"
            f" takes {len(rounds)} round{'s' * (len(rounds) > 1)} to reach the last stone, {last}."
        )

    def to_picture(self) -> Picture:
        """The board with the chosen group ringed, and its liberties as dots."""
        group, liberties, rounds = self._chosen()
        first = MARGIN + CELL / 2
        last = first + (SIZE - 1) * CELL
        parts = [_rect(MARGIN, 0, SIZE * CELL, SIZE * CELL, PAIRS["wood"])]
        for i in range(SIZE):
            x, y = first + i * CELL, CELL / 2 + i * CELL
            way = f"M{x} {CELL / 2}V{last - MARGIN}M{first} {y}H{last}"
            parts.append(f'<path d="{way}" stroke="{PAIRS["grain"]}" fill="none"/>')
            parts.append(_text(x, HIGH - 6, "ABCDE"[i], PAIRS["mute"], 12))
            parts.append(_text(MARGIN / 2, y + 4, str(SIZE - i), PAIRS["mute"], 12))
        for i, point in enumerate(POINTS):
            x, y = first + i % SIZE * CELL, CELL / 2 + i // SIZE * CELL
            if (self.black | self.white) & point:
                name = "first" if self.black & point else "second"
                chosen = bool(group & point)
                rim = 2 * STONES["first-rim"] if not chosen else PAIRS["path"]
                parts.append(_disc(x, y, CELL * 0.42, 2 * STONES[name], rim, 4 if chosen else 1))
                number = next((n for n, new in enumerate(rounds, 1) if new & point), None)
                if number:
                    ink = 2 * STONES[f"on-{name}"]
                    parts.append(_text(x, y + 6, str(number), ink, 17))
            elif liberties & point:
                parts.append(_disc(x, y, CELL * 0.16, PAIRS["path"], PAIRS["path"], 1))
        svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" '
            f'height="{HIGH}" font-family="DejaVu Sans, system-ui, sans-serif" '
            f'text-anchor="middle">{"".join(parts)}</svg>'
        )
        words = self.describe()
        return Picture(f"A Go board. {words}", svg=themed(svg), caption=words, width=WIDE)

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict, dict]:
        data, metadata = super()._repr_mimebundle_(**kwargs)
        picture = self.to_picture()
        picture.caption = f"{picture.caption} {STILL}"
        return data | picture.bundle(), metadata


def show_groups(board: str, point: str = "A5") -> GroupBoard:
    """Shows a board of 5x5 points; a click on a stone lights up its group.

    The liberties of the group become dots, and each of its stones shows the round in which a flood
    from these liberties reaches it.

    Args:
        board: 25 characters, top row first: ``X`` a black stone, ``O`` a white one, ``.`` none.
            Other characters, such as line ends, are ignored.
        point: the point that is chosen first.

    Raises:
        ValueError: the board does not have 25 points, or there is no such point.
    """
    number = sum(mark in ".XO" for mark in board)
    if number != len(POINTS):
        raise ValueError(f"board must have {len(POINTS)} points (. X O), not {number}.")
    labels = [label(p) for p in POINTS]
    if point not in labels:
        raise ValueError(f"point must be a point such as 'C3', not {point!r:.20}.")
    return GroupBoard(board, labels.index(point))


def _rect(x: float, y: float, width: float, height: float, fill: str) -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}"/>'


def _disc(x: float, y: float, radius: float, fill: str, rim: str, width: float) -> str:
    style = f'fill="{fill}" stroke="{rim}" stroke-width="{width}"'
    return f'<circle cx="{x}" cy="{y}" r="{radius:.1f}" {style}/>'


def _text(x: float, y: float, words: str, color: str, size: int) -> str:
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{color}">{words}</text>'
