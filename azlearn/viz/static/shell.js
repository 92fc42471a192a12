// The explorer's frame: its HTML, and what every widget here needs around it.

import { edgeWidth, legend } from "./key.js";
import { esc, mark } from "./paint.js";

const NAMES = { connect_four: "Connect Four", tic_tac_toe: "Tic-tac-toe" };
export const gameName = game => NAMES[game.name] || String(game.name || "Game").replace(/_/g, " ").replace(/^./, c => c.toUpperCase());

// Icons as paths: not every machine has the glyphs.
export const ICONS = {
  start: "M3 3h2v10H3zM13 3v10L6 8z", end: "M11 3h2v10h-2zM3 3v10l7-5z",
  sooner: "M8 3v10L2 8zM14 3v10L8 8z", later: "M8 3v10l6-5zM2 3v10l6-5z",
  back: "M11 3v10L4 8z", forward: "M5 3v10l7-5z", play: "M4 2v12l9-6z", pause: "M4 3h3v10H4zM9 3h3v10H9z",
};
const icon = name => `<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path d="${ICONS[name]}" fill="currentColor"/></svg>`;
const button = (name, label, text = "") =>
  `<button type="button" data-do="${name}" title="${label}" aria-label="${label}">${icon(name)}${text}</button>`;

let counter = 0;

export function frame(el, { compact = false } = {}) {
  const root = document.createElement("div"), id = `azl-${++counter}-${Math.random().toString(36).slice(2, 8)}`;
  root.className = compact ? "azl azl-x azl-compact" : "azl azl-x";
  root.innerHTML = `
<header role="none"><b data-part="name"></b><span class="azl-what" data-part="what"></span>
<span class="azl-views" role="group" aria-label="Whose view of Q">Q as seen by
<button type="button" data-do="mover">the mover</button><button type="button" data-do="first"><span class="azl-p0" data-part="one"></span> always</button></span>
</header>
<div class="azl-knobs" data-part="knobs"></div><div class="azl-notice" data-part="notice" role="status"></div>
<div class="azl-main"><div class="azl-tools" role="group" aria-label="Look around in the tree">
<label title="A sequence of moves, from the root or from the start of the game (key /)">find <input type="text" data-part="find" size="9" placeholder="4 4 5" autocomplete="off" spellcheck="false" aria-label="Find a sequence of moves"></label>
<label title="Draw no node deeper than this">depth ≤ <select data-part="depth" aria-label="Draw no node deeper than"><option value="">any</option>${[1, 2, 3, 4, 5, 6, 8, 10].map(d => `<option>${d}</option>`).join("")}</select></label>
<label title="Draw no node with fewer visits">visits ≥ <input type="number" data-part="least" min="0" step="1" placeholder="0" aria-label="Draw no node with fewer visits than"></label>
<span class="azl-found" data-part="found" role="status"></span>
<span class="azl-zoom" role="group" aria-label="Zoom"><button type="button" data-do="wider" title="Smaller (−)" aria-label="Zoom out">−</button><button type="button" data-do="fit" title="The whole sheet (0)">Fit</button><button type="button" data-do="closer" title="Larger (+)" aria-label="Zoom in">+</button></span>
<button type="button" data-do="whole" aria-pressed="false" title="The whole tree as an icicle: depth down, width by visits">Whole tree</button><button type="button" data-do="reset" title="Close what was opened, take filters and zoom away">Reset</button></div>
<div class="azl-tree" data-part="tree" role="tree" tabindex="0" aria-label="Search tree. Up and down walk the nodes, Enter opens and closes one, left and right step through the search, space plays, plus and minus zoom, slash finds moves, c copies them." aria-activedescendant="${id}" data-lm-suppress-shortcuts="true">
<div class="azl-sr" role="treeitem" id="${id}" aria-selected="true" data-part="item"></div></div>
<div class="azl-whole" data-part="whole" hidden><canvas data-part="icicle" tabindex="0" role="application" aria-roledescription="icicle" aria-label="Whole tree. Up and down go to the parent and to the most visited child, left and right to siblings, Enter zooms in, Escape out." data-lm-suppress-shortcuts="true"></canvas><div class="azl-whole-say" data-part="whole-say" aria-live="polite"></div></div>
${legend()}</div>
<div class="azl-side"><div class="azl-say" data-part="say" aria-live="polite"></div>
<div class="azl-crumbs" role="group" aria-label="Path"><span class="azl-way" data-part="crumbs"></span><span class="azl-acts"><button type="button" data-do="copy" title="Copy the moves from the start of the game to here (c)">copy moves</button><button type="button" data-do="toggle" data-part="toggle" title="Show all moves of this node, or none (Enter)">open</button></span></div>
<div class="azl-stage" data-part="board"></div><div class="azl-moves" data-part="table" tabindex="0" role="group" aria-label="Moves of the selected node" data-lm-suppress-shortcuts="true"></div>
<p class="azl-quiet" data-part="whose"></p><div class="azl-formula" data-part="formula"></div></div>
<footer role="none"><div class="azl-buttons" role="group" aria-label="Step through the search">${button("start", "To the start (Home)")}${button("sooner", "Back one simulation (shift + left)")}${button("back", "Back one phase (left)", "<span>phase</span>")}${button("play", "Play", "<span>play</span>")}${button("forward", "On one phase (right)", "<span>phase</span>")}${button("later", "On one simulation (shift + right)")}${button("end", "To the end (End)")}</div>
<div class="azl-phases" role="group" aria-label="Phase">${["select", "expand", "evaluate", "backup"].map((p, i) => `<button type="button" data-do="${p}">${i + 1} ${p}</button>`).join("")}</div>
<label class="azl-speed">speed <select data-part="speed"><option>slow</option><option selected>normal</option><option>fast</option><option>very fast</option></select></label>
<span class="azl-when" data-part="when"></span>
<svg class="azl-time" data-part="timeline" tabindex="0" role="slider" aria-label="Simulation" aria-valuemin="0" aria-valuemax="0" aria-valuenow="0" data-lm-suppress-shortcuts="true"></svg>
<span class="azl-quiet azl-cap">share of the visits of each first move, over the search: click to go there</span><span class="azl-quiet azl-keys">keys: space plays · ← → a phase · shift ← → a simulation · ↑ ↓ nodes · enter opens · + − 0 zoom · / finds · c copies</span></footer>`;
  for (const b of root.querySelectorAll("button, select, input, summary")) b.setAttribute("data-lm-suppress-shortcuts", "true");
  el.append(root);
  return root;
}

