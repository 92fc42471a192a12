from itertools import combinations

import numpy as np
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
    for name in ("path", "first", "second"):
        assert colors.contrast(theme[f"on-{name}"], theme[name]) >= 4.5, name
    for name in ("path", "ahead", "behind", "hatch"):
        assert colors.contrast(theme[name], theme["card"]) >= 4.5, name
    for name in ("first", "second-rim", "edge"):  # what is drawn, and not read
        assert colors.contrast(theme[name], theme["bg"]) >= 3, name


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


# Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision
# deficiency" (2009), table 1, severity 1.0; on linear RGB.
SIGHT = {
    "normal": np.eye(3),
    "protanope": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranope": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}
# CIE XYZ of linear sRGB, each row over the white point D65.
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
) / np.array([[0.95047], [1.0], [1.08883]])


def _lab(color, sight):
    """CIE L*a*b* of "#rrggbb" as somebody with this sight sees it."""
    rgb = np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    t = TO_XYZ @ np.clip(SIGHT[sight] @ linear, 0, 1)
    x, y, z = np.where(t > 216 / 24389, np.cbrt(t), (24389 / 27 * t + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize("theme", [colors.LIGHT_THEME, colors.DARK_THEME])
def test_the_colours_with_a_meaning_are_told_apart_by_every_eye(theme, sight):
    names = ("first", "second", "ahead", "behind", "path")
    seen = {name: _lab(theme[name], sight) for name in names}
    for one, other in combinations(names, 2):
        assert np.linalg.norm(seen[one] - seen[other]) >= 25, (one, other)


def test_no_quantity_and_no_curve_wears_a_players_colour():
    for quantities, theme in (
        (colors.LIGHT, colors.LIGHT_THEME),
        (colors.DARK, colors.DARK_THEME),
    ):
        for name, color in {**quantities, **dict(enumerate(colors.MOVES))}.items():
            for player in ("first", "second"):
                far = np.linalg.norm(_lab(color, "normal") - _lab(theme[player], "normal"))
                assert far >= 25, (name, player)
