// The explorer: one record and the moment of it that is shown. Its methods are what buttons, keys,
// Python and other viewers can do with it.

import { remark } from "./check.js";
import { Clock } from "./clock.js";
import { Sheet } from "./draw.js";
import { Input } from "./input.js";
import { Knobs } from "./knobs.js";
import { Finder } from "./finder.js";
import { Icicle } from "./icicle.js";
import { arrange } from "./layout.js";
import { palette } from "./paint.js";
import { PHASES, Replay } from "./replay.js";
import { describe } from "./say.js";
import { nodeSize, scene } from "./scene.js";
import { calm, caption, frame, guard, watchTheme } from "./shell.js";
import { Side } from "./side.js";
import { Timeline } from "./timeline.js";

const SLOW = 6000;             // milliseconds without an answer until a sentence says so
const ANY = { depth: Infinity, visits: 0 };
const MANY = 1000;             // nodes: from here on the whole tree is shown from the start
const SHARED = ["step", "phase", "selected"];

// model: get, set, on, off, save_changes and send, as a widget's model has them. options: compact
// (no side panel and no footer), onMoment(explorer), called whenever a moment has been drawn.
export class Explorer {
  constructor(model, el, record, options = {}) {
    Object.assign(this, { model, options, view: "mover", opened: new Set(), closed: new Set(), filter: { ...ANY } });
    this.pinned = null;            // the move whose formula is shown, if the reader chose one
    this.looking = false;          // the reader clicked a node in this phase: show its board
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.root = frame(el, options);
    const parts = new Map([...this.root.querySelectorAll("[data-part]")].map(e => [e.dataset.part, e]));
    this.$ = name => parts.get(name);
    this.sheet = new Sheet(this.$("tree"));
    this.clock = new Clock(this);
    this.side = new Side(this);
    this.timeline = new Timeline(this.$("timeline"), step => this.go(step, "backup"));
    this.icicle = new Icicle(this);
    this.finder = new Finder(this);
    this.take(record);
    this.showWhole(this.replay.size > MANY && !options.compact);
    this.input = new Input(this);
    this.listen();
    this.resize();
  }

  get playing() {
    return this.clock.playing;
  }

  // Makes a record the one that is shown.
  take(record) {
    this.record = record;
    this.replay = new Replay(record);
    this.timeline.take(this.replay);
    this.sheet.game = record.game;
    this.finder.tell("");
    caption(this.root, record);
    this.read();
  }

  // Another record in the place of this one, such as a rerun: what was opened stays open, by its
  // moves, and nodes glide to their new places.
  load(record) {
    const old = this.replay, known = new Map([[0, 0]]), pending = this.saving ? this.selected : null;
    this.play(false);
    this.take(record);
    const same = i => {            // the node after the same moves in the new record, or -1
      if (!known.has(i)) {
        const up = same(old.parent[i]);
        known.set(i, up < 0 ? -1 : this.replay.child(up, old.action[i]));
      }
      return known.get(i);
    };
    for (const name of ["opened", "closed"]) this[name] = new Set([...this[name]].map(same).filter(i => i >= 0));
    this.icicle.rename(same);
    if (pending !== null) {        // chosen here, and Python has not heard of it yet
      let i = pending;
      while (same(i) < 0) i = old.parent[i];
      this.selected = same(i);
      this.write();
    }
    this.sheet.rename(same);
    this.pinned = null;
    this.onNotice();
    this.show();
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
    for (const name of SHARED) this.model.set(name, this[name]);
    this.writing = false;
    clearTimeout(this.saving);
    this.saving = setTimeout(() => {
      this.saving = 0;
      this.model.save_changes();
    }, 60);
  }

  listen() {
    const { root, model } = this;
    this.onModel = () => guard(root, () => {
      const record = model.get("record");
      if (this.writing || (record && record !== this.record)) return;   // load() comes next
      const before = SHARED.map(name => this[name]).join();
      this.read();
      if (SHARED.map(name => this[name]).join() !== before) this.show();
    });
    this.onNotice = () => { this.$("notice").textContent = model.get("notice") || remark(this.record); };
    this.onKnobs = () => guard(root, () => {
      const wanted = Object.keys(model.get("knobs") || {}).length > 0;
      if (wanted && !this.knobs) this.knobs = new Knobs(model, this.$("knobs"));
    });
    for (const name of SHARED) model.on("change:" + name, this.onModel);
    model.on("change:notice", this.onNotice);
    model.on("change:knobs", this.onKnobs);
    this.onNotice();
    this.onKnobs();
    this.observer = new ResizeObserver(() => guard(root, () => this.resize()));
    this.observer.observe(root);
    this.observer.observe(this.$("tree"));
    this.unwatch = watchTheme(() => guard(root, () => this.show(0)));
  }

  close() {
    for (const name of SHARED) this.model.off("change:" + name, this.onModel);
    this.model.off("change:notice", this.onNotice);
    this.model.off("change:knobs", this.onKnobs);
    if (this.knobs) this.knobs.close();
    this.clock.close();
    clearTimeout(this.finder.waiting);
    cancelAnimationFrame(this.sheet.frame);
    this.observer.disconnect();
    this.unwatch();
    this.root.remove();
  }

