"""Runs axe-core on a page: every broken rule is a failure, whatever its impact.

A test of a widget brings the page to the state to look at and says which part of it is ours::

    assert_accessible(page, "the select phase", only=".azl-x")

To check a whole page (a file written by `to_html`), leave out `only`. axe does not know the
background of text in an SVG, so such text is compared with the pixels behind it. Both checks
measure colors on the screen, so open pages with `reduced_motion="reduce"`: half-faded text is too
pale.

In a widget, every element that takes the focus must also keep its keys from the notebook, which has
a command for each key. JupyterLab and Notebook 7 ignore a key if the focused element itself has the
attribute `data-lm-suppress-shortcuts`; an ancestor's attribute does not count.
"""

import functools
import io
import re

import numpy as np
from PIL import Image

from azlearn.viz.colors import contrast

ENOUGH = 4.5  # WCAG 2.2, 1.4.3: text of ordinary size


_WHOLE = {"resultTypes": ["violations"]}  # list all elements of these results


@functools.cache
def _axe():
    from axe_playwright_python.sync_playwright import Axe  # its import reads half a megabyte

    return Axe()


def findings(page, only: str | None = None) -> list[str]:
    """'serious color-contrast: #id <html …> Fix any of …' for each element that breaks a rule.

    Args:
        only: a CSS selector of the part to look at; AssertionError if nothing is there.
    """
    assert only is None or page.locator(only).count(), f"{only} is not on the page"
    report = _axe().run(page, context=only, options=_WHOLE).response
    assert report["passes"], "axe looked at nothing"
    return [
        f"{broken['impact']} {broken['id']}: {node['target'][0]} {node['html'][:160]} "
        + " ".join(node.get("failureSummary", "").split())
        for broken in report["violations"]
        for node in broken["nodes"]
    ]


_TEXTS = """only => [...document.querySelectorAll(`:is(${only}) svg text`)].map(text => {
  const box = text.getBoundingClientRect(), style = getComputedStyle(text);
  const sheet = text.ownerSVGElement.getBoundingClientRect();
  let alpha = Number(style.fillOpacity);
  for (let e = text; e; e = e.parentElement) alpha *= Number(getComputedStyle(e).opacity);
  const seen = box.width && box.left >= Math.max(0, sheet.left) && box.top >= Math.max(0, sheet.top)
    && box.right <= Math.min(innerWidth, sheet.right)
    && box.bottom <= Math.min(innerHeight, sheet.bottom);
  return seen && { text: text.textContent, kind: text.getAttribute("class"), alpha,
    fill: style.fill, box: [box.left, box.top, box.right, box.bottom].map(Math.round) };
}).filter(Boolean)"""
_HIDE = "svg text, svg text * { fill: transparent !important; transition: none !important; }"


def _pixels(page) -> np.ndarray:
    """A screenshot of the window, uint8 [height, width, 3]."""
    return np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))


def pale_texts(page, only: str | None = None) -> list[str]:
    """'drawn text "+.42" (class): contrast 3.1' for each SVG text below `ENOUGH`.

    The background is the median pixel of the text's box after the text is removed. Text that is
    outside the window or covered is not checked.
    """
    texts = page.evaluate(_TEXTS, only or "body")
    shown = _pixels(page)
    style = page.add_style_tag(content=_HIDE)
    bare = _pixels(page)
    style.evaluate("element => element.remove()")
    found = []
    for text in texts:
        left, top, right, bottom = text["box"]
        box = np.s_[top + 1 : bottom - 1, left:right]
        if np.array_equal(shown[box], bare[box]):
            continue
        behind = np.median(bare[box].reshape(-1, 3), axis=0)
        fill = np.array([float(part) for part in re.findall(r"[\d.]+", text["fill"])[:3]])
        ink = behind + text["alpha"] * (fill - behind)
        ratio = contrast(_hex(ink), _hex(behind))
        if ratio < ENOUGH:
            found.append(f'drawn text "{text["text"]}" ({text["kind"]}): contrast {ratio:.2f}')
    return found


_UNGUARDED = """() => [...document.querySelectorAll("[class*=azl], [class*=azl] *")]
  .filter(e => (e.matches("button, input, select, textarea, a[href]") || e.tabIndex >= 0)
    && !e.hasAttribute("data-lm-suppress-shortcuts"))
  .map(e => `lets its keys through to the notebook: ${e.outerHTML.slice(0, 120)}`)"""


def _hex(color: np.ndarray) -> str:
    return "#" + "".join(f"{round(float(part)):02x}" for part in color)


# Text that is fading in is still too pale. It fades by CSS or, in the tree, by an attribute that is
# set for each frame. Animations that never end, such as a spinner, are not waited for.
_AT_REST = """() => document.getAnimations().every(moving =>
    moving.playState !== "running" || moving.effect.getTiming().iterations === Infinity)
  && !document.querySelector('.azl-sheet g[opacity]:not([opacity="1.00"])')"""


def assert_accessible(page, what: str = "", only: str | None = None) -> None:
    """Fail with a line for each element with a fault: axe's, a pale text, keys that get through."""
    page.wait_for_function(_AT_REST, timeout=60_000)
    found = findings(page, only) + pale_texts(page, only) + page.evaluate(_UNGUARDED)
    assert not found, "\n".join([f"axe on {what or page.url}:", *found])
