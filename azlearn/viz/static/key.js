// What the marks in the tree mean, and the keys: behind "?".

import { html, svg } from "./dom.js";
import { STAR, glyph, stone, stoneName } from "./paint.js";

const sample = inside => html`<svg viewBox="0 0 58 20" width="58" height="20" aria-hidden="true">${inside}</svg>`;
const line = (d, color, width) => svg`<path d="${d}" fill="none" stroke="var(--azl-${color})" stroke-width="${width}"/>`;
const tag = (text, fill, ink) => svg`<rect x="10" y="2" width="38" height="16" rx="8" style="fill:${fill};stroke:var(--azl-path)"/><text x="29" y="14" text-anchor="middle" style="fill:${ink}">${text}</text>`;

const KEYS = [
  ["space", "play or pause"], ["← →", "a phase"], ["shift ← →", "a simulation"], ["Home End", "start, end"], ["↑ ↓", "nodes"], ["Enter", "open, close"],
  ["/", "find"], ["c", "copy moves"], ["+ − 0", "zoom, fit"], ["Esc", "let go"],
];

export function keyHtml(record) {
  const { game } = record, hasPriors = record.nodes.prior || record.rule.name === "puct";
  const rows = [
    [html`<span class="azl-scale"></span>`, "Q, −1 to +1, for the player who made the move"],
    [sample([line("M2 6H56", "edge", 2), line("M2 15H56", "edge", 7)]), "width and bold number: visits N"],
    [sample(svg`<rect class="azl-u" x="1" y="4" width="56" height="12"/>`), "U, the bonus for few visits"],
    [sample([svg`<path d="M48 0V20" stroke="var(--azl-path)" stroke-dasharray="2 3"/><circle cx="48" cy="10" r="4.5" fill="var(--azl-path)"/>`, svg`<circle cx="16" cy="10" r="3.5" fill="var(--azl-fg)"/><path d="M21 10H48" stroke="var(--azl-path)" stroke-width="2"/>`]), "zoom: the scores, larger; blue: the lead"],
    ...(hasPriors ? [[sample(svg`<rect x="1" y="8" width="34" height="4" fill="var(--azl-P)"/>`), "P, the prior of the move"]] : []),
    [sample(line("M2 10H56", "path", 3)), "path of this simulation"],
    ...(record.nodes.proven ? [[sample([svg`<rect x="8" y="3" width="42" height="14" rx="4" fill="var(--azl-bg)" stroke="var(--azl-fg)" stroke-width="1.6"/><text x="29" y="14" text-anchor="middle">wins</text>`]), "proven: who wins, if both play their best"]] : []),
    [sample(tag("+0.12", "var(--azl-bg)", "var(--azl-path)")), "its lead over the next best move"],
    [sample(svg`<path d="${STAR}" transform="translate(29 10) scale(1.5)" fill="currentColor"/>`), "the move that would be played now"],
    [sample(game.rows && [stone(game, 0, 29, 10, 18), svg`<circle cx="29" cy="10" r="9" fill="none" stroke="var(--azl-fg)" stroke-width="1.4"/>`]), "last move"],
    [sample(svg`<rect x="15" y="2" width="28" height="16" rx="4" fill="none" stroke="var(--azl-fg)" stroke-width="1.5" stroke-dasharray="3 3"/>`), "the node in the panel"],
    [sample(svg`<rect x="16" y="2" width="26" height="16" rx="8" fill="var(--azl-bg)" stroke="var(--azl-edge)"/><text x="29" y="14" text-anchor="middle">+4</text>`), "four more moves: click"],
  ];
  const players = [0, 1].map(p => html`<span><span aria-hidden="true">${glyph(game, p)}</span> ${stoneName(game, p)}</span>`);
  return html`<div class="azl-line-of">${players}</div>${rows.map(([picture, text]) => html`<div class="azl-key-row">${picture}<span>${text}</span></div>`)}
<div class="azl-keys">${KEYS.map(([key, text]) => html`<span><kbd>${key}</kbd> ${text}</span>`)}</div>`;
}
