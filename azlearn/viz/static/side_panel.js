// Fills everything around the tree for one moment: caption, path, panel, controls, and the one tree
// item that a screen reader reads out.

import { html, put } from "./dom.js";
import { THEN, trail } from "./bigboard.js";
import { stoneName, thousands } from "./paint.js";
import { evaluateHtml, expandHtml, ledgerHtml, nodeHtml, selectHtml } from "./panel.js";
import { decisions } from "./scene.js";
import { describe, headline, say } from "./narration.js";

const CHIPS = 7;              // the most buttons of a path; a longer path is cut around the current node
const RING = 4;               // pixels around the panel for the ring of a tour

export class Side {
  constructor(explorer) {
    this.x = explorer;
    this.$ = explorer.$;
    Object.assign(this, { landed: 0, all: false });
  }

  draw() {
    this.caption();
    this.crumbs();
    this.panel();
    this.controls();
    this.announce();
  }

  // The caption box: describes the phase, or the pinned node.
  caption() {
    const { replay, step, selected, moment, clock } = this.x, { row, phase, decision, view } = moment, box = this.$("say"), pin = this.$("pin");
    const pinned = selected >= 0, name = i => (i ? `Move ${replay.label(i)}` : "The root");
    const text = pinned ? this.ofNode(selected) : say(replay, step, phase, decision, view);
    this.$("head").textContent = pinned ? name(selected) : headline(replay, row, phase);
    pin.textContent = pinned ? "pinned ×" : replay.rows ? "follows the search" : "";
    pin.disabled = !pinned;
    pin.title = pinned ? "Unpin: follow the search again (Esc)" : "Click a node in the tree to pin it here";
    put(box, text);
    box.setAttribute("aria-live", clock.playing || this.x.options.half ? "off" : "polite");
  }

  ofNode(i) {
    const { replay, record } = this.x, name = p => stoneName(record.game, p), who = replay.toPlay[i], victor = replay.victor(i);
    const played = i ? `Played by ${name(replay.toPlay[replay.parent[i]])}. ` : "";
    const now = !replay.over(i) ? `${name(who)} is to move; W and Q of the moves are from ${name(who)}’s point of view.` : victor < 0 ? "The game is a draw." : `${replay.result(i) || `${name(victor)} has won`}.`;
    const winner = replay.promised(i), proof = winner === null ? "" : ` Proven: ${winner < 0 ? "a draw" : `${name(winner)} wins`}, if both play their best.`;
    return `${played}${now}${proof}`;
  }

  crumbs() {
    const { replay, selected, moment, focus } = this.x, { path, phase, row, decision } = moment;
    const line = selected >= 0 && !path.includes(selected) ? replay.path(selected) : path, deciding = selected < 0 && phase === "select" && row >= 0;
    const at = deciding ? decision : line.indexOf(focus), many = line.length > CHIPS, from = many ? Math.max(1, Math.min(line.length - CHIPS + 2, at - 2)) : 1;
    const part = many ? line.slice(from, from + CHIPS - 2) : line.slice(1), choices = decisions(replay, Math.max(0, row), path).length;
    const go = i => (!deciding ? { "data-go": i } : line.indexOf(i) < choices ? { "data-dec": line.indexOf(i) } : { disabled: true });
    const chips = nodes => trail(replay, nodes, line[at], i => ({ ...go(i), tabindex: -1, class: replay.exists(i, row, phase) || i === 0 ? null : "azl-absent" }));
    const gap = (from, to) => (from < to ? html`<span class="azl-cut" title="${line.slice(from, to).map(i => replay.label(i)).join(" ")}">…</span>` : part.length ? THEN : "");
    const end = from + part.length, box = this.$("crumbs");
    box.classList.toggle("azl-long", part.length > 4);
    put(box, [chips([0]), gap(1, from), chips(part), end < line.length && gap(end, line.length)]);
  }

  panel() {
    const { x } = this;
    if (x.options.half) return;
    const { replay, selected, moment, clock, chosen, motion } = x, { row, phase, path } = moment, box = this.$("panel");
    const room = { width: box.clientWidth - 2 * RING, height: box.clientHeight - 2 * RING, all: this.all }, over = !decisions(replay, Math.max(0, row), path).length;
    this.landed = phase === "backup" && motion ? path.length : 0;
    const lone = i => nodeHtml(replay, i, moment, chosen, room, this.acts(i));
    put(box, selected >= 0 ? lone(selected) : row < 0 ? lone(0)
      : phase === "select" ? (over ? lone(0) : selectHtml(replay, moment, chosen, room))
        : phase === "expand" ? expandHtml(replay, moment, room)
          : phase === "evaluate" ? evaluateHtml(replay, moment, clock, room) : ledgerHtml(replay, moment, this.landed, room));
  }

