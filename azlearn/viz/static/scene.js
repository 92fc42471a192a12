// One moment of the search as a list of things to draw. Pure: the layout and the numbers come in,
// plain objects go out; draw.js only has to put them on the sheet.

import { extent, short } from "./paint.js";
import { moveLabel, winner } from "./replay.js";

const FLAG = 15;             // what says below a card that the game is over

export function nodeSize(replay, i, share) {
  const { game } = replay.record, [wide, high] = extent(game), flag = replay.over(i) ? FLAG : 0;
  const w = i === 0 ? 76 : 44 + Math.round(18 * Math.sqrt(Math.max(0, Math.min(1, share))));
  const inner = w - 8;
  const boardHeight = game.rows ? Math.min(inner, (inner / wide) * high) : i === 0 ? 30 : 24;
  return { w, h: 17 + 4 + boardHeight + 18 + flag, boardHeight, flag };
}

// moment: {row, phase, path, view, selected, count}; returns the items of the layout with what they say.
export function scene(replay, layout, moment) {
  const { record } = replay, { phase, path, row, view } = moment;
  const onPath = new Set(path), pv = replay.principal(moment.count), changes = row >= 0 ? replay.changes(row) : [];
  const leaf = row >= 0 ? path[path.length - 1] : -1;
  const fresh = row >= 0 && leaf > 0 && replay.born[leaf] === replay.opening[row];
  const total = Math.max(1, replay.total(0)), drawn = new Set(layout.list.flatMap(v => (v.kind === "fold" ? v.ids : [v.id])));
  const contests = phase === "select" && row >= 0 ? contestScores(replay, moment) : new Map();
  return layout.list.map(v => {
    if (v.kind === "fold") return { ...v, onPath: v.ids.some(i => onPath.has(i)) };
    if (v.kind === "stub") return { ...v, onPath: row >= 0 && onPath.has(v.of) && replay.kids[v.of].some(k => onPath.has(k) && !drawn.has(k)) };
    const i = v.id, lit = onPath.has(i) && row >= 0, n = replay.N[i], q = replay.q(i, view);
    const unborn = fresh && replay.born[i] === replay.opening[row] && phase === "select";
    const k = path.indexOf(i);
    return {
      ...v,
      n: i === 0 ? replay.total(0) : n,
      q,
      weight: i && replay.hasPriors ? replay.prior(replay.parent[i], replay.action[i]) : n / total,
      label: replay.label(i),
      mover: i ? replay.toPlay[replay.parent[i]] : -1,
      cells: replay.cells(i),
      line: replay.line(i),
      last: i ? record.nodes.cell[i] : -1,
      victor: replay.victor(i),
      onPath: lit && !unborn,
      pv: i > 0 && pv.has(i),
      unborn,
      isNew: fresh && i === leaf && phase === "expand",
      isLeaf: lit && i === leaf && phase === "evaluate",
      selected: i === moment.selected,
      title: moment.describe(i),
      changed: lit && i > 0 && phase === "backup",
      delta: lit && k > 0 && phase === "backup" ? changes[k - 1] : null,
      contest: contests.get(i) || null,
      worth: lit && i === leaf && phase === "evaluate" ? short(record.steps.value[row], true) : null,
    };
  });
}

// The competing scores at every decision of the path: node id -> {text, won, bar}.
function contestScores(replay, { row, path }) {
  const out = new Map();
  decisions(replay, row, path).forEach((i, k) => {
    const moves = replay.moves(i, replay.scores(row, k)), chosen = path[k + 1], reach = scale(moves);
    for (const m of moves) {
      if (m.child >= 0 && m.score !== null) out.set(m.child, { text: short(m.score), won: m.child === chosen, bar: stack(m, reach) });
    }
  });
  return out;
}

// The scale of the bars of one comparison: from −1 to the highest Q + U. Scores of one's own below
// −1 move the start, and then Q has no length of its own.
export function scale(moves) {
  const scores = moves.map(m => m.score).filter(x => x !== null && Number.isFinite(x));
  const low = Math.min(-1, ...scores), high = Math.max(...scores);
  if (low >= -1) return { start: -1, end: Math.max(-0.8, high), split: true };
  return { start: low - 0.15 * (high - low) - 0.1, end: high, split: false };
}

// One such bar in per cent of the longest: Q, then U. What pulls a score down shortens Q.
export function stack(m, { start, end, split }) {
  if (m.score === Infinity) return { q: 0, u: 0, infinite: true };
  const share = x => (x === null || Number.isNaN(x) ? 0 : Math.max(0, ((x - start) / (end - start)) * 100));
  const whole = share(m.score), q = split ? Math.min(whole, share(m.base)) : 0;
  return { q: +q.toFixed(1), u: +(whole - q).toFixed(1), infinite: false };
}

// Nodes of the path where the rule chose: not the step onto a child that was opened with all others.
export function decisions(replay, row, path) {
  const leaf = path[path.length - 1];
  const opened = replay.record.expand === "all" && leaf > 0 && replay.born[leaf] === replay.opening[row];
  return path.slice(0, opened ? -2 : -1);
}

// The move the search took at path node k, and the runner-up.
export function verdict(replay, row, path, k) {
  const i = path[k], moves = replay.moves(i, replay.scores(row, k));
  const won = moves.find(m => m.child === path[k + 1]) || winner(moves);
  const second = winner(moves.filter(m => m !== won));
  return { moves, won, second, label: won ? moveLabel(replay.record, won.action) : "" };
}
