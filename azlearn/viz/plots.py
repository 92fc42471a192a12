"""Matplotlib figures in the course's colors, with alternative text that is saved with them."""

import io
import re

from azlearn.viz import colors
from azlearn.viz.picture import Picture
from azlearn.viz.themes import both_themes

_LARGEST_DRAWING = 80_000  # in characters; the course's PNGs have 20,000 to 60,000


def use_style() -> None:
    """Sets matplotlib's defaults: readable sizes, a light grid, and the colors of ``colors``."""
    import matplotlib as mpl

    mpl.rcParams.update(
        {
            "figure.figsize": (7.0, 3.6),
            "figure.dpi": 100,
            "figure.constrained_layout.use": True,
            "font.size": 11,
            "axes.titlesize": 12,
            "axes.titlelocation": "left",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.edgecolor": colors.LIGHT_THEME["mute"],
            "axes.labelcolor": colors.LIGHT_THEME["fg"],
            "axes.grid": True,
            "axes.axisbelow": True,
            "grid.color": colors.LIGHT_THEME["hole"],
            "xtick.color": colors.LIGHT_THEME["mute"],
            "ytick.color": colors.LIGHT_THEME["mute"],
            "text.color": colors.LIGHT_THEME["fg"],
            "lines.linewidth": 2,
            "legend.frameon": False,
            "axes.prop_cycle": mpl.cycler(color=colors.MOVES),
            "savefig.facecolor": "white",
        }
    )


def figure(fig, alt: str, caption: str = "", dpi: int | None = 130) -> Picture:
    """Converts a matplotlib figure for a notebook: ``<img alt=…>``, PNG and text.

    The page shows an SVG that follows the light or dark theme. A figure that contains an image
    (``imshow``) or very many points stays a PNG on white. Closes the figure, so that it is not
    shown twice.

    Args:
        fig: the figure.
        alt: a description of the figure, with the important numbers.
        caption: shown below the figure; should name the command that made it and its duration.
        dpi: dots per inch of the PNG; None, which is faster, makes a PNG only if there is no SVG.

    Raises:
        ValueError: there is no alternative text.
    """
    import matplotlib.pyplot as plt

    png = _png(fig, dpi) if dpi is not None else None
    drawing = _drawing(fig)
    if drawing is None and png is None:
        png = _png(fig, 130)
    width = round(fig.get_size_inches()[0] * 100)
    plt.close(fig)
    return Picture(alt, svg=drawing, png=png, caption=caption, width=width)


def _png(fig, dpi: int) -> bytes:
    """The figure as a small PNG."""
    from PIL import Image

    out, small = io.BytesIO(), io.BytesIO()
    fig.savefig(out, format="png", dpi=dpi)
    image = Image.open(out).convert("RGB").quantize(128, dither=Image.Dither.NONE)
    image.save(small, "PNG", optimize=True)
    return small.getvalue()


def _drawing(fig) -> str | None:
    """The figure as SVG for both themes, the same in every run; None if a PNG is better."""
    import matplotlib.pyplot as plt

    out = io.StringIO()
    with plt.rc_context({"svg.hashsalt": "azlearn"}):  # ids that are the same in every run
        fig.savefig(out, format="svg", metadata=dict.fromkeys(("Creator", "Date", "Format")))
    svg = out.getvalue()
    svg = svg[svg.index("<svg") :].replace(
        "<svg", '<svg fill="#000000"', 1
    )  # matplotlib omits black
    svg = re.sub(r"([1-9]\d*\.\d\d)\d+", r"\1", re.sub(r"\s*\n\s*", " ", svg))
    return None if "<image" in svg or len(svg) > _LARGEST_DRAWING else both_themes(svg)
