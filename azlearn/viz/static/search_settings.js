// Sliders that rerun the search, opened by the settings button if the model has knobs.

import { element, html, put } from "./dom.js";
import { readMoves, writeMoves } from "./finder.js";

const NAMES = {
  c: ["c", "Exploration constant c", "U"],
  fpu: ["fpu", "First-play urgency: the Q of a move without visits", "Q"],
  noise: ["noise", "Fraction of Dirichlet noise in the root's prior", "P"],
  num_simulations: ["simulations", "Number of simulations", "N"],
  seed: ["seed", "Random seed", "fg"],
  moves: ["position", "Moves from the start of the game to the searched position", "fg"],
};
const PAUSE = 150, PATIENCE = 5000;      // ms: until a rerun, until a message says that the kernel does not answer
const DECADE = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8];

// The values that a slider stops at: round ones, evenly spaced on its scale, and the current value.
function stops({ low, high, log, value }, whole) {
  const found = [];
  if (log) {
    if (!whole) found.push(0);
    for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power++) {
      found.push(...DECADE.map(x => Number((x * 10 ** power).toPrecision(2))));
    }
  } else {
    for (let k = 0; k <= 40; k++) found.push(Number((low + ((high - low) * k) / 40).toFixed(3)));
  }
  if (typeof value === "number") found.push(value);
  const kept = found.filter(x => (x === 0 || x >= low) && x <= high && (!whole || Number.isInteger(x)));
  return [...new Set([...kept, high])].sort((a, b) => a - b);
}

const nearest = (list, value) => list.reduce((best, x, i) => (Math.abs(x - value) < Math.abs(list[best] - value) ? i : best), 0);
const shown = value => (typeof value !== "number" ? "" : Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4))));

export class Knobs {
  // explorer: whose search it is; host: the box of the sliders; bar: the settings in the toolbar,
  // which also show a running search.
  constructor(explorer, host, bar) {
    const { kernel } = explorer, { model } = kernel;
    Object.assign(this, { x: explorer, kernel, model, host, bar, held: {}, lists: {} });
    this.build();
    this.heard = {
      "change:knobs": () => this.refresh(), "change:running": () => this.run(), "change:progress": () => this.run(),
      "change:notice": () => this.answered(),
      "msg:custom": message => message && message.do === "refused" && this.refused(),
    };
    for (const event in this.heard) model.on(event, this.heard[event]);
    this.on = { input: e => this.slide(e), change: e => this.enter(e), click: e => this.click(e), keydown: e => e.key !== "Escape" && e.stopPropagation() };
    for (const event in this.on) host.addEventListener(event, this.on[event]);
    bar.addEventListener("click", this.on.click);
    this.refresh();
    this.run();
  }

  close() {
    clearTimeout(this.sending);
    clearTimeout(this.waiting);
    for (const event in this.heard) this.model.off(event, this.heard[event]);
    for (const event in this.on) this.host.removeEventListener(event, this.on[event]);
    this.bar.removeEventListener("click", this.on.click);
    put(this.host, "");
  }

  build() {
    const knobs = this.model.get("knobs"), hot = { "data-lm-suppress-shortcuts": "true" };
    const rows = Object.keys(knobs).map(name => {
      const [label, title, color] = NAMES[name], knob = knobs[name], whole = name === "num_simulations" || name === "seed";
      const slides = knob.low !== undefined;
      if (name === "moves") {
        return html`<div class="azl-knob" data-knob="moves" style="--azl-knob:var(--azl-${color})" title="${title}"><span class="azl-knob-name" aria-hidden="true">${label}</span><input type="text" data-moves="1" aria-label="${title}" placeholder="the start" autocomplete="off" spellcheck="false" ${hot}><button type="button" data-undo="1" title="Take back the last move" ${hot}>Undo</button><button type="button" data-here="1" title="Search from the position that the panel shows" ${hot}>Start here</button></div>`;
      }
      if (slides) this.lists[name] = stops(knob, whole);
      const slider = slides ? html`<input type="range" min="0" max="${this.lists[name].length - 1}" step="1" data-slide="${name}" aria-label="${title}" ${hot}>` : "";
      const number = html`<input type="number" step="${whole ? 1 : "any"}" min="${name === "fpu" ? -1 : name === "num_simulations" ? 1 : 0}" max="${slides && !knob.log && 1}" data-number="${name}" aria-label="${title}, as a number" ${hot}>`;
      const extra = name === "fpu" ? html`<label class="azl-tick"><input type="checkbox" data-tick="fpu" ${hot}>parent's mean</label>`
        : name === "seed" ? html`<button type="button" data-next="seed" title="Next seed" aria-label="Next seed" ${hot}>+1</button>` : "";
      return html`<div class="azl-knob" data-knob="${name}" style="--azl-knob:var(--azl-${color})" title="${title}"><span class="azl-knob-name" aria-hidden="true">${label}</span>${slider}${number}${extra}</div>`;
    });
    put(this.host, html`<div role="group" aria-label="Settings of the search">${rows}</div><p class="azl-silent azl-quiet" data-part="silent" role="status"></p>`);
    for (const part of [html`<span class="azl-run" data-part="run"><span data-part="share"></span><button type="button" data-stop="1" ${hot}>Stop</button></span>`, html`<div class="azl-bar-out" data-part="progress" role="progressbar" aria-label="Search" aria-valuemin="0" aria-valuemax="100"><span></span></div>`]) this.bar.append(element(part));
    this.$ = selector => this.host.querySelector(selector) || this.bar.querySelector(selector);
  }

