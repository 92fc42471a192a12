"""A picture with sliders: the reader changes a setting, and the picture is drawn again."""

import html
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as widgets

from azlearn.viz.picture import Picture


class Sliders(widgets.VBox):
    """A picture below the sliders of its settings; see ``sliders``.

    A saved notebook shows the picture of the first settings.
    """

    def __init__(self, draw: Callable[..., Picture], values: dict[str, Sequence[Any]]) -> None:
        first = {name: inspect.signature(draw).parameters[name].default for name in values}
        self._draw, self._first = draw, draw(**first)
        self._picture, self._status = widgets.HTML(self._first.html()), widgets.HTML()
        self._settings = {
            name: widgets.SelectionSlider(
                options=[(_label(value), value) for value in values[name]],
                value=first[name],
                description=name.replace("_", " "),
                continuous_update=False,
                style={"description_width": "6em"},
                layout={"width": "22em"},
            )
            for name in values
        }
        for slider in self._settings.values():
            slider.observe(self._redraw, "value")
        row = widgets.Box([*self._settings.values()], layout={"flex_flow": "row wrap"})
        super().__init__([row, self._status, self._picture])

    def _redraw(self, _change: dict[str, Any]) -> None:
        self._status.value = "Computing …"
        try:
            settings = {name: slider.value for name, slider in self._settings.items()}
            self._picture.value = self._draw(**settings).html()
            self._status.value = ""
        except Exception as error:  # the reader may have changed `draw`
            self._status.value = html.escape(f"{type(error).__name__}: {error}")

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        return {**super()._repr_mimebundle_(**kwargs), **self._first.bundle()}


def sliders(draw: Callable[..., Picture], **values: Sequence[Any]) -> Sliders:
    """Shows a picture with a slider for each setting; the picture follows the sliders.

    Args:
        draw: returns a picture, for example from ``figure``. Every setting is an argument of
            ``draw`` with a default, where its slider starts.
        **values: the values of each setting, in the order of its slider.

    Raises:
        KeyError: ``draw`` has no argument of that name.
        TraitError: a default is not among the values.
    """
    return Sliders(draw, values)


def _label(value: Any) -> str:
    """A value as the slider shows it: 1,000 and 2.83."""
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
