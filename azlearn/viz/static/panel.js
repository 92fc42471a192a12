// The side panel as templates, one per phase: the numbers of what the search has just done.

import { html, textOf } from "./dom.js";
import { bigBoard, landing, status, whoHtml } from "./bigboard.js";
import { comparison, digitsFor, formula, general, portions, splitLead } from "./score_table.js";
import { badge, count, glyph, signed, sum } from "./paint.js";
import { moveLabel, winner } from "./replay.js";
import { decisions, verdict } from "./scene.js";

const FACTS = 104;            // pixels for the facts next to a board
const LETTER = 6.9;           // the most pixels that a letter of the formula takes
const again = html`<button type="button" data-do="again" data-lm-suppress-shortcuts="true">↻ replay</button>`;
const note = content => html`<p class="azl-note-line">${content}</p>`;
const facts = (rows, name = "") => html`<dl class="azl-facts${name}">${rows.filter(Boolean).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
const beside = (board, rows, more = "", name = "") => html`<div class="azl-two">${board}<div>${facts(rows, name)}${more}</div></div>`;
const stoneOf = (replay, player) => (replay.record.game.rows ? glyph(replay.record.game, player) : whoHtml(replay.record.game, player));
const move = (replay, i) => html`<span class="azl-nobr">${i && replay.record.game.rows ? glyph(replay.record.game, replay.toPlay[replay.parent[i]]) : ""} <b>${replay.label(i)}</b></span>`;

// A value as a colored pill.
export const chip = (value, text = signed(value)) => html`<span class="azl-chip azl-${value > 0 ? "ahead" : value < 0 ? "behind" : "even"}">${text}</span>`;

// select: one decision on the path. chosen: the action whose formula to show, or null.
export function selectHtml(replay, { row, path, decision }, chosen, room) {
  const found = verdict(replay, row, path, decision), i = path[decision];
  return choiceHtml(replay, i, found, chosen, room);
}

function choiceHtml(replay, i, found, chosen, { width, height, all }) {
  if (replay.more(i)) return note("The moves of this node are not loaded yet. Open the node with Enter, or with the button below it.");
  if (!found.moves.length) return note("The game is over here, so there are no moves to compare.");
  const wanted = found.moves.find(m => m.action === chosen) || found.won || winner(found.moves), split = splitLead(replay.record, found, width);
  const gap = found.won && found.second ? found.won.score - found.second.score : 1, digits = Number.isFinite(gap) ? Math.max(3, digitsFor(gap)) : 3;
  const text = formula(replay, i, wanted, { digits }), lines = textOf(text).split("\n").reduce((n, line) => n + Math.ceil((line.length * LETTER) / width), 0);
  const plan = portions(height, found.moves.length, Boolean(split), lines, all), head = plan.general && text ? general(replay.record.rule) : "";
  return [comparison(replay, i, found, width, plan), plan.split && split, text && html`<div class="azl-formula" data-part="formula">${head}${text}</div>`];
}

// expand: the new node, and the moves of its parent that are in the tree.
export function expandHtml(replay, { row, path }, { width, height }) {
  const leaf = path[path.length - 1], up = replay.parent[leaf], fresh = leaf > 0 && replay.born[leaf] === replay.opening[row];
  const { legal } = replay.record.nodes, all = replay.record.expand === "all", chipRows = fresh ? Math.ceil(legal[up].length / Math.floor((width + 4) / 32)) : 0;
  const board = bigBoard(replay, leaf, { width: width - FACTS, height: Math.min(260, height - (fresh ? 86 + 42 * Math.min(2, chipRows) : 40)) });
  const top = beside(board, [["N", html`<b>${leaf ? replay.N[leaf] : replay.total(0)}</b>`], ["Q", signed(replay.q(leaf))], ["", status(replay, leaf)]]);
  if (!fresh) return top;
  const chips = legal[up].map(action => {
    const k = replay.child(up, action), isNew = k >= 0 && replay.born[k] === replay.opening[row], there = k >= 0 && replay.born[k] < replay.opening[row];
    return { isNew, there, drawn: html`<span class="${isNew ? "azl-new" : there ? "azl-there" : "azl-absent"}"><b>${moveLabel(replay.record, action)}</b>${isNew ? "new" : there ? `${count(replay.N[k], 28)}×` : "–"}</span>` };
  });
  const waiting = chips.filter(c => !c.isNew && !c.there).length, rule = replay.record.rule.name;
  const one = waiting === 1, then = rule === "custom" ? "" : rule === "uct" ? `; ${one ? "it" : "each"} would score ∞ at the next visit here` : `; until then ${one ? "its" : "their"} Q is assumed`;
  return [html`${top}<div><p class="azl-quiet">moves of ${up ? html`the node after ${move(replay, up)}` : "the root"}, ${stoneOf(replay, replay.toPlay[up])} to move</p>${chipRows > 2 ? "" : html`<div class="azl-chips">${chips.map(c => c.drawn)}</div>`}</div>`,
    note(all || !waiting ? "All moves of this position are in the tree now." : `${waiting} of ${chips.length} moves ${one ? "is" : "are"} not in the tree yet${chipRows > 2 ? "" : " (dashed)"}${then}.`)];
}

// evaluate: the rollout on the board, or the evaluator's prior and value.
export function evaluateHtml(replay, { row, path }, clock, { width, height }) {
  const leaf = path[path.length - 1], { record } = replay, value = record.steps.value[row], all = clock.stones, played = all.slice(0, clock.played);
  const heat = !all.length && replay.hasPriors && record.nodes.legal[leaf].length > 0, ended = played.length >= all.length;
  const board = bigBoard(replay, leaf, { rollout: played, width: width - FACTS, height: Math.min(320, height - 52), heat });
  const rows = all.length ? [["rollout", `${played.length} of ${all.length} moves`]] : [["", status(replay, leaf)]];
  const worth = ended && Number.isFinite(value) ? [[html`value for ${stoneOf(replay, replay.toPlay[leaf])}`, html`<span class="azl-value">${chip(value, badge(value))}</span>`]] : [];
  const unplaced = heat ? record.nodes.legal[leaf].filter(a => landing(replay, leaf, a) < 0) : [];        // moves without a cell, such as a pass
  const beyond = unplaced.map(a => [moveLabel(record, a), html`<span class="azl-cP">${Math.round(100 * replay.prior(leaf, a))}%</span>`]);
  const text = all.length ? "The numbers show the order of the rollout’s moves. They add no nodes; only the value goes up the tree."
    : heat ? html`<span class="azl-cP">Shaded: the prior</span> in percent. Select will use it to weigh the moves of this node.` : "";
  return [beside(board, [...rows, ...beyond, ...worth], all.length ? again : "", " azl-one"), text && note(text)];
}

// backup: what every move on the path gains, from the leaf up. landed: the path index that the value
// has reached; the rows above still show the old numbers.
export function ledgerHtml(replay, { row, path, view }, landed, { width, height }) {
  const { record } = replay, leaf = path[path.length - 1], add = replay.changes(row), last = path.length - 1;
  if (!last) return note("The path is just the root, so no move gains a visit.");
  const seen = k => (view === "first" && replay.toPlay[path[k - 1]] === 1 ? -1 : 1), room = Math.max(3, Math.floor((height - 164) / 26));
  const rows = path.slice(1).map((i, j) => {
    const k = j + 1, n = replay.N[i], gained = replay.visits(row, j), w = replay.W[i], before = n - gained, q = before > 0 ? (seen(k) * (w - add[j])) / before : null, after = n ? (seen(k) * w) / n : null;
    const now = k >= landed ? "" : " azl-ahead-of";
    return html`<tr data-k="${k}" class="${now}"><th scope="row">${move(replay, i)}</th><td class="azl-late">${chip(seen(k) * add[j], badge(seen(k) * add[j]))}</td><td>${count(before, 34)}<span class="azl-late"> → <b>${count(n, 34)}</b></span></td><td>${signed(q)}<span class="azl-late"> → <b>${signed(after)}</b></span></td></tr>`;
  }).reverse();
  if (rows.length > room) rows.splice(Math.ceil(room / 2), rows.length - room + 1, html`<tr><td colspan="4" class="azl-quiet">⋮ ${rows.length - room + 1} more moves</td></tr>`);
  const value = record.steps.value[row] ?? NaN, own = view === "first" && replay.toPlay[leaf] === 1 ? -value : value, first = path[1], n = replay.N[first];
  const total = replay.total(0), gained = replay.visits(row, 0), text = html`Q = W/N, for ${view === "first" ? whoHtml(record.game, 0) : "the player who made the move"}. ${move(replay, first)}: ${sum(replay.W[first] - add[0])}/${n - gained} becomes <b>${sum(replay.W[first])}/${n}</b>.`;
  return html`<table class="azl-ledger${width < 310 ? " azl-small" : ""}"><thead><tr><th scope="col">move</th><th scope="col">adds</th><th scope="col">N</th><th scope="col">Q</th></tr></thead><tbody><tr><th scope="row">${stoneOf(replay, replay.toPlay[leaf])} to move</th><td>${chip(own, badge(own))}</td><td colspan="2" class="azl-quiet">the value of the leaf</td></tr>${rows}<tr data-k="0" class="${landed > 0 ? "azl-ahead-of" : ""}"><th scope="row">root</th><td></td><td>${count(total - gained, 34)}<span class="azl-late"> → <b>${count(total, 34)}</b></span></td><td></td></tr></tbody></table>${again}${note(text)}`;
}

// A single node: the pinned one, or the root before the first step or if no search was recorded.
export function nodeHtml(replay, i, { row, phase, path, view }, chosen, { width, height, all }, acts) {
  const k = path.indexOf(i), onPath = row >= 0 && k >= 0 && phase === "select" && k < decisions(replay, row, path).length;
  const moves = replay.moves(i, onPath ? replay.scores(row, k) : null), found = onPath ? verdict(replay, row, path, k) : { moves, won: winner(moves), second: null };
  if (!onPath && found.won) found.second = winner(moves.filter(m => m !== found.won));
  const rows = Math.max(1, moves.length), small = Math.max(104, Math.min(220, height - 116 - 20 * rows));
  const n = i ? replay.N[i] : replay.total(0), q = replay.q(i, view);
  const own = [["N", html`<b>${n}</b>`], i ? ["W", n ? sum(replay.W[i]) : "–"] : null, ["Q", `${signed(q)}`], i && replay.hasPriors ? ["P", `${Math.round(100 * replay.prior(replay.parent[i], replay.action[i]))}%`] : null];
  return [beside(bigBoard(replay, i, { width: width - 150, height: small }), own, acts), choiceHtml(replay, i, found, chosen, { width, height: height - small - 10, all })];
}
