"""What a check, a hint and a solution give back: plain text, and a card in a notebook."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from typing import Any

from azlearn.course.looks import HINT, OUTCOMES

_PRE = "margin:.4em 0;padding:.4em .7em;font-family:monospace"


def inline_html(text: str) -> str:
    """Escape `text`, then set *emphasis* and `code`; an empty line starts a new paragraph."""
    out = html.escape(text, quote=False)
    out = re.sub(r"`([^`]+)`", r"<code>\1</code>", out)
    out = re.sub(r"\*(?=\S)([^*\n]+?)(?<=\S)\*", r"<em>\1</em>", out)
    out = _keep_lists_whole(out)
    return "".join(f'<p style="margin:.35em 0">{part}</p>' for part in out.split("\n\n"))


def _keep_lists_whole(escaped: str) -> str:
    """A short list of numbers stays on one line."""
    whole = r'<span style="white-space:nowrap">\g<0></span>'
    return re.sub(r"(?:\b[NW] )?\[[^\[\]<>]{1,40}\],?", whole, escaped)


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
class Row:
    """One line of the comparison under a wrong answer."""

    label: str
    right: str
    yours: str


@dataclass(frozen=True)
class Result:
    """The verdict on one answer.

    Attributes:
        exercise_id: for example "3.3".
        title: the exercise's title.
        outcome: "not attempted", "error", "wrong" or "right".
        diagnosis: the name of the fault for "wrong" ("" otherwise).
        message: what was found; *emphasis* and `code` are set in the card.
        rows: expected and given numbers, side by side.
        code: for "error", the reader's line that raised.
        recording: the recorded search made with the reader's function, or None.
        tree: the tree that the reader's own search returned, or None.
        note: a remark about the machinery (a progress file that could not be written, …).
    """

    exercise_id: str
    title: str
    outcome: str
    diagnosis: str = ""
    message: str = ""
    rows: tuple[Row, ...] = ()
    code: str = ""
    recording: Any = field(default=None, repr=False, compare=False)
    tree: Any = field(default=None, repr=False, compare=False)
    note: str = ""

    @property
    def is_right(self) -> bool:
        return self.outcome == "right"

    @property
    def has_search(self) -> bool:
        return self.recording is not None or self.tree is not None

    def explore(self):
        """Your own search in the tree explorer.

        Raises:
            ValueError: if the exercise builds no tree, or yours could not be built.
        """
        from azlearn.viz import Explorer, explore_tree

        if self.recording is not None:
            return Explorer(self.recording)
        if self.tree is not None:
            return explore_tree(self.tree)
        raise ValueError(f"The check of {self.exercise_id} left no search tree to look at.")

    def __str__(self) -> str:
        head = f"{OUTCOMES[self.outcome].symbol} {self.exercise_id} {self.title}: {self.outcome}"
        if self.diagnosis:
            head += f" ({self.diagnosis})"
        parts = [head]
        if self.message:
            parts.append(plain(self.message))
        if self.code:
            parts.append(self.code)
        if self.rows:
            width = max(len(row.label) for row in self.rows)
            parts += [f"  {r.label:<{width}}  right {r.right}   yours {r.yours}" for r in self.rows]
        if self.note:
            parts.append(self.note)
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
        if self.diagnosis:
            title += f" · {self.diagnosis}"
        return card(look.color, title, body, symbol=look.symbol, word=self.outcome)

    def _ipython_display_(self) -> None:
        from IPython.display import display

        display({"text/html": self._repr_html_(), "text/plain": str(self)}, raw=True)
        if self.has_search:
            display(self.explore())


def _note_html(note: str) -> str:
    return f'<p style="margin:.35em 0"><small>{html.escape(note)}</small></p>' if note else ""


def _table(rows: tuple[Row, ...]) -> str:
    cell = "text-align:left;padding:.15em .9em .15em 0;font-family:monospace"
    head = "".join(f'<th style="{cell}" scope="col">{name}</th>' for name in ("right", "yours"))
    lines = []
    for row in rows:
        differs = " ≠" if row.right != row.yours else ""
        values = (row.label, row.right, row.yours + differs)
        lines.append(
            "<tr>"
            + "".join(
                f'<td style="{cell}">{_keep_lists_whole(html.escape(value))}</td>'
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
    """One of three hints: the idea, the line, near-code. `note` is as for a Result."""

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
    """The solution's source, folded behind one click in a notebook. `note` is as for a Result."""

    exercise_id: str
    title: str
    source: str
    note: str = ""

    def __str__(self) -> str:
        note = f"# {self.note}\n" if self.note else ""
        return f"{note}# Solution of {self.exercise_id} {self.title}\n{self.source}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return (
            f"<details><summary>Solution of {html.escape(self.exercise_id)} "
            f"{html.escape(self.title)} (click to open)</summary>"
            f'<pre style="{_PRE}">{html.escape(self.source)}</pre></details>'
            f"{_note_html(self.note)}"
        )

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        """The plain text stays folded too: a terminal user prints the object to see it."""
        text = f"Solution of {self.exercise_id}: print() it to read it."
        if self.note:
            text += f"\n{self.note}"
        return {"text/html": self._repr_html_(), "text/plain": text}
