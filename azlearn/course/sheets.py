"""An exercise's sheet: what its reader sees, its hints, and the mistakes that its check knows.

A sheet is a Markdown file. It begins with the title and ``name: value`` lines::

    # Evaluate and back up
    id: 9.1
    minutes: 12
    difficulty: 2
    function: absorb(game, path, leaf, evaluate)
    section: 1 · A network at the leaf
    right: You evaluate once: the prior stays at the node, and the value changes sign on the way up.

``section`` is the heading in the chapter's notebook that explains the subject; ``right`` is what a
right answer is told. Then ``## Hints``, three of them with ``---`` between: the idea, the line,
pseudocode. Then ``## Faults``, each a ``### name``, how it comes about, and a sentence for the
reader. It comes about in one of four ways:

- ``- old ⇒ new``: in the solution, the one line that holds the first text has the second instead.
  Where several lines take its place, ``- old`` and a ``+ new`` for each; ``- old`` alone means that
  the line does nothing. Several of these change several lines;
- a block between lines of three backticks: the whole wrong answer;
- ``! key``: nothing else explains what is seen there (``! key: value``: and it looks like this);
- nothing: the exercise's own check names it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# A text within one line of a source, and what stands there instead; None: the line does nothing.
Change = tuple[str, str | None]


def changed(source: str, changes: Sequence[Change]) -> str:
    """``source`` with its changes; what takes several lines is indented as the line was.

    Raises:
        ValueError: a text to replace is not there exactly once.
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
    """A known mistake: its name, what the reader is told, and how to make it, if it can be made.

    Attributes:
        name: as a reader sees it. Two faults with the same name are two ways to make one mistake.
        says: what is wrong and what to look at.
        changes: of the solution's source.
        answer: the source of the whole wrong answer, instead of ``changes``.
        key, value: a symptom: where it shows, and how; ``value`` "" for any.
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
        """The text of the wrong answer.

        Raises:
            ValueError: a text to replace is not there exactly once.
        """
        return self.answer or changed(solution, self.changes)


@dataclass(frozen=True)
class Sheet:
    """What stands on an exercise's sheet; see the module."""

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
        """The faults' names, each once."""
        return tuple(dict.fromkeys(fault.name for fault in self.faults))

    def says(self, name: str) -> str:
        """The sentence of the first fault of that name.

        Raises:
            KeyError: there is none.
        """
        for fault in self.faults:
            if fault.name == name:
                return fault.says
        raise KeyError(name)

    @property
    def read_on(self) -> str:
        """One sentence: chapter, section, heading."""
        number, heading = self.section.split(" · ")
        chapter = self.id.split(".")[0]
        return f"See chapter {chapter}, section {number}, “{heading}”."


_HEAD = ("id", "minutes", "difficulty", "function", "section", "right")


def load_sheet(path: Path) -> Sheet:
    """The sheet in a file.

    Raises:
        ValueError: something is missing or misspelt; the message names the file.
    """
    try:
        return read_sheet(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        raise ValueError(f"{path.name}: {problem}") from None


def read_sheet(text: str) -> Sheet:
    """The sheet that ``text`` describes.

    Raises:
        ValueError: something is missing or misspelt.
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
    """The fault that its name and the lines below describe.

    Raises:
        ValueError: there is no sentence for the reader, and ``is_told``.
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
