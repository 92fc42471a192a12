// Limits the height of a widget, so that all of it fits on the screen.

const LEAST = 540, MOST = 940, MARGIN = 18;

// The notebook's scrolling pane around an element, or null.
function pane(el) {
  for (let up = el.parentElement; up && up !== document.body; up = up.parentElement) {
    const { overflowY } = getComputedStyle(up);
    if ((overflowY === "auto" || overflowY === "scroll") && up.clientHeight > 200 && up.clientHeight < innerHeight && up.querySelector(".jp-Cell, .cell")) return up;
  }
  return null;
}

// Fits the height of `root` to the viewport; alone: the widget is the whole page. Inside a frame the
// screen counts instead, because some notebooks make the frame as high as its content.
export class Fit {
  constructor(root, alone) {
    Object.assign(this, { root, alone, set: () => this.measure() });
    addEventListener("resize", this.set);
    this.observer = new ResizeObserver(this.set);
    this.measure();
  }

  measure() {
    const { root } = this, found = pane(root);
    if (found !== this.pane) {
      this.observer.disconnect();
      if (found) this.observer.observe(found);
      this.pane = found;
    }
    const framed = window !== window.parent && !this.alone && !found;
    const above = this.alone ? root.getBoundingClientRect().top + scrollY : 0;
    const room = framed ? screen.availHeight - 320 : (found ? found.clientHeight : innerHeight) - above;
    const height = `${Math.round(Math.max(LEAST, Math.min(MOST, room - MARGIN)))}px`;
    if (root.style.getPropertyValue("--azl-height") !== height) root.style.setProperty("--azl-height", height);
  }

  end() {
    removeEventListener("resize", this.set);
    this.observer.disconnect();
  }
}
