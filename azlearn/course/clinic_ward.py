"""A bug clinic in a notebook: one case at a time, the names below its picture, then the verdict."""

from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from azlearn.course import progress_file
from azlearn.course.clinic_verdicts import Clinic
from azlearn.course.looks import OUTCOMES
from azlearn.viz import compare

_WRAP = {"display": "flex", "flex_flow": "row wrap"}


class Ward(widgets.VBox):
    """The cases of one clinic.

    Args:
        clinic: its cases and its names.

    Attributes:
        letter: of the case that is open.
        verdict: the last ``Diagnosis``, or None.
    """

    def __init__(self, clinic: Clinic) -> None:
        self.clinic, self.verdict, self.letter = clinic, None, ""
        self._letters = _buttons(clinic.cases(), self.visit, "4em")
        self._facts, self._tree = widgets.HTML(), widgets.VBox()
        self._healthy = widgets.ToggleButton(
            description="beside a healthy one", layout={"width": "auto"}
        )
        self._healthy.observe(lambda _change: self._show_tree(), "value")
        self._names = _buttons(list(clinic.choices()), self.choose, "auto")
        self._reply = widgets.HTML()
        question = widgets.HTML("<b>What is wrong with it?</b> One of these; some are in no case.")
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
        self._facts.value = self._case.facts_html()
        if self._healthy.value:
            self._healthy.value = False  # which shows the tree
        else:
            self._show_tree()
        for button in self._names.values():
            button.button_style = ""
        self._mark_letters()

    def choose(self, name: str) -> None:
        """Names the fault: the verdict appears below, and the progress is noted."""
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
        """The widget; where there is no kernel, the facts and the still tree of the open case."""
        data = super()._repr_mimebundle_(**kwargs) or {}
        still = "<p><small>Run the cell to look at the other cases and to name faults.</small></p>"
        picture = self._case.explorer().to_picture().html()
        data["text/html"] = self._facts.value + picture + still
        data["text/plain"] = str(self._case)
        return data


def _buttons(
    names: list[str], on_click: Callable[[str], None], width: str
) -> dict[str, widgets.Button]:
    """A button for each name, which calls ``on_click`` with it."""
    made = {name: widgets.Button(description=name, layout={"width": width}) for name in names}
    for name, button in made.items():
        button.on_click(lambda _button, name=name: on_click(name))
    return made


def _row(buttons: dict[str, widgets.Button]) -> widgets.Box:
    return widgets.Box(list(buttons.values()), layout=_WRAP)
