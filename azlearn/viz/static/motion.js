// Animations that explain: in select the path lights up edge by edge; in backup the value climbs,
// changes sign from player to player, and updates the numbers where it lands. Animated elements are
// added on top of the final state, so stopping at any time leaves that state.

import { put, svg } from "./dom.js";
import { badge } from "./paint.js";
import { pill, parts, shades, strip, visits } from "./card.js";

const WAIT = 250;            // milliseconds until the first hop, while nodes glide to their places
const TICK = 180;            // milliseconds in which a number changes

export class Motion {
  // layer: an SVG group above everything else.
  constructor(layer) {
    Object.assign(this, { layer, playing: [], timers: [], extra: [] });
  }

  // Shows the final state at once, without calling back.
  stop() {
    this.timers.forEach(clearTimeout);
    this.playing.forEach(a => a.cancel());
    this.extra.forEach(e => e.remove());
    Object.assign(this, { playing: [], timers: [], extra: [] });
  }

  play(element, frames, delay, duration, easing = "ease-out", fill = "backwards") {
    if (element) this.playing.push(element.animate(frames, { delay, duration, easing, fill }));
  }

  add(parent, content) {
    const g = document.createElementNS("http://www.w3.org/2000/svg", "g");
    g.setAttribute("class", "azl-passing");
    put(g, content);
    parent.append(g);
    this.extra.push(g);
    return g;
  }

  at(time, then) {
    this.timers.push(setTimeout(then, time));
  }

  // items: the drawn nodes of the path, root first. Each edge lights up, then its node.
  select(items, pace) {
    const hop = pace / 3, appear = [{ opacity: 0 }, { opacity: 1 }];
    items.filter(item => item.lit).forEach((item, k) => {
      const solid = !item.t.unborn;
      this.play(item.lit, solid ? [{ strokeDasharray: "0 1" }, { strokeDasharray: "1 0" }] : appear, k * hop, hop, "ease-in-out");
      for (const name of [".azl-lit-frame", ".azl-lead"]) this.play(item.body.querySelector(name), appear, (k + 0.8) * hop, TICK);
    });
  }

  // A token climbs from the leaf to the root; landed(k) is called when it reaches path node k.
  backup(items, { pace, landed }, colors) {
    const climb = items.filter(({ t }) => t.before).reverse(), place = ({ t }) => ({ x: t.x, y: t.y + t.h + 1 });
    this.at(WAIT + climb.length * pace + 2 * TICK, () => this.stop());
    climb.forEach((item, i) => {
      const start = WAIT + i * pace, land = start + pace, { t } = item;
      this.tick(item, land, colors);
      this.at(land, () => landed && landed(t.step));
      if (t.delta === null) return;                 // at the root: the value stops one edge below it
      const to = place(item), from = place(climb[Math.max(0, i - 1)]);      // the first token only flips
      this.play(item.body.querySelector(".azl-delta"), [{ opacity: 0 }, { opacity: 0 }, { opacity: 1 }], 0, land, "steps(1, end)");
      const token = this.add(this.layer, svg`<g class="azl-token"></g>`), moved = token.firstElementChild;
      token.setAttribute("transform", `translate(${to.x},${to.y})`);
      moved.style.opacity = 0;                      // visible only during its own hop
      const flips = Math.sign(t.arrives) !== Math.sign(t.delta);
      put(moved, [t.arrives, t.delta].map((v, k) => svg`<g class="azl-face${k}">${pill(badge(v), 0, "azl-delta", ...shades(v, colors))}</g>`));
      const way = `translate(${from.x - to.x}px,${from.y - to.y}px)`;
      this.play(moved, [{ transform: way, opacity: 1 }, { transform: "none", opacity: 1 }], start, pace, "cubic-bezier(.4,0,.3,1)", "none");
      const [old, now] = moved.children, middle = "0 9px", turn = (element, frames) => {
        element.style.transformOrigin = middle;
        this.play(element, frames, start, pace, "linear", "both");
      };
      const open = { transform: "scaleY(1)", opacity: 1 }, shut = { transform: "scaleY(0)", opacity: 1 }, away = { transform: "scaleY(0)", opacity: 0 };
      if (!flips) return old.remove();
      turn(old, [{ ...open, offset: 0 }, { ...open, offset: 0.4 }, { ...shut, offset: 0.57 }, { ...away, offset: 0.58 }, { ...away, offset: 1 }]);
      turn(now, [{ ...away, offset: 0 }, { ...away, offset: 0.57 }, { ...shut, offset: 0.58 }, { ...open, offset: 0.75 }, { ...open, offset: 1 }]);
    });
  }

  // Shows the old N and Q until the value lands.
  tick({ t, body }, land, colors) {
    const at = parts(t), old = this.add(body, [strip(t, t.before.q, at, colors), visits(t, t.before.n, at)]);
    old.classList.add("azl-before");
    old.style.opacity = 0;
    this.play(old, [{ opacity: 1 }, { opacity: 1, offset: land / (land + TICK) }, { opacity: 0 }], 0, land + TICK, "linear", "none");
    for (const name of [".azl-mean", ".azl-n"]) {
      this.play(body.querySelector(`:scope > ${name}`), [{ opacity: 0 }, { opacity: 0, offset: land / (land + TICK) }, { opacity: 1 }], 0, land + TICK, "linear", "none");
    }
  }
}
