"""The tree of one game of many: select, expand and backup, written once for all back ends.

They are the phases of ``mcts.py``, with rows of arrays as nodes. The tree policy scores the moves.
All arithmetic is done in the same order as there, so all searches agree to the last bit.
"""

from collections.abc import Callable
from functools import cache
from math import inf
from types import ModuleType
from typing import Any, NamedTuple

from azlearn.games import specialize
from azlearn.games.state_codec import state_reader
from azlearn.search.engine.backends import inner_jit_of, jit_of
from azlearn.search.evaluators import hash_bits
from azlearn.search.proofs import UNKNOWN
from azlearn.search.tree_policy import TreePolicy


class TreeFunctions(NamedTuple):
    """The functions that the loops call, compiled for one back end; ``g`` is a game's row."""

    search: Callable[..., Any]
    answer: Callable[..., Any]
    slot_of: Callable[..., Any]
    keep: Callable[..., Any]
    lift: Callable[..., Any]
    find_below: Callable[..., Any]
    proof: Callable[..., Any]
    store: Callable[..., Any]
    state_of: Callable[..., Any]
    write_legal: Callable[..., Any]
    ended: Callable[..., Any]
    play: Callable[..., Any]
    to_play: Callable[..., Any]


@cache
def tree_functions(
    rules_module: ModuleType, tree_policy: type[TreePolicy], backend: str, use_solver: bool
) -> TreeFunctions:
    """Compiles the functions for one rules module and one tree policy, with or without proofs."""
    jit, inner = jit_of(backend), inner_jit_of(backend)
    rules, state_of = specialize(rules_module, jit), state_reader(rules_module, jit)
    play, options, is_legal = rules.play, rules.options, rules.is_legal
    outcome, to_play = rules.outcome, rules.to_play
    is_over = getattr(rules, "is_over", None)
    num_actions, num_words = rules_module.NUM_ACTIONS, len(rules_module.State._fields)
    hashed, node_terms, score = jit(hash_bits), jit(tree_policy.node_terms), jit(tree_policy.score)
    root_terms = jit(tree_policy.root_terms) if tree_policy.root_terms else None
    root_score = jit(tree_policy.root_score) if tree_policy.root_score else None

    @jit
    def store(row, state):
        """Writes the words of a state to a row."""
        for w in range(num_words):
            row[w] = state[w]

    @jit
    def write_legal(out, state):
        """Writes the legal moves of a state to bool [A]."""
        possible = options(state)
        for a in range(num_actions):
            out[a] = is_legal(possible, a)

    @jit
    def ended_by_outcome(state):
        over, value = outcome(state)
        return bool(over), int(value)

    @jit
    def ended_by_is_over(state):
        """``ended`` for games where detecting the end is cheaper than computing the outcome."""
        if is_over(state):
            return True, int(outcome(state)[1])
        return False, 0

    ended = ended_by_is_over if is_over else ended_by_outcome

    @inner
    def choose(trees, g, node, numbers):
        """The legal action with the highest score."""
        visit_counts, value_sum = trees.visit_counts[g, node], trees.value_sum[g, node]
        prior, raw_value = trees.prior[g, node], trees.raw_value[g, node]
        common = node_terms(visit_counts, value_sum, prior, raw_value, numbers)
        best, action = -inf, -1
        for a in range(num_actions):
            if trees.is_legal[g, node, a] and not (
                use_solver and trees.proven[g, node, a] != UNKNOWN
            ):
                found = score(visit_counts[a], value_sum[a], prior[a], *common)
                if found > best or (use_solver and action < 0):
                    best, action = found, a
        return action

    @inner
    def choose_by_root_form(trees, g, node, numbers):
        """``choose`` for a tree policy whose root has its own formula.

        One function for both would cost PUCT a fifth of its speed.
        """
        visit_counts, value_sum = trees.visit_counts[g, node], trees.value_sum[g, node]
        prior, raw_value = trees.prior[g, node], trees.raw_value[g, node]
        noise, simulations_left = trees.noise[g], trees.remaining[g]
        if use_solver:  # leave out proven moves
            for a in range(num_actions):
                is_open = trees.proven[g, node, a] == UNKNOWN
                trees.open_prior[g, a] = prior[a] if is_open else 0.0
            prior = trees.open_prior[g]
        common = root_terms(visit_counts, value_sum, prior, raw_value, numbers, simulations_left)
        best, action = -inf, -1
        for a in range(num_actions):
            if trees.is_legal[g, node, a] and not (
                use_solver and trees.proven[g, node, a] != UNKNOWN
            ):
                found = root_score(visit_counts[a], value_sum[a], prior[a], noise[a], *common)
                if found > best or (use_solver and action < 0):
                    best, action = found, a
        return action

    choose_at_root = choose_by_root_form if tree_policy.root_terms else choose

    @inner
    def descend(trees, g, numbers):
        """*Select*: goes from the root of game ``g`` to an edge without a child.

        Returns the position after that edge.
        """
        node, depth, action = 0, 0, choose_at_root(trees, g, 0, numbers)
        while True:
            trees.path[g, depth, 0], trees.path[g, depth, 1] = node, action
            depth += 1
            child = trees.child[g, node, action]
            if child == 0:
                break
            node = child
            action = choose(trees, g, node, numbers)
        trees.depth[g] = depth
        return play(state_of(trees.words[g, node]), action)

    @inner
    def mix_noise(trees, g, noise_fraction):
        """Mixes the root's noise, which sums to 1 or to 0 (no noise), into its prior."""
        total = 0.0
        for a in range(num_actions):
            total += trees.noise[g, a]
        if total > 0.0:
            for a in range(num_actions):
                p, noise = trees.prior[g, 0, a], trees.noise[g, a]
                trees.prior[g, 0, a] = (1 - noise_fraction) * p + noise_fraction * noise

    @inner
    def expand(trees, g, prior, value, noise_fraction):
        """*Expand*: the leaf of game ``g`` becomes a node of its tree."""
        new = trees.num_nodes[g]
        trees.num_nodes[g] += 1
        trees.raw_value[g, new], trees.mover[g, new] = value, trees.leaf_mover[g]
        for w in range(num_words):
            trees.words[g, new, w] = trees.leaf[g, w]
        for a in range(num_actions):
            trees.is_legal[g, new, a] = trees.leaf_is_legal[g, a]
            trees.visit_counts[g, new, a], trees.value_sum[g, new, a] = 0, 0.0
            trees.child[g, new, a], trees.prior[g, new, a] = 0, prior[a]
            if use_solver:
                trees.proven[g, new, a] = UNKNOWN
        if new == 0:
            mix_noise(trees, g, noise_fraction)
        else:
            last = trees.depth[g] - 1
            trees.child[g, trees.path[g, last, 0], trees.path[g, last, 1]] = new

    @inner
    def proof(trees, g, node):
        """The proven value of a node, from those of its moves; UNKNOWN = not known."""
        best, undecided = -1, False
        for a in range(num_actions):
            if trees.is_legal[g, node, a]:
                q = trees.proven[g, node, a]
                undecided = undecided or q == UNKNOWN
                best = max(best, q if q != UNKNOWN else -1)
        return UNKNOWN if undecided and best < 1 else best

    @inner
    def backup(trees, g, value, is_known):
        """*Backup*: adds ``value``, for the player to move at the leaf, to the edges above it.

        The sign changes only when the player to move changes. With ``use_solver``, a value that
        ``is_known`` is backed up as a proof.
        """
        player = trees.leaf_mover[g]
        for i in range(trees.depth[g] - 1, -1, -1):
            node, action = trees.path[g, i, 0], trees.path[g, i, 1]
            mover = trees.mover[g, node]
            trees.visit_counts[g, node, action] += 1
            seen = value if mover == player else -value
            trees.value_sum[g, node, action] += seen
            if use_solver and is_known:
                trees.value_sum[g, node, action] = trees.visit_counts[g, node, action] * seen
                trees.proven[g, node, action] = int(seen)
                found = proof(trees, g, node)
                is_known = found != UNKNOWN
                if is_known:
                    player, value = mover, float(found)

    @inner
    def slot_of(cache, trees, g):
        """A leaf's slot in the cache; -1 if there is no cache."""
        slots = cache.filled.shape[0]
        return (hashed(*state_of(trees.leaf[g])) & (slots - 1)) if slots else -1

    @inner
    def holds(cache, slot, trees, g):
        """Whether the slot contains exactly this position."""
        same = slot >= 0 and cache.filled[slot]
        for w in range(num_words):
            same = same and cache.words[slot, w] == trees.leaf[g, w]
        return same

    @jit
    def keep(cache, slot, trees, g, prior, value):
        """Stores the evaluation of a leaf in a cache slot."""
        cache.filled[slot], cache.value[slot] = True, value
        for w in range(num_words):
            cache.words[slot, w] = trees.leaf[g, w]
        for a in range(num_actions):
            cache.is_legal[slot, a] = trees.leaf_is_legal[g, a]
            cache.prior[slot, a] = prior[a]

    @jit
    def search(trees, cache, numbers, noise_fraction, g, most):
        """Searches until it needs an evaluation, is complete, or has made ``most`` descents.

        Returns the number of evaluations from the cache, the number of descents, and whether the
        search is complete.
        """
        num_cached, num_descents = 0, 0
        while not trees.waiting[g]:
            if trees.num_nodes[g] == 0:
                trees.depth[g] = 0
                leaf = state_of(trees.words[g, 0])
            else:
                if use_solver and proof(trees, g, 0) != UNKNOWN:
                    trees.remaining[g] = 0
                if trees.remaining[g] == 0:
                    return num_cached, num_descents, True
                if num_descents >= most:
                    return num_cached, num_descents, False
                num_descents += 1
                trees.remaining[g] -= 1
                leaf = descend(trees, g, numbers)
            store(trees.leaf[g], leaf)
            trees.leaf_mover[g] = to_play(leaf)
            is_over, worth = ended(leaf)
            value = float(worth)
            if not is_over:
                slot = slot_of(cache, trees, g)
                if not holds(cache, slot, trees, g):
                    write_legal(trees.leaf_is_legal[g], leaf)
                    trees.waiting[g] = True
                    break
                for a in range(num_actions):
                    trees.leaf_is_legal[g, a] = cache.is_legal[slot, a]
                value = cache.value[slot]
                expand(trees, g, cache.prior[slot], value, noise_fraction)
                num_cached += 1
            backup(trees, g, value, is_over)
        return num_cached, num_descents, False

    @jit
    def answer(trees, g, prior, value, noise_fraction):
        """Adds the leaf of game ``g`` and its evaluation to the tree, and backs up the value."""
        trees.waiting[g] = False
        expand(trees, g, prior, value, noise_fraction)
        backup(trees, g, value, False)

    @inner
    def stands(trees, g, node, words):
        """Whether the node is not 0 and has exactly this position."""
        same = node > 0
        for w in range(num_words):
            same = same and trees.words[g, node, w] == words[w]
        return same

    @jit
    def find_below(trees, g, words):
        """The node with this position one or two plies below the root; 0 if there is none."""
        found = 0
        for a in range(num_actions if trees.num_nodes[g] > 0 else 0):
            child = trees.child[g, 0, a]
            if stands(trees, g, child, words):
                found = child
            for b in range(num_actions if child > 0 else 0):
                if stands(trees, g, trees.child[g, child, b], words):
                    found = trees.child[g, child, b]
        return found

    @jit
    def lift(trees, g, root, noise_fraction):
        """Makes a node of game ``g`` its root: its subtree moves up, other nodes are dropped."""
        size, count = trees.num_nodes[g], 0
        for r in range(size):
            trees.moved_to[g, r] = -1  # dropped
        trees.moved_to[g, root] = 0
        for r in range(root, size):  # a child's row is after its parent's
            if trees.moved_to[g, r] >= 0:
                trees.moved_to[g, r] = count
                trees.raw_value[g, count] = trees.raw_value[g, r]
                trees.mover[g, count] = trees.mover[g, r]
                for w in range(num_words):
                    trees.words[g, count, w] = trees.words[g, r, w]
                for a in range(num_actions):
                    trees.is_legal[g, count, a] = trees.is_legal[g, r, a]
                    trees.prior[g, count, a] = trees.prior[g, r, a]
                    trees.visit_counts[g, count, a] = trees.visit_counts[g, r, a]
                    trees.value_sum[g, count, a] = trees.value_sum[g, r, a]
                    trees.child[g, count, a] = trees.child[g, r, a]
                    if use_solver:
                        trees.proven[g, count, a] = trees.proven[g, r, a]
                    if trees.child[g, r, a] > 0:
                        trees.moved_to[g, trees.child[g, r, a]] = 0  # kept
                count += 1
        for r in range(count):
            for a in range(num_actions):
                if trees.child[g, r, a] > 0:
                    trees.child[g, r, a] = trees.moved_to[g, trees.child[g, r, a]]
        trees.num_nodes[g] = count
        mix_noise(trees, g, noise_fraction)

    return TreeFunctions(
        search, answer, slot_of, keep, lift, find_below, proof, store, state_of, write_legal, ended,
        play, to_play,
    )  # fmt: skip
