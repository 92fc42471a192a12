// The play table: draws the view that Python sends, and sends back what was clicked.

import { board, crosses, drops, esc, mark, stone } from "./paint.js";
import { gameName, guard, watchTheme } from "./shell.js";

const SLOW = 6000;        // after this long without an answer, say so

class PlayTable {
  constructor(model, el) {
    this.model = model;
    this.root = document.createElement("div");
    this.root.className = "azl azl-play";
    this.root.innerHTML = `<div class="azl-table" data-part="table" tabindex="0" role="group" data-lm-suppress-shortcuts="true"></div>
<div class="azl-talk"><b data-part="title"></b><p data-part="say" aria-live="polite"></p><p class="azl-oops" data-part="error" role="alert"></p>
<p class="azl-quiet">moves <code data-part="moves"></code></p>
<div class="azl-acts"><button type="button" data-do="new">New game</button><button type="button" data-do="back">Take back</button><button type="button" data-do="swap">Swap sides</button><button type="button" data-do="retry" hidden>Try again</button></div>
<p class="azl-quiet" data-part="help"></p></div>`;
    for (const b of this.root.querySelectorAll("button")) b.setAttribute("data-lm-suppress-shortcuts", "true");
    el.append(this.root);
    this.$ = name => this.root.querySelector(`[data-part="${name}"]`);
    this.cursor = -1;
    this.heard = () => guard(this.root, () => this.show());
    model.on("change:view", this.heard);
    this.root.addEventListener("click", e => guard(this.root, () => this.click(e)));
    this.root.addEventListener("keydown", e => guard(this.root, () => this.key(e)));
    this.unwatch = watchTheme(this.heard);
    this.show();
  }

  close() {
    this.model.off("change:view", this.heard);
    clearTimeout(this.waiting);
    this.unwatch();
  }

  send(what) {
    this.model.send(what);
    this.$("say").textContent = "…";
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      this.$("say").textContent = "No answer from Python yet. It may be busy with another cell, or the kernel may have stopped.";
    }, SLOW);
  }

  click(e) {
    const action = e.target.closest("[data-action]"), act = e.target.closest("[data-do]");
    if (action) this.move(Number(action.dataset.action));
    else if (act) this.send({ do: act.dataset.do });
  }

  move(action) {
    const { view } = this;
    if (!view.yours) return;
    if (view.legal.includes(action)) this.send({ do: "play", action });
    else this.$("say").textContent = `${view.labels[action]} is not possible here.`;
  }

  key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey || e.target.tagName === "BUTTON") return;
    const { view } = this, { rows, cols, num_actions } = view.game, falls = drops(view.game);
    const digit = "123456789".indexOf(e.key), at = this.cursor < 0 ? (falls ? cols >> 1 : (rows >> 1) * cols + (cols >> 1)) : this.cursor;
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: falls ? 0 : -cols, ArrowDown: falls ? 0 : cols }[e.key];
    if (step !== undefined) this.point(Math.max(0, Math.min(num_actions - 1, this.cursor < 0 ? at : at + step)));
    else if (e.key === "Enter" || e.key === " ") this.move(at);
    else if (digit >= 0 && digit < num_actions && e.key.length === 1) this.move(digit);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  // Moves the keyboard's cursor.
  point(action) {
    this.cursor = action;
    this.show();
    const landing = this.view.legal.includes(action) ? "" : ", not possible";
    this.$("table").setAttribute("aria-label", `${gameName(this.view.game)} board, at ${this.view.labels[action]}${landing}. Enter plays.`);
  }

  show() {
    const view = this.model.get("view");
    if (!view || !view.game) return;
    clearTimeout(this.waiting);
    this.view = view;
    this.$("table").innerHTML = view.game.rows ? this.board(view) : this.buttons(view);
    if (this.cursor < 0) this.$("table").setAttribute("aria-label", `${gameName(view.game)} board. ${view.say} Arrow keys and Enter, or a number, play.`);
    this.$("title").textContent = `You ${mark(view.game, view.you)} against ${view.opponent} ${mark(view.game, 1 - view.you)}`;
    if (this.$("say").textContent !== view.say) this.$("say").textContent = view.say;
    this.$("error").textContent = view.error;
    this.$("moves").textContent = view.moves || "none yet";
    const many = Math.min(9, view.game.num_actions);
    this.$("help").textContent = `Click ${!view.game.rows ? "a button" : drops(view.game) ? "a column" : "a cell"}, or focus the board and press 1 to ${many}, or arrows and Enter.`;
    this.root.querySelector('[data-do="retry"]').hidden = !(view.error && !view.yours && !view.over);
    this.root.querySelector('[data-do="back"]').disabled = !view.turn;
    this.root.dataset.turn = view.turn;
    this.root.dataset.ready = "1";
  }

  buttons(view) {
    return view.legal.map(a => `<button type="button" data-action="${a}">${esc(view.labels[a])}</button>`).join(" ");
  }

  board(view) {
    const { game, cells, last, line } = view, { rows, cols } = game, falls = drops(game);
    const cell = rows < 4 ? 74 : 46, w = cols * cell, h = rows * cell, top = falls ? 22 : 2, out = [];
    out.push(board(game, cells, 0, 0, cell, { last: line.length ? -1 : last, line }));
    view.legal.forEach((a, k) => {
      const i = view.lands[k], x = (i % cols + 0.5) * cell, y = (Math.floor(i / cols) + 0.5) * cell;
      if (view.yours) out.push(`<g class="azl-ghost${this.cursor === a ? " azl-here" : ""}" data-ghost="${a}">${stone(game, view.you, x, y, cell)}</g>`);
    });
    for (let a = 0; a < game.num_actions; a++) {
      const x = falls ? a * cell : (a % cols) * cell, y = falls ? -top : Math.floor(a / cols) * cell;
      const can = view.yours && view.legal.includes(a);
      if (falls) out.push(`<text class="azl-col" x="${x + cell / 2}" y="-8" text-anchor="middle">${esc(view.labels[a])}</text>`);
      out.push(`<rect class="azl-hit${can ? " azl-can" : ""}${this.cursor === a ? " azl-here" : ""}" data-action="${a}" x="${x + 1}" y="${y + 1}" width="${cell - 2}" height="${(falls ? h + top : cell) - 2}" rx="8"><title>${esc(view.labels[a])}</title></rect>`);
    }
    return `<svg class="azl-grid${crosses(game) ? " azl-lines" : ""}" viewBox="-3 ${-top - 1} ${w + 6} ${h + top + 4}" width="${w + 6}" height="${h + top + 4}" aria-hidden="true">${out.join("")}</svg>`;
  }
}

function render({ model, el }) {
  const table = guard(el, () => new PlayTable(model, el));
  return () => table && table.close();
}

export default { render };
