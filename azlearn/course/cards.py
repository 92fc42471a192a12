"""Cards for checks, bug clinics and the doctor: text in a terminal, HTML in a notebook.

A symbol and a word always repeat the meaning of a color. White text on each color has a contrast
of at least 4.5 : 1, and all other text has the theme's own color.
"""

import html
import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple


class Look(NamedTuple):
    """A symbol, a color as "#rrggbb", and a terminal's name for that color."""

    symbol: str
    color: str
    terminal: str = ""


_GREEN, _RED, _GREY = "#0a6b4b", "#a3201d", "#5f6368"

OUTCOMES = {
    "not attempted": Look("○", _GREY),
    "error": Look("!", _RED),
    "wrong": Look("✗", "#9a4b00"),
    "right": Look("✓", _GREEN),
}
NEW = Look("·", _GREY)
HINT = Look("", "#1f5f99")
CASE = Look("", "#5b3c88")

FINDINGS = {
    "OK": Look("✓", _GREEN, "green"),
    "note": Look("·", "#8a5a00", "yellow"),
    "problem": Look("✗", _RED, "red"),
}

_PRE = "margin:.4em 0;padding:.4em .7em;font-family:monospace;overflow-x:auto"
_EMPHASIS = re.compile(r"\*(?=\S)([^*\n]+?)(?<=\S)\*")

# CSS styles for the cells of a table.
WORDS = "text-align:left;vertical-align:top;padding:.15em .9em .15em 0"
VALUES = WORDS + ";font-family:monospace"
NUMBERS = "text-align:right;padding:.1em .7em;font-variant-numeric:tabular-nums"


class Block(NamedTuple):
    """A part of a card as text and as HTML; "" in a form that does not show it."""

    text: str
    html: str


def joined(blocks: Iterable[Block]) -> Block:
    """Joins blocks, one below the other."""
    blocks = list(blocks)
    text = "\n".join(block.text for block in blocks if block.text)
    return Block(text, "".join(block.html for block in blocks))


def paragraphs(text: str) -> Block:
    """Paragraphs separated by empty lines; a notebook formats *emphasis* and ``code``.

    A paragraph that starts with four spaces is code.
    """
    parts = filter(None, text.split("\n\n"))
    return Block(_EMPHASIS.sub(r"\1", text), "".join(map(_paragraph, parts)))


def _paragraph(text: str) -> str:
    if text.startswith("    "):
        return code("\n".join(line[4:] for line in text.split("\n"))).html
    out = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))
    out = _whole_lists(_EMPHASIS.sub(r"<em>\1</em>", out))
    return f'<p style="margin:.35em 0">{out}</p>'


def _whole_lists(escaped: str) -> str:
    """Keeps each short list of numbers on one line."""
    whole = r'<span style="white-space:nowrap">\g<0></span>'
    return re.sub(r"(?:\b[NW] )?\[[^\[\]<>]{1,40}\],?", whole, escaped)


def in_line(text: str) -> str:
    """Joins lines into one, with / between the rows of a board and commas between other lines."""
    first, *others = text.split("\n")
    for line in others:
        is_row = re.match(r"[.XO+#]+($|[:,])", line) and re.search(r"(^|[/\s])[.XO+#]+$", first)
        goes_on = first.endswith((":", " or"))
        first += ("/" if is_row else " " if goes_on else ", ") + line
    return first


def note(text: str) -> Block:
    """A remark in small print."""
    page = f'<p style="margin:.35em 0"><small>{html.escape(text)}</small></p>'
    return Block(text, page if text else "")


def code(lines: str) -> Block:
    """Lines of code, unchanged."""
    return Block(lines, f'<pre style="{_PRE}">{html.escape(lines)}</pre>' if lines else "")


def difference(lines: Sequence[str]) -> Block:
    """Lines that start with "+", "-" or a space, in translucent colors that fit any theme."""
    tints = {"+": "rgba(230,97,0,.22)", "-": "rgba(10,107,75,.20)"}
    rows = "".join(
        f'<div style="padding:0 .6em;white-space:pre;background:{tints.get(line[:1], "none")}">'
        f"{html.escape(line) or ' '}</div>"
        for line in lines
    )
    page = (
        '<div style="font-family:monospace;line-height:1.4;margin:.4em 0;overflow-x:auto" '
        f'role="group" aria-label="difference in the code">{rows}</div>'
    )
    return Block("\n".join(lines), page if lines else "")


