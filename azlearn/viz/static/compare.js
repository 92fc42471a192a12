// Two searches of one position side by side: one set of controls, one selection, one table.

import { Clock } from "./clock.js";
import { bigBoard, status, trail, whoHtml } from "./bigboard.js";
import { html, put } from "./dom.js";
import { Explorer } from "./explorer.js";
import { Fit } from "./fit.js";
import { controlsHtml, viewsHtml } from "./frame.js";
import { Kernel } from "./kernel.js";
import { keyHtml } from "./key.js";
import { Popover } from "./popover.js";
import { moveLabel, PHASES } from "./replay.js";
import { say } from "./say.js";
import { calm, gameName, guard, ruleName, watchTheme } from "./shell.js";
import { GUTTER, Timeline } from "./timeline.js";
import { Course, follow, lineTo, preference, tableOfTwo } from "./versus.js";

const SIDES = ["left", "right"], SHARED = ["simulation", "phase", "line"], HEARD = [...SHARED, "notice"];

// The model of one half: what an explorer asks its model for.
function half(model, side) {
  const record = model.get(side), state = { record, step: record.steps.leaf.length, phase: "backup", selected: 0, alone: model.get("alone") };
  return {
    get: name => state[name], set(name, value) { state[name] = value; }, on() {}, off() {}, save_changes() {},
    send: content => model.send({ ...content, side }),
  };
}

class Comparison {
  constructor(model, el) {
    Object.assign(this, { model, names: model.get("labels"), busy: true, told: ["", ""], still: matchMedia("(prefers-reduced-motion: reduce)") });
    this.root = document.createElement("div");
    this.root.className = "azl azl-c";
    this.root.dataset.field = model.get("left").game.drawing.field;
    put(this.root, this.frame());
    this.$ = name => this.root.querySelector(`[data-both="${name}"]`);
    el.append(this.root);
    const { root } = this, capture = f => e => guard(root, () => f(e));
    root.addEventListener("keydown", capture(e => this.key(e)), true);
    root.addEventListener("click", capture(e => this.click(e)));
    this.kernel = new Kernel(model, () => guard(root, () => this.show()));
    this.models = SIDES.map(side => half(model, side));
    this.halves = this.models.map((own, k) => new Explorer(own, this.$(SIDES[k]), own.get("record"), {
      compact: true, onMoment: x => this.heard(k, x), onTell: text => { this.told[k] = text; },
    }));
    root.style.setProperty("--azl-hatching", this.halves[0].root.style.getPropertyValue("--azl-hatching"));
    const controls = this.$("controls");
    for (const b of root.querySelectorAll("button, select")) b.setAttribute("data-lm-suppress-shortcuts", "true");
    this.clock = new Clock(this.asOne());
    controls.querySelector("select").addEventListener("change", e => [this.clock, ...this.halves.map(x => x.clock)].forEach(c => c.setSpeed(e.target.value)));
    this.lines = SIDES.map((side, k) => new Timeline(this.$(`time-${side}`), step => this.go(this.courses[k].simulationOf(step), "backup"), 28));
    this.onModel = () => guard(root, () => {
      if (this.writing) return;
      this.read();
      this.show();
    });
    for (const name of HEARD) model.on("change:" + name, this.onModel);
    this.observer = new ResizeObserver(() => guard(root, () => this.resize()));
    this.observer.observe(root);
    this.popover = new Popover({ root, $: name => root.querySelector(`:scope > header [data-part="${name}"]`) });
    this.fit = new Fit(root, model.get("alone") === "page");
    this.unwatch = watchTheme(() => guard(root, () => this.show()));
    this.take();
  }

