// The whole tree on a canvas: depth runs downward, width shows visits, color shows Q. Nodes too thin
// to see are drawn as one, so the cost depends on the width of the canvas, not on the size of the tree.

import { mark, signed, thousands } from "./paint.js";
import { describe } from "./narration.js";
import { guard } from "./widget_common.js";

const FONT = '11px system-ui, "DejaVu Sans", sans-serif';
const ROW = [14, 44];      // height of a level in pixels, least and most
const THIN = 1.6;          // narrower children are drawn as one block

export class Icicle {
  constructor(explorer) {
    Object.assign(this, { x: explorer, on: false, top: 0, boxes: [], hover: -1 });
    this.canvas = explorer.$("icicle");
    const { canvas } = this, safe = f => e => guard(explorer.root, () => f(e));
    canvas.addEventListener("click", safe(e => this.pick(e, i => explorer.select(i))));
    canvas.addEventListener("dblclick", safe(e => this.pick(e, i => this.zoom(i))));
    canvas.addEventListener("pointermove", safe(e => this.look(e)));
    canvas.addEventListener("pointerleave", safe(() => this.look(null)));
    canvas.addEventListener("keydown", safe(e => this.key(e)));
  }

  // Renumbers the nodes: node i becomes to(i).
  rename(to) {
    this.top = Math.max(0, to(this.top));
    this.hover = -1;
  }

  // Gives node i the whole width; its ancestors stay above it, so that the reader can go back.
  zoom(i) {
    this.top = this.x.replay.kids[i].length ? i : this.x.replay.parent[i] ?? 0;
    this.top = Math.max(0, this.top);
    if (this.on) this.draw();
  }

  pick(e, then) {
    const box = this.at(e);
    if (box) then(box.id);
  }

  at(e) {
    return this.boxes.find(b => e.offsetX >= b.x && e.offsetX < b.x + b.w && e.offsetY >= b.y && e.offsetY < b.y + b.h);
  }

  look(e) {
    const box = e && this.at(e), hover = box ? box.id : -1;
    this.canvas.style.cursor = box ? "pointer" : "default";
    if (hover === this.hover) return;
    this.hover = hover;
    this.tell();
  }

  tell() {
    const { replay, focus, view } = this.x, i = this.hover < 0 ? focus : this.hover;
    const line = replay.path(i).slice(1).map(k => replay.label(k)).join(" ");
    const deeper = this.cut > 0 ? ` · ${this.cut} deeper level${this.cut > 1 ? "s" : ""}: double-click or press Enter to go down` : "";
    const text = `${line ? `${line} · ` : ""}${describe(replay, i, view)}${deeper}`, box = this.x.$("whole-say");
    if (box.textContent !== text) box.textContent = text;
  }

