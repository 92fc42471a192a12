// Templates of stones and boards, and the formatting of numbers. Shared by the explorer and the play
// table.

import { html, svg } from "./dom.js";

// A star around the origin, as a path, because not every machine has the glyph.
export const STAR = "M0-4.6L1.3-1.5 4.6-1.2 2.1 1 2.9 4.3 0 2.5-2.9 4.3-2.1 1-4.6-1.2-1.3-1.5Z";

// 0.4321 -> "0.43", -1 -> "−1.00"; a true minus sign, "∞" for infinity, "–" if there is no number.
export function num(value, digits = 2) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const text = Math.abs(value).toFixed(digits);
  return (value < 0 && Number(text) ? "−" : "") + text;
}

// With its sign: "+0.43", "−0.13", "0.00".
export function signed(value, digits = 2) {
  const text = num(value, digits);
  return value > 0 && /[1-9∞]/.test(text) ? "+" + text : text;
}

// The lead of one score over another, with enough decimals to show a small one, "+0.0089"; "∞" without
// a sign for a move that was never tried.
export function lead(value) {
  if (value === Infinity) return "∞";
  return signed(value, value === 0 ? 2 : Math.abs(value) < 0.01 ? 4 : Math.abs(value) < 0.1 ? 3 : 2);
}

// A value that is backed up: "+1", "−0.67"; "NaN" if the search went wrong.
export const badge = value => (Number.isNaN(value) ? "NaN" : signed(value, Number.isInteger(value) ? 0 : 2));

// 12345 -> "12,345".
export const thousands = n => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

// A count in full if it fits (7 pixels per digit), else "1.3k", "12k", "2.0M".
export function count(n, room = Infinity) {
  if (7 * String(n).length <= room || n < 1000) return String(n);
  const [value, unit] = n < 999500 ? [n / 1000, "k"] : [n / 1e6, "M"];
  return (value < 9.95 ? value.toFixed(1) : value.toFixed(0)) + unit;
}

// A sum of values, without decimals if it is a whole number.
export const sum = value => (Number.isInteger(value) ? num(value, 0) : num(value, Math.abs(value) < 10 ? 2 : 1));

export const crosses = game => game.drawing.marks[0] === "✕";

// Whether each action is a column that a stone drops into.
export const drops = game => game.drawing.falls;

// The mark of a player, for plain text.
export const mark = (game, player) => game.drawing.marks[player];

// The name of a player, which screen readers read for a stone: "Red", "Yellow".
export const stoneName = (game, player) => (game.drawing.players || game.drawing.marks)[player];

// A stone in a line of text.
export const glyph = (game, player) =>
  html`<svg class="azl-st" viewBox="0 0 16 16" role="img" aria-label="${stoneName(game, player)}">${stone(game, player, 8, 8, 18)}</svg>`;

// Slanted gray lines, the pattern of the exploration bonus.
export const hatch = id =>
  svg`<pattern id="${id}" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="4" height="4" fill="var(--azl-bg)"/><rect width="1.7" height="4" fill="var(--azl-hatch)"/></pattern>`;

const ROW = Math.sqrt(3) / 2;        // distance between rows of hexagons, in widths of a hexagon

// The middle of cell i, relative to the board's top left corner.
export function spot(game, i, cell) {
  const row = Math.floor(i / game.cols), col = i % game.cols;
  if (game.drawing.field === "hexagons") return [(col + 0.5 + row / 2) * cell, (row * ROW + 1 / Math.sqrt(3)) * cell];
  return [(col + 0.5) * cell, (row + 0.5) * cell];
}

// Width and height of the board.
export function extent(game, cell = 1) {
  const { rows, cols } = game;
  if (game.drawing.field === "hexagons") return [(cols + (rows - 1) / 2) * cell, ((rows - 1) * ROW + 2 / Math.sqrt(3)) * cell];
  return [cols * cell, rows * cell];
}

// The star points of a field of crossings: the center, and on boards of at least 7x7 four around it.
export function stars({ rows, cols }) {
  const middle = Math.floor(rows / 2), at = [...(rows >= 7 ? [2, rows - 3] : []), ...(rows % 2 ? [middle] : [])];
  return at.flatMap(row => at.filter(col => (row === middle) === (col === middle)).map(col => row * cols + col));
}

// The kind of a cell on a field of dots: "dot", "box", or a line, "across" or "down".
export const dotsPart = (game, i) => [["dot", "across"], ["down", "box"]][Math.floor(i / game.cols) % 2][(i % game.cols) % 2];

