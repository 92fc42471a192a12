// Computes the numbers at any moment of a search from its record. Pure: no DOM, no drawing.

export const PHASES = ["select", "expand", "evaluate", "backup"];
export const PHASE_NAMES = { select: "Select", expand: "Expand", evaluate: "Evaluate", backup: "Back up" };
const SNAPSHOTS = 32;      // number of saved copies of N and W, so that going back need not replay from the start

export class Replay {
  constructor(record) {
    const nodes = record.nodes, steps = record.steps;
    this.record = record;
    this.parent = nodes.parent;
    this.action = nodes.action;
    this.toPlay = nodes.to_play;
    this.outcome = nodes.outcome;
    this.proofs = nodes.proven || null;
    this.size = this.parent.length;
    this.rows = steps.leaf.length;
    this.kids = Array.from({ length: this.size }, () => []);
    this.depth = new Int32Array(this.size);
    for (let i = 1; i < this.size; i++) {
      this.kids[this.parent[i]].push(i);
      this.depth[i] = this.depth[this.parent[i]] + 1;
    }
    // opening[row]: first row of the same simulation ("all" expansion has one row per new child).
    this.opening = new Int32Array(this.rows);
    for (let r = 1; r < this.rows; r++) {
      this.opening[r] = steps.simulation[r] === steps.simulation[r - 1] ? this.opening[r - 1] : r;
    }
    // Visits of a tree kept from an earlier search are there from the start.
    this.base = record.totals || null;
    this.born = new Int32Array(this.size).fill(-1);
    if (!this.base) this.born.fill(this.rows, 1);
    // The evaluator's value of each node, for the player to move there.
    this.own = Float64Array.from({ length: this.size }, (_, i) => (nodes.value ? nodes.value[i] ?? NaN : NaN));
    for (let r = this.rows - 1; r >= 0; r--) {
      this.own[steps.leaf[r]] = steps.value[r] ?? NaN;
      for (let i = steps.leaf[r]; i > 0; i = this.parent[i]) {
        if (!this.base || !this.base.visit_counts[i]) this.born[i] = this.opening[r];
      }
    }
    this.own[0] = record.root.value ?? this.own[0];
    this.N = new Float64Array(this.size);
    this.W = new Float64Array(this.size);
    this.boards = new Map();
    this.stride = Math.max(256, Math.ceil(this.rows / SNAPSHOTS));
    this.saved = [];
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

  // Node ids from the root to node i, both inclusive.
  path(i) {
    const ids = [];
    for (; i > 0; i = this.parent[i]) ids.push(i);
    ids.push(0);
    return ids.reverse();
  }

  // What row adds to W of each edge on its path, root first; edge k leads into path[k + 1].
  // JSON has no NaN, so null stands for it and must not count as 0.
  changes(row) {
    const { leaf, value, change } = this.record.steps, end = leaf[row], v = value[row] ?? NaN;
    if (change && change[row]) return change[row].map(w => w ?? NaN);
    return this.path(end).slice(0, -1).map(i => (this.toPlay[i] === this.toPlay[end] ? v : -v));
  }

  // What a row adds to N of each edge on its path: 1 unless the record says otherwise.
  visits(row, k) {
    const { visits } = this.record.steps;
    return visits && visits[row] ? visits[row][k] : 1;
  }

  // Sets N and W to what they were after the first `rows` rows.
  seek(rows) {
    if (!this.rows || rows === this.at) return;
    const { stride, saved } = this, k = Math.min(Math.floor(rows / stride), saved.length) - 1;
    if (rows < this.at || (k >= 0 && (k + 1) * stride > this.at)) {
      if (k < 0) this.rewind();
      else {
        this.N.set(saved[k].N);
        this.W.set(saved[k].W);
        this.at = (k + 1) * stride;
      }
    }
    for (let r = this.at; r < rows; r++) {
      const add = this.changes(r);
      let i = this.record.steps.leaf[r];
      this.N[0]++;
      for (let k = add.length - 1; k >= 0; k--, i = this.parent[i]) {
        this.N[i] += this.visits(r, k);
        this.W[i] += add[k];
      }
      if ((r + 1) % stride === 0 && saved.length === (r + 1) / stride - 1) saved.push({ N: this.N.slice(), W: this.W.slice() });
    }
    this.at = rows;
  }

  // The simulation that a step belongs to; 0 before the first.
  simulation(step) {
    return step > 0 ? this.record.steps.simulation[step - 1] : 0;
  }

  // The step and phase at which to show a phase of a simulation, which may have several rows ("all"
  // expansion). A simulation after the end of the search gives its last step.
  moment(simulation, phase) {
    const { simulation: all } = this.record.steps;
    if (simulation < 1 || !this.rows) return { step: 0, phase: "backup" };
    if (simulation > all[this.rows - 1]) return { step: this.rows, phase: "backup" };
    return { step: (phase === "backup" ? all.lastIndexOf(simulation) : all.indexOf(simulation)) + 1, phase };
  }

  // The child of node i after a move, or -1.
  child(i, action) {
    const k = this.kids[i].find(kid => this.action[kid] === action);
    return k === undefined ? -1 : k;
  }

  // How many visited children of node i the record leaves out because there are too many.
  more(i) {
    const { more } = this.record.nodes;
    return more ? more[i] : 0;
  }

  // The visits of all moves of node i together.
  total(i) {
    let sum = 0;
    for (const k of this.kids[i]) sum += this.N[k];
    return i === 0 && this.more(0) ? this.N[0] : sum;
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

  // Whether priors matter: some are not uniform, or the rule uses them.
  get hasPriors() {
    return Boolean(this.record.nodes.prior) || this.record.rule.name === "puct";
  }

  // Prior of a legal move of node i; uniform if the record has none.
  prior(i, action) {
    const all = this.record.nodes.prior;
    return all && all[i] ? all[i][action] : 1 / this.record.nodes.legal[i].length;
  }

  // First-play urgency: the Q that PUCT assumes for a move of node i without visits.
  fpu(i) {
    const { fpu, fpu_reduction: reduction = 0 } = this.record.rule, kids = this.kids[i];
    const first = fpu === "parent" ? (this.own[i] + kids.reduce((sum, k) => sum + this.W[k], 0)) / (1 + this.total(i)) : fpu;
    const known = kids.reduce((sum, k) => sum + (this.N[k] ? this.prior(i, this.action[k]) : 0), 0);
    return first - reduction * Math.sqrt(known);
  }

  // The statistics of every legal move of node i, as its selection rule sees them now. base: the Q
  // in the score (fpu for an untried move); base + u = score. known: the proven value of the move;
  // such a move has no score, because it is not searched again.
  // scores: the recorded scores of this node, for a rule that the viewer cannot recompute.
  moves(i, scores = null) {
    const { rule } = this.record, c = rule.c ?? NaN, total = this.total(i), first = rule.name === "puct" ? this.fpu(i) : null;
    const child = new Map(this.kids[i].map(k => [this.action[k], k]));
    return this.record.nodes.legal[i].map(action => {
      const k = child.has(action) ? child.get(action) : -1;
      const n = k < 0 ? 0 : this.N[k], w = k < 0 ? 0 : this.W[k];
      const q = n ? w / n : null, p = this.hasPriors ? this.prior(i, action) : null;
      const known = n ? this.known(k) : null;
      let base = q, u = null, score = null;
      if (known !== null) return { action, child: k, n, w, q, base, u, p, score, known };
      if (rule.name === "uct") {
        u = n ? c * Math.sqrt(Math.log(total) / n) : Infinity;
        score = n ? q + u : Infinity;
      } else if (rule.name === "puct") {
        base = n ? q : first;
        u = (c * Math.sqrt(Math.max(1, total)) * p) / (1 + n);
        score = base + u;
      } else if (scores) {
        score = unwritten(scores[action]);
        u = q === null || score === null || rule.adds === false ? null : score - q;        // a score need not be a sum of Q and a bonus
      }
      return { action, child: k, n, w, q, base, u, p, score, known };
    });
  }

  // The scores recorded at path node k before `row`, or null.
  scores(row, k) {
    const all = this.record.steps.scores;
    return all && all[row] ? all[row][k] ?? null : null;
  }

  // The board at node i, row-major from the top: 0 empty, 1 first player, 2 second.
  cells(i) {
    if (!this.boards.has(i)) {
      const cells = i === 0 ? (this.record.root.cells || []).slice() : this.cells(this.parent[i]).slice();
      const { cell, changes } = this.record.nodes;
      if (i > 0 && changes) change(cells, changes[i]);
      else if (i > 0 && cell[i] >= 0) cells[cell[i]] = this.toPlay[this.parent[i]] + 1;
      this.boards.set(i, cells);
    }
    return this.boards.get(i);
  }

  // Whether the record says that the game is over at node i.
  over(i) {
    return this.outcome[i] !== null && this.outcome[i] !== undefined;
  }

  // Who has won at node i: 0 or 1, −1 for a draw, null while the game goes on.
  victor(i) {
    return this.over(i) ? this.whose(i, this.outcome[i]) : null;
  }

  // The player who is better off with value z, given for the player to move at node i; −1 for 0.
  whose(i, z) {
    return z === 0 ? -1 : z > 0 ? this.toPlay[i] : 1 - this.toPlay[i];
  }

  // Whether the search proves node i at some point, although the game is not over there.
  provable(i) {
    return Boolean(this.proofs && Object.hasOwn(this.proofs, i) && !this.over(i));
  }

  // The value of node i proven so far, for the player to move there; null if unknown.
  proof(i) {
    return this.provable(i) && this.proofs[i][1] < this.at ? this.proofs[i][0] : null;
  }

  // The player proven to win from node i: 0 or 1, −1 for a draw, null if nothing is proven.
  promised(i) {
    const z = this.proof(i);
    return z === null ? null : this.whose(i, z);
  }

  // The certain value of the move into node i for the player who made it, if the game is over there
  // or the node is proven; else null. Always null for a search without a solver.
  known(i) {
    const z = !this.proofs ? null : this.over(i) ? this.outcome[i] : this.proof(i);
    return z === null || this.toPlay[i] === this.toPlay[this.parent[i]] ? z : 0 - z;
  }

  // The cells to highlight on the board of node i, such as the winning line.
  line(i) {
    return this.record.nodes.highlights[i] || [];
  }

  // The owner of each cell if the game is over at node i, as a string of 0, 1 and 2; "" if unknown.
  owners(i) {
    return (this.record.nodes.owners || {})[i] || "";
  }

  // How the game ended at node i, such as "White wins by 3.5"; "" if unknown.
  result(i) {
    return (this.record.nodes.results || {})[i] || "";
  }

  // The moves of a row's rollout, in order: player, cell or -1, and the changes on the board.
  rollout(row) {
    const moves = (this.record.steps.rollout || [])[row] || "";
    if (Array.isArray(moves)) return moves.map(([player, cell, ...changes]) => ({ player, cell, changes }));
    let player = this.toPlay[this.record.steps.leaf[row]];
    return Array.from(moves, ch => {
      const cell = ch.codePointAt(0) - 48, move = { cell, player, changes: [cell, player + 1] };
      player = 1 - player;
      return move;
    });
  }

  // The phases to step through in a row; later children of one expansion share select and expand.
  phases(row) {
    return this.opening[row] === row ? PHASES : PHASES.slice(2);
  }

  // The row of the same simulation that has the phase.
  rowOf(phase, row) {
    return this.phases(row).includes(phase) ? row : this.opening[row];
  }

  // Whether node i is in the tree at a moment; a new leaf joins in the expand phase.
  exists(i, row, phase) {
    const now = row < 0 ? -1 : this.opening[row];
    return this.born[i] < now || (this.born[i] === now && (phase !== "select" || row < 0));
  }

  // The child of node i that a player would move to: the most visited one. Ties go to the higher Q,
  // then to the first move. -1 without visits.
  favorite(i) {
    let best = -1;
    for (const k of this.choices(i)) {
      const more = best < 0 ? 1 : this.N[k] - this.N[best] || this.W[k] / this.N[k] - this.W[best] / this.N[best];
      if (more > 0 || (!(more < 0) && this.action[k] < this.action[best])) best = k;
    }
    return best;
  }

  // The visited moves of node i that a player chooses from. With a solver, these are the moves that
  // keep a proven value; else the unproven moves, or the proven draws if no unproven move looks better.
  choices(i) {
    const tried = this.kids[i].filter(k => this.N[k]), proof = this.proof(i);
    if (!this.proofs) return tried;
    const worth = z => tried.filter(k => this.known(k) === z), open = worth(null), draws = worth(0);
    if (proof !== null) return worth(proof);
    return draws.length && !open.some(k => this.W[k] > 0) ? draws : open;
  }

  // The nodes of the line that follows `favorite` from the root.
  principal() {
    const line = new Set([0]);
    for (let i = 0; (i = this.favorite(i)) >= 0;) line.add(i);
    return line;
  }

  label(i) {
    return i === 0 ? "root" : moveLabel(this.record, this.action[i]);
  }
}

// Applies changes (cell, content, cell, content, …) to a board.
export function change(cells, changes) {
  for (let k = 0; k < changes.length; k += 2) cells[changes[k]] = changes[k + 1];
}

// Restores a score from JSON, which has no infinity: null stands for ∞, and −1e300 for −∞.
const unwritten = score => (score === null || score >= 1e299 ? Infinity : score <= -1e299 ? -Infinity : score);

export function moveLabel(record, action) {
  const labels = record.game.labels;
  return labels && labels[action] !== undefined ? String(labels[action]) : String(action + 1);
}

// The move with the highest score (ties go to the first), or null.
export function winner(moves) {
  let best = null;
  for (const m of moves) if (m.score !== null && !Number.isNaN(m.score) && (best === null || m.score > best.score)) best = m;
  return best;
}
