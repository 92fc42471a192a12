"""JupyterLab, Notebook 7 and Chromium for the tests: one server each and one browser per session.

A test asks for the fixture `lab_page`, puts a notebook into its folder, opens and runs it::

    def test_click(lab_page):
        lab_page.write_notebook("t.ipynb", ["from azlearn.viz import explore", "..."])
        lab_page.open("t.ipynb")
        lab_page.run_all()
        lab_page.page.locator("[data-ready]").wait_for()

`notebook7_page` is the same on Jupyter Notebook 7. Both fail the test if the page made a request to
another host, or threw an error.
For pages without JupyterLab (`to_html` files) use `browser` with `no_external_requests`.
"""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from dataclasses import dataclass

import nbformat
import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM_FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
]

# windowingMode none keeps off-screen cells in the DOM; the rest keeps Lab quiet and offline.
LAB_SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/docmanager-extension:plugin": {"autosave": False},
    "@jupyterlab/extensionmanager-extension:plugin": {"enabled": False},
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
}

NO_CHROMIUM = (
    "no Chromium found: the browser tests did not run. Install it (Debian: apt-get install "
    "chromium; else: playwright install chromium), or set CHROMIUM to the program."
)


def find_chromium(playwright) -> str | None:
    """The path of a Chromium ($CHROMIUM, PATH or playwright's download), or None."""
    if os.environ.get("CHROMIUM"):
        return os.environ["CHROMIUM"]
    on_path = next((found for name in CHROMIUM_NAMES if (found := shutil.which(name))), None)
    if on_path:
        return on_path
    own = playwright.chromium.executable_path
    return own if own and pathlib.Path(own).exists() else None


@pytest.fixture(scope="session")
def browser():
    """A playwright Chromium. Without one, tests are skipped, or fail if CI is set."""
    sync_api = pytest.importorskip("playwright.sync_api")
    sync_api.expect.set_options(timeout=60_000)  # a busy machine is not the page's fault
    with sync_api.sync_playwright() as playwright:
        executable = find_chromium(playwright)
        if executable is None:
            if os.environ.get("CI", "").lower() in ("1", "true"):
                pytest.fail(NO_CHROMIUM)
            pytest.skip(NO_CHROMIUM)
        chromium = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def _wait_for_server(url: str, process: subprocess.Popen, log: pathlib.Path) -> None:
    for _ in range(600):
        with contextlib.suppress(OSError):
            urllib.request.urlopen(url + "/api/status", timeout=5)
            return
        assert process.poll() is None, f"the server did not start:\n{log.read_text()}"
        time.sleep(0.1)
    raise AssertionError(f"the server did not answer within 60 s:\n{log.read_text()}")


LAB = ("jupyterlab", "LabApp", "lab/tree/{}?reset", ["news_url=None", "extension_manager=readonly"])
# Notebook 7.6 may throw this while it starts, with any notebook: jupyter/notebook#7862.
NOT_OURS = ("Cannot read properties of undefined (reading 'schema')",)
NOTEBOOK7 = ("notebook", "JupyterNotebookApp", "notebooks/{}", [])


@contextlib.contextmanager
def _server(home: pathlib.Path, kind: tuple):
    """A server of `kind` in the folder `home`; yields (address with a {}, the folder it serves).

    The user's settings are not used.
    """
    program, app, address, options = kind
    settings, notebook_dir, log = home / "settings", home / "notebooks", home / "server.log"
    settings.mkdir()
    notebook_dir.mkdir()
    (settings / "overrides.json").write_text(json.dumps(LAB_SETTINGS))
    port = _free_port()
    command = [sys.executable, "-m", program, "--no-browser", "--allow-root"]
    command += ["--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"]
    command += ["--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True"]
    command += [
        f"--ServerApp.root_dir={notebook_dir}",
        f"--LabServerApp.app_settings_dir={settings}",
    ]
    command += [f"--{app}.{option}" for option in ["expose_app_in_browser=True", *options]]
    folders = {
        "JUPYTER_CONFIG_DIR": home / "config",
        "JUPYTER_DATA_DIR": home / "data",
        "JUPYTER_RUNTIME_DIR": home / "runtime",
        "IPYTHONDIR": home / "ipython",
    }
    env = {**os.environ, **{name: str(path) for name, path in folders.items()}}
    env["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    with log.open("w") as out:
        process = subprocess.Popen(
            command, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
        )
    try:
        url = f"http://127.0.0.1:{port}"
        _wait_for_server(url, process, log)
        yield f"{url}/{address}", notebook_dir
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """One JupyterLab server; yields (address with a {} for the notebook, the folder it serves)."""
    with _server(tmp_path_factory.mktemp("lab"), LAB) as served:
        yield served


@pytest.fixture(scope="session")
def notebook7(tmp_path_factory):
    """One server of Jupyter Notebook 7; yields as `lab`."""
    pytest.importorskip("notebook", reason="Jupyter Notebook is not installed")
    with _server(tmp_path_factory.mktemp("notebook7"), NOTEBOOK7) as served:
        yield served


@contextlib.contextmanager
def no_external_requests(page, *allowed: str):
    """Fails at the end of the block if `page` requested an address not in `allowed` (prefixes).

    data:, blob:, file: and about: addresses are always allowed. Other requests are blocked.
    """
    harmless = ("data:", "blob:", "file:", "about:", *allowed)
    harmless += tuple(address.replace("http", "ws", 1) for address in allowed)
    asked: list[str] = []

    def guard(route):
        if route.request.url.startswith(harmless):
            route.continue_()
        else:
            asked.append(route.request.url)
            route.abort()

    page.route("**/*", guard)
    page.on("websocket", lambda ws: None if ws.url.startswith(harmless) else asked.append(ws.url))
    yield asked
    page.unroute("**/*", guard)
    assert not asked, f"the page asked other machines for {sorted(set(asked))[:5]}"


def open_notebook(page, address: str, timeout: float = 60) -> None:
    """Open the notebook at `address` and wait (seconds) until its kernel is idle."""
    page.goto(address)
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=timeout * 1000)
    wait_for_kernel(page, timeout)


