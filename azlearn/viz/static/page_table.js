// The play table in a page. It does what azlearn.viz.PlayTable does; the opponent is a search in a worker.

import { readMoves } from "./finder.js";
import { Game } from "./page_game.js";
import { PageModel, loaded, startWorker } from "./page_model.js";
import { signed } from "./paint.js";

const percent = share => (share > 0 && share < 0.005 ? "<1%" : `${Math.floor(100 * share + 0.5)}%`);

export class TableModel extends PageModel {
  // state: {about, labels, names, you, opponent, levels, level, search}, as azlearn.viz.page_table writes them; engine: as
  // for PageModel.
  constructor(state, engine) {
    super({ ...state, progress: -1, explorer: null }, engine);
    this.game = new Game(engine.games[state.search.game]());
    Object.assign(this, { you: state.you, level: state.level, seed: state.seed, heard_: 0, error: "", wants: false });
    this.line = [];                        // {action, state, report}: every move of the game, played or still to follow
    this.at = 0;                           // how many of them are played
    const { network } = state.search.evaluate;
    if (network) loaded(engine, network).catch(() => {});        // it is there when the reader has moved
    this.proceed();
  }

  get position() {
    return this.at ? this.line[this.at - 1].state : this.game.initial;
  }

  // The result for `you`; null while the game goes on.
  get result() {
    const outcome = this.game.outcome(this.position);
    return outcome === null ? null : this.game.toPlay(this.position) === this.you ? outcome : -outcome;
  }

  get isYours() {
    return this.game.toPlay(this.position) === this.you;
  }

  get report() {
    const found = this.line.slice(0, this.at).filter(move => move.report);
    return found.length ? found[found.length - 1].report : null;
  }

  // Handles a message of the table, after the table has shown that it waits.
  send(content) {
    queueMicrotask(() => this.answer(content));
  }

  answer(content) {
    const tasks = {
      play: () => this.isYours && this.result === null && this.push(content.action), load: () => this.load(content.moves), new: () => this.load(""),
      swap: () => { this.you = 1 - this.you; }, back: () => this.takeBack(), retry: () => {},
      go: () => { this.at = Math.max(0, Math.min(content.at, this.line.length)); }, stop: () => this.stop(),
      level: () => { this.level = content.value; }, think: () => { this.wants = !this.wants; }, open: () => {},
    };
    this.heard_++;
    if (!tasks[content.do]) return;
    const changes = ["play", "load", "new", "swap", "back", "retry", "go"].includes(content.do);
    this.error = "";
    if (changes) {
      this.cancel();
      this.waits = content.do === "go";
    }
    tasks[content.do]();
    if (changes) this.proceed();
    else this.show();
  }

  push(action, report = null) {
    const state = this.game.play(this.position, action), next = this.line[this.at];
    if (!next || next.action !== action) this.line = [...this.line.slice(0, this.at), { action, state, report: null }];
    this.line[this.at].report = report;
    this.at++;
  }

  takeBack() {
    for (let keep = this.at - 1; keep >= 0; keep--) {
      const state = keep ? this.line[keep - 1].state : this.game.initial;
      if (this.game.toPlay(state) === this.you) {
        this.line = this.line.slice(0, keep);
        this.at = keep;
        return;
      }
    }
  }

  // Loads another game; if a move is impossible, the present game is kept.
  load(text) {
    const { words, moves, problem } = readMoves({ game: this.state.about }, text), before = [this.line, this.at];
    this.error = problem;
    if (problem) return;
    [this.line, this.at] = [[], 0];
    for (const [k, action] of moves.entries()) {
      if (!this.game.legal(this.position).includes(action)) {
        [this.line, this.at] = before;
        this.error = `Move ${k + 1} (${words[k]}) is illegal there.`;
        return;
      }
      this.push(action);
    }
  }

  // The opponent's turn.

  proceed() {
    if (this.result === null && !this.isYours && !this.waits) this.ask();
    this.show();
  }

  ask() {
    const { state } = this, position = this.position, worker = (this.running ||= startWorker(this.engine, state.search.game));
    this.thinking = true;
    this.state.progress = -1;
    worker.onmessage = ({ data }) => {
      if ("progress" in data) return this.set("progress", data.progress);
      this.thinking = this.stopping = false;
      if (data.error) return this.fail(data.error);
      const first = this.game.toPlay(position) === 0, { root } = data;
      const q = root.W[data.best] / root.N[data.best];
      this.push(data.best, { state: position, action: data.best, visits: root.N, value: first ? q : -q, record: data.record });
      return this.proceed();
    };
    worker.onerror = event => {
      event.preventDefault();
      this.cancel();
      this.fail(event.message);
    };
    const job = { state: position.map(String), about: state.about, simulations: this.level, seed: this.seed + this.at, keep: true };
    this.start(worker, search => ({ ...search, ...job }), why => this.fail(why));
  }

  fail(why) {
    this.cancel();
    this.error = `${this.state.opponent} could not move (${why}). Your game is kept: let it try again, take back a move or swap sides.`;
    this.show();
  }

  stop() {
    if (!this.thinking) return;
    if (this.stopping) return void this.fail("it was interrupted");
    this.stopping = true;
    this.running.postMessage({ do: "stop" });
  }

  cancel() {
    if (this.thinking) this.close();
    this.thinking = this.stopping = false;
  }

