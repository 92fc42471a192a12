"""The two loops of ``BatchedPUCT``, written once and compiled for each game.

They are the phases of ``mcts.py`` with rows of arrays for nodes. What is scored, and how, is the
plan's; its arithmetic has one order everywhere, so that the two searches agree to the last bit.
"""

from functools import cache
from math import inf
from types import FunctionType, ModuleType
from typing import NamedTuple

import numba
import numpy as np

from azlearn.games import variant
from azlearn.games.words import state_reader
from azlearn.search.evaluators import hash_bits
from azlearn.search.plans import Plan
from azlearn.search.proofs import UNKNOWN

MOST_DESCENTS = 1000  # in one call: between two calls Python hears Ctrl-C


class Trees(NamedTuple):
    """The trees of B games, A actions each. Row 0 of a game's nodes is its root."""

    words: np.ndarray  # int64 [B, nodes, W], the states
    raw_value: np.ndarray  # float64 [B, nodes], the evaluator's, for the player to move
    prior: np.ndarray  # float64 [B, nodes, A]
    visit_counts: np.ndarray  # int32 [B, nodes, A]
    value_sum: np.ndarray  # float64 [B, nodes, A], for the player to move at the node
    child: np.ndarray  # int32 [B, nodes, A], the row behind every move, 0 = none
    proven: np.ndarray  # int8 [B, nodes, A], a move's worth to its mover, or UNKNOWN; see proofs.py
    num_nodes: np.ndarray  # int32 [B]; 0 = the root has not been evaluated yet
    remaining: np.ndarray  # int64 [B], simulations that have not begun
    noise: np.ndarray  # float64 [B, A], of the root: mixed into its prior, or for its plan
    path: np.ndarray  # int32 [B, plies, 3], (node, action, mover) of the current simulation
    depth: np.ndarray  # int32 [B], its length
    leaf: np.ndarray  # int64 [B, W], where it ended
    waiting: np.ndarray  # bool [B], for an evaluation of that leaf


class Cache(NamedTuple):
    """Evaluations by position, the last one in each of 2**k slots; no slots = no cache."""

    words: np.ndarray  # int64 [slots, W]
    filled: np.ndarray  # bool [slots]
    prior: np.ndarray  # float64 [slots, A]
    value: np.ndarray  # float64 [slots]


