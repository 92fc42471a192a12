"""What a check, a hint and a solution give back: plain text, and a card in a notebook."""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

from azlearn.course.looks import HINT, OUTCOMES

UNRECOGNISED = "no named fault"
_PRE = "margin:.4em 0;padding:.4em .7em;font-family:monospace"


def inline_html(text: str) -> str:
    """Escape ``text``, then set *emphasis* and ``code``; an empty line starts a new paragraph."""
    out = html.escape(text, quote=False)
    out = re.sub(r"`([^`]+)`", r"<code>\1</code>", out)
    out = re.sub(r"\*(?=\S)([^*\n]+?)(?<=\S)\*", r"<em>\1</em>", out)
    out = _keep_lists_whole(out)
    return "".join(f'<p style="margin:.35em 0">{part}</p>' for part in out.split("\n\n"))


def _keep_lists_whole(escaped: str) -> str:
    """A short list of numbers stays on one line."""
    whole = r'<span style="white-space:nowrap">\g<0></span>'
    return re.sub(r"(?:\b[NW] )?\[[^\[\]<>]{1,40}\],?", whole, escaped)


def in_line(text: str) -> str:
    """A text of several lines in one: rows of a board are parted by /, other lines by a comma."""
    first, *others = text.split("\n")
    for line in others:
        is_row = re.fullmatch(r"[.XO+#]+", line) and re.search(r"(^|[/\s])[.XO+#]+$", first)
        first += ("/" if is_row else ", ") + line
    return first


def plain(text: str) -> str:
    """The same text for a terminal: emphasis marks go, code marks stay."""
    return re.sub(r"\*(?=\S)([^*\n]+?)(?<=\S)\*", r"\1", text)


def card(color: str, title: str, body: str, *, symbol: str = "", word: str = "") -> str:
    """A box with a coloured edge; text takes the notebook theme's own colour."""
    pill = ""
    if word:
        pill = (
            f'<span style="background:{color};color:#fff;border-radius:4px;padding:.1em .55em;'
            f'font-weight:600;margin-right:.6em">{symbol} {html.escape(word)}</span>'
        )
    return (
        f'<div style="border:1px solid {color};border-left-width:6px;border-radius:6px;'
        'padding:.55em .9em;margin:.3em 0;max-width:56em;line-height:1.45">'
        f'<div style="margin-bottom:.2em">{pill}<b>{html.escape(title)}</b></div>{body}</div>'
    )


@dataclass(frozen=True)
class Compared:
    """One line of the comparison under a wrong answer."""

    label: str
    right: str
    yours: str

    def in_words(self, width: int) -> str:
        """For a terminal; boards stand side by side below their label."""
        label = f"  {in_line(self.label):<{width}}"
        if "\n" not in self.right + self.yours:
            return f"{label}  right {self.right}   yours {self.yours}"
        lines = zip_longest(self.right.split("\n"), self.yours.split("\n"), fillvalue="")
        column = max(5, *map(len, self.right.split("\n")))
        pairs = [("right", "yours"), *lines]
        return "\n".join([label.rstrip(), *(f"    {a:<{column}}   {b}" for a, b in pairs)])


@dataclass(frozen=True)
class Result:
    """The verdict on one answer.

    Attributes:
        exercise_id: for example "3.3".
        title: the exercise's title.
        outcome: "not attempted", "error", "wrong" or "right".
        diagnosis: the name of the fault for "wrong" ("" otherwise).
        message: what was found; *emphasis* and ``code`` are set in the card.
        rows: expected and given numbers, side by side.
        code: for "error", the reader's line that raised.
        recording: the recorded search made with the reader's function, or None.
        tree: the tree that the reader's own search returned, or None.
        notice: a sentence above that search, on what its numbers mean.
        note: a remark about the machinery (a progress file that could not be written, …).
        hint: given unasked, after several failed tries, or None.
        offer: gives a hint if asked for one; None where the message says enough.
    """

    exercise_id: str
    title: str
    outcome: str
    diagnosis: str = ""
    message: str = ""
    rows: tuple[Compared, ...] = ()
    code: str = ""
    recording: Any = field(default=None, repr=False, compare=False)
    tree: Any = field(default=None, repr=False, compare=False)
    notice: str = ""
    note: str = ""
    hint: "Hint | None" = field(default=None, compare=False)
    offer: "Callable[[], Hint] | None" = field(default=None, repr=False, compare=False)

    @property
    def is_right(self) -> bool:
        return self.outcome == "right"

    @property
    def has_search(self) -> bool:
        return self.recording is not None or self.tree is not None

    @property
    def _fault(self) -> str:
        """The fault's name, where it has one."""
        return "" if self.diagnosis == UNRECOGNISED else self.diagnosis

    def explore(self):
        """Your own search in the tree explorer.

        Raises:
            ValueError: if the exercise builds no tree, or yours could not be built.
        """
        from azlearn.viz import Explorer

        if not self.has_search:
            raise ValueError(f"The check of {self.exercise_id} left no search tree to look at.")
        return Explorer(self.recording or self.tree, notice=self.notice)

    def __str__(self) -> str:
        head = f"{OUTCOMES[self.outcome].symbol} {self.exercise_id} {self.title}: {self.outcome}"
        if self._fault:
            head += f" ({self._fault})"
        parts = [head]
        if self.message:
            parts.append(plain(self.message))
        if self.code:
            parts.append(self.code)
        if self.rows:
            width = max(len(in_line(row.label)) for row in self.rows)
            parts += [row.in_words(width) for row in self.rows]
        if self.note:
            parts.append(self.note)
        if self.hint:
            parts.append(str(self.hint))
        if self.offer:
            parts.append(f'A hint: hint("{self.exercise_id}")')
        return "\n".join(parts)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        look = OUTCOMES[self.outcome]
        body = inline_html(self.message) if self.message else ""
        if self.code:
            body += (
                f'<pre style="{_PRE};border-left:3px solid currentColor;'
                f'overflow-x:auto">{html.escape(self.code)}</pre>'
            )
        if self.rows:
            body += _table(self.rows)
        if self.has_search:
            body += inline_html("Below: the search made with your function.")
        body += _note_html(self.note)
        title = f"{self.exercise_id} {self.title}"
        if self._fault:
            title += f" · {self._fault}"
        return card(look.color, title, body, symbol=look.symbol, word=self.outcome)

    def _ipython_display_(self) -> None:
        from IPython.display import display

        display({"text/html": self._repr_html_(), "text/plain": str(self)}, raw=True)
        if self.hint:
            display(self.hint)
        if self.offer:
            display(_hint_button(self.offer))
        if self.has_search:
            display(self.explore())


