"""The two loops of ``BatchedPUCT``, written once and compiled for each game.

They are the phases of ``mcts.py`` with rows of arrays for nodes. Every score is computed in the
order of arithmetic of ``puct``, so that the two searches agree to the last bit.
"""

from functools import cache
from math import inf, sqrt
from types import FunctionType, ModuleType
from typing import NamedTuple

import numba
import numpy as np

from azlearn.games import compiled_rules
from azlearn.search.evaluators import hash_bits

PARENT = 2.0  # stands for fpu="parent": no value is above 1


class Trees(NamedTuple):
    """The trees of B games, A actions each. Row 0 of a game's nodes is its root."""

    me: np.ndarray  # int64 [B, nodes], the stones of the player to move
    opp: np.ndarray  # int64 [B, nodes]
    raw_value: np.ndarray  # float64 [B, nodes], the evaluator's, for the player to move
    prior: np.ndarray  # float64 [B, nodes, A]
    visit_counts: np.ndarray  # int32 [B, nodes, A]
    value_sum: np.ndarray  # float64 [B, nodes, A], for the player to move at the node
    child: np.ndarray  # int32 [B, nodes, A], the row behind every move, 0 = none
    num_nodes: np.ndarray  # int32 [B]; 0 = the root has not been evaluated yet
    remaining: np.ndarray  # int64 [B], simulations that have not begun
    noise: np.ndarray  # float64 [B, A], to mix into the root's prior; zeros = none
    path: np.ndarray  # int32 [B, plies, 2], (node, action) of the current simulation
    depth: np.ndarray  # int32 [B], its length
    leaf_me: np.ndarray  # int64 [B], where it ended
    leaf_opp: np.ndarray  # int64 [B]
    waiting: np.ndarray  # bool [B], for an evaluation of that leaf


class Cache(NamedTuple):
    """Evaluations by position, the last one in each of 2**k slots; no slots = no cache."""

    me: np.ndarray  # int64 [slots]; -1 = empty
    opp: np.ndarray  # int64 [slots]
    prior: np.ndarray  # float64 [slots, A]
    value: np.ndarray  # float64 [slots]


