"""Measures how fast the explorer opens, steps, pans and zooms in headless Chromium.

A step is measured from the click to the finished layout of the page; it does not include painting,
which shows in the frame times. This is not a test: it only prints a table.
"""

import importlib.util
import json
import os
import shutil
import statistics

from azlearn.games import ConnectFour
from azlearn.search import compiled_uct, random_rollout, record_search, uct
from azlearn.viz import Explorer, assets

GAME = ConnectFour()
NEEDS = (
    "explorer_speed needs playwright and a Chromium: pip install playwright, playwright install."
)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
OPEN = """async ([esm, css, state]) => {
  const style = document.createElement("style"), host = document.createElement("div");
  style.textContent = css;
  document.head.append(style);
  document.body.append(host);
  const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
  const widget = (await import(url)).default, text = JSON.stringify(state);
  const frame = () => new Promise(done => requestAnimationFrame(done));
  await frame();
  const start = performance.now(), values = JSON.parse(text), heard = {};
  const model = {
    get: name => values[name], set(name, value) { values[name] = value; },
    on(event, f) { (heard[event] ||= []).push(f); }, off() {}, save_changes() {}, send() {},
  };
  widget.render({ model, el: host });
  host.offsetHeight;
  const drawn = performance.now() - start;
  await frame();
  await frame();
  return [drawn, performance.now() - start];
}"""
STEPS = """([name, times]) => {
  const button = document.querySelector(`[data-do="${name}"]`);
  const line = document.querySelector(".azl-time");
  const box = line.getBoundingClientRect(), out = [];
  line.setPointerCapture = () => {};
  for (let k = 0; k < times; k++) {
    const start = performance.now();
    if (button) button.click();
    else {
      const clientX = box.left + box.width * ((0.137 + k * 0.382) % 1);
      line.dispatchEvent(new PointerEvent("pointerdown", { clientX, pointerId: 1 }));
      line.dispatchEvent(new PointerEvent("pointerup", { pointerId: 1 }));
    }
    document.body.offsetHeight;
    out.push(performance.now() - start);
  }
  return out;
}"""
FRAMES = """async kind => {
  const tree = document.querySelector(".azl-tree"), box = tree.getBoundingClientRect(), out = [];
  const at = (type, x, y, more) => tree.dispatchEvent(new PointerEvent(type, {
    bubbles: true, clientX: box.left + x, clientY: box.top + y, pointerId: 1, ...more,
  }));
  const frame = () => new Promise(requestAnimationFrame);
  at("pointerdown", 400, 300, { button: 0, buttons: 1 });
  let last = await frame();
  for (let k = 0; k < 150; k++) {
    const [x, y] = [400 + 150 * Math.sin(k / 12), 300 + 90 * Math.cos(k / 9)];
    if (kind === "pan") at("pointermove", x, y, { buttons: 1 });
    else tree.dispatchEvent(new WheelEvent("wheel", {
      bubbles: true, cancelable: true, ctrlKey: true, deltaY: k % 60 < 30 ? -14 : 14,
      clientX: box.left + 400, clientY: box.top + 200,
    }));
    const now = await frame();
    out.push(now - last);
    last = now;
  }
  at("pointerup", 400, 300, {});
  return out;
}"""


def searches():
    """(name, explorer) for each search to measure."""
    for num_simulations in (1000, 5000):
        recording = record_search(
            GAME, GAME.initial_state(), uct(1.0), random_rollout(), num_simulations, 0
        )
        yield f"{num_simulations:,} recorded", Explorer(recording)
    yield "100,000 compiled", Explorer(compiled_uct(GAME, GAME.initial_state(), 100_000))


def measure(browser, explorer) -> list[str]:
    """Measures one row of the table; returns its cells."""
    state = {name: getattr(explorer, name) for name in explorer.IN_A_FILE}
    payload = len(json.dumps(explorer.record, separators=(",", ":")))
    file = len(explorer.to_html().encode())
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.set_content("<!doctype html><body></body>")
    css = assets.styles("explorer.css")
    drawn, painted = page.evaluate(OPEN, [assets.module(assets.EXPLORER), css, state])
    cells = [f"{payload / 1000:,.0f}", f"{file / 1000:,.0f}", f"{drawn:.0f}", f"{painted:.0f}"]
    for name in ("sooner", "later", "jump"):
        cells.append(two(page.evaluate(STEPS, [name, 40])) if explorer.step else "–")
    page.wait_for_timeout(500)
    for kind in ("pan", "zoom"):
        cells.append(two(page.evaluate(FRAMES, kind)))
    page.close()
    return cells


def two(times: list[float]) -> str:
    """Median and 95th percentile."""
    return f"{statistics.median(times):.1f} / {sorted(times)[int(len(times) * 0.95)]:.1f}"


def main() -> None:
    if importlib.util.find_spec("playwright") is None:
        print(NEEDS)
        return
    from playwright.sync_api import Error, sync_playwright

    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    found = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        except Error:
            print(NEEDS)
            return
        table(browser)
        browser.close()


def table(browser) -> None:
    """Prints a row for each search as soon as it is measured."""
    head = ["search", "record kB", "file kB", "drawn ms", "painted ms", "step back ms",
            "step on ms", "jump ms", "pan frame ms", "zoom frame ms"]  # fmt: skip
    print("Two numbers are the median and the 95th percentile.\n")
    print("| " + " | ".join(head) + " |")
    print("|---" + "|---:" * (len(head) - 1) + "|")
    for name, explorer in searches():
        print("| " + " | ".join([name, *measure(browser, explorer)]) + " |", flush=True)


if __name__ == "__main__":
    main()
