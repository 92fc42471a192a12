"""The common parts of both bug clinics: cases, fault names, diagnosis and widget."""

import difflib
import html
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import ipywidgets as widgets
from scipy.stats import binomtest

from azlearn.arena import wilson_interval
from azlearn.course import progress_file
from azlearn.course.cards import CASE, OUTCOMES, Card, Head
from azlearn.course.patches import Patch
from azlearn.course.results import Result
from azlearn.viz import Explorer, compare


@dataclass(frozen=True)
class Case:
    """One case of a clinic.

    Attributes:
        name: the name of the fault, one of the names to choose from.
        patches: the changes to the code that make the fault.
        shows: one paragraph, shown after a right diagnosis: how the fault can be seen.
        hint: where to look, shown after a wrong diagnosis.
        evidence: the data from which the case's ``Evidence`` is made.
    """

    name: str
    patches: tuple[Patch, ...]
    shows: str
    hint: str
    evidence: Any


class Evidence(Card):
    """The evidence of a case, displayed as a card and a tree in the explorer.

    Attributes:
        letter: the letter of the case.
        kind: "search" or "training".
    """

    kind = ""

    def __init__(self, letter: str, case: Case) -> None:
        self.letter, self._case = letter, case

    def head(self) -> Head:
        return Head(CASE, f"What is wrong with this {self.kind}?", f"Case {self.letter}")

    def explorer(self) -> Explorer:
        """Returns an explorer of a search, opened where the fault can be seen."""
        raise NotImplementedError

    def healthy(self) -> Any:
        """Returns a correct search with the same budget and seed, for comparison."""
        raise NotImplementedError

    def _ipython_display_(self) -> None:
        from IPython.display import display

        display({"text/html": self._repr_html_(), "text/plain": str(self)}, raw=True)
        display(self.explorer())


class Score(NamedTuple):
    """The number of labeled positions in which a player's move preserves the value.

    ``held`` has one entry per position; ``interval`` is Wilson's 95% confidence interval.
    """

    who: str
    held: tuple[bool, ...]

    @property
    def kept(self) -> int:
        return sum(self.held)

    @property
    def n(self) -> int:
        return len(self.held)

    @property
    def interval(self) -> tuple[float, float]:
        return wilson_interval(self.kept, self.n)


def describe_difference(one: Score, other: Score) -> bool:
    """Returns whether two scores on the same positions differ by more than chance.

    Uses McNemar's exact test (McNemar 1947) at the 5% level: if the players are equally good,
    each preserves the value in about half of the positions where only one of them does.
    """
    pairs = list(zip(one.held, other.held, strict=True))
    only_one, only_other = pairs.count((True, False)), pairs.count((False, True))
    split = only_one + only_other
    return split > 0 and binomtest(only_one, split).pvalue < 0.05


@dataclass(frozen=True, repr=False)
class Choices:
    """The names to choose from, numbered from 1."""

    names: tuple[str, ...]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def find(self, choice: Any) -> str | None:
        """Finds the name for a number, a name or part of a name; None unless exactly one fits."""
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


class Clinic:
    """The cases of one bug clinic.

    Args:
        cases: the cases, by letter.
        symptoms: for each name to choose from, how that fault would look: text, or a function of
            a case's evidence. Some of the names are in no case.
        evidence: the class that shows a case, called with the letter and the case.
    """

    def __init__(
        self,
        cases: Mapping[str, Case],
        symptoms: Mapping[str, str | Callable[[Any], str]],
        evidence: type[Evidence],
    ) -> None:
        self._cases, self._symptoms, self._evidence = cases, symptoms, evidence

    def show(self) -> "ClinicWidget":
        """Shows the cases in a notebook, one at a time."""
        return ClinicWidget(self)

    def cases(self) -> list[str]:
        """Returns the letters of the cases."""
        return list(self._cases)

    def choices(self) -> Choices:
        """Returns the faults to choose from, numbered; some of them are in no case."""
        return Choices(tuple(self._symptoms))

    def case(self, letter: str) -> Any:
        """Returns the evidence of one case, to be displayed.

        Raises:
            ValueError: there is no such case.
        """
        letter = self._letter(letter)
        return self._evidence(letter, self._cases[letter])

    def symptom(self, letter: str, name: str) -> str:
        """Returns how the fault of that name would look in a case."""
        words = self._symptoms[name]
        return words if isinstance(words, str) else words(self._cases[letter].evidence)

    def diagnose(self, letter: str, choice: Any = None) -> Result:
        """Checks whether a fault is the one in a case, and records the outcome in your progress.

        Args:
            letter: the case.
            choice: a number or a name from ``choices()``; part of a name is enough if only one
                name contains it.

        Returns:
            The feedback. For a wrong name: what that fault would look like, and where to look.
            For the right name: the difference in the code, and how the fault can be seen.

        Raises:
            ValueError: there is no such case.
        """
        letter = self._letter(letter)
        case, name, title = self._cases[letter], self.choices().find(choice), f"Case {letter}"
        if name is None:
            is_empty = choice is None or choice is Ellipsis
            said = "" if is_empty else f"{str(choice)!r} is not one of the faults. "
            text = f"{said}Give a number from `choices()`."
            return Result(title, "", "not attempted", message=text)
        outcome = "right" if name == case.name else "wrong"
        note = progress_file.record_outcome(progress_file.case_id(letter), outcome)
        if outcome == "wrong":
            message = (
                f"If it were “{name}”, {self.symptom(letter, name)}. "
                f"Is that what you see in case {letter}?\n\n{case.hint}"
            )
            return Result(title, "", outcome, name, message, note=note)
        kind = self._evidence.kind
        message = f"{case.shows}\n\nThe difference: `-` the correct {kind}, `+` this one."
        diff = tuple(line for patch in case.patches for line in patch.diff)
        return Result(title, "", outcome, name, message, diff=diff, note=note)

    def _letter(self, letter: str) -> str:
        """Finds the letter of a case: "a", "A " and "case A" all mean "A"."""
        found = str(letter).strip().upper().removeprefix("CASE").strip()
        if found not in self._cases:
            known = ", ".join(self._cases)
            raise ValueError(f"There is no case {letter!r}; the cases are {known}.")
        return found


