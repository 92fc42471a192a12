// The parts drawn on the sheet, as templates: cards, stubs, folds, badges. The origin is the middle of
// the upper edge.

import { svg } from "./dom.js";
import { STAR, badge, board, count, extent, isStraight, lead, mark, signed, spot, stone, thousands } from "./paint.js";
import { FLAG, HEAD, STRIP } from "./layout.js";

const GLYPH = 12;            // side of the stone that shows who moved
const STARRED = 14;          // width of the star after the move
const BOLD = 8.4;            // width of a digit of the visits
const UNIT = 20;             // side of a board's cell before it is scaled

// Positions of the parts of a card: frame [x, y, w, h], strip of Q [x, y, w, h], texts.
export function parts(t) {
  const x = -t.w / 2, h = t.h - t.flag, wide = t.form === "wide";
  if (t.form === "board") {
    return { frame: [x, HEAD, t.w, h - HEAD], strip: [x, h - STRIP, t.w, STRIP], label: [x, 11.5], n: [-x, 11.5, "end"], size: 12, h };
  }
  const left = wide ? -x - t.column : x, tall = h >= 58, deep = wide && tall ? 20 : 17;
  return {
    frame: [x, 0, t.w, h], strip: [left, h - deep, wide ? t.column : t.w, deep], size: wide && tall ? 13 : 12, h,
    label: [left + 5, tall ? 17 : 14], n: [left + 5, tall ? 33 : h < 50 ? 26.5 : 28.5, "start"],
  };
}

// The card of one node.
export function card(t, game, colors) {
  const at = parts(t), [x, y, w, h] = at.frame, box = name => svg`<rect class="${name}" x="${x}" y="${y}" width="${w}" height="${h}" rx="5"/>`;
  const out = [svg`<title>${t.title}</title>`];
  if (t.selected || t.ring === "node") out.push(frame(t, t.ring ? "azl-ring-mark" : "azl-halo"));
  if (t.unborn) {
    out.push(box("azl-ghost"), svg`<text class="azl-label" x="0" y="${y + h / 2 + (t.form === "board" ? 4 : 9)}" text-anchor="middle">${w < 84 ? "new" : "no node yet"}</text>`);
  } else {
    out.push(box("azl-card"), strip(t, t.q, at, colors));
    if (t.prior !== null) out.push(svg`<path class="azl-prior" d="M${x + 2} ${y + 1.5}h${((w - 4) * t.prior).toFixed(1)}"/>`);
    out.push(box("azl-frame"));
    if (t.onPath) out.push(box("azl-lit-frame"));
    if (t.victor !== null) out.push(flag(game, t, w, at.h));
  }
  out.push(head(t, game, at));
  if (!t.unborn) out.push(visits(t, t.n, at));
  const badges = under(t, colors);
  if (t.below && !badges) out.push(svg`<text class="azl-below" data-stub="${t.id}" x="0" y="${t.h + 14}" text-anchor="middle">+${thousands(t.below)}</text>`);
  return [out, badges];
}

// A frame around a whole node, including its texts.
const frame = (t, name) => svg`<rect class="${name}" x="${-t.w / 2 - 4}" y="-4" width="${t.w + 8}" height="${t.h + 8}" rx="8"/>`;

// The strip of Q, with round corners at the corners of the card.
export function strip(t, q, at, colors) {
  const [x, y, w, h] = at.strip, whole = w === t.w, r = 5, fill = q === null ? "var(--azl-bg)" : colors.q(q);
  const left = whole ? `V${y + h - r}a${r} ${r} 0 0 0 ${r} ${r}` : `V${y + h}h${r}`;
  const shape = `M${x} ${y}${left}h${w - 2 * r}a${r} ${r} 0 0 0 ${r} ${-r}V${y}Z`, ink = q === null ? "var(--azl-mute)" : colors.ink(fill);
  return svg`<g class="azl-mean"><path d="${shape}" fill="${fill}"/><text class="azl-strip" x="${x + w / 2}" y="${y + h / 2 + 4.2}" style="fill:${ink}" text-anchor="middle">${crowded(t) ? "★ " : ""}${q === null ? "–" : signed(q)}</text></g>`;
}

// The visits, in full if there is room.
export function visits(t, n, at) {
  const [x, y, anchor] = at.n, room = t.form === "board" ? ((t.w - used(t) - 4) * 7) / BOLD : (t.column || t.w) - 8;
  return svg`<text class="azl-n" x="${x}" y="${y}" style="font-size:${at.size}px" text-anchor="${anchor}">${count(n, room)}</text>`;
}

const said = t => (t.id === 0 ? 26 : GLYPH + 4 + 7.4 * t.label.length);
const used = t => said(t) + (t.pv && !crowded(t) ? STARRED : 0);

// Whether a star would touch the visits to its right; it is then drawn before Q.
const crowded = t => t.form === "board" && t.pv && t.w - said(t) - STARRED - 4 < BOLD * Math.min(4, String(t.n).length);

// The player and the move; a star if the node is on the most visited line.
function head(t, game, at) {
  const [x, y] = at.label, plain = !game.rows;
  if (t.id === 0) return svg`<text class="azl-label" x="${x}" y="${y}" style="font-size:${at.size}px">root</text>`;
  const text = x + (plain ? 0 : GLYPH + 4), end = text + 7.4 * t.label.length + 7;
  return [
    !plain && stone(game, t.mover, x + GLYPH / 2, y - 4.3, GLYPH + 2),
    svg`<text class="azl-label azl-move${t.onPath || t.unborn ? " azl-on" : ""}${t.form === "board" ? " azl-clear" : ""}" x="${text}" y="${y}" style="font-size:${at.size}px">${t.label}</text>`,
    t.pv && !crowded(t) && svg`<path class="azl-star" d="${STAR}" transform="translate(${end.toFixed(1)},${y - 4}) scale(.95)"/>`,
  ];
}

