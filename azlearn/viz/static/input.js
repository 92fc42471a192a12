// Clicks, keys, wheel and drag, turned into what the explorer can do.

import { PHASES } from "./replay.js";
import { guard } from "./shell.js";

export class Input {
  constructor(explorer) {
    this.x = explorer;
    const { root } = explorer, tree = explorer.$("tree");
    root.addEventListener("click", e => guard(root, () => this.click(e)));
    root.addEventListener("keydown", e => guard(root, () => this.key(e)));
    tree.addEventListener("dblclick", e => {
      const node = e.target.closest("[data-node]");
      if (node) guard(root, () => explorer.toggle(Number(node.dataset.node)));
    });
    explorer.$("speed").addEventListener("change", e => explorer.clock.setSpeed(e.target.value));
    tree.addEventListener("wheel", e => this.wheel(e), { passive: false });
    this.dragging(root, tree);
  }

  click(e) {
    const { x } = this, at = name => e.target.closest(`[data-${name}]`);
    const node = at("node"), stub = at("stub"), fold = at("fold"), go = at("go"), move = at("move");
    if (this.dragged) return;
    if (node) x.select(Number(node.dataset.node));
    else if (stub) x.open(Number(stub.dataset.stub));
    else if (fold) x.select(Number(fold.dataset.fold));
    else if (go) x.select(Number(go.dataset.go));
    else if (move) x.pin(Number(move.dataset.move));
    else if (at("do")) this.act(at("do").dataset.do);
    if (node || stub || fold || go) x.$("tree").focus({ preventScroll: true });
  }

  act(name) {
    const { x } = this, stopped = then => {
      x.play(false);
      then();
    };
    if (PHASES.includes(name)) return stopped(() => x.step && x.go(x.replay.rowOf(name, x.step - 1) + 1, name));
    const acts = {
      mover: () => x.setView("mover"), first: () => x.setView("first"), play: () => x.play(!x.playing),
      fit: () => x.sheet.look({ x: 0, y: 0, k: 1 }), closer: () => this.zoom(1.25), wider: () => this.zoom(0.8),
      reset: () => x.reset(), whole: () => x.showWhole(!x.icicle.on), copy: () => x.finder.copy(),
      toggle: () => x.toggle(x.selected),
    };
    if (acts[name]) return acts[name]();
    const steps = {
      start: () => x.go(0, "backup"), end: () => x.go(x.replay.rows, "backup"),
      back: () => x.move(-1), forward: () => x.move(1),
      sooner: () => x.leap(-1), later: () => x.leap(1),
    };
    return steps[name] && stopped(steps[name]);
  }

  key(e) {
    const { x } = this;
    if (["SELECT", "INPUT"].includes(e.target.tagName)) return e.stopPropagation();
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const pressed = ["BUTTON", "SUMMARY"].includes(e.target.tagName) && [" ", "Enter"].includes(e.key);
    if (pressed) return;
    const list = x.order || [], here = list.indexOf(x.selected);
    const keys = {
      " ": () => this.act("play"),
      ArrowRight: () => this.act(e.shiftKey ? "later" : "forward"),
      ArrowLeft: () => this.act(e.shiftKey ? "sooner" : "back"),
      Home: () => this.act("start"), End: () => this.act("end"),
      ArrowDown: () => here + 1 < list.length && x.select(list[here + 1]),
      ArrowUp: () => here > 0 && x.select(list[here - 1]),
      Enter: () => x.toggle(x.selected), c: () => x.finder.copy(), "/": () => x.$("find").focus(),
      "+": () => this.zoom(1.25), "=": () => this.zoom(1.25), "-": () => this.zoom(0.8), 0: () => this.act("fit"),
    };
    if (!keys[e.key]) return;
    e.preventDefault();
    e.stopPropagation();
    keys[e.key]();
  }

  // Zooms around the selected node.
  zoom(by) {
    const { sheet, selected } = this.x, { x, y } = sheet.spot(selected);
    sheet.zoom(by, x, y);
    sheet.bring(selected);
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
