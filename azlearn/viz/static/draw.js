// Draws a scene as SVG. Keeps one element per item and moves it when its place changes.

import { put } from "./dom.js";
import { card, fold, picture, pictureAt, stub, summit } from "./card.js";
import { HEAD } from "./layout.js";
import { Motion } from "./motion.js";

const NS = "http://www.w3.org/2000/svg";
const make = (name, attrs = {}) => {
  const e = document.createElementNS(NS, name);
  for (const k in attrs) e.setAttribute(k, attrs[k]);
  return e;
};
const LARGEST = 2.5;         // the largest zoom of Fit
const BELOW = 20;            // space for the badge below a card

export class Sheet {
  constructor(host) {
    this.svg = make("svg", { class: "azl-sheet", "aria-hidden": "true" });
    this.world = make("g");
    this.edges = make("g", { fill: "none", "stroke-linecap": "round" });
    this.lights = make("g", { class: "azl-lights" });
    this.things = make("g");
    const passing = make("g");
    this.world.append(this.edges, this.lights, this.things, passing);
    this.svg.append(this.world);
    host.append(this.svg);
    this.motion = new Motion(passing);
    this.items = new Map();
    this.pan = { x: 0, y: 0, k: 1 };
    this.scale = 1;
    this.frame = 0;
  }

  // Sets the view: pan is {x, y, k}, where k is the zoom.
  look(pan) {
    this.pan = pan;
    const { x, y, k } = pan;
    this.world.setAttribute("transform", `translate(${x},${y}) scale(${k * this.scale})`);
  }

  // Zooms by a factor around a point of the sheet.
  zoom(by, x, y) {
    const p = this.pan, k = Math.max(0.4, Math.min(4, p.k * by)), factor = k / p.k;
    this.look({ x: x - (x - p.x) * factor, y: y - (y - p.y) * factor, k });
  }

  // Zooms so that the drawn tree is as large as the sheet allows.
  fit() {
    const all = [...this.items.values()].map(item => item.t), { clientWidth: width, clientHeight: height } = this.svg;
    if (!all.length) return this.look({ x: 0, y: 0, k: 1 });
    const x0 = Math.min(...all.map(t => t.x - t.w / 2)), x1 = Math.max(...all.map(t => t.x + t.w / 2));
    const y0 = Math.min(...all.map(t => t.y)), y1 = Math.max(...all.map(t => t.y + t.h + BELOW)), edge = 6;
    const k = Math.min(LARGEST, (width / this.scale - 2 * edge) / (x1 - x0), (height / this.scale - 2 * edge) / (y1 - y0));
    if (k >= 1 && k < 1.04) return this.look({ x: 0, y: 0, k: 1 });      // as laid out
    const at = (size, a, b) => size / 2 - ((a + b) / 2) * k * this.scale;
    this.look({ x: at(width, x0, x1), y: at(height, y0, y1), k });
  }

  // Renumbers the nodes: node i becomes to(i); nodes that become −1 are dropped.
  rename(to) {
    const old = this.items;
    this.items = new Map();
    for (const [key, item] of old) {
      const i = key.length > 1 ? to(Number(key.slice(1))) : -1;
      if (i >= 0) this.items.set(key[0] + i, item);
      else this.drop(item);
    }
  }

  // The box of a node on the screen, in pixels from the sheet's upper left corner, or null.
  box(node) {
    const item = this.items.get("n" + node);
    if (!item) return null;
    const { x, y, k } = this.pan, scale = k * this.scale, { t } = item;
    return { x: x + (t.x - t.w / 2) * scale, y: y + t.y * scale, w: t.w * scale, h: t.h * scale };
  }

  // The middle of a node on the screen, or of the sheet if the node is not drawn.
  spot(node) {
    const box = this.box(node), { clientWidth: width, clientHeight: height } = this.svg;
    return box ? { x: box.x + box.w / 2, y: box.y + box.h / 2 } : { x: width / 2, y: height / 2 };
  }

  // Moves the view so that a node stays where it was.
  hold(node, was) {
    const { x, y } = this.spot(node);
    this.look({ x: this.pan.x + was.x - x, y: this.pan.y + was.y - y, k: this.pan.k });
  }

  // Moves the view so that a node is visible.
  bring(node) {
    const { x, y } = this.spot(node), { clientWidth: width, clientHeight: height } = this.svg, edge = 40;
    if (x > edge && x < width - edge && y > edge && y < height - edge) return;
    this.look({ x: this.pan.x + width / 2 - x, y: this.pan.y + height / 2 - y, k: this.pan.k });
  }

  drop(item) {
    for (const e of [item.g, item.edge, item.lit]) if (e) e.remove();
  }

  // Draws the scene. Nodes glide to their new places in `duration` milliseconds. motion: null, or
  // {pace: milliseconds per edge, landed(k)} to light up the path or let the value climb.
  draw(things, layout, colors, duration, motion = null) {
    this.motion.stop();
    this.svg.setAttribute("viewBox", `0 0 ${layout.width * layout.scale} ${layout.height * layout.scale}`);
    this.scale = layout.scale;
    this.look(this.pan);
    const seen = new Set();
    for (const t of things) {
      seen.add(t.key);
      this.put(t, layout.stone, colors);
    }
    for (const [key, item] of this.items) {
      if (seen.has(key)) continue;
      this.drop(item);
      this.items.delete(key);
    }
    this.glide(duration);
    if (motion) this.start(motion, colors);
  }

