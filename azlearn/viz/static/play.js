// The play table: draws the view that Python sends, and sends the player's clicks back.

import { html, put } from "./dom.js";
import { Kernel } from "./kernel.js";
import { drops, mark, palette, stoneName } from "./paint.js";
import { actionsAt, heldPiece, playBoard } from "./play_board.js";
import { lookBack } from "./play_review.js";
import { bowls, deskFrame, drawMeter, Level, moveButtons, ruling } from "./play_tools.js";
import { gameName, guard, toClipboard, watchTheme, withStones } from "./widget_common.js";

const SLOW = 6000;        // milliseconds without an answer until a message says so
const QUIET = ["stop", "best", "think", "level", "go", "review", "examine"];        // these do not change the game

// The position that each button goes to, from the position after `turn` of `of` moves.
const STEPS = { first: () => 0, earlier: turn => Math.max(0, turn - 1), later: (turn, of) => Math.min(of, turn + 1), last: (_, of) => of };
const KEYS = { Home: "first", PageUp: "earlier", PageDown: "later", End: "last" };

// Whether pieces move from cell to cell.
const hasPieces = view => view.starts.some(at => at >= 0);

// Whether moves are written 1, 2, 3, …, so that a digit plays one.
const hasDigits = view => view.labels[0] === "1" && !hasPieces(view);

// The content of a cell, in a word.
const content = ({ game, cells }, at) => (cells[at] === 1 || cells[at] === 2 ? stoneName(game, cells[at] - 1) : cells[at] ? "closed" : "empty");

export class PlayTable {
  constructor(model, el, host) {
    Object.assign(this, { model, host, cursor: -1, picked: -1, asked: [], hint: "", hot: false, text: null, open: null });
    this.root = deskFrame();
    el.append(this.root);
    this.$ = name => this.root.querySelector(`[data-part="${name}"]`);
    this.act = name => this.root.querySelector(`.azl-desk [data-do="${name}"]`);
    this.kernel = new Kernel(model, () => guard(el, () => this.show()));
    this.level = new Level(this.$("level"), value => this.send({ do: "level", value }));
    this.listen();
    this.changed();
    this.think();
    this.kernel.send({ do: "open" });
  }

  listen() {
    const { root, model } = this, safe = work => e => guard(root, () => work(e));
    this.heard = { view: safe(() => this.changed()), progress: safe(() => this.progress()), explorer: safe(() => this.think()) };
    for (const name in this.heard) model.on("change:" + name, this.heard[name]);
    root.querySelector(".azl-desk").addEventListener("click", safe(e => this.click(e)));
    this.$("table").addEventListener("keydown", safe(e => this.key(e)));
    this.$("load").addEventListener("submit", safe(e => {
      e.preventDefault();
      this.send({ do: "load", moves: this.$("moves").value });
    }));
    this.$("moves").addEventListener("keydown", e => {
      if (e.key === "Escape") this.$("moves").value = this.view.text;
      e.stopPropagation();
    });
    this.unwatch = watchTheme(this.heard.view);
  }

  close() {
    for (const name in this.heard) this.model.off("change:" + name, this.heard[name]);
    this.kernel.close();
    clearTimeout(this.waiting);
    clearTimeout(this.copied);
    if (this.open) this.open.abort();
    this.unwatch();
  }

  send(what) {
    clearTimeout(this.waiting);
    if (!this.kernel.send(what)) return;
    if (!QUIET.includes(what.do)) put(this.$("say"), "…");
    this.waiting = setTimeout(() => {
      put(this.$("say"), "No answer from Python yet. It may be busy with another cell, or the kernel may have stopped.");
    }, SLOW);
  }

