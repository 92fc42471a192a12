// Compares two searches of one position: two linked explorers with a table of their differences
// between them. Each follows the other to the same simulation and the same position.

import { bigBoard, status, trail } from "./bigboard.js";
import { element, html, put } from "./dom.js";
import { Explorer } from "./explorer.js";
import { Fit } from "./sizing.js";
import { Kernel } from "./kernel.js";
import { Saver } from "./model_sync.js";
import { moveLabel } from "./replay.js";
import { calm, guard } from "./widget_common.js";
import { follow, lineTo, preference, tableOfTwo } from "./versus.js";

const SIDES = ["left", "right"], HEARD = ["simulation", "phase", "line", "notice"];

// The model of one explorer: it stores what is set, and adds its side to messages to Python.
function half(model, side) {
  const state = { alone: model.get("alone") };
  return {
    get: name => state[name], set(name, value) { state[name] = value; }, on() {}, off() {}, save_changes() {},
    send: content => model.send({ ...content, side }),
  };
}

const FRAME = html`<div class="azl azl-c"><div class="azl-verdict" data-both="verdict" role="status"></div>
<div class="azl-pair"><section data-both="left"></section><div class="azl-under" data-both="under"><div class="azl-crumbs" role="group" data-both="crumbs" aria-label="Path"></div><div class="azl-two" data-both="board"></div>
<div class="azl-panel azl-versus" data-both="table" tabindex="0" role="group" aria-label="Moves of the selected position in both searches" data-lm-suppress-shortcuts="true"></div></div><section data-both="right"></section></div><footer role="none" data-both="steps"></footer></div>`;

class Comparison {
  constructor(model, el) {
    Object.assign(this, { model, busy: true, saver: new Saver(model), root: element(FRAME) });
    const { root } = this, safe = f => e => guard(root, () => f(e));
    this.$ = name => root.querySelector(`[data-both="${name}"]`);
    root.dataset.field = model.get("left").game.drawing.field;
    el.append(root);
    this.fit = new Fit(root, model.get("alone") === "page");
    this.kernel = new Kernel(model, safe(() => this.under()));
    this.models = SIDES.map(side => half(model, side));
    this.halves = SIDES.map((side, k) => {
      this.give(k);
      return new Explorer(this.models[k], this.$(side), model.get(side), {
        half: true, onMoment: x => this.moved(k, x), player: () => this.halves && this.longer,
      });
    });
    for (const x of this.halves) {             // both share the controls of the longer search
      x.root.querySelector("footer").prepend(x.$("when"));
      this.$("steps").append(x.controls);
    }
    this.name();
    root.addEventListener("click", safe(e => this.click(e)));
    this.$("steps").addEventListener("click", safe(e => this.longer.input.click(e)));
    for (const part of ["steps", "under"]) this.$(part).addEventListener("keydown", safe(e => this.longer.input.key(e)));
    this.hear = safe(() => {
      if (!this.saver.writing) this.read();
    });
    for (const name of HEARD) model.on("change:" + name, this.hear);
    this.observer = new ResizeObserver(safe(() => this.resize()));
    this.observer.observe(root);
    this.resize();
    this.read();
  }

  // The explorer of the search with more simulations.
  get longer() {
    const [a, b] = this.halves;
    return b.replay.simulation(b.replay.rows) > a.replay.simulation(a.replay.rows) ? b : a;
  }

  give(k) {
    const record = this.model.get(SIDES[k]), own = this.models[k];
    Object.entries({ record, step: record.steps.leaf.length, phase: "backup", selected: null }).forEach(([name, value]) => own.set(name, value));
  }

  // Shows the names of the two searches.
  name() {
    this.names = this.model.get("labels");
    this.halves.forEach((x, k) => {
      this.$(SIDES[k]).setAttribute("aria-label", this.names[k]);
      x.root.dataset.name = x.$("name").textContent = this.names[k];
    });
    this.under();
  }

  // Replaces the record on side k, for example after a rerun.
  load(k) {
    this.busy = true;
    this.give(k);
    this.halves[k].load(this.model.get(SIDES[k]));
    this.read();
  }

  // Goes to the moment and line set by Python.
  read() {
    const { model, longer } = this;
    Object.assign(this, { simulation: model.get("simulation") ?? longer.replay.simulation(longer.replay.rows), phase: model.get("phase") || "backup", line: model.get("line") });
    this.place();
  }

  close() {
    for (const name of HEARD) this.model.off("change:" + name, this.hear);
    for (const part of [this.kernel, ...this.halves]) part.close();
    this.fit.end();
    this.observer.disconnect();
    this.root.remove();
  }

