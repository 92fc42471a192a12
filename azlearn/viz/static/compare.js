// Two searches of one position side by side: one set of controls, one selection, one table.

import { complaint } from "./check.js";
import { Clock } from "./clock.js";
import { Explorer } from "./explorer.js";
import { esc, mark } from "./paint.js";
import { edgeWidth, legend } from "./key.js";
import { bigBoard, status, trail } from "./panel.js";
import { moveLabel, PHASES } from "./replay.js";
import { say } from "./say.js";
import { calm, gameName, guard, note, ruleName, watchTheme } from "./shell.js";
import { GUTTER, Timeline } from "./timeline.js";
import { Course, follow, lineTo, preference, tableOfTwo } from "./versus.js";

const SIDES = ["left", "right"], SHARED = ["simulation", "phase", "line"];

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
    Object.assign(this, { model, names: model.get("labels"), busy: true, still: matchMedia("(prefers-reduced-motion: reduce)") });
    this.root = document.createElement("div");
    this.root.className = "azl azl-c";
    this.root.innerHTML = this.frame();
    this.$ = name => this.root.querySelector(`[data-both="${name}"]`);
    el.append(this.root);
    const { root } = this, capture = f => e => guard(root, () => f(e));
    root.addEventListener("keydown", capture(e => this.key(e)), true);
    root.addEventListener("click", capture(e => this.click(e)));
    this.models = SIDES.map(side => half(model, side));
    this.halves = this.models.map((own, k) => new Explorer(own, this.$(SIDES[k]), own.get("record"), { compact: true, onMoment: x => this.heard(k, x) }));
    const [pattern] = this.halves, controls = this.$("controls");      // one set of controls, as the explorer has it
    controls.prepend(...["buttons", "phases", "speed"].map(name => pattern.root.querySelector(`.azl-${name}`).cloneNode(true)));
    for (const b of root.querySelectorAll("button, select, summary")) b.setAttribute("data-lm-suppress-shortcuts", "true");
    this.clock = new Clock(this.asOne());
    controls.querySelector("select").addEventListener("change", e => [this.clock, ...this.halves.map(x => x.clock)].forEach(c => c.setSpeed(e.target.value)));
    this.lines = SIDES.map((side, k) => new Timeline(this.$(`time-${side}`), step => this.go(this.courses[k].simulationOf(step), "backup")));
    this.onModel = () => guard(root, () => {
      if (this.writing) return;
      this.read();
      this.show();
    });
    for (const name of SHARED) model.on("change:" + name, this.onModel);
    this.observer = new ResizeObserver(() => guard(root, () => this.resize()));
    this.observer.observe(root);
    this.unwatch = watchTheme(() => guard(root, () => this.show()));
    this.take();
  }

  frame() {
    const [a, b] = this.names.map(esc), { game, root } = this.model.get("left"), who = root.to_play;
    const pane = (side, name) => `<section class="azl-pane" data-both="pane-${side}" aria-label="${name}"><div class="azl-pane-name"><span data-both="name-${side}">${name}</span><span class="azl-quiet" data-both="when-${side}"></span></div><p class="azl-pane-say" data-both="say-${side}"></p><div data-both="${side}"></div></section>`;
    const time = (side, name) => `<span class="azl-time-name" data-both="time-name-${side}">${name}</span><span class="azl-time-box"><svg class="azl-time" data-both="time-${side}" aria-hidden="true"></svg></span>`;
    return `<header role="none"><b>Two searches</b><span class="azl-what">${esc(gameName(game))} · root: <span class="azl-p${who}">${mark(game, who)}</span> to move</span>
<span class="azl-views" role="group" aria-label="Whose view of Q">Q as seen by
<button type="button" data-do="mover">the mover</button><button type="button" data-do="first"><span class="azl-p0">${mark(game, 0)}</span> always</button></span><button type="button" data-do="reset" title="Close what was opened, undo zoom and pan">Reset</button></header>
<div class="azl-verdict" data-both="verdict" role="status"></div>
<div class="azl-pair">${pane("left", a)}${pane("right", b)}</div>${legend()}
<footer role="none" data-both="controls"><span class="azl-when" data-both="when"></span>
<div class="azl-times" data-both="times" tabindex="0" role="slider" aria-label="Simulation" aria-valuemin="0" data-lm-suppress-shortcuts="true">${time("left", a)}${time("right", b)}</div>
<span class="azl-quiet azl-cap">share of the visits of each first move: click to go there</span><span class="azl-quiet azl-keys">keys: space plays · ← → a phase · shift ← → a simulation · ↑ ↓ nodes</span></footer>
<div class="azl-under"><div class="azl-crumbs" role="group" data-both="crumbs" aria-label="Path"></div><div class="azl-stage" data-both="board"></div>
<div class="azl-moves azl-versus" data-both="table" tabindex="0" role="group" aria-label="Moves of the selected position in both searches" data-lm-suppress-shortcuts="true"></div></div>`;
  }

  // What the clock needs of an explorer, for both of them.
  asOne() {
    const self = this;
    return {
      get root() { return self.$("controls"); }, get replay() { return { rows: self.length }; },
      get step() { return self.simulation; }, get phase() { return self.phase; }, get still() { return self.still; },
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
    const [left, right] = SIDES.map(side => edgeWidth(this.model.get(side)));
    this.root.querySelector(':scope > .azl-key [data-part="edges"]').textContent = "edge: " + (left === right ? left : `${left} left, ${right} right`);
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
    for (const name of SHARED) this.model.off("change:" + name, this.onModel);
    this.clock.close();
    this.halves.forEach(x => x.close());
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
    if (this.busy || explorer.selected === this.chosen[k]) return;
    this.select(lineTo(explorer.replay, explorer.selected));
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === "SELECT" || (e.key === " " && ["BUTTON", "SUMMARY"].includes(e.target.tagName))) return;
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
    const at = name => e.target.closest(`[data-${name}]`), act = at("do"), into = at("into"), back = at("back");
    if (act) this.act(act.dataset.do);
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
    const width = this.root.clientWidth;
    for (const [name, limit] of [["mid", 1040], ["stacked", 760], ["tight", 600]]) this.root.classList.toggle("azl-" + name, width < limit);
    this.show();
  }

  show() {
    if (this.root.clientWidth < 80) return;
    this.busy = true;
    const found = this.halves.map(x => follow(x.replay, this.line));
    this.reached = found.map(f => f.reached === this.line.length);
    this.chosen = found.map(f => f.node);
    this.halves.forEach((x, k) => {
      const { step, phase } = this.courses[k].at(this.simulation, this.phase);
      Object.assign(x, { selected: this.chosen[k], step, phase });
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
    this.put("verdict", preference(replays, this.names, done));
    this.$("verdict").setAttribute("aria-live", this.clock.playing ? "off" : "polite");
    SIDES.forEach((side, k) => {
      const c = courses[k], { step, phase: own } = c.at(s, phase);
      this.put(`say-${side}`, say(replays[k], step, own));
      const state = !c.length ? " · not recorded" : s > c.length ? ` · ended after ${c.length.toLocaleString("en")}` : "";
      this.$(`when-${side}`).textContent = ruleName(replays[k].record.rule) + state;
      this.lines[k].draw(this.$(`time-${side}`).clientWidth, step);
    });
    this.$("when").textContent = `simulation ${s.toLocaleString("en")} of ${this.length.toLocaleString("en")}`;
    const times = this.$("times");
    times.setAttribute("aria-valuemax", this.length);
    times.setAttribute("aria-valuenow", s);
    times.setAttribute("aria-valuetext", `simulation ${s} of ${this.length}, ${phase}`);
    this.root.querySelectorAll(".azl-c > footer .azl-phases button").forEach(b => {
      b.setAttribute("aria-pressed", s > 0 && b.dataset.do === phase);
      b.disabled = s < 1;
    });
    this.root.querySelectorAll(".azl-c > header .azl-views button").forEach(b => b.setAttribute("aria-pressed", b.dataset.do === halves[0].view));
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
    const { record } = replays[0], label = a => esc(moveLabel(record, a)), k = this.reached.indexOf(true), shown = k < 0 ? 0 : k;
    const replay = replays[shown], node = this.chosen[shown], way = [0, ...replay.path(node).slice(1)];
    this.put("crumbs", trail(replay, way, node, (_, n) => `data-back="${n}"`));
    const missing = this.names.filter((_, side) => !this.reached[side]).map(name => `<br><i>${esc(name)}</i> has no node here`).join("");
    const what = node ? `after ${way.slice(1).map(i => label(replay.action[i])).join(" ")}` : "the root";
    this.put("board", bigBoard(replay, node, [], 210) + `<div class="azl-where"><b>${what}</b><br>${esc(status(replay, node))}${missing}</div>`);
    this.put("table", tableOfTwo(replays, this.chosen.map((i, side) => (this.reached[side] ? i : -1)), this.names));
  }

  put(name, html) {
    const host = this.$(name);
    if (host.put !== html) host.innerHTML = host.put = html;
  }
}

function render({ model, el }) {
  let shown = null;
  const start = () => {
    if (shown) shown.close();
    shown = null;
    el.replaceChildren();
    const wrong = complaint(model.get("left")) || complaint(model.get("right"));
    if (!wrong) return guard(el, () => { shown = new Comparison(model, el); });
    return el.append(note(wrong));
  };
  const renewed = SIDES.map(side => () => (shown && !complaint(model.get(side)) ? guard(shown.root, () => shown.load(side, model.get(side))) : start()));
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