// "UCT · c = 1", "PUCT · c = 1.25 · fpu = parent".
export function ruleName(rule) {
  const c = ` · c = ${+Number(rule.c).toFixed(3)}`;
  if (rule.name === "uct") return "UCT" + c;
  const less = rule.fpu_reduction ? ` − ${+Number(rule.fpu_reduction).toFixed(3)}·√ΣP` : "";
  return rule.name === "puct" ? `PUCT${c} · fpu = ${String(rule.fpu).replace("-", "−")}${less}` : "Custom rule";
}

// What the frame says of its record.
export function caption(root, record) {
  const { game, rule } = record, who = record.root.to_play, part = name => root.querySelector(`[data-part="${name}"]`);
  part("name").textContent = ruleName(rule);
  part("edges").textContent = "edge: " + edgeWidth(record);
  part("what").innerHTML = `${esc(gameName(game))} · root: <span class="azl-p${who}">${mark(game, who)}</span> to move`;
  part("one").textContent = mark(game, 0);
  root.querySelector("footer").hidden = !record.steps.leaf.length;
}

// A sentence in the place of a widget, or below it.
export function note(text, role = "status") {
  const box = document.createElement("div");
  box.className = "azl azl-note";
  box.setAttribute("role", role);
  if (role === "status") box.dataset.ready = "1";
  box.textContent = text;
  return box;
}

// Takes away what guard() has said: the widget has drawn itself again.
export const calm = host => host.querySelectorAll(":scope > .azl-error").forEach(e => e.remove());

// Runs `work`; an error becomes a sentence in the widget instead of a blank cell.
export function guard(host, work) {
  try {
    return work();
  } catch (error) {
    console.error(error);
    calm(host);
    const said = note(`The viewer stumbled here: ${error && error.message ? error.message : error}. The search itself is not affected; run the cell again to start afresh.`, "alert");
    said.classList.add("azl-error");
    host.append(said);
    return undefined;
  }
}

// Copies a text; true if the browser allowed it. The focus stays where it was.
export const toClipboard = async (text, host) => {
  if (navigator.clipboard) {
    const done = await navigator.clipboard.writeText(text).then(() => true, () => false);
    if (done) return true;
  }
  // The older way, for pages that may not use the newer.
  const field = document.createElement("textarea"), focused = document.activeElement;
  field.value = text;
  field.className = "azl-sr";
  host.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (focused) focused.focus({ preventScroll: true });
  return done;
};

// Calls back when JupyterLab's or the system's theme changes; returns the way to stop.
export function watchTheme(changed) {
  const system = matchMedia("(prefers-color-scheme: dark)"), observer = new MutationObserver(changed);
  observer.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "class", "data-md-color-scheme"] });
  system.addEventListener("change", changed);
  return () => {
    observer.disconnect();
    system.removeEventListener("change", changed);
  };
}