  frame() {
    const [a, b] = this.names, record = this.model.get("left"), { game, root } = record;
    const pane = (side, name) => html`<section class="azl-pane" data-both="pane-${side}" aria-label="${name}"><div class="azl-pane-name"><b data-both="name-${side}">${name}</b><span class="azl-quiet" data-both="when-${side}"></span></div><p class="azl-pane-say" data-both="say-${side}"></p><div data-both="${side}"></div></section>`;
    const time = (side, name) => html`<span class="azl-time-name" data-both="time-name-${side}">${name}</span><span class="azl-time-box"><svg class="azl-time" data-both="time-${side}" aria-hidden="true"></svg></span>`;
    return html`<header role="none"><b>Two searches</b><span>${gameName(game)}, ${whoHtml(game, root.to_play)} to move</span><span class="azl-spring"></span>
<span class="azl-quiet">Q as seen by</span>${viewsHtml(game)}<button type="button" data-do="reset" title="Close what was opened, undo zoom and pan">Reset</button><button type="button" data-pop="key" aria-haspopup="dialog" aria-expanded="false" aria-label="Key and keyboard" title="Key and keyboard">?</button>
<div class="azl-pop" data-part="key" role="dialog" aria-label="Key and keyboard" hidden>${keyHtml(record)}</div></header>
<div class="azl-verdict" data-both="verdict" role="status"></div>
<div class="azl-pair">${pane("left", a)}<div class="azl-under"><div class="azl-crumbs" role="group" data-both="crumbs" aria-label="Path"></div><div class="azl-two" data-both="board"></div>
<div class="azl-panel azl-versus" data-both="table" tabindex="0" role="group" aria-label="Moves of the selected position in both searches" data-lm-suppress-shortcuts="true"></div></div>${pane("right", b)}</div>
<footer role="none" data-both="controls"><div class="azl-row">${controlsHtml}<span class="azl-when" data-both="when"></span></div>
<div class="azl-times" data-both="times" tabindex="0" role="slider" aria-label="Simulation" aria-valuemin="0" data-lm-suppress-shortcuts="true" title="Share of the visits of each first move: click to go there">${time("left", a)}${time("right", b)}</div></footer>`;
  }

  // What the clock needs of an explorer, for both of them.
  asOne() {
    const self = this;
    return {
      get root() { return self.$("controls"); }, get replay() { return { rows: self.length }; },
      get step() { return self.simulation; }, get phase() { return self.phase; }, get moment() { return self.halves[0].moment; }, get still() { return self.still; },
      go: (s, phase) => self.go(s, phase), move: by => self.move(by), leap: by => self.leap(by),
    };
  }

  // The records anew: what follows from them, and where the reader is.
  take() {
    this.courses = this.halves.map(x => new Course(x.replay));
    this.length = Math.max(...this.courses.map(c => c.length));
    this.lines.forEach((line, k) => {
      line.take(this.halves[k].replay);
      const share = this.courses[k].length / Math.max(1, this.length);     // of the bands, which end before the labels
      line.svg.style.width = `calc(${100 * share}% + ${GUTTER * (1 - share)}px)`;
    });
    this.$("controls").hidden = !this.length;
    this.read();
    this.resize();
  }

  // The two by other names.
  rename(names) {
    this.names = names;
    SIDES.forEach((side, k) => {
      for (const part of ["name", "time-name"]) this.$(`${part}-${side}`).textContent = names[k];
      this.$(`pane-${side}`).setAttribute("aria-label", names[k]);
    });
    this.show();
  }

  load(side, record) {
    const k = SIDES.indexOf(side), atEnd = this.simulation >= this.length;
    this.clock.play(false);
    this.busy = true;
    Object.entries({ record, step: record.steps.leaf.length, selected: 0 }).forEach(([name, value]) => this.models[k].set(name, value));
    this.halves[k].load(record);
    this.take();
    if (atEnd && this.simulation !== this.length) this.go(this.length, "backup");
  }

  read() {
    const { model } = this, s = model.get("simulation"), phase = model.get("phase"), line = model.get("line");
    this.simulation = Math.max(0, Math.min(this.length, Number.isInteger(s) ? s : this.length));
    this.phase = PHASES.includes(phase) ? phase : "backup";
    this.line = Array.isArray(line) ? line : [];
  }