  // Draws one item: creates its element, or rewrites the parts that have changed.
  put(t, stone, colors) {
    let item = this.items.get(t.key);
    if (!item) {
      const from = t.up && this.items.get(t.up.key);
      item = { g: make("g"), body: make("g"), x: from ? from.x : t.x, y: from ? from.y : t.y, fade: 0 };
      item.g.append(item.body);
      this.things.append(item.g);
      this.items.set(t.key, item);
    }
    Object.assign(item, { t, x0: item.x, y0: item.y, fade0: item.fade });
    this.join(item, t.up);
    const drawn = t.kind === "node" ? card(t, this.game, colors) : t.kind === "stub" ? stub(t) : t.kind === "fold" ? fold(t, this.game) : summit(t);
    put(item.body, drawn);
    if (t.kind === "node") this.picture(item, t, stone);
    item.g.setAttribute("class", `azl-${t.kind}${t.onPath ? " azl-on-path" : ""}${t.unborn ? " azl-unborn" : ""}`);
    item.g.setAttribute(t.kind === "node" ? "data-node" : t.kind === "stub" ? "data-stub" : "data-fold", t.kind === "node" ? t.id : t.of);
    if (item.edge) edgeStyle(item);
  }

  // Adds or removes the edge from the parent, and its highlight; the topmost node has none.
  join(item, up) {
    if (Boolean(up) === Boolean(item.edge)) return;
    if (up) {
      this.edges.append((item.edge = make("path")));
      this.lights.append((item.lit = make("path")));
    } else {
      for (const e of [item.edge, item.lit]) e.remove();
      item.edge = item.lit = null;
    }
  }

  // The board of a node never changes, so it is drawn once and then only scaled.
  picture(item, t, stone) {
    const wanted = this.game.rows && t.form !== "card" && !t.unborn;
    if (!wanted) {
      if (item.board) item.board.setAttribute("display", "none");
      return;
    }
    if (!item.board) item.g.append((item.board = make("g", { class: "azl-position" })));
    if (item.cells !== t.cells) {
      put(item.board, picture(t, this.game));
      item.cells = t.cells;
    }
    item.board.setAttribute("transform", pictureAt(t, this.game, stone));
    item.board.setAttribute("display", "inline");
  }

  glide(duration) {
    cancelAnimationFrame(this.frame);
    if (duration <= 0) return this.move(1);
    const start = performance.now();
    const tick = now => {
      const t = Math.min(1, (now - start) / duration);
      this.move(1 - (1 - t) ** 3);
      if (t < 1) this.frame = requestAnimationFrame(tick);
    };
    this.move(0);
    this.frame = requestAnimationFrame(tick);
  }

  move(share) {
    for (const item of this.items.values()) {
      item.x = item.x0 + (item.t.x - item.x0) * share;
      item.y = item.y0 + (item.t.y - item.y0) * share;
      item.fade = item.fade0 + (1 - item.fade0) * share;
      item.g.setAttribute("transform", `translate(${item.x.toFixed(1)},${item.y.toFixed(1)})`);
      item.g.setAttribute("opacity", item.fade.toFixed(2));
    }
    for (const item of this.items.values()) {
      if (!item.edge) continue;
      const up = this.items.get(item.t.up.key), x0 = up.x.toFixed(1), x1 = item.x.toFixed(1), through = item.t.form === "board" && item.t.w > 84;
      const y0 = up.y + up.t.h - (up.t.flag || 0), y1 = item.y + (item.t.kind === "node" ? 1 : 0), mid = Math.max((y0 + y1) / 2, y1 - 28).toFixed(1);
      const end = through ? `V${(item.y + HEAD).toFixed(1)}` : "", way = `M${x0} ${y0.toFixed(1)}C${x0} ${mid} ${x1} ${mid} ${x1} ${y1.toFixed(1)}${end}`;      // up to the frame, between the texts above it
      item.edge.setAttribute("d", way);
      item.lit.setAttribute("d", way);
    }
  }

  start(motion, colors) {
    const path = [...this.items.values()].filter(({ t }) => t.step >= 0 || ((t.kind === "fold" || t.kind === "top") && t.onPath)).sort((a, b) => a.t.y - b.t.y);
    if (path.some(({ t }) => t.before)) this.motion.backup(path, motion, colors);
    else if (path.some(({ t }) => t.lead)) this.motion.select(path, motion.pace);
  }
}

function edgeStyle({ edge, lit, t }) {
  const node = t.kind === "node" && !t.unborn;
  edge.setAttribute("stroke", t.unborn ? "none" : "var(--azl-edge)");
  edge.setAttribute("stroke-width", (node && t.n ? 1.2 + 8 * Math.sqrt(Math.min(1, t.weight)) : 1).toFixed(1));
  edge.setAttribute("stroke-dasharray", t.kind === "stub" ? "2 4" : "none");
  if (t.unborn) lit.removeAttribute("pathLength");
  else lit.setAttribute("pathLength", 1);
  lit.setAttribute("class", t.unborn ? "azl-light azl-dashed" : "azl-light");
  lit.setAttribute("display", t.onPath || t.unborn ? "inline" : "none");
}
