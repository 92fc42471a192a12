// Turns clicks, keys, wheel and drag events into calls of the explorer's methods.

import { PHASES } from "./replay.js";
import { guard } from "./widget_common.js";

export class Input {
  constructor(explorer) {
    this.x = explorer;
    const { root } = explorer, tree = explorer.$("tree");
    root.addEventListener("click", e => guard(root, () => this.click(e)));
    root.addEventListener("keydown", e => guard(root, () => this.key(e)));
    root.addEventListener("keyup", () => { explorer.clock.held = false; });
    tree.addEventListener("dblclick", e => {
      const node = e.target.closest("[data-node]");
      if (node) guard(root, () => explorer.toggle(Number(node.dataset.node)));
    });
    root.querySelector(".azl-speed").addEventListener("change", e => explorer.clock.setSpeed(e.target.value));
    tree.addEventListener("wheel", e => this.wheel(e), { passive: false });
    this.dragging(root, tree);
  }

  click(e) {
    const { x } = this, at = name => e.target.closest(`[data-${name}]`), number = (found, name) => Number(found.dataset[name]);
    const node = at("node"), stub = at("stub"), fold = at("fold"), go = at("go"), dec = at("dec"), move = at("move"), pop = at("pop");
    if (this.dragged) return;
    if (stub) x.open(number(stub, "stub"));
    else if (node) x.select(number(node, "node"));
    else if (fold) x.select(number(fold, "fold"));
    else if (go) x.select(number(go, "go"));
    else if (dec) x.decide(number(dec, "dec"));
    else if (move) x.pin(number(move, "move"));
    else if (pop) x.popover.toggle(pop.dataset.pop);
    else if (at("do")) this.act(at("do").dataset.do);
    if (node || stub || fold || go || dec) x.$("tree").focus({ preventScroll: true });
  }

  act(name) {
    const { x } = this, { tour } = x, stopped = then => {
      x.play(false);
      then();
    };
    if (PHASES.includes(name)) return stopped(() => x.step && x.go(x.replay.rowOf(name, x.step - 1) + 1, name, true));
    const acts = {
      mover: () => x.setView("mover"), first: () => x.setView("first"), play: () => x.play(!x.playing),
      fit: () => x.sheet.fit(), closer: () => this.zoom(1.25), wider: () => this.zoom(0.8),
      reset: () => x.reset(), tree: () => x.showWhole(false), icicle: () => x.showWhole(true), copy: () => x.finder.copy(),
      toggle: () => x.toggle(x.focus), follow: () => x.follow(), again: () => x.again(), rows: () => x.side.rows(),
      tour: () => tour.go(0), "tour-next": () => tour.go(tour.at + 1), "tour-back": () => tour.go(tour.at - 1), "tour-end": () => tour.go(-1),
    };
    if (acts[name]) {
      const touring = name.startsWith("tour");
      acts[name]();
      // The pressed button is gone, and keys must not fall through to the notebook.
      if (touring) (x.root.querySelector('[data-do="tour-next"]') || x.$("tree")).focus({ preventScroll: true });
      if (name === "follow" || name === "toggle" || name === "again") x.$("tree").focus({ preventScroll: true });
      return undefined;
    }
    const { held } = x.clock, steps = {
      start: () => x.go(0, "backup"), end: () => x.go(x.replay.rows, "backup"),
      back: () => x.move(-1), forward: () => x.move(1, held),
      sooner: () => x.leap(-1), later: () => x.leap(1),
    };
    return steps[name] && stopped(steps[name]);
  }

  // Escape closes a popover, else ends the tour, else unpins the node.
  escape() {
    const { x } = this;
    if (x.popover.open) return x.popover.close();
    if (x.tour.stop) return this.act("tour-end");
    return x.follow();
  }

  key(e) {
    const { x } = this, { tour } = x;
    if (e.key === "Escape" && (x.popover.open || x.tour.stop || x.selected >= 0)) {
      e.preventDefault();
      e.stopPropagation();
      return this.escape();
    }
    if (["SELECT", "INPUT"].includes(e.target.tagName)) return e.stopPropagation();
    if (e.ctrlKey || e.metaKey || e.altKey) return undefined;
    if (e.target.tagName === "BUTTON" && [" ", "Enter"].includes(e.key)) return undefined;
    const list = x.order || [], here = list.indexOf(x.focus), touring = tour.stop && !e.shiftKey;
    const keys = {
      " ": () => this.act("play"),
      ArrowRight: () => this.act(e.shiftKey ? "later" : touring ? "tour-next" : "forward"),
      ArrowLeft: () => (touring && !tour.at ? null : this.act(e.shiftKey ? "sooner" : touring ? "tour-back" : "back")),
      Home: () => this.act("start"), End: () => this.act("end"),
      ArrowDown: () => here + 1 < list.length && x.select(list[here + 1]),
      ArrowUp: () => here > 0 && x.select(list[here - 1]),
      Enter: () => x.toggle(x.focus), c: () => x.finder.copy(), "/": () => this.find(),
      "+": () => this.zoom(1.25), "=": () => this.zoom(1.25), "-": () => this.zoom(0.8), 0: () => this.act("fit"),
    };
    if (!keys[e.key]) return undefined;
    e.preventDefault();
    e.stopPropagation();
    x.clock.held = e.repeat;         // a key that is held down steps without animation
    return keys[e.key]();
  }

  find() {
    const { popover, $ } = this.x;
    if (popover.open !== "filters") popover.toggle("filters");
    $("find").focus();
  }

  // Zooms around the node in the panel.
  zoom(by) {
    const { sheet, focus } = this.x, { x, y } = sheet.spot(focus);
    sheet.zoom(by, x, y);
    sheet.bring(focus);
  }

  wheel(e) {
    if (!e.ctrlKey && !e.altKey) return;       // a plain wheel scrolls the page
    e.preventDefault();
    this.x.sheet.zoom(Math.exp(-e.deltaY / 400), e.offsetX, e.offsetY);
  }

  dragging(root, tree) {
    const { sheet } = this.x;
    let from = null;
    root.addEventListener("pointerdown", () => { this.dragged = false; }, true);
    tree.addEventListener("pointerdown", e => {
      from = e.button === 0 ? [e.clientX, e.clientY, sheet.pan.x, sheet.pan.y] : null;
    });
    tree.addEventListener("pointermove", e => {
      if (!from || !e.buttons || Math.hypot(e.clientX - from[0], e.clientY - from[1]) < 5) return;
      this.dragged = true;
      sheet.look({ x: from[2] + e.clientX - from[0], y: from[3] + e.clientY - from[1], k: sheet.pan.k });
    });
  }
}
