// Puts a scene on the sheet as SVG. Keeps one element per thing and moves it when its place changes.

import { STAR, board, count, esc, extent, gain, isStraight, mark, short, spot, stone, thousands } from "./paint.js";

const NS = "http://www.w3.org/2000/svg";
const make = (name, attrs = {}) => {
  const e = document.createElementNS(NS, name);
  for (const k in attrs) e.setAttribute(k, attrs[k]);
  return e;
};
const PICTURE = 44;   // width that a board is drawn with, before it is scaled to its card
const HEAD = 17;      // the line with the move and its visits, above the card

export class Sheet {
  constructor(host) {
    this.svg = make("svg", { class: "azl-sheet", "aria-hidden": "true" });
    this.world = make("g");
    this.edges = make("g", { fill: "none", "stroke-linecap": "round" });
    this.things = make("g");
    this.world.append(this.edges, this.things);
    this.svg.append(this.world);
    host.append(this.svg);
    this.items = new Map();
    this.pan = { x: 0, y: 0, k: 1 };
    this.scale = 1;
    this.frame = 0;
  }

  // Moves the eye: pan is {x, y, k}, k the zoom.
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

  // Node i is now called to(i); those that are called −1 go at the next drawing.
  rename(to) {
    const old = this.items;
    this.items = new Map();
    for (const [key, item] of old) {
      const i = to(Number(key.slice(1)));
      if (i >= 0) this.items.set(key[0] + i, item);
      else this.drop(item);
    }
  }

  // Where a node stands on the screen: the middle of its card; the middle of the sheet without one.
  spot(node) {
    const item = this.items.get("n" + node), { x, y, k } = this.pan, scale = k * this.scale;
    const { clientWidth: width, clientHeight: height } = this.svg;
    return item ? { x: x + item.t.x * scale, y: y + (item.t.y + item.t.h / 2) * scale } : { x: width / 2, y: height / 2 };
  }

  // Moves the eye so that a node stays at a place where it was.
  hold(node, was) {
    const { x, y } = this.spot(node);
    this.look({ x: this.pan.x + was.x - x, y: this.pan.y + was.y - y, k: this.pan.k });
  }

  // Moves the eye so that a node is in sight.
  bring(node) {
    const { x, y } = this.spot(node), { clientWidth: width, clientHeight: height } = this.svg, edge = 40;
    if (x > edge && x < width - edge && y > edge && y < height - edge) return;
    this.look({ x: this.pan.x + width / 2 - x, y: this.pan.y + height / 2 - y, k: this.pan.k });
  }

  drop(item) {
    item.g.remove();
    if (item.edge) item.edge.remove();
  }

