"""Results of checks, hints and solutions: plain text in a terminal, cards in a notebook."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from azlearn.course.cards import (
    HINT,
    OUTCOMES,
    VALUES,
    Block,
    Card,
    Head,
    code,
    difference,
    fold,
    in_line,
    joined,
    note,
    paragraphs,
    table,
)

UNRECOGNISED = "no named fault"


@dataclass(frozen=True)
class Compared:
    """One line of the comparison below a wrong answer."""

    label: str
    right: str
    yours: str


@dataclass(frozen=True, repr=False)
class Result(Card):
    """The verdict on one answer, or on a diagnosis in a bug clinic.

    Attributes:
        exercise_id: for example "3.3" or "Case A".
        title: the exercise's title.
        outcome: "not attempted", "error", "wrong" or "right".
        diagnosis: the name of the fault, or of an "error" that took too long; "" if there is none.
        message: the text of the verdict; the card formats *emphasis* and ``code``.
        rows: the expected values and the reader's, side by side.
        code: for "error", the line of the reader's code that raised it.
        place: a piece of the solution, and a replacement that gives the reader's results; shown
            after a click.
        diff: for a right diagnosis, the lines that differ: "-" is correct, "+" is faulty.
        recording: the recorded search that uses the reader's function, or None.
        tree: the tree that the reader's own search returned, or None.
        notice: a sentence above that search that explains its numbers.
        note: a remark about a technical problem, such as a progress file that cannot be written.
        offer: a function that returns a hint; None if the message is enough.
        is_stuck: whether several tries have failed, so the hint is offered more prominently.
    """

    exercise_id: str
    title: str
    outcome: str
    diagnosis: str = ""
    message: str = ""
    rows: tuple[Compared, ...] = ()
    code: str = ""
    place: tuple[str, str] | None = None
    diff: tuple[str, ...] = ()
    recording: Any = field(default=None, compare=False)
    tree: Any = field(default=None, compare=False)
    notice: str = ""
    note: str = ""
    offer: "Callable[[], Hint] | None" = field(default=None, compare=False)
    is_stuck: bool = False

    @property
    def is_right(self) -> bool:
        """Whether the answer is correct."""
        return self.outcome == "right"

    @property
    def has_search(self) -> bool:
        """Whether there is a search to explore."""
        return self.recording is not None or self.tree is not None

    def explore(self):
        """Shows your own search in the tree explorer.

        Raises:
            ValueError: the exercise builds no tree, or yours could not be built.
        """
        from azlearn.viz import Explorer

        if not self.has_search:
            raise ValueError(f"The check of {self.exercise_id} left no search tree to show.")
        return Explorer(self.recording or self.tree, notice=self.notice)

    def head(self) -> Head:
        name = "" if self.diagnosis == UNRECOGNISED else self.diagnosis
        title = f"{self.exercise_id} {self.title}".strip()
        return Head(OUTCOMES[self.outcome], title, self.outcome, name)

    def blocks(self) -> Iterator[Block]:
        yield paragraphs(self.message)
        yield code(self.code)
        yield difference(self.diff)
        if self.rows:
            rows = [
                (in_line(row.label), row.right, row.yours + "\u00a0≠" * (row.right != row.yours))
                for row in self.rows
            ]
            yield table(rows, ("", "expected", "yours"), style=VALUES)
        if self.place:
            before, after = self.place
            told = f"The solution has `{before}`. With `{after}` instead, it returns your results."
            yield fold("Show the place in the solution", paragraphs(told))._replace(text="")
        if self.has_search:
            yield paragraphs("Below is the search that uses your function.")._replace(text="")
        yield note(self.note)
        # A notebook shows the offer as a button.
        yield Block(f'For a hint, run hint("{self.exercise_id}").' if self.offer else "", "")

    def _ipython_display_(self) -> None:
        from IPython.display import display

        display({"text/html": self._repr_html_(), "text/plain": str(self)}, raw=True)
        if self.offer:
            display(_hint_button(self.offer, self.is_stuck))
        if self.has_search:
            display(self.explore())


def _hint_button(offer: "Callable[[], Hint]", is_stuck: bool):
    """A button that a hint replaces when it is clicked."""
    import ipywidgets as widgets

    words, style = ("Stuck? Show a hint", "primary") if is_stuck else ("Show a hint", "")
    button = widgets.Button(description=words, button_style=style, layout={"width": "auto"})
    shown = widgets.HTML()
    box = widgets.VBox([button], layout={"align_items": "flex-start"})

    def show(_button: Any) -> None:
        shown.value = offer()._repr_html_()
        box.children = [shown]

    button.on_click(show)
    return box


@dataclass(frozen=True, repr=False)
class Hint(Card):
    """One of three hints: the idea, the line, or pseudocode. ``note`` is as in ``Result``."""

    exercise_id: str
    level: int
    text: str
    note: str = ""

    def head(self) -> Head:
        return Head(HINT, f"Hint {self.level} of 3 for {self.exercise_id}")

    def blocks(self) -> Iterator[Block]:
        yield paragraphs(self.text)
        yield note(self.note)


@dataclass(frozen=True, repr=False)
class Solution:
    """The solution's source, collapsed in a notebook. ``note`` is as in ``Result``.

    ``is_tried``: whether you have checked the exercise before; if not, a second click is needed.
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

    __repr__ = __str__

    def _repr_html_(self) -> str:
        source = code(self.source)
        if not self.is_tried:
            source = fold(f"{self._warning} Open it anyway", source)
        title = f"Solution of {self.exercise_id} {self.title} (click to open)"
        return joined([fold(title, source), note(self.note)]).html

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        """Plain text hides the source, too; to see it in a terminal, print the object."""
        text = f"Solution of {self.exercise_id}: print() it to read it."
        if self.note:
            text += f"\n{self.note}"
        return {"text/html": self._repr_html_(), "text/plain": text}
