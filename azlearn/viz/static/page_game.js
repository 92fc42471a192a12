// A game in a page, as a search uses it. Its rules are JavaScript that Python has written.
// States are arrays of BigInt; actions, players, cells and values are numbers.

export class Game {
  // source: the object that the text of azlearn.games.javascript.to_javascript evaluates to.
  constructor(source) {
    Object.assign(this, { source, ...source.table });
    this.actions = Array.from({ length: this.numActions }, (_, a) => a);
    this.bits = this.actions.map(BigInt);
  }

  get initial() {
    return this.source.initial;
  }

  play(state, action) {
    return this.source.play(state, this.bits[action]);
  }

  // Returns null while the game goes on, then +1, 0 or -1 for the player to move.
  outcome(state) {
    const [isOver, value] = this.source.outcome(state);
    return isOver ? Number(value) : null;
  }

  toPlay(state) {
    return Number(this.source.toPlay(state));
  }

  // The legal actions in ascending order; empty when the game is over.
  legal(state) {
    return this.source.outcome(state)[0] ? [] : this.among(this.source.options(state), this.actions);
  }

  among(options, actions) {
    return actions.filter(a => this.source.isLegal(options, this.bits[a]));
  }

  // The moves that a random game chooses from; in Go it never fills the mover's own eyes.
  rolloutMoves(state) {
    const { rolloutOptions } = this.source;
    if (!rolloutOptions || this.source.outcome(state)[0]) return this.legal(state);
    const kept = this.among(rolloutOptions(state), this.actions);
    return kept.length ? kept : this.legal(state);
  }

  planes(state) {
    return this.source.planes(state);
  }

  cells(state) {
    return this.source.cells(state);
  }

  // The cells of a completed line, to be emphasized.
  highlights(state, cells) {
    const [me, opp] = this.toPlay(state) ? [2, 1] : [1, 2];
    for (const player of [me, opp]) {
      const line = this.lines.find(cell => cell.every(i => cells[i] === player));
      if (line) return line;
    }
    return [];
  }

  // Returns [the cell that a piece leaves, the cell that the move fills], -1 for none.
  footprint(action, mover, before, after) {
    const filled = this.filled.length ? this.filled[action] : before.findIndex((cell, i) => cell !== after[i]);
    if (this.fills) return [-1, filled];
    if (this.fixed) return [-1, filled >= 0 && after[filled] ? filled : -1];        // a suicide leaves no stone
    const mine = mover + 1, left = [], come = [];
    before.forEach((cell, i) => {
      if (cell !== after[i] && cell === mine) left.push(i);
      if (cell !== after[i] && after[i] === mine) come.push(i);
    });
    return left.length === 1 && come.length === 1 ? [left[0], come[0]] : [-1, filled];
  }
}
