// One moment of the search as a list of items to draw. Pure: turns the layout and the numbers into
// plain objects; card.js renders them as SVG and draw.js puts them on the sheet.

import { extent } from "./paint.js";
import { moveLabel, winner } from "./replay.js";

// Width and height of a board in cells; [0, 0] for a game without one.
export const boardSize = game => (game.rows ? extent(game) : [0, 0]);

// moment: {row, phase, path, view, selected (−1: none), decision, ring, count(i), describe(i)}.
// Returns the items of the layout with their content.
export function scene(replay, layout, moment) {
  const { record } = replay, { phase, path, row, view } = moment, backup = phase === "backup" && row >= 0;
  const onPath = new Set(path), pv = replay.principal(), changes = row >= 0 ? replay.changes(row) : [];
  const leaf = row >= 0 ? path[path.length - 1] : -1, ring = moment.ring || {};
  const fresh = row >= 0 && leaf > 0 && replay.born[leaf] === replay.opening[row];
  const total = Math.max(1, replay.total(0)), drawn = new Set(layout.list.flatMap(v => (v.kind === "fold" ? v.ids : [v.id])));
  const leads = phase === "select" && row >= 0 ? leadsOf(replay, moment) : new Map();
  const side = (x, player) => (view === "first" && player === 1 ? -x : x);       // this player's value, from the point of view shown
  return layout.list.map(v => {
    if (v.kind === "fold") return { ...v, onPath: v.ids.some(i => onPath.has(i)), beads: v.ids.map(i => replay.toPlay[replay.parent[i]]) };
    if (v.kind === "top") return { ...v, onPath: row >= 0 };
    if (v.kind === "stub") return { ...v, onPath: row >= 0 && onPath.has(v.of) && replay.kids[v.of].some(k => onPath.has(k) && !drawn.has(k)) };
    const i = v.id, k = path.indexOf(i), lit = k >= 0 && row >= 0, up = replay.parent[i], mover = i ? replay.toPlay[up] : -1;
    const unborn = fresh && replay.born[i] === replay.opening[row] && phase === "select", changed = lit && k > 0 && backup;
    return {
      ...v,
      step: lit ? k : -1,
      n: i === 0 ? replay.total(0) : replay.N[i],
      q: replay.q(i, view),
      before: lit && backup ? before(replay, row, k, i, changes, view) : null,
      weight: replay.N[i] / total,
      prior: i && replay.hasPriors ? replay.prior(up, replay.action[i]) : null,
      label: replay.label(i),
      mover,
      cells: replay.cells(i),
      line: replay.line(i),
      owners: replay.owners(i),
      last: i ? record.nodes.cell[i] : -1,
      left: i && record.nodes.origin ? record.nodes.origin[i] : -1,
      victor: replay.over(i) ? replay.victor(i) : replay.promised(i),
      over: replay.over(i),
      onPath: lit && !unborn,
      pv: i > 0 && pv.has(i),
      unborn,
      selected: i === moment.selected,
      ring: ring.node === i ? ring.part || "node" : null,
      title: moment.describe(i),
      delta: changed ? side(changes[k - 1], mover) : null,
      arrives: changed ? side(k < changes.length ? changes[k] : record.steps.value[row] ?? NaN, replay.toPlay[i]) : null,
      lead: leads.has(i) ? leads.get(i) : null,
      worth: lit && i === leaf && phase === "evaluate" ? side(record.steps.value[row] ?? NaN, replay.toPlay[i]) : null,
    };
  });
}

// N and Q of path node k before the row was backed up.
function before(replay, row, k, i, changes, view) {
  if (k === 0) {
    const first = changes.length ? replay.visits(row, 0) : 0, n = replay.total(0) - first, q = replay.q(0, "mover");
    const w = q === null ? NaN : q * replay.total(0) - (changes[0] ?? 0), mean = n > 0 && !Number.isNaN(w) ? w / n : null;
    return { n, q: mean !== null && view === "first" && replay.toPlay[0] === 1 ? -mean : mean };
  }
  const n = replay.N[i] - replay.visits(row, k - 1), w = replay.W[i] - changes[k - 1];
  const mean = n > 0 && !Number.isNaN(w) ? w / n : null;
  return { n, q: mean !== null && view === "first" && replay.toPlay[replay.parent[i]] === 1 ? -mean : mean };
}

// The lead of each chosen move: node id -> {value, now: whether the panel shows this decision}.
function leadsOf(replay, { row, path, decision }) {
  const out = new Map();
  decisions(replay, row, path).forEach((i, k) => {
    const { lead } = verdict(replay, row, path, k);
    if (lead !== null) out.set(path[k + 1], { value: lead, now: k === decision });
  });
  return out;
}

// The nodes of the path where the rule made a choice. With "all" expansion, the step to a new child is none.
export function decisions(replay, row, path) {
  const leaf = path[path.length - 1];
  const opened = replay.record.expand === "all" && leaf > 0 && replay.born[leaf] === replay.opening[row];
  return path.slice(0, opened ? -2 : -1);
}

// The move the search took at path node k, the runner-up, and the lead (∞ for a move that was never
// tried, null if there is nothing to compare).
export function verdict(replay, row, path, k) {
  const i = path[k], moves = replay.moves(i, replay.scores(row, k));
  const won = moves.find(m => m.child === path[k + 1]) || winner(moves);
  const second = winner(moves.filter(m => m !== won));
  const scored = won && won.score !== null && !Number.isNaN(won.score) && second;
  const lead = !scored ? null : won.score === Infinity ? Infinity : won.score - second.score;
  return { moves, won, second, lead, label: won ? moveLabel(replay.record, won.action) : "" };
}
