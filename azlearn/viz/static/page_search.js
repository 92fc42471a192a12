// Monte Carlo tree search in a page. It does what azlearn.search.MCTS does, and writes the same record.

import { prior, readNetwork } from "./network.js";
import { Game } from "./page_game.js";

// A seeded random generator: sfc32 (Doty-Humphrey, PractRand).
export class Random {
  constructor(seed) {
    Object.assign(this, { a: seed >>> 0, b: (seed / 2 ** 32) >>> 0, c: 0x9e3779b9, d: 1 });
    for (let i = 0; i < 15; i++) this.next();
  }

  next() {
    const t = (((this.a + this.b) | 0) + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + t | 0;
    return t >>> 0;
  }

  uniform() {
    return ((this.next() >>> 5) * 2 ** 26 + (this.next() >>> 6)) / 2 ** 53;
  }

  below(n) {
    return Math.floor(this.uniform() * n);
  }

  gumbel() {
    return -Math.log(-Math.log(1 - this.uniform()));
  }

  normal() {
    return Math.sqrt(-2 * Math.log(1 - this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  // Gamma of shape `alpha` (Marsaglia and Tsang 2000).
  gamma(alpha) {
    if (alpha < 1) return this.gamma(alpha + 1) * (1 - this.uniform()) ** (1 / alpha);
    const d = alpha - 1 / 3, k = 1 / Math.sqrt(9 * d);
    for (;;) {
      const x = this.normal(), v = (1 + k * x) ** 3;
      if (v > 0 && Math.log(1 - this.uniform()) < x * x / 2 + d - d * v + d * Math.log(v)) return d * v;
    }
  }

  dirichlet(alpha, n) {
    const parts = Array.from({ length: n }, () => this.gamma(alpha)), sum = parts.reduce((a, b) => a + b, 0);
    return parts.map(part => (sum ? part / sum : 1 / n));
  }
}

// --- tree policies: how a node's moves are scored, as in azlearn.search -----------------------

const sum = numbers => numbers.reduce((a, b) => a + b, 0);
const MIN_PRIOR = 1e-37, MIN_RANGE = 1e-8;

const uct = ({ c }) => ({
  scores({ N, W }) {
    const log = Math.log(sum(N) || 1);
    return N.map((n, a) => (n ? W[a] / n + c * Math.sqrt(log / n) : Infinity));
  },
});

const puct = ({ c, fpu, fpu_reduction: reduction = 0 }) => ({
  scores({ N, W, prior, raw }) {
    const total = sum(N), scale = c * Math.sqrt(total || 1);
    let first = fpu === "parent" ? (raw + sum(W)) / (1 + total) : fpu;
    if (reduction) first -= reduction * Math.sqrt(sum(prior.filter((_, a) => N[a])));
    return N.map((n, a) => (n ? W[a] / n : first) + (scale * prior[a]) / (1 + n));
  },
});

// Sequential halving: returns how many visits the moves whose turn it is have had so far.
function halving(considered, simulations, done) {
  const rounds = Math.max(1, Math.ceil(Math.log2(considered)));
  for (let visits = 0, left = considered; ;) {
    const each = Math.max(1, Math.floor(simulations / (rounds * left)));
    if (done < each * left) return visits + Math.floor(done / left);
    [done, visits, left] = [done - each * left, visits + each, Math.max(2, Math.floor(left / 2))];
  }
}

// Gumbel AlphaZero (Danihelka et al. 2022).
const gumbel = ({ num_considered: most, c_visit: visit, c_scale: scale, rescale }) => ({
  drawsNoise: true,
  sigma({ N, W, prior, raw }) {
    let total = 0, known = 0, weighted = 0;
    N.forEach((n, a) => {
      if (n) [total, known, weighted] = [total + n, known + prior[a], weighted + prior[a] * (W[a] / n)];
    });
    const mixed = known ? (raw + (total * weighted) / known) / (1 + total) : raw;
    const q = N.map((n, a) => (n ? W[a] / n : mixed)), factor = (visit + Math.max(...N)) * scale;
    const low = rescale ? Math.min(...q) : 0, span = rescale ? Math.max(Math.max(...q) - low, MIN_RANGE) : 1;
    return q.map(x => factor * ((x - low) / span));
  },
  improved(node) {
    const s = this.sigma(node), top = Math.max(...s.filter((_, a) => node.prior[a]));
    const weights = node.prior.map((p, a) => (p ? p * Math.exp(s[a] - top) : 0)), total = sum(weights);
    return weights.map(w => w / total);
  },
  scores(node) {
    const total = 1 + sum(node.N);
    return this.improved(node).map((p, a) => p - node.N[a] / total);
  },
  ranking(root) {
    const s = this.sigma(root);
    return root.prior.map((p, a) => (p ? (root.noise ? root.noise[a] : 0) + Math.log(Math.max(p, MIN_PRIOR)) + s[a] : -Infinity));
  },
  rootScores(root, left) {
    const done = sum(root.N), possible = root.N.filter((_, a) => root.prior[a]);
    const considered = Math.max(1, Math.min(most, possible.length)), visits = halving(considered, done + 1 + left, done);
    const nearest = Math.min(...possible.map(n => Math.abs(n - visits)));
    return this.ranking(root).map((rank, a) => (Math.abs(root.N[a] - visits) === nearest ? rank : -Infinity));
  },
  best(root) {
    const ranking = this.ranking(root), first = mostVisited(root), tried = root.legal.filter(a => root.N[a] === root.N[first]);
    return tried.reduce((best, a) => (ranking[a] > ranking[best] ? a : best));
  },
});

export const POLICIES = { uct, puct, gumbel };

// The most visited move; ties go to the higher Q, then to the lower action.
function mostVisited({ N, W, legal }) {
  const q = a => W[a] / Math.max(N[a], 1);
  return legal.reduce((best, a) => (N[a] > N[best] || (N[a] === N[best] && q(a) > q(best)) ? a : best));
}

// --- evaluators: (game, state, random, legal) to {prior, value, moves}, for the player to move --------

// Plays one random game to the end; there is no prior.
function rollout(game, state, random) {
  const mover = game.toPlay(state), moves = [];
  for (let legal = game.rolloutMoves(state); legal.length; legal = game.rolloutMoves(state)) {
    moves.push(legal[random.below(legal.length)]);
    state = game.play(state, moves[moves.length - 1]);
  }
  const result = game.outcome(state);
  return { prior: null, value: game.toPlay(state) === mover ? result : -result, moves };
}

const rollouts = count => (game, state, random) => {
  if (count === 1) return rollout(game, state, random);
  let total = 0;
  for (let i = 0; i < count; i++) total += rollout(game, state, random).value;
  return { prior: null, value: total / count, moves: [] };
};

// Arbitrary but reproducible values, as azlearn.search.evaluators.hash_evaluator returns them, for tests.
const MASK = 2n ** 49n - 1n;
function hash(game, words) {
  let bits = words[0];
  words.slice(1).forEach((word, k) => { bits = bits ^ (word << BigInt(2 * k + 1)) ^ (word >> BigInt(7 + k)); });
  bits &= MASK;
  bits = (bits ^ (bits << 6n)) & MASK;
  bits ^= bits >> 13n;
  bits = (bits ^ (bits << 3n)) & MASK;
  bits ^= bits >> 7n;
  bits = (bits ^ (bits << 8n)) & MASK;
  bits ^= bits >> 17n;
  return { prior: null, value: (Number((bits >> 5n) & 63n) - 32) / 32, moves: [] };
}

// Evaluates with a network, each position only once. spec: as network.js reads it.
const MOST_KEPT = 200_000;
function network(spec) {
  const ask = readNetwork(spec), known = new Map();
  return (game, state, random, legal) => {
    const key = state.join();
    if (!known.has(key)) {
      const { logits, value } = ask(game.planes(state)), mask = game.actions.map(a => legal.includes(a));
      if (known.size >= MOST_KEPT) known.clear();
      known.set(key, { prior: prior(logits, mask), value, moves: [] });
    }
    return known.get(key);
  };
}

export function evaluatorOf({ kind, count = 1, value = 0, spec }) {
  if (kind === "rollout") return rollouts(count);
  if (kind === "hash") return hash;
  if (kind === "constant") return () => ({ prior: null, value, moves: [] });
  if (kind === "network") return network(spec);
  throw new Error(`A page has no evaluator “${kind}”.`);
}

// --- the search ------------------------------------------------------------------------------------

export class Node {
  constructor(game, state) {
    const legal = game.legal(state), zeros = () => new Array(game.numActions).fill(0);
    Object.assign(this, {
      state, legal, toPlay: game.toPlay(state), outcome: legal.length ? null : game.outcome(state),
      raw: null, prior: null, noise: null, N: zeros(), W: zeros(), children: new Array(game.numActions).fill(null),
    });
  }
}

export class Search {
  // select: {name, ...parameters}; noise: {alpha, fraction}, or {} for Gumbel noise, or null.
  constructor(game, { select, evaluate, noise = null, expand = "one", seed = 0 }) {
    Object.assign(this, { game, select, evaluate, noise, expand, random: new Random(seed), policy: POLICIES[select.name](select) });
  }

  // Searches from `root`, a new Node or a node of an earlier search, and yields after every simulation.
  *run(root, simulations, recorder = null) {
    if (root.outcome !== null) throw new Error("The game is over here: there is nothing to search.");
    this.root = root;
    if (root.raw === null) this.evaluateLeaf(root);
    if (this.noise) this.drawNoise(root);
    if (recorder) recorder.start(this, simulations);
    for (this.left = simulations - 1; this.left >= 0; this.left--) {
      for (const [path, leaf] of this.expandLeaf(...this.descend(root))) {
        const { value, moves } = this.evaluateLeaf(leaf);
        if (recorder) recorder.evaluated(path, leaf, value, moves);
        this.backup(path, leaf, value);
      }
      if (recorder) recorder.simulation++;
      yield simulations - this.left;
    }
  }

  drawNoise(root) {
    const { legal } = root, zeros = () => new Array(this.game.numActions).fill(0);
    if (this.policy.drawsNoise) {
      root.noise = zeros();
      for (const a of legal) root.noise[a] = this.random.gumbel();
    } else {
      const { alpha, fraction } = this.noise, drawn = this.random.dirichlet(alpha, legal.length), noise = zeros();
      legal.forEach((a, k) => { noise[a] = drawn[k]; });
      root.prior = root.prior.map((p, a) => (1 - fraction) * p + fraction * noise[a]);
    }
  }

  // Select: follow the highest score to where the tree, or the game, ends.
  descend(root) {
    const path = [];
    let node = root;
    while (node && node.outcome === null && !(this.expand === "all" && !node.children.some(Boolean))) {
      const action = this.choose(node);
      path.push([node, action]);
      node = node.children[action];
    }
    return [path, node];
  }

  scores(node) {
    return node === this.root && this.policy.rootScores ? this.policy.rootScores(node, this.left) : this.policy.scores(node);
  }

  // Ties go to the first.
  choose(node) {
    const scores = this.scores(node);
    return node.legal.reduce((best, a) => (scores[a] > scores[best] ? a : best));
  }

  // Expand: add the missing nodes below the path; returns every [path, leaf] to evaluate.
  expandLeaf(path, leaf) {
    if (!leaf) return [[path, this.addChild(...path[path.length - 1])]];
    if (leaf.outcome === null && this.expand === "all") return leaf.legal.map(a => [[...path, [leaf, a]], this.addChild(leaf, a)]);
    return [[path, leaf]];
  }

  addChild(node, action) {
    return (node.children[action] = new Node(this.game, this.game.play(node.state, action)));
  }

  // Evaluate: by the rules if the game is over, otherwise by the evaluator.
  evaluateLeaf(leaf) {
    if (leaf.outcome !== null) return { value: leaf.outcome, moves: [] };
    const found = this.evaluate(this.game, leaf.state, this.random, leaf.legal);
    const uniform = () => this.game.actions.map(a => (leaf.legal.includes(a) ? 1 / leaf.legal.length : 0));
    leaf.prior = found.prior || uniform();
    leaf.raw = found.value;
    return found;
  }

  // Back up: add the value to every edge; its sign changes where the player to move does.
  backup(path, leaf, value) {
    let below = leaf;
    for (const [node, action] of path.slice().reverse()) {
      if (node.toPlay !== below.toPlay) value = -value;
      node.N[action]++;
      node.W[action] += value;
      below = node;
    }
  }

  best(root = this.root) {
    return this.policy.best ? this.policy.best(root) : mostVisited(root);
  }
}

// --- the record, as azlearn.search.Recording.to_dict writes it ------------------------------------------

const KNOWN = ["uct", "puct"];              // rules whose scores an explorer can recompute
const written = x => (x === -Infinity ? -1e300 : Number.isFinite(x) ? Number(x.toPrecision(6)) : null);
const changed = (before, after) => before.flatMap((cell, i) => (cell === after[i] ? [] : [i, after[i]]));

export class Recorder {
  // about: the `game` part of the record; evaluator: its name.
  constructor(about, evaluator) {
    Object.assign(this, { about, evaluator, simulation: 1, rows: [] });
  }

  start(search, simulations) {
    Object.assign(this, { search, simulations, nodes: [], ways: [], base: [[], []], index: new Map() });
    const { root } = search;
    this.add(root, -1, -1, sum(root.N), 0);
    for (let i = 0; i < this.nodes.length; i++) {          // a tree kept from an earlier search
      this.nodes[i].children.forEach((child, a) => child && this.take(this.nodes[i], a));
    }
  }

  add(node, parent, action, visits, value) {
    this.index.set(node, this.nodes.length);
    this.nodes.push(node);
    this.ways.push([parent, action]);
    this.base[0].push(visits);
    this.base[1].push(value);
  }

  take(node, action) {
    const child = node.children[action];
    if (!this.index.has(child)) this.add(child, this.index.get(node), action, node.N[action], node.W[action]);
  }

  evaluated(path, leaf, value, moves) {
    const { search } = this;
    for (const [node, action] of path) this.take(node, action);
    const scores = KNOWN.includes(search.select.name) ? [] : path.map(([node]) => search.scores(node).map(written));
    this.rows.push({ simulation: this.simulation, leaf: this.index.get(leaf), value, moves, scores });
  }

  record() {
    const { search, nodes, ways, rows, about } = this, { game, select } = search, isKnown = KNOWN.includes(select.name);
    const hasBoard = about.rows > 0, boards = nodes.map(node => (hasBoard ? game.cells(node.state) : []));
    const marks = ways.map(([parent, action], i) => (parent < 0 || !hasBoard ? [-1, -1]
      : game.footprint(action, nodes[parent].toPlay, boards[parent], boards[i])));
    const origins = marks.map(([origin]) => origin), kept = this.base[0].some(Boolean);
    const priors = nodes.map(node => (node.prior && new Set(node.legal.map(a => node.prior[a])).size > 1 ? node.prior : null));
    const values = nodes.map(node => node.raw), isTold = rows.length && !this.base[0].slice(1).some(Boolean);
    const highlights = {};
    nodes.forEach((node, i) => {
      const cells = hasBoard ? game.highlights(node.state, boards[i]) : [];
      if (cells.length) highlights[i] = cells;
    });
    return {
      version: 2, game: about, rule: isKnown ? select : { name: "custom" }, expand: search.expand,
      info: { num_simulations: this.simulations, evaluator: this.evaluator, stopped: this.simulation <= this.simulations },
      root: { to_play: nodes[0].toPlay, cells: boards[0], value: nodes[0].raw, lands: hasBoard ? this.lands(boards[0]) : [] },
      nodes: {
        parent: ways.map(([parent]) => parent), action: ways.map(([, action]) => action), cell: marks.map(([, cell]) => cell),
        origin: origins.some(cell => cell >= 0) ? origins : null,
        changes: game.fills || !hasBoard ? null : boards.map((board, i) => (ways[i][0] < 0 ? [] : changed(boards[ways[i][0]], board))),
        highlights, to_play: nodes.map(node => node.toPlay), outcome: nodes.map(node => node.outcome), legal: nodes.map(node => node.legal),
        prior: priors.some(Boolean) ? priors : null, more: null,
        value: isTold || values.every(value => value === null) ? null : values, proven: null,
      },
      steps: {
        simulation: rows.map(row => row.simulation), leaf: rows.map(row => row.leaf), value: rows.map(row => row.value),
        rollout: rows.map(row => (hasBoard ? this.rollout(row, boards[row.leaf]) : "")), change: null, visits: null,
        scores: isKnown ? null : rows.map(row => row.scores),
      },
      totals: kept ? { visit_counts: this.base[0], value_sum: this.base[1] } : null,
    };
  }

  // The cell that each action fills, -1 for none; [] if stones fall.
  lands(board) {
    const { game, root } = this.search;
    if (game.falls) return [];
    const lands = game.actions.map(() => -1), steps = root.legal.map(a => game.footprint(a, root.toPlay, board, game.cells(game.play(root.state, a))));
    if (steps.some(([origin]) => origin >= 0)) return lands;
    if (game.filled.length) return game.filled;
    root.legal.forEach((a, k) => { lands[a] = steps[k][1]; });
    return lands;
  }

  // The moves of a rollout: one character per cell, or the changes that each move makes.
  rollout({ leaf, moves }, board) {
    const { game } = this.search;
    let { state } = this.nodes[leaf];
    if (game.fills && (game.falls || game.filled.length)) {
      const cells = board.slice(), { cols } = this.about;
      return moves.map(action => {
        let cell = game.filled[action];
        if (game.falls) for (cell = cells.length - cols + action; cells[cell]; cell -= cols);
        cells[cell] = 3;
        return String.fromCharCode(48 + cell);
      }).join("");
    }
    const told = moves.map(action => {
      const after = game.play(state, action), mover = game.toPlay(state), cells = game.cells(after);
      const found = [mover, game.footprint(action, mover, board, cells)[1], ...changed(board, cells)];
      [state, board] = [after, cells];
      return found;
    });
    return game.fills ? told.map(([, cell]) => String.fromCharCode(48 + cell)).join("") : told;
  }
}
export { Game };
