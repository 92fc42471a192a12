// From a record to the numbers at any moment of the search. Pure: no DOM, no drawing.

export const PHASES = ["select", "expand", "evaluate", "backup"];

export class Replay {
  constructor(record) {
    const nodes = record.nodes, steps = record.steps;
    this.record = record;
    this.parent = nodes.parent;
    this.action = nodes.action;
    this.toPlay = nodes.to_play;
    this.outcome = nodes.outcome;
    this.size = this.parent.length;
    this.rows = steps.leaf.length;
    this.kids = Array.from({ length: this.size }, () => []);
    this.depth = new Int32Array(this.size);
    for (let i = 1; i < this.size; i++) {
      this.kids[this.parent[i]].push(i);
      this.depth[i] = this.depth[this.parent[i]] + 1;
    }
    // opening[row]: first row of the row's simulation ("all" expansion: one row per new child).
    this.opening = new Int32Array(this.rows);
    for (let r = 1; r < this.rows; r++) {
      this.opening[r] = steps.simulation[r] === steps.simulation[r - 1] ? this.opening[r - 1] : r;
    }
    // A tree kept from an earlier search brings visits of its own: they are there from the start.
    this.base = record.totals || null;
    this.born = new Int32Array(this.size).fill(-1);
    if (!this.base) this.born.fill(this.rows, 1);
    for (let r = this.rows - 1; r >= 0; r--) {
      for (let i = steps.leaf[r]; i > 0; i = this.parent[i]) {
        if (!this.base || !this.base.visit_counts[i]) this.born[i] = this.opening[r];
      }
    }
    this.N = new Float64Array(this.size);
    this.W = new Float64Array(this.size);
    this.boards = new Map();
    this.rewind();
  }

  rewind() {
    this.N.fill(0);
    this.W.fill(0);
    if (this.base) {
      this.N.set(this.base.visit_counts);
      this.W.set(this.base.value_sum.map(w => w ?? NaN));
    }
    this.at = 0;
  }

  // Node ids from the root to node i, both included.
  path(i) {
    const ids = [];
    for (; i > 0; i = this.parent[i]) ids.push(i);
    ids.push(0);
    return ids.reverse();
  }

  // What row adds to W of each edge on its path, root first; edge k leads into path[k + 1].
  // JSON has no NaN: null stands for it, and must not count as 0.
  changes(row) {
    const { leaf, value, change } = this.record.steps, end = leaf[row], v = value[row] ?? NaN;
    if (change && change[row]) return change[row].map(w => w ?? NaN);
    return this.path(end).slice(0, -1).map(i => (this.toPlay[i] === this.toPlay[end] ? v : -v));
  }

  // What a row adds to N of each edge on its path: 1, unless the search did something odd.
  visits(row, k) {
    const { visits } = this.record.steps;
    return visits && visits[row] ? visits[row][k] : 1;
  }

  // Sets N and W to what they were after the first `rows` rows.
  seek(rows) {
    if (!this.rows || rows === this.at) return;
    if (rows < this.at) this.rewind();
    for (let r = this.at; r < rows; r++) {
      const add = this.changes(r);
      let i = this.record.steps.leaf[r];
      this.N[0]++;
      for (let k = add.length - 1; k >= 0; k--, i = this.parent[i]) {
        this.N[i] += this.visits(r, k);
        this.W[i] += add[k];
      }
    }
    this.at = rows;
  }

  // The node behind a move of node i, or -1.
  child(i, action) {
    const k = this.kids[i].find(kid => this.action[kid] === action);
    return k === undefined ? -1 : k;
  }

  // Visits that went through the moves of node i.
  total(i) {
    return this.kids[i].reduce((sum, k) => sum + this.N[k], 0);
  }

  // Mean value of the move into node i: for the player who made it ("mover") or for the first player.
  q(i, view = "mover") {
    if (i === 0) {
      const w = this.kids[0].reduce((sum, k) => sum + this.W[k], 0), n = this.total(0);
      return n && !Number.isNaN(w) ? (view === "first" && this.toPlay[0] === 1 ? -w : w) / n : null;
    }
    if (!this.N[i] || Number.isNaN(this.W[i])) return null;
    const mean = this.W[i] / this.N[i];
    return view === "first" && this.toPlay[this.parent[i]] === 1 ? -mean : mean;
  }

