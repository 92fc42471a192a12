"""Drawings that are light on a light page and dark on a dark one.

An SVG inside ``<img>`` sees nothing of the page except its ``color-scheme``. So it contains both
sets of colors and chooses by ``prefers-color-scheme``. ``Picture`` requests the light colors,
whatever the system prefers. On a dark page ``FOLLOW`` requests the dark colors, unless this style
is stripped, as in a notebook that is not trusted yet.
"""

import colorsys
import re

from azlearn.viz import colors

FOLLOW_CSS = (
    'body[data-jp-theme-light="false"] .azl-both, body.vscode-dark .azl-both'
    " { color-scheme: dark !important }"
)
FOLLOW = f"<style>{FOLLOW_CSS}</style>"
_HEX = re.compile(r"#[0-9a-fA-F]{6}\b")
_PAIR = re.compile(r"(#[0-9a-f]{6})(#[0-9a-f]{6})\b")
_DARKEST = 3.0  # least contrast of a line with the dark background (WCAG 2.2, graphics)
_GRAY = 0.12  # saturation below which a color is a gray


def dark_twin(color: str) -> str:
    """The color that replaces "#rrggbb" on the dark background.

    Colors of the palette have a dark version, and black and white stones stay as they are. Other
    grays are inverted, and other colors that are too dark to see are lightened.
    """
    color = color.lower()
    if color in (colors.STONES["first"], colors.STONES["second"]):
        return color
    for by_day, by_night in colors.BOTH.values():
        if by_day == color:
            return by_night
    red, green, blue = (int(color[k : k + 2], 16) / 255 for k in (1, 3, 5))
    _, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    background = colors.DARK_THEME["bg"]
    if saturation < _GRAY:
        return colors.mix(background, colors.DARK_THEME["fg"], 1 - lightness)
    share = 0.0
    while colors.contrast(colors.mix(color, "#ffffff", share), background) < _DARKEST:
        share += 0.05
    return colors.mix(color, "#ffffff", share)


def both_themes(svg: str) -> str:
    """The SVG with every "#rrggbb" replaced by a variable that follows the page's theme.

    Args:
        svg: SVG text that starts with ``<svg``, without an XML header.
    """
    return themed(_HEX.sub(lambda found: found[0].lower() + dark_twin(found[0]), svg))


def light(svg: str) -> str:
    """A drawing in ``colors.PAIRS`` with the colors of a light page."""
    return _PAIR.sub(r"\1", svg)


def themed(svg: str) -> str:
    """A drawing in ``colors.PAIRS`` that follows the page's theme.

    Since both colors are given, text on a colored background stays readable. Each variable has the
    light color as a fallback, for programs that ignore the SVG's style.

    Args:
        svg: SVG text that starts with ``<svg``, without an XML header.
    """
    names = {pair: f"--c{k}" for k, pair in enumerate(sorted(set(_PAIR.findall(svg))))}
    day, night = (" ".join(f"{name}: {pair[k]};" for pair, name in names.items()) for k in (0, 1))
    style = f"svg {{ {day} }} @media (prefers-color-scheme: dark) {{ svg {{ {night} }} }}"
    head, end, rest = _PAIR.sub(
        lambda found: f"var({names[found.groups()]}, {found[1]})", svg
    ).partition(">")
    return f"{head}{end}<style>{style}</style>{rest}"