def mark(look: Look, word: str) -> Block:
    """A symbol and a word on a background of the look's color."""
    text = f"{look.symbol} {word}".strip()
    style = f"background:{look.color};color:#fff;border-radius:4px;padding:.1em .55em"
    page = f'<span style="{style};font-weight:600;margin-right:.6em">{html.escape(text)}</span>'
    return Block(text, page)


def table(
    rows: Sequence[Sequence[str | Block]],
    head: Sequence[str] = (),
    caption: str = "",
    style: str = WORDS,
) -> Block:
    """A table in which the first cell of each row is its label; a terminal aligns the columns.

    Args:
        style: the style of the cells: ``WORDS``, ``VALUES`` or ``NUMBERS``.
    """
    cells = [[_cell(cell) for cell in row] for row in rows]
    titles = "".join(
        f'<th scope="col" style="{style}">{html.escape(cell)}</th>' if cell else "<td></td>"
        for cell in head
    )
    body = "".join(
        f'<tr><th scope="row" style="{style};font-weight:normal">{first.html}</th>'
        + "".join(f'<td style="{style}">{cell.html}</td>' for cell in others)
        + "</tr>"
        for first, *others in cells
    )
    above = f'<caption style="{WORDS}">{html.escape(caption)}</caption>' if caption else ""
    above += f"<thead><tr>{titles}</tr></thead>" if head else ""
    page = (
        '<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:.4em 0">'
        f"{above}<tbody>{body}</tbody></table></div>"
    )
    if head:
        cells.insert(0, [_cell(cell) for cell in head])
    lines = [[cell.text.split("\n") for cell in row] for row in cells]
    columns = zip(*lines, strict=True)
    widths = [max(len(line) for cell in column for line in cell) for column in columns]
    place = str.rjust if style == NUMBERS else str.ljust
    texts = [
        "  ".join(map(place, parts, widths)).rstrip()
        for row in lines
        for parts in zip_longest(*row, fillvalue="")
    ]
    return Block("\n".join(filter(None, [caption, *texts])), page)


def _cell(cell: str | Block) -> Block:
    if isinstance(cell, Block):
        return cell
    page = _whole_lists(html.escape(cell.replace("`", "")))
    return Block(cell, page.replace("\n", "<br>"))


def fold(summary: str, *blocks: Block) -> Block:
    """Blocks that a click on ``summary`` opens; a terminal always shows them."""
    text, page = joined(blocks)
    return Block(text, f"<details><summary>{html.escape(summary)}</summary>{page}</details>")


def side_by_side(blocks: Iterable[Block]) -> Block:
    """Puts blocks side by side in a wide notebook, else one below the other."""
    text, page = joined(blocks)
    style = "display:flex;flex-wrap:wrap;gap:1.2em;margin:.6em 0"
    return Block(text, f'<div style="{style}">{page}</div>')


class Head(NamedTuple):
    """The head of a card: a look, a title, the outcome ("wrong") and a name, such as a fault's."""

    look: Look
    title: str
    word: str = ""
    name: str = ""

    def block(self) -> Block:
        """For example, "✗ 3.3 Backup: wrong (value not negated)" or "Case A: what is wrong?"."""
        look, title, word, name = self
        parts = (f"{look.symbol} {title}", word) if look.symbol else (word, title)
        text = ": ".join(filter(None, parts))
        page = mark(look, word).html if word else ""
        page += f"<b>{html.escape(' · '.join(filter(None, (title, name))))}</b>"
        return Block(
            text + (f" ({name})" if name else ""), f'<div style="margin-bottom:.2em">{page}</div>'
        )


class Card:
    """A box with a colored edge in a notebook, plain lines in a terminal."""

    def head(self) -> Head:
        """The head of the card."""
        raise NotImplementedError

    def blocks(self) -> Iterable[Block]:
        """The blocks below the head, in order."""
        raise NotImplementedError

    def __str__(self) -> str:
        return joined([self.head().block(), *self.blocks()]).text

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        head = self.head()
        return (
            f'<div style="border:1px solid {head.look.color};border-left-width:6px;'
            'border-radius:6px;padding:.55em .9em;margin:.3em 0;max-width:56em;line-height:1.45">'
            f"{joined([head.block(), *self.blocks()]).html}</div>"
        )
