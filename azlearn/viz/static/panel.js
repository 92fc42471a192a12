// The side panel: sentence, board, table of the moves, formula. Returns HTML text only.

import { board, drops, esc, extent, mark, num, spot, stone, sum } from "./paint.js";
import { change, moveLabel, winner } from "./replay.js";
import { decisions, scale, stack } from "./scene.js";

// The way from the root to the node shown, and on along the current path: every step is a button.
export function crumbs(replay, selected, path) {
  const line = path.includes(selected) ? path : replay.path(selected);
  return trail(replay, line, selected, i => `data-go="${i}" tabindex="-1"`);
}

// Nodes as buttons in a row; a line never begins with the sign between two of them.
export function trail(replay, line, selected, attributes) {
  return line.map((i, k) => {
    const who = i ? replay.toPlay[replay.parent[i]] : -1, next = k < line.length - 1 ? '<span aria-hidden="true">›</span>' : "";
    const dot = i && replay.record.game.rows ? `<svg viewBox="0 0 10 10" width="10" height="10">${stone(replay.record.game, who, 5, 5, 11)}</svg>` : "";
    return `<span class="azl-crumb"><button type="button" ${attributes(i, k)} data-lm-suppress-shortcuts="true"${i === selected ? ' aria-current="true"' : ""}>${dot}${esc(replay.label(i))}</button>${next}</span>`;
  }).join("");
}

// The large board. rollout: the stones of a rollout played so far, numbered. heat: whether the prior
// of node i lies over its moves.
export function bigBoard(replay, i, rollout, width, heat = false) {
  const { game } = replay.record;
  if (!game.rows) return `<p class="azl-noboard">${i === 0 ? "The root" : "After " + replay.path(i).slice(1).map(k => esc(replay.label(k))).join(", ")}</p>`;
  const [wide, high] = extent(game), cell = Math.min(width / wide, 176 / high, game.rows < 4 ? 46 : 28), w = cell * wide, h = cell * high;
  const cells = replay.cells(i).slice(), { fills } = game.drawing;
  if (!fills) rollout.forEach(s => change(cells, s.changes));        // else the stones lie above the board, half transparent
  const last = rollout.length ? -1 : i ? replay.record.nodes.cell[i] : -1;
  let svg = (heat ? warmth(replay, i, cell) : "") + board(game, cells, 0, 0, cell, { last, line: rollout.length ? [] : replay.line(i) });
  rollout.forEach((s, k) => {
    if (s.cell < 0) return;
    const [x, y] = spot(game, s.cell, cell), newest = k === rollout.length - 1;
    const ghost = game.rows < 4 ? 'opacity=".5"' : 'opacity=".62"';
    if (fills) svg += stone(game, s.player, x, y, cell, newest ? "" : ghost);
    svg += `<text class="azl-ply" x="${x}" y="${y + 4}" text-anchor="middle">${k + 1}</text>`;
  });
  if (heat) svg += percents(replay, i, cell);
  const top = drops(game)
    ? [...Array(game.cols)].map((_, c) => `<text class="azl-col" x="${(c + 0.5) * cell}" y="-5" text-anchor="middle">${esc(moveLabel(replay.record, c))}</text>`).join("") : "";
  const up = top ? 16 : 2, down = heat && drops(game) ? 18 : 2;
  return `<svg class="azl-board" viewBox="-2 ${-up} ${w + 4} ${h + up + down}" width="${w + 4}" height="${h + up + down}" aria-hidden="true">${top}${svg}</svg>`;
}

const f = x => Math.round(x * 100) / 100;

// Where the heat of a move lies: the top of its column, or the cell that it fills; -1 for none.
function landing(replay, i, action) {
  const { game, root } = replay.record;
  return drops(game) ? action : root.lands[action];
}

