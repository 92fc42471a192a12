// One sentence a phase, for eyes and screen readers alike: what was just done, and why.

import { esc, mark, num, short, sum, thousands } from "./paint.js";
import { moveLabel } from "./replay.js";
import { decisions, verdict } from "./scene.js";

const value = v => (v > 0 ? "+" : "") + (Number.isInteger(v) ? num(v, 0) : num(v));

// Returns HTML; every label in it is escaped.
export function say(replay, step, phase) {
  const { record } = replay, row = step - 1;
  if (!replay.rows) {
    const n = replay.total(0);
    return `<b>The final tree.</b> ${count(n, "visit")} went through the root. This search was not recorded, so there is nothing to step through: click a node to look at it.`;
  }
  if (row < 0) {
    return `<b>Before the search.</b> ${replay.total(0) ? "The tree was kept from an earlier search." : "The tree is the root alone."} ${player(record, replay.toPlay[0])} is to move.`;
  }
  const path = replay.path(record.steps.leaf[row]);
  const head = `<b>Simulation ${record.steps.simulation[row]} · ${phase}.</b> `;
  return head + { select: onSelect, expand: onExpand, evaluate: onEvaluate, backup: onBackup }[phase](replay, row, path);
}

const player = (record, who) => `<span class="azl-p${who}">${mark(record.game, who)}</span>`;
const count = (n, noun) => `${thousands(n)} ${noun}${n === 1 ? "" : "s"}`;

function onSelect(replay, row, path) {
  const nodes = decisions(replay, row, path);
  if (!nodes.length) return "The root is the leaf: there is nothing to choose yet.";
  const { won, second, label } = verdict(replay, row, path, 0);
  const name = `Move <b>${esc(label)}</b>`;
  let text;
  if (!won) text = "The search went to a move that is not among the legal ones.";
  else if (!second) text = `${name} is the only legal move.`;
  else if (won.score === null) text = `${name} is followed from the root.`;
  else if (won.score === Infinity) text = `${name} has never been tried, so its score is ∞ and it goes first.`;
  else text = `${name} wins the comparison at the root, ${close(won.score, second.score)} for move ${esc(moveLabel(replay.record, second.action))}: ${reason(won, second, replay.record.rule.name === "puct")}.`;
  if (nodes.length > 1) {
    const rest = path.slice(2, nodes.length + 1).map(i => esc(replay.label(i)));
    text += ` Then ${rest.join(", ")} in the same way.`;
  }
  return text;
}

// Enough decimals to tell the two apart.
function close(a, b) {
  const digits = Math.abs(a - b) < 0.01 ? 4 : Math.abs(a - b) < 0.1 ? 3 : 2;
  return `${num(a, digits)} against ${num(b, digits)}`;
}

function reason(won, second, prior) {
  if (won.score === second.score) return "the scores are equal, so the first goes";
  if (prior && won.base !== null && second.base !== null) return weighed(won, second);
  if (won.u === null || won.q === null || second.q === null) return "its score is the highest";
  if (won.q === second.q) return "the means are equal, but it has been tried less, so its bonus is larger";
  if (won.u === second.u) return "both have been tried as often, but its mean is better";
  if (won.q > second.q && won.u > second.u) return "its mean is better, and it has been tried less";
  return won.q > second.q ? "its bonus is smaller, but its mean is better" : "its mean is worse, but it has been tried less, so its bonus is larger";
}

// Why, where the bonus also depends on the prior.
function weighed(won, second) {
  const q = won.n ? "its mean" : "the value assumed for an untried move";
  const bonus = won.u === second.u ? "the bonuses are equal" : won.u < second.u ? "its bonus is smaller"
    : won.p > second.p ? `its bonus is larger, for its prior is ${num(won.p)} against ${num(second.p)}` : "its bonus is larger, for it has been tried less";
  if (won.base === second.base) return bonus;
  return won.base > second.base ? `${q} is better${won.u > second.u ? ", and " : ", though "}${bonus}` : `${q} is lower, but ${bonus}`;
}