  // Called when an explorer has drawn a moment. If the moment is new, the reader has gone there.
  moved(k, x) {
    if (this.busy) return;
    const was = this.at[k], stepped = x.step !== was.step || x.phase !== was.phase, picked = x.selected !== was.selected;
    if (stepped) Object.assign(this, { simulation: x.replay.simulation(x.step), phase: x.moment.phase });
    if (picked && (x.selected >= 0 || !stepped)) this.line = lineTo(x.replay, Math.max(0, x.selected));      // otherwise the node was unpinned because it is not in the tree yet
    if (!stepped && !picked) return this.under();
    this.place(x);
    this.write();
  }

  write() {
    const { simulation, phase, line } = this;
    this.saver.write({ simulation, phase, line });
  }

  // Moves both trees to the reader's simulation and position; from: the explorer that is already there.
  place(from = null) {
    this.busy = true;
    this.found = this.halves.map(x => {
      const { step, phase } = x === from ? x : x.replay.moment(this.simulation, this.phase), found = follow(x.replay, this.line, step - 1, phase);
      if (x !== from || (this.line.length && x.selected !== found.node)) {
        for (const up of x.replay.path(found.node).slice(0, -1)) x.closed.delete(up);
        Object.assign(x, { step, phase, selected: found.node || -1, decision: 0, chosen: null });
        x.show(from && from.clock.held ? 0 : null, Boolean(from && from.motion));
      }
      return found;
    });
    this.at = this.halves.map(({ step, phase, selected }) => ({ step, phase, selected }));
    this.busy = false;
    this.under();
  }

  // A click between the trees moves along the line that both show.
  click(e) {
    const into = e.target.closest("[data-into]"), back = e.target.closest("[data-back]");
    if (!into && !back) return;
    this.line = into ? [...this.line, Number(into.dataset.into)] : this.line.slice(0, Number(back.dataset.back));
    this.place();
    this.write();
    this.$("table").focus({ preventScroll: true });
  }

  resize() {
    this.fit.measure();
    const width = this.root.clientWidth;
    for (const [name, on] of [["stacked", width < 780], ["wide", width >= 1180]]) this.root.classList.toggle("azl-" + name, on);
    this.under();
  }

  // Draws everything except the trees.
  under() {
    const { halves, found, names, simulation, phase, line } = this;
    for (const x of halves) x.controls.hidden = x !== this.longer;
    if (this.busy || halves.some(x => !x.moment)) return;       // hidden: drawn once visible
    const replays = halves.map(x => x.replay), done = halves.map((x, k) => (replays[k].rows ? replays[k].simulation(x.step) - (x.phase === "backup" ? 0 : 1) : replays[k].total(0)));
    const notice = this.kernel.trouble || this.model.get("notice");
    put(this.$("verdict"), [notice && html`<b>${notice}</b> `, preference(replays, names, done)]);
    this.$("verdict").setAttribute("aria-live", halves.some(x => x.playing) ? "off" : "polite");
    const reached = found.map(f => f.reached === line.length), shown = Math.max(0, reached.indexOf(true)), replay = replays[shown], { node } = found[shown], way = [0, ...replay.path(node).slice(1)];
    put(this.$("crumbs"), trail(replay, way, node, (_, n) => ({ "data-back": n })));
    const missing = names.filter((_, k) => !reached[k]).map(name => html`<br><i>${name}</i> has no node here yet`);
    const what = node ? `after ${way.slice(1).map(i => replay.label(i)).join(" ")}` : "the root";
    put(this.$("board"), [bigBoard(replay, node, { width: 190, height: this.root.clientHeight > 640 ? 190 : 106 }), html`<p><b>${what}</b><br>${status(replay, node)}${missing}</p>`]);
    put(this.$("table"), tableOfTwo(replays, found.map((f, k) => (reached[k] ? f.node : -1)), names, this.root.classList.contains("azl-wide")));
    Object.assign(this.root.dataset, { simulation, phase, line: line.map(a => moveLabel(replay.record, a)).join(" "), ready: "1" });
    calm(this.root);
  }
}

function render({ model, el }) {
  let shown = null;
  el.replaceChildren();
  guard(el, () => { shown = new Comparison(model, el); });
  const change = work => () => shown && guard(shown.root, work);
  const heard = { "change:labels": change(() => shown.name()), "change:left": change(() => shown.load(0)), "change:right": change(() => shown.load(1)) };
  for (const event in heard) model.on(event, heard[event]);
  return () => {
    for (const event in heard) model.off(event, heard[event]);
    if (shown) shown.close();
  };
}

export default { render };
