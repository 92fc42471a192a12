// Plays the whole search once, by itself, as soon as the explorer is in view: slowly at first.

import { guard } from "./widget_common.js";

const MOMENTS = 180, IN_VIEW = 0.7;

export class Autoplay {
  constructor(explorer, seconds) {
    Object.assign(this, { x: explorer, at: 0, timer: 0 });
    const { root, replay: { rows } } = explorer;
    if (!(seconds > 0) || !rows || explorer.step) return;
    this.moments = [...new Set(Array.from({ length: MOMENTS }, (_, k) => Math.round(rows ** (k / (MOMENTS - 1)))))];
    if (explorer.still.matches) this.moments = [rows];
    this.pause = 1000 * seconds / this.moments.length;
    this.observer = new IntersectionObserver(([entry]) => {
      const { boundingClientRect: whole, intersectionRect: seen } = entry;
      if (whole.height && seen.height >= IN_VIEW * Math.min(whole.height, innerHeight)) guard(root, () => this.start());
    }, { threshold: Array.from({ length: 21 }, (_, k) => k / 20) });
    this.observer.observe(root);
    this.stop = () => this.close();          // the reader takes over
    for (const event of ["pointerdown", "keydown"]) root.addEventListener(event, this.stop);
  }

  start() {
    this.observer.disconnect();
    this.begun = performance.now() + 1000;
    this.timer = setTimeout(() => this.next(), 1000);
  }

  // Shows the moment that is due; a slow page leaves some out.

  next() {
    const { x, moments } = this;
    if (x.step !== this.at || x.playing) return;
    const due = Math.floor((performance.now() - this.begun) / this.pause);
    this.at = moments[Math.max(0, Math.min(due, moments.length - 1))];
    guard(x.root, () => x.go(this.at, "backup"));
    if (due < moments.length - 1) this.timer = setTimeout(() => this.next(), this.pause);
  }

  close() {
    clearTimeout(this.timer);
    if (this.observer) this.observer.disconnect();
  }
}
