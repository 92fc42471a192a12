// The play table's frame, the evaluation bar, the level, the clipboard.

import { html, joined, put } from "./dom.js";
import { glyph, mark, stone, stoneName } from "./paint.js";
import { icon, withStones } from "./widget_common.js";

let counter = 0;

export function deskFrame() {
  const root = document.createElement("div"), id = `azl-play-${++counter}-${Math.random().toString(36).slice(2, 8)}`;
  root.className = "azl azl-play";
  const button = (name, text, more = {}) => html`<button type="button" data-do="${name}" ${more}>${text}</button>`;
  const step = (name, look, label, key) => html`<button type="button" data-do="${name}" title="${label} (${key})" aria-label="${label}">${icon(look)}</button>`;
  put(root, html`<div class="azl-desk">
<div class="azl-felt"><div class="azl-ruling" data-part="verdict" role="status"></div><div class="azl-meter" data-part="meter" role="meter" aria-valuemin="-1" aria-valuemax="1" aria-label="What the opponent expects" hidden><span data-part="top"></span><div class="azl-track"><i data-part="fill"></i><b data-part="number"></b></div><span data-part="bottom"></span></div>
<div class="azl-table" data-part="table" tabindex="0" role="group" data-lm-suppress-shortcuts="true"></div></div>
<div class="azl-talk"><b data-part="title"></b>
<p data-part="say" aria-live="polite"></p>
<p class="azl-soon" data-part="preparing" role="status"></p>
<div class="azl-wait" data-part="wait" role="progressbar" aria-label="Progress of the opponent's move" aria-valuemin="0" aria-valuemax="100"><i></i></div>
<p class="azl-oops" data-part="error" role="alert"></p>
<div class="azl-choices">${button("new", "New game")}${button("back", "Take back")}${button("swap", "Swap sides")}${button("retry", "Try again", { hidden: true })}${button("stop", "Stop", { hidden: true })}</div>
<div class="azl-steps" role="group" aria-label="Look through the game" data-part="steps" hidden>${step("first", "start", "The start", "Home")}${step("earlier", "back", "One move back", "Page Up")}${step("later", "forward", "One move forward", "Page Down")}${step("last", "end", "The last move", "End")}<span data-part="at"></span></div>
<div class="azl-choices azl-closer" role="group" aria-label="Look closer">${button("best", "Best move", { "aria-pressed": "false" })}${button("heat", "Its visits", { "aria-pressed": "false" })}${button("think", "What were you thinking?", { "aria-expanded": "false", "aria-controls": `${id}-why` })}${button("review", "Worst moves", { "aria-pressed": "false", hidden: true })}</div>
<p class="azl-told" data-part="told" role="status"></p>
<div class="azl-review" data-part="review" role="status"></div>
<div class="azl-more"><div class="azl-setting" data-part="level" hidden><label for="${id}-level">level</label><input type="range" id="${id}-level" min="0" step="1"><output for="${id}-level"></output></div>
<form class="azl-setting" data-part="load"><label for="${id}-moves">moves</label><input type="text" id="${id}-moves" data-part="moves" spellcheck="false" autocomplete="off" placeholder="none yet">${button("copy", "Copy")}<button type="submit">Load</button></form></div>
<p class="azl-hint" data-part="help"></p></div></div>
<div class="azl-thoughts" data-part="thoughts" id="${id}-why"></div>`);
  for (const e of root.querySelectorAll("button, input")) e.setAttribute("data-lm-suppress-shortcuts", "true");
  return root;
}

// The evaluation bar, which fills from the bottom as the first player gets ahead.
export function drawMeter($, view) {
  const bar = $("meter"), said = view.opinion;
  bar.hidden = !view.expects;
  bar.classList.toggle("azl-unsaid", !said);
  put($("top"), withStones(mark(view.game, 1), view.game));
  put($("bottom"), withStones(mark(view.game, 0), view.game));
  const share = said ? (said.value + 1) / 2 : 0.5;
  $("fill").style.height = `${100 * share}%`;
  $("number").style.bottom = `${Math.max(4, Math.min(96, 100 * share))}%`;
  $("number").textContent = said ? said.number : "";
  const text = said ? said.text : "The opponent has not reported a value yet.";
  bar.setAttribute("aria-valuenow", said ? said.value.toFixed(2) : "0");
  bar.setAttribute("aria-valuetext", text);
  bar.title = said ? `${text} (from −1, ${mark(view.game, 1)} wins, to +1, ${mark(view.game, 0)} wins)` : text;
}

// The line above the board: who has won and a button to play again, or who is ahead in the opponent's opinion.
export function ruling({ game, result, opinion, expects, opponent }) {
  const dot = side => side < 0 ? "" : html`<svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">${stone(game, side, 10, 10, 22)}</svg>`;
  const chip = (side, text, kind) => html`<span class="azl-badge ${kind} ${["azl-even", "azl-red", "azl-yellow"][side + 1]}">${text.includes(mark(game, 0)) || text.includes(mark(game, 1)) ? "" : dot(side)}${withStones(text, game)}</span>`;
  if (result) return html`${chip(result.winner, result.text, "azl-end")}<button type="button" class="azl-again" data-do="new" data-lm-suppress-shortcuts="true">Play again</button>`;
  if (!expects) return "";
  return opinion
    ? html`<span class="azl-whose">${opponent} thinks:</span> ${chip(opinion.side, opinion.label, "")}`
    : html`<span class="azl-whose">Once the opponent has moved, the bar shows who is ahead.</span>`;
}

// Moves that do not end on a cell.
const passes = view => view.legal.filter((_, k) => view.lands[k] < 0);

// The line below the board: a pass just made, the stones each side has captured, and buttons for moves without a cell
// or for the moves that fit a click.
export function bowls(view, asked) {
  const { game, passed, taken } = view, stoneOf = side => html`<span aria-hidden="true">${glyph(game, side)}</span>`;
  const caught = taken.length ? html`<span class="azl-taken">${glyph(game, 0)} took <b>${taken[0]}</b>, ${glyph(game, 1)} <b>${taken[1]}</b></span>` : "";
  const said = passed < 0 ? "" : html`<span class="azl-passed">${stoneOf(passed)} ${stoneName(game, passed)} passed</span>`;
  const open = asked.length ? html`<span>Which move?</span> ${moveButtons(view, asked)}` : moveButtons(view, passes(view));
  return asked.length || open.length || caught || said ? html`<div class="azl-bowls">${open}${said}${caught}</div>` : "";
}

// The slider for the number of simulations, with the values 1, 2, 5, 10, …
export class Level {
  constructor(row, send) {
    [this.row, this.input, this.out] = [row, row.querySelector("input"), row.querySelector("output")];
    this.input.addEventListener("input", () => {
      this.sliding = true;
      this.write(this.steps[this.input.value]);
    });
    this.input.addEventListener("change", () => {
      this.sliding = false;
      send(this.steps[this.input.value]);
    });
  }

  show(level) {
    this.row.hidden = !level;
    if (!level || this.sliding) return;
    this.steps = level.steps;
    this.input.max = level.steps.length - 1;
    this.input.value = level.steps.indexOf(level.now);
    this.write(level.now);
  }

  write(value) {
    this.out.textContent = `${value.toLocaleString("en")} simulation${value === 1 ? "" : "s"}`;
    this.input.setAttribute("aria-valuetext", this.out.textContent);
  }
}

export const moveButtons = (view, actions) => joined(actions.map(a => (
  html`<button type="button" data-action="${a}" data-lm-suppress-shortcuts="true" disabled="${!view.yours}">${view.labels[a]}</button>`)), " ");
