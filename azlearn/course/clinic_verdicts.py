"""What both bug clinics have: cases, names to choose from, and the verdict on a choice."""

import difflib
import html
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from azlearn.course import progress_file
from azlearn.course.looks import OUTCOMES
from azlearn.course.patches import Patch
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
        patches: what is wrong; for a right diagnosis only.
        note: a remark about the progress file.
        kind: what the case is, a search or a training.
    """

    letter: str
    outcome: str
    name: str
    message: str
    patches: tuple[Patch, ...] = field(default=(), repr=False)
    note: str = ""
    kind: str = "search"

    @property
    def is_right(self) -> bool:
        return self.outcome == "right"

    @property
    def diff(self) -> list[str]:
        """The lines of the difference: "-" the right one, "+" this one."""
        return [line for patch in self.patches for line in patch.diff]

    def __str__(self) -> str:
        head = f"{OUTCOMES[self.outcome].symbol} Case {self.letter}: {self.outcome}"
        if self.name:
            head += f" ({self.name})"
        parts = [head, plain(self.message)]
        if self.patches:
            parts += ["", f"- the right {self.kind}, + this one:", *self.diff]
        return "\n".join([*parts, *([self.note] if self.note else [])])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        look = OUTCOMES[self.outcome]
        body = inline_html(self.message)
        if self.patches:
            body += inline_html(f"The difference: `-` the right {self.kind}, `+` this one.")
            body += _diff_html(self.diff)
        if self.note:
            body += f"<p><small>{html.escape(self.note)}</small></p>"
        title = f"Case {self.letter}" + (f" · {self.name}" if self.name else "")
        return card(look.color, title, body, symbol=look.symbol, word=self.outcome)


class Clinic:
    """The cases of one bug clinic.

    Args:
        kind: what its cases are: "search" or "training".
        patients: by letter; each has a ``hint``.
        faults: by letter; each has a ``name``, ``patches`` and, in a paragraph, how it ``shows``.
        names: to choose from; some of them are in no case.
        symptom: (name, patient) to how the fault of that name would look in this case.
        evidence: a letter to what there is to see.
    """

    def __init__(
        self,
        kind: str,
        patients: Mapping[str, Any],
        faults: Mapping[str, Any],
        names: tuple[str, ...],
        symptom: Callable[[str, Any], str],
        evidence: Callable[[str], Any],
    ) -> None:
        self._kind, self._patients, self._faults = kind, patients, faults
        self._names, self._symptom, self._evidence = names, symptom, evidence

    def ward(self):
        """The cases in a notebook, one at a time."""
        from azlearn.course.clinic_ward import Ward

        return Ward(self)

    def cases(self) -> list[str]:
        """The letters of the cases."""
        return list(self._patients)

    def choices(self) -> Choices:
        """The faults to choose from, numbered; some of them are in no case."""
        return Choices(self._names)

    def case(self, letter: str) -> Any:
        """What there is to see of one case.

        Raises:
            ValueError: there is no such case.
        """
        return self._evidence(self._letter(letter))

    def diagnose(self, letter: str, choice: Any = None) -> Diagnosis:
        """Is this the fault of that case?

        Args:
            letter: the case.
            choice: a number or a name from ``choices()``; a part of a name will do if only one
                fits.

        Returns:
            The verdict: what speaks against a wrong name and where to look; for the right one the
            difference in the code, and how it shows. It is noted in your progress.

        Raises:
            ValueError: there is no such case.
        """
        letter = self._letter(letter)
        patient, fault, name = (
            self._patients[letter],
            self._faults[letter],
            self.choices().find(choice),
        )
        if name is None:
            said = (
                "" if choice is None or choice is Ellipsis else f"{str(choice)!r} names no fault. "
            )
            text = f"{said}Give a number from `choices()`."
            return Diagnosis(letter, "not attempted", "", text, kind=self._kind)
        outcome = "right" if name == fault.name else "wrong"
        note = progress_file.record_outcome(progress_file.case_id(letter), outcome)
        if outcome == "right":
            return Diagnosis(letter, outcome, name, fault.shows, fault.patches, note, self._kind)
        message = (
            f"If it were “{name}”, {self._symptom(name, patient)}. "
            f"Is that what you see in case {letter}?\n\n{patient.hint}"
        )
        return Diagnosis(letter, outcome, name, message, note=note, kind=self._kind)

    def _letter(self, letter: str) -> str:
        """ "a", "A " and "case A" mean "A"."""
        found = str(letter).strip().upper().removeprefix("CASE").strip()
        if found not in self._patients:
            known = ", ".join(self._patients)
            raise ValueError(f"There is no case {letter!r}; the cases are {known}.")
        return found


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
