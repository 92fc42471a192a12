// The worker of a page: it runs one search at a time and reports its progress.

import { Game } from "./page_game.js";
import { Node, Recorder, Search, evaluatorOf } from "./page_search.js";

const SLICE = 40;                // milliseconds between two progress reports; in between it cannot hear "stop"

// The position that a job starts from.
export function rootState(game, { state, moves }) {
  if (state) return state.map(BigInt);
  let found = game.initial;
  moves.forEach((action, k) => {
    if (!game.legal(found).includes(action)) throw new Error(`Move ${k + 1} is illegal there.`);
    found = game.play(found, action);
  });
  return found;
}

// Finds the evaluated node of a position at most two moves below a root; null if there is none.
function below(root, state) {
  let level = root ? [root] : [];
  for (let depth = 0; depth < 3; depth++) {
    const found = level.find(node => node.raw !== null && node.state.join() === state.join());
    if (found) return found;
    level = level.flatMap(node => node.children.filter(Boolean));
  }
  return null;
}

// scope: the worker's own; source: the game in JavaScript.
export function serve(scope, source) {
  const game = new Game(source);
  let stopped = false, kept = null;        // kept: the root of the last search, whose subtree the next search can reuse
  const evaluators = new Map();

  async function run(job) {
    const state = rootState(game, job), root = (job.keep && below(kept, state)) || new Node(game, state), recorder = new Recorder(job.about, job.evaluate.name || null);
    let { noise } = job;
    if (noise && "fraction" in noise) noise = noise.fraction ? { alpha: 10 / Math.max(1, root.legal.length), ...noise } : null;
    const { evaluate } = job, name = evaluate.network || JSON.stringify(evaluate);
    if (!evaluators.has(name)) evaluators.set(name, evaluatorOf(evaluate));
    const search = new Search(game, { ...job, noise, evaluate: evaluators.get(name) });
    let next = performance.now() + SLICE;
    for (const done of search.run(root, job.simulations, recorder)) {
      if (performance.now() < next) continue;
      scope.postMessage({ progress: done / job.simulations });
      await new Promise(resolve => setTimeout(resolve));
      if (stopped) break;
      next = performance.now() + SLICE;
    }
    kept = root;
    scope.postMessage({ record: recorder.record(), best: search.best(root), root: { N: root.N, W: root.W } });
  }

  scope.onmessage = ({ data }) => {
    stopped = data.do === "stop";
    if (!stopped) run(data.job).catch(error => scope.postMessage({ error: error.message || String(error) }));
  };
}