  // What the table draws.

  show() {
    const record = this.wants && this.report ? this.report.record : null;
    if (!this.report) this.wants = false;
    this.take({ view: this.view(), progress: this.thinking ? this.state.progress : -1, explorer: record });
  }

  view() {
    const { state, game, position, you, at, thinking } = this, { about, labels } = state, isOver = this.result !== null, played = this.line.slice(0, at);
    const legal = game.legal(position), cells = game.cells(position), moves = played.map(move => labels[move.action]);
    const marks = legal.map(a => game.footprint(a, game.toPlay(position), cells, game.cells(game.play(position, a))));
    const last = at ? this.mark(at - 1) : [-1, -1], [winner, ended] = this.ending(false);
    return {
      game: about, cells, last: last[1], left: last[0], line: game.highlights(position, cells), owners: "", taken: [],
      pass: legal.find(a => labels[a] === "pass") ?? -1,
      passed: at && last[1] < 0 && labels[played[at - 1].action] === "pass" ? game.toPlay(this.before(at - 1)) : -1,
      lands: marks.map(([, cell]) => cell), starts: marks.map(([from]) => from), names: state.names,
      legal, labels, mover: game.toPlay(position), yours: !isOver && !thinking && this.isYours, thinking: Boolean(thinking), stopping: Boolean(this.stopping),
      can_stop: true, over: isOver, you, alone: false, opponent: state.opponent, say: this.sentence(), preparing: "",
      result: ended ? { winner, text: ended } : null, moves: moves.join(" "), text: moves.join(labels.every(l => l.length === 1) ? "" : " "), error: this.error,
      turn: at, of: this.line.length, waits: Boolean(this.waits) && !isOver && !this.isYours, heard: this.heard_, expects: true, searches: true, solves: false,
      opinion: this.opinion(), visits: this.visits(), why: Boolean(this.report && this.report.record), best: null, level: { now: this.level, steps: state.levels },
    };
  }

  before(k) {
    return k ? this.line[k - 1].state : this.game.initial;
  }

  // Where move k began and ended.
  mark(k) {
    const { game } = this, before = this.before(k), { action, state } = this.line[k];
    return game.footprint(action, game.toPlay(before), game.cells(before), game.cells(state));
  }

  stone(side) {
    return this.state.about.drawing.marks[side];
  }

  // The winner, 0, 1, or -1 for a draw, and who has won.
  ending(hasMark) {
    const { result, you } = this;
    if (result === null) return [-1, ""];
    if (result === 0) return [-1, "A draw"];
    const winner = result > 0 ? you : 1 - you, [who, have] = winner === you ? ["You", "have"] : [this.state.opponent, "has"];
    return [winner, `${who}${hasMark ? ` (${this.stone(winner)})` : ""} ${have} won`];
  }

  sentence() {
    const { you, at, line } = this, name = this.state.opponent, theirs = this.stone(1 - you);
    if (this.result !== null) return `${this.ending(true)[1]} after ${at} move${at === 1 ? "" : "s"}.`;
    const last = at ? this.state.labels[line[at - 1].action] : "";
    if (this.stopping) return `${name} (${theirs}) has been asked to move now.`;
    if (this.thinking) return `${name} (${theirs}) is thinking …`;
    if (!this.isYours) return `${name} (${theirs}) is to move${this.waits ? ": “Let it move”, or “Swap sides” to move for it." : "."}`;
    const played = at && line[at - 1].report ? `${name} played ${last}. ` : at ? `Last move: ${last}. ` : "";
    return `${played}Your turn: you are ${this.stone(you)}.`;
  }

  // The evaluation bar: a number for the first player, and in words who is ahead, and how far.
  opinion() {
    const { report, you } = this, name = this.state.opponent;
    if (!report) return null;
    const { value } = report, size = Math.abs(value);
    const number = signed(value), side = size < 0.1 ? -1 : value > 0 ? 0 : 1;
    const far = size >= 0.8 ? "winning" : size >= 0.3 ? "ahead" : "a bit ahead";
    const label = side < 0 ? "about even" : side === you ? `you are ${far}` : `${name} is ${far}`;
    return { value: Number(value.toFixed(2)) + 0, number, text: `${name} expects ${number} for ${this.stone(0)}: ${label}`, side, label };
  }

  // Each move's share of the visits, where it would have landed.
  visits() {
    const { report, game } = this, { labels } = this.state;
    if (!report) return null;
    const total = report.visits.reduce((a, b) => a + b, 0), legal = game.legal(report.state), cells = game.cells(report.state), on = new Map();
    const share = a => report.visits[a] / total, ranked = legal.slice().sort((a, b) => share(b) - share(a));
    for (const a of legal) {
      const cell = game.footprint(a, game.toPlay(report.state), cells, game.cells(game.play(report.state, a)))[1];
      if (cell >= 0) on.set(cell, (on.get(cell) || 0) + share(a));
    }
    const listed = ranked.map(a => `${labels[a]}:\u00a0${percent(share(a))}`).join(", "), shares = [...on.values()];
    return {
      cells: [...on.keys()], shares, texts: shares.map(percent),
      text: `${this.state.opponent} chose ${labels[report.action]} after ${total.toLocaleString("en")} simulation${total === 1 ? "" : "s"}. Visits: ${listed}`,
    };
  }
}
