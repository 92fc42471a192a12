// Regret over the pulls, as lines that differ in color, in their dashes and in the mark at their end.

import { html, svg } from "./dom.js";
import { num, thousands } from "./paint.js";

const LEFT = 38, RIGHT = 14, TOP = 10, BOTTOM = 36;
const POINTS = 300;         // of a line, at most

// How each line is drawn: [dashes, width, mark at its end as a path around the origin].
const LOOKS = {
  you: ["", 2.6, "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0Z"],
  ucb1: ["7 4", 2.2, "M-4.2 -4.2H4.2V4.2H-4.2Z"],
  uniform: ["1.5 3.5", 2, "M0 -5L4.8 3.6H-4.8Z"],
};

// The sample of a line for a legend.
export const sample = name => {
  const [dashes, width, mark] = LOOKS[name];
  return html`<svg viewBox="0 0 34 12" width="34" height="12" aria-hidden="true" class="azl-b-line-${name}"><path class="azl-b-curve" d="M1 6H26" stroke-dasharray="${dashes}" stroke-width="${width}"/><path class="azl-b-mark" d="${mark}" transform="translate(28,6)"/></svg>`;
};

// 1, 2 or 5 times a power of ten, so that `most` is about `parts` of it.
function step(most, parts) {
  const power = 10 ** Math.floor(Math.log10(most / parts)), rest = most / parts / power;
  return power * (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10);
}

const multiples = (unit, most) => Array.from({ length: Math.floor(most / unit + 1e-9) + 1 }, (_, k) => k * unit);

// lines: {name: regret before the first pull and after each}; times: after which pulls a line has a
// point; most: the right end of the axis; byUCB1: [first, last] pull of each stretch that UCB1 played
// for the reader; isLog: whether the axis of the pulls is logarithmic; then
// uniform's line may leave the chart.
export function chart({ width, height, lines, times, most, byUCB1, isLog, label }) {
  const end = times.at(-1), shownWhole = isLog ? [lines.you, lines.ucb1] : Object.values(lines);
  const highest = 1.06 * Math.max(10, ...shownWhole.map(line => line[end]));
  const x = t => LEFT + (width - LEFT - RIGHT) * (isLog ? Math.log(Math.max(1, t)) / Math.log(most) : t / most);
  const y = regret => height - BOTTOM - (height - TOP - BOTTOM) * (regret / highest);
  const across = isLog ? [1, 2, 5].flatMap(k => [1, 10, 100, 1000, 10_000].map(power => k * power)).filter(t => t <= most) : multiples(step(most, width > 340 ? 6 : 4), most);
  const up = multiples(step(highest, 4), highest);
  const every = Math.ceil(times.length / POINTS), kept = times.filter((_, k) => k % every === 0 || k === times.length - 1);
  const stretches = byUCB1.map(([from, to]) => svg`<rect class="azl-b-taken-over" x="${x(from)}" y="${TOP}" width="${x(to) - x(from)}" height="${height - TOP - BOTTOM}"/>${x(to) - x(from) > 92 ? svg`<text class="azl-b-tick-text" x="${(x(from) + x(to)) / 2}" y="${TOP + 13}" text-anchor="middle">UCB1 for you</text>` : ""}`);
  const curves = Object.entries(lines).map(([name, line]) => {
    const [dashes, stroke, mark] = LOOKS[name];
    const way = kept.filter(t => line[t] <= highest && (t || !isLog)).map((t, k) => `${k ? "L" : "M"}${x(t).toFixed(1)} ${y(line[t]).toFixed(1)}`).join("");
    return svg`<g class="azl-b-line-${name}"><path class="azl-b-curve" d="${way}" stroke-dasharray="${dashes}" stroke-width="${stroke}"/>${end > 0 && line[end] <= highest ? svg`<path class="azl-b-mark" d="${mark}" transform="translate(${x(end).toFixed(1)},${y(line[end]).toFixed(1)})"/>` : ""}</g>`;
  });
  return html`<svg class="azl-b-chart" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${stretches}
${up.map(v => svg`<path class="azl-b-grid-line" d="M${LEFT} ${y(v).toFixed(1)}H${width - RIGHT}"/><text class="azl-b-tick-text" x="${LEFT - 6}" y="${y(v) + 4}" text-anchor="end">${num(v, 0)}</text>`)}
${across.map(t => svg`<path class="azl-b-notch" d="M${x(t).toFixed(1)} ${height - BOTTOM}v4"/><text class="azl-b-tick-text" x="${x(t)}" y="${height - BOTTOM + 16}" text-anchor="middle">${thousands(t)}</text>`)}
<text class="azl-b-tick-text" x="${(LEFT + width - RIGHT) / 2}" y="${height - 4}" text-anchor="middle">pulls</text>${curves}</svg>`;
}
