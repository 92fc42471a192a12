// The scrubber: the share of visits of each first move over the search. Where it changes its mind
// is where to look.

import { esc } from "./paint.js";

const H = 62;               // of the bands
const LABEL = 9.2;          // of a label at their right end
const LEAST = 0.04;         // share of the visits that earns one
export const GUTTER = 30;   // for the labels

export class Timeline {
  constructor(svg, onSeek) {
    this.svg = svg;
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

  // Counts the shares of a record.
  take(replay) {
    Object.assign(this, { replay, width: 0 });
    const { rows } = replay;
    this.top = new Int32Array(replay.size);
    for (let i = 1; i < replay.size; i++) this.top[i] = replay.parent[i] === 0 ? i : this.top[replay.parent[i]];
    const visits = new Map(replay.kids[0].map(k => [k, replay.base ? replay.base.visit_counts[k] : 0]));
    const final = new Map(visits);
    for (let r = 0; r < rows; r++) this.bump(final, r);
    const ranked = [...final.keys()].sort((a, b) => final.get(b) - final.get(a));
    // Colour belongs to the move; order to its visits.
    this.order = ranked.slice(0, 9);
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

  color(node) {
    const action = this.replay.action[node];
    return `var(--azl-move${action % 9})`;
  }

  // The move's name, written where its band was widest, if there was room.
  name(node, j, dx) {
    const share = k => this.columns[k][j] * H, n = this.columns.length;
    let best = -1;
    for (let k = Math.max(Math.floor(12 / dx), Math.floor(n * 0.02)); k < n * 0.9; k++) {
      if (share(k) >= 12 && (best < 0 || share(k) > share(best))) best = k;
    }
    return best < 0 ? "" : `<text class="azl-band" x="${((best + 0.5) * dx).toFixed(1)}" y="${(this.tops[j][best] + share(best) / 2 + 4).toFixed(1)}" text-anchor="middle">${esc(this.replay.label(node))}</text>`;
  }

  // The names of the bands that reach the right end, each beside its band as far as there is room.
  ends(width) {
    const last = this.columns.length - 1;
    const found = this.order.map((node, j) => ({ node, share: this.columns[last][j], y: this.tops[j][last] + (this.columns[last][j] * H) / 2 }));
    const most = Math.floor((H + 4) / LABEL), named = found.filter(f => f.share >= LEAST).slice(0, most);
    let low = LABEL / 2;
    for (const f of named) low = (f.y = Math.max(f.y, low)) + LABEL;
    let high = H + 4 - LABEL / 2;
    for (const f of named.reverse()) high = (f.y = Math.min(f.y, high)) - LABEL;
    return named.map(({ node, y }) => `<rect x="${width + 5}" y="${(y - 3.5).toFixed(1)}" width="7" height="7" rx="1.5" fill="${this.color(node)}" stroke="var(--azl-mute)" stroke-width=".5"/><text class="azl-end" data-end="${node}" x="${width + 15}" y="${(y + 3.6).toFixed(1)}">${esc(this.replay.label(node))}</text>`).join("");
  }

  draw(whole, step) {
    const width = whole - GUTTER;
    if (!this.replay.rows || width < 20) return;
    if (width !== this.width) {
      this.width = width;
      const n = this.columns.length, dx = width / n, out = [], names = [];
      const base = new Float64Array(n);
      this.tops = this.order.map(() => new Float64Array(n));
      this.order.forEach((o, j) => {
        let up = "", down = "";
        this.columns.forEach((c, k) => {
          const y0 = (this.tops[j][k] = base[k] * H), y1 = (base[k] += c[j]) * H, x0 = k * dx, x1 = (k + 1) * dx;
          up += `L${x0.toFixed(1)} ${y0.toFixed(1)}L${x1.toFixed(1)} ${y0.toFixed(1)}`;
          down = `L${x1.toFixed(1)} ${y1.toFixed(1)}L${x0.toFixed(1)} ${y1.toFixed(1)}` + down;
        });
        out.push(`<path d="M${up.slice(1)}${down}Z" fill="${this.color(o)}" stroke="var(--azl-bg)" stroke-width=".6"/>`);
        names.push(this.name(o, j, dx));
      });
      this.svg.setAttribute("viewBox", `0 0 ${whole} ${H + 4}`);
      this.svg.innerHTML = `<g>${out.join("")}</g><rect class="azl-later" y="0" height="${H}"/><g>${names.join("")}${this.ends(width)}</g><path class="azl-now"/>`;
    }
    const x = (step / this.replay.rows) * width, later = this.svg.querySelector(".azl-later");
    later.setAttribute("x", x);
    later.setAttribute("width", Math.max(0, width - x));
    const c = Math.max(1, Math.min(width - 1, x));
    this.svg.querySelector(".azl-now").setAttribute("d", `M${c} 0V${H}M${c - 4} ${H + 3}L${c} ${H - 2}L${c + 4} ${H + 3}Z`);
  }
}
