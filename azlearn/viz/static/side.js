// Fills everything around the tree for one moment: sentence, board, table, formula, buttons, and
// the one tree item that a screen reader hears.

import { esc, mark, num } from "./paint.js";
import { bigBoard, crumbs, formula, status, study, table, valueBar } from "./panel.js";
import { describe, say } from "./say.js";

export class Side {
  constructor(explorer) {
    this.x = explorer;
    this.$ = explorer.$;
  }

  draw() {
    this.panel();
    this.controls();
  }

  board() {
    const { replay, moment, selected, looking, clock } = this.x, { row, phase, path } = moment, leaf = path[path.length - 1];
    const atLeaf = row >= 0 && !looking && (phase === "expand" || phase === "evaluate");
    const i = atLeaf ? leaf : selected, stones = atLeaf ? clock.stones.slice(0, clock.played) : [];
    const what = atLeaf ? (phase === "expand" ? "the new leaf" : stones.length ? "rollout from the leaf" : "the leaf") : i === 0 ? "the root" : `move ${replay.label(i)}`;
    const judged = atLeaf && phase === "evaluate", value = replay.record.steps.value[row];
    const heat = judged && !clock.stones.length && replay.hasPriors && replay.record.nodes.legal[i].length > 0;
    const worth = judged && Number.isFinite(value) && (heat || clock.played >= clock.stones.length)
      ? `<br><span class="azl-cV">value ${value > 0 ? "+" : ""}${num(value)}</span><br>${valueBar(value)}` : "";
    this.$("board").innerHTML = bigBoard(replay, i, stones, 210, heat)
      + `<div class="azl-where"><b>${esc(what)}</b><br>${esc(status(replay, i))}${stones.length ? `<br>${stones.length} of ${clock.stones.length} moves` : ""}${worth}${heat ? '<br><span class="azl-cP">prior in %</span>' : ""}</div>`;
  }

  panel() {
    const { replay, selected: i, moment, pinned } = this.x, { row, phase, path } = moment;
    this.$("crumbs").innerHTML = crumbs(replay, i, path);
    this.board();
    const found = study(replay, i, row, phase, path), wanted = found.moves.find(m => m.action === pinned);
    this.$("table").innerHTML = table(replay, i, found);
    const tense = wanted ? "has the score" : found.chosen >= 0 && phase !== "backup" ? "is chosen" : "would be next";
    this.$("formula").innerHTML = formula(replay, i, wanted || found.best, tense);
    this.$("whose").textContent = found.moves.length ? `W and Q as ${mark(replay.record.game, replay.toPlay[i])} sees them, who chooses here` : "";
  }

  controls() {
    const { replay, root, step, view, clock, timeline } = this.x, { row, phase } = this.x.moment;
    const text = say(replay, step, phase), box = this.$("say");
    if (this.said !== text) box.innerHTML = this.said = text;
    box.setAttribute("aria-live", clock.playing ? "off" : "polite");
    root.querySelectorAll(".azl-phases button").forEach(b => {
      b.setAttribute("aria-pressed", row >= 0 && b.dataset.do === phase);
      b.disabled = row < 0;
    });
    root.querySelectorAll(".azl-views button").forEach(b => b.setAttribute("aria-pressed", b.dataset.do === view));
    const sims = replay.record.steps.simulation, all = sims[sims.length - 1] || 0;
    this.$("when").textContent = `simulation ${row < 0 ? 0 : sims[row]} of ${all}`;
    const line = this.$("timeline");
    line.setAttribute("aria-valuemax", replay.rows);
    line.setAttribute("aria-valuenow", step);
    line.setAttribute("aria-valuetext", `simulation ${row < 0 ? 0 : sims[row]} of ${all}, ${phase}`);
    timeline.draw(this.x.sizes.timeline.width, step);
  }

  // One hidden tree item stands for the selected node, for screen readers.
  announce() {
    const { replay, selected: i, view, layout, closed } = this.x, v = layout.list.find(t => t.id === i), up = i ? replay.parent[i] : -1;
    const siblings = up < 0 ? [0] : replay.kids[up], item = this.$("item");
    item.setAttribute("aria-level", replay.depth[i] + 1);
    item.setAttribute("aria-posinset", siblings.indexOf(i) + 1);
    item.setAttribute("aria-setsize", siblings.length);
    const inside = replay.kids[i].length + replay.more(i), isOpen = Boolean(v && v.kids.some(k => k.kind !== "stub"));
    if (inside) item.setAttribute("aria-expanded", isOpen);
    else item.removeAttribute("aria-expanded");
    const toggle = this.$("toggle");
    toggle.disabled = !inside;
    toggle.textContent = v && isOpen && !v.hidden && !closed.has(i) ? "close" : "open";
    const text = describe(replay, i, view);
    if (item.textContent !== text) item.textContent = text;
  }
}
