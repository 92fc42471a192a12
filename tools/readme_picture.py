"""Write the pictures in README.md: a search in the explorer, and the verdict on README's answer.

`.venv/bin/python tools/readme_picture.py` writes docs/explorer.png and docs/verdict.png. It needs
Chromium, as the browser tests do.
"""

import contextlib
import io
import math
import pathlib
import re
import sys
import tempfile

from PIL import Image
from playwright.sync_api import Locator, Page, sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from azlearn.course import check  # noqa: E402
from azlearn.games import ConnectFour  # noqa: E402
from azlearn.viz import explore  # noqa: E402
from tests.browser import CHROMIUM_FLAGS, find_chromium, no_external_requests  # noqa: E402

WIDTH, HEIGHT = 1232, 940
_COLORS = 64  # in docs/verdict.png, which keeps it small
# JupyterLab's light theme, as far as the card of a verdict uses it.
_PAGE = """<!doctype html><style>body { margin: 8px; width: 760px; font: 13px/1.5 sans-serif; }
th, td { font-size: 12px } code { background: #f5f5f5; padding: 1px 5px }</style>"""


def main() -> None:
    """Take both pictures."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=find_chromium(playwright), args=CHROMIUM_FLAGS
        )
        page = chromium.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        with no_external_requests(page):
            open_explorer(page).screenshot(path=ROOT / "docs" / "explorer.png")
        page = chromium.new_page(device_scale_factor=2)
        page.set_content(_PAGE + verdict_html())
        picture = Image.open(io.BytesIO(page.locator("body > div").screenshot()))
        small = picture.convert("RGB").quantize(_COLORS, dither=Image.Dither.NONE)
        small.save(ROOT / "docs" / "verdict.png", optimize=True)
        chromium.close()


def open_explorer(page: Page) -> Locator:
    """Record a search from a tactical position and show one moment of it."""
    game = ConnectFour()
    explorer = explore(game, game.from_moves("4433"), num_simulations=600, seed=3)
    explorer.step = 420
    explorer.phase = "backup"
    with tempfile.TemporaryDirectory() as folder:
        page_file = pathlib.Path(folder) / "explorer.html"
        explorer.to_html(page_file)
        page.goto(page_file.as_uri())
        widget = page.locator("[data-ready]").first
        widget.wait_for()
        page.wait_for_timeout(500)
    return widget


def verdict_html() -> str:
    """The verdict on the wrong answer to exercise 3.1 that stands in README.md."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    answer = re.search(r"```python\n(def select.*?)\ncheck\(", readme, re.S)[1]
    names = {"math": math}
    exec(answer, names)
    with contextlib.redirect_stdout(io.StringIO()):
        return check("3.1", names["select"])._repr_html_()


if __name__ == "__main__":
    main()
