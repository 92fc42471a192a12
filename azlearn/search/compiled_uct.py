"""Compiled UCT: the search of ``mcts.py`` as loops over flat arrays, for millions of rollouts.

The tree is stored in the arrays of an ``ArrayTree`` instead of objects. Rules and evaluator are
compiled in, so each pair of them has its own machine code.

The compiled loop runs in slices, without Python's GIL. Other threads can run meanwhile, and
between two slices Python handles Ctrl-C and calls ``stop``. The whole state of the search is in its
arrays, so the tree does not depend on where the slices end.
"""

from collections.abc import Callable
from functools import cache
from math import log
from time import perf_counter
from types import FunctionType, ModuleType
from typing import NamedTuple

import numba
import numpy as np

from azlearn.games import RulesGame, specialize
from azlearn.games.game import check_state
from azlearn.games.state_codec import state_reader
from azlearn.search.array_tree import ArrayNode, ArrayTree
from azlearn.search.selection import check_budget, ucb1_score, uct
from azlearn.search.tree import Tree

SECONDS_PER_SLICE = 0.05


class CompiledRollout(NamedTuple):
    """Compiled rollouts: a policy that chooses every move, and its parameters.

    ``choose(state, last, parameters, generator)``, compiled with ``numba.njit``, returns a legal
    action of ``state``. ``last`` is the previous action, or -1 at the start of the rollout.
    ``generator`` is passed to ``random_bits``.
    """

    rules: ModuleType  # the game's rules module
    choose: FunctionType
    parameters: np.ndarray  # float64; changing them needs no new compilation


def compiled_uct(
    game: RulesGame,
    state,
    num_simulations: int,
    c: float = 1.0,
    rng: np.random.Generator | int = 0,
    evaluator: str | CompiledRollout = "rollout",
    stop: Callable[[Tree, int], bool] | None = None,
) -> Tree:
    """Runs UCT from ``state``, adding one node per simulation; ties go to the lower action.

    The first call for a game compiles for a few seconds. A simulation takes 16 bytes per action and
    8 per word of a state: about 130 bytes in Connect Four, 900 in Go 7x7.

    Args:
        c: as in ``uct``.
        rng: a generator, or the seed of one.
        evaluator: ``"rollout"`` for uniformly random games, or a ``CompiledRollout``.
        stop: called about 20 times per second with the tree so far and the number of simulations
            left; the search stops when it returns True.

    Returns:
        The tree. Its nodes are created on first access. They have visits and value sums, but no
        priors and no ``raw_value``.

    Raises:
        ValueError: there are no simulations to run; ``state`` is not a position of the game, or the
            game is over there; c is invalid; or the evaluator is unknown or for another game.
    """
    check_budget(num_simulations, c)
    check_state(game, state)
    if (outcome := game.outcome(state)) is not None:
        raise ValueError(f"Nothing to search: the game is over here (outcome {outcome}).")
    rollout = uniform_rollout(game.rules) if evaluator == "rollout" else evaluator
    if not isinstance(rollout, CompiledRollout):
        raise ValueError(
            f"evaluator must be 'rollout' or a CompiledRollout, not {evaluator!r:.80}."
        )
    if rollout.rules is not game.rules:
        raise ValueError(f"The evaluator is for {rollout.rules.__name__}, not {game.name}.")
    seed = np.random.default_rng(rng).integers(1, 2**63, dtype=np.uint64)
    grow = _compile_search(game.rules, rollout.choose)
    size = num_simulations + 1  # the root and one node per simulation
    edges = (size, game.num_actions)
    arrays = ArrayTree(
        words=np.empty((size, len(state)), np.int64),
        visit_counts=np.zeros(edges, np.int32),
        value_sum=np.zeros(edges),
        child=np.zeros(edges, np.int32),
    )
    arrays.words[0] = state
    path, generator = np.empty((game.max_plies, 3), np.int64), np.array([seed])
    num_nodes, left, slice_size = 1, num_simulations, 100
    while True:
        started, slice_size = perf_counter(), min(slice_size, left)
        num_nodes = grow(
            arrays, num_nodes, slice_size, float(c), path, rollout.parameters, generator
        )
        left -= slice_size
        tree = Tree(game, ArrayNode(game, ArrayTree(*(a[:num_nodes] for a in arrays)), 0))
        tree.tree_policy = uct(c)
        if not left or (stop is not None and stop(tree, left)):
            return tree
        speed = slice_size / max(perf_counter() - started, SECONDS_PER_SLICE / 10)
        slice_size = max(1, int(speed * SECONDS_PER_SLICE))