def wait_for_kernel(page, timeout: float = 60) -> None:
    """Waits (seconds) until the kernel of the active notebook is idle."""
    page.wait_for_function(
        "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status"
        " === 'idle'",
        timeout=timeout * 1000,
    )


def run_all(page, timeout: float = 120, errors: bool = False) -> None:
    """Runs every cell and waits (seconds) for the last. A failing cell fails the test.

    With `errors` it does not: read `error_outputs(page)` instead.
    """
    # The braces matter: evaluate() would wait for a returned promise, and not get it back.
    page.evaluate(
        "() => { window.azRan = null; window.jupyterapp.commands.execute('notebook:run-all-cells')"
        ".then(() => { window.azRan = 'done'; }, (e) => { window.azRan = String(e); }); }"
    )
    page.wait_for_function("() => window.azRan !== null", timeout=timeout * 1000)
    wait_for_kernel(page, timeout)
    failed = error_outputs(page)
    assert errors or not failed, "cells failed:\n" + "\n".join(failed)
    assert errors or page.evaluate("window.azRan") == "done", page.evaluate("window.azRan")


def error_outputs(page) -> list[str]:
    """'cell 3: ValueError: …' for every error output of the active notebook."""
    return page.evaluate(
        """() => {
          const found = [];
          const cells = window.jupyterapp.shell.currentWidget.content.widgets;
          cells.forEach((cell, i) => {
            const outputs = cell.model.outputs;
            for (let k = 0; outputs && k < outputs.length; k++) {
              const output = outputs.get(k).toJSON();
              if (output.output_type === 'error') {
                found.push(`cell ${i}: ${output.ename}: ${output.evalue}`);
              }
            }
          });
          return found;
        }"""
    )


@dataclass
class LabPage:
    """One browser tab on the session's server: JupyterLab, or Notebook 7 with the same methods."""

    page: object
    address: str
    notebook_dir: pathlib.Path

    def write_notebook(self, name: str, cells: list[str]) -> pathlib.Path:
        """Write a notebook of code cells into the folder that JupyterLab serves."""
        kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
        notebook = nbformat.v4.new_notebook(metadata={"kernelspec": kernel})
        notebook.cells = [nbformat.v4.new_code_cell(source) for source in cells]
        path = self.notebook_dir / name
        nbformat.write(notebook, path)
        return path

    def open(self, name: str, timeout: float = 60) -> None:
        open_notebook(self.page, self.address.format(name), timeout)

    def run_all(self, timeout: float = 120, errors: bool = False) -> None:
        run_all(self.page, timeout, errors)

    def output(self, cell: int):
        """Locator of the outputs of the cell with that index (from 0)."""
        return self.page.locator(".jp-Notebook .jp-Cell").nth(cell).locator(".jp-OutputArea-output")

    def run_cell(self, cell: int) -> None:
        """Runs the cell with that index again, by keyboard, as a reader does."""
        self.page.locator(".jp-Notebook .jp-Cell").nth(cell).locator(".cm-content").click()
        self.page.keyboard.press("Control+Enter")
        wait_for_kernel(self.page)

    def run_cell_until(self, cell: int, says: str, seconds: float = 60) -> None:
        """Runs that cell again and again, until its output contains the text.

        For cells that print what a widget has sent to Python, which takes a moment.
        """
        deadline = time.monotonic() + seconds
        while True:
            self.run_cell(cell)
            said = "".join(self.output(cell).all_inner_texts())
            if says in said:
                return
            assert time.monotonic() < deadline, f"cell {cell} says {said!r}, not {says!r}"


@contextlib.contextmanager
def _tab(browser, served: tuple, known: tuple[str, ...] = ()):
    address, notebook_dir = served
    page = browser.new_page(viewport={"width": 1200, "height": 1400})
    thrown: list[str] = []
    page.on("pageerror", lambda error: thrown.append(str(error)))
    server = "/".join(address.split("/")[:3])
    try:
        with no_external_requests(page, server):
            yield LabPage(page, address, notebook_dir)
        ours = [error for error in thrown if error not in known]
        assert not ours, f"the page threw {ours[:3]}"
    finally:
        page.close()


@pytest.fixture
def lab_page(lab, browser):
    """A new tab (`LabPage`) that must not request other hosts or throw errors."""
    with _tab(browser, lab) as tab:
        yield tab


@pytest.fixture
def notebook7_page(notebook7, browser):
    """The same as `lab_page`, on Jupyter Notebook 7."""
    with _tab(browser, notebook7, NOT_OURS) as tab:
        yield tab


def _exit_code() -> int:
    """`python -m tests.browser`: 0 if there is a Chromium and it starts, else 1."""
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        executable = find_chromium(playwright)
        if executable is None:
            return 1
        try:
            playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS).close()
        except Error as error:
            print(f"{executable} does not start: {error}", file=sys.stderr)
            return 1
        return 0


if __name__ == "__main__":
    sys.exit(_exit_code())
