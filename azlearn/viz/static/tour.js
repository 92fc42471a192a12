// A guided tour: it goes from stop to stop, shows a text in the caption box and rings what the text is about.

import { html, put } from "./dom.js";
import { withStones } from "./widget_common.js";

const BUTTON = (name, text, label) => html`<button type="button" class="${name === "tour-next" && "azl-first"}" data-do="${name}" aria-label="${label}" data-lm-suppress-shortcuts="true">${text}</button>`;
// Selectors for the parts that a stop can ring; "node" and "lead" are ringed in the tree.
const PLACES = {
  tree: '[data-part="tree"]', table: ".azl-compare, .azl-ledger", board: '[data-part="panel"] .azl-board', formula: ".azl-formula", phases: ".azl-phases",
  play: '[data-do="play"]', timeline: '[data-part="timeline"]', settings: '[data-part="settings"]', filters: '[data-pop="filters"]', icicle: '[data-do="icicle"]',
};

// Makes **starred text** bold; write(text) renders each part.
const strong = (text, write) => text.split(/\*\*(.+?)\*\*/).map((part, k) => (k % 2 ? html`<b>${write(part)}</b>` : write(part)));

export class Tour {
  constructor(explorer, stops) {
    Object.assign(this, { x: explorer, stops, at: -1 });
    explorer.$("begin").hidden = !stops.length;
  }

  get stop() {
    return this.stops[this.at] || null;
  }

  // Goes to stop `at`; any index without a stop ends the tour.
  go(at) {
    const { x } = this, old = this.stop;
    this.at = at >= 0 && at < this.stops.length ? at : -1;
    const { stop } = this;
    x.play(false);
    if (stop) {
      const { step, phase } = x.replay.moment(stop.simulation, stop.phase), node = stop.node ? this.node(stop.node) : -1;
      x.visit(step, phase, node, Boolean(old) && at === this.stops.indexOf(old) + 1);
    } else x.show();
    this.speak();
  }

  // The node reached by moves given as they are printed, or -1.
  node(text) {
    const { replay, record } = this.x, labels = record.game.labels.map(String);
    return text.trim().split(/\s+/).reduce((i, label) => (i < 0 ? i : replay.child(i, labels.indexOf(label))), 0);
  }

  // What to ring in the tree.
  get ring() {
    const { stop, x } = this;
    if (!stop || !["node", "lead"].includes(stop.part)) return null;
    const { path, decision, phase } = x.moment, wanted = stop.node ? this.node(stop.node) : stop.part === "lead" ? path[decision + 1] : x.focus;
    return wanted >= 0 && x.replay.exists(wanted, x.moment.row, phase === "select" ? "backup" : phase) ? { node: wanted, part: stop.part } : null;
  }

  speak() {
    const { x, stop, at, stops } = this, box = x.$("tour"), { game } = x.record;
    box.hidden = !stop;
    x.root.classList.toggle("azl-touring", Boolean(stop));
    if (!stop) return void put(box, "");
    const last = at === stops.length - 1;
    put(box, html`<p>${strong(stop.text, text => withStones(text, game))}</p><div class="azl-tour-nav"><span class="azl-quiet">${at + 1} of ${stops.length}</span>${BUTTON("tour-end", "×", "End the tour")}${at ? BUTTON("tour-back", "Back", "Previous stop") : ""}${BUTTON("tour-next", last ? "Done" : "Next", last ? "End the tour" : "Next stop")}</div>`);
    this.mark();
  }

  // Rings a part outside the tree; called again for every moment shown.
  mark() {
    this.x.root.querySelectorAll(".azl-spotted").forEach(e => e.classList.remove("azl-spotted"));
    const place = this.stop && PLACES[this.stop.part], found = place && this.x.root.querySelector(place);
    if (found) found.classList.add("azl-spotted");
  }
}
