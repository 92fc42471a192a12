// The explorer's frame: a toolbar, the tree next to its panel, the controls and the timeline.

import { html, put, svg } from "./dom.js";
import { STAR, glyph, hatch, stone, stoneName, thousands } from "./paint.js";
import { PHASE_NAMES, PHASES } from "./replay.js";
import { gameName, icon, ruleName } from "./widget_common.js";

const SPEEDS = ["0.5", "1", "2", "4", "20"];
const button = (name, label, key) => html`<button type="button" class="${name === "play" && "azl-first"}" data-do="${name}" title="${label} (${key})" aria-label="${label}">${icon(name)}</button>`;
const pop = (name, label, text) => html`<button type="button" data-pop="${name}" aria-haspopup="dialog" aria-expanded="false" aria-label="${label}" title="${label}">${text}</button>`;

// Steps, phases and speed.
const controlsHtml = html`<div class="azl-buttons" role="group" aria-label="Step through the search">${button("start", "To the start", "Home")}${button("sooner", "Back one simulation", "shift ←")}${button("back", "Back one phase", "←")}${button("play", "Play", "space")}${button("forward", "Forward one phase", "→")}${button("later", "Forward one simulation", "shift →")}${button("end", "To the end", "End")}</div>
<div class="azl-phases" role="group" aria-label="Phase">${PHASES.map((p, i) => html`<button type="button" data-do="${p}"><b>${i + 1}</b><span>${PHASE_NAMES[p]}</span></button>`)}</div>
<select class="azl-speed" aria-label="Speed" title="Speed">${SPEEDS.map(s => html`<option value="${s}" selected="${s === "1"}">${s}×</option>`)}</select>`;

// The point of view of Q: the player who made the move, or always the first player.
const viewsHtml = game => html`<span class="azl-seg" role="group" aria-label="Point of view of Q"><button type="button" data-do="mover">the mover</button><button type="button" data-do="first" aria-label="${stoneName(game, 0)} always">${glyph(game, 0)} always</button></span>`;

const filtersHtml = game => html`<div class="azl-pop" data-part="filters" role="dialog" aria-label="Find and filter" hidden>
<label title="A sequence of moves, from the root or from the start of the game (key /)">find moves <input type="text" data-part="find" placeholder="4 4 5" autocomplete="off" spellcheck="false" aria-label="Find a sequence of moves"></label>
<p class="azl-quiet" data-part="answer" aria-hidden="true"></p>
<label>depth at most <select data-part="depth" aria-label="Maximum depth of the nodes shown"><option value="">any</option>${[1, 2, 3, 4, 5, 6, 8, 10].map(d => html`<option>${d}</option>`)}</select></label>
<label>visits at least <input type="number" data-part="least" min="0" step="1" placeholder="0" aria-label="Minimum visits of the nodes shown"></label>
<div class="azl-line-of">Q as seen by ${viewsHtml(game)}</div>
<div class="azl-line-of"><span class="azl-quiet" data-part="sieved"></span><button type="button" data-do="reset" title="Clear the filters, reset the zoom and close the nodes you opened">Reset</button></div></div>`;

// The legend of the marks in the tree, and the keyboard shortcuts, shown by "?".
const sample = inside => html`<svg viewBox="0 0 58 20" width="58" height="20" aria-hidden="true">${inside}</svg>`;
const stroke = (d, color, width) => svg`<path d="${d}" fill="none" stroke="var(--azl-${color})" stroke-width="${width}"/>`;
const tag = (text, fill, ink) => svg`<rect x="10" y="2" width="38" height="16" rx="8" style="fill:${fill};stroke:var(--azl-path)"/><text x="29" y="14" text-anchor="middle" style="fill:${ink}">${text}</text>`;

const KEYS = [
  ["space", "play or pause"], ["← →", "one phase"], ["shift ← →", "one simulation"], ["Home End", "start, end"], ["↑ ↓", "other nodes"], ["Enter", "open, close"],
  ["/", "find"], ["c", "copy moves"], ["+ − 0", "zoom, fit"], ["Esc", "unpin, close"],
];