// The prior as a heat: behind the whole column where stones drop, else in the move's own cell.
function warmth(replay, i, cell) {
  const { game, nodes } = replay.record, highest = Math.max(...nodes.legal[i].map(a => replay.prior(i, a)));
  return nodes.legal[i].map(action => {
    const share = (0.06 + 0.54 * (replay.prior(i, action) / highest)).toFixed(2), at = landing(replay, i, action);
    if (at < 0) return "";
    const [x, y] = spot(game, at, cell), tall = drops(game) ? game.rows : 1;
    return `<rect class="azl-heat" data-heat="${action}" x="${f(x - cell / 2 + 1)}" y="${f(y - cell / 2 + 1)}" width="${f(cell - 2)}" height="${f(tall * cell - 2)}" rx="5" fill-opacity="${share}"/>`;
  }).join("");
}

// The same in numbers: per cent, below the column or in the cell.
function percents(replay, i, cell) {
  const { game, nodes } = replay.record;
  return nodes.legal[i].map(action => {
    const at = landing(replay, i, action);
    if (at < 0) return "";
    const [x, middle] = spot(game, at, cell), y = drops(game) ? game.rows * cell + 13 : middle + 4;
    return `<text class="azl-percent" x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="middle">${Math.round(100 * replay.prior(i, action))}</text>`;
  }).join("");
}

// A value in [-1, 1] as a bar from the middle, with its number.
export function valueBar(value) {
  const x = Math.min(0, value), w = Math.abs(value);
  return `<svg class="azl-value" viewBox="-1.04 0 2.08 .24" width="104" height="12" aria-hidden="true"><rect x="-1" y=".06" width="2" height=".12" rx=".06"/><rect class="azl-v" x="${x}" y="0" width="${w}" height=".24"/><path d="M0 0V.24"/></svg>`;
}

// Whose turn it is, or how it ended.
export function status(replay, i) {
  const { game } = replay.record, victor = replay.victor(i);
  if (!replay.over(i)) return `${mark(game, replay.toPlay[i])} to move`;
  return victor < 0 ? "a draw" : `${mark(game, victor)} has won`;
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
  if (replay.more(i)) return '<p class="azl-quiet">The moves of this node are not here yet: open it with Enter, or with the button below it.</p>';
  if (!moves.length) return '<p class="azl-quiet">The game is over here: no moves to compare.</p>';
  const scored = moves.some(m => m.score !== null), { hasPriors } = replay, reach = scale(moves);
  const rows = moves.map(m => {
    const flash = m.child >= 0 && m.child === changed ? ' class="azl-flash"' : "", label = esc(moveLabel(replay.record, m.action));
    const q = m.q === null && m.base !== null ? `<span class="azl-assumed" title="never tried: the value assumed for it">(${num(m.base)})</span>` : `<span${flash}>${num(m.q)}</span>`;
    return `<tr data-move="${m.action}" class="${m === best && scored ? "azl-best" : ""}">`
      + `<th scope="row">${m.child >= 0 ? `<button type="button" data-go="${m.child}" tabindex="-1" data-lm-suppress-shortcuts="true" title="Look at this node">${label}</button>` : label}</th>`
      + `<td class="azl-cN"><span${flash}>${m.n}</span></td><td class="azl-cW"><span${flash}>${m.n ? sum(m.w) : "–"}</span></td>`
      + `<td class="azl-cQ">${q}</td>${hasPriors ? `<td class="azl-cP">${num(m.p)}</td>` : ""}`
      + (scored ? `<td class="azl-cU">${num(m.u)}</td><td class="azl-sc">${num(m.score)}</td><td class="azl-bar">${bar(m, reach)}</td>` : "") + "</tr>";
  }).join("");
  const known = replay.record.rule.name !== "custom";
  const from = Number.isInteger(reach.start) ? num(reach.start, 0) : num(reach.start, 1), bars = reach.split ? `Q and then ${known ? "U" : "bonus"}` : "the score";
  const u = scored ? `<th scope="col" class="azl-cU">${known ? "U" : "bonus"}</th><th scope="col">${known ? "Q+U" : "score"}</th>`
    + `<th scope="col" class="azl-from" title="Bars: ${bars}, from ${from} on">from ${from}</th>` : "";
  return `<table${hasPriors ? ' class="azl-wide"' : ""}><thead><tr><th scope="col">move</th><th scope="col" class="azl-cN">N</th><th scope="col" class="azl-cW">W</th><th scope="col" class="azl-cQ">Q</th>${hasPriors ? '<th scope="col" class="azl-cP">P</th>' : ""}${u}</tr></thead><tbody>${rows}</tbody></table>`;
}

