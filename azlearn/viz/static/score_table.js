// One choice of the selection rule as a table: a node's moves sorted by score, Q and U as two lanes,
// a magnified view of where the scores end, and the winner's lead split into its parts.

import { html, svg } from "./dom.js";
import { count, glyph, num, signed, sum, thousands } from "./paint.js";
import { moveLabel } from "./replay.js";

export const SAME = 5e-5;   // closer scores print the same, and their difference may be a rounding error
const HEAD = 18, SPLIT = 80, LEAST = 17, MOST = 28;        // heights: titles, the split lead, a row (least and most)
const finite = x => x !== null && Number.isFinite(x);
const known = x => x !== null && !Number.isNaN(x);

// The number of decimals needed to tell apart two numbers that differ by `gap`.
export const digitsFor = gap => (!gap ? 2 : Math.abs(gap) < 0.01 ? 4 : Math.abs(gap) < 0.1 ? 3 : 2);

// a, b and a + b as text. b is printed as the printed sum minus the printed a, so the numbers add up.
export function adding(a, b, digits, write = signed) {
  const round = x => Number(x.toFixed(digits));
  return [write(a, digits), write(round(a + b) - round(a), digits), write(a + b, digits)];
}

// Highest score first; moves without a score, or with −∞, are sorted by visits.
export const ranked = moves => [...moves].sort((a, b) =>
  (known(b.score) - known(a.score)) || (known(a.score) && b.score !== a.score ? b.score - a.score : 0) || (known(a.score) && a.score !== -Infinity ? 0 : b.n - a.n) || a.action - b.action);

// Divides the space: the row height, the number of rows, and whether the split and the general
// formula fit; the least important part is dropped first. lines: lines of the formula with its
// numbers. all: whether every move gets a row, even if the space is too small.
export function portions(height, moves, split, lines, all = false) {
  const free = height - HEAD - 20 - 17 * lines;
  for (const plan of [{ split, general: true }, { split, general: false }, { split: false, general: false }]) {
    const row = Math.floor((free - (plan.split ? SPLIT + 7 : 0) - (plan.general ? 17 : 0)) / moves);
    if (row >= LEAST) return { ...plan, row: Math.min(MOST, row), rows: moves };
  }
  return { split: false, general: false, row: LEAST, rows: all ? moves : Math.max(2, Math.floor((free - 32) / LEAST)), all };
}

// The proven result of a move, as a verb.
const fate = z => (z > 0 ? "wins" : z < 0 ? "loses" : "draws");