  click(e) {
    const cell = e.target.closest("[data-at]"), action = e.target.closest("[data-action]"), act = e.target.closest("[data-do]");
    const ply = e.target.closest("[data-ply]"), examined = e.target.closest("[data-examine]");
    if (cell) return this.press(Number(cell.dataset.at));
    if (ply) return this.send({ do: "go", at: Number(ply.dataset.ply) });
    if (examined) return this.send({ do: "examine", at: Number(examined.dataset.examine) });
    if (action) return this.move(Number(action.dataset.action));
    if (!act) return undefined;
    const name = act.dataset.do;
    if (name === "heat") return this.warm();
    if (name === "copy") return this.copy();
    if (STEPS[name]) return this.step(name);
    return this.send({ do: name });
  }

  warm() {
    const solved = this.view.best && this.view.best.actions.length;
    if (solved) this.send({ do: "best" });        // the board shows either visits or solved moves
    this.hot = solved ? true : !this.hot;
    this.show();
  }

  step(name) {
    const { turn, of } = this.view, at = STEPS[name](turn, of);
    if (at !== turn) this.send({ do: "go", at });
  }

  async copy() {
    const field = this.$("moves"), done = await toClipboard(field.value, this.root), button = this.act("copy");
    if (!done) field.select();
    button.textContent = done ? "Copied" : "Press Ctrl+C";
    clearTimeout(this.copied);
    this.copied = setTimeout(() => { button.textContent = "Copy"; }, 1600);
  }

  move(action) {
    const { view } = this;
    if (!view.yours) return;
    if (view.legal.includes(action)) this.send({ do: "play", action });
    else put(this.$("say"), `${view.labels[action] || "That"} is not a legal move here.`);
  }

  // Called when a cell (or a column, if stones fall) is chosen: moves there, or picks up the piece there.
  press(at) {
    const { view, picked } = this, held = heldPiece(view, picked), found = actionsAt(view, at, held);
    if (!view.yours) return;
    if (found.length === 1) this.send({ do: "play", action: found[0] });
    else if (found.length) this.pick(picked, found);
    else if (at === picked) this.pick(-1);
    else if (view.starts.includes(at)) this.pick(at);
    else put(this.$("say"), this.refusal(at, held));
  }

  refusal(at, held) {
    const { view } = this, name = drops(view.game) ? view.labels[at] : view.names[at];
    if (held >= 0) return `The piece on ${view.names[held]} cannot go to ${name}.`;
    if (!hasPieces(view)) return `${name} is not a legal move here.`;
    return view.cells[at] === view.mover + 1 ? `The piece on ${name} cannot move.` : `First choose one of your pieces: you cannot play on ${name} alone.`;
  }

  // Picks up a piece, or puts it down (-1); `asked`: the actions to choose from if a click fits several.
  pick(at, asked = []) {
    const { view } = this, goes = view.names.filter((_, cell) => actionsAt(view, cell, at).length);
    const hint = asked.length ? "Which move? Choose below the board, or press Escape to go back." : at >= 0 ? `${view.names[at]} can go to ${goes.join(", ")}. Press Escape to put it down.` : "";
    Object.assign(this, { picked: at, asked, hint });
    this.show();
    if (asked.length && this.$("table").contains(document.activeElement)) this.$("table").querySelector(".azl-bowls button").focus({ preventScroll: true });
    else if (this.cursor >= 0) this.point(this.cursor);
  }

  // Called when the view changes. If the position is new, a picked-up piece is put down.
  changed() {
    const { text, turn, yours } = this.model.get("view") || {}, now = `${turn} ${yours} ${text}`;
    if (this.position !== now) Object.assign(this, { position: now, picked: -1, asked: [], hint: "" });
    this.show();
  }