  // Called when the value has reached node k of the path in backup: its row then shows the new numbers.
  land(k) {
    for (const row of this.$("panel").querySelectorAll("[data-k]")) if (Number(row.dataset.k) >= k) row.classList.remove("azl-ahead-of");
    this.$("panel").put = null;
  }

  // Switches between all moves of a long table and as many as fit.
  rows() {
    this.all = !this.all;
    this.panel();
    this.$("panel").querySelector('[data-do="rows"]')?.focus({ preventScroll: true });
  }

  acts(i) {
    const { replay, layout, closed } = this.x, v = layout.list.find(t => t.id === i), inside = replay.kids[i].length + replay.more(i);
    const isOpen = Boolean(v && v.kids.some(k => k.kind !== "stub")), close = v && isOpen && !v.hidden && !closed.has(i);
    return html`<div class="azl-acts"><button type="button" data-do="copy" data-lm-suppress-shortcuts="true" title="Copy the moves from the start of the game to here (c)">copy moves</button><button type="button" data-do="toggle" data-part="toggle" data-lm-suppress-shortcuts="true" title="Show or hide all moves of this node in the tree (Enter)" disabled="${!inside}">${close ? "close" : "open"}</button></div>`;
  }

  controls() {
    const { replay, root, step, view, timeline, layout, filter, sizes } = this.x, { row, phase, path } = this.x.moment;
    this.x.controls.querySelectorAll(".azl-phases button").forEach(b => {
      const on = row >= 0 && b.dataset.do === phase;
      if (on) b.setAttribute("aria-current", "step");
      else b.removeAttribute("aria-current");
      b.disabled = row < 0;
    });
    root.querySelectorAll('[data-do="mover"], [data-do="first"]').forEach(b => b.setAttribute("aria-pressed", b.dataset.do === view));
    const all = replay.simulation(replay.rows), now = replay.simulation(step);
    put(this.$("when"), html`<span class="azl-word">simulation </span><b>${thousands(now)}</b> of ${thousands(all)}`);
    const few = layout.drawn < layout.of, drawn = this.$("drawn");
    drawn.textContent = few ? `${thousands(layout.drawn)} of ${thousands(layout.of)}${root.classList.contains("azl-slim") ? "" : " nodes"}` : "";
    drawn.title = few ? `${thousands(layout.drawn)} of ${thousands(layout.of)} nodes are drawn` : "";
    const active = (filter.depth < Infinity) + (filter.visits > 0) + (view !== "mover"), dot = this.$("sieves");
    dot.hidden = !active;
    dot.textContent = active;
    this.$("sieved").textContent = filter.depth < Infinity || filter.visits ? "Filters are hiding nodes." : "";
    const line = this.$("timeline");
    line.setAttribute("aria-valuemax", replay.rows);
    line.setAttribute("aria-valuenow", step);
    line.setAttribute("aria-valuetext", `simulation ${now} of ${all}, ${phase}`);
    timeline.draw(sizes.timeline.width, step, row < 0 ? -1 : path[1] ?? -1);
  }

  // Describes the node in the panel in the hidden tree item, for screen readers.
  announce() {
    const { replay, focus: i, view, layout } = this.x, v = layout.list.find(t => t.id === i), up = i ? replay.parent[i] : -1;
    const siblings = up < 0 ? [0] : replay.kids[up], item = this.$("item"), inside = replay.kids[i].length + replay.more(i);
    item.setAttribute("aria-level", replay.depth[i] + 1);
    item.setAttribute("aria-posinset", siblings.indexOf(i) + 1);
    item.setAttribute("aria-setsize", siblings.length);
    if (inside) item.setAttribute("aria-expanded", Boolean(v && v.kids.some(k => k.kind !== "stub")));
    else item.removeAttribute("aria-expanded");
    const text = describe(replay, i, view);
    if (item.textContent !== text) item.textContent = text;
  }
}
