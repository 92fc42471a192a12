// Computes the size of the boards and the place of every node. Pure: numbers in, numbers out.

import { Forest } from "./visible_tree.js";

export const HEAD = 15;              // height above a card with a board: who moved, and the visits
export const STRIP = 16;             // height below its board: Q
export const FLAG = 15;              // height below a card whose game is over or proven
const STONES = [30, 27, 24, 21, 19, 17, 15, 14, 13, 12, 11, 10, 9.5, 9, 8.5, 8];
const EDGE = 8;                      // space between the tree and the sides of the sheet
const TOP = 10;
const TOP_PILL = 26;                 // height of "3 levels up to the root"
const FOOT = 25;                     // height below the last level, for a badge
const RICH = [24, 12];               // draw this many nodes if their stones can be at least this large
const FAIR = 10.5;                   // to keep stones this large, a few neighbors may go
const MOST = 70;                     // the most nodes drawn
const MISSES = 14;                   // give up after this many nodes that do not fit

// The ways to draw a tree, best first. mode "full": a board in every node. "focus": boards on the
// path, cards elsewhere. space: least pixels between levels; card: height of a card.
const full = (stone, rich = false) => ({ mode: "full", stone, space: 24, card: 50, rich });
const focus = stone => ({ mode: "focus", stone, space: 25, card: 50 });
const tight = stone => ({ mode: "focus", stone, space: 21, card: 46 });
const PLANS = [
  ...STONES.filter(s => s >= RICH[1]).map(s => full(s, true)),
  ...STONES.map(s => full(s)),
];
const NARROW = STONES.filter(s => s <= 14).map(focus);
const TIGHT = [9, 8, 7, 6].map(tight), CARDS = [focus(0), tight(0)];

// board: [width, height] in stones, [0, 0] without a board. sheet: {width, height}. focus: {path,
// selected (−1: none), opened: Set, closed: Set, filter: {depth, visits}, now: row, count(i): the
// visits to sort by (after the row, so that nothing moves between its phases), phase, rooted: whether
// to keep the root visible if the middle of the path can be folded instead}.
export function arrange(replay, board, sheet, focus) {
  const found = arranged(replay, board, sheet, { ...focus, selected: -1 }), { selected } = focus;
  if (selected < 0 || found.list.some(v => v.id === selected)) return found;      // already drawn, so nothing needs to move
  return arranged(replay, board, sheet, focus);
}

function arranged(replay, board, sheet, focus) {
  const forest = new Forest(replay, focus), space = { forest, replay, board, sheet, look: new Map() };
  for (const wanted of candidates(forest, board)) {
    const found = attempt(space, ...wanted);
    if (!found) continue;
    grow(space, found);
    return settle(space, found);
  }
  return null;       // never reached: the last candidate is accepted at any size
}

// The layouts to try, best first: [plan, nodes, folded nodes, levels left out above, accept any size].
function* candidates(forest, board) {
  const wishes = forest.wishes(), none = new Set(), runs = forest.runs(), fair = plan => plan.stone >= FAIR;
  const each = function* (plans, wishes, folded, top = 0) {
    for (const wish of wishes) for (const plan of plans) yield [plan, wish, folded, top];
  };
  if (board[0]) {
    const rich = richest(forest, wishes[0]);
    for (const plan of PLANS) yield [plan, plan.rich ? rich : wishes[0], none, 0];
    yield* each(PLANS.filter(plan => fair(plan) && !plan.rich), wishes.slice(1, 2), none);
    yield* each(NARROW.filter(fair), wishes.slice(0, 2), none);
  }
  for (const folded of [none, runs]) yield* each(board[0] ? NARROW : CARDS, wishes, folded);
  // If the tree is too high for all of these, leave out levels above, then the middle of the path. The
  // stones of a wide or high board may be smaller, because the board itself is still large enough.
  const least = Math.min(6, 42 / Math.max(...board)), plans = !board[0] ? CARDS : [...TIGHT, ...(least < 6 ? [tight((least + 6) / 2), tight(least)] : [])];
  const last = plans[plans.length - 1], deepest = forest.deepestTop();
  const middle = function* (top) {
    for (let many = 2; many < forest.path.length - 2; many++) yield [last, forest.wishes(top).pop(), forest.middle(many), top];
  };
  if (forest.focus.rooted) yield* middle(0);
  for (let top = 0; top <= deepest; top++) yield* each(plans, forest.wishes(top), runs, top);
  yield* middle(deepest);
  yield [last, forest.wishes(deepest).pop(), forest.middle(forest.path.length), deepest, true];       // settle() then scales it down
}

// A first wish plus the most visited other nodes.
function richest(forest, wish) {
  const shown = new Set(wish), queue = forest.queue(shown);
  for (let i; shown.size < RICH[0] && (i = queue.next()) >= 0;) {
    shown.add(i);
    queue.add(i);
  }
  return shown;
}

// Places a tree; null if it does not fit the sheet.
function attempt(space, plan, wish, folded, top, anyway = false) {
  const { forest, sheet } = space, root = forest.tree(wish, folded, forest.path[top] ?? 0), box = place(space, plan, root);
  if (!anyway && (box.width > sheet.width - 2 * EDGE || box.height + (top ? TOP_PILL : 0) > sheet.height)) return null;
  return { plan, shown: wish, folded, top, root, box };
}

