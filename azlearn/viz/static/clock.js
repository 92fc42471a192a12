// Timers: play the search, and drop the rollout's stones one by one.

import { guard, ICONS } from "./widget_common.js";

const PHASE = 1500, HOP = 900, STONE = 160;      // milliseconds at speed 1 for a phase, one hop of the climbing value, a stone
const FASTEST = 4;                               // above this speed nothing is animated, and each step is a whole simulation

export class Clock {
  constructor(explorer) {
    Object.assign(this, { explorer, speed: 1, timer: 0, held: false, stones: [], played: Infinity });
  }

  get playing() {
    return Boolean(this.timer);
  }

  // Milliseconds of one hop of the value in backup; 0 if it is not animated.
  get pace() {
    return this.explorer.still.matches || this.held || this.speed > FASTEST ? 0 : HOP / this.speed;
  }

  // Milliseconds in which nodes glide to their new places.
  get glide() {
    return this.explorer.still.matches || this.held ? 0 : Math.min(320, 600 / this.speed);
  }

  setSpeed(text) {
    this.speed = Number(text);
    if (this.playing) this.play(true);
  }

  play(on) {
    const { explorer } = this, over = () => explorer.step >= explorer.replay.rows && explorer.phase === "backup";
    clearTimeout(this.timer);
    this.timer = 0;
    if (on && explorer.replay.rows) {
      if (over()) explorer.go(0, "backup");
      const next = () => guard(explorer.root, () => {
        if (over()) return this.play(false);
        if (this.speed > FASTEST) explorer.leap(1);
        else explorer.move(1);
        this.timer = setTimeout(next, this.length());
        return undefined;
      });
      this.timer = setTimeout(next, Math.min(300, this.length()));
    }
    if (this.seen === this.playing) return;
    this.seen = this.playing;
    const button = explorer.controls.querySelector('[data-do="play"]');
    button.querySelector("path").setAttribute("d", ICONS[this.playing ? "pause" : "play"]);
    button.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    button.title = `${this.playing ? "Pause" : "Play"} (space)`;
  }

  // Milliseconds for which the current moment stays on the screen.
  length() {
    const { explorer, speed } = this, hops = explorer.phase === "backup" && this.pace ? this.pace * explorer.moment.path.length : 0;
    return speed > FASTEST ? 1200 / speed : Math.max(PHASE / speed, hops + 500 / speed, this.stones.length * this.stone() + 700 / speed);
  }

  stone() {
    return this.pace ? STONE / this.speed : 0;
  }

  // Plays out the rollout in evaluate, stone by stone, calling redraw() after each.
  roll(stones, moves, redraw) {
    clearTimeout(this.rolling);
    this.stones = stones;
    this.played = moves && this.pace ? Math.min(1, stones.length) : stones.length;
    const next = () => {
      if (this.played >= stones.length) return;
      this.played++;
      redraw();
      this.rolling = setTimeout(next, this.stone());
    };
    if (this.played < stones.length) this.rolling = setTimeout(next, this.stone());
  }

  close() {
    clearTimeout(this.timer);
    clearTimeout(this.rolling);
  }
}
