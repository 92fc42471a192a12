// Chooses the nodes that could be shown and builds the visible tree. Pure: no positions, no drawing.

const SIBLINGS = [12, 7, 4, 0];      // how many moves of the root to show, fewer with less space

// The nodes that the reader and the search want to see. focus: see arrange() in layout.js.
export class Forest {
  constructor(replay, focus) {
    const { selected, opened, closed, filter, count, now } = focus;
    Object.assign(this, { replay, focus, barred: new Map([[0, false]]), children: new Map() });
    this.exists = i => replay.born[i] <= now;
    const picked = selected > 0 ? replay.path(selected) : [0];
    this.line = new Set(picked);
    this.bar = i => {            // whether a closed node or the filter hides node i
      if (!this.barred.has(i)) {
        const up = replay.parent[i], wanted = this.line.has(i) || opened.has(up);
        const out = !wanted && (replay.depth[i] > filter.depth || count(i) < filter.visits);
        this.barred.set(i, this.bar(up) || closed.has(up) || out);
      }
      return this.barred.get(i);
    };
    this.path = (focus.path.length > 1 ? focus.path : this.favorites()).filter(i => !this.bar(i));
    this.must = new Set([...this.path, ...picked.filter(i => !this.bar(i))]);
    for (const i of opened) {
      if (this.exists(i)) for (const k of [...replay.path(i), ...this.kids(i)]) if (!this.bar(k)) this.must.add(k);
    }
  }

  // The most visited line of an unrecorded tree: at most four nodes, each with at least 2 visits.
  favorites() {
    const { replay, focus } = this, line = [0];
    for (let i = 0; line.length < 4;) {
      i = this.kids(i).reduce((best, k) => (best < 0 || focus.count(k) > focus.count(best) ? k : best), -1);
      if (i < 0 || focus.count(i) < 2) break;
      line.push(i);
    }
    return replay.rows ? [0] : line;
  }

  kids(i) {
    if (!this.children.has(i)) this.children.set(i, this.replay.kids[i].filter(this.exists));
    return this.children.get(i);
  }

  // Children that may be drawn, most visited first.
  ranked(i) {
    const { count } = this.focus, { action } = this.replay;
    return this.kids(i).filter(k => !this.bar(k)).sort((a, b) => count(b) - count(a) || action[a] - action[b]);
  }

  // Sets of nodes to start with, largest first: the path, the nodes the reader opened, moves of the
  // root and one neighbor of each node on the path.
  wishes(top = 0) {
    return SIBLINGS.map(most => {
      const wish = new Set([...this.must].filter(i => this.replay.depth[i] >= top));
      if (!top) this.ranked(0).slice(0, most).forEach(k => wish.add(k));
      if (most > SIBLINGS[2]) {
        for (const i of this.path.slice(top, -1)) {
          const near = this.ranked(i).find(k => !wish.has(k));
          if (near !== undefined) wish.add(near);
        }
      }
      return wish;
    });
  }

  // The visited nodes below `shown`, best first: next() returns one at a time, and add(i) queues the
  // children of a node that was drawn.
  queue(shown, top = 0) {
    const { replay, focus } = this, waiting = [];
    const fresh = i => { for (const k of this.kids(i)) if (!shown.has(k) && !this.bar(k)) waiting.push(k); };
    const rank = i => (replay.parent[i] === 0 ? 1e9 : 0) + focus.count(i);
    for (const i of shown) if (replay.depth[i] >= top) fresh(i);
    return {
      add: fresh,
      next() {
        if (!waiting.length) return -1;
        let best = 0;
        for (let j = 1; j < waiting.length; j++) if (rank(waiting[j]) > rank(waiting[best])) best = j;
        return waiting.splice(best, 1)[0];
      },
    };
  }

  // Inner nodes of a line without a choice: each is an only child and has only one child.
  runs() {
    const { focus, path } = this, found = new Set();
    path.slice(1, -2).forEach((i, k) => {
      const alone = this.kids(path[k]).length === 1 || found.has(path[k]);
      if (k > 0 && alone && this.kids(i).length === 1 && i !== focus.selected && !focus.opened.has(i)) found.add(i);
    });
    return found;
  }

  // The number of levels that may be left out above the tree while the selected node stays visible.
  deepestTop() {
    const { path, line, focus } = this;
    let k = Math.max(0, path.length - 3);
    if (focus.selected > 0) while (k > 0 && !line.has(path[k])) k--;
    if (focus.selected > 0) k = Math.min(k, line.size - 2);
    return focus.selected === 0 ? 0 : Math.max(0, k);
  }

  // The nodes of the path to fold into one: up to `many`, above the last two.
  middle(many) {
    const { path, focus } = this, stop = path.length - 2;
    return new Set(path.slice(Math.max(1, stop - many), Math.max(1, stop)).filter(i => i !== focus.selected && !focus.opened.has(i)));
  }

  // The visible tree below node i, with children in the order of their moves. kinds: node, stub ("+4",
  // or "show fewer"), fold (a run of moves drawn as one).
  tree(shown, folded, i = 0) {
    const { replay, focus } = this, all = this.kids(i), here = all.filter(k => shown.has(k)), items = [];
    here.sort((a, b) => replay.action[a] - replay.action[b]);
    for (let k of here) {
      const run = [];
      let under = [k];
      while (under.length === 1 && folded.has(under[0])) {
        run.push(under[0]);
        under = this.kids(under[0]).filter(c => shown.has(c));
      }
      if (run.length < 2) items.push(this.tree(shown, folded, k));
      else items.push({ key: "f" + run[0], kind: "fold", of: run[0], ids: run, kids: under.map(c => this.tree(shown, folded, c)) });
    }
    const hidden = all.length - here.length + replay.more(i), looked = i === 0 || focus.closed.has(i);
    const fewer = !hidden && all.length > 1 && focus.opened.has(i);
    const stub = { key: "s" + i, kind: "stub", of: i, count: hidden, kids: [] };
    const beside = (hidden && (here.length > 0 || looked)) || fewer;
    if (beside) items.push(stub);
    return { key: "n" + i, kind: "node", id: i, hidden, below: beside ? 0 : hidden, kids: items };
  }
}