// won: the marked move; second: the best of the others, or null.
export function comparison(replay, i, { moves, won, second }, width, plan) {
  const { record } = replay, order = ranked(moves), who = replay.toPlay[i], { hasPriors } = replay;
  const shown = order.slice(0, plan.rows), hidden = order.slice(plan.rows), scored = moves.some(m => m.score !== null || m.known !== null);
  if (won && hidden.includes(won)) shown.splice(-1, 1, won);
  const gap = won && second && finite(won.score) && finite(second.score) ? won.score - second.score : null;
  const digits = gap === null ? 2 : digitsFor(gap), axes = scales(moves, won, second, width - 46 - 34 - (hasPriors ? 38 : 0) - (scored ? 40 + 8 * digits : 8));
  const rows = shown.map(m => {
    const label = moveLabel(record, m.action), name = html`<span aria-hidden="true">${record.game.rows ? glyph(record.game, who) : ""}</span>${label}`;
    const q = m.n ? `Q ${signed(m.q)}` : m.base !== null ? `Q (${signed(m.base)}), assumed` : "no Q yet";
    const said = `N ${m.n}, W ${m.n ? sum(m.w) : "–"}, ${q}${m.u === null ? "" : `, U ${num(m.u)}`}${m.known === null ? "" : `, proven: it ${fate(m.known)}`}`;
    return html`<tr data-move="${m.action}" title="${said}" class="${m === won && scored && "azl-best"}"><th scope="row">${m.child >= 0 && m.n ? html`<button type="button" data-go="${m.child}" tabindex="-1" data-lm-suppress-shortcuts="true" title="Pin this node in the panel">${name}</button>` : html`<span>${name}</span>`}</th>
<td class="azl-cN">${count(m.n, 34)}</td>${hasPriors ? html`<td class="azl-cP">${Math.round(100 * m.p)}%</td>` : ""}
<td class="azl-lanes"><span class="azl-sr">${said}</span>${lanes(m, axes, plan.row, record.rule.adds !== false)}${axes.zoom ? magnified(m, won, second, gap, axes, plan.row) : ""}</td>
${scored ? html`<td class="azl-sc">${m.known !== null ? fate(m.known) : m.score === Infinity ? "∞" : signed(m.score, digits)}</td>` : ""}</tr>`;
  });
  const more = (hidden.length > 0 || plan.all) && html`<button type="button" class="azl-more-rows" data-do="rows" aria-expanded="${String(Boolean(plan.all))}" data-lm-suppress-shortcuts="true">${plan.all ? "fewer moves" : `${hidden.length} more move${hidden.length > 1 ? "s" : ""}`}</button>`;
  return html`<table class="azl-compare"><thead><tr><th scope="col">move</th><th scope="col">N</th>${hasPriors ? html`<th scope="col">P</th>` : ""}<th scope="col" class="azl-lanes">${axis(axes)}<span class="azl-sr">Q and U</span></th>${scored ? html`<th scope="col">${record.rule.name === "custom" ? "score" : "Q+U"}</th>` : ""}</tr></thead><tbody style="--azl-row:${plan.row}px">${rows}</tbody></table>${more}`;
}

// The scale of the lanes and, if it shows more, of the magnified column to their right.
function scales(moves, won, second, width) {
  const ends = moves.flatMap(m => [m.base ?? m.q, m.score]).filter(finite), open = moves.some(m => m.score === Infinity);
  const low = Math.min(-0.1, ...ends) * 1.02, high = Math.max(0.1, open ? 0.6 : 0, ...ends) * 1.02;
  const zooms = won && second && finite(won.score) && finite(second.score), lane = Math.max(40, zooms ? Math.floor((width - 10) / 2) : width - 8);
  const axes = { low, high, lane, zoom: null, at: v => ((v - low) / (high - low)) * lane };
  if (!zooms) return axes;
  const worst = Math.min(...moves.map(m => m.score).filter(finite)), gap = Math.abs(won.score - second.score);
  const top = Math.max(won.score, second.score), span = Math.min((top - worst) * 1.12, gap < SAME ? Infinity : gap * 5);
  const from = top - span, to = top + span * 0.14, wide = width - 10 - lane;
  const times = wide / (to - from) / (lane / (high - low));
  return span < SAME || times < 1.2 ? axes : Object.assign(axes, { zoom: { from, wide, times, at: v => ((v - from) / (to - from)) * wide } });
}

function axis({ low, high, lane, zoom, at }) {
  const marks = [-1, 0, 1].filter(v => v >= low && v <= high && (v === 0 || Math.abs(at(v) - at(0)) > 18));
  const texts = marks.map(v => svg`<text x="${Math.max(6, Math.min(lane - 4, at(v))).toFixed(1)}" y="12" text-anchor="middle">${num(v, 0)}</text>`);
  const by = zoom ? svg`<text x="${lane + 10 + zoom.wide / 2}" y="12" text-anchor="middle">zoom ×${zoom.times < 10 ? zoom.times.toFixed(1) : thousands(Math.round(zoom.times))}</text>` : "";
  return html`<svg width="${lane + (zoom ? 10 + zoom.wide : 8)}" height="16" aria-hidden="true">${texts}${by}</svg>`;
}

