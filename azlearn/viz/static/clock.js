// Time that passes by itself: playing the search, and the rollout's stones falling one by one.

import { guard, ICONS } from "./shell.js";

const SPEEDS = { slow: 1600, normal: 700, fast: 220, "very fast": 60 };

export class Clock {
  constructor(explorer) {
    Object.assign(this, { explorer, speed: "normal", timer: 0, stones: [], played: Infinity });
  }

  get playing() {
    return Boolean(this.timer);
  }

  // Milliseconds that nodes take to glide to their new places.
  get glide() {
    return this.explorer.still.matches ? 0 : Math.min(320, SPEEDS[this.speed] * 0.6);
  }

  setSpeed(name) {
    this.speed = name;
    if (this.playing) this.play(true);
  }

  play(on) {
    const { explorer } = this, { replay } = explorer, done = () => explorer.step >= replay.rows && explorer.phase === "backup";
    clearInterval(this.timer);
    this.timer = 0;
    if (on && replay.rows) {
      if (done()) explorer.go(0, "backup");
      this.timer = setInterval(() => guard(explorer.root, () => {
        if (explorer.step >= explorer.replay.rows && explorer.phase === "backup") return this.play(false);
        return this.speed === "very fast" ? explorer.leap(1) : explorer.move(1);
      }), SPEEDS[this.speed]);
    }
    if (this.seen === this.playing) return;
    this.seen = this.playing;
    const button = explorer.root.querySelector('[data-do="play"]');
    button.querySelector("path").setAttribute("d", ICONS[this.playing ? "pause" : "play"]);
    button.querySelector("span").textContent = this.playing ? "pause" : "play";
    button.setAttribute("aria-label", this.playing ? "Pause" : "Play");
  }

  // In evaluate the rollout plays out, stone by stone; redraw() after each.
  roll(stones, redraw) {
    clearTimeout(this.rolling);
    this.stones = stones;
    this.played = this.explorer.still.matches || SPEEDS[this.speed] < 300 ? stones.length : Math.min(1, stones.length);
    const pace = Math.min(160, (SPEEDS[this.speed] * (this.playing ? 0.75 : 2)) / Math.max(1, stones.length));
    const next = () => {
      if (this.played >= stones.length) return;
      this.played++;
      redraw();
      this.rolling = setTimeout(next, pace);
    };
    if (this.played < stones.length) this.rolling = setTimeout(next, pace);
  }

  close() {
    clearInterval(this.timer);
    clearTimeout(this.rolling);
  }
}
