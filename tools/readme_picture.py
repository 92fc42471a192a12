"""Write docs/explorer.png, the picture in README.md: a real search in the explorer.

`.venv/bin/python tools/readme_picture.py` needs Chromium, as the browser tests do.
"""

import pathlib
import sys
import tempfile

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from azlearn.games import ConnectFour  # noqa: E402
from azlearn.viz import explore  # noqa: E402
from tests.browser import CHROMIUM_FLAGS, find_chromium, no_external_requests  # noqa: E402

WIDTH, HEIGHT = 1232, 940


def main() -> None:
    """Record a search from a tactical position, show one moment of it, take the picture."""
    game = ConnectFour()
    explorer = explore(game, game.from_moves("4433"), num_simulations=600, seed=3)
    explorer.step = 420
    explorer.phase = "backup"
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = pathlib.Path(folder) / "explorer.html"
        explorer.to_html(page_file)
        chromium = playwright.chromium.launch(
            executable_path=find_chromium(playwright), args=CHROMIUM_FLAGS
        )
        page = chromium.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        with no_external_requests(page):
            page.goto(page_file.as_uri())
            widget = page.locator("[data-ready]").first
            widget.wait_for()
            page.wait_for_timeout(500)
            widget.screenshot(path=ROOT / "docs" / "explorer.png")
        chromium.close()


if __name__ == "__main__":
    main()
