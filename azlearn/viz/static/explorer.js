// The explorer: one record and the moment shown. Buttons, keys, Python and other viewers control it
// through its methods.

import { Autoplay } from "./autoplay.js";
import { Clock } from "./clock.js";
import { Sheet } from "./draw.js";
import { Finder } from "./finder.js";
import { Fit } from "./sizing.js";
import { caption, frame } from "./frame.js";
import { Icicle } from "./icicle.js";
import { Input } from "./input.js";
import { Kernel } from "./kernel.js";
import { arrange } from "./layout.js";
import { Link } from "./model_sync.js";
import { palette } from "./paint.js";
import { Popover } from "./popover.js";
import { Preview } from "./preview.js";
import { Replay } from "./replay.js";
import { describe } from "./narration.js";
import { boardSize, decisions, scene } from "./scene.js";
import { calm, guard, watchTheme } from "./widget_common.js";
import { Side } from "./side_panel.js";
import { Timeline } from "./timeline.js";
import { Tour } from "./tour.js";

const SLOW = 6000;             // milliseconds without an answer until a message says so
const ANY = { depth: Infinity, visits: 0 };

// model: has get, set, on, off, save_changes and send, like a widget's model. options: half (part of a
// comparison, without the panel), onMoment(explorer), called after each moment is drawn, and player(),
// which returns the explorer whose clock plays the search.
export class Explorer {
  constructor(model, el, record, options = {}) {
    Object.assign(this, { model, options, view: "mover", opened: new Set(), closed: new Set(), filter: { ...ANY } });
    this.selected = -1;            // the node pinned in the panel; -1: the panel follows the search
    this.decision = 0;             // index of the choice on the path that select shows
    this.chosen = null;            // the move whose formula is shown, if the reader chose one
    this.motion = null;            // {pace, landed} if the change to this moment is animated
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.root = frame(el, record, options);
    const parts = new Map([...this.root.querySelectorAll("[data-part]")].map(e => [e.dataset.part, e]));
    this.$ = name => parts.get(name);
    this.controls = this.root.querySelector("footer .azl-row");      // a comparison moves them out of the frame
    this.sheet = new Sheet(this.$("tree"));
    this.clock = new Clock(this);
    this.side = new Side(this);
    this.timeline = new Timeline(this.$("timeline"), step => this.go(step, "backup"));
    this.icicle = new Icicle(this);
    this.finder = new Finder(this);
    this.popover = new Popover(this);
    this.preview = new Preview(this);
    this.tour = new Tour(this, model.get("tour") || []);
    this.kernel = new Kernel(model, () => guard(this.root, () => this.link.notice()));
    this.link = new Link(this);
    this.take(record);
    this.input = new Input(this);
    if (!options.half) this.fit = new Fit(this.root, model.get("alone") === "page");
    this.link.listen();
    this.observer = new ResizeObserver(() => guard(this.root, () => this.resize()));
    for (const e of [this.root, this.$("tree"), this.$("panel")]) this.observer.observe(e);
    this.unwatch = watchTheme(() => guard(this.root, () => this.show(0)));
    this.resize();
    if (this.tour.stops.length) this.tour.go(0);
    this.autoplay = new Autoplay(this, options.half ? 0 : model.get("autoplay"));
  }

  get player() {
    return (this.options.player && this.options.player()) || this;
  }

  get playing() {
    return this.player.clock.playing;
  }

  // The node shown in the panel.
  get focus() {
    const { row, phase, path, decision } = this.moment;
    return this.selected >= 0 ? this.selected : row < 0 ? 0 : phase === "select" ? path[decision] : path[path.length - 1];
  }

  // Shows a record.
  take(record) {
    this.record = record;
    this.replay = new Replay(record);
    this.timeline.take(this.replay);
    this.sheet.game = record.game;
    this.root.dataset.field = record.game.drawing.field;
    this.finder.tell("");
    caption(this.root, record, this.model.get("knobs") || {});
    this.link.read();
  }

  // Replaces the record, for example after a rerun. Opened nodes stay open, matched by their moves,
  // and nodes glide to their new places.
  load(record) {
    const old = this.replay, known = new Map([[0, 0]]), pending = this.link.saver.waiting ? this.selected : -1;
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
    if (pending >= 0) {            // selected here, and not yet sent to Python
      let i = pending;
      while (same(i) < 0) i = old.parent[i];
      this.selected = same(i);
      this.link.write();
    }
    this.sheet.rename(same);
    this.chosen = null;
    this.link.notice();
    this.show();
  }