@cache
def compile_loops(rules_module: ModuleType, compiled: bool) -> tuple[FunctionType, FunctionType]:
    """``(select, update)`` for one set of rules, in machine code or, to step through, in Python."""
    jit = numba.njit if compiled else (lambda function: function)
    rules = compiled_rules(rules_module, jit)
    play, is_legal, has_won, is_full = rules.play, rules.is_legal, rules.has_won, rules.is_full
    num_actions = rules_module.NUM_ACTIONS
    hashed = jit(hash_bits)

    @jit
    def choose(trees, g, node, c, fpu, fpu_reduction):
        """The legal action with the highest score of ``puct``."""
        visit_counts, value_sum = trees.visit_counts[g, node], trees.value_sum[g, node]
        prior, occ = trees.prior[g, node], trees.me[g, node] | trees.opp[g, node]
        total, total_value, known = 0, 0.0, 0.0
        for a in range(num_actions):
            total += visit_counts[a]
            total_value += value_sum[a]
            if visit_counts[a]:
                known += prior[a]
        scale = c * sqrt(max(total, 1))
        first = (trees.raw_value[g, node] + total_value) / (1 + total) if fpu == PARENT else fpu
        first -= fpu_reduction * sqrt(known)
        best, action = -inf, -1
        for a in range(num_actions):
            if is_legal(occ, a):
                n = visit_counts[a]
                q = value_sum[a] / n if n else first
                score = q + scale * prior[a] / (1 + n)
                if score > best:
                    best, action = score, a
        return action

    @jit
    def descend(trees, g, c, fpu, fpu_reduction):
        """*Select*: from the root of game ``g`` to an edge with no node behind it."""
        node, depth = 0, 0
        while True:
            action = choose(trees, g, node, c, fpu, fpu_reduction)
            trees.path[g, depth, 0], trees.path[g, depth, 1] = node, action
            depth += 1
            if trees.child[g, node, action] == 0:
                break
            node = trees.child[g, node, action]
        trees.depth[g] = depth
        leaf = play(trees.me[g, node], trees.opp[g, node], action)
        trees.leaf_me[g], trees.leaf_opp[g] = leaf

    @jit
    def expand(trees, g, prior, value, noise_fraction):
        """*Expand*: the leaf of game ``g`` becomes a node of its tree."""
        new = trees.num_nodes[g]
        trees.num_nodes[g] += 1
        trees.me[g, new], trees.opp[g, new] = trees.leaf_me[g], trees.leaf_opp[g]
        trees.raw_value[g, new] = value
        is_noisy = new == 0 and trees.noise[g].sum() > 0.0  # it sums to 1, or to 0: none
        if new > 0:
            edge = trees.path[g, trees.depth[g] - 1]
            trees.child[g, edge[0], edge[1]] = new
        for a in range(num_actions):
            trees.visit_counts[g, new, a], trees.value_sum[g, new, a] = 0, 0.0
            trees.child[g, new, a], trees.prior[g, new, a] = 0, prior[a]
            if is_noisy:
                mixed = (1 - noise_fraction) * prior[a] + noise_fraction * trees.noise[g, a]
                trees.prior[g, new, a] = mixed

    @jit
    def backup(trees, g, value):
        """*Backup*: adds ``value``, for the player to move at the leaf, to the edges above it.

        The players of a bitboard game alternate, so the sign changes at every edge.
        """
        for i in range(trees.depth[g] - 1, -1, -1):
            value = -value
            node, action = trees.path[g, i, 0], trees.path[g, i, 1]
            trees.visit_counts[g, node, action] += 1
            trees.value_sum[g, node, action] += value

    @jit
    def find(cache, me, opp):
        """The slot of a position in the cache; -1 if there is no cache."""
        return (hashed(me, opp) & (cache.me.shape[0] - 1)) if cache.me.shape[0] else -1

    @jit
    def select(trees, cache, c, fpu, fpu_reduction, noise_fraction):
        """Takes every game to its next question; gives how many the cache has answered."""
        num_cached = 0
        for g in range(trees.me.shape[0]):
            while not trees.waiting[g] and (trees.num_nodes[g] == 0 or trees.remaining[g] > 0):
                if trees.num_nodes[g] == 0:
                    trees.depth[g] = 0
                    trees.leaf_me[g], trees.leaf_opp[g] = trees.me[g, 0], trees.opp[g, 0]
                else:
                    trees.remaining[g] -= 1
                    descend(trees, g, c, fpu, fpu_reduction)
                me, opp = trees.leaf_me[g], trees.leaf_opp[g]
                slot = find(cache, me, opp)
                if has_won(opp):
                    backup(trees, g, -1.0)
                elif is_full(me | opp):
                    backup(trees, g, 0.0)
                elif slot >= 0 and cache.me[slot] == me and cache.opp[slot] == opp:
                    expand(trees, g, cache.prior[slot], cache.value[slot], noise_fraction)
                    backup(trees, g, cache.value[slot])
                    num_cached += 1
                else:
                    trees.waiting[g] = True
        return num_cached

    @jit
    def update(trees, cache, rows, prior, value, noise_fraction):
        """Answers the questions of the games ``rows``."""
        for i in range(rows.shape[0]):
            g = rows[i]
            trees.waiting[g] = False
            expand(trees, g, prior[i], value[i], noise_fraction)
            backup(trees, g, value[i])
            slot = find(cache, trees.leaf_me[g], trees.leaf_opp[g])
            if slot >= 0:
                cache.me[slot], cache.opp[slot] = trees.leaf_me[g], trees.leaf_opp[g]
                cache.prior[slot], cache.value[slot] = prior[i], value[i]

    return select, update