// The badge below a card: its lead, its value, or what a backup adds to W.
function under(t, colors) {
  const y = t.h - (t.unborn ? t.flag : 0) + 1;
  if (t.lead) return pill(lead(t.lead.value), y, `azl-lead${t.lead.now ? " azl-now-lead" : ""}${t.ring === "lead" ? " azl-ringed" : ""}`);
  if (t.worth !== null) return pill(`value ${badge(t.worth)}`, y, "azl-worth", ...shades(t.worth, colors));
  if (t.delta !== null) return pill(badge(t.delta), y, "azl-delta", ...shades(t.delta, colors));
  return "";
}

// Fill and ink of a badge, depending on the sign of its value.
export function shades(value, colors) {
  const fill = colors.get(value > 0 ? "ahead" : value < 0 ? "behind" : "even");
  return [fill, colors.ink(fill)];
}

export function pill(text, y, name, fill = "", ink = "") {
  const w = Math.max(30, text.length * 6.9 + 13);
  return svg`<g class="azl-pill ${name}"><rect x="${-w / 2}" y="${y}" width="${w}" height="18" rx="9" fill="${fill || null}"/><text x="0" y="${y + 13}" text-anchor="middle" style="${ink && `fill:${ink}`}">${text}</text></g>`;
}

// The flag below a card: who has won, if the game is over, or in outline who is proven to win.
function flag(game, { victor, over }, w, y) {
  const verb = over ? "won" : "wins", name = victor < 0 ? "draw" : game.rows ? verb : `${mark(game, victor)} ${verb}`, x = victor >= 0 && game.rows ? (over ? 7 : 6) : 0;
  const look = over ? "" : " azl-proven";
  return svg`<rect class="azl-over${look}" x="${-w / 2}" y="${y}" width="${w}" height="${FLAG}" rx="4"/>${x ? stone(game, victor, x - (over ? 21 : 23), y + 7.5, 12, { class: "azl-over-stone" }) : ""}<text class="azl-over-text${look}" x="${x}" y="${y + 11.5}" text-anchor="middle">${name}</text>`;
}

// The board of a node at its own size; pictureAt gives the transform to its place on the card.
export function picture(t, game) {
  const outline = isStraight(game, t.line);
  return [capsule(game, t.line), board(game, t.cells, 0, 0, UNIT, { last: t.last, left: t.left, line: outline ? [] : t.line, owners: t.owners })];
}

export function pictureAt(t, game, size) {
  const [wide, high] = extent(game), [x, y, w, h] = parts(t).frame, tall = high * size;
  const left = t.form === "wide" ? x + 4 : x + (w - wide * size) / 2, top = t.form === "wide" ? y + (h - tall) / 2 : y + 3;
  return `translate(${left.toFixed(1)},${top.toFixed(1)}) scale(${(size / UNIT).toFixed(3)})`;
}

// An outline around the stones of the winning line, drawn behind them.
function capsule(game, line) {
  if (!isStraight(game, line)) return "";
  const at = i => spot(game, i, UNIT).map(x => x.toFixed(1)).join(" "), d = `M${at(line[0])}L${at(line[line.length - 1])}`;
  return svg`<path class="azl-line" d="${d}" stroke-width="${UNIT + 3}"/><path class="azl-line-in" d="${d}" stroke-width="${UNIT - 1}"/>`;
}

export function stub(t) {
  const w = t.w - 2, shape = svg`<rect x="${-w / 2}" y="1" width="${w}" height="19" rx="9.5"/>`;
  if (!t.count) return svg`<title>Show fewer moves</title>${shape}<path class="azl-less" d="M-4.5 12.5L0 8 4.5 12.5"/>`;
  return svg`<title>Show ${thousands(t.count)} more ${t.count > 1 ? "moves" : "move"}</title>${shape}<text x="0" y="15" text-anchor="middle">+${thousands(t.count)}</text>`;
}

// A run of moves drawn as one, with its stones as beads on the edge.
export function fold(t, game) {
  const n = t.beads.length, six = n > 6 ? [...t.beads.slice(0, 3), -1, ...t.beads.slice(-2)] : t.beads;
  const beads = six.map((who, k) => {
    const y = 7 + 9 * k + 4.5;
    if (who < 0) return svg`<path class="azl-gap" d="M0 ${y - 4}v8"/>`;
    return game.rows ? stone(game, who, 0, y, 9.5) : svg`<circle class="azl-bead" cx="0" cy="${y}" r="3.4"/>`;
  });
  const h = 14 + 9 * six.length, name = `⋮ ${n} ${n > 1 ? "moves" : "move"}`;
  return svg`<title>${name} without other branches: click to see the first</title><rect class="azl-hit-area" x="-8" y="0" width="84" height="${h}"/><path class="azl-string" d="M0 0V${h}"/>${beads}<text x="11" y="${h / 2 + 4}">${name}</text>`;
}

export const summit = t => svg`<title>Show the root</title><path class="azl-string" d="M0 ${t.h}v12"/><rect x="${-t.w / 2}" y="0" width="${t.w}" height="${t.h}" rx="10.5"/><text x="0" y="15" text-anchor="middle">${t.levels} level${t.levels > 1 ? "s" : ""} up to the root</text>`;