  close() {
    for (const part of [this.link, this.knobs, this.clock, this.kernel, this.autoplay]) if (part) part.close();
    for (const part of [this.fit, this.popover]) if (part) part.end();
    this.preview.hide();
    clearTimeout(this.finder.waiting);
    cancelAnimationFrame(this.sheet.frame);
    this.observer.disconnect();
    this.unwatch();
    this.root.remove();
  }

  play(on) {
    this.player.clock.play(on);
  }

  // Moves one phase forward or back.
  move(by, held = false) {
    if (!this.replay.rows) return;
    const phases = this.step ? this.replay.phases(this.step - 1) : [], k = phases.indexOf(this.phase) + by, moves = by > 0 && !held;
    if (this.step && k >= 0 && k < phases.length && phases.includes(this.phase)) this.go(this.step, phases[k], moves);
    else if (by > 0 && this.step < this.replay.rows) this.go(this.step + 1, this.replay.phases(this.step)[0], moves);
    else if (by < 0 && this.step > 0) this.go(this.step - 1, "backup");
  }

  // Moves one whole simulation forward or back.
  leap(by) {
    const done = this.phase === "backup";
    this.go(Math.max(0, Math.min(this.replay.rows, by < 0 && !done ? this.step - 1 : this.step + by)), "backup");
  }

  // moves: whether to animate the change from the previous moment.
  go(step, phase, moves = false) {
    if (!this.replay.rows || (step === this.step && phase === this.phase)) return;
    this.visit(step, phase, this.selected, moves);
  }

  // Goes to a moment, with a node pinned (-1: none). A node that is not in the tree yet is unpinned.
  visit(step, phase, node, moves) {
    Object.assign(this, { step, phase, selected: node, decision: 0, chosen: null });
    this.finder.tell("");
    this.show(null, moves);
    this.link.write();
  }

  // Replays the animation of this moment.
  again() {
    this.show(null, true);
  }

  // Pins a node in the panel.
  select(node) {
    if (node < 0 || node >= this.replay.size) return;
    Object.assign(this, { selected: node, chosen: null });
    for (const up of this.replay.path(node).slice(0, -1)) this.closed.delete(up);
    this.show();
    this.sheet.bring(node);
    this.link.write();
  }

  // Makes the panel follow the search.
  follow() {
    if (this.selected < 0) return;
    Object.assign(this, { selected: -1, chosen: null });
    this.show();
    this.link.write();
  }

  // Sets the choice on the path that select compares.
  decide(k) {
    Object.assign(this, { decision: k, chosen: null });
    this.show();
  }

  // Shows the nodes that a stub stands for, or hides them again.
  open(node) {
    if (this.closed.delete(node)) return this.show();
    if (this.replay.more(node)) return this.grow(node);
    if (!this.opened.delete(node)) (this.hidden(node) ? this.opened : this.closed).add(node);
    this.show();
  }

  // Shows or hides all children of a node.
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

  // The number of children of a node that are not drawn.
  hidden(node) {
    const v = this.layout.list.find(t => t.id === node);
    return v ? v.hidden : 0;
  }

  // Asks Python for the children of a node, which the record left out because there are too many.
  grow(node) {
    if (this.model.get("alone")) return this.finder.tell("These nodes are not in this file. Open the search in a notebook to see them.");
    this.opened.add(node);
    this.finder.tell("Asking Python for these nodes …", SLOW, "No answer from Python, so these nodes cannot be shown. Is the kernel running?");
    if (!this.kernel.send({ do: "grow", node })) this.finder.tell(this.kernel.trouble);
  }

  // Shows the formula of one move of the node in the panel.
  pin(action) {
    this.chosen = action;
    this.side.panel();
    this.tour.mark();
  }

  setView(view) {
    this.view = view;
    this.show();
  }

  // Hides nodes that are deeper or have fewer visits than the filter allows.
  sieve(filter) {
    Object.assign(this.filter, filter);
    this.show();
  }