  write() {
    this.writing = true;
    for (const name of SHARED) this.model.set(name, this[name]);
    this.writing = false;
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this.model.save_changes(), 60);
  }

  close() {
    for (const name of HEARD) this.model.off("change:" + name, this.onModel);
    this.clock.close();
    this.kernel.close();
    this.halves.forEach(x => x.close());
    this.popover.end();
    this.fit.end();
    this.observer.disconnect();
    this.unwatch();
    this.root.remove();
  }

  go(simulation, phase) {
    const s = Math.max(0, Math.min(this.length, simulation));
    if (s === this.simulation && phase === this.phase) return;
    Object.assign(this, { simulation: s, phase });
    this.show();
    this.write();
  }

  move(by) {
    const k = PHASES.indexOf(this.phase) + by;
    if (this.simulation && k >= 0 && k < PHASES.length) this.go(this.simulation, PHASES[k]);
    else if (by > 0 && this.simulation < this.length) this.go(this.simulation + 1, PHASES[0]);
    else if (by < 0 && this.simulation) this.go(this.simulation - 1, "backup");
  }

  leap(by) {
    this.go(by < 0 && this.phase !== "backup" ? this.simulation - 1 : this.simulation + by, "backup");
  }

  // Both trees look at the position behind a line of moves.
  select(line) {
    this.line = line;
    this.show();
    this.write();
  }

  // One half has drawn: if the reader chose a node there, the other follows.
  heard(k, explorer) {
    if (this.busy || Math.max(0, explorer.selected) === this.chosen[k]) return;
    this.select(lineTo(explorer.replay, Math.max(0, explorer.selected)));
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === "SELECT" || (e.key === " " && e.target.tagName === "BUTTON")) return;
    if (e.key === "Escape" && this.popover.open) return this.popover.close();
    const keys = {
      " ": "play", ArrowRight: e.shiftKey ? "later" : "forward", ArrowLeft: e.shiftKey ? "sooner" : "back", Home: "start", End: "end",
    };
    if (["ArrowUp", "ArrowDown", "Enter"].includes(e.key) && !e.target.closest(".azl-x")) this.halves[0].input.key(e);
    if (!keys[e.key] || !this.length) return;
    e.preventDefault();
    e.stopPropagation();
    this.act(keys[e.key]);
  }

  click(e) {
    if (e.target.closest(".azl-x")) return;      // a half minds its own nodes
    const at = name => e.target.closest(`[data-${name}]`), act = at("do"), pop = at("pop"), into = at("into"), back = at("back");
    if (pop) this.popover.toggle(pop.dataset.pop);
    else if (act) this.act(act.dataset.do);
    else if (into) this.select([...this.line, Number(into.dataset.into)]);
    else if (back) this.select(this.line.slice(0, Number(back.dataset.back)));
    if (into || back) this.$("table").focus({ preventScroll: true });
  }

  act(name) {
    if (name === "play") return this.clock.play(!this.clock.playing);
    if (name === "mover" || name === "first" || name === "reset") {
      this.halves.forEach(x => (name === "reset" ? x.reset() : x.setView(name)));
      return this.under();
    }
    this.clock.play(false);
    if (PHASES.includes(name)) return this.simulation && this.go(this.simulation, name);
    return {
      start: () => this.go(0, "backup"), end: () => this.go(this.length, "backup"), back: () => this.move(-1), forward: () => this.move(1),
      sooner: () => this.leap(-1), later: () => this.leap(1),
    }[name]();
  }

  resize() {
    this.fit.measure();
    const width = this.root.clientWidth;
    for (const [name, on] of [["stacked", width < 780], ["wide", width >= 1180]]) this.root.classList.toggle("azl-" + name, on);
    this.show();
  }

  show() {
    if (this.root.clientWidth < 80) return;
    this.busy = true;
    const moments = this.courses.map(c => c.at(this.simulation, this.phase));
    const found = this.halves.map((x, k) => follow(x.replay, this.line, moments[k].step - 1, moments[k].phase));
    this.reached = found.map(f => f.reached === this.line.length);
    this.chosen = found.map(f => f.node);
    this.halves.forEach((x, k) => {
      const { step, phase } = moments[k];
      Object.assign(x, { selected: this.chosen[k] || -1, step, phase });
      for (const up of x.replay.path(this.chosen[k]).slice(0, -1)) x.closed.delete(up);
      x.show();
    });
    this.busy = false;
    this.under();
  }

  // Everything but the trees.
  under() {
    const { halves, courses, simulation: s, phase } = this, replays = halves.map(x => x.replay);
    replays.forEach((r, k) => r.seek(r.rows ? this.played(k) : 0));
    const done = courses.map((c, k) => (!c.length ? replays[k].total(0) : s > c.length ? c.length : Math.max(0, s - (phase === "backup" ? 0 : 1))));
    const notice = this.kernel.trouble || this.model.get("notice");
    this.put("verdict", [notice && html`<b>${notice}</b> `, preference(replays, this.names, done)]);
    this.$("verdict").setAttribute("aria-live", this.clock.playing ? "off" : "polite");
    SIDES.forEach((side, k) => {
      const c = courses[k], { step, phase: own } = c.at(s, phase);
      this.put(`say-${side}`, this.told[k] || say(replays[k], step, own, 0, halves[k].view));
      const state = !c.length ? " · not recorded" : s > c.length ? ` · ended after ${c.length.toLocaleString("en")}` : "";
      this.$(`when-${side}`).textContent = ruleName(replays[k].record.rule) + state;
      this.lines[k].draw(this.$(`time-${side}`).clientWidth, step, halves[k].moment && halves[k].moment.row >= 0 ? halves[k].moment.path[1] ?? -1 : -1);
    });
    this.put("when", html`<span class="azl-word">simulation </span><b>${s.toLocaleString("en")}</b> of ${this.length.toLocaleString("en")}`);
    const times = this.$("times");
    times.setAttribute("aria-valuemax", this.length);
    times.setAttribute("aria-valuenow", s);
    times.setAttribute("aria-valuetext", `simulation ${s} of ${this.length}, ${phase}`);
    this.$("controls").querySelectorAll(".azl-phases button").forEach(b => {
      if (s > 0 && b.dataset.do === phase) b.setAttribute("aria-current", "step");
      else b.removeAttribute("aria-current");
      b.disabled = s < 1;
    });
    this.root.querySelectorAll(":scope > header .azl-seg button").forEach(b => b.setAttribute("aria-pressed", b.dataset.do === halves[0].view));
    this.position(replays);
    Object.assign(this.root.dataset, { simulation: s, phase, line: this.line.map(a => moveLabel(replays[0].record, a)).join(" "), ready: "1" });
    calm(this.root);
  }

  // Rows whose backup is part of what is shown of a half.
  played(k) {
    const { step, phase } = this.courses[k].at(this.simulation, this.phase);
    return step && phase !== "backup" ? step - 1 : step;
  }

  position(replays) {
    const { record } = replays[0], label = a => moveLabel(record, a), k = this.reached.indexOf(true), shown = k < 0 ? 0 : k;
    const replay = replays[shown], node = this.chosen[shown], way = [0, ...replay.path(node).slice(1)];
    this.put("crumbs", trail(replay, way, node, (_, n) => ({ "data-back": n })));
    const missing = this.names.filter((_, side) => !this.reached[side]).map(name => html`<br><i>${name}</i> has no node here yet`);
    const what = node ? `after ${way.slice(1).map(i => label(replay.action[i])).join(" ")}` : "the root";
    this.put("board", [bigBoard(replay, node, { width: 190, height: this.root.clientHeight > 640 ? 190 : 106 }), html`<p><b>${what}</b><br>${status(replay, node)}${missing}</p>`]);
    this.put("table", tableOfTwo(replays, this.chosen.map((i, side) => (this.reached[side] ? i : -1)), this.names, this.root.classList.contains("azl-wide")));
  }

  put(name, content) {
    put(this.$(name), content);
  }
}

function render({ model, el }) {
  let shown = null;
  const start = () => {
    if (shown) shown.close();
    shown = null;
    el.replaceChildren();
    guard(el, () => { shown = new Comparison(model, el); });
  };
  const renewed = SIDES.map(side => () => (shown ? guard(shown.root, () => shown.load(side, model.get(side))) : start()));
  const renamed = () => shown && guard(shown.root, () => shown.rename(model.get("labels")));
  start();
  model.on("change:labels", renamed);
  SIDES.forEach((side, k) => model.on("change:" + side, renewed[k]));
  return () => {
    model.off("change:labels", renamed);
    SIDES.forEach((side, k) => model.off("change:" + side, renewed[k]));
    if (shown) shown.close();
  };
}

export default { render };