def _hint_button(offer: "Callable[[], Hint]"):
    """A button that shows a hint in its place."""
    import ipywidgets as widgets

    button = widgets.Button(description="a hint, please", layout={"width": "auto"})
    shown = widgets.HTML()
    box = widgets.VBox([button], layout={"align_items": "flex-start"})

    def show(_button: Any) -> None:
        shown.value = offer()._repr_html_()
        box.children = [shown]

    button.on_click(show)
    return box


def _note_html(note: str) -> str:
    return f'<p style="margin:.35em 0"><small>{html.escape(note)}</small></p>' if note else ""


def _table(rows: tuple[Compared, ...]) -> str:
    cell = "text-align:left;vertical-align:top;padding:.15em .9em .15em 0;"
    cell += "font-family:monospace;white-space:pre-line"
    head = "".join(f'<th style="{cell}" scope="col">{name}</th>' for name in ("right", "yours"))
    lines = []
    for row in rows:
        differs = " ≠" if row.right != row.yours else ""
        values = (row.label, row.right, row.yours + differs)
        lines.append(
            "<tr>"
            + "".join(
                f'<td style="{cell}">{_keep_lists_whole(html.escape(value.replace("`", "")))}</td>'
                for value in values
            )
            + "</tr>"
        )
    return (
        '<div style="overflow-x:auto"><table style="border-collapse:collapse;margin:.4em 0">'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


@dataclass(frozen=True, repr=False)
class Hint:
    """One of three hints: the idea, the line, near-code. ``note`` is as for a Result."""

    exercise_id: str
    level: int
    text: str
    note: str = ""

    def __str__(self) -> str:
        text = f"Hint {self.level} of 3 for {self.exercise_id}: {plain(self.text)}"
        return f"{text}\n{self.note}" if self.note else text

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        title = f"Hint {self.level} of 3 for {self.exercise_id}"
        return card(HINT.color, title, _hint_html(self.text) + _note_html(self.note))


def _hint_html(text: str) -> str:
    """Paragraphs, and lines that start with four spaces as a code block."""
    parts = []
    for block in re.split(r"\n\n", text):
        if block.startswith("    "):
            code = "\n".join(line[4:] for line in block.split("\n"))
            parts.append(f'<pre style="{_PRE}">{html.escape(code)}</pre>')
        else:
            parts.append(inline_html(block))
    return "".join(parts)


@dataclass(frozen=True, repr=False)
class Solution:
    """The solution's source, folded in a notebook. ``note`` is as for a Result.

    ``is_tried``: whether the exercise has been checked before; if not, it takes a second click.
    """

    exercise_id: str
    title: str
    source: str
    is_tried: bool = True
    note: str = ""

    @property
    def _warning(self) -> str:
        return f"You have not tried {self.exercise_id} yet."

    def __str__(self) -> str:
        note = f"# {self.note}\n" if self.note else ""
        head = f"{note}# Solution of {self.exercise_id} {self.title}\n"
        if self.is_tried:
            return head + self.source
        return f'{head}# {self._warning} To see it: print(solution("{self.exercise_id}").source)'

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        body = f'<pre style="{_PRE}">{html.escape(self.source)}</pre>'
        if not self.is_tried:
            body = _folded(f"{self._warning} Open it all the same", body)
        name = html.escape(f"{self.exercise_id} {self.title}")
        return _folded(f"Solution of {name} (click to open)", body) + _note_html(self.note)

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        """The plain text stays folded too: a terminal user prints the object to see it."""
        text = f"Solution of {self.exercise_id}: print() it to read it."
        if self.note:
            text += f"\n{self.note}"
        return {"text/html": self._repr_html_(), "text/plain": text}


def _folded(summary: str, body: str) -> str:
    return f"<details><summary>{summary}</summary>{body}</details>"