  key(e) {
    const { x } = this, { replay, focus: i } = x, order = k => this.sorted(k);
    const near = by => {
      const list = i ? order(replay.parent[i]) : [0], k = list.indexOf(i) + by;
      return list[k] === undefined ? i : list[k];
    };
    const keys = {
      ArrowUp: () => x.select(i ? replay.parent[i] : 0), ArrowDown: () => order(i).length && x.select(order(i)[0]),
      ArrowLeft: () => x.select(near(-1)), ArrowRight: () => x.select(near(1)),
      Home: () => x.select(0), Enter: () => this.zoom(i), Escape: () => this.zoom(this.top ? replay.parent[this.top] : 0),
    };
    if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key]) return;
    e.preventDefault();
    e.stopPropagation();
    keys[e.key]();
  }

  // Children with visits, most visited first.
  sorted(i) {
    const { replay } = this.x;
    return replay.kids[i].filter(k => replay.N[k] > 0).sort((a, b) => replay.N[b] - replay.N[a] || replay.action[a] - replay.action[b]);
  }

  draw() {
    const { canvas, x } = this, { replay, moment, focus: selected, colors } = x, { width, height } = x.sizes.icicle;
    if (width < 40 || height < 20) return;
    const ratio = window.devicePixelRatio || 1, pen = canvas.getContext("2d");
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.textBaseline = "middle";
    pen.font = FONT;
    if (replay.path(selected).indexOf(this.top) < 0 && !replay.path(this.top).includes(selected)) this.top = 0;
    const above = replay.path(this.top), levels = above.length + this.depthBelow();
    const h = Math.max(ROW[0], Math.min(ROW[1], Math.floor(height / levels)));
    const first = Math.max(0, Math.min(above.length - 2, levels - Math.floor((height + 1) / h)));
    this.boxes = [];
    this.cut = levels - first - Math.floor((height + 1) / h);
    this.style = { pen, colors, h, height, pv: replay.principal() };
    above.slice(first).forEach((i, k) => {
      if (i === this.top) this.branch(i, 0, k * h, width);
      else this.box(i, 0, k * h, width);
    });
    const path = moment.row >= 0 ? new Set(moment.path) : new Set();
    for (const b of this.boxes) if (path.has(b.id)) outline(pen, b, colors.get("path"), 2.5, []);
    const chosen = this.boxes.find(b => b.id === selected);
    if (chosen) outline(pen, chosen, colors.get("fg"), 2, [4, 3]);
    this.tell();
  }

  // The number of levels below the top node that are wide enough to see.
  depthBelow() {
    const { replay } = this.x, least = Math.max(1, replay.N[this.top] / 400);
    let deepest = 0;
    const walk = (i, d) => {
      deepest = Math.max(deepest, d);
      if (d < 30) for (const k of replay.kids[i]) if (replay.N[k] >= least) walk(k, d + 1);
    };
    walk(this.top, 0);
    return deepest;
  }

  branch(i, x, y, w) {
    const { replay } = this.x, { pen, h, height, colors } = this.style;
    this.box(i, x, y, w);
    y += h;
    if (y + h > height + 1) return;
    if (replay.more(i)) {
      pen.fillStyle = colors.get("hole");        // in the tree, but not loaded
      pen.fillRect(x + 0.5, y, Math.max(0.5, w - 1), h - 1);
      if (w > 44) label(pen, `+${replay.more(i)} not loaded`, x, y, w, h, colors.get("mute"));
      return;
    }
    const unit = w / Math.max(1, i ? replay.N[i] : replay.total(0)), dust = { x: 0, n: 0, w: 0 };
    for (const k of this.sorted(i)) {
      const share = replay.N[k] * unit;
      if (share >= THIN) this.branch(k, x, y, share);
      else {
        if (!dust.n) dust.x = x;
        dust.n += replay.N[k];
        dust.w += replay.W[k] * (this.x.view === "first" && replay.toPlay[i] === 1 ? -1 : 1);
      }
      x += share;
    }
    if (dust.n * unit > 0.3) {
      pen.fillStyle = Number.isNaN(dust.w) ? colors.get("card") : colors.q(dust.w / dust.n);
      pen.fillRect(dust.x, y, dust.n * unit, h - 1);
    }
  }

  box(i, x, y, w) {
    const { replay, view } = this.x, { pen, colors, h, pv } = this.style, q = replay.q(i, view);
    const fill = q === null ? colors.get("card") : colors.q(q), gap = w > 4 ? 1 : 0.4;
    this.boxes.push({ id: i, x, y, w, h });
    pen.fillStyle = fill;
    pen.fillRect(x, y, w - gap, h - 1);
    if (w < 15) return;
    const n = i ? replay.N[i] : replay.total(0), name = (pv.has(i) && i ? "★ " : "") + replay.label(i);
    const winner = replay.promised(i), proof = winner === null ? "" : winner < 0 ? " · draw" : ` · ${mark(this.x.record.game, winner)} wins`;
    const texts = [`${name} · ${thousands(n)} · Q ${signed(q)}${proof}`, `${name}${proof}`, `${name} · ${thousands(n)}`, name, replay.label(i)];
    const text = texts.find(t => pen.measureText(t).width < w - 6);
    if (text) label(pen, text, x, y, w, h, colors.ink(fill));
  }
}

function label(pen, text, x, y, w, h, color) {
  pen.fillStyle = color;
  pen.textAlign = w > 90 ? "left" : "center";
  pen.fillText(text, w > 90 ? x + 6 : x + w / 2, y + h / 2);
}

function outline(pen, b, color, width, dash) {
  pen.strokeStyle = color;
  pen.lineWidth = Math.min(width, Math.max(1, b.w / 2));
  pen.setLineDash(dash);
  const inset = pen.lineWidth / 2;
  pen.strokeRect(b.x + inset, b.y + inset, Math.max(0.5, b.w - 1 - 2 * inset), b.h - 1 - 2 * inset);
  pen.setLineDash([]);
}
