// A finished game looked back at: the value of each position as a line, and the moves that lost the most.

import { html, svg } from "./dom.js";
import { mark } from "./paint.js";
import { withStones } from "./widget_common.js";

const WIDTH = 320, HEIGHT = 74, LEFT = 18, EDGE = 8;

// review: {text, values, worst: [{at, text}]}; turn: the position that the board shows. A click on a position goes there,
// a click on a move also opens its search.
export function lookBack({ review, game, turn }) {
  const { text, values, worst } = review;
  if (!values.length) return text;
  const x = ply => LEFT + (WIDTH - LEFT - EDGE) * ply / Math.max(1, values.length - 1), y = value => EDGE + (HEIGHT - 2 * EDGE) * (1 - value) / 2;
  const bad = new Set(worst.map(move => move.at)), half = (x(1) - x(0)) / 2;
  const line = values.map((value, ply) => `${ply ? "L" : "M"}${x(ply).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const spot = (value, ply) => svg`<g data-ply="${ply}" class="azl-moment ${ply === turn ? "azl-at-turn" : ""}"><title>after ${ply} move${ply === 1 ? "" : "s"}: ${value.toFixed(2)}</title><rect x="${x(ply) - half}" y="0" width="${2 * half}" height="${HEIGHT}"/><circle cx="${x(ply)}" cy="${y(value)}" r="${bad.has(ply) || ply === turn ? 4.5 : 2}" class="${bad.has(ply) ? "azl-lost" : ""}"/></g>`;
  const label = `Value of each position for ${mark(game, 0)}, from −1 to +1, over ${values.length - 1} moves`;
  const moves = worst.map(move => html`<li><button type="button" data-examine="${move.at}" data-lm-suppress-shortcuts="true">${withStones(move.text, game)}</button></li>`);
  return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}"><path class="azl-zero" d="M${LEFT} ${y(0)}H${WIDTH - EDGE}"/><text x="0" y="${y(1) + 5}">+1</text><text x="0" y="${y(-1) + 5}">−1</text><path class="azl-values" d="${line}"/>${values.map(spot)}</svg>
<p>${text}</p><ol>${moves}</ol>`;
}
