"""What both bug clinics answer with: the names to choose from, and the verdict on a choice."""

from __future__ import annotations

import ast
import difflib
import html
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from azlearn.course.looks import OUTCOMES
from azlearn.course.results import card, inline_html, plain


@dataclass(frozen=True, repr=False)
class Choices:
    """The names to choose from, counted from 1."""

    names: tuple[str, ...]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def find(self, choice: Any) -> str | None:
        """What a number, a name or a part of a name means; None if it means none, or two."""
        text = "" if choice is None or choice is Ellipsis else " ".join(str(choice).lower().split())
        text = text.strip(" .")
        if text.isdecimal():
            return self.names[int(text) - 1] if 1 <= int(text) <= len(self.names) else None
        if not text:
            return None
        lowered = {name.lower(): name for name in self.names}
        inside = [name for low, name in lowered.items() if text in low]
        if text in lowered or len(inside) == 1:
            return lowered.get(text) or inside[0]
        close = difflib.get_close_matches(text, lowered, n=1, cutoff=0.8)
        return lowered[close[0]] if close and not inside else None

    def __str__(self) -> str:
        return "\n".join(f"{number:>3}  {name}" for number, name in enumerate(self.names, 1))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{html.escape(name)}</li>" for name in self.names)
        return f'<ol style="columns:22em 2;max-width:56em;margin:.3em 0">{items}</ol>'


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """The verdict on one diagnosis.

    Attributes:
        letter: of the case.
        outcome: "not attempted", "wrong" or "right".
        name: the fault that was named.
        message: where to look, or how the fault shows in the tree.
        differences: pairs (right function, faulty function); for a right diagnosis only.
        note: a remark about the progress file.
        kind: what the case is, a search or a training.
    """

    letter: str
    outcome: str
    name: str
    message: str
    differences: tuple[tuple[Callable, Callable], ...] = field(default=(), repr=False)
    note: str = ""
    kind: str = "search"

    @property
    def is_right(self) -> bool:
        return self.outcome == "right"

    @property
    def diff(self) -> list[str]:
        """The lines of the difference: "-" the right one, "+" this one."""
        lines: list[str] = []
        for pair in self.differences:
            lines += [*([" "] if lines else []), *_difference(*pair)]
        return lines

    def __str__(self) -> str:
        head = f"{OUTCOMES[self.outcome].symbol} Case {self.letter}: {self.outcome}"
        if self.name:
            head += f" ({self.name})"
        parts = [head, plain(self.message)]
        if self.differences:
            parts += ["", f"- the right {self.kind}, + this one:", *self.diff]
        return "\n".join([*parts, *([self.note] if self.note else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        look = OUTCOMES[self.outcome]
        body = inline_html(self.message)
        if self.differences:
            body += inline_html(f"The difference: `-` the right {self.kind}, `+` this one.")
            body += _diff_html(self.diff)
        if self.note:
            body += f"<p><small>{html.escape(self.note)}</small></p>"
        title = f"Case {self.letter}" + (f" · {self.name}" if self.name else "")
        return card(look.color, title, body, symbol=look.symbol, word=self.outcome)


def _difference(right: Callable, wrong: Callable) -> list[str]:
    """Unified diff of two functions, whole, without the lines that name files."""
    before, after = _source(right), _source(wrong)
    after[0] = before[0]  # its name and annotations are not the fault
    return list(difflib.unified_diff(before, after, lineterm="", n=20))[3:]


def _source(function: Callable) -> list[str]:
    """Source without docstring; of a rule's maker, the rule inside it; of a plan, its rule."""
    lines = textwrap.dedent(inspect.getsource(function)).replace("self.c ", "c ").split("\n")
    tree = ast.parse("\n".join(lines)).body[0]
    inner = [part for part in tree.body if isinstance(part, ast.FunctionDef)]
    part = inner[0] if inner else tree
    first = part.body[0]
    dropped = range(0)
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        dropped = range(first.lineno, first.end_lineno + 1)
    kept = [
        line.split("  # noqa")[0]
        for number, line in enumerate(lines, 1)
        if part.lineno <= number <= part.end_lineno and number not in dropped
    ]
    return textwrap.dedent("\n".join(kept)).split("\n")


def _diff_html(lines: list[str]) -> str:
    """Signs and colours, on any theme: the colours are see-through."""
    tints = {"+": "rgba(230,97,0,.22)", "-": "rgba(10,107,75,.20)"}
    rows = "".join(
        f'<div style="padding:0 .6em;white-space:pre;background:{tints.get(line[:1], "none")}">'
        f"{html.escape(line) or ' '}</div>"
        for line in lines
    )
    return (
        '<div style="font-family:monospace;line-height:1.4;margin:.4em 0;overflow-x:auto" '
        f'role="group" aria-label="difference in the code">{rows}</div>'
    )
