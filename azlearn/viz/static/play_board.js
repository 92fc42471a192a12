// The board of the play table as a template: stones, click targets, visits and solved moves.

import { html, svg } from "./dom.js";
import { STAR, board, crosses, drops, extent, isStraight, margin, ring, spot, stone } from "./paint.js";

const f = x => Math.round(x * 100) / 100;

const mix = (low, high, share) => "#" + [1, 3, 5].map(k => {
  const [a, b] = [low, high].map(hex => parseInt(hex.slice(k, k + 2), 16));
  return Math.round(a + (b - a) * share).toString(16).padStart(2, "0");
}).join("");

// A label that is readable on any background; best: whether a star precedes it.
function pill(x, y, text, kind, size, best = false) {
  const room = best ? size * 1.25 : 0, w = size * (0.66 * text.length + 0.8) + room, h = size * 1.5;
  const star = best && svg`<path d="${STAR}" transform="translate(${f(x - w / 2 + size * 0.85)} ${f(y)}) scale(${f(size / 10)})"/>`;
  return svg`<g class="${kind}"><rect x="${f(x - w / 2)}" y="${f(y - h / 2)}" width="${f(w)}" height="${f(h)}" rx="${f(h / 2)}"/>${star}<text x="${f(x + room / 2)}" y="${f(y + size * 0.36)}" font-size="${size}" text-anchor="middle">${text}</text></g>`;
}

// The visit share of each move in the opponent's last search, drawn where the move would have landed.
function heat({ game, cells, visits }, cell, colors) {
  const highest = Math.max(...visits.shares, 1e-9), size = cell > 70 ? 16 : 12.5;
  return visits.cells.map((i, k) => {
    if (i < 0) return "";
    const [x, y] = spot(game, i, cell), share = visits.shares[k], text = visits.texts[k];
    if (cells[i]) return pill(x, y, text, "azl-pill-plain", size);
    const fill = mix(colors.get(game.drawing.field === "crossings" ? "wood" : "hole"), colors.get("pi"), share / highest), r = cell * (crosses(game) ? 0.44 : 0.38);
    const shape = crosses(game)
      ? svg`<rect x="${f(x - r)}" y="${f(y - r)}" width="${f(2 * r)}" height="${f(2 * r)}" rx="${f(r * 0.2)}" fill="${fill}"/>`
      : svg`<circle cx="${f(x)}" cy="${f(y)}" r="${f(r)}" fill="${fill}"/>`;
    return svg`${shape}<text class="azl-share" x="${f(x)}" y="${f(y + size * 0.36)}" font-size="${size}" text-anchor="middle" fill="${colors.ink(fill)}">${text}</text>`;
  });
}

// The result of each move with perfect play; a star on the best. If pieces move from cell to cell, only the moves of
// the held piece and the pieces with the best moves are marked.
function solved({ game, best }, cell, held) {
  const size = cell > 70 ? 17 : 12;
  return best.actions.map((a, k) => {
    const wins = best.best.includes(a), from = best.starts[k], at = from < 0 || from === held ? best.cells[k] : wins ? from : -1, r = cell * 0.45;
    if (at < 0) return "";
    const [x, y] = spot(game, at, cell);
    const ring = svg`<rect class="azl-best-ring" x="${f(x - r)}" y="${f(y - r)}" width="${f(2 * r)}" height="${f(2 * r)}" rx="${f(r * 0.3)}"/>`;
    return [wins && ring, pill(x, y, best.signs[k], wins ? "azl-pill-best" : "azl-pill-plain", size, wins)];
  });
}

// The winning line in front of a veil that covers the rest.
function won({ game, cells, line }, cell) {
  const [w, h] = extent(game, cell), at = i => spot(game, i, cell);
  const stones = line.map(i => [stone(game, cells[i] - 1, ...at(i), cell), ring(game, cells, i, 0, 0, cell, "var(--azl-path)")]);
  const [from, to] = [at(line[0]), at(line[line.length - 1])];
  const bar = isStraight(game, line) ? svg`<path class="azl-won" d="M${from.map(f).join(" ")}L${to.map(f).join(" ")}"/>` : "";
  return svg`<rect class="azl-veil" width="${f(w)}" height="${f(h)}"/>${stones}${bar}`;
}