  // Sets the controls to Python's values, except those that the reader is changing right now.
  refresh() {
    const knobs = this.model.get("knobs") || {};
    this.answered();
    for (const name in knobs) {
      const { value } = knobs[name];
      if (String(this.held[name]) === String(value)) delete this.held[name];
      if (!(name in this.held)) this.put(name, value);
    }
  }

  put(name, value) {
    if (name === "moves") {
      this.$("[data-moves]").value = writeMoves(this.x.record, value);
      return;
    }
    const slider = this.$(`[data-slide="${name}"]`), number = this.$(`[data-number="${name}"]`), tick = this.$(`[data-tick="${name}"]`);
    if (!number) return;
    const named = typeof value !== "number";       // "parent"
    number.value = shown(value);
    number.disabled = named;
    if (tick) tick.checked = named;
    if (!slider) return;
    const list = this.lists[name];
    slider.disabled = named;
    if (!named) slider.value = nearest(list, value);
    slider.setAttribute("aria-valuetext", named ? "the parent's mean" : shown(value));
    const at = x => (nearest(list, x) / Math.max(1, list.length - 1)) * 100, ends = [at(0), at(named ? 0 : value)].sort((a, b) => a - b);
    slider.style.setProperty("--azl-from", `${ends[0]}%`);      // the bar starts at 0, or at the left end
    slider.style.setProperty("--azl-to", `${ends[1]}%`);
  }

  slide(e) {
    const name = e.target.dataset.slide;
    if (name) this.turn(name, this.lists[name][Number(e.target.value)], PAUSE);
  }

  enter(e) {
    const { number: name, tick, moves } = e.target.dataset;
    if (moves) {
      const { moves: found, problem } = readMoves(this.x.record, e.target.value);
      return problem ? this.say(problem) : this.turn("moves", found, 0);
    }
    if (tick) return this.turn(tick, e.target.checked ? "parent" : 0, 0);
    if (!name) return undefined;
    const value = e.target.valueAsNumber;
    if (e.target.validity.valid && Number.isFinite(value)) return this.turn(name, value, 0);
    return this.put(name, this.held[name] ?? this.model.get("knobs")[name].value);
  }

  click(e) {
    const at = name => e.target.closest(`[data-${name}]`);
    if (at("next")) this.turn("seed", (this.held.seed ?? this.model.get("knobs").seed.value) + 1, PAUSE);
    if (at("stop")) this.kernel.send({ do: "stop" });
    if (at("undo")) this.turn("moves", this.moves().slice(0, -1), 0);
    if (at("here")) this.startHere();
  }

  moves() {
    return this.held.moves ?? this.model.get("knobs").moves.value;
  }

  // The position of the node in the panel becomes the root.
  startHere() {
    const { replay, focus } = this.x, line = replay.path(focus).slice(1).map(i => replay.action[i]);
    if (replay.outcome[focus] !== null) return this.say("The game is over at this node, so there is nothing to search.");
    return line.length ? this.turn("moves", [...this.model.get("knobs").moves.value, ...line], 0) : this.say("Choose another node first: this is the root.");
  }

  say(text) {
    this.$('[data-part="silent"]').textContent = text;
  }

  // Requests another search once the slider has not moved for `pause` milliseconds.
  turn(name, value, pause) {
    this.held[name] = value;
    this.put(name, value);
    clearTimeout(this.sending);
    this.sending = setTimeout(() => {
      this.sending = 0;
      const knobs = { ...this.held };
      clearTimeout(this.waiting);
      if (!this.kernel.send({ do: "turn", knobs })) return this.refused();
      this.waiting = setTimeout(() => {
        this.$('[data-part="silent"]').textContent = "No answer from the kernel yet. It may be busy with a cell; if it was shut down or restarted, run this cell again.";
      }, PATIENCE);
      return undefined;
    }, pause);
  }

  answered() {
    clearTimeout(this.waiting);
    this.$('[data-part="silent"]').textContent = this.kernel.trouble;
  }

  refused() {
    this.held = {};
    this.refresh();
  }

  run() {
    const running = Boolean(this.model.get("running")) && !this.kernel.trouble, share = Math.round(100 * (this.model.get("progress") || 0));
    this.answered();
    if (!running && !this.sending) this.held = {};
    const stop = this.$("[data-stop]"), focused = !running && stop.contains(document.activeElement);
    this.bar.classList.toggle("azl-running", running);
    this.$('[data-part="share"]').textContent = running ? `${share}%` : "";
    const bar = this.$('[data-part="progress"]');
    bar.setAttribute("aria-valuenow", running ? share : 100);
    bar.firstChild.style.width = `${share}%`;
    // Keys must not fall through to the notebook when the button disappears.
    if (focused) this.bar.querySelector("[data-pop]").focus({ preventScroll: true });
    if (!running) this.refresh();
  }
}