class ClinicWidget(widgets.VBox):
    """A widget that shows one case at a time: its tree, the names to choose from, the feedback.

    Args:
        clinic: the clinic whose cases are shown.

    Attributes:
        letter: the letter of the open case.
        verdict: the ``Result`` of the last diagnosis of this case, or None.
    """

    def __init__(self, clinic: Clinic) -> None:
        self.clinic, self.verdict, self.letter = clinic, None, ""
        self._letters = _buttons(clinic.cases(), self.visit, "4em")
        self._facts, self._tree, self._reply = widgets.HTML(), widgets.VBox(), widgets.HTML()
        self._healthy = widgets.ToggleButton(
            description="compare with a healthy one", layout={"width": "auto"}
        )
        self._healthy.observe(lambda _change: self._show_tree(), "value")
        self._names = _buttons(list(clinic.choices()), self.choose, "auto")
        question = widgets.HTML("<b>What is wrong with it?</b> Some of these are in no case.")
        super().__init__(
            [
                _row(self._letters),
                self._facts,
                self._tree,
                widgets.Box([self._healthy]),
                question,
                _row(self._names),
                self._reply,
            ]
        )
        self.visit(clinic.cases()[0])

    def visit(self, letter: str) -> None:
        """Shows another case."""
        self.letter, self.verdict, self._reply.value = letter, None, ""
        self._case = self.clinic.case(letter)
        self._facts.value = self._case._repr_html_()
        if self._healthy.value:
            self._healthy.value = False  # which shows the tree
        else:
            self._show_tree()
        for button in self._names.values():
            button.button_style = ""
        self._mark_letters()

    def choose(self, name: str) -> None:
        """Diagnoses the open case: shows the feedback below and records the outcome."""
        self.verdict = self.clinic.diagnose(self.letter, name)
        self._names[name].button_style = "success" if self.verdict.is_right else "warning"
        self._reply.value = self.verdict._repr_html_()
        self._mark_letters()

    def _mark_letters(self) -> None:
        entries = progress_file.load()
        for letter, button in self._letters.items():
            state = entries.state(progress_file.case_id(letter))
            mark = OUTCOMES["right"].symbol + " " if state == "right" else ""
            button.description = f"{mark}case {letter}" if letter == self.letter else mark + letter
            button.layout.width = "6.5em" if letter == self.letter else "4em"
            button.button_style = "primary" if letter == self.letter else ""

    def _show_tree(self) -> None:
        explorer = self._case.explorer()
        if self._healthy.value:
            names = (f"case {self.letter}", "healthy")
            explorer = compare(explorer, self._case.healthy(), names)
        for shown in self._tree.children:
            shown.close()
        self._tree.children = [explorer]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """The widget; without a kernel, the facts and a static tree of the open case."""
        data = super()._repr_mimebundle_(**kwargs) or {}
        still = "<p><small>Run the cell to see the other cases and to name faults.</small></p>"
        picture = self._case.explorer().to_picture().html()
        data["text/html"] = self._facts.value + picture + still
        data["text/plain"] = str(self._case)
        return data


def _buttons(
    names: list[str], on_click: Callable[[str], None], width: str
) -> dict[str, widgets.Button]:
    """Returns a button for each name, which calls ``on_click`` with the name."""
    made = {name: widgets.Button(description=name, layout={"width": width}) for name in names}
    for name, button in made.items():
        button.on_click(lambda _button, name=name: on_click(name))
    return made


def _row(buttons: dict[str, widgets.Button]) -> widgets.Box:
    layout = {"display": "flex", "flex_flow": "row wrap"}
    return widgets.Box(list(buttons.values()), layout=layout)
