"""The results of a check, a hint and a solution: plain text, and a card in a notebook."""

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
    """One line of the comparison under a wrong answer."""

    label: str
    right: str
    yours: str


@dataclass(frozen=True, repr=False)
class Result(Card):
    """The verdict on one answer, or on a diagnosis in a bug clinic.

    Attributes:
        exercise_id: for example "3.3"; "Case A".
        title: the exercise's title.
        outcome: "not attempted", "error", "wrong" or "right".
        diagnosis: the name of the fault for "wrong" ("" otherwise).
        message: what was found; *emphasis* and ``code`` are set in the card.
        rows: expected and given numbers, side by side.
        code: for "error", the reader's line that raised.
        place: what stands in the solution, and what gives the reader's results in its place; shown
            when it is asked for.
        diff: for a right diagnosis, the lines that differ: "-" the right one, "+" this one.
        recording: the recorded search made with the reader's function, or None.
        tree: the tree that the reader's own search returned, or None.
        notice: a sentence above that search, on what its numbers mean.
        note: a remark about the machinery (a progress file that could not be written, …).
        offer: gives a hint if asked for one; None where the message says enough.
        is_stuck: whether there were several failed tries, so that the hint is offered more visibly.
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
        """Your own search in the tree explorer.

        Raises:
            ValueError: if the exercise builds no tree, or yours could not be built.
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
    """A button that shows a hint in its place."""
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
    """One of three hints: the idea, the line, pseudocode. ``note`` is as for a Result."""

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

    __repr__ = __str__

    def _repr_html_(self) -> str:
        source = code(self.source)
        if not self.is_tried:
            source = fold(f"{self._warning} Open it anyway", source)
        title = f"Solution of {self.exercise_id} {self.title} (click to open)"
        return joined([fold(title, source), note(self.note)]).html

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict[str, str]:
        """The plain text stays folded too: a terminal user prints the object to see it."""
        text = f"Solution of {self.exercise_id}: print() it to read it."
        if self.note:
            text += f"\n{self.note}"
        return {"text/html": self._repr_html_(), "text/plain": text}