  // Switches between the tree and the icicle.
  showWhole(on) {
    this.icicle.on = on;
    this.$("whole").hidden = !on;
    this.root.classList.toggle("azl-icicled", on);
    for (const [name, shown] of [["tree", !on], ["icicle", on]]) this.root.querySelector(`[data-do="${name}"]`).setAttribute("aria-pressed", shown);
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
    this.view = "mover";
    this.sheet.fit();
    this.show();
  }

  resize() {
    if (this.fit) this.fit.measure();        // before this, the widget may not have been on the page
    const { root } = this, width = root.clientWidth, sized = name => [this.$(name).clientWidth, this.$(name).clientHeight].join();
    root.classList.toggle("azl-narrow", width < 780);
    root.classList.toggle("azl-slim", width < 1000);
    root.classList.toggle("azl-tight", width < 860);
    root.classList.toggle("azl-wide", width >= 1180);
    const room = [width, sized("tree"), sized("panel")].join();
    if (room === this.room) return;
    this.room = room;
    this.show(0);
  }

  // The row, phase and path that the numbers on the screen belong to.
  now() {
    const { replay, step } = this, row = step - 1, phases = row >= 0 ? replay.phases(row) : [];
    const phase = row < 0 ? "backup" : phases.includes(this.phase) ? this.phase : "evaluate";
    replay.seek(row < 0 ? 0 : phase === "backup" ? step : phase === "select" || phase === "expand" ? replay.opening[row] : row);
    const path = row >= 0 ? replay.path(this.record.steps.leaf[row]) : [0], ahead = new Set(phase === "backup" ? [] : path);
    const count = i => replay.N[i] + (ahead.has(i) ? 1 : 0), total = Math.max(1, replay.total(0) + (ahead.size ? 1 : 0));
    if (this.selected > 0 && !replay.exists(this.selected, row, phase)) this.selected = -1;
    const choices = row < 0 ? 1 : decisions(replay, row, path).length, decision = Math.max(0, Math.min(this.decision, choices - 1));
    return {
      row, phase, path, count, total, decision, view: this.view, selected: this.selected,
      describe: i => describe(replay, i, this.view),
    };
  }

  // Reads colors and sizes before anything is changed; afterward each read would cost a layout.
  measure() {
    const size = name => ({ width: this.$(name).clientWidth, height: this.$(name).clientHeight });
    this.colors = palette(this.root);
    this.sizes = { timeline: size("timeline"), icicle: size("icicle") };
    return size("tree");
  }

  // Draws the moment. duration: how long nodes glide, in milliseconds; moves: whether to animate the
  // path and the climbing value.
  show(duration = null, moves = false) {
    const { replay, clock, side } = this, sheet = this.measure();
    if (sheet.width < 80 || sheet.height < 80) {       // hidden: drawn once visible
      this.room = "";
      return;
    }
    const moment = (this.moment = this.now()), { row, phase, path, count } = moment, { pace } = clock;
    moment.ring = this.tour.ring;
    this.preview.hide();
    this.motion = moves && pace ? { pace, landed: k => guard(this.root, () => side.land(k)) } : null;
    const layout = (this.layout = arrange(replay, boardSize(this.record.game), sheet, {
      path, phase, row, leaf: path[path.length - 1], selected: this.selected, opened: this.opened, closed: this.closed, filter: this.filter, rooted: Boolean(this.options.half) || row === replay.rows - 1,
      now: row < 0 ? -1 : replay.opening[row], count,
    }));
    const zoomed = this.sheet.pan.k !== 1, held = zoomed && this.sheet.spot(this.focus);
    this.sheet.draw(scene(replay, layout, moment), layout, this.colors, duration ?? (moves || !clock.held ? clock.glide : 0), this.motion);
    if (held) this.sheet.hold(this.focus, held);
    this.order = layout.list.filter(v => v.kind === "node" && replay.exists(v.id, row, phase)).map(v => v.id);
    clock.roll(row >= 0 && phase === "evaluate" ? replay.rollout(row) : [], moves, () => side.panel());
    side.draw();
    this.tour.mark();
    if (this.icicle.on) this.icicle.draw();
    Object.assign(this.root.dataset, { step: this.step, phase, selected: this.selected, ready: "1" });
    calm(this.root);
    if (this.options.onMoment) this.options.onMoment(this);
  }
}
