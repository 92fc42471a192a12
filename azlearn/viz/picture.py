"""A picture with its alternative text, in every form that a saved notebook is read in."""

import base64
import html
import re

from azlearn.viz.themes import FOLLOW


class Picture:
    """Displays as ``<img alt=…>``; carries PNG or SVG, and plain text, beside it.

    JupyterLab and nbconvert prefer the HTML and read its alternative text out. GitHub strips
    pictures from the HTML, and shows the PNG or, without one, the SVG.

    Args:
        alt: what a reader who cannot see the picture should know, in a sentence or two.
        svg: the picture as SVG text, or None; through ``both_themes`` if it is to follow the page.
        png: the picture as PNG bytes, or None.
        caption: shown below the picture, or "".
        width: of the picture on the page, in pixels; None for its own.

    Raises:
        ValueError: no alternative text, or no picture.
    """

    def __init__(
        self,
        alt: str,
        *,
        svg: str | None = None,
        png: bytes | None = None,
        caption: str = "",
        width: int | None = None,
    ) -> None:
        if not alt.strip():
            raise ValueError("A picture needs an alternative text: say what there is to see.")
        if svg is None and png is None:
            raise ValueError("A picture needs svg or png.")
        self.alt, self.svg, self.png = alt, svg, png
        self.caption, self.width = caption, width

    def html(self) -> str:
        """An ``<img>`` with everything inside it (an inline ``<svg>`` would be stripped from an
        untrusted notebook)."""
        data, kind = (self.svg.encode(), "svg+xml") if self.svg else (self.png, "png")
        size = f' width="{self.width}"' if self.width else ""
        has_both = "prefers-color-scheme" in (self.svg or "")
        follow, name = (FOLLOW, ' class="azl-both"') if has_both else ("", "")
        image = (
            f'{follow}<img{name} alt="{html.escape(self.alt)}"{size}'
            ' style="max-width:100%;height:auto;color-scheme:light"'
            f' src="data:image/{kind};base64,{base64.b64encode(data).decode()}">'
        )
        if not self.caption:
            return image
        return (
            f'<figure style="margin:0">{image}<figcaption style="font-size:90%">'
            f"{html.escape(self.caption)}</figcaption></figure>"
        )

    def bundle(self) -> dict[str, str]:
        """The mime bundle: text/html, image/png (image/svg+xml without one), text/plain."""
        data = {"text/html": self.html(), "text/plain": repr(self)}
        if self.png is not None:
            data["image/png"] = base64.b64encode(self.png).decode()
        else:
            data["image/svg+xml"] = self.svg
        return data

    def _repr_mimebundle_(self, **_kwargs) -> dict[str, str]:
        return self.bundle()

    def __repr__(self) -> str:
        return f"{self.caption}\n[{self.alt}]" if self.caption else f"[{self.alt}]"


_PAIR = re.compile(r"(#[0-9a-f]{6})(#[0-9a-f]{6})\b")


def light(svg: str) -> str:
    """A drawing in ``colors.PAIRS`` as it is on a light page."""
    return _PAIR.sub(r"\1", svg)


def themed(svg: str) -> str:
    """A drawing in ``colors.PAIRS`` that follows the page's theme.

    ``themes.both_themes`` finds a dark twin for each colour; here both are known, which matters
    where text lies on a coloured ground. The light colour stays for what draws SVG without styles.

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
