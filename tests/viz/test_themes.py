"""Figures for light and dark pages: the same drawing, with colours that can be read on both."""

import base64
import io
import re
import xml.etree.ElementTree as ET

import matplotlib.pyplot as plt
import numpy as np
import pytest

from azlearn.viz import colors, figure, use_style
from azlearn.viz.themes import both_themes, dark_twin

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


def test_every_colour_of_a_drawing_has_a_light_and_a_dark_value():
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
