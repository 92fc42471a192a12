"""A picture with sliders: it is drawn again, survives an error, and is saved as a picture."""

import pytest
from traitlets import TraitError

from azlearn.viz import Picture, sliders


def shown(c=1.0, num=1_000):
    if c == 4:
        raise ValueError("c < 4")
    return Picture(f"c is {c}, num is {num}", svg="<svg/>")


def test_moving_a_slider_draws_again():
    widget = sliders(shown, c=(0.5, 1.0, 2.828427, 4), num=(100, 1_000))
    c, num = (slider for slider in widget.children[0].children)
    assert [label for label, _ in c.options] == ["0.5", "1", "2.83", "4"]
    assert [label for label, _ in num.options] == ["100", "1,000"]
    assert "c is 1.0, num is 1000" in widget.children[2].value
    c.value = 2.828427
    num.value = 100
    assert "c is 2.828427, num is 100" in widget.children[2].value
    c.value = 4
    assert widget.children[1].value == "ValueError: c &lt; 4"
    c.value = 0.5
    assert widget.children[1].value == ""
    assert "c is 0.5" in widget.children[2].value


def test_a_saved_notebook_keeps_the_first_picture():
    widget = sliders(shown, c=(1.0, 4))
    widget.children[0].children[0].value = 4
    bundle = widget._repr_mimebundle_()
    assert "c is 1.0" in bundle["text/html"]
    assert bundle["text/plain"] == "[c is 1.0, num is 1000]"
    assert "application/vnd.jupyter.widget-view+json" in bundle


def test_the_settings_are_arguments_and_start_at_their_defaults():
    with pytest.raises(KeyError):
        sliders(shown, d=(1, 2))
    with pytest.raises(TraitError):
        sliders(shown, c=(2, 3))
