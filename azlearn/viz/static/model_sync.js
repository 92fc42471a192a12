// Syncs an explorer with Python: the reader's position, the notice and the knobs.

import { caption } from "./frame.js";
import { Knobs } from "./search_settings.js";
import { PHASES } from "./replay.js";
import { guard } from "./widget_common.js";

const SHARED = ["step", "phase", "selected"];

// Writes the reader's position into the model, and sends it to Python once the reader stops moving.
export class Saver {
  constructor(model) {
    Object.assign(this, { model, waiting: 0, writing: false });
  }

  write(values) {
    this.writing = true;       // each set fires an event at once, before the next value is set
    for (const name in values) this.model.set(name, values[name]);
    this.writing = false;
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      this.waiting = 0;
      this.model.save_changes();
    }, 60);
  }
}

export class Link {
  constructor(explorer) {
    Object.assign(this, { x: explorer, model: explorer.model, saver: new Saver(explorer.model), heard: {} });
  }

  // Reads the position from the model and makes it valid.
  read() {
    const { model, x } = this, step = model.get("step"), phase = model.get("phase"), node = model.get("selected");
    x.step = Math.max(0, Math.min(x.replay.rows, Number.isInteger(step) ? step : x.replay.rows));
    x.phase = PHASES.includes(phase) ? phase : "backup";
    x.selected = Number.isInteger(node) && node >= 0 && node < x.replay.size ? node : -1;
  }

  write() {
    const { step, phase, selected } = this.x;
    this.saver.write({ step, phase, selected: selected < 0 ? null : selected });
  }

  listen() {
    const { x, model } = this, safe = f => () => guard(x.root, f), moved = safe(() => this.moved());
    this.heard = { "change:notice": () => this.notice(), "change:knobs": safe(() => this.knobs()) };
    for (const name of SHARED) this.heard["change:" + name] = moved;
    for (const event in this.heard) model.on(event, this.heard[event]);
    this.notice();
    this.heard["change:knobs"]();
  }

  moved() {
    const { x } = this, record = this.model.get("record"), place = () => SHARED.map(name => x[name]).join(), before = place();
    if (this.saver.writing || (record && record !== x.record)) return;   // load() follows
    this.read();
    if (place() !== before) x.show();
  }

  notice() {
    const { x } = this;
    x.$("notice").textContent = x.kernel.trouble || this.model.get("notice");
    if (x.knobs) x.knobs.run();
  }

  knobs() {
    const { x, model } = this, knobs = model.get("knobs") || {};
    caption(x.root, x.record, knobs);
    if (Object.keys(knobs).length && !x.knobs) x.knobs = new Knobs(x, x.$("knobs"), x.$("settings"));
  }

  close() {
    for (const event in this.heard) this.model.off(event, this.heard[event]);
  }
}
