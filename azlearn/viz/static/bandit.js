// A row of slot machines to pull by hand, and UCB1 at the same machines beside it.

import { Game, played, trueMeans } from "./arms.js";
import { scale, scaleTop, track } from "./arm_card.js";
import { chart, sample } from "./regret_chart.js";
import { element, html, put } from "./dom.js";
import { num, signed, thousands } from "./paint.js";
import { guard } from "./widget_common.js";

const MATCH = 50;           // pulls until the true means are shown
const BLOCK = 10;           // pulls from one point of the lines to the next, until then
const LOAN = 100;           // pulls that UCB1 makes when it takes over
const LOAN_TIME = 2400;     // milliseconds in which they are shown
const ROOT2 = Math.SQRT2;
const STOPS = [0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, ROOT2, 2, 2 * ROOT2, 4, 6, 8];
const NAMES = { you: "you", ucb1: "UCB1", uniform: "uniform" };
const ROWS = { n: "N", q: "Q", score: "Q + U", truth: html`true<i> mean</i>`, theirs: html`UCB1<i>’s N</i>` };
const WORDS = ["Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];
const HOT = { "data-lm-suppress-shortcuts": "true" };

let counter = 0;

const cText = c => (c === ROOT2 ? "√2" : c === 2 * ROOT2 ? "2√2" : String(Number(c.toPrecision(3))));
const pullText = n => `${thousands(n)} pull${n === 1 ? "" : "s"}`;
const isCalm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

// Why the regret looks as it does, when there is enough of it; t: pulls.
function lesson(ucb1, uniform, t, c) {
  const half = Math.floor(t / 2), cost = (line, from, to) => line[to] - line[from];
  const early = cost(ucb1.regret, 0, half), late = cost(ucb1.regret, half, t), favorite = ucb1.N.indexOf(Math.max(...ucb1.N));
  const halves = `The first ${half} pulls cost UCB1 ${num(early, 1)}, the next ${t - half} cost ${num(late, 1)}. Uniform paid ${num(cost(uniform.regret, half, t), 1)} for those.`;
  if (late < 0.75 * early) return `${halves} A poor arm is pulled again only when its bonus has grown enough, and the logarithm in it grows ever more slowly. So does the regret.`;
  if (ucb1.means[favorite] < ucb1.best) return `${halves} With c = ${cText(c)}, UCB1’s favorite so far is arm ${favorite + 1}, which is not the best. Try another c.`;
  return `${halves} With c = ${cText(c)}, large bonuses still send it to poor arms. Move c, or let it play on.`;
}

class Bandit {
  constructor(model, el) {
    Object.assign(this, { model, id: `azl-bandit-${++counter}-${Math.random().toString(36).slice(2, 8)}`, width: 0 });
    this.build(el);
    this.observer = new ResizeObserver(() => guard(this.root, () => this.resize()));
    this.observer.observe(this.root);
    this.restart();
  }

  build(el) {
    const { id } = this, button = (name, text, more = {}) => html`<button type="button" data-do="${name}" ${HOT} ${more}>${text}</button>`;
    this.root = element(html`<div class="azl azl-bandit" tabindex="-1" ${HOT}>
<div class="azl-bandit-head"><b data-part="title"></b><span data-part="left"></span><span class="azl-b-soft" data-part="seed"></span></div>
<p class="azl-b-said" data-part="say" role="status"></p>
<div class="azl-bandit-body"><div class="azl-b-play-side">
<div class="azl-b-arms" role="group" data-part="arms"></div>
<div class="azl-b-buttons">${button("loan", `Let UCB1 take over for ${LOAN} pulls`)}${button("scores", "UCB1’s scores", { "aria-pressed": "false" })}${button("reveal", "Reveal")}${button("new", "New machines")}</div>
<div class="azl-b-c-row"><label for="${id}-c">c</label><input type="range" id="${id}-c" data-part="c" min="0" step="1" ${HOT}><output for="${id}-c" data-part="c-text"></output><span class="azl-b-soft azl-b-formula">score = Q + c <span aria-hidden="true">√(ln ΣN / N)</span><span class="azl-sr">times the square root of ln of all N, over N</span></span></div></div>
<div class="azl-b-regret-side"><div class="azl-b-legend"><b>regret</b><span class="azl-b-lines" data-part="legend"></span>${button("log", "log axis", { "aria-pressed": "false", hidden: true })}</div><div class="azl-b-chart-room"><div data-part="chart"></div><p class="azl-b-soft" data-part="wait"></p></div><p class="azl-b-soft" data-part="caption"></p></div></div></div>`);
    el.append(this.root);
    this.$ = name => this.root.querySelector(`[data-part="${name}"]`);
    this.act = name => this.root.querySelector(`[data-do="${name}"]`);
    const safe = work => e => guard(this.root, () => work(e));
    this.root.addEventListener("click", safe(e => this.click(e)));
    this.root.addEventListener("keydown", safe(e => this.key(e)));
    this.$("c").addEventListener("input", safe(() => this.turn()));
  }

  // Other machines, or the same from the start: what the model says.
  restart(seed = this.model.get("seed")) {
    cancelAnimationFrame(this.frame);
    const numArms = this.model.get("num_arms"), c = this.model.get("c");
    Object.assign(this, { seed, c: this.c ?? c, means: trueMeans(numArms, seed), picks: [], loans: [], shown: 0, asked: false, isLog: false, sentence: "" });
    this.stops = [...new Set([...STOPS, c])].sort((a, b) => a - b);
    this.$("c").max = this.stops.length - 1;
    this.$("c").value = this.stops.indexOf(this.c);
    put(this.$("title"), `${WORDS[numArms - 2]} slot machines`);
    put(this.$("seed"), `seed ${seed}`);
    this.$("arms").setAttribute("aria-label", `Arms. Keys 1 to ${numArms} pull them.`);
    this.arms();
    this.show();
  }

  // The cards, in as many rows as the width needs.
  arms() {
    const numArms = this.means.length, perRow = this.width && this.width < 470 && numArms > 5 ? Math.ceil(numArms / 2) : numArms;
    if (this.perRow === perRow && this.cards && this.cards.length === numArms) return;
    this.perRow = perRow;
    const focused = this.cards ? this.cards.indexOf(document.activeElement) : -1;
    this.cards = this.means.map((_, arm) => element(html`<button type="button" class="azl-b-arm" data-arm="${arm}" ${HOT}></button>`));
    const rows = [];
    for (let from = 0; from < numArms; from += perRow) {
      const row = element(html`<div class="azl-b-arm-row" style="--azl-columns:${perRow}"><div class="azl-b-row-names" aria-hidden="true"></div></div>`);
      row.append(...this.cards.slice(from, from + perRow));
      rows.push(row);
    }
    this.$("arms").replaceChildren(...rows);
    if (focused >= 0 && focused < numArms) this.cards[focused].focus({ preventScroll: true });
  }

  resize() {
    const width = this.root.clientWidth;
    if (!width || width === this.width) return;
    this.width = width;
    this.root.classList.toggle("azl-b-broad", width >= 780);
    this.arms();
    this.show();
  }

  click(e) {
    const arm = e.target.closest("[data-arm]"), act = e.target.closest("[data-do]");
    if (arm) return this.pull(Number(arm.dataset.arm));
    if (!act) return undefined;
    return { scores: () => this.score(), loan: () => this.lend(), reveal: () => this.reveal(), new: () => this.restart(this.seed + 1), log: () => this.log() }[act.dataset.do]();
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || !/^[1-9]$/.test(e.key) || Number(e.key) > this.means.length) return;
    e.preventDefault();
    this.pull(Number(e.key) - 1);
  }

  // The reader's game after the pulls that are shown.
  mine() {
    return played(this.means, this.seed, this.shown, (_, t) => this.picks[t]);
  }

  // Whatever is still being shown is there at once.
  settle() {
    cancelAnimationFrame(this.frame);
    this.shown = this.picks.length;
  }

  pull(arm) {
    this.settle();
    this.picks.push(arm);
    this.shown += 1;
    this.sentence = "";
    this.show(arm);
    if (isCalm()) return;
    const paid = this.cards[arm].querySelector(".azl-b-paid");
    paid.animate([{ transform: "translateY(-9px)", opacity: 0 }, { transform: "none", opacity: 1 }], { duration: 160, easing: "ease-out" });
  }

  // UCB1 goes on with the reader's N and W.
  lend() {
    this.settle();
    const game = this.mine(), from = this.shown;
    for (let k = 0; k < LOAN; k++) {
      const arm = game.ucb1(this.c);
      this.picks.push(arm);
      game.pull(arm);
    }
    this.loans.push([from, from + LOAN]);
    this.sentence = "";
    if (isCalm()) {
      this.settle();
      return this.show();
    }
    let start = null;
    const tick = now => guard(this.root, () => {
      start ??= now;
      const share = Math.min(1, (now - start) / LOAN_TIME);
      this.shown = from + Math.round(LOAN * share);
      this.show();
      if (share < 1) this.frame = requestAnimationFrame(tick);
    });
    this.frame = requestAnimationFrame(tick);
    return undefined;
  }

  // [first, last] pull of each stretch in which UCB1 played for the reader, within the first `known`.
  stretches(known) {
    const found = [];
    for (const [from, to] of this.loans.filter(loan => loan[0] < known)) {
      if (found.length && found.at(-1)[1] === from) found.at(-1)[1] = Math.min(to, known);
      else found.push([from, Math.min(to, known)]);
    }
    return found;
  }

  reveal() {
    if (this.isOver) return;
    this.settle();
    this.asked = true;
    this.sentence = "";
    this.show();
  }

  score() {
    this.scored = !this.scored;
    this.sentence = this.scored ? `The score is the mean Q plus the bonus U, the hatched bar. Here UCB1 would pull the highest: arm ${this.mine().ucb1(this.c) + 1}.` : "";
    this.show();
  }

  log() {
    this.isLog = !this.isLog;
    this.show();
  }

  // UCB1 plays its pulls again with another c.
  turn() {
    const c = this.stops[Number(this.$("c").value)], known = this.known(), game = played(this.means, this.seed, known, now => now.ucb1(c));
    this.c = c;
    this.sentence = known ? `With c = ${cText(c)}, UCB1’s regret after ${pullText(known)} is ${num(game.regret[known], 1)}.` : `UCB1 plays with c = ${cText(c)}.`;
    this.show();
  }

  get isOver() {
    return this.asked || this.shown >= MATCH;
  }

  // After how many pulls the regret is known.
  known() {
    return this.isOver ? this.shown : this.shown - (this.shown % BLOCK);
  }

  // Everything, after the pulls that are shown; arm: the one that has just been pulled by hand.
  show(arm = null) {
    if (!this.width) return;
    const { means, seed, shown, c } = this, mine = this.mine(), ucb1 = played(means, seed, shown, game => game.ucb1(c));
    const uniform = played(means, seed, shown, (_, t) => t % means.length);
    this.table(mine, ucb1, arm);
    this.chart({ you: mine, ucb1, uniform });
    put(this.$("left"), this.isOver ? pullText(shown) : `${shown} of ${MATCH} pulls`);
    put(this.$("say"), this.sentence || this.told(mine, ucb1, arm));
    this.$("say").setAttribute("aria-live", shown < this.picks.length ? "off" : "polite");
    put(this.$("c-text"), cText(c));
    this.$("c").setAttribute("aria-valuetext", `c = ${cText(c)}`);
    this.act("scores").setAttribute("aria-pressed", Boolean(this.scored));
    this.act("reveal").setAttribute("aria-disabled", this.isOver);
    Object.assign(this.root.dataset, { pulls: shown, over: this.isOver, ready: "1" });
  }

  table(mine, ucb1, just) {
    const { means, c, isOver, scored } = this, scores = mine.scores(c), top = scored ? scaleTop(scores) : 1, next = mine.ucb1(c), best = means.indexOf(mine.best);
    const rows = ["n", "q", ...(scored ? ["score"] : []), ...(isOver ? ["truth", "theirs"] : [])];
    for (const names of this.root.querySelectorAll(".azl-b-row-names")) put(names, html`${scale(top)}${rows.map(row => html`<span>${ROWS[row]}</span>`)}`);
    this.cards.forEach((card, arm) => {
      const n = mine.N[arm], said = { n: thousands(n), q: n ? signed(mine.mean(arm)) : "–", score: num(scores[arm]), truth: signed(means[arm]), theirs: thousands(ucb1.N[arm]) };
      const bonus = scored ? mine.bonus(arm, c) : null, paid = mine.last[arm];
      const drawn = { mean: n ? mine.mean(arm) : NaN, bonus, lead: scored ? Math.max(...scores) : null, truth: isOver ? means[arm] : null, top, width: this.width < 560 || means.length > 6 ? 44 : 64, id: `${this.id}-${arm}` };
      put(card, html`<span class="azl-b-arm-name">${arm + 1}${isOver && arm === best ? html`<i>best</i>` : scored && arm === next ? html`<i>next</i>` : ""}</span><span class="azl-b-paid ${paid ? (paid > 0 ? "azl-b-won" : "azl-b-lost") : ""}">${paid ? signed(paid, 0) : ""}</span>${track(drawn)}${rows.map(row => html`<span class="azl-b-cell-${row}">${said[row]}</span>`)}`);
      card.classList.toggle("azl-b-just", arm === just);
      card.classList.toggle("azl-b-next", Boolean(scored) && arm === next);
      card.setAttribute("aria-label", [`Pull arm ${arm + 1}`, paid && `paid ${signed(paid, 0)} last`, pullText(n), n && `mean ${said.q}`, scored && `score ${n ? said.score : "infinite"}${arm === next ? ", the highest" : ""}`, isOver && `true mean ${said.truth}${arm === best ? ", the best" : ""}, UCB1 pulled it ${ucb1.N[arm]} times`].filter(Boolean).join(", "));
    });
  }

  chart(games) {
    const { shown, isOver } = this, known = this.known(), every = isOver ? 1 : BLOCK;
    const times = Array.from({ length: known / every + 1 }, (_, k) => k * every), isLong = isOver && shown >= 2 * MATCH, isLog = this.isLog && isLong;
    const lines = Object.fromEntries(Object.entries(games).map(([name, game]) => [name, game.regret]));
    put(this.$("legend"), Object.keys(NAMES).map(name => html`<span>${sample(name)}${NAMES[name]} <b data-regret="${name}">${known ? num(lines[name][known], 1) : ""}</b></span>`));
    this.act("log").hidden = !isLong;
    this.act("log").setAttribute("aria-pressed", isLog);
    const label = known ? `Regret after ${pullText(known)}: ${Object.keys(NAMES).map(name => `${NAMES[name]} ${num(lines[name][known], 1)}`).join(", ")}.` : "Regret over the pulls: no line yet.";
    const room = Math.max(220, this.$("chart").clientWidth);
    put(this.$("chart"), chart({ width: room, height: this.root.classList.contains("azl-b-broad") ? 270 : 220, lines, times, most: Math.max(MATCH, shown), byUCB1: this.stretches(known), isLog, label }));
    put(this.$("wait"), known ? "" : `The lines begin after ${BLOCK} pulls and grow every ${BLOCK}. Pull by pull, they would give away the best arm.`);
    put(this.$("caption"), this.caption(games, isLong, isLog));
  }

  caption({ ucb1, uniform }, isLong, isLog) {
    if (isLong) return `${lesson(ucb1, uniform, this.shown, this.c)}${isLog ? " On the log axis, logarithmic growth is a straight line, here in steps." : ""}`;
    if (this.isOver) return "Let UCB1 take over, and see which lines bend.";
    return "Regret is what the pulls have cost, compared with always pulling the best arm. UCB1 plays the same machines beside you; uniform pulls the arms in turn.";
  }

  // What has happened, in a sentence or two.
  told(mine, ucb1, arm) {
    const { shown, means } = this;
    if (this.isOver && shown) return this.result(mine, ucb1);
    if (this.isOver) return `Arm ${means.indexOf(mine.best) + 1} is the best: its mean is ${signed(mine.best)}.`;
    if (!shown) return `Each pull pays +1 or −1, and each arm has a mean of its own. Find the best arm, and lose as little as you can on the way. Click an arm; then keys 1 to ${means.length} work, too.`;
    const rest = MATCH - shown;
    if (arm === null) return `${pullText(rest)} left.`;
    return `Arm ${arm + 1} pays ${signed(mine.last[arm], 0)}. ${pullText(rest)} left.`;
  }

  result(mine, ucb1) {
    const { shown } = this, [yours, theirs] = [mine, ucb1].map(game => game.regret[shown]), lent = this.stretches(shown).reduce((sum, [from, to]) => sum + to - from, 0);
    const a = num(yours, 1), b = num(theirs, 1), best = mine.means.indexOf(mine.best), after = `after ${pullText(shown)}`;
    const share = `Arm ${best + 1} is the best: you gave it ${pullText(mine.N[best])}, UCB1 ${thousands(ucb1.N[best])}.`;
    if (lent) return `After ${pullText(shown)}, ${lent} of them by UCB1, your regret is ${a}. UCB1 alone has ${b}. ${share}`;
    const head = a === b ? `A draw: ${after}, both regrets are ${a}.` : yours < theirs ? `You beat UCB1: ${after}, your regret is ${a} and UCB1’s is ${b}.` : `UCB1 beats you: ${after}, its regret is ${b} and yours is ${a}.`;
    return `${head} ${share} ${this.advice(mine, best)}`;
  }

  advice(mine, best) {
    const favorite = mine.N.indexOf(Math.max(...mine.N)), skipped = mine.N.indexOf(0);
    if (skipped >= 0) return `You never pulled arm ${skipped + 1}: it might have been the best.`;
    if (mine.N[favorite] > mine.N[best]) return `You exploited arm ${favorite + 1} too early: more exploration would have shown you arm ${best + 1}.`;
    if (mine.N[best] < 0.4 * mine.pulls) return "You explored to the end: exploit the best-looking arm sooner.";
    return "You explored, then exploited what you had found.";
  }

  close() {
    cancelAnimationFrame(this.frame);
    this.observer.disconnect();
    this.root.remove();
  }
}

function render({ model, el }) {
  let shown = null;
  el.replaceChildren();
  guard(el, () => { shown = new Bandit(model, el); });
  const start = () => shown && guard(shown.root, () => {
    shown.c = model.get("c");
    shown.restart();
  });
  const events = ["num_arms", "seed", "c"].map(name => `change:${name}`);
  for (const event of events) model.on(event, start);
  return () => {
    for (const event of events) model.off(event, start);
    if (shown) shown.close();
  };
}

export default { render };