  // Draws the scene; nodes glide to their new places in `duration` milliseconds.
  draw(things, layout, colors, duration) {
    this.svg.setAttribute("viewBox", `0 0 ${layout.width * layout.scale} ${layout.height * layout.scale}`);
    this.scale = layout.scale;
    this.look(this.pan);
    const seen = new Set();
    for (const t of things) {
      seen.add(t.key);
      let item = this.items.get(t.key);
      if (!item) {
        const from = t.up && this.items.get(t.up.key);
        item = { g: make("g"), body: make("g"), x: t.isNew || !from ? t.x : from.x, y: t.isNew ? t.y - 34 : from ? from.y : t.y, fade: 0 };
        if (t.up) this.edges.append((item.edge = make("path")));
        item.g.append(item.body);
        this.things.append(item.g);
        this.items.set(t.key, item);
      }
      if (t.isNew && item.wasUnborn) Object.assign(item, { y: t.y - 34, fade: 0 });
      item.wasUnborn = Boolean(t.unborn);
      Object.assign(item, { t, x0: item.x, y0: item.y, fade0: item.fade });
      const html = t.kind === "node" ? this.node(t, colors) : t.kind === "stub" ? stub(t) : fold(t);
      if (html !== item.html) item.body.innerHTML = item.html = html;
      if (t.kind === "node") this.picture(item, t);
      item.g.setAttribute("class", t.kind === "node" ? "azl-node" : "azl-" + t.kind);
      item.g.setAttribute(t.kind === "node" ? "data-node" : "data-" + t.kind, t.kind === "node" ? t.id : t.of);
      if (item.edge) edgeStyle(item.edge, t);
    }
    for (const [key, item] of this.items) {
      if (seen.has(key)) continue;
      this.drop(item);
      this.items.delete(key);
    }
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
      const up = this.items.get(item.t.up.key);
      const y0 = up.y + up.t.h - 1, y1 = item.y + (item.t.kind === "node" ? 1 : 0), mid = (y0 + y1) / 2 + 2;
      item.edge.setAttribute("d", `M${up.x.toFixed(1)} ${y0.toFixed(1)}C${up.x.toFixed(1)} ${mid.toFixed(1)} ${item.x.toFixed(1)} ${(mid - 4).toFixed(1)} ${item.x.toFixed(1)} ${y1.toFixed(1)}`);
    }
  }

  // The card of one node, its own origin at the middle of its top edge.
  node(t, colors) {
    const { w } = t, x = -w / 2, top = HEAD, h = t.h - HEAD - t.flag, game = this.game;
    if (t.unborn) return this.ghost(t, x, w, top, h + t.flag);
    const fill = t.q === null ? "var(--azl-card)" : colors.q(t.q), ink = t.q === null ? "var(--azl-mute)" : colors.ink(fill);
    const out = [`<title>${esc(t.title)}</title>`];
    if (t.selected) out.push(`<rect class="azl-halo" x="${x - 4}" y="${top - 4}" width="${w + 8}" height="${h + t.flag + 8}" rx="10"/>`);
    const edge = t.onPath ? "var(--azl-path)" : t.pv || t.id === 0 ? "var(--azl-fg)" : "var(--azl-edge)";
    out.push(`<rect x="${x}" y="${top}" width="${w}" height="${h}" rx="7" fill="${fill}" stroke="${edge}" stroke-width="${t.onPath ? 3 : t.pv || t.id === 0 ? 1.6 : 1}"/>`);
    if (game.rows) {
      out.push(`<rect x="${x + 3}" y="${top + 3}" width="${w - 6}" height="${t.boardHeight + 2}" rx="4" fill="var(--azl-bg)"/>`);
    } else {
      out.push(`<text class="azl-big" x="0" y="${top + 4 + t.boardHeight * 0.72}" style="fill:${ink}" text-anchor="middle">${esc(t.label)}</text>`);
    }
    out.push(`<text class="azl-strip${t.changed ? " azl-flash" : ""}" x="${t.pv ? 20 : 0}" y="${top + h - 5}" style="fill:${ink}" text-anchor="${t.pv ? "end" : "middle"}">${t.q === null ? "–" : short(t.q, true)}</text>`);
    if (t.pv) out.push(`<path d="${STAR}" transform="translate(-16.8,${top + h - 9}) scale(.85)" style="fill:${ink}"/>`);
    if (t.flag) out.push(flag(game, t.victor, w, top + h));
    out.push(this.head(t, x, w));
    out.push(this.contest(t, x, w, t.h));
    if (t.worth !== null) out.push(pill("value " + t.worth, t.h + 1, "azl-worth", false));
    if (t.delta !== null) {
      const name = t.delta > 0 ? "ahead" : t.delta < 0 ? "behind" : "even", color = colors.get(name);
      out.push(pill(gain(t.delta), t.h + 1, "", false, color, colors.ink(color)));
    }
    if (t.isLeaf) out.push(`<circle class="azl-pulse" cx="0" cy="${top + h / 2}" r="${w * 0.62}"/>`);
    return out.join("");
  }

  // The board on a card. It never changes, so it is made once and then only scaled with the card.
  picture(item, t) {
    if (!this.game.rows) return;
    if (!item.board) item.g.append((item.board = make("g")));
    if (item.cells !== t.cells) {
      const cell = PICTURE / Math.max(extent(this.game)[0], extent(this.game)[1]);
      item.board.innerHTML = capsule(this.game, t.line, cell) + board(this.game, t.cells, 0, 0, cell, { last: t.last, line: isStraight(this.game, t.line) ? [] : t.line, holes: false });
      item.cells = t.cells;
    }
    const k = (t.w - 8) / PICTURE;
    item.board.setAttribute("transform", `translate(${4 - t.w / 2},${HEAD + 4}) scale(${k.toFixed(3)})`);
    item.board.setAttribute("display", t.unborn ? "none" : "inline");
  }

  // The place of a node that is about to join the tree.
  ghost(t, x, w, top, h) {
    return `<rect class="azl-ghost" x="${x}" y="${top}" width="${w}" height="${h}" rx="7"/>`
      + `<text class="azl-label" x="0" y="${top + h / 2 + 4}" text-anchor="middle">new</text>`
      + `<text class="azl-label" x="${x + 12}" y="${HEAD - 6}">${esc(t.label)}</text>`
      + (this.game.rows ? stone(this.game, t.mover, x + 5, HEAD - 10, 10) : "")
      + this.contest(t, x, w, top + h);
  }

  // The score that competes: a bar of Q and U as wide as the card, and its number.
  contest({ contest }, x, w, y) {
    if (!contest) return "";
    const { bar, won, text } = contest, inner = w - 2, part = share => ((share / 100) * inner).toFixed(1);
    const fill = bar.infinite ? `<rect class="azl-inf" x="${x + 1}" y="${y + 3}" width="${inner}" height="6"/>`
      : `<rect class="azl-q" x="${x + 1}" y="${y + 3}" width="${part(bar.q)}" height="6"/><rect class="azl-u" x="${(x + 1 + Number(part(bar.q))).toFixed(1)}" y="${y + 3}" width="${part(bar.u)}" height="6"/>`;
    return `<g class="azl-stack${won ? " azl-winner" : ""}"><rect class="azl-trough" x="${x}" y="${y + 2}" width="${w}" height="8" rx="2"/>${fill}</g>`
      + pill(text, y + 10, won ? "azl-won" : "azl-lost", won);
  }

  // Above the card: who moved where (left), visits (right).
  head(t, x, w) {
    const used = t.id === 0 ? 30 : (this.game.rows ? 12 : 0) + 8 * t.label.length;
    const n = `<text class="azl-n${t.changed ? " azl-flash" : ""}" x="${-x}" y="${HEAD - 6}" text-anchor="end">${count(t.n, w - used - 5)}</text>`;
    if (t.id === 0) return `<text class="azl-label" x="${x}" y="${HEAD - 6}">root</text>` + n;
    const weight = t.pv ? ' font-weight="700" fill="var(--azl-fg)"' : "";
    return (this.game.rows ? stone(this.game, t.mover, x + 5, HEAD - 10, 10) : "")
      + `<text class="azl-label" x="${x + (this.game.rows ? 12 : 0)}" y="${HEAD - 6}"${weight}>${esc(t.label)}</text>` + n;
  }
}

