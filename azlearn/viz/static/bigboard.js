// The large board of the panel and the preview: the position of a node, with the stones of a rollout
// or the prior as a heat map over the moves.

import { html, joined, svg } from "./dom.js";
import { board, crosses, drops, extent, glyph, margin, spot, stone, stoneName } from "./paint.js";
import { change, moveLabel } from "./replay.js";

// A player in a sentence: the stone and the name. Screen readers read only the name.
export const whoHtml = (game, player) => html`<span class="azl-who"><span aria-hidden="true">${glyph(game, player)}</span> ${stoneName(game, player)}</span>`;

// Whose turn it is, or how the game ended.
export function status(replay, i) {
  const { game } = replay.record, victor = replay.victor(i), result = replay.result(i);
  if (!replay.over(i)) return html`${whoHtml(game, replay.toPlay[i])} to move${replay.promised(i) === null ? "" : html`<br>proven: ${promise(game, replay.promised(i))}`}`;
  if (result) return html`${victor >= 0 && html`<span aria-hidden="true">${glyph(game, victor)}</span> `}${result}`;
  return victor < 0 ? "a draw" : html`${whoHtml(game, victor)} has won`;
}

// The proven result of a game.
export const promise = (game, who) => (who < 0 ? "a draw" : html`${whoHtml(game, who)} wins`);

// The sign between two moves of a line.
export const THEN = html`<span class="azl-then" aria-hidden="true">›</span>`;

// Nodes as a row of buttons; each shows the move and the stone of its player.
export function trail(replay, line, current, attributes) {
  return joined(line.map((i, k) => {
    const dot = i && replay.record.game.rows ? html`<span aria-hidden="true">${glyph(replay.record.game, replay.toPlay[replay.parent[i]])}</span>` : "";
    return html`<button type="button" ${attributes(i, k)} data-lm-suppress-shortcuts="true" aria-current="${i === current && "true"}">${dot}${replay.label(i)}</button>`;
  }), THEN);
}

// The large board. rollout: the numbered stones of a rollout, as far as it is played. heat: whether to
// draw the prior of node i over its moves.
export function bigBoard(replay, i, { rollout = [], width, height, heat = false }) {
  const { game } = replay.record;
  if (!game.rows) return html`<p class="azl-noboard">${i === 0 ? "The root" : "After " + replay.path(i).slice(1).map(k => replay.label(k)).join(", ")}</p>`;
  const [wide, high] = extent(game), top = drops(game) ? 16 : 2, down = heat && drops(game) ? 18 : 2, onWood = game.drawing.field === "crossings";
  const most = room => Math.min((width - 4 - room) / wide, (height - top - down - room) / high, game.rows < 4 ? 56 : 36), named = game.coordinates && most(margin(game, 0)) >= 11;
  const cell = Math.max(6, most(named ? margin(game, most(0)) : 0)), room = named ? margin(game, cell) : 0, w = cell * wide, h = cell * high;
  const cells = replay.cells(i).slice(), { fills } = game.drawing;
  if (!fills) rollout.forEach(s => change(cells, s.changes));        // otherwise the stones are drawn over the board
  const { cell: lands, origin } = replay.record.nodes, last = rollout.length || !i ? -1 : lands[i], left = rollout.length || !i || !origin ? -1 : origin[i], warm = heat && warmth(replay, i, cell);
  const field = board(game, cells, 0, 0, cell, { last, left, line: rollout.length ? [] : replay.line(i), owners: rollout.length ? "" : replay.owners(i), beside: Boolean(named) });
  const drawn = onWood ? [field, warm] : [warm, field], lying = new Map(rollout.map((s, k) => [s.cell, k]));
  rollout.forEach((s, k) => {
    if (s.cell < 0 || (!fills && (lying.get(s.cell) !== k || !cells[s.cell] || (onWood && cells[s.cell] !== s.player + 1)))) return;        // captured or moved on since then
    const [x, y] = spot(game, s.cell, cell), solid = onWood || (fills && !crosses(game));
    if (fills) drawn.push(stone(game, s.player, x, y, cell, solid || k === rollout.length - 1 ? {} : { opacity: 0.5 }));
    drawn.push(svg`<text class="azl-ply${solid ? " azl-on" : ""}" x="${f(x)}" y="${f(y + 4)}" text-anchor="middle" style="${solid && `fill:var(--azl-on-${s.player ? "second" : "first"})`}">${k + 1}</text>`);
  });
  if (heat) drawn.push(percents(replay, i, cell));
  const columns = drops(game) && [...Array(game.cols)].map((_, c) => svg`<text class="azl-col" x="${(c + 0.5) * cell}" y="-5" text-anchor="middle">${moveLabel(replay.record, c)}</text>`);
  return html`<svg class="azl-board" viewBox="${f(-2 - room)} ${-top} ${f(w + room + 4)} ${f(h + room + top + down)}" width="${f(w + room + 4)}" height="${f(h + room + top + down)}" aria-hidden="true">${columns}${drawn}</svg>`;
}

const f = x => Math.round(x * 100) / 100;

// The cell where the heat of a move is drawn: the top of its column, or the cell that it fills; -1 for none.
export function landing(replay, i, action) {
  const { game, root } = replay.record;
  return drops(game) ? action : root.lands[action];
}

// The prior as a heat map: behind the whole column if stones drop, else in the cell of the move.
function warmth(replay, i, cell) {
  const { game, nodes } = replay.record, highest = Math.max(...nodes.legal[i].map(a => replay.prior(i, a)));
  return nodes.legal[i].map(action => {
    const share = (0.06 + 0.54 * (replay.prior(i, action) / highest)).toFixed(2), at = landing(replay, i, action);
    if (at < 0) return "";
    const [x, y] = spot(game, at, cell), tall = drops(game) ? game.rows : 1;
    return svg`<rect class="azl-heat" data-heat="${action}" x="${f(x - cell / 2 + 1)}" y="${f(y - cell / 2 + 1)}" width="${f(cell - 2)}" height="${f(tall * cell - 2)}" rx="5" fill-opacity="${share}"/>`;
  });
}

// The prior in percent, below the column or in the cell.
function percents(replay, i, cell) {
  const { game, nodes } = replay.record;
  return nodes.legal[i].map(action => {
    const at = landing(replay, i, action);
    if (at < 0) return "";
    const [x, middle] = spot(game, at, cell), y = drops(game) ? game.rows * cell + 13 : middle + 4;
    return svg`<text class="azl-percent" x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="middle">${Math.round(100 * replay.prior(i, action))}</text>`;
  });
}
