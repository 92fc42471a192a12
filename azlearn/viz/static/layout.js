// Which nodes are drawn, and where. Pure: numbers in, numbers out.

const LEVEL_GAP = [30, 54];
const EDGE = 12;             // between the tree and the ends of the sheet
const SIBLING_GAP = 7;
const FOOT = 42;             // below the last level: room for what hangs under a card
const SMALLEST = 0.84;       // a deep tree is drawn this small before its inner nodes are folded

// Chooses what fits: the focus (current path, selection, opened nodes) always, then the most
// visited children of what is drawn, until the sheet is full. Nothing below a closed node, and
// nothing that the filter keeps out, unless the reader selected or opened it.
// size(i) -> {w, h}; sheet: {width, height}; focus: {path, selected, opened: Set, closed: Set,
// filter: {depth, visits}, now: row, count(i): the visits to go by (those after the row, so that
// nothing moves between its phases)}
export function arrange(replay, size, sheet, focus) {
  const { opened, closed, filter, count } = focus;
  const exists = i => replay.born[i] <= focus.now;
  const kids = i => replay.kids[i].filter(exists);
  const line = new Set(replay.path(focus.selected)), barred = new Map([[0, false]]);
  const bar = i => {
    if (!barred.has(i)) {
      const up = replay.parent[i], wanted = line.has(i) || opened.has(up);
      const out = !wanted && (replay.depth[i] > filter.depth || count(i) < filter.visits);
      barred.set(i, bar(up) || closed.has(up) || out);
    }
    return barred.get(i);
  };
  const shown = new Set([...focus.path, ...line]);
  for (const i of opened) if (exists(i)) [...replay.path(i), ...kids(i)].forEach(k => shown.add(k));
  for (const i of shown) if (bar(i)) shown.delete(i);
  const maxLevel = levelsThatFit(size, sheet);
  const folded = foldable(replay, focus, maxLevel);
  const order = (a, b) => count(b) - count(a) || replay.action[a] - replay.action[b];
  const build = () => branch(0, shown, folded, kids, order, size, focus, replay);
  const levels = new Map([[0, 0]]), level = i => {      // as drawn: a fold takes one
    const up = replay.parent[i];
    if (!levels.has(i)) levels.set(i, level(up) + (folded.has(i) && folded.has(up) ? 0 : 1));
    return levels.get(i);
  };
  const fresh = i => kids(i).filter(k => !shown.has(k) && !bar(k));
  const queue = [...shown].flatMap(fresh);
  const rank = i => (replay.parent[i] === 0 ? 1e9 : replay.parent[i] === focus.selected ? 1e8 : 0) + count(i);
  let failures = 0;
  while (queue.length && shown.size < 90 && failures < 10) {
    let best = 0;
    for (let j = 1; j < queue.length; j++) if (rank(queue[j]) > rank(queue[best])) best = j;
    const [next] = queue.splice(best, 1);
    if (level(next) > maxLevel || folded.has(replay.parent[next])) continue;
    shown.add(next);
    if (place(build()).width > sheet.width - 2 * EDGE) {
      shown.delete(next);
      failures++;
    } else {
      queue.push(...fresh(next));
    }
  }
  const root = build();
  const box = place(root);
  return settle(root, box, sheet);
}

function levelsThatFit(size, sheet) {
  const step = size(-1).h + LEVEL_GAP[0];
  return Math.max(4, Math.floor((sheet.height / SMALLEST - size(0).h - FOOT) / step));
}

// Inner nodes of lines that are deeper than the sheet is high.
function foldable(replay, focus, maxLevel) {
  const folded = new Set(), ends = [focus.path[focus.path.length - 1], focus.selected], keep = new Set([0]);
  for (const end of ends) {
    keep.add(end);
    if (end) keep.add(replay.parent[end]);
  }
  const room = replay.kids[focus.selected].length ? 1 : 0;
  for (const end of ends) {
    const line = replay.path(end), excess = line.length - 1 + (end === focus.selected ? room : 0) - maxLevel;
    if (excess <= 0) continue;
    const stop = line.length - 2, start = Math.max(2, stop - excess - 1);
    line.slice(start, stop).forEach(i => keep.has(i) || folded.add(i));
  }
  return folded;
}

