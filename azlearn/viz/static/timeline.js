// The timeline: the share of visits of each first move during the search, and a scrubber. It shows
// where the search changes its mind.

import { put, svg } from "./dom.js";

const LABEL = 10;           // height of a label at the right end of a band
const LEAST = 0.04;         // share of the visits that a band needs for a label
const MOST = 9;             // number of bands
export const GUTTER = 36;   // width of the space for the labels

export class Timeline {
  // height: height of the bands.
  constructor(svg, onSeek, height = 42) {
    Object.assign(this, { svg, height });
    let drag = false;
    const seek = e => {
      const box = svg.getBoundingClientRect(), { rows } = this.replay;
      onSeek(Math.max(0, Math.min(rows, Math.round(((e.clientX - box.left) / (box.width - GUTTER)) * rows))));
    };
    svg.addEventListener("pointerdown", e => {
      drag = true;
      svg.setPointerCapture(e.pointerId);
      seek(e);
    });
    svg.addEventListener("pointermove", e => drag && seek(e));
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => { drag = false; });
  }

  // Computes the shares of a record.
  take(replay) {
    Object.assign(this, { replay, width: 0 });
    const { rows } = replay;
    this.top = new Int32Array(replay.size);
    for (let i = 1; i < replay.size; i++) this.top[i] = replay.parent[i] === 0 ? i : this.top[replay.parent[i]];
    const visits = new Map(replay.kids[0].map(k => [k, replay.base ? replay.base.visit_counts[k] : 0]));
    const final = new Map(visits);
    for (let r = 0; r < rows; r++) this.bump(final, r);
    this.others = final.size - MOST;
    const ranked = [...final.keys()].sort((a, b) => final.get(b) - final.get(a));
    this.order = ranked.slice(0, MOST).sort((a, b) => replay.action[a] - replay.action[b]);
    this.columns = [];
    const columns = Math.min(rows, 240);
    for (let r = 0, k = 0; r < rows; r++) {
      this.bump(visits, r);
      if (r + 1 >= ((k + 1) * rows) / columns) {
        const total = [...visits.values()].reduce((a, b) => a + b, 0) || 1;
        this.columns.push(this.order.map(o => visits.get(o) / total));
        k++;
      }
    }
  }

  bump(visits, row) {
    const t = this.top[this.replay.record.steps.leaf[row]];
    if (t) visits.set(t, visits.get(t) + this.replay.visits(row, 0));
  }

  // The name of a move, written where its band is widest, if it fits.
  name(node, j, dx) {
    const share = k => this.columns[k][j] * this.height, n = this.columns.length;
    let best = -1;
    for (let k = Math.max(Math.floor(12 / dx), Math.floor(n * 0.02)); k < n * 0.9; k++) {
      if (share(k) >= 12 && (best < 0 || share(k) > share(best))) best = k;
    }
    return best < 0 ? "" : svg`<text class="azl-band" x="${((best + 0.5) * dx).toFixed(1)}" y="${(this.tops[j][best] + share(best) / 2 + 4).toFixed(1)}" text-anchor="middle">${this.replay.label(node)}</text>`;
  }

  // The names of the bands at the right end, each as close to its band as space allows.
  ends(width) {
    const last = this.columns.length - 1, most = Math.floor((this.height + 4) / LABEL), share = j => this.columns[last][j];
    const named = this.order.map((node, j) => ({ node, share: share(j), y: this.tops[j][last] + (share(j) * this.height) / 2 }))
      .filter(f => f.share >= LEAST).sort((a, b) => b.share - a.share).slice(0, most).sort((a, b) => a.y - b.y);
    let low = LABEL / 2;
    for (const f of named) low = (f.y = Math.max(f.y, low)) + LABEL;
    let high = this.height + 2 - LABEL / 2;
    for (const f of named.reverse()) high = (f.y = Math.min(f.y, high)) - LABEL;
    return named.map(({ node, y }) => svg`<text class="azl-end" data-end="${node}" x="${width + 6}" y="${(y + 3.6).toFixed(1)}">${this.replay.label(node)}</text>`);
  }

  // The number of moves without a band, written below the bands if these moves have many visits.
  rest(width) {
    const last = this.columns.length - 1, end = this.columns[last].reduce((a, b) => a + b, 0), room = (1 - end) * this.height;
    return this.others < 1 || room < 14 ? "" : svg`<text class="azl-rest" x="${width - 8}" y="${(this.height - room / 2 + 4).toFixed(1)}" text-anchor="end">and ${this.others} other move${this.others > 1 ? "s" : ""}</text>`;
  }

  // step: the current step; top: the first node of the current path, the only band in color.
  draw(whole, step, top = -1) {
    const width = whole - GUTTER;
    if (!this.replay.rows || width < 20) return;
    if (width !== this.width) this.bands(whole, width);
    const x = (step / this.replay.rows) * width, part = name => this.svg.querySelector(name), j = this.order.indexOf(top);
    part(".azl-later").setAttribute("x", x);
    part(".azl-later").setAttribute("width", Math.max(0, width - x));
    part(".azl-lit").setAttribute("d", j < 0 ? "" : this.shapes[j]);
    const c = Math.max(1, Math.min(width - 1, x));
    part(".azl-now").setAttribute("d", `M${c} 0V${this.height}M${c - 5} 0h10l-5 7z`);
  }

  bands(whole, width) {
    this.width = width;
    const n = this.columns.length, dx = width / n, names = [], base = new Float64Array(n);
    this.tops = this.order.map(() => new Float64Array(n));
    this.shapes = this.order.map((o, j) => {
      let up = "", down = "";
      this.columns.forEach((c, k) => {
        const y0 = (this.tops[j][k] = base[k] * this.height), y1 = (base[k] += c[j]) * this.height, x = k ? (k + 0.5) * dx : 0;
        up += `L${x.toFixed(1)} ${y0.toFixed(1)}`;
        down = `L${x.toFixed(1)} ${y1.toFixed(1)}` + down;
        if (k === n - 1) {
          up += `L${width.toFixed(1)} ${y0.toFixed(1)}`;
          down = `L${width.toFixed(1)} ${y1.toFixed(1)}` + down;
        }
      });
      names.push(this.name(o, j, dx));
      return `M${up.slice(1)}${down}Z`;
    });
    const fills = this.shapes.map((d, j) => svg`<path d="${d}" fill="var(--azl-band${j % 2})" stroke="var(--azl-card)" stroke-width=".8"/>`);
    this.svg.setAttribute("viewBox", `0 0 ${whole} ${this.height + 2}`);
    put(this.svg, svg`<g>${fills}</g><path class="azl-lit"/><rect class="azl-later" y="0" height="${this.height}"/><g>${names}${this.rest(width)}${this.ends(width)}</g><path class="azl-now"/>`);
  }
}
