"""Sheets of exercises: the reader's texts, the hints, and the mistakes that a check recognizes.

A sheet is a Markdown file. It begins with the title and ``name: value`` lines::

    # Evaluate and back up
    id: 9.1
    minutes: 12
    difficulty: 2
    function: absorb(game, path, leaf, evaluate)
    section: 1 · A network at the leaf
    right: You evaluate once: the prior stays at the node, and the value changes sign on the way up.

``section`` is the heading in the chapter's notebook that explains the subject; ``right`` is the
message for a right answer. ``## Hints`` has three hints separated by ``---``: the idea, the line,
and pseudocode. ``## Faults`` has a ``### name`` for each fault, its cause, and a sentence for the
reader. There are four kinds of causes:

- ``- old ⇒ new`` replaces a text in the only line of the solution that contains it. To replace it
  with several lines, write ``- old`` and a ``+ new`` for each line; ``- old`` alone replaces the
  line with ``pass``. Several replacements can be combined;
- a block between lines of three backticks is the whole wrong answer;
- ``! key``: this aspect differs for no other known reason (``! key: value``: with this value);
- without a cause, the exercise's own check names the fault.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# A text within one line of a source, and its replacement; None replaces the line with `pass`.
Change = tuple[str, str | None]


def changed(source: str, changes: Sequence[Change]) -> str:
    """Applies changes to ``source``; further lines are indented like the replaced line.

    Raises:
        ValueError: a text to replace is not in exactly one line.
    """
    lines = source.split("\n")
    for old, new in changes:
        found = [number for number, line in enumerate(lines) if old in line]
        if len(found) != 1:
            raise ValueError(f"{old!r} must be in exactly one line, not in {len(found)}.")
        line = lines[found[0]]
        indent = line[: len(line) - len(line.lstrip())]
        if new is None:
            lines[found[0]] = f"{indent}pass"
        else:
            lines[found[0]] = line.replace(old, new.replace("\n", f"\n{indent}"))
    return "\n".join(lines)


@dataclass(frozen=True)
class Fault:
    """A known mistake: its name, the message for the reader, and its cause or symptom.

    Attributes:
        name: the name that a reader sees. Faults with the same name are versions of one mistake.
        says: a sentence that says what is wrong and what to look at.
        changes: the replacements in the solution's source.
        answer: the source of the whole wrong answer, instead of ``changes``.
        key, value: a symptom: the aspect that differs, and its value; "" for any value.
    """

    name: str
    says: str
    changes: tuple[Change, ...] = ()
    answer: str = ""
    key: str | None = None
    value: str = ""

    @property
    def can_be_made(self) -> bool:
        """Whether there is a wrong answer to run."""
        return bool(self.changes or self.answer)

    def source(self, solution: str) -> str:
        """The source of the wrong answer.

        Raises:
            ValueError: a text to replace is not in exactly one line.
        """
        return self.answer or changed(solution, self.changes)


@dataclass(frozen=True)
class Sheet:
    """The content of an exercise's sheet; the module describes the format."""

    id: str
    title: str
    minutes: int
    difficulty: int
    function: str
    section: str
    right: str
    hints: tuple[str, str, str]
    faults: tuple[Fault, ...]

    @property
    def number(self) -> tuple[int, int]:
        """(chapter, exercise): "3.10" comes after "3.9"."""
        chapter, exercise = self.id.split(".")
        return int(chapter), int(exercise)

    @property
    def names(self) -> tuple[str, ...]:
        """The faults' names, without duplicates."""
        return tuple(dict.fromkeys(fault.name for fault in self.faults))

    def says(self, name: str) -> str:
        """The sentence of the first fault with this name.

        Raises:
            KeyError: there is no such fault.
        """
        for fault in self.faults:
            if fault.name == name:
                return fault.says
        raise KeyError(name)

    @property
    def read_on(self) -> str:
        """A sentence that refers to chapter, section and heading."""
        number, heading = self.section.split(" · ")
        chapter = self.id.split(".")[0]
        return f"See chapter {chapter}, section {number}, “{heading}”."


_HEAD = ("id", "minutes", "difficulty", "function", "section", "right")


def load_sheet(path: Path) -> Sheet:
    """Reads the sheet in a file.

    Raises:
        ValueError: something is missing or misspelled; the message names the file.
    """
    try:
        return read_sheet(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise ValueError(f"{path.name}: {problem}") from None


def read_sheet(text: str) -> Sheet:
    """Parses a sheet.

    Raises:
        ValueError: something is missing or misspelled.
    """
    parts = re.split(r"^## (Hints|Faults)\n", text, flags=re.M)
    if parts[1::2] != ["Hints", "Faults"]:
        raise ValueError("a sheet needs a head, then '## Hints', then '## Faults'.")
    head, hints, faults = parts[::2]
    title, *lines = head.strip().split("\n")
    facts = dict(line.split(": ", 1) for line in lines if ": " in line)
    if not title.startswith("# ") or set(facts) != set(_HEAD):
        raise ValueError(f"the head needs '# title' and one line for each of {', '.join(_HEAD)}.")
    given = tuple(hint.strip("\n") for hint in re.split(r"^---\n", hints, flags=re.M))
    if len(given) != 3 or not all(given):
        raise ValueError(f"there must be three hints separated by '---', not {len(given)}.")
    if not re.fullmatch(r"\d+ · .+", facts["section"]):
        raise ValueError("the section must be a number, ' · ' and the heading.")
    return Sheet(
        title=title[2:],
        minutes=int(facts.pop("minutes")),
        difficulty=int(facts.pop("difficulty")),
        hints=given,
        faults=tuple(read_fault(part) for part in re.split(r"^### ", faults, flags=re.M)[1:]),
        **facts,
    )


def read_fault(part: str, is_told: bool = True) -> Fault:
    """Parses a fault: its name and the lines below it.

    Raises:
        ValueError: ``is_told`` is True, but there is no sentence for the reader.
    """
    name, *lines = part.strip().split("\n")
    answer = re.search(r"^```(?:python)?\n(.*?)\n```$", part, flags=re.M | re.S)
    if answer:
        lines = part.replace(answer[0], "").strip().split("\n")[1:]
    changes: list[Change] = []
    key, value, says = None, "", []
    for line in lines:
        sign, rest = line[:2], line[2:]
        if sign == "- ":
            old, arrow, new = rest.partition(" ⇒")
            changes.append((old, new.removeprefix(" ") if arrow else None))
        elif sign in ("+ ", "+") and changes:
            old, new = changes[-1]
            changes[-1] = (old, rest if new is None else f"{new}\n{rest}")
        elif sign == "! ":
            key, _, value = rest.partition(": ")
        else:
            says.append(line)
    sentence = " ".join(line.strip() for line in says if line.strip())
    if is_told and not sentence:
        raise ValueError(f"the fault {name!r} has no sentence that explains it.")
    return Fault(name, sentence, tuple(changes), answer[1] if answer else "", key, value)
