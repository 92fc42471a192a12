// The explorer: wires the record, the layout, the drawing and the panel to buttons, keys and Python.

import { Sheet } from "./draw.js";
import { arrange } from "./layout.js";
import { esc, mark, palette } from "./paint.js";
import { bigBoard, crumbs, formula, status, study, table } from "./panel.js";
import { complaint, PHASES, Replay } from "./replay.js";
import { describe, say } from "./say.js";
import { nodeSize, scene } from "./scene.js";
import { frame, guard, ICONS, watchTheme } from "./shell.js";
import { Timeline } from "./timeline.js";

const SPEEDS = { slow: 1600, normal: 700, fast: 220, "very fast": 60 };

class Explorer {
  constructor(model, el, record) {
    this.model = model;
    this.record = record;
    this.replay = new Replay(record);
    this.root = frame(el, record, this.replay.rows > 0);
    this.$ = name => this.root.querySelector(`[data-part="${name}"]`);
    this.view = "mover";
    this.opened = new Set();
    this.playing = 0;
    this.speed = "normal";
    this.pinned = null;            // the move whose formula is shown, if the reader chose one
    this.looking = false;          // the reader clicked a node in this phase: show its board
    this.played = Infinity;        // stones of the rollout on the board
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.read();
    this.sheet = new Sheet(this.$("tree"), record.game);
    this.timeline = new Timeline(this.$("timeline"), this.replay, step => this.go(step, "backup"));
    this.listen();
    this.resize();
  }

  // What Python says, made valid.
  read() {
    const { model, replay } = this, step = model.get("step"), phase = model.get("phase"), node = model.get("selected");
    this.step = Math.max(0, Math.min(replay.rows, Number.isInteger(step) ? step : replay.rows));
    this.phase = PHASES.includes(phase) ? phase : "backup";
    this.selected = Number.isInteger(node) && node >= 0 && node < replay.size ? node : 0;
  }

