"""A picture with its alternative text, in every format that readers of a notebook need."""

import base64
import html

from azlearn.viz.themes import FOLLOW


class Picture:
    """A picture that displays as ``<img alt=…>``, and also as PNG or SVG and as plain text.

    JupyterLab and nbconvert show the HTML with its alternative text. GitHub strips pictures from
    the HTML, and shows the PNG or, without one, the SVG.

    Args:
        alt: one or two sentences for readers who cannot see the picture.
        svg: the picture as SVG text, or None. To follow the page's theme, pass it through
            ``both_themes``.
        png: the picture as PNG bytes, or None.
        caption: shown below the picture, or "".
        width: the width of the picture on the page, in pixels; None for its own width.

    Raises:
        ValueError: there is no alternative text, or no picture.
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
            raise ValueError("A picture needs an alternative text that describes it.")
        if svg is None and png is None:
            raise ValueError("A picture needs svg or png.")
        self.alt, self.svg, self.png = alt, svg, png
        self.caption, self.width = caption, width

    def url(self) -> str:
        """A URL that contains the image."""
        data, kind = (self.svg.encode(), "svg+xml") if self.svg else (self.png, "png")
        return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"

    def html(self) -> str:
        """An ``<img>`` element that contains its image.

        Jupyter would strip an inline ``<svg>`` from an untrusted notebook.
        """
        size = f' width="{self.width}"' if self.width else ""
        has_both = "prefers-color-scheme" in (self.svg or "")
        follow, name = (FOLLOW, ' class="azl-both"') if has_both else ("", "")
        image = (
            f'{follow}<img{name} alt="{html.escape(self.alt)}"{size}'
            ' style="max-width:100%;height:auto;color-scheme:light"'
            f' src="{self.url()}">'
        )
        if not self.caption:
            return image
        return (
            f'<figure style="margin:0">{image}<figcaption style="font-size:90%">'
            f"{html.escape(self.caption)}</figcaption></figure>"
        )

    def bundle(self) -> dict[str, str]:
        """The MIME bundle: text/html, text/plain, and image/png or else image/svg+xml."""
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