  prior(i) {
    const all = this.record.nodes.prior;
    return all ? all[i] : null;
  }

  // The statistics of every legal move of node i, as its selection rule sees them now.
  // scores: the recorded scores of this node, for a rule that cannot be recomputed here.
  moves(i, scores = null) {
    const rule = this.record.rule, total = this.total(i), prior = this.prior(i);
    const child = new Map(this.kids[i].map(k => [this.action[k], k]));
    return this.record.nodes.legal[i].map(action => {
      const k = child.has(action) ? child.get(action) : -1;
      const n = k < 0 ? 0 : this.N[k], w = k < 0 ? 0 : this.W[k];
      const q = n ? w / n : null;
      let u = null, score = null;
      if (rule.name === "uct") {
        u = n ? rule.c * Math.sqrt(Math.log(total) / n) : Infinity;
        score = n ? q + u : Infinity;
      } else if (scores) {      // JSON has no infinity: null stands for it
        score = scores[action] === null ? Infinity : scores[action];
        u = q === null || score === null ? null : score - q;
      }
      return { action, child: k, n, w, q, u, p: prior ? prior[action] : null, score };
    });
  }

  // Recorded scores of path node k before `row`, or null.
  scores(row, k) {
    const all = this.record.steps.scores;
    return all && all[row] ? all[row][k] ?? null : null;
  }

  // The stones at node i, row-major from the top: 0 empty, 1 first player, 2 second.
  cells(i) {
    if (!this.boards.has(i)) {
      const cells = i === 0 ? (this.record.root.cells || []).slice() : this.cells(this.parent[i]).slice();
      const cell = this.record.nodes.cell[i];
      if (i > 0 && cell >= 0) cells[cell] = this.toPlay[this.parent[i]] + 1;
      this.boards.set(i, cells);
    }
    return this.boards.get(i);
  }

  // Cells and players of the rollout of a row, in order.
  rollout(row) {
    const text = (this.record.steps.rollout || [])[row] || "";
    let player = this.toPlay[this.record.steps.leaf[row]];
    return Array.from(text, ch => {
      const stone = { cell: ch.codePointAt(0) - 48, player };
      player = 1 - player;
      return stone;
    });
  }

  // The phases worth a step in a row; later children of one expansion share select and expand.
  phases(row) {
    return this.opening[row] === row ? PHASES : PHASES.slice(2);
  }

  // The row of the same simulation that has the phase.
  rowOf(phase, row) {
    return this.phases(row).includes(phase) ? row : this.opening[row];
  }

  // Most visited line from the root, by the visits that count(i) gives.
  principal(count = i => this.N[i]) {
    const line = new Set([0]);
    for (let i = 0; ;) {
      let best = -1;
      for (const k of this.kids[i]) {
        const more = best < 0 ? count(k) : count(k) - count(best);
        if (more > 0 || (more === 0 && best >= 0 && this.action[k] < this.action[best])) best = k;
      }
      if (best < 0) return line;
      line.add(best);
      i = best;
    }
  }

  label(i) {
    return i === 0 ? "root" : moveLabel(this.record, this.action[i]);
  }
}

export function moveLabel(record, action) {
  const labels = record.game.labels;
  return labels && labels[action] !== undefined ? String(labels[action]) : String(action + 1);
}

// The move with the highest score (the first of equals), or null.
export function winner(moves) {
  let best = null;
  for (const m of moves) if (m.score !== null && (best === null || m.score > best.score)) best = m;
  return best;
}

// A sentence about what is wrong with a record, or "".
export function complaint(record) {
  if (!record || typeof record !== "object" || !record.nodes) return "This explorer was given no recorded search.";
  if (!record.nodes.parent || !record.nodes.parent.length) return "This record has no nodes: the search never started.";
  if (!record.steps || !record.steps.leaf) return "This record has no steps, so there is nothing to draw.";
  if (!record.steps.leaf.length && !record.totals) return "This search ran no simulations: there is no tree yet.";
  return "";
}
