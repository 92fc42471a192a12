// One sentence per phase, for sighted readers and screen readers alike: what the search just did, and why.

import { html } from "./dom.js";
import { promise, whoHtml } from "./bigboard.js";
import { digitsFor, SAME } from "./score_table.js";
import { badge, num, signed, stoneName, thousands } from "./paint.js";
import { moveLabel, PHASE_NAMES, PHASES } from "./replay.js";
import { decisions, verdict } from "./scene.js";

// "1 Select", or another headline if no search was recorded or it has not started.
export const headline = (replay, row, phase) => (!replay.rows ? "The final tree" : row < 0 ? "Before the search" : `${PHASES.indexOf(phase) + 1} ${PHASE_NAMES[phase]}`);

// decision: the index of the choice on the path that "select" describes.
export function say(replay, step, phase, decision = 0, view = "mover") {
  const { record } = replay, row = step - 1;
  if (!replay.rows) return `The root has ${count(replay.total(0), "visit")}. This search was not recorded, so you cannot step through it. Click a node to look at it.`;
  if (row < 0) {
    const start = replay.total(0) ? "The tree was kept from an earlier search." : "The tree is just its root.";
    return html`${start} ${player(record, replay.toPlay[0])} is to move.`;
  }
  const path = replay.path(record.steps.leaf[row]);
  return { select: onSelect, expand: onExpand, evaluate: onEvaluate, backup: onBackup }[phase](replay, row, path, phase === "select" ? decision : view);
}

const player = (record, who) => whoHtml(record.game, who);
const count = (n, noun) => `${thousands(n)} ${noun}${n === 1 ? "" : "s"}`;

function onSelect(replay, row, path, k) {
  const nodes = decisions(replay, row, path), { record } = replay;
  if (!nodes.length) return "The root is the leaf, so there is nothing to choose yet.";
  const { moves, won, second, label } = verdict(replay, row, path, k), who = player(record, replay.toPlay[path[k]]);
  const where = k ? `After ${path.slice(1, k + 1).map(i => replay.label(i)).join(" ")}` : "At the root";
  if (!won) return `${where}, the search followed a move that is not legal.`;
  return html`${where}, ${who} picks <b>${label}</b>. ${comparisonText(won, second, record, moves.length)}`;
}

// Explains why the search followed a move.
function comparisonText(won, second, record, all) {
  if (!second) return all > 1 ? "All other moves are already proven." : "It is the only legal move.";
  if (won.score === null || Number.isNaN(won.score)) return "Its score is unknown.";
  if (won.score === Infinity) return won.n ? "Its score is ∞, so it goes first." : "It has never been tried, so its score is ∞ and it goes first.";
  if (second.score === -Infinity && won.score > second.score) return `All other moves have the score −∞${record.rule.adds === false ? ": it is not their turn" : ""}.`;
  const other = html`<b>${moveLabel(record, second.action)}</b>`, gap = Math.abs(won.score - second.score);
  const by = gap < SAME ? "less than 0.0001" : num(gap, digitsFor(gap));
  if (won.score < second.score) return html`Its score is not the highest: it is ${by} below the score of ${other}.`;
  if (won.score === second.score) return won.action < second.action ? html`It ties with ${other}, and ties go to the first move.` : html`It ties with ${other}.`;
  return html`It leads ${other} by ${by}: ${reason(won, second, record.rule.name)}.`;
}

function reason(won, second, rule) {
  if (rule === "puct" && won.base !== null && second.base !== null) return weighed(won, second);
  if (won.u === null || won.q === null || second.q === null) return "its score is the highest";
  if (rule !== "uct") return observed(won, second);
  if (won.q === second.q) return "the means are equal, but it has been tried less, so its bonus is larger";
  if (won.u === second.u) return "both have been tried equally often, but its mean is better";
  if (won.q > second.q && won.u > second.u) return "its mean is better, and it has been tried less";
  return won.q > second.q ? "its bonus is smaller, but its mean is better" : "its mean is worse, but it has been tried less, so its bonus is larger";
}

// The sign of a difference between scores or their parts, ignoring small rounding errors.
const sign = x => (Math.abs(x) < 1e-9 ? 0 : Math.sign(x));

// Describes the differences under a rule unknown to the viewer, without explaining them.
function observed(won, second) {
  const q = sign(won.q - second.q), u = sign(won.u - second.u), n = Math.sign(won.n - second.n);
  const mean = ["its mean is worse", "the means are equal", "its mean is better"][q + 1];
  const bonus = ["its bonus is smaller", "the bonuses are equal", "its bonus is larger"][u + 1];
  const tried = n ? `it has been tried ${n > 0 ? "more" : "less"}` : "both have been tried equally often";
  return `${mean}, ${q * u < 0 ? "but" : "and"} ${bonus}${u + n === 0 ? ";" : ", although"} ${tried}`;
}

// Explains the choice of a rule whose bonus also depends on the prior.
function weighed(won, second) {
  const q = won.n ? "its mean" : "its assumed value";
  const bonus = won.u === second.u ? "the bonuses are equal" : won.u < second.u ? "its bonus is smaller"
    : won.p > second.p ? `its bonus is larger (prior ${num(won.p)} against ${num(second.p)})` : "its bonus is larger because it has been tried less";
  if (won.base === second.base) return bonus;
  return won.base > second.base ? `${q} is better${won.u < second.u ? ", though " : ", and "}${bonus}` : `${q} is lower, but ${bonus}`;
}