  key(e) {
    if (e.key === "Escape" && (this.picked >= 0 || this.asked.length)) {
      if (this.asked.length) this.$("table").focus({ preventScroll: true });
      this.pick(this.asked.length ? this.picked : -1);
      e.preventDefault();
      e.stopPropagation();
      return;
    }
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === "BUTTON") return;
    const { view } = this, { rows, cols, num_actions } = view.game, falls = drops(view.game);
    const digit = "123456789".indexOf(e.key), at = this.cursor < 0 ? (falls ? cols >> 1 : (rows >> 1) * cols + (cols >> 1)) : this.cursor;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: falls ? 0 : -cols, ArrowDown: falls ? 0 : cols }[e.key];
    const spots = falls ? cols : rows * cols || num_actions;
    if (step !== undefined) this.point(Math.max(0, Math.min(spots - 1, this.cursor < 0 ? at : at + step)));
    else if (e.key === "Enter" || e.key === " ") rows ? this.press(at) : this.move(at);
    else if (digit >= 0 && digit < num_actions && hasDigits(view) && e.key.length === 1) this.move(digit);
    else if (KEYS[e.key] && view.of) this.step(KEYS[e.key]);
    else if (e.key.toLowerCase() === "p" && rows && view.pass >= 0) this.move(view.pass);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  // Moves the keyboard cursor, which is a column if stones fall, else a cell.
  point(at) {
    this.cursor = at;
    this.show();
    const { view } = this, { rows } = view.game;
    const where = !rows || drops(view.game) ? view.labels[at] : view.names[at];
    this.$("table").setAttribute("aria-label", `${gameName(view.game)} board, at ${where}${this.there(at)}`);
  }

  // Describes what Enter does at the cursor.
  there(at) {
    const { view, picked } = this, { rows } = view.game, held = heldPiece(view, picked);
    const can = rows ? actionsAt(view, at, held).length : view.legal.includes(at);
    if (!rows || !hasPieces(view)) return can ? ". Enter plays." : ", not legal.";
    const does = can ? (held < 0 ? "plays here" : `moves here from ${view.names[held]}`) : at === picked ? "puts it down" : view.starts.includes(at) ? "picks up this piece" : "";
    return `, ${content(view, at)}${does ? `. Enter ${does}.` : ", not legal."}`;
  }

  show() {
    const view = this.model.get("view");
    if (!view || !view.game) return;
    clearTimeout(this.waiting);
    this.view = view;
    const { $ } = this, write = (name, text) => {
      if ($(name).textContent !== text) $(name).textContent = text;
    };
    const inside = $("table").contains(document.activeElement), drawn = put($("table"), view.game.rows
      ? [playBoard(view, { cursor: this.cursor, held: heldPiece(view, this.picked), hot: this.hot, colors: palette(this.root) }), bowls(view, this.asked)]
      : html`<div class="azl-moves">${moveButtons(view, view.legal)}</div>`);
    if (drawn && inside) $("table").focus({ preventScroll: true });        // the button that had the focus may be gone
    if (this.cursor < 0) $("table").setAttribute("aria-label", `${gameName(view.game)} board. ${view.say} Play with the arrow keys and Enter${hasDigits(view) ? ", or with a number" : ""}.`);
    drawMeter($, view);
    const [first, second] = [mark(view.game, 0), mark(view.game, 1)];
    put($("title"), withStones(view.alone ? `Two people: ${first} and ${second}` : `You ${mark(view.game, view.you)} against ${view.opponent} ${mark(view.game, 1 - view.you)}`, view.game));
    put($("say"), this.kernel.trouble || withStones(this.hint || view.say, view.game));
    write("preparing", view.preparing);
    const focused = $("verdict").contains(document.activeElement);
    if (put($("verdict"), ruling(view)) && focused) $("table").focus({ preventScroll: true });        // the focused "Play again" is gone
    write("error", view.error);
    put($("told"), withStones(this.told(), view.game));
    put($("review"), view.review ? lookBack(view) : "");
    if (this.text !== view.text) $("moves").value = this.text = view.text;
    const many = Math.min(9, view.game.num_actions);
    write("help", `Click ${!view.game.rows ? "a button" : drops(view.game) ? "a column" : hasPieces(view) ? "a piece, then where it goes" : "a cell"}, or focus the board and press ${hasDigits(view) ? `1 to ${many}, or ` : ""}the arrow keys and Enter.${view.game.rows && view.labels.includes("pass") ? " P passes." : ""}`);
    this.level.show(view.level);
    this.buttons();
    this.progress();
    Object.assign(this.root.dataset, { field: view.game.drawing.field, turn: view.turn, thinking: view.thinking, ready: "1" });
  }

  // The text about the position, or about the opponent's last move.
  told() {
    const { best, visits, opinion } = this.view;
    if (best) return best.text;
    if (this.hot && visits) return `${visits.text}.`;
    return opinion ? `${opinion.text}.` : "";
  }

  buttons() {
    const { view } = this, had = document.activeElement;
    const set = (name, state) => Object.assign(this.act(name), state);
    set("retry", { hidden: !(view.waits || (view.error && !view.yours && !view.over && !view.thinking)), textContent: view.waits ? "Let it move" : "Try again" });
    this.$("steps").hidden = !view.of;
    for (const name in STEPS) set(name, { disabled: STEPS[name](view.turn, view.of) === view.turn });
    put(this.$("at"), `move ${view.turn} of ${view.of}`);
    set("stop", { hidden: view.alone, disabled: !view.thinking, textContent: view.stopping ? "Give up waiting" : "Stop" });
    set("stop", { title: view.can_stop && !view.stopping ? "The opponent moves now, with what it has found so far" : "Cancel the opponent’s move; your game is kept" });
    set("back", { disabled: !view.turn });
    set("swap", { hidden: view.alone });
    set("best", { hidden: view.solves === false, disabled: view.over || view.thinking });
    set("heat", { hidden: !view.searches, disabled: !view.visits });
    set("think", { hidden: !view.searches, disabled: !view.why && !this.open });
    set("review", { hidden: !view.review || !view.of, disabled: view.thinking });
    this.act("review").setAttribute("aria-pressed", Boolean(view.review && view.review.text));
    this.act("best").setAttribute("aria-pressed", Boolean(view.best));
    this.act("heat").setAttribute("aria-pressed", Boolean(this.hot && view.visits && !(view.best && view.best.actions.length)));
    this.act("stop").classList.toggle("azl-idle", !view.thinking);
    // A button that disappears loses the keyboard focus, so the board takes it.
    if (this.root.contains(had) && had.tagName === "BUTTON" && (had.disabled || had.hidden)) this.$("table").focus({ preventScroll: true });
  }

  progress() {
    const bar = this.$("wait"), share = this.model.get("progress"), known = share >= 0, thinking = this.view.thinking && !this.kernel.trouble;
    bar.classList.toggle("azl-on", thinking);
    bar.classList.toggle("azl-unknown", !known);
    bar.setAttribute("aria-hidden", !thinking);
    bar.firstElementChild.style.width = known ? `${100 * share}%` : "";
    if (known) bar.setAttribute("aria-valuenow", Math.round(100 * share));
    else bar.removeAttribute("aria-valuenow");
    if (this.view.thinking) clearTimeout(this.waiting);
  }

  // Opens or closes the explorer that Python made of the opponent's search.
  async think() {
    const ref = this.model.get("explorer"), slot = this.$("thoughts");
    if (this.open) this.open.abort();
    slot.replaceChildren();
    this.open = ref ? new AbortController() : null;
    this.act("think").setAttribute("aria-expanded", Boolean(ref));
    clearTimeout(this.waiting);
    if (this.view) this.buttons();
    if (!ref) return;
    const { signal } = this.open;
    try {
      const widget = await this.host.getWidget(ref);
      if (!signal.aborted) await widget.render({ el: slot, signal });
    } catch (error) {
      if (signal.aborted) return;
      console.error(error);
      slot.textContent = "The explorer cannot open inside the table here. Run table.thinking() in a separate cell.";
    }
  }
}
