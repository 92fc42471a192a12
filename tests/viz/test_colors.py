import pytest

from azlearn.viz import colors


def test_contrast_is_the_published_formula():
    """WCAG 2.2's own reference points."""
    assert colors.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert colors.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize(
    ("quantities", "theme", "lab"),
    [
        (colors.LIGHT, colors.LIGHT_THEME, "#ffffff"),
        (colors.DARK, colors.DARK_THEME, "#111111"),
    ],
)
def test_every_text_colour_reads_on_every_surface(quantities, theme, lab):
    texts = {**quantities, "fg": theme["fg"], "mute": theme["mute"]}
    for name, color in texts.items():
        for surface in (theme["bg"], theme["card"], lab):
            assert colors.contrast(color, surface) >= 4.5, (name, surface)
    assert colors.contrast(theme["on-path"], theme["path"]) >= 4.5
    for name in "NW":  # what backup makes flash
        assert colors.contrast(quantities[name], theme["flash"]) >= 4.5


@pytest.mark.parametrize("dark", [False, True])
def test_numbers_on_the_scale_of_q_are_readable(dark):
    for step in range(-20, 21):
        fill = colors.q_color(step / 20, dark)
        assert colors.contrast(colors.ink(fill), fill) >= 4.5


def test_scale_of_q_has_three_fixed_points():
    theme = colors.LIGHT_THEME
    assert colors.q_color(0) == theme["even"]
    assert colors.q_color(1) == theme["ahead"]
    assert colors.q_color(-1) == theme["behind"]


def test_each_quantity_has_one_colour_and_both_themes_name_the_same():
    assert len(set(colors.LIGHT.values())) == len(colors.LIGHT)
    assert len(set(colors.DARK.values())) == len(colors.DARK)
    assert colors.LIGHT.keys() == colors.DARK.keys()
    assert colors.LIGHT_THEME.keys() == colors.DARK_THEME.keys()