  play(on) {
    this.clock.play(on);
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
    for (const up of this.replay.path(node).slice(0, -1)) this.closed.delete(up);
    this.show();
    this.sheet.bring(node);
    this.write();
  }

  // Shows what a stub stands for, or hides it again.
  open(node) {
    if (this.closed.delete(node)) return this.show();
    if (this.replay.more(node)) return this.grow(node);
    if (!this.opened.delete(node)) (this.hidden(node) ? this.opened : this.closed).add(node);
    this.show();
  }

  // All children of a node, or none of them.
  toggle(node) {
    if (this.replay.more(node)) return this.grow(node);
    if (!this.replay.kids[node].length) return;
    if (this.closed.delete(node) || this.hidden(node)) this.opened.add(node);
    else {
      this.opened.delete(node);
      this.closed.add(node);
    }
    this.show();
  }

  // How many children of a node are not drawn.
  hidden(node) {
    const v = this.layout.list.find(t => t.id === node);
    return v ? v.hidden : 0;
  }

  // Asks Python for the children of a node, which the record has left out for their number.
  grow(node) {
    if (this.model.get("alone")) return this.finder.tell("These nodes are not in this file: open the search in a notebook to see them.");
    this.opened.add(node);
    this.finder.tell("Asking Python for these nodes …", SLOW, "No answer from Python: these nodes are not in this file. Is the kernel running?");
    this.model.send({ do: "grow", node });
  }

  // Shows the formula of one move of the selected node.
  pin(action) {
    this.pinned = action;
    this.side.panel();
  }

  setView(view) {
    this.view = view;
    this.show();
  }

  // Keeps nodes out that are deeper, or have fewer visits.
  sieve(filter) {
    Object.assign(this.filter, filter);
    this.show();
  }

  // The icicle below the tree.
  showWhole(on) {
    this.icicle.on = on;
    this.$("whole").hidden = !on;
    this.root.querySelector('[data-do="whole"]').setAttribute("aria-pressed", on);
    if (!on || !this.moment) return;
    this.measure();
    this.icicle.draw();
  }

  reset() {
    this.opened.clear();
    this.closed.clear();
    this.finder.clear();
    this.icicle.zoom(0);
    Object.assign(this.filter, ANY);
    this.sheet.look({ x: 0, y: 0, k: 1 });
    this.show();
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

  // Which row, phase and path the numbers on the screen belong to.
  now() {
    const { replay, step } = this, row = step - 1, phases = row >= 0 ? replay.phases(row) : [];
    const phase = row < 0 ? "backup" : phases.includes(this.phase) ? this.phase : "evaluate";
    replay.seek(row < 0 ? 0 : phase === "backup" ? step : phase === "select" || phase === "expand" ? replay.opening[row] : row);
    const path = row >= 0 ? replay.path(this.record.steps.leaf[row]) : [0], ahead = new Set(phase === "backup" ? [] : path);
    const count = i => replay.N[i] + (ahead.has(i) ? 1 : 0), total = Math.max(1, replay.total(0) + (ahead.size ? 1 : 0));
    return {
      row, phase, path, count, total, view: this.view, selected: this.selected,
      describe: i => describe(replay, i, this.view),
    };
  }

  // Colours and sizes, read before anything is changed: afterwards each would cost a layout.
  measure() {
    const size = name => ({ width: this.$(name).clientWidth, height: this.$(name).clientHeight });
    this.colors = palette(this.root);
    this.sizes = { timeline: size("timeline"), icicle: size("icicle") };
    return size("tree");
  }

  // Draws the moment.
  show(duration = null) {
    const { replay } = this, sheet = this.measure();
    if (sheet.width < 80 || sheet.height < 80) return;       // hidden: drawn when there is room
    const moment = (this.moment = this.now()), { row, phase, path, count, total } = moment;
    const size = i => nodeSize(replay, i, i < 0 ? 0 : count(i) / total);
    const layout = (this.layout = arrange(replay, size, sheet, {
      path, selected: this.selected, opened: this.opened, closed: this.closed, filter: this.filter,
      now: row < 0 ? -1 : replay.opening[row], count,
    }));
    const held = this.sheet.pan.k !== 1 && this.sheet.spot(this.selected);
    this.sheet.draw(scene(replay, layout, moment), layout, this.colors, duration ?? this.clock.glide);
    if (held) this.sheet.hold(this.selected, held);
    this.order = layout.list.filter(v => v.kind === "node" && replay.born[v.id] <= row).map(v => v.id);
    this.clock.roll(row >= 0 && phase === "evaluate" ? replay.rollout(row) : [], () => this.side.board());
    this.side.draw();
    this.side.announce();
    if (this.icicle.on) this.icicle.draw();
    Object.assign(this.root.dataset, { step: this.step, phase, selected: this.selected, ready: "1" });
    calm(this.root);
    if (this.options.onMoment) this.options.onMoment(this);
  }
}
