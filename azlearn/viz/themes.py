"""A drawing that is light on a light page and dark on a dark one.

An SVG inside ``<img>`` sees nothing of the page but its ``color-scheme``. So it carries both sets
of colours and chooses by ``prefers-color-scheme``. ``Picture`` asks for light, whatever
the system prefers; ``FOLLOW`` hands on the page's dark theme, where it is not stripped (as it is in
a notebook that is not trusted yet).
"""

import colorsys
import re

from azlearn.viz import colors

FOLLOW = (
    '<style>body[data-jp-theme-light="false"] .azl-both, body.vscode-dark .azl-both'
    " { color-scheme: dark !important }</style>"
)
_HEX = re.compile(r"#[0-9a-fA-F]{6}\b")
_PAIR = re.compile(r"(#[0-9a-f]{6})(#[0-9a-f]{6})\b")
_DARKEST = 3.0  # contrast of a line with the dark background, at least (WCAG 2.2, graphics)
_GREY = 0.12  # saturation below which a colour is a grey


def dark_twin(color: str) -> str:
    """The colour that stands for "#rrggbb" on the dark background.

    The palette's own twin; else a grey is turned upside down, and a colour too dark to be seen is
    lightened until it can be.
    """
    color = color.lower()
    for by_day, by_night in colors.BOTH.values():
        if by_day == color:
            return by_night
    red, green, blue = (int(color[k : k + 2], 16) / 255 for k in (1, 3, 5))
    _, lightness, saturation = colorsys.rgb_to_hls(red, green, blue)
    background = colors.DARK_THEME["bg"]
    if saturation < _GREY:
        return colors.mix(background, colors.DARK_THEME["fg"], 1 - lightness)
    share = 0.0
    while colors.contrast(colors.mix(color, "#ffffff", share), background) < _DARKEST:
        share += 0.05
    return colors.mix(color, "#ffffff", share)


def both_themes(svg: str) -> str:
    """The SVG with every "#rrggbb" as a variable that is dark where the page is dark.

    Args:
        svg: from its ``<svg`` on, without an XML header.
    """
    return themed(_HEX.sub(lambda found: found[0].lower() + dark_twin(found[0]), svg))


def light(svg: str) -> str:
    """A drawing in ``colors.PAIRS`` as it is on a light page."""
    return _PAIR.sub(r"\1", svg)


def themed(svg: str) -> str:
    """A drawing in ``colors.PAIRS`` that follows the page's theme: both colours are known, which
    matters where text lies on a coloured ground.

    The light colour stays beside each variable, for what draws SVG without its style.

    Args:
        svg: from its ``<svg`` on, without an XML header.
    """
    names = {pair: f"--c{k}" for k, pair in enumerate(sorted(set(_PAIR.findall(svg))))}
    day, night = (" ".join(f"{name}: {pair[k]};" for pair, name in names.items()) for k in (0, 1))
    style = f"svg {{ {day} }} @media (prefers-color-scheme: dark) {{ svg {{ {night} }} }}"
    head, end, rest = _PAIR.sub(
        lambda found: f"var({names[found.groups()]}, {found[1]})", svg
    ).partition(">")
    return f"{head}{end}<style>{style}</style>{rest}"