@cache
def compile_loops(
    rules_module: ModuleType, plan: type[Plan], compiled: bool, proves: bool = False
) -> tuple[FunctionType, FunctionType, FunctionType]:
    """``(select, update, reroot)`` for one set of rules and one kind of plan, in machine code or,
    to step through, in Python; with proofs or without."""
    jit = numba.njit if compiled else (lambda function: function)
    without_lock = numba.njit(nogil=True) if compiled else jit  # what Python calls: threads go on
    rules = variant(rules_module, jit)
    play, options, is_legal = rules.play, rules.options, rules.is_legal
    outcome, to_play = rules.outcome, rules.to_play
    num_actions, num_words = rules_module.NUM_ACTIONS, len(rules_module.State._fields)
    hashed, state_of = jit(hash_bits), state_reader(rules_module, compiled)
    terms, score = jit(plan.terms), jit(plan.score)
    root_terms = jit(plan.root_terms) if plan.root_terms else None
    root_score = jit(plan.root_score) if plan.root_score else None

    @jit
    def store(row, state):
        for w in range(num_words):
            row[w] = state[w]

    @jit
    def choose(trees, g, node, state, numbers):
        """The legal action with the highest score."""
        visit_counts, value_sum = trees.visit_counts[g, node], trees.value_sum[g, node]
        prior, raw_value = trees.prior[g, node], trees.raw_value[g, node]
        common = terms(visit_counts, value_sum, prior, raw_value, numbers)
        best, action, possible = -inf, -1, options(state)
        for a in range(num_actions):
            if is_legal(possible, a) and not (proves and trees.proven[g, node, a] != UNKNOWN):
                found = score(visit_counts[a], value_sum[a], prior[a], *common)
                if found > best or (proves and action < 0):
                    best, action = found, a
        return action

    @jit
    def choose_by_root_form(trees, g, node, state, numbers):
        """The same for a plan that scores its root in another way. One function for both costs PUCT
        a fifth of its speed."""
        visit_counts, value_sum = trees.visit_counts[g, node], trees.value_sum[g, node]
        prior, raw_value = trees.prior[g, node], trees.raw_value[g, node]
        noise, num_left = trees.noise[g], trees.remaining[g]
        if proves:  # what is decided takes no part
            prior = prior.copy()
            for a in range(num_actions):
                if trees.proven[g, node, a] != UNKNOWN:
                    prior[a] = 0.0
        common = root_terms(visit_counts, value_sum, prior, raw_value, numbers, num_left)
        best, action, possible = -inf, -1, options(state)
        for a in range(num_actions):
            if is_legal(possible, a) and not (proves and trees.proven[g, node, a] != UNKNOWN):
                found = root_score(visit_counts[a], value_sum[a], prior[a], noise[a], *common)
                if found > best or (proves and action < 0):
                    best, action = found, a
        return action

    choose_at_root = choose_by_root_form if plan.root_terms else choose

    @jit
    def descend(trees, g, numbers):
        """*Select*: from the root of game ``g`` to an edge with no node behind it."""
        state = state_of(trees.words[g, 0])
        node, depth, action = 0, 0, choose_at_root(trees, g, 0, state, numbers)
        while True:
            edge = trees.path[g, depth]
            edge[0], edge[1], edge[2] = node, action, to_play(state)
            depth += 1
            if trees.child[g, node, action] == 0:
                break
            node = trees.child[g, node, action]
            state = state_of(trees.words[g, node])
            action = choose(trees, g, node, state, numbers)
        trees.depth[g] = depth
        store(trees.leaf[g], play(state, action))

    @jit
    def expand(trees, g, prior, value, noise_fraction):
        """*Expand*: the leaf of game ``g`` becomes a node of its tree."""
        new = trees.num_nodes[g]
        trees.num_nodes[g] += 1
        store(trees.words[g, new], trees.leaf[g])
        trees.raw_value[g, new] = value
        is_noisy = new == 0 and trees.noise[g].sum() > 0.0  # it sums to 1, or to 0: none
        if new > 0:
            edge = trees.path[g, trees.depth[g] - 1]
            trees.child[g, edge[0], edge[1]] = new
        for a in range(num_actions):
            trees.visit_counts[g, new, a], trees.value_sum[g, new, a] = 0, 0.0
            trees.child[g, new, a], trees.prior[g, new, a] = 0, prior[a]
            if proves:
                trees.proven[g, new, a] = UNKNOWN
            if is_noisy:
                mixed = (1 - noise_fraction) * prior[a] + noise_fraction * trees.noise[g, a]
                trees.prior[g, new, a] = mixed

    @jit
    def proof(trees, g, node):
        """What the proofs of a node's moves say of it; UNKNOWN = nothing yet."""
        best, undecided, possible = -1, False, options(state_of(trees.words[g, node]))
        for a in range(num_actions):
            if is_legal(possible, a):
                q = trees.proven[g, node, a]
                undecided = undecided or q == UNKNOWN
                best = max(best, q if q != UNKNOWN else -1)
        return UNKNOWN if undecided and best < 1 else best

    @jit
    def backup(trees, g, value, is_known):
        """*Backup*: adds ``value``, for the player to move at the leaf, to the edges above it.

        The sign changes where the player to move does, and only there. What ``is_known`` is carried
        up as a proof, if the engine proves.
        """
        player = to_play(state_of(trees.leaf[g]))
        for i in range(trees.depth[g] - 1, -1, -1):
            node, action, mover = trees.path[g, i, 0], trees.path[g, i, 1], trees.path[g, i, 2]
            trees.visit_counts[g, node, action] += 1
            seen = value if mover == player else -value
            trees.value_sum[g, node, action] += seen
            if proves and is_known:
                trees.value_sum[g, node, action] = trees.visit_counts[g, node, action] * seen
                trees.proven[g, node, action] = int(seen)
                found = proof(trees, g, node)
                is_known = found != UNKNOWN
                if is_known:
                    player, value = mover, float(found)

    @jit
    def find(cache, state):
        """The slot of a position in the cache; -1 if there is no cache."""
        slots = cache.filled.shape[0]
        return (hashed(*state) & (slots - 1)) if slots else -1

    @jit
    def holds(cache, slot, state):
        """True where the slot is filled with this very position."""
        same = slot >= 0 and cache.filled[slot]
        for w in range(num_words):
            same = same and cache.words[slot, w] == state[w]
        return same

    @without_lock
    def select(trees, cache, numbers, noise_fraction):
        """Takes every game to its next question, in ``MOST_DESCENTS`` at most: gives how many the
        cache has answered, and whether there is more to do."""
        num_cached = num_descents = 0
        for g in range(trees.leaf.shape[0]):
            while not trees.waiting[g] and (trees.num_nodes[g] == 0 or trees.remaining[g] > 0):
                if trees.num_nodes[g] == 0:
                    trees.depth[g] = 0
                    store(trees.leaf[g], trees.words[g, 0])
                elif proves and proof(trees, g, 0) != UNKNOWN:
                    trees.remaining[g] = 0
                    break
                elif num_descents == MOST_DESCENTS:
                    return num_cached, True
                else:
                    num_descents += 1
                    trees.remaining[g] -= 1
                    descend(trees, g, numbers)
                leaf = state_of(trees.leaf[g])
                slot = find(cache, leaf)
                is_over, value = outcome(leaf)
                if is_over:
                    backup(trees, g, float(value), True)
                elif holds(cache, slot, leaf):
                    expand(trees, g, cache.prior[slot], cache.value[slot], noise_fraction)
                    backup(trees, g, cache.value[slot], False)
                    num_cached += 1
                else:
                    trees.waiting[g] = True
        return num_cached, False

    @without_lock
    def update(trees, cache, rows, prior, value, noise_fraction):
        """Answers the questions of the games ``rows``."""
        for i in range(rows.shape[0]):
            g = rows[i]
            trees.waiting[g] = False
            expand(trees, g, prior[i], value[i], noise_fraction)
            backup(trees, g, value[i], False)
            leaf = state_of(trees.leaf[g])
            slot = find(cache, leaf)
            if slot >= 0:
                store(cache.words[slot], leaf)
                cache.filled[slot] = True
                cache.prior[slot], cache.value[slot] = prior[i], value[i]

    @jit
    def stands(trees, g, node, words):
        """True where a node, not 0, holds this very position."""
        same = node > 0
        for w in range(num_words):
            same = same and trees.words[g, node, w] == words[w]
        return same

    @jit
    def lift(trees, g, root):
        """Makes a node of game ``g`` its root. What lies below it moves up, the rest goes."""
        size, count = trees.num_nodes[g], 0
        stays, row = np.zeros(size, np.bool_), np.zeros(size, np.int32)
        stays[root] = True
        for r in range(root, size):  # a child stands below its parent
            if stays[r]:
                row[r] = count
                trees.words[g, count] = trees.words[g, r]
                trees.raw_value[g, count] = trees.raw_value[g, r]
                trees.prior[g, count] = trees.prior[g, r]
                trees.visit_counts[g, count] = trees.visit_counts[g, r]
                trees.value_sum[g, count] = trees.value_sum[g, r]
                trees.child[g, count] = trees.child[g, r]
                if proves:
                    trees.proven[g, count] = trees.proven[g, r]
                for a in range(num_actions):
                    if trees.child[g, r, a] > 0:
                        stays[trees.child[g, r, a]] = True
                count += 1
        for r in range(count):
            for a in range(num_actions):
                if trees.child[g, r, a] > 0:
                    trees.child[g, r, a] = row[trees.child[g, r, a]]
        trees.num_nodes[g] = count

    @without_lock
    def reroot(trees, rows, words, noise_fraction):
        """Keeps of each game's tree what lies below a position one or two plies from its root.

        Gives the visits that the new root has; -1 where the position is not there.
        """
        visits = np.full(rows.shape[0], -1)
        for i in range(rows.shape[0]):
            g, found = rows[i], 0
            for a in range(num_actions if trees.num_nodes[g] > 0 else 0):
                child = trees.child[g, 0, a]
                if stands(trees, g, child, words[i]):
                    found = child
                for b in range(num_actions if child > 0 else 0):
                    if stands(trees, g, trees.child[g, child, b], words[i]):
                        found = trees.child[g, child, b]
            if found > 0:
                lift(trees, g, found)
                visits[i] = trees.visit_counts[g, 0].sum()
                if trees.noise[g].sum() > 0.0:
                    for a in range(num_actions):
                        p, noise = trees.prior[g, 0, a], trees.noise[g, a]
                        trees.prior[g, 0, a] = (1 - noise_fraction) * p + noise_fraction * noise
        return visits

    return select, update, reroot