// Whether cells follow each other in one direction, so that one outline surrounds them.
export function isStraight(game, line) {
  const steps = line.slice(1).map((b, k) => `${Math.floor(b / game.cols) - Math.floor(line[k] / game.cols)},${(b % game.cols) - (line[k] % game.cols)}`);
  return steps.length > 0 && steps.every(step => step === steps[0]);
}

// A stone centered at (x, y) in a cell of side `cell`. The players differ in shape, color and rim.
export function stone(game, player, x, y, cell, extra = {}) {
  const name = player ? "second" : "first", color = `var(--azl-${name})`, rim = `var(--azl-${name}-rim)`, r = cell * 0.4;
  if (crosses(game)) {
    const w = Math.max(1.4, cell * 0.15), a = r * 0.72;
    const line = (stroke, width) => (player === 0
      ? svg`<path d="M${f(x - a)} ${f(y - a)}L${f(x + a)} ${f(y + a)}M${f(x + a)} ${f(y - a)}L${f(x - a)} ${f(y + a)}" fill="none" stroke="${stroke}" stroke-width="${f(width)}" stroke-linecap="round" ${extra}/>`
      : svg`<circle cx="${f(x)}" cy="${f(y)}" r="${f(r * 0.8)}" fill="none" stroke="${stroke}" stroke-width="${f(width)}" ${extra}/>`);
    return [line(rim, w + Math.max(1, cell * 0.06)), line(color, w)];
  }
  if (game.drawing.field === "crossings") {
    return svg`<circle cx="${f(x)}" cy="${f(y)}" r="${f(cell * 0.45)}" fill="${color}" stroke="${rim}" stroke-width="${f(Math.max(1, cell * 0.04))}" ${extra}/>`;
  }
  const s = r * 0.9, edge = { fill: color, stroke: rim, "stroke-width": f(Math.max(0.6, cell * 0.06)), ...extra };
  return player === 0
    ? svg`<circle cx="${f(x)}" cy="${f(y)}" r="${f(r)}" ${edge}/>`
    : svg`<rect x="${f(x - s)}" y="${f(y - s)}" width="${f(2 * s)}" height="${f(2 * s)}" rx="${f(s * 0.18)}" ${edge}/>`;
}

const f = x => Math.round(x * 100) / 100;

// A dot, or a line between two dots, drawn or not.
function dots(game, i, who, x, y, cell, color = "") {
  const part = dotsPart(game, i), s = cell - cell * 0.16;
  if (part === "dot") return svg`<circle cx="${f(x)}" cy="${f(y)}" r="${f(cell * 0.16)}" fill="var(--azl-fg)"/>`;
  if (part === "box") return "";
  const d = part === "across" ? `M${f(x - s)} ${f(y)}H${f(x + s)}` : `M${f(x)} ${f(y - s)}V${f(y + s)}`;
  return svg`<path d="${d}" stroke="${color || `var(--azl-${who ? "fg" : "hole"})`}" stroke-width="${f(Math.max(1, cell * (who ? 0.2 : 0.1)))}"/>`;
}

// The cells of a field of hexagons, and the sides that each player connects, in the player's color.
function hexagons(game, x, y, cell) {
  const { rows, cols } = game, r = cell / Math.sqrt(3), sides = ["", ""];
  let d = "";
  for (let i = 0; i < rows * cols; i++) {
    const [dx, dy] = spot(game, i, cell), row = Math.floor(i / cols), col = i % cols;
    const at = [0, 1, 2, 3, 4, 5].map(k => [x + dx + r * Math.cos((k * 60 - 90) * Math.PI / 180), y + dy + r * Math.sin((k * 60 - 90) * Math.PI / 180)].map(f).join(" "));
    d += `M${at.join("L")}Z`;
    if (row === 0) sides[0] += `M${at[5]}L${at[0]}L${at[1]}`;
    if (row === rows - 1) sides[0] += `M${at[2]}L${at[3]}L${at[4]}`;
    if (col === 0) sides[1] += `M${at[3]}L${at[4]}L${at[5]}`;
    if (col === cols - 1) sides[1] += `M${at[0]}L${at[1]}L${at[2]}`;
  }
  const w = Math.max(1.5, cell * 0.1);
  return [
    svg`<path d="${d}" fill="none" stroke="var(--azl-line)" stroke-width="${cell > 14 ? 1 : 0.6}"/>`,
    sides.map((side, k) => svg`<path d="${side}" fill="none" stroke="var(--azl-${k ? "second" : "first"})" stroke-width="${f(w)}"/>`),
  ];
}

