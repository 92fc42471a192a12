// The side panel: sentence, board, table of the moves, formula. Returns HTML text only.

import { board, drops, esc, mark, num, stone, sum } from "./paint.js";
import { moveLabel, winner } from "./replay.js";
import { decisions } from "./scene.js";

// The way from the root to the node shown, and on along the current path: every step is a button.
export function crumbs(replay, selected, path) {
  const line = path.includes(selected) ? path : replay.path(selected);
  return line.map(i => {
    const who = i ? replay.toPlay[replay.parent[i]] : -1;
    const dot = i && replay.record.game.rows ? `<svg viewBox="0 0 10 10" width="10" height="10">${stone(replay.record.game, who, 5, 5, 11)}</svg>` : "";
    return `<button type="button" data-go="${i}" tabindex="-1" data-lm-suppress-shortcuts="true"${i === selected ? ' aria-current="true"' : ""}>${dot}${esc(replay.label(i))}</button>`;
  }).join('<span aria-hidden="true">›</span>');
}

// The large board. rollout: the stones of a rollout played so far, numbered.
export function bigBoard(replay, i, rollout, width) {
  const { game } = replay.record;
  if (!game.rows) return `<p class="azl-noboard">${i === 0 ? "The root" : "After " + replay.path(i).slice(1).map(k => esc(replay.label(k))).join(", ")}</p>`;
  const cell = Math.min(width / game.cols, 176 / game.rows, game.rows < 4 ? 46 : 28), w = cell * game.cols, h = cell * game.rows;
  const cells = replay.cells(i).slice(), at = c => [(c % game.cols + 0.5) * cell, (Math.floor(c / game.cols) + 0.5) * cell];
  let svg = board(game, cells, 0, 0, cell, { last: rollout.length ? -1 : i ? replay.record.nodes.cell[i] : -1 });
  rollout.forEach((s, k) => {
    const [x, y] = at(s.cell), newest = k === rollout.length - 1;
    const ghost = game.rows < 4 ? 'opacity=".5"' : 'opacity=".62"';
    svg += stone(game, s.player, x, y, cell, newest ? "" : ghost);
    svg += `<text class="azl-ply" x="${x}" y="${y + 4}" text-anchor="middle">${k + 1}</text>`;
  });
  const top = drops(game)
    ? [...Array(game.cols)].map((_, c) => `<text class="azl-col" x="${(c + 0.5) * cell}" y="-5" text-anchor="middle">${esc(moveLabel(replay.record, c))}</text>`).join("") : "";
  const pad = top ? 16 : 2;
  return `<svg class="azl-board" viewBox="-2 ${-pad} ${w + 4} ${h + pad + 2}" width="${w + 4}" height="${h + pad + 2}" aria-hidden="true">${top}${svg}</svg>`;
}

// Whose turn it is, or how it ended.
export function status(replay, i) {
  const { game } = replay.record, who = replay.toPlay[i], z = replay.outcome[i];
  if (z === null || z === undefined) return `${mark(game, who)} to move`;
  return z === 0 ? "a draw" : `${mark(game, z > 0 ? who : 1 - who)} has won`;
}

// What the panel shows of node i: its moves, the winner, and the move this simulation took.
export function study(replay, i, row, phase, path) {
  const k = path.indexOf(i), choosing = row >= 0 && phase !== "backup";
  const chosen = row >= 0 && k >= 0 && k < decisions(replay, row, path).length ? path[k + 1] : -1;
  const moves = replay.moves(i, row >= 0 && k >= 0 && phase !== "backup" ? replay.scores(row, k) : null);
  const best = choosing && chosen >= 0 ? moves.find(m => m.child === chosen) || winner(moves) : winner(moves);
  const changed = phase === "backup" && row >= 0 && k >= 0 && k < path.length - 1 ? path[k + 1] : -1;
  return { moves, best, changed, chosen };
}