  write() {
    this.writing = true;       // each set is heard at once, when the next is still to come
    for (const name of ["step", "phase", "selected"]) this.model.set(name, this[name]);
    this.writing = false;
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.model.save_changes(), 60);
  }

  listen() {
    const { root, model } = this;
    this.onModel = () => guard(root, () => {
      if (this.writing) return;
      const before = [this.step, this.phase, this.selected].join();
      this.read();
      if ([this.step, this.phase, this.selected].join() !== before) this.show();
    });
    for (const name of ["step", "phase", "selected"]) model.on("change:" + name, this.onModel);
    root.addEventListener("click", e => guard(root, () => this.click(e)));
    root.addEventListener("keydown", e => guard(root, () => this.key(e)));
    this.$("speed").addEventListener("change", e => {
      this.speed = e.target.value;
      if (this.playing) this.play(true);
    });
    this.$("tree").addEventListener("wheel", e => this.zoom(e), { passive: false });
    this.dragging();
    this.observer = new ResizeObserver(() => guard(root, () => this.resize()));
    this.observer.observe(root);
    this.observer.observe(this.$("tree"));
    this.unwatch = watchTheme(() => guard(root, () => this.show(0)));
  }

  close() {
    for (const name of ["step", "phase", "selected"]) this.model.off("change:" + name, this.onModel);
    this.play(false);
    clearTimeout(this.rolling);
    this.observer.disconnect();
    this.unwatch();
  }

  click(e) {
    const at = name => e.target.closest(`[data-${name}]`);
    const node = at("node"), stub = at("stub"), fold = at("fold"), go = at("go"), move = at("move");
    if (this.dragged) return;
    if (node) this.select(Number(node.dataset.node));
    else if (stub) this.open(Number(stub.dataset.stub));
    else if (fold) this.select(Number(fold.dataset.fold));
    else if (go) this.select(Number(go.dataset.go));
    else if (move) {
      this.pinned = Number(move.dataset.move);
      this.panel();
    } else if (at("do")) this.act(at("do").dataset.do);
    if (node || stub || fold || go) this.$("tree").focus({ preventScroll: true });
  }

  act(name) {
    if (PHASES.includes(name)) return this.stop(() => this.step && this.go(this.replay.rowOf(name, this.step - 1) + 1, name));
    if (name === "mover" || name === "first") {
      this.view = name;
      return this.show();
    }
    const acts = {
      start: () => this.go(0, "backup"), end: () => this.go(this.replay.rows, "backup"),
      back: () => this.move(-1), forward: () => this.move(1),
      sooner: () => this.leap(-1), later: () => this.leap(1),
    };
    if (name === "fit") {
      this.sheet.pan = { x: 0, y: 0, k: 1 };
      this.opened.clear();
      return this.show();
    }
    if (name === "play") return this.play(!this.playing);
    return this.stop(acts[name]);
  }

  stop(then) {
    this.play(false);
    then();
  }

  // One phase on or back.
  move(by) {
    if (!this.replay.rows) return;
    const phases = this.step ? this.replay.phases(this.step - 1) : [], k = phases.indexOf(this.phase) + by;
    if (this.step && k >= 0 && k < phases.length && phases.includes(this.phase)) this.go(this.step, phases[k]);
    else if (by > 0 && this.step < this.replay.rows) this.go(this.step + 1, this.replay.phases(this.step)[0]);
    else if (by < 0 && this.step > 0) this.go(this.step - 1, "backup");
  }

  // One whole simulation on or back.
  leap(by) {
    const done = this.phase === "backup";
    this.go(Math.max(0, Math.min(this.replay.rows, by < 0 && !done ? this.step - 1 : this.step + by)), "backup");
  }

  go(step, phase) {
    if (!this.replay.rows) return;
    if (step === this.step && phase === this.phase) return;
    Object.assign(this, { step, phase, looking: false, pinned: null });
    this.show();
    this.write();
  }

  select(node) {
    if (node < 0 || node >= this.replay.size) return;
    Object.assign(this, { selected: node, looking: true, pinned: null });
    this.show();
    this.write();
  }

  open(node) {
    if (!this.opened.delete(node)) this.opened.add(node);
    this.show();
  }

  play(on) {
    clearInterval(this.playing);
    this.playing = 0;
    if (on && this.replay.rows) {
      if (this.step >= this.replay.rows && this.phase === "backup") this.go(0, "backup");
      this.playing = setInterval(() => guard(this.root, () => {
        if (this.step >= this.replay.rows && this.phase === "backup") return this.play(false);
        return this.speed === "very fast" ? this.leap(1) : this.move(1);
      }), SPEEDS[this.speed]);
    }
    const button = this.root.querySelector('[data-do="play"]');
    button.querySelector("path").setAttribute("d", ICONS[this.playing ? "pause" : "play"]);
    button.querySelector("span").textContent = this.playing ? "pause" : "play";
    button.setAttribute("aria-label", this.playing ? "Pause" : "Play");
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === "SELECT") return;
    if (e.key === " " && e.target.tagName === "BUTTON") return;
    const list = this.order || [], here = list.indexOf(this.selected);
    const keys = {
      " ": () => this.act("play"),
      ArrowRight: () => this.act(e.shiftKey ? "later" : "forward"),
      ArrowLeft: () => this.act(e.shiftKey ? "sooner" : "back"),
      Home: () => this.act("start"), End: () => this.act("end"),
      ArrowDown: () => here + 1 < list.length && this.select(list[here + 1]),
      ArrowUp: () => here > 0 && this.select(list[here - 1]),
      Enter: () => this.open(this.selected),
    };
    if (!keys[e.key] || (e.key === "Enter" && e.target.tagName === "BUTTON")) return;
    e.preventDefault();
    e.stopPropagation();
    keys[e.key]();
  }

  zoom(e) {
    if (!e.ctrlKey && !e.altKey) return;       // a plain wheel scrolls the page
    e.preventDefault();
    const p = this.sheet.pan, k = Math.max(0.4, Math.min(4, p.k * Math.exp(-e.deltaY / 400))), by = k / p.k;
    this.sheet.pan = { x: e.offsetX - (e.offsetX - p.x) * by, y: e.offsetY - (e.offsetY - p.y) * by, k };
    this.sheet.transform(this.sheet.scale);
  }

  dragging() {
    const tree = this.$("tree");
    let from = null;
    this.root.addEventListener("pointerdown", () => { this.dragged = false; }, true);
    tree.addEventListener("pointerdown", e => {
      from = e.button === 0 ? [e.clientX, e.clientY, this.sheet.pan.x, this.sheet.pan.y] : null;
    });
    tree.addEventListener("pointermove", e => {
      if (!from || !e.buttons || Math.hypot(e.clientX - from[0], e.clientY - from[1]) < 5) return;
      this.dragged = true;
      Object.assign(this.sheet.pan, { x: from[2] + e.clientX - from[0], y: from[3] + e.clientY - from[1] });
      this.sheet.transform(this.sheet.scale);
    });
  }

  resize() {
    const width = this.root.clientWidth, tree = this.$("tree");
    for (const [name, limit] of [["narrow", 780], ["tight", 600]]) this.root.classList.toggle("azl-" + name, width < limit);
    this.root.classList.toggle("azl-mid", width < 1040);
    const room = [width, tree.clientWidth, tree.clientHeight].join();
    if (room === this.room) return;
    this.room = room;
    this.show(0);
  }

  // Draws the moment.
  show(duration = null) {
    const { replay, step } = this, row = step - 1;
    const tree = this.$("tree"), sheet = { width: tree.clientWidth, height: tree.clientHeight };
    if (sheet.width < 80 || sheet.height < 80) return;       // hidden: drawn when there is room
    const phases = row >= 0 ? replay.phases(row) : [];
    const shown = phases.includes(this.phase) ? this.phase : "evaluate";
    const phase = row >= 0 ? shown : "backup";
    replay.seek(row < 0 ? 0 : phase === "backup" ? step : phase === "select" || phase === "expand" ? replay.opening[row] : row);
    const path = row >= 0 ? replay.path(this.record.steps.leaf[row]) : [0], ahead = new Set(phase === "backup" ? [] : path);
    const count = i => replay.N[i] + (ahead.has(i) ? 1 : 0), total = Math.max(1, replay.total(0) + (ahead.size ? 1 : 0));
    const size = i => nodeSize(replay, i, i < 0 ? 0 : count(i) / total);
    const layout = arrange(replay, size, sheet, {
      path, selected: this.selected, opened: this.opened, now: row < 0 ? -1 : replay.opening[row], count,
    });
    this.moment = {
      row, phase, path, count, view: this.view, selected: this.selected, describe: i => describe(replay, i, this.view),
    };
    const glide = this.still.matches ? 0 : Math.min(320, SPEEDS[this.speed] * 0.6);
    this.sheet.draw(scene(replay, layout, this.moment), layout, palette(this.root), duration ?? glide);
    this.order = layout.list.filter(v => v.kind === "node" && replay.born[v.id] <= row).map(v => v.id);
    this.roll(row, phase);
    this.panel();
    this.controls(row, phase);
    this.announce(layout);
    Object.assign(this.root.dataset, { step, phase, selected: this.selected, ready: "1" });
  }

  // In evaluate the rollout plays out, stone by stone.
  roll(row, phase) {
    clearTimeout(this.rolling);
    const stones = row >= 0 && phase === "evaluate" ? this.replay.rollout(row) : [];
    this.stones = stones;
    this.played = this.still.matches || SPEEDS[this.speed] < 300 ? stones.length : Math.min(1, stones.length);
    const pace = Math.min(160, (SPEEDS[this.speed] * (this.playing ? 0.75 : 2)) / Math.max(1, stones.length));
    const next = () => {
      if (this.played >= stones.length) return;
      this.played++;
      this.board();
      this.rolling = setTimeout(next, pace);
    };
    if (this.played < stones.length) this.rolling = setTimeout(next, pace);
  }

  board() {
    const { row, phase, path } = this.moment, leaf = path[path.length - 1];
    const atLeaf = row >= 0 && !this.looking && (phase === "expand" || phase === "evaluate");
    const i = atLeaf ? leaf : this.selected, stones = atLeaf ? this.stones.slice(0, this.played) : [];
    const what = atLeaf ? (phase === "expand" ? "the new leaf" : stones.length ? "rollout from the leaf" : "the leaf") : i === 0 ? "the root" : `move ${this.replay.label(i)}`;
    this.$("board").innerHTML = bigBoard(this.replay, i, stones, 210)
      + `<div class="azl-where"><b>${esc(what)}</b><br>${esc(status(this.replay, i))}${stones.length ? `<br>${stones.length} of ${this.stones.length} moves` : ""}</div>`;
  }

  panel() {
    const { replay, selected: i } = this, { row, phase, path } = this.moment;
    this.$("crumbs").innerHTML = crumbs(replay, i, path);
    this.board();
    const found = study(replay, i, row, phase, path), pinned = found.moves.find(m => m.action === this.pinned);
    this.$("table").innerHTML = table(replay, i, found);
    const tense = pinned ? "has the score" : found.chosen >= 0 && phase !== "backup" ? "is chosen" : "would be next";
    this.$("formula").innerHTML = formula(replay, i, pinned || found.best, tense);
    this.$("whose").textContent = found.moves.length ? `W and Q as ${mark(this.record.game, replay.toPlay[i])} sees them, who chooses here` : "";
  }

  controls(row, phase) {
    const say1 = say(this.replay, this.step, phase), box = this.$("say");
    if (box.innerHTML !== say1) box.innerHTML = say1;
    box.setAttribute("aria-live", this.playing ? "off" : "polite");
    this.root.querySelectorAll(".azl-phases button").forEach(b => {
      const on = row >= 0 && b.dataset.do === phase;
      b.setAttribute("aria-pressed", on);
      b.disabled = row < 0;
    });
    this.root.querySelectorAll(".azl-views button").forEach(b => b.setAttribute("aria-pressed", b.dataset.do === this.view));
    const sims = this.record.steps.simulation, all = sims[sims.length - 1] || 0;
    this.$("when").textContent = `simulation ${row < 0 ? 0 : sims[row]} of ${all}`;
    const line = this.$("timeline");
    line.setAttribute("aria-valuenow", this.step);
    line.setAttribute("aria-valuetext", `simulation ${row < 0 ? 0 : sims[row]} of ${all}, ${phase}`);
    this.timeline.draw(line.clientWidth, this.step);
  }

  // One hidden tree item stands for the selected node, for screen readers.
  announce(layout) {
    const i = this.selected, v = layout.list.find(t => t.id === i), up = i ? this.replay.parent[i] : -1;
    const siblings = up < 0 ? [0] : this.replay.kids[up], item = this.$("item");
    item.setAttribute("aria-level", this.replay.depth[i] + 1);
    item.setAttribute("aria-posinset", siblings.indexOf(i) + 1);
    item.setAttribute("aria-setsize", siblings.length);
    if (this.replay.kids[i].length) item.setAttribute("aria-expanded", Boolean(v && v.kids.length));
    else item.removeAttribute("aria-expanded");
    const text = describe(this.replay, i, this.view);
    if (item.textContent !== text) item.textContent = text;
  }
}

function render({ model, el }) {
  let explorer = null;
  const start = () => {
    if (explorer) explorer.close();
    explorer = null;
    el.replaceChildren();
    const record = model.get("record"), wrong = complaint(record);
    if (wrong) {
      const note = document.createElement("div");
      note.className = "azl azl-note";
      note.setAttribute("role", "status");
      note.dataset.ready = "1";
      note.textContent = wrong;
      el.append(note);
      return;
    }
    guard(el, () => { explorer = new Explorer(model, el, record); });
  };
  start();
  model.on("change:record", start);
  return () => {
    model.off("change:record", start);
    if (explorer) explorer.close();
  };
}

export default { render };
