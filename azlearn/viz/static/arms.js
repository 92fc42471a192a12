// Slot machines, what their pulls pay, and UCB1. The seed, the arm and the number of its pulls so far
// decide what a pull pays. So the same machines pay the same to everyone who plays them, and a game is
// what its list of pulls makes of it.

const STEPS = 15;           // a mean is a multiple of 0.1 from -0.7 to 0.7
const LEAD = 0.2;           // of the best mean over the second best, at least
const LEAST = 0.3;          // the best mean, at least
const PAYING = -1;          // keeps the draws of the pulls apart from those of the means

// Mixes the 32 bits of a number (MurmurHash3's last step).
function mixed(x) {
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}

// A number in [0, 1) for a path of whole numbers.
export const draw = (...path) => path.reduce((hash, k) => mixed((Math.imul(hash, 31) + k + 0x9e3779b9) | 0), 0) / 2 ** 32;

// The true means, in [-1, 1], [numArms]: drawn again until one is clearly the best.
export function trueMeans(numArms, seed) {
  for (let attempt = 0; ; attempt++) {
    const means = Array.from({ length: numArms }, (_, arm) => (Math.floor(STEPS * draw(seed, attempt, arm)) - (STEPS - 1) / 2) / 10);
    const [first, second] = [...means].sort((a, b) => b - a);
    if (first >= LEAST && first - second > LEAD - 1e-9) return means;
  }
}

// What the pull number `n` (from 0) of an arm pays: +1 or -1.
export const reward = (means, seed, arm, n) => (draw(seed, PAYING, arm, n) < (1 + means[arm]) / 2 ? 1 : -1);

// What is known after some pulls: N and W of each arm [numArms], and the regret before and after each pull.
export class Game {
  constructor(means, seed) {
    Object.assign(this, { means, seed, best: Math.max(...means), N: means.map(() => 0), W: means.map(() => 0), last: means.map(() => 0), regret: [0] });
  }

  get pulls() {
    return this.regret.length - 1;
  }

  // Pulls an arm; returns what it pays.
  pull(arm) {
    const paid = reward(this.means, this.seed, arm, this.N[arm]);
    this.N[arm] += 1;
    this.W[arm] += paid;
    this.last[arm] = paid;
    this.regret.push(this.regret[this.pulls] + this.best - this.means[arm]);
    return paid;
  }

  // The mean so far; NaN for an arm without pulls.
  mean(arm) {
    return this.W[arm] / this.N[arm];
  }

  // What UCB1 adds to the mean; infinite for an arm without pulls.
  bonus(arm, c) {
    return this.N[arm] ? c * Math.sqrt(Math.log(this.pulls) / this.N[arm]) : Infinity;
  }

  scores(c) {
    return this.N.map((n, arm) => (n ? this.mean(arm) + this.bonus(arm, c) : Infinity));
  }

  // The arm with the highest score; ties go to the first.
  ucb1(c) {
    const scores = this.scores(c);
    return scores.indexOf(Math.max(...scores));
  }
}

// A game of `pulls` pulls, each chosen by choose(the game so far, the number of the pull from 0).
export function played(means, seed, pulls, choose) {
  const game = new Game(means, seed);
  for (let t = 0; t < pulls; t++) game.pull(choose(game, t));
  return game;
}