function onExpand(replay, row, path) {
  const leaf = path[path.length - 1], { record } = replay;
  if (leaf === 0) return "The root itself is evaluated: no node joins the tree.";
  if (replay.born[leaf] !== replay.opening[row]) {
    return replay.outcome[leaf] === null
      ? "This node was there already: nothing joins the tree."
      : "The game is over at this node: there is nothing to add.";
  }
  if (record.expand === "all") {
    const group = replay.kids[replay.parent[leaf]].filter(k => replay.born[k] === replay.opening[row]);
    return `All ${count(group.length, "move")} of this position join the tree at once. Each is evaluated and backed up in turn.`;
  }
  const over = replay.outcome[leaf] === null ? `, with ${player(record, replay.toPlay[leaf])} to move` : ". The game is over there";
  return `There was no node behind move <b>${esc(replay.label(leaf))}</b>. It joins the tree${over}.`;
}

function onEvaluate(replay, row, path) {
  const { record } = replay, leaf = path[path.length - 1], v = record.steps.value[row], who = replay.toPlay[leaf];
  const child = sibling(replay, row, leaf);
  const worth = `for ${player(record, who)}, to move at the leaf, that is <b>${value(v)}</b>`;
  if (replay.outcome[leaf] !== null && replay.outcome[leaf] !== undefined) {
    const z = replay.outcome[leaf];
    return `${child}The rules decide: ${z === 0 ? "a draw" : `${player(record, z > 0 ? who : 1 - who)} has won`}; ${worth}.`;
  }
  const moves = replay.rollout(row).length;
  if (!moves) return `${child}The evaluator says <b>${value(v)}</b> for ${player(record, who)}, to move at the leaf.${favourite(replay, leaf)}`;
  const end = v === 0 ? "a draw" : `a win for ${player(record, v > 0 ? who : 1 - who)}`;
  return `${child}${count(moves, "random move")} later the rollout ends in ${end}; ${worth}.`;
}

// What the evaluator's prior would try first.
function favourite(replay, leaf) {
  const { legal, prior } = replay.record.nodes, priors = legal[leaf].map(a => replay.prior(leaf, a));
  if (!replay.hasPriors || !priors.length) return "";
  if (!prior || !prior[leaf]) return " Its prior is the same for every move.";
  const best = priors.indexOf(Math.max(...priors));
  return ` Its prior is highest for move <b>${esc(moveLabel(replay.record, legal[leaf][best]))}</b>: <span class="azl-cP">${Math.round(100 * priors[best])} %</span>.`;
}

// In "all" expansion several rows share a simulation: say which child this one is.
function sibling(replay, row, leaf) {
  const rows = replay.opening.reduce((n, first) => n + (first === replay.opening[row]), 0);
  return rows < 2 ? "" : `Child ${row - replay.opening[row] + 1} of ${rows}, move <b>${esc(replay.label(leaf))}</b>. `;
}

function onBackup(replay, row, path) {
  const { record } = replay, add = replay.changes(row);
  if (!add.length) return "The path is the root alone: no move gains a visit.";
  const steps = add.map((w, k) => `${esc(replay.label(path[k + 1]))} (${player(record, replay.toPlay[path[k]])}) <span class="azl-nobr">W${w < 0 ? "−" : "+"}${Number.isNaN(w) ? "NaN" : sum(Math.abs(w))}</span>`);
  const shown = steps.reverse().slice(0, 4).join(", ") + (steps.length > 4 ? " and so on" : "");
  return `From the leaf (<b>${value(record.steps.value[row])}</b>) up, every move of the path gains a visit: ${shown}.`;
}

// The same without marks, for screen readers and titles.
export function describe(replay, i, view) {
  const { record } = replay, q = replay.q(i, view), who = ["first player", "second player"][replay.toPlay[i]];
  const over = replay.outcome[i] === null || replay.outcome[i] === undefined ? `${who} to move`
    : replay.outcome[i] === 0 ? "a draw" : `${["first", "second"][replay.outcome[i] > 0 ? replay.toPlay[i] : 1 - replay.toPlay[i]]} player has won`;
  const name = i === 0 ? "Root" : `Move ${replay.label(i)}`;
  return `${name}: ${count(i === 0 ? replay.total(0) : replay.N[i], "visit")}, Q ${short(q, true)}, ${over}`;
}