function keyHtml(record) {
  const { game } = record, hasPriors = record.nodes.prior || record.rule.name === "puct";
  const rows = [
    [html`<span class="azl-scale"></span>`, "Q, −1 to +1, for the player who made the move; at the root, for the player to move"],
    [sample([stroke("M2 6H56", "edge", 2), stroke("M2 15H56", "edge", 7)]), "width and bold number: visits N"],
    [sample(svg`<rect class="azl-u" x="1" y="4" width="56" height="12"/>`), "U, the bonus for few visits"],
    [sample([svg`<path d="M48 0V20" stroke="var(--azl-path)" stroke-dasharray="2 3"/><circle cx="48" cy="10" r="4.5" fill="var(--azl-path)"/>`, svg`<circle cx="16" cy="10" r="3.5" fill="var(--azl-fg)"/><path d="M21 10H48" stroke="var(--azl-path)" stroke-width="2"/>`]), "zoom: the scores enlarged; blue: the lead"],
    ...(hasPriors ? [[sample(svg`<rect x="1" y="8" width="34" height="4" fill="var(--azl-P)"/>`), "P, the prior of the move"]] : []),
    [sample(stroke("M2 10H56", "path", 3)), "path of this simulation"],
    ...(record.nodes.proven ? [[sample([svg`<rect x="8" y="3" width="42" height="14" rx="4" fill="var(--azl-bg)" stroke="var(--azl-fg)" stroke-width="1.6"/><text x="29" y="14" text-anchor="middle">wins</text>`]), "proven: who wins, if both play their best"]] : []),
    [sample(tag("+0.12", "var(--azl-bg)", "var(--azl-path)")), "lead over the next best move"],
    [sample(svg`<path d="${STAR}" transform="translate(29 10) scale(1.5)" fill="currentColor"/>`), "the move that would be played now"],
    [sample(game.rows && [stone(game, 0, 29, 10, 18), svg`<circle cx="29" cy="10" r="9" fill="none" stroke="var(--azl-fg)" stroke-width="1.4"/>`]), "last move"],
    [sample(svg`<rect x="15" y="2" width="28" height="16" rx="4" fill="none" stroke="var(--azl-fg)" stroke-width="1.5" stroke-dasharray="3 3"/>`), "the node in the panel"],
    [sample(svg`<rect x="16" y="2" width="26" height="16" rx="8" fill="var(--azl-bg)" stroke="var(--azl-edge)"/><text x="29" y="14" text-anchor="middle">+4</text>`), "four more moves: click"],
  ];
  const players = [0, 1].map(p => html`<span><span aria-hidden="true">${glyph(game, p)}</span> ${stoneName(game, p)}</span>`);
  return html`<div class="azl-line-of">${players}</div>${rows.map(([picture, text]) => html`<div class="azl-key-row">${picture}<span>${text}</span></div>`)}
<div class="azl-keys">${KEYS.map(([key, text]) => html`<span><kbd>${key}</kbd> ${text}</span>`)}</div>`;
}

let counter = 0;

