// The legend below a tree: a line of it always, the whole behind "key".

import { STAR } from "./paint.js";

// What the width of an edge says.
export const edgeWidth = record => (record.nodes.prior || record.rule.name === "puct" ? "prior P" : "visits N");

const sample = (inside, w = 40) => `<svg viewBox="0 0 ${w} 18" width="${w}" height="18" aria-hidden="true">${inside}</svg>`;
const pill = (text, style, ink = "fg", w = 38) =>
  `<rect x="${20 - w / 2}" y="1" width="${w}" height="16" rx="8" style="${style}"/><text x="20" y="13" text-anchor="middle" style="fill:var(--azl-${ink})">${text}</text>`;
const PLAIN = "fill:var(--azl-card);stroke:var(--azl-edge)";
const stroke = style => `<path d="M2 9H38" fill="none" ${style}/>`;
const FLAG = sample('<rect class="azl-over" width="40" height="15" y="1.5" rx="4"/><circle class="azl-over-stone" cx="7" cy="9" r="4" fill="var(--azl-first)"/><text class="azl-over-text" x="26.5" y="13" text-anchor="middle">won</text>');

const PARTS = [
  [sample(stroke('stroke="var(--azl-path)" stroke-width="4"')), "path of this simulation"],
  [sample('<rect class="azl-halo" x="9" y="1" width="22" height="16" rx="5"/>'), "the node in the panel"],
  [sample('<circle cx="20" cy="9" r="4.6" fill="var(--azl-first)"/><circle cx="20" cy="9" r="6" fill="none" stroke="var(--azl-fg)"/>'), "last move"],
  [sample('<path class="azl-line" d="M8 9H32" stroke-width="13"/><path class="azl-line-in" d="M8 9H32" stroke-width="10.6"/>' + [8, 16, 24, 32].map(x => `<circle cx="${x}" cy="9" r="3.4" fill="var(--azl-first)"/>`).join("")), "a line that has won"],
  [sample('<rect class="azl-trough" x="1" y="4" width="38" height="10" rx="2"/><rect class="azl-q" x="2" y="5" width="18" height="8"/><rect class="azl-u" x="20" y="5" width="9" height="8"/>'), "score from −1: <i class=\"azl-cQ\">Q</i>, then <i class=\"azl-cU\">bonus</i>"],
  [sample(pill("✓.54", "fill:var(--azl-path)", "on-path")), "score of the move taken"],
  [sample(pill("W−1", "fill:var(--azl-hole)")), "what the backup adds to W"],
  [sample(pill("+4", PLAIN, "fg", 26)), "four more moves: click"],
  [sample(pill("⋮ 3", PLAIN)), "three moves of the path, folded"],
];

export function legend() {
  const star = `<svg viewBox="-6 -6 12 12" width="11" height="11" aria-hidden="true"><path d="${STAR}" fill="currentColor"/></svg>`;
  const rows = PARTS.map(([picture, text]) => `<span class="azl-sheet-key">${picture}<span>${text}</span></span>`).join("");
  return `<div class="azl-key"><span class="azl-pair-key"><span class="azl-scale"></span>Q, −1 to +1</span><span class="azl-cN">upper right: N</span><span data-part="edges"></span><span class="azl-pair-key">${star}most visited line</span><span class="azl-pair-key">${FLAG}game over</span><details><summary>key</summary><div class="azl-legend">${rows}</div></details></div>`;
}