// The visible tree below node i. kinds: node, stub ("+4", "−" when opened), fold ("3 moves").
function branch(i, shown, folded, kids, order, size, focus, replay) {
  const all = kids(i), here = all.filter(k => shown.has(k)).sort(order), items = [];
  for (let k of here) {
    const run = [];
    let under = [k];
    while (under.length === 1 && folded.has(under[0])) {
      run.push(under[0]);
      under = kids(under[0]).filter(c => shown.has(c));
    }
    if (!run.length) {
      items.push(branch(k, shown, folded, kids, order, size, focus, replay));
    } else {
      const below = under.sort(order).map(c => branch(c, shown, folded, kids, order, size, focus, replay));
      items.push({ key: "f" + run[0], kind: "fold", of: run[0], ids: run, w: 76, h: 26, kids: below });
    }
  }
  const hidden = all.length - here.length + replay.more(i), looked = i === focus.selected || i === 0 || focus.closed.has(i);
  const stub = { key: "s" + i, kind: "stub", of: i, count: hidden, w: 22 + 7 * String(hidden).length, h: 22, kids: [] };
  if (hidden && (here.length || looked)) items.push(stub);
  else if (all.length > 1 && (focus.opened.has(i) || (i === focus.selected && i))) items.push(stub);
  return { key: "n" + i, kind: "node", id: i, hidden, ...size(i), kids: items };
}

// Tidy placement by contours: each subtree as far left as it can go, parents above the middle.
function place(root) {
  const walk = v => {
    if (!v.kids.length) return { left: [-v.w / 2], right: [v.w / 2] };
    let left = [], right = [];
    v.kids.forEach((kid, j) => {
      const c = walk(kid);
      let shift = 0;
      if (j) {
        shift = -Infinity;
        for (let d = 0; d < Math.min(right.length, c.left.length); d++) {
          shift = Math.max(shift, right[d] - c.left[d] + SIBLING_GAP);
        }
      }
      kid.dx = shift;
      c.left.forEach((x, d) => { if (d >= left.length) left[d] = x + shift; });
      c.right.forEach((x, d) => { right[d] = x + shift; });
    });
    const middle = (v.kids[0].dx + v.kids[v.kids.length - 1].dx) / 2;
    v.kids.forEach(kid => { kid.dx -= middle; });
    return {
      left: [-v.w / 2, ...left.map(x => x - middle)],
      right: [v.w / 2, ...right.map(x => x - middle)],
    };
  };
  const c = walk(root), x0 = Math.min(...c.left), x1 = Math.max(...c.right);
  return { x0, width: x1 - x0 };
}

// Absolute positions: x of the middle, y of the top. Too wide a tree is scaled down.
function settle(root, box, sheet) {
  const heights = [], list = [];
  (function measure(v, d) {
    heights[d] = Math.max(heights[d] || 0, v.h);
    v.kids.forEach(k => measure(k, d + 1));
  })(root, 0);
  const used = heights.reduce((a, b) => a + b, 0) + FOOT;
  const free = heights.length > 1 ? (sheet.height - used) / (heights.length - 1) : 0;
  const gap = Math.min(LEVEL_GAP[1], Math.max(LEVEL_GAP[0], free));
  const tops = [12];
  heights.forEach((h, d) => { tops[d + 1] = tops[d] + h + gap; });
  const height = tops[heights.length] - gap + FOOT - 10, width = box.width + 2 * EDGE;
  const scale = Math.min(1, sheet.width / width, sheet.height / height);
  const offset = (sheet.width / scale - box.width) / 2 - box.x0;
  (function walk(v, x, d, parent) {
    list.push(Object.assign(v, { x, y: tops[d], level: d, up: parent }));
    v.kids.forEach(k => walk(k, x + k.dx, d + 1, v));
  })(root, offset, 0, null);
  return { list, scale, width: sheet.width / scale, height: sheet.height / scale };
}