// A ring around cell `i`, to mark the last move or a winning line.
export function ring(game, cells, i, x, y, cell, color = "var(--azl-fg)") {
  const [dx, dy] = spot(game, i, cell), cx = x + dx, cy = y + dy;
  if (game.drawing.field === "dots") return dots(game, i, 1, cx, cy, cell, "var(--azl-path)");
  if (game.drawing.field === "crossings") {        // inside the stone, which covers its neighbors' edges
    const ink = cells[i] ? `var(--azl-on-${cells[i] === 1 ? "first" : "second"})` : "var(--azl-grain)";
    return svg`<circle cx="${f(cx)}" cy="${f(cy)}" r="${f(cell * 0.23)}" fill="none" stroke="${ink}" stroke-width="${f(Math.max(1, cell * 0.08))}"/>`;
  }
  if (crosses(game)) {
    const s = cell - 1;
    return svg`<rect x="${f(cx - s / 2)}" y="${f(cy - s / 2)}" width="${f(s)}" height="${f(s)}" rx="${f(cell * 0.12)}" fill="none" stroke="${color}" stroke-width="${f(Math.max(1, cell * 0.06))}"/>`;
  }
  return cells[i] === 2
    ? svg`<rect x="${f(cx - cell * 0.42)}" y="${f(cy - cell * 0.42)}" width="${f(cell * 0.84)}" height="${f(cell * 0.84)}" rx="${f(cell * 0.14)}" fill="none" stroke="${color}" stroke-width="${f(Math.max(1, cell * 0.08))}"/>`
    : svg`<circle cx="${f(cx)}" cy="${f(cy)}" r="${f(cell * 0.44)}" fill="none" stroke="${color}" stroke-width="${f(Math.max(1, cell * 0.08))}"/>`;
}

// A mark on the cell that the piece of the last move came from.
function trace(game, i, x, y, cell) {
  const [dx, dy] = spot(game, i, cell), dash = f(cell * 0.1);
  return svg`<circle cx="${f(x + dx)}" cy="${f(y + dy)}" r="${f(cell * 0.3)}" fill="none" stroke="var(--azl-${game.drawing.field === "crossings" ? "grain" : "fg"})" stroke-width="${f(Math.max(1, cell * 0.05))}" stroke-dasharray="${dash} ${dash}"/>`;
}

// The extra space that coordinates take on the left of a board and below it.
export const margin = (game, cell) => (game.coordinates ? Math.max(13, cell * 0.34) : 0);

// The names of the columns below the last row, and of the rows on the left of their first cells.
function coordinates(game, x, y, cell) {
  const { rows, cols, coordinates: beside } = game, room = margin(game, cell), low = y + extent(game, cell)[1] + room / 2, size = Math.min(13, Math.max(9.5, cell * 0.3));
  const away = game.drawing.field === "hexagons" ? 3 : 0;        // their sides have thick lines
  const ink = game.drawing.field === "crossings" ? "azl-coordinate" : "azl-coordinate azl-beside";
  const text = (left, base, content) => svg`<text class="${ink}" x="${f(left)}" y="${f(base)}" font-size="${f(size)}" text-anchor="middle">${content}</text>`;
  return [
    beside.cols.slice(0, cols).map((name, c) => text(x + spot(game, (rows - 1) * cols + c, cell)[0], low + size * 0.2 + away, name)),
    beside.rows.slice(0, rows).map((name, r) => [name, spot(game, r * cols, cell)]).map(([name, [dx, dy]]) => text(x + dx - cell / 2 - room / 2 + size * 0.2 - away, y + dy + size * 0.36, name)),
  ];
}

// Wood, lines and star points; `room`: space for coordinates on the left and below.
function crossings(game, x, y, cell, room) {
  const { rows, cols } = game, x0 = x + cell / 2, y0 = y + cell / 2, ink = "var(--azl-grain)";
  let d = "";
  for (let c = 0; c < cols; c++) d += `M${f(x0 + c * cell)} ${f(y0)}v${f((rows - 1) * cell)}`;
  for (let r = 0; r < rows; r++) d += `M${f(x0)} ${f(y0 + r * cell)}h${f((cols - 1) * cell)}`;
  return [
    svg`<rect x="${f(x - room)}" y="${f(y)}" width="${f(cols * cell + room)}" height="${f(rows * cell + room)}" rx="${f(Math.min(6, cell * 0.3))}" fill="var(--azl-wood)"/>`,
    svg`<path d="${d}" fill="none" stroke="${ink}" stroke-width="${cell > 20 ? 1.1 : 0.7}" stroke-linecap="square"/>`,
    stars(game).map(i => spot(game, i, cell)).map(([dx, dy]) => svg`<circle cx="${f(x + dx)}" cy="${f(y + dy)}" r="${f(Math.max(1.2, cell * 0.07))}" fill="${ink}"/>`),
  ];
}