function bar(m, reach) {
  const { q, u, infinite } = stack(m, reach);
  const inside = infinite ? '<rect class="azl-inf" y="1" width="100" height="10"/>'
    : `<rect class="azl-q" y="1" width="${q}" height="10"/><rect class="azl-u" x="${q}" y="1" width="${u}" height="10"/>`;
  return `<svg viewBox="0 0 100 12" preserveAspectRatio="none">${inside}</svg>`;
}

const N = x => `<i class="azl-cN">${x}</i>`, Q = x => `<i class="azl-cQ">${x}</i>`;
const U = x => `<i class="azl-cU">${x}</i>`, P = x => `<i class="azl-cP">${x}</i>`;

// The rule with this node's numbers in it, for one move.
export function formula(replay, i, m, tense) {
  const { rule, nodes, steps } = replay.record;
  if (rule.name === "custom" && nodes.legal[i].length && (!m || m.score === null)) {
    return `The formula of this rule is not known here, and ${steps.scores?.length ? "its scores were recorded only on the path, where it chose: see select." : "no scores were recorded."}`;
  }
  if (!m || replay.more(i)) return "";
  const head = `move ${esc(moveLabel(replay.record, m.action))} ${tense}:\n`;
  if (rule.name === "custom") {
    const parts = m.q !== null && Number.isFinite(m.score);
    const split = parts ? `\n= ${Q(num(m.q, 3))} ${m.u < 0 ? "−" : "+"} ${U(num(Math.abs(m.u), 3))}` : "";
    return `${head}score${parts ? ` = ${Q("Q")} + ${U("bonus")}` : ""}${split}\n= <b>${num(m.score, 3)}</b>\nas recorded; the formula of this rule is not known here`;
  }
  const total = replay.total(i), c = num(rule.c, 2).replace(/\.?0+$/, "");
  const end = `= ${Q(num(m.base, 3))} + ${U(num(m.u, 3))} = <b>${num(m.score, 3)}</b>`;
  if (rule.name === "uct") {
    if (!m.n) return `${head}never tried, N = 0, so its score is ${U("∞")}`;
    return `${head}  ${Q("W/" + N("N"))} + ${U("c·√(ln ΣN / " + N("N") + ")")}\n= ${Q(sum(m.w) + "/" + N(m.n))} + ${U(c + "·√(ln " + total + " / " + N(m.n) + ")")}\n${end}`;
  }
  const rest = (p, root, n) => U(`${p}·√${root}/(1+${N(n)})`);
  const first = m.n ? Q(`${sum(m.w)}/${N(m.n)}`) : Q(`(${num(m.base, 3)})`);
  const less = rule.fpu_reduction ? ` less ${num(rule.fpu_reduction)}·√(ΣP of the tried moves)` : "";
  const why = m.n ? "" : `\nnever tried: fpu, ${rule.fpu === "parent" ? "the node's own mean" : num(rule.fpu)}${less}, for Q`;
  return `${head}  ${Q(m.n ? "W/" + N("N") : "fpu")} + ${rest("c·" + P("P"), "ΣN", "N")}\n= ${first} + ${rest(c + "·" + P(num(m.p, 3)), Math.max(1, total), m.n)}\n${end}${why}`;
}
