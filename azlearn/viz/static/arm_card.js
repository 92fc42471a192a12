// What a slot machine shows: its mean so far, and on it, when it is asked for, UCB1's bonus.

import { html, svg } from "./dom.js";
import { hatch, signed } from "./paint.js";

const HEIGHT = 116, PAD = 8, BAR = 24;

// The highest value that the cards' scale shows: 1 without scores, else the highest finite score.
export const scaleTop = scores => Math.max(1, Math.ceil(2 * Math.max(...scores.filter(Number.isFinite), 1)) / 2);

const place = top => value => PAD + ((HEIGHT - 2 * PAD) * (top - value)) / (top + 1);

// The scale beside the cards.
export function scale(top) {
  const y = place(top), values = [-1, 0, 1, ...(top >= 2 ? [Math.floor(top)] : [])];
  return html`<svg width="24" height="${HEIGHT}" viewBox="0 0 24 ${HEIGHT}" aria-hidden="true">${values.map(v => svg`<text class="azl-b-tick-text" x="22" y="${y(v) + 4}" text-anchor="end">${signed(v, 0)}</text>`)}</svg>`;
}

// mean: NaN for an arm without pulls; bonus: null if scores are not shown; lead: the highest score, or
// null; truth: the true mean, or null while it is hidden; top: of the scale.
export function track({ mean, bonus, lead, truth, top, width, id }) {
  const y = place(top), isKnown = !Number.isNaN(mean), high = isKnown ? Math.max(PAD / 2, y(mean + bonus)) : 0;
  const hatched = bonus !== null && isKnown ? svg`<defs>${hatch(id)}</defs><rect class="azl-b-bonus" x="${(width - BAR) / 2}" y="${high}" width="${BAR}" height="${Math.max(0, y(mean) - high)}" fill="url(#${id})"/>` : "";
  return html`<svg class="azl-b-track" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" aria-hidden="true">
<rect class="azl-b-well" x="4" y="1" width="${width - 8}" height="${HEIGHT - 2}" rx="6"/>
${[-1, 0, 1].map(v => svg`<path class="azl-b-grid-line" d="M4 ${y(v)}H${width - 4}"/>`)}${hatched}
${lead !== null && Number.isFinite(lead) ? svg`<path class="azl-b-lead-line" d="M0 ${y(lead)}H${width}"/>` : ""}
${isKnown ? svg`<path class="azl-b-mean-line" d="M${width / 2 - 16} ${y(mean)}h32"/>` : svg`<text class="azl-b-unknown-arm" x="${width / 2}" y="${y(0) + 6}" text-anchor="middle">?</text>`}
${truth === null ? "" : svg`<path class="azl-b-truth" d="M0 ${y(truth)}H${width}"/><path class="azl-b-truth-mark" d="M${width - 1} ${y(truth)}l-6 -5v10Z"/>`}</svg>`;
}