// The piece that a click moves: the one picked up, else the only one that can move; -1 for none.
export function heldPiece(view, picked) {
  const starts = view.starts.filter((_, k) => view.lands[k] >= 0);
  return picked < 0 && starts.length && starts.every(at => at === starts[0]) ? starts[0] : picked;
}

// The legal actions that a cell (or a column, if stones fall) stands for: moves of the held piece there, or a new stone.
export function actionsAt(view, at, held = -1) {
  if (drops(view.game)) return view.legal.filter(a => a === at);
  return view.legal.filter((_, k) => view.lands[k] === at && view.starts[k] === held);
}

// The cells that the held piece can go to, each once.
const targets = (view, held) => (held < 0 ? [] : [...new Set(view.lands.filter((_, k) => view.starts[k] === held))]);

// The name of an empty cell on a board without coordinates.
const corner = (name, x, y, cell) => svg`<text class="azl-coordinate azl-beside" x="${f(x - cell * 0.4)}" y="${f(y - cell * 0.26)}" font-size="${f(Math.max(9.5, cell * 0.14))}">${name}</text>`;

// Options: cursor (the keyboard's cell or column, or -1), held (the cell of the held piece, or -1), hot (whether to show
// visits), colors (a palette).
export function playBoard(view, { cursor, held, hot, colors }) {
  const { game, cells, last, line } = view, { rows, cols } = game, falls = drops(game), [wide, high] = extent(game);
  const cell = rows < 4 ? 92 : Math.min(54, 400 / high, 400 / wide), [w, h] = extent(game, cell), top = falls ? 24 : 2, room = margin(game, cell), out = [];
  out.push(board(game, cells, 0, 0, cell, { last: line.length ? -1 : last, left: line.length ? -1 : view.left, line, owners: view.owners, beside: true }));
  if (!falls && !game.coordinates) out.push(view.names.map((name, i) => (cells[i] || name.length > 4 ? "" : corner(name, ...spot(game, i, cell), cell))));
  if (line.length && game.drawing.field !== "dots") out.push(won(view, cell));
  if (view.best && view.best.actions.length) out.push(solved(view, cell, held));
  else if (hot && view.visits) out.push(heat(view, cell, colors));
  if (view.yours) {
    view.legal.forEach((a, k) => {
      if (view.lands[k] < 0 || view.starts[k] !== held) return;
      const [x, y] = spot(game, view.lands[k], cell);
      out.push(svg`<g class="${cursor >= 0 && actionsAt(view, cursor, held).includes(a) ? "azl-here" : ""}" data-ghost="${a}">${stone(game, view.mover, x, y, cell)}</g>`);
    });
    for (const at of targets(view, held)) {
      const [x, y] = spot(game, at, cell);
      out.push(cells[at] ? svg`<circle class="azl-prey" cx="${f(x)}" cy="${f(y)}" r="${f(cell * 0.47)}"/>` : svg`<circle class="azl-target" cx="${f(x)}" cy="${f(y)}" r="${f(cell * 0.13)}"/>`);
    }
  }
  for (let at = 0; at < (falls ? cols : rows * cols); at++) {
    const found = actionsAt(view, at, held), a = found.length ? found[0] : falls || game.drawing.fills ? at : -1, [cx, cy] = spot(game, at, cell), x = cx - cell / 2, y = falls ? -top : cy - cell / 2;
    if (a < 0 && game.drawing.field === "dots" && !view.starts.some(from => from >= 0)) continue;        // no move ends on a dot or a box
    const can = view.yours && (found.length || view.starts.includes(at)), title = falls ? view.labels[at] : found.length ? found.map(one => view.labels[one]).join(", ") : view.names[at];
    if (falls) out.push(svg`<text class="azl-colname" x="${f(cx)}" y="-8" text-anchor="middle">${view.labels[a]}</text>`);
    out.push(svg`<rect class="azl-hit${can ? " azl-can" : ""}${at === held ? " azl-picked" : ""}${cursor === at ? " azl-here" : ""}" data-at="${at}" data-action="${a}" x="${f(x + 1)}" y="${f(y + 1)}" width="${f(cell - 2)}" height="${f((falls ? h + top : cell) - 2)}" rx="8"><title>${title}</title></rect>`);
  }
  return html`<svg class="azl-grid" viewBox="${f(-3 - room)} ${-top - 1} ${f(w + room + 6)} ${f(h + room + top + 4)}" width="${f(w + room + 6)}" height="${f(h + room + top + 4)}" aria-hidden="true">${out}</svg>`;
}