function onExpand(replay, row, path) {
  const leaf = path[path.length - 1], { record } = replay;
  if (leaf === 0) return "The root itself is evaluated, so no node joins the tree.";
  if (replay.born[leaf] !== replay.opening[row]) {
    return replay.over(leaf) ? "The game is over at this node, so there is nothing to add." : "This node was already in the tree, so nothing is added.";
  }
  if (record.expand === "all") {
    const group = replay.kids[replay.parent[leaf]].filter(k => replay.born[k] === replay.opening[row]);
    return `All ${count(group.length, "move")} of this position join the tree at once. Each is evaluated and backed up in turn.`;
  }
  const over = !replay.over(leaf) ? html`, with ${player(record, replay.toPlay[leaf])} to move` : ". The game is over there";
  return html`Move <b>${replay.label(leaf)}</b> had no node yet. A new one joins the tree${over}.`;
}

function onEvaluate(replay, row, path) {
  const { record } = replay, leaf = path[path.length - 1], v = record.steps.value[row], who = replay.toPlay[leaf];
  const child = sibling(replay, row, leaf);
  const worth = html`For ${player(record, who)}, who is to move at the leaf, that is <b>${badge(v)}</b>`;
  if (replay.over(leaf)) {
    const victor = replay.victor(leaf);
    return html`${child}The rules decide: ${victor < 0 ? "a draw" : replay.result(leaf) || html`${player(record, victor)} has won`}. ${worth}.`;
  }
  const moves = replay.rollout(row).length;
  if (!moves) return html`${child}The evaluator’s value is <b>${badge(v)}</b> for ${player(record, who)}, who is to move at the leaf.${likeliest(replay, leaf)}`;
  if (v !== 0 && Math.abs(v) !== 1) {  // the value of a value network is mixed in
    return html`${child}The leaf is played out in ${count(moves, "move")}. It is worth <b>${badge(v)}</b> for ${player(record, who)}, who is to move there.`;
  }
  const end = v === 0 ? "a draw" : html`a win for ${player(record, v > 0 ? who : 1 - who)}`;
  return html`${child}${count(moves, "move")} later the rollout ends in ${end}. ${worth}.`;
}

// The move with the highest prior from the evaluator.
function likeliest(replay, leaf) {
  const { legal, prior } = replay.record.nodes, priors = legal[leaf].map(a => replay.prior(leaf, a));
  if (!replay.hasPriors || !priors.length) return "";
  if (!prior || !prior[leaf]) return " Its prior is the same for every move.";
  const best = priors.indexOf(Math.max(...priors));
  return html` Its prior is highest for move <b>${moveLabel(replay.record, legal[leaf][best])}</b>: <span class="azl-cP">${Math.round(100 * priors[best])}%</span>.`;
}

// With "all" expansion several rows share a simulation, so this says which child the row is about.
function sibling(replay, row, leaf) {
  const rows = replay.opening.reduce((n, first) => n + (first === replay.opening[row]), 0);
  return rows < 2 ? "" : html`Child ${row - replay.opening[row] + 1} of ${rows}, move <b>${replay.label(leaf)}</b>. `;
}

function onBackup(replay, row, path, view) {
  const { record } = replay, add = replay.changes(row), leaf = path[path.length - 1], v = record.steps.value[row] ?? NaN;
  if (!add.length) return "The path is just the root, so no move gains a visit.";
  const seen = add.map((_, k) => replay.visits(row, k)), visits = seen.every(n => n === seen[0]) ? (seen[0] === 1 ? "a visit" : count(seen[0], "visit")) : "visits";
  const flips = add.every((w, k) => w === (replay.toPlay[path[k]] === replay.toPlay[leaf] ? v : -v)) && v !== 0;
  const signs = view === "first" ? html` Every value is shown for ${player(record, 0)}.` : " The sign changes with the player.";
  return html`The leaf is worth <b>${badge(v)}</b> for ${player(record, replay.toPlay[leaf])} (to move). Every move on the path gains ${visits}.${flips ? signs : ""}${proved(replay, row, path)}`;
}

// The first node on the path whose result this row proves.
function proved(replay, row, path) {
  const i = path.find(k => replay.proof(k) !== null && replay.proofs[k][1] === row);
  if (i === undefined) return "";
  return html` Now proven${i ? html`, after <b>${replay.path(i).slice(1).map(k => replay.label(k)).join(" ")}</b>` : ""}: ${promise(replay.record.game, replay.promised(i))}.`;
}

// Describes node i in plain text, for screen readers and tooltips.
export function describe(replay, i, view) {
  const { game } = replay.record, name = who => stoneName(game, who);
  const over = !replay.over(i) ? `${name(replay.toPlay[i])} to move` : replay.victor(i) < 0 ? "a draw" : replay.result(i) || `${name(replay.victor(i))} has won`;
  const winner = replay.promised(i), proof = winner === null ? "" : `, proven: ${winner < 0 ? "a draw" : `${name(winner)} wins`}`;
  return `${i === 0 ? "Root" : `Move ${replay.label(i)}`}: ${count(i === 0 ? replay.total(0) : replay.N[i], "visit")}, Q ${signed(replay.q(i, view))}, ${over}${proof}`;
}