export function table(replay, i, { moves, best, changed }) {
  if (!moves.length) return '<p class="azl-quiet">The game is over here: no moves to compare.</p>';
  const scored = moves.some(m => m.score !== null), priors = moves.some(m => m.p !== null && m.p !== undefined);
  const finite = moves.filter(m => Number.isFinite(m.score) && m.score !== null).map(m => m.score + 1);
  const reach = Math.max(0.2, ...finite);
  const rows = moves.map(m => {
    const flash = m.child >= 0 && m.child === changed ? ' class="azl-flash"' : "";
    return `<tr data-move="${m.action}" class="${m === best && scored ? "azl-best" : ""}">`
      + `<th scope="row">${m.child >= 0 ? `<button type="button" data-go="${m.child}" tabindex="-1" data-lm-suppress-shortcuts="true" title="Look at this node">${esc(moveLabel(replay.record, m.action))}</button>` : esc(moveLabel(replay.record, m.action))}</th>`
      + `<td class="azl-cN"><span${flash}>${m.n}</span></td><td class="azl-cW"><span${flash}>${m.n ? sum(m.w) : "–"}</span></td>`
      + `<td class="azl-cQ">${num(m.q)}</td>${priors ? `<td class="azl-cP">${num(m.p)}</td>` : ""}`
      + (scored ? `<td class="azl-cU">${num(m.u)}</td><td class="azl-sc">${num(m.score)}</td><td class="azl-bar">${bar(m, reach)}</td>` : "") + "</tr>";
  }).join("");
  const known = replay.record.rule.name === "uct";
  const u = scored ? `<th scope="col" class="azl-cU">${known ? "U" : "rest"}</th><th scope="col">${known ? "Q+U" : "score"}</th>`
    + '<th scope="col"><span class="azl-sr">bars</span></th>' : "";
  return `<table><thead><tr><th scope="col">move</th><th scope="col" class="azl-cN">N</th><th scope="col" class="azl-cW">W</th><th scope="col" class="azl-cQ">Q</th>${priors ? '<th scope="col" class="azl-cP">P</th>' : ""}${u}</tr></thead><tbody>${rows}</tbody></table>`;
}

// Q from −1 on, then U on top of it.
function bar(m, reach) {
  if (m.score === null || Number.isNaN(m.score)) return "";
  if (!Number.isFinite(m.score)) return '<svg viewBox="0 0 100 12" preserveAspectRatio="none"><rect class="azl-inf" y="1" width="100" height="10"/></svg>';
  const q = m.q === null ? 0 : ((m.q + 1) / reach) * 100, u = ((m.score + 1) / reach) * 100 - q;
  return `<svg viewBox="0 0 100 12" preserveAspectRatio="none"><rect class="azl-q" y="1" width="${Math.max(0, q).toFixed(1)}" height="10"/><rect class="azl-u" x="${q.toFixed(1)}" y="1" width="${Math.max(0, u).toFixed(1)}" height="10"/></svg>`;
}

// The rule with this node's numbers in it, for one move.
export function formula(replay, i, m, tense) {
  const { rule } = replay.record;
  if (!m || rule.name !== "uct") return "";
  const label = esc(moveLabel(replay.record, m.action)), total = replay.total(i), c = num(rule.c, Number.isInteger(rule.c) ? 0 : 2);
  const N = x => `<i class="azl-cN">${x}</i>`, Q = x => `<i class="azl-cQ">${x}</i>`, U = x => `<i class="azl-cU">${x}</i>`;
  if (!m.n) return `move ${label} ${tense}:\nnever tried, N = 0, so its score is ${U("∞")}`;
  const root = `√(ln ${total} / ${N(m.n)})`;
  return `move ${label} ${tense}:\n  ${Q("W/" + N("N"))} + ${U("c·√(ln ΣN / " + N("N") + ")")}\n= ${Q(sum(m.w) + "/" + N(m.n))} + ${U(c + "·" + root)}\n= ${Q(num(m.q, 3))} + ${U(num(m.u, 3))} = <b>${num(m.score, 3)}</b>`;
}