const rect = (x0, x1, y, h, look) => svg`<rect x="${Math.min(x0, x1).toFixed(1)}" y="${y}" width="${Math.max(0.8, Math.abs(x1 - x0)).toFixed(1)}" height="${h}" ${look}/>`;
const hue = q => ({ fill: `var(--azl-${q < 0 ? "behind" : "ahead"})` });
const HATCHED = { class: "azl-u" };

// adds: whether the score is Q plus a bonus; the bonus bar then starts where the bar of Q ends.
function lanes(m, { lane, at }, row, adds) {
  const c = row / 2, zero = at(0), q = m.n ? m.q : m.base, h = Math.min(7, c - 2.5);
  const inside = [svg`<path d="M${zero.toFixed(1)} 0V${row}" stroke="var(--azl-line)"/>`];
  if (known(q)) inside.push(rect(zero, at(q), c - h - 0.5, h, { ...hue(q), opacity: m.n ? null : 0.55 }));
  if (m.score === Infinity) inside.push(rect(zero, lane - 7, c + 0.5, h, HATCHED), svg`<path d="M${lane - 7} ${c - 1}l6 ${h / 2 + 1.5}l-6 ${h / 2 + 1.5}z" fill="var(--azl-hatch)"/>`);
  else if (finite(m.score)) inside.push(rect(at(adds && known(q) ? q : 0), at(m.score), c + 0.5, h, HATCHED), svg`<path d="M${at(m.score).toFixed(1)} ${c - h - 1.5}V${c + h + 1.5}" stroke="var(--azl-fg)" stroke-width="1.6"/>`);
  return html`<svg class="azl-lane" width="${lane}" height="${row}" aria-hidden="true">${inside}</svg>`;
}

// The ends of the bars, magnified. A dotted line marks the winner's end in all rows; its lead is drawn
// in the row of the second move.
function magnified(m, won, second, gap, { zoom }, row) {
  const { wide, at, from } = zoom, c = row / 2, end = at(won.score).toFixed(1);
  const inside = [svg`<rect x=".5" y="-2" width="${wide - 1}" height="${row + 4}" fill="var(--azl-bg)" stroke="var(--azl-line)"/><path d="M${end} 0V${row}" stroke="var(--azl-path)" stroke-dasharray="2 3"/>`];
  if (finite(m.score)) {
    const x = at(m.score);
    if (m.score < from) inside.push(svg`<path d="M9 ${c - 4}l-5 4l5 4z" fill="var(--azl-mute)"/>`);
    else inside.push(svg`<circle cx="${x.toFixed(1)}" cy="${c}" r="${m === won ? 4.5 : 3.5}" style="fill:var(--azl-${m === won ? "path" : "fg"})"/>`);
    if (m === second && gap > 0) {
      inside.push(svg`<path d="M${(x + 5).toFixed(1)} ${c}H${end}M${end} ${c - 4}v8" stroke="var(--azl-path)" stroke-width="2"/>`);
      const text = num(gap, digitsFor(gap));
      if (x > 10 + 7 * text.length) inside.push(svg`<text class="azl-lead-text" x="${(x - 7).toFixed(1)}" y="${c + 4}" text-anchor="end">${text}</text>`);
    }
  }
  return html`<svg class="azl-zoomed" width="${wide}" height="${row}" aria-hidden="true">${inside}</svg>`;
}

