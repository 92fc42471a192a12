"""A picture with controls above it: when the reader changes one, the picture is redrawn."""

import html
import inspect
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from azlearn.viz.picture import Picture

STILL = "A still picture: run the cell to get the controls."


class Controlled(widgets.VBox):
    """The controls and the picture below them; see ``with_controls``."""

    def __init__(self, draw: Callable[..., Picture], controls: dict[str, Any]) -> None:
        self.draw = draw
        defaults = {p.name: p.default for p in inspect.signature(draw).parameters.values()}
        self.controls = {
            name: _control(name, given, defaults[name]) for name, given in controls.items()
        }
        self._shown = widgets.HTML()
        row = widgets.HBox([*self.controls.values()], layout={"flex_flow": "row wrap"})
        super().__init__([row, self._shown])
        self.picture = draw(**self.values)
        self._shown.value = self.picture.html()
        for control in self.controls.values():
            control.observe(self._redraw, "value")

    @property
    def values(self) -> dict[str, Any]:
        """The value of each control."""
        return {name: control.value for name, control in self.controls.items()}

    def _redraw(self, _change: Any = None) -> None:
        before = self.picture.html()
        self._shown.value = f'<p>Computing …</p><div style="opacity: 0.4">{before}</div>'
        try:
            self.picture = self.draw(**self.values)
        except Exception as error:  # `draw` may be the reader's own
            kind = "" if isinstance(error, ValueError) else f"{type(error).__name__}: "
            self._shown.value = f'<p role="alert">{html.escape(f"{kind}{error}")}</p>'
        else:
            self._shown.value = self.picture.html()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        """The widget for a running notebook; its picture for one that is only read."""
        data = dict(super()._repr_mimebundle_(**kwargs) or {})
        first = self.picture
        caption = f"{first.caption} {STILL}".strip()
        still = Picture(first.alt, svg=first.svg, png=first.png, caption=caption, width=first.width)
        return data | still.bundle()


def with_controls(draw: Callable[..., Picture], **controls: Any) -> Controlled:
    """Shows the picture that ``draw`` returns, with a control above it for each argument.

    Args:
        draw: takes the controls' values by name and returns a Picture, as ``figure`` does. Every
            argument has a default, which is the control's first value. An error message from
            ``draw`` replaces the picture.
        **controls: for each argument (low, high) or (low, high, step) for a slider, a list of
            values, or of (label, value), for a slider over them, a dict from labels to values for a
            menu, True for a check box, "" for a text field, or a widget with a ``value``.

    Raises:
        ValueError: a control is none of these.
    """
    return Controlled(draw, controls)


def _control(name: str, given: Any, value: Any) -> widgets.Widget:
    if isinstance(given, widgets.Widget):
        return given
    label = name.replace("_", " ")
    settings = {"description": label, "value": value, "style": {"description_width": "initial"}}
    match given:
        case dict():
            return widgets.Dropdown(options=[*given.items()], **settings)
        case list():
            options = [x if isinstance(x, tuple) else (_label(x), x) for x in given]
            return widgets.SelectionSlider(options=options, continuous_update=False, **settings)
        case bool():
            return widgets.Checkbox(**settings)
        case str():
            return widgets.Text(continuous_update=False, **settings)
        case tuple() if len(given) in (2, 3):
            kind = widgets.IntSlider if all(type(x) is int for x in given) else widgets.FloatSlider
            low, high, *step = given
            more = {"step": step[0]} if step else {}
            return kind(min=low, max=high, continuous_update=False, **more, **settings)
    raise ValueError(
        f"{name} must be (low, high[, step]), a list, dict, bool, str or widget, not {given!r:.60}."
    )


def _label(value: Any) -> str:
    """A value as a slider shows it, such as 1,000 and 2.83."""
    if isinstance(value, float):
        return f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)