// Adds the nodes that still fit, most visited first.
function grow(space, found) {
  const { forest, replay } = space, { plan, folded, top } = found, shown = new Set(found.shown), queue = forest.queue(shown, top);
  let misses = 0;
  for (let i; shown.size < MOST && misses < MISSES && (i = queue.next()) >= 0;) {
    const up = replay.parent[i];
    if (folded.has(up) || !shown.has(up)) continue;
    shown.add(i);
    const better = attempt(space, plan, shown, folded, top);
    if (better) {
      Object.assign(found, better);
      queue.add(i);
    } else {
      shown.delete(i);
      misses++;
    }
  }
}

// The width and height of one item, including head and flag; form: "board", "wide" or "card".
function measure({ replay, forest, board, look }, plan, v) {
  if (v.kind === "stub") return { w: 22 + 7 * String(v.count).length, h: 22 };
  if (v.kind === "fold") return { w: 150, h: 14 + 9 * Math.min(6, v.ids.length) };
  const i = v.id, { stone, mode } = plan, onPath = forest.path.includes(i), flag = replay.over(i) || replay.provable(i) ? FLAG : 0;
  if (!look.has(i)) look.set(i, Math.max(46, 37 + 7.4 * replay.label(i).length));
  const text = look.get(i), wide = board[0] * stone, high = board[1] * stone;
  if (stone && mode === "full") return { form: "board", flag, w: Math.max(text + 18, wide + 6), h: HEAD + high + 6 + STRIP + flag };
  if (stone && onPath) return { form: "wide", column: text + 2, flag, w: wide + 10 + text, h: Math.max(plan.card, high + 6) + flag };
  return { form: "card", flag, w: text, h: plan.card + flag };
}

// Tidy placement by contours: each subtree as far left as possible, parents centered above their children.
function place(space, plan, root) {
  const heights = [], gap = plan.mode === "full" ? 9 : 8;
  const walk = (v, d) => {
    Object.assign(v, measure(space, plan, v));
    heights[d] = Math.max(heights[d] || 0, v.h);
    if (!v.kids.length) return { left: [-v.w / 2], right: [v.w / 2] };
    const left = [], right = [];
    v.kids.forEach((kid, j) => {
      const c = walk(kid, d + 1);
      let shift = j ? -Infinity : 0;
      for (let k = 0; j && k < Math.min(right.length, c.left.length); k++) {
        shift = Math.max(shift, right[k] - c.left[k] + gap + (k ? 6 : 0));
      }
      kid.dx = shift;
      c.left.forEach((x, k) => { if (k >= left.length) left[k] = x + shift; });
      c.right.forEach((x, k) => { right[k] = x + shift; });
    });
    const middle = (v.kids[0].dx + v.kids[v.kids.length - 1].dx) / 2;
    v.kids.forEach(kid => { kid.dx -= middle; });
    return { left: [-v.w / 2, ...left.map(x => x - middle)], right: [v.w / 2, ...right.map(x => x - middle)] };
  };
  const c = walk(root, 0), x0 = Math.min(...c.left), x1 = Math.max(...c.right);
  const used = heights.reduce((a, b) => a + b, 0) + TOP + FOOT;
  return { x0, width: x1 - x0, heights, used, height: used + plan.space * (heights.length - 1) };
}

// Computes absolute positions (x of the middle, y of the top) and scales down a tree that is too large.
function settle({ replay, forest, sheet }, { plan, root, box, top }) {
  const { heights } = box, levels = heights.length, pill = top ? TOP_PILL : 0;
  const scale = Math.min(1, sheet.width / (box.width + 2 * EDGE), sheet.height / (box.height + pill));
  const width = sheet.width / scale, height = sheet.height / scale, free = height - box.used - pill;
  const gap = levels > 1 ? Math.min(Math.max(plan.space, free / (levels - 1)), 62) : 0;
  const list = [], tops = [TOP + pill + Math.max(0, (free - gap * (levels - 1)) / 2)];
  heights.forEach((h, d) => { tops[d + 1] = tops[d] + h + gap; });
  const walk = (v, x, d, up) => {
    list.push(Object.assign(v, { x, y: tops[d], level: d, up }));
    v.kids.forEach(k => walk(k, x + k.dx, d + 1, v));
  };
  walk(root, (width - box.width) / 2 - box.x0, 0, null);
  if (top) list.push({ key: "t", kind: "top", of: 0, levels: top, x: root.x, y: Math.max(4, root.y - 31), w: 152, h: 21, kids: [], up: null });
  return { list, scale, width, height, mode: plan.mode, stone: plan.stone, ...counted(replay, forest, list) };
}

// The number of nodes drawn and in the tree; a node that is about to join is counted in neither.
function counted(replay, { focus }, list) {
  const joins = i => i > 0 && focus.phase === "select" && replay.born[i] === focus.now;
  const drawn = list.filter(v => v.kind === "node" && !joins(v.id)).length;
  let of = 0;
  for (let i = 0; i < replay.size; i++) of += i === 0 || (replay.born[i] <= focus.now && !joins(i)) ? 1 : 0;
  return { drawn, of };
}