// The owner of an empty point at the end: a small square in the player's color.
function owned(game, owner, x, y, cell) {
  const name = owner === "1" ? "first" : "second", s = cell * 0.17;
  return svg`<rect x="${f(x - s)}" y="${f(y - s)}" width="${f(2 * s)}" height="${f(2 * s)}" fill="var(--azl-${name})" stroke="var(--azl-${name}-rim)" stroke-width="${f(Math.max(0.5, cell * 0.03))}"/>`;
}

// A board with its top left corner at (x, y). options: last (cell), line (cells), holes (draw empty cells),
// left (the cell that the last move's piece came from), owners (the owner of each cell at the end of the game, a
// string of 0, 1 and 2), beside (whether to write the coordinates, if the game has some)
export function board(game, cells, x, y, cell, { last = -1, left = -1, line = [], holes = true, owners = "", beside = false } = {}) {
  const { rows, cols } = game, { field } = game.drawing, out = [];
  if (field === "hexagons") out.push(hexagons(game, x, y, cell));
  if (field === "squares") {
    let d = "";
    for (let c = 1; c < cols; c++) d += `M${f(x + c * cell)} ${f(y + 1)}V${f(y + rows * cell - 1)}`;
    for (let r = 1; r < rows; r++) d += `M${f(x + 1)} ${f(y + r * cell)}H${f(x + cols * cell - 1)}`;
    if (!crosses(game)) d += `M${f(x)} ${f(y)}h${f(cols * cell)}v${f(rows * cell)}h${f(-cols * cell)}Z`;
    out.push(svg`<path d="${d}" fill="none" stroke="var(--azl-line)" stroke-width="${cell > 20 ? 1.5 : 1}"/>`);
  }
  if (field === "crossings") out.push(crossings(game, x, y, cell, beside ? margin(game, cell) : 0));
  if (beside && game.coordinates) out.push(coordinates(game, x, y, cell));
  let empty = "";
  cells.forEach((who, i) => {
    const [dx, dy] = spot(game, i, cell), cx = x + dx, cy = y + dy, r = f(cell * 0.38);
    if (field === "dots") out[dotsPart(game, i) === "dot" ? "push" : "unshift"](dots(game, i, who, cx, cy, cell));        // dots on top
    if (who === 1 || who === 2) out.push(stone(game, who - 1, cx, cy, cell));
    else if (owners[i] > 0) out.push(owned(game, owners[i], cx, cy, cell));
    else if (holes && field === "holes") empty += `M${f(cx - cell * 0.38)} ${f(cy)}a${r} ${r} 0 1 0 ${f(2 * r)} 0a${r} ${r} 0 1 0 ${f(-2 * r)} 0`;
  });
  if (empty) out.unshift(svg`<path d="${empty}" fill="var(--azl-hole)"/>`);
  if (last >= 0) out.push(ring(game, cells, last, x, y, cell));
  if (left >= 0) out.push(trace(game, left, x, y, cell));
  line.forEach(i => out.push(ring(game, cells, i, x, y, cell, "var(--azl-path)")));
  return out;
}

// Colors that depend on a number, read from the current theme.
export function palette(element) {
  const css = getComputedStyle(element), get = name => css.getPropertyValue("--azl-" + name).trim() || "#888888";
  const rgb = hex => [1, 3, 5].map(k => parseInt(hex.slice(k, k + 2), 16));
  const even = rgb(get("even")), ahead = rgb(get("ahead")), behind = rgb(get("behind"));
  const mixed = new Map(), q = value => {
    const key = Math.round(value * 200);
    if (!mixed.has(key)) {
      const end = value >= 0 ? ahead : behind, t = Math.min(1, Math.abs(key / 200) * 1.15);
      mixed.set(key, "#" + even.map((a, k) => Math.round(a * (1 - t) + end[k] * t).toString(16).padStart(2, "0")).join(""));
    }
    return mixed.get(key);
  };
  const light = hex => {
    const [r, g, b] = rgb(hex).map(v => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const inks = new Map(), ink = hex => {
    if (!inks.has(hex)) inks.set(hex, 1.05 / (light(hex) + 0.05) >= (light(hex) + 0.05) / 0.05 ? "#ffffff" : "#000000");
    return inks.get(hex);
  };
  return { q, ink, get };
}