// Why the winner was chosen over the second move: the difference of their scores, part by part.
export function splitLead(record, { won, second }, width) {
  const base = m => (m.n ? m.q : m.base);
  if (record.rule.adds === false || !won || !second || won.score === second.score || !finite(won.score) || !finite(second.score) || !known(base(won)) || !known(base(second))) return "";
  const dq = base(won) - base(second), lead = won.score - second.score, texts = adding(dq, lead - dq, digitsFor(lead));
  const x0 = 66, x1 = width - 64, low = Math.min(0, dq, lead), high = Math.max(0, dq, lead), at = v => x0 + ((x1 - x0) * (v - low)) / (high - low || 1);
  const step = (x, y) => svg`<path d="M${x.toFixed(1)} ${y}v33" stroke="var(--azl-fg)"/>`, part = record.rule.name === "custom" ? "bonus" : "bonus U";
  const name = m => moveLabel(record, m.action), row = (k, text, look = {}) => svg`<text x="0" y="${30 + 20 * k}" ${look}>${text}</text><text x="${width - 2}" y="${30 + 20 * k}" text-anchor="end" ${look}>${texts[k]}</text>`;
  return html`<svg class="azl-split" width="${width}" height="${SPLIT - 4}" role="img" aria-label="Move ${name(won)} against ${name(second)}: mean Q ${texts[0]}, ${part} ${texts[1]}, score ${texts[2]}"><text class="azl-mute" x="0" y="11">why ${name(won)} and not ${name(second)}, part by part</text><path d="M${at(0).toFixed(1)} 17V76" stroke="var(--azl-mute)"/>${row(0, "mean Q")}${rect(at(0), at(dq), 20, 12, hue(dq))}${step(at(dq), 20)}${row(1, part)}${rect(at(dq), at(lead), 40, 12, HATCHED)}${step(at(lead), 40)}${row(2, "score", { class: "azl-strong" })}${rect(at(0), at(lead), 60, 12, { fill: "var(--azl-path)" })}</svg>`;
}

// The general formula of the rule, as a line above the formula with numbers.
export const general = rule => ({ uct: "score = Q + U = W/N + c·√(ln ΣN / N)\n", puct: "score = Q + U = W/N + c·P·√ΣN/(1+N)\n" })[rule.name] || "";

// The formula with this node's numbers, for one move.
export function formula(replay, i, m, { digits = 3 } = {}) {
  const { rule, nodes, steps } = replay.record;
  if (m && m.known !== null) return html`<b>${moveLabel(replay.record, m.action)}</b>\u2002${fate(m.known)}: this is proven, so it is not searched again`;
  if (rule.name === "custom" && nodes.legal[i].length && (!m || m.score === null)) {
    return `The viewer does not know the formula of this rule, and ${steps.scores?.length ? "its scores were recorded only on the path: see Select." : "no scores were recorded."}`;
  }
  if (!m || replay.more(i)) return "";
  const name = html`<b>${moveLabel(replay.record, m.action)}</b>\u2002`, q = m.n ? m.q : m.base;
  const ends = finite(m.score) && known(q) ? adding(q, m.score - q, digits) : [signed(q, digits), num(m.u, digits), m.score === Infinity ? "∞" : signed(m.score, digits)];
  if (rule.adds === false) return html`${name}score <b>${signed(m.score, digits)}</b>, as recorded; it is not a sum of Q and a bonus`;
  if (rule.name === "custom") return html`${name}score = <b>${signed(m.score, digits)}</b>${finite(m.score) && m.q !== null ? ` = Q ${ends[0]}, bonus ${ends[1]}` : ""}, as recorded; the viewer does not know the formula of this rule`;
  const total = replay.total(i), c = num(rule.c, 2).replace(/\.?0+$/, "");
  if (rule.name === "uct") {
    if (!m.n) return html`${name}never tried (N = 0), so its score is ∞`;
    return html`${name}${ends[0]} + ${c}·√(ln ${total} / ${m.n}) = <b>${ends[2]}</b>`;
  }
  const less = rule.fpu_reduction ? ` minus ${num(rule.fpu_reduction)}·√(ΣP of the tried moves)` : "";
  const why = m.n ? "" : `\nnever tried: Q is fpu, ${rule.fpu === "parent" ? "the node's own mean" : num(rule.fpu)}${less}`;
  return html`${name}${m.n ? ends[0] : `(${ends[0]})`} + ${c}·${num(m.p, 3)}·√${Math.max(1, total)}/${1 + m.n} = <b>${ends[2]}</b>${why}`;
}
