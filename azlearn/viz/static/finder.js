// Finds a node by its moves, filters nodes, and copies the moves of a node.

import { moveLabel } from "./replay.js";
import { guard, toClipboard } from "./widget_common.js";

// The labels of the actions; whether each is one character, so that "445" is three of them.
function labels(record) {
  const all = Array.from({ length: record.game.num_actions }, (_, a) => moveLabel(record, a));
  return { all, short: all.every(l => l.length === 1) };
}

export const writeMoves = (record, moves) => moves.map(a => moveLabel(record, a)).join(labels(record).short ? "" : " ");

// The words and the actions of a text, and a sentence if one of the words is no move.
export function readMoves(record, text) {
  const { all, short } = labels(record), lower = all.map(label => label.toLowerCase());
  const find = w => (all.includes(w) || new Set(lower).size < all.length ? all.indexOf(w) : lower.indexOf(w.toLowerCase()));
  const words = text.trim().split(/[\s,]+/).filter(Boolean).flatMap(w => (find(w) >= 0 || !short ? [w] : [...w]));
  const odd = words.find(w => find(w) < 0);
  const problem = odd === undefined ? "" : `“${odd}” is not a move; moves are ${all[0]} to ${all[all.length - 1]}.`;
  return { words, moves: words.map(find), problem };
}

export class Finder {
  constructor(explorer) {
    this.x = explorer;
    const { root, $ } = explorer, find = $("find"), depth = $("depth"), least = $("least");
    find.addEventListener("keydown", e => {
      if (e.key === "Enter") guard(root, () => this.find(find.value));
    });
    depth.addEventListener("change", () => guard(root, () => explorer.sieve({ depth: Number(depth.value) || Infinity })));
    least.addEventListener("input", () => guard(root, () => explorer.sieve({ visits: Math.max(0, Number(least.value) || 0) })));
  }

  // Shows a text in the caption box, in place of its sentence; after `wait` milliseconds it shows
  // `later`. The copy next to the field is hidden from screen readers.
  tell(text, wait = 0, later = "") {
    clearTimeout(this.waiting);
    this.x.$("found").textContent = this.x.$("answer").textContent = text;
    this.x.root.classList.toggle("azl-telling", Boolean(text));
    if (wait) this.waiting = setTimeout(() => this.tell(later), wait);
  }

  clear() {
    for (const name of ["find", "depth", "least"]) this.x.$(name).value = "";
    this.tell("");
  }

  // Selects the node after these moves, given from the root or from the start of the game.
  find(text) {
    const { words, moves, problem } = readMoves(this.x.record, text), before = this.opening();
    if (problem || !words.length) return this.tell(problem);
    const rest = before && before.every((a, k) => moves[k] === a) ? moves.slice(before.length) : null;
    let way = this.walk(moves);
    if (way.length <= moves.length && rest) way = this.walk(rest);
    const wanted = rest && way.length > rest.length ? rest.length : moves.length, last = way[way.length - 1];
    if (way.length <= wanted) {
      const { replay } = this.x, known = way.slice(1).map(i => replay.label(i)).join(" ");
      const why = replay.more(last) ? "Not all nodes are loaded yet: open " : "The tree ends after ";
      return this.tell(`${words.join(" ")} is not in the tree. ${why}${known || "the root"}.`);
    }
    this.goTo(last);
    const { replay } = this.x, name = words.join(" "), joined = this.x.record.steps.simulation[replay.born[last]];
    this.tell(this.late ? `${name} joins the tree in simulation ${joined}, shown here.` : `${name}: selected.`);
    this.x.popover.close();
    this.x.$("tree").focus({ preventScroll: true });
  }

  // Pins a node. If it is not in the tree yet, goes to the moment when it joins.
  goTo(node) {
    const { x } = this, { replay, moment } = x;
    this.late = !replay.exists(node, moment.row, moment.phase);
    if (this.late) x.visit(replay.born[node] + 1, "expand", node, false);
    else x.select(node);
  }

  // The nodes from the root, as far as the tree contains the moves.
  walk(moves) {
    const { replay } = this.x, way = [0];
    for (const action of moves) {
      const k = replay.child(way[way.length - 1], action);
      if (k < 0) break;
      way.push(k);
    }
    return way;
  }

  // The actions from the start of the game to the root; null if unknown.
  opening() {
    const given = this.x.model.get("opening"), { cells } = this.x.record.root;
    if (Array.isArray(given)) return given;
    return cells && cells.length && cells.every(c => !c) ? [] : null;
  }

  // Copies the moves that lead to the node in the panel, in the game's notation.
  async copy() {
    const { replay, focus: selected, record } = this.x, before = this.opening();
    const line = replay.path(selected).slice(1).map(i => replay.action[i]);
    const text = writeMoves(record, [...(before || []), ...line]);
    const since = before ? "" : ", starting from the root";
    if (!text) return this.tell("Nothing to copy: this is the start of the game.");
    return this.tell((await toClipboard(text, this.x.root)) ? `Copied ${text}${since}.` : `The browser does not let this page copy. The moves are ${text}${since}.`);
  }
}
