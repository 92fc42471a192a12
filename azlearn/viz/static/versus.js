// The differences between two searches of one position: a sentence, and a table of the moves. Pure:
// numbers and templates.

import { html, svg } from "./dom.js";
import { count, signed } from "./paint.js";
import { moveLabel } from "./replay.js";

// The node at the end of a line of actions, or the last node on it that the tree has at that moment.
export function follow(replay, line, row, phase) {
  let node = 0;
  for (let k = 0; k < line.length; k++) {
    const below = replay.child(node, line[k]);
    if (below < 0 || !replay.exists(below, row, phase)) return { node, reached: k };
    node = below;
  }
  return { node, reached: line.length };
}

export const lineTo = (replay, node) => replay.path(node).slice(1).map(i => replay.action[i]);

const MANY = 12;               // more moves than this are sorted by visits, so that the important ones come first
const REACH = 36;              // percentage of its cell that the longest bar takes; the number needs the rest
const percent = share => `${Math.round(100 * share)}%`;

// The most visited move of the root: {action, share}, or null without visits.
function preferred(replay) {
  const k = replay.favorite(0);
  return k < 0 ? null : { action: replay.action[k], share: replay.N[k] / replay.total(0) };
}

// The actions of the line of most visited moves.
const mainLine = replay => [...replay.principal()].slice(1).map(i => replay.action[i]);

// One or two sentences: the move each prefers at the root, and where their main lines diverge.
export function preference(replays, names, simulations) {
  const [a, b] = replays.map(preferred), label = action => html`<b>${moveLabel(replays[0].record, action)}</b>`;
  const [one, two] = names.map(name => html`<i>${name}</i>`), counts = [...new Set(simulations)].map(n => n.toLocaleString("en"));
  const when = `After ${counts.join(" and ")} simulation${counts.join() === "1" ? "" : "s"}`;
  if (!a && !b) return html`<b>Before the search.</b> Both trees are just the root.`;
  if (!a || !b) return html`${when}: only ${a ? one : two} has visits so far; it prefers ${label((a || b).action)} (${percent((a || b).share)}).`;
  if (a.action !== b.action) return html`${when}: ${one} prefers ${label(a.action)} (${percent(a.share)}), ${two} prefers ${label(b.action)} (${percent(b.share)}).`;
  const [p, q] = replays.map(mainLine), k = p.findIndex((action, i) => action !== q[i]);
  const both = html`${when}: both prefer ${label(a.action)} (${percent(a.share)} of the visits in ${one}, ${percent(b.share)} in ${two}).`;
  if (k < 0 || k >= q.length) return both;
  const then = p.slice(0, k).map(action => moveLabel(replays[0].record, action)).join(" ");
  return html`${both} After ${then}, ${one} continues with ${label(p[k])}, ${two} with ${label(q[k])}.`;
}

// The moves of one position in both trees: [{action, one, two}], each {n, share, q, best} or null.
function rowsOf(replays, nodes) {
  const found = replays.map((replay, side) => {
    if (nodes[side] < 0) return new Map();
    const total = replay.total(nodes[side]), best = replay.favorite(nodes[side]);
    return new Map(replay.moves(nodes[side]).map(m => [m.action, {
      n: m.n, share: total ? m.n / total : 0, q: m.q, best: best >= 0 && m.child === best,
    }]));
  });
  const actions = [...new Set(found.flatMap(side => [...side.keys()]))].sort((a, b) => a - b);
  const rows = actions.map(action => ({ action, one: found[0].get(action) || null, two: found[1].get(action) || null }));
  const share = ({ one, two }) => Math.max(one ? one.share : 0, two ? two.share : 0);
  return rows.length > MANY ? rows.sort((a, b) => share(b) - share(a)) : rows;
}

// The table: the numbers of the left search are left of the moves, those of the right search right of
// them, with bars of visit shares between. A tick on each bar shows where the other search's bar ends.
// roomy: whether to add N and the difference of the shares.
export function tableOfTwo(replays, nodes, names, roomy) {
  const rows = rowsOf(replays, nodes), record = replays[0].record;
  if (!rows.length) return html`<p class="azl-quiet">The game is over here, so there are no moves to compare.</p>`;
  const reach = Math.max(0.05, ...rows.flatMap(r => [r.one, r.two]).map(m => (m ? m.share : 0)));
  const cells = [...(roomy ? [["N", m => count(m.n, 34)]] : []), ["Q", m => signed(m.q)]], order = cells.map(([name]) => name);
  const numbers = (m, columns) => columns.map(([name, text]) => html`<td class="azl-c${name}">${m ? text(m) : "–"}</td>`);
  const strong = m => (m && m.best ? " azl-top" : "");
  const body = rows.map(({ action, one, two }) => {
    const gap = one && two ? Math.round(100 * two.share) - Math.round(100 * one.share) : null;
    const sign = gap === null ? "–" : gap === 0 ? "0" : (gap > 0 ? "+" : "−") + Math.abs(gap);
    return html`<tr><td class="azl-half-l${strong(one)}"></td>${numbers(one, [...cells].reverse())}
<td class="azl-vb">${bar(one, two, reach, true)}</td><th scope="row"><button type="button" data-into="${action}" tabindex="-1" data-lm-suppress-shortcuts="true" title="Look at the position after this move">${moveLabel(record, action)}</button></th><td class="azl-vb">${bar(two, one, reach, false)}</td>
${numbers(two, cells)}<td class="azl-half-r${strong(two)}"></td>${roomy ? html`<td class="azl-gap">${sign}</td>` : ""}</tr>`;
  });
  const head = names => names.map(name => html`<th scope="col" class="azl-c${name}">${name}</th>`);
  return html`<table><caption class="azl-sr">The moves of the selected position in both searches</caption><thead><tr class="azl-names"><td></td><th scope="colgroup" colspan="${cells.length + 1}">${names[0]}</th><td></td><th scope="colgroup" colspan="${cells.length + 1}">${names[1]}</th><td></td>${roomy ? html`<td></td>` : ""}</tr>
<tr><td></td>${head([...order].reverse())}<th scope="col">share</th><th scope="col">move</th><th scope="col">share</th>${head(order)}<td></td>${roomy ? html`<th scope="col" class="azl-gap" title="Share on the right minus share on the left, in percentage points">±</th>` : ""}</tr></thead><tbody>${body}</tbody></table>
<p class="azl-quiet">Bar: share of visits; tick: share in the other search; ★: move it would play.</p>`;
}

// A bar for the share of the visits, growing away from the middle, with its number. The tick marks
// the other search's share.
function bar(m, other, reach, left) {
  if (!m) return "";
  const w = (REACH * m.share) / reach, x = left ? 100 - w : 0, t = other ? (REACH * other.share) / reach : null;
  const tick = t === null ? "" : svg`<path d="M${(left ? 100 - t : t).toFixed(1)} 0V14"/>`;
  return html`<span class="azl-vbar${left ? " azl-left" : ""}"><svg viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true"><rect x="${x.toFixed(1)}" y="2" width="${w.toFixed(1)}" height="10"/>${tick}</svg><span style="${left ? "right" : "left"}:${Math.max(w, t || 0).toFixed(1)}%">${percent(m.share)}</span></span>`;
}