@numba.njit
def random_bits(generator):
    """31 random bits from xorshift64* (Marsaglia 2003, Vigna 2016); ``generator`` is uint64 [1]."""
    bits = generator[0]
    bits ^= bits >> np.uint64(12)
    bits ^= bits << np.uint64(25)
    bits ^= bits >> np.uint64(27)
    generator[0] = bits
    return np.int64((bits * np.uint64(2685821657736338717)) >> np.uint64(33))


@cache
def uniform_rollout(rules: ModuleType) -> CompiledRollout:
    """Rollouts with uniformly random legal moves, which the evaluator ``"rollout"`` plays.

    If the rules have ``rollout_options``, only moves that these allow are played.
    """
    compiled, num_actions = specialize(rules, numba.njit), rules.NUM_ACTIONS
    options = getattr(compiled, "rollout_options", compiled.options)
    is_legal = compiled.is_legal

    @numba.njit
    def choose(state, last, parameters, generator):
        possible = options(state)
        while True:
            action = (random_bits(generator) * num_actions) >> 31
            if is_legal(possible, action):
                return action

    return CompiledRollout(rules, choose, np.empty(0))


@cache
def compile_rollout(rules_module: ModuleType, choose: FunctionType) -> FunctionType:
    """Compiles a rollout that chooses its moves with ``choose`` of a ``CompiledRollout``.

    Returns:
        ``rollout(state, parameters, generator)``, which plays from an unfinished ``state`` and
        returns the result for its player to move.
    """
    rules = specialize(rules_module, numba.njit)
    play, outcome, to_play = rules.play, rules.outcome, rules.to_play

    @numba.njit
    def rollout(state, parameters, generator):
        player, action = to_play(state), -1
        while True:
            action = choose(state, action, parameters, generator)
            state = play(state, action)
            is_over, value = outcome(state)
            if is_over:
                return float(value if to_play(state) == player else -value)

    return rollout


@cache
def _compile_search(rules_module: ModuleType, choose: FunctionType) -> FunctionType:
    """Compiles the search for one rules module and one way to choose a rollout's moves."""
    rules, state_of = specialize(rules_module, numba.njit), state_reader(rules_module, numba.njit)
    ucb1 = numba.njit(ucb1_score)
    play, options, is_legal = rules.play, rules.options, rules.is_legal
    outcome, to_play = rules.outcome, rules.to_play
    num_actions, num_words = rules_module.NUM_ACTIONS, len(rules_module.State._fields)
    evaluate = compile_rollout(rules_module, choose)

    @numba.njit(nogil=True)
    def grow(tree, num_nodes, num_simulations, c, path, parameters, generator):
        """Adds simulations to a tree of ``num_nodes`` nodes; returns the new number of nodes."""
        words, visit_counts, value_sum, child = tree
        for _ in range(num_simulations):
            # Select: follow the highest score to an edge without a child.
            node, depth = 0, 0
            while True:
                state = state_of(words[node])
                possible = options(state)
                total = 0
                for a in range(num_actions):
                    total += visit_counts[node, a]
                log_total = log(max(total, 1))
                best, action = -np.inf, -1
                for a in range(num_actions):
                    if is_legal(possible, a):
                        score = ucb1(visit_counts[node, a], value_sum[node, a], 0.0, log_total, c)
                        if score > best:
                            best, action = score, a
                            if score == np.inf:
                                break
                path[depth, 0], path[depth, 1], path[depth, 2] = node, action, to_play(state)
                depth += 1
                if child[node, action] == 0:
                    break
                node = child[node, action]

            # Expand and evaluate: the rules if the game is over, otherwise the evaluator.
            leaf = play(state, action)
            is_over, result = outcome(leaf)
            if is_over:
                value = float(result)
            else:
                child[node, action] = num_nodes
                for w in range(num_words):
                    words[num_nodes, w] = leaf[w]
                num_nodes += 1
                value = evaluate(leaf, parameters, generator)

            # Backup: the sign changes with the player to move.
            player = to_play(leaf)
            for i in range(depth - 1, -1, -1):
                node, action, mover = path[i, 0], path[i, 1], path[i, 2]
                visit_counts[node, action] += 1
                value_sum[node, action] += value if mover == player else -value

        return num_nodes

    return grow
