"""Controls above a picture: they draw it again, and a reader without a kernel sees the picture."""

import ipywidgets as widgets
import pytest

from azlearn.viz import Picture, with_controls

WIDGET = "application/vnd.jupyter.widget-view+json"


def shapes(n=2, kind="circle", size=1.5, word="moves", large=False, c=0.5):
    if word == "no":
        raise ValueError("no <such> word")
    return Picture(f"{n} {kind} {size} {word} {large} {c}", svg="<svg/>", caption="Shapes.")


@pytest.fixture
def shown():
    menu = {"a circle": "circle", "a square": "square"}
    return with_controls(
        shapes, n=(1, 3), kind=menu, size=(1, 2, 0.5), word="", large=True, c=[0.1, 0.5, 2.0]
    )


def test_the_first_picture_has_the_defaults(shown):
    assert shown.picture.alt == "2 circle 1.5 moves False 0.5"
    kinds = [type(control).__name__ for control in shown.controls.values()]
    assert " ".join(kinds) == "IntSlider Dropdown FloatSlider Text Checkbox SelectionSlider"


def test_numbers_on_a_slider_are_short():
    shown = with_controls(
        shapes, n=[2, 1000], c=[0.5, 2 * 2**0.5], size=[("small", 0.5), ("1½", 1.5)]
    )
    labels = [[label for label, _ in control.options] for control in shown.controls.values()]
    assert labels == [["2", "1,000"], ["0.5", "2.83"], ["small", "1½"]]


def test_a_control_draws_again(shown):
    shown.controls["kind"].value = "square"
    shown.controls["n"].value = 3
    assert shown.picture.alt == "3 square 1.5 moves False 0.5"
    assert shown.picture.html() in [child.value for child in shown.children[1:]]


def test_an_error_is_shown_until_the_next_picture(shown):
    shown.controls["word"].value = "no"
    assert "no &lt;such&gt; word" in shown.children[1].value
    shown.controls["word"].value = "yes"
    assert "yes" in shown.children[1].value


def test_a_saved_notebook_keeps_the_picture_and_a_running_one_the_widget(shown):
    bundle = shown._repr_mimebundle_()
    assert WIDGET in bundle
    assert "run the cell to get the controls" in bundle["text/html"]
    assert "run the cell" not in shown.children[1].value


def test_a_ready_widget_can_be_a_control():
    shown = with_controls(shapes, n=widgets.IntText(value=7))
    assert shown.picture.alt.startswith("7 circle")


def test_an_unknown_kind_of_control_is_refused():
    with pytest.raises(ValueError, match=r"n must be .*, not 3\."):
        with_controls(shapes, n=3)
