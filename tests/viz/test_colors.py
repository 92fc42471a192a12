"""Colors: contrast, eyes that see fewer of them, and figures for light and dark pages."""

import base64
import io
import itertools
import re
import xml.etree.ElementTree as ET

import matplotlib.pyplot as plt
import numpy as np
import pytest

from azlearn.viz import colors, figure, use_style
from azlearn.viz.themes import both_themes, dark_twin


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
def test_every_text_color_reads_on_every_surface(quantities, theme, lab):
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


def test_each_quantity_has_one_color_and_both_themes_name_the_same():
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
def test_the_colors_with_a_meaning_are_told_apart_by_every_eye(theme, sight):
    names = ("first", "second", "ahead", "behind", "path")
    seen = {name: _lab(theme[name], sight) for name in names}
    for one, other in itertools.combinations(names, 2):
        assert np.linalg.norm(seen[one] - seen[other]) >= 25, (one, other)


def test_no_quantity_and_no_curve_wears_a_players_color():
    for quantities, theme in (
        (colors.LIGHT, colors.LIGHT_THEME),
        (colors.DARK, colors.DARK_THEME),
    ):
        for name, color in {**quantities, **dict(enumerate(colors.MOVES))}.items():
            for player in ("first", "second"):
                far = np.linalg.norm(_lab(color, "normal") - _lab(theme[player], "normal"))
                assert far >= 25, (name, player)


DARK = colors.DARK_THEME["bg"]
LIGHT = colors.LIGHT_THEME["bg"]


def a_figure(num_points=30):
    use_style()
    fig, ax = plt.subplots()
    ax.plot(np.arange(num_points), label=r"$\sqrt{N}$")
    ax.set_xlabel("games")
    ax.legend()
    return fig


def test_the_palette_has_its_own_twins_and_grey_is_turned_over():
    assert dark_twin(colors.LIGHT["Q"]) == colors.DARK["Q"]
    assert dark_twin(colors.LIGHT_THEME["fg"].upper()) == colors.DARK_THEME["fg"]
    assert dark_twin("#ffffff") == DARK
    assert colors.luminance(dark_twin("#eeeeee")) < colors.luminance(dark_twin("#999999"))


@pytest.mark.parametrize("color", [*colors.MOVES, "#00007f", "#7f0000", "#003300"])
def test_a_line_can_be_seen_on_the_dark_background(color):
    assert colors.contrast(dark_twin(color), DARK) >= 3


def test_every_color_of_a_drawing_has_a_light_and_a_dark_value():
    svg = both_themes('<svg width="9"><path style="fill: #1B1F24"/><g stroke="#d7263d"/></svg>')
    ET.fromstring(svg)
    light, dark = svg.split("prefers-color-scheme: dark")
    assert re.findall(r": (#\w{6});", light) == ["#1b1f24", "#d7263d"]
    assert re.findall(r": (#\w{6});", dark) == [dark_twin("#1b1f24"), dark_twin("#d7263d")]
    assert 'fill: var(--c0, #1b1f24)"' in dark


def drawing(page):
    found = re.search(r'data:image/svg\+xml;base64,([^"]+)', page)
    return base64.b64decode(found[1]).decode() if found else None


def test_a_figure_is_a_drawing_on_the_page_and_a_png_beside_it():
    first, again = (figure(a_figure(), "A line.", "Made at once.").bundle() for _ in range(2))
    assert first == again  # a notebook run twice is the same file
    svg = drawing(first["text/html"])
    ET.fromstring(svg)
    assert "prefers-color-scheme: dark" in svg
    assert 'class="azl-both" alt="A line."' in first["text/html"]
    assert "image/png" in first
    assert sum(map(len, first.values())) < 120_000


def test_images_and_clouds_of_points_stay_pngs():
    fig, ax = plt.subplots()
    ax.imshow(np.eye(3))
    cloud, ax = plt.subplots()
    ax.scatter(*np.random.default_rng(0).random((2, 3000)))
    for big in (fig, cloud):
        page = figure(big, "Many.").bundle()["text/html"]
        assert drawing(page) is None
        assert "data:image/png" in page


@pytest.mark.slow
def test_the_drawing_follows_the_page_not_the_system(browser):
    """A JupyterLab page's theme decides, whatever the operating system prefers."""
    html = figure(a_figure(), "A line.").html()
    for system in ("light", "dark"):
        for theme, paper in (("true", LIGHT), ("false", DARK)):
            page = browser.new_page(color_scheme=system)
            page.set_content(f'<body data-jp-theme-light="{theme}">{html}</body>')
            scheme = page.evaluate(
                """async () => {
                    const image = document.querySelector("img");
                    await image.decode();
                    return getComputedStyle(image).colorScheme;
                }"""
            )
            assert scheme == ("dark" if theme == "false" else "light")
            shot = plt.imread(io.BytesIO(page.locator("img").screenshot()))
            seen = "#" + "".join(f"{round(c * 255):02x}" for c in shot[3, 3, :3])
            assert seen == paper, (system, theme)
            page.close()