// Below the card of a finished game: who has won.
function flag(game, victor, w, y) {
  const name = victor < 0 ? "draw" : game.rows ? "won" : mark(game, victor) + " won", x = victor >= 0 && game.rows ? 7 : 0;
  return `<rect class="azl-over" x="${-w / 2 - 2}" y="${y}" width="${w + 4}" height="15" rx="4"/>`
    + (x ? stone(game, victor, -14, y + 7.5, 11, 'class="azl-over-stone"') : "")
    + `<text class="azl-over-text" x="${x}" y="${y + 11.5}" text-anchor="middle">${name}</text>`;
}

function pill(text, y, name, bold, fill = "", ink = "") {
  const w = text.length * (fill ? 8.4 : 7) + 11 + (bold ? 9 : 0);
  return `<g class="azl-pill ${name}"><rect x="${-w / 2}" y="${y}" width="${w}" height="16" rx="8"${fill ? ` fill="${fill}"` : ""}/>`
    + `<text x="0" y="${y + 12.2}" text-anchor="middle"${ink ? ` style="fill:${ink}"` : ""}>${bold ? "✓" : ""}${text}</text></g>`;
}

// Behind the stones of the line that won: an outline around all of them.
function capsule(game, line, cell) {
  if (!isStraight(game, line)) return "";
  const at = i => spot(game, i, cell).map(x => x.toFixed(1)).join(" ");
  const d = `d="M${at(line[0])}L${at(line[line.length - 1])}"`, width = cell + 0.8;
  return `<path class="azl-line" ${d} stroke-width="${width.toFixed(1)}"/><path class="azl-line-in" ${d} stroke-width="${(width - 2).toFixed(1)}"/>`;
}

function stub(t) {
  const w = t.w - 2, frame = `<rect x="${-w / 2}" y="1" width="${w}" height="19" rx="9.5"${t.onPath ? ' style="stroke:var(--azl-path)"' : ""}/>`;
  if (!t.count) return `<title>Show fewer moves</title>${frame}<path class="azl-less" d="M-4.5 12.5L0 8 4.5 12.5"/>`;
  return `<title>Show ${thousands(t.count)} more</title>${frame}<text x="0" y="15" text-anchor="middle">+${thousands(t.count)}</text>`;
}

function fold(t) {
  return `<rect x="-37" y="3" width="74" height="19" rx="9.5"${t.onPath ? ' style="stroke:var(--azl-path)"' : ""}/><text x="0" y="17" text-anchor="middle">⋮ ${t.ids.length} ${t.ids.length > 1 ? "moves" : "move"}</text>`;
}

function edgeStyle(edge, t) {
  const node = t.kind === "node";
  edge.setAttribute("stroke", t.onPath ? "var(--azl-path)" : t.pv ? "var(--azl-mute)" : "var(--azl-edge)");
  edge.setAttribute("stroke-width", (node ? Math.max(1.1, 10 * Math.sqrt(t.weight)) : t.onPath ? 2 : 1).toFixed(1));
  edge.setAttribute("stroke-dasharray", t.kind === "stub" || t.unborn ? "3 4" : "none");
}