export function frame(el, record, { half = false } = {}) {
  const root = document.createElement("div"), id = `azl-${++counter}-${Math.random().toString(36).slice(2, 8)}`, { game } = record;
  root.className = half ? "azl azl-x azl-half" : "azl azl-x";
  root.style.setProperty("--azl-hatching", `url(#${id}-hatch)`);
  put(root, html`<svg class="azl-sr" aria-hidden="true"><defs>${hatch(`${id}-hatch`)}</defs></svg>
<header role="none"><b data-part="name"></b><span class="azl-what" data-part="what"></span><span class="azl-settings" data-part="settings"></span>
<span class="azl-spring"></span><span class="azl-drawn" data-part="drawn"></span><button type="button" data-do="tour" data-part="begin" title="Start the guided tour of this search" hidden>Tour</button>${pop("filters", "Find and filter", html`Filters<span class="azl-dot" data-part="sieves" hidden></span> ▾`)}
<span class="azl-seg" role="group" aria-label="Tree or icicle"><button type="button" data-do="tree" aria-pressed="true">Tree</button><button type="button" data-do="icicle" aria-pressed="false" title="The whole tree: depth runs downward, width shows visits">Icicle</button></span>
<span class="azl-seg azl-zoom" role="group" aria-label="Zoom"><button type="button" data-do="wider" title="Smaller (−)" aria-label="Zoom out">−</button><button type="button" data-do="fit" title="Fit the tree to the window (0)">Fit</button><button type="button" data-do="closer" title="Larger (+)" aria-label="Zoom in">+</button></span>
${pop("key", "Legend and keyboard", "?")}<div class="azl-pop azl-knobs" data-part="knobs" role="dialog" aria-label="Search settings" hidden></div>
${filtersHtml(game)}<div class="azl-pop" data-part="key" role="dialog" aria-label="Legend and keyboard" hidden>${keyHtml(record)}</div></header>
<div class="azl-notice" data-part="notice" role="status"></div>
<div class="azl-main"><div class="azl-tree" data-part="tree" role="tree" tabindex="0" aria-label="Search tree. Up and down move between nodes, Enter opens or closes a node, left and right step through the search, space plays it, plus and minus zoom, slash finds moves, c copies them, Escape makes the panel follow the search." aria-activedescendant="${id}" data-lm-suppress-shortcuts="true">
<div class="azl-sr" role="treeitem" id="${id}" aria-selected="true" data-part="item"></div></div>
<div class="azl-whole" data-part="whole" hidden><canvas data-part="icicle" tabindex="0" role="application" aria-roledescription="icicle" aria-label="Whole tree. Up and down go to the parent and to the most visited child, left and right to siblings, Enter zooms in, Escape zooms out." data-lm-suppress-shortcuts="true"></canvas><div class="azl-whole-say" data-part="whole-say" aria-live="polite"></div></div></div>
<div class="azl-side" data-part="side" role="group" aria-label="What the search does"><div class="azl-say"><div class="azl-head"><b data-part="head"></b><button type="button" class="azl-pin" data-do="follow" data-part="pin"></button></div><div data-part="say" aria-live="polite"></div><div class="azl-found" data-part="found" role="status"></div><div class="azl-tour" data-part="tour" aria-live="polite" hidden></div></div>
<div class="azl-crumbs" role="group" aria-label="Path" data-part="crumbs"></div><div class="azl-panel" data-part="panel" tabindex="-1"></div></div>
<footer role="none"><div class="azl-row">${controlsHtml}<span class="azl-when" data-part="when"></span></div>
<div class="azl-row azl-past"><span class="azl-quiet">visits by<br>first move</span><svg class="azl-time" data-part="timeline" tabindex="0" role="slider" aria-label="Simulation" aria-valuemin="0" aria-valuemax="0" aria-valuenow="0" data-lm-suppress-shortcuts="true"></svg></div></footer>`);
  for (const b of root.querySelectorAll("button, select, input")) b.setAttribute("data-lm-suppress-shortcuts", "true");
  el.append(root);
  return root;
}

// Writes the game, the player to move and the settings into the toolbar. knobs: the settings of a
// search that can be run again, or {}.
export function caption(root, record, knobs) {
  const { game, rule, steps } = record, who = record.root.to_play, part = name => root.querySelector(`[data-part="${name}"]`);
  part("name").textContent = root.dataset.name || gameName(game);
  put(part("what"), html`${glyph(game, who)} ${stoneName(game, who)} to move`);
  const noise = knobs.noise && knobs.noise.value ? ` · noise ${+knobs.noise.value.toFixed(3)}` : "", seed = knobs.seed ? ` · seed ${knobs.seed.value}` : "";
  const sims = steps.simulation.length ? ` · ${thousands(steps.simulation[steps.simulation.length - 1])} sims` : "", [first, ...rest] = ruleName(rule).split(" ");
  const text = html`<b>${first}</b> ${rest.join(" ")}${noise}${sims}${seed}`, button = part("settings").querySelector("button");
  const can = Object.keys(knobs).length > 0;
  if (can && !button) put(part("settings"), html`<button type="button" data-pop="knobs" aria-haspopup="dialog" aria-expanded="false" data-lm-suppress-shortcuts="true"><span></span> ▾</button>`);
  const whole = `${ruleName(rule)}${noise}${sims}${seed}`;
  put(can ? part("settings").querySelector("span") : part("settings"), can ? text : html`<span class="azl-rule" title="${whole}">${text}</span>`);
  if (can) part("settings").querySelector("button").title = `${whole}: change the search and run it again`;
  root.querySelector("footer").hidden = !steps.leaf.length;
}
