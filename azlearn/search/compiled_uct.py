"""UCT compiled: the search of ``mcts.py`` as loops over flat arrays, for millions of rollouts.

The tree is the five arrays of ``FlatTree`` instead of objects. Rules and evaluator are compiled in,
so there is one machine-code search per pair of them.
"""

from functools import cache
from math import log, sqrt
from types import FunctionType, ModuleType
from typing import NamedTuple

import numba
import numpy as np

from azlearn.games import State, compiled_rules
from azlearn.games.bitboard import BitboardGame
from azlearn.search.evaluators import hash_bits, hash_value
from azlearn.search.flat_tree import FlatNode, FlatTree
from azlearn.search.selection import check_budget, uct
from azlearn.search.tree import Tree


class CompiledRollout(NamedTuple):
    """Compiled random games: a policy that chooses every move, and the numbers it goes by.

    ``choose(me, opp, last, parameters, generator)``, a function from ``numba.njit``, returns a
    legal action of the position (me, opp). ``last`` is the action before it, -1 where the rollout
    begins; ``generator`` is for ``random_bits``.
    """

    rules: ModuleType  # of the game that it plays
    choose: FunctionType
    parameters: np.ndarray  # float64; searches with other parameters need no compiling


def compiled_uct(
    game: BitboardGame,
    state: State,
    num_simulations: int,
    c: float = 1.0,
    rng: np.random.Generator | int = 0,
    evaluator: str | CompiledRollout = "rollout",
) -> Tree:
    """UCT from ``state``, expanding one node a simulation; equal scores go to the lower action.

    The first call for a game compiles for a second or two. A simulation takes about 130 bytes.

    Args:
        c: as in ``uct``.
        rng: a generator, or the seed of one.
        evaluator: ``"rollout"`` for uniformly random games, a policy for games by that policy, or
            ``"hash"`` for the values of ``hash_evaluator``, with which this search and ``MCTS``
            agree visit for visit.

    Returns:
        The tree; its nodes are made as they are looked at. They hold visits and value sums, no
        priors and no values of their own.

    Raises:
        ValueError: no simulations, a finished game, an impossible c, an unknown evaluator or one
            for another game.
    """
    check_budget(num_simulations, c)
    if (outcome := game.outcome(state)) is not None:
        raise ValueError(f"The game is over here (outcome {outcome}): nothing to search.")
    if isinstance(evaluator, CompiledRollout):
        if evaluator.rules is not game.rules:
            raise ValueError(f"The evaluator is for {evaluator.rules.__name__}, not {game.name}.")
        choose, parameters = evaluator.choose, evaluator.parameters
    elif evaluator in ("rollout", "hash"):
        choose = "hash" if evaluator == "hash" else uniform_rollout(game.rules).choose
        parameters = np.empty(0)
    else:
        raise ValueError(
            f"evaluator must be 'rollout' or 'hash' or a CompiledRollout, not {evaluator!r:.80}."
        )
    seed = np.random.default_rng(rng).integers(1, 2**63, dtype=np.uint64)
    search = _compile_search(game.rules, choose)
    arrays = FlatTree(*search(state.me, state.opp, num_simulations, float(c), seed, parameters))
    tree = Tree(game, FlatNode(game, arrays, 0))
    tree.select = uct(c)
    return tree


@numba.njit
def random_bits(generator):
    """31 random bits by xorshift64* (Marsaglia 2003, Vigna 2016); ``generator`` is uint64 [1]."""
    bits = generator[0]
    bits ^= bits >> np.uint64(12)
    bits ^= bits << np.uint64(25)
    bits ^= bits >> np.uint64(27)
    generator[0] = bits
    return np.int64((bits * np.uint64(2685821657736338717)) >> np.uint64(33))


@cache
def uniform_rollout(rules: ModuleType) -> CompiledRollout:
    """Every legal move with the same probability: the games of the evaluator ``"rollout"``."""
    is_legal, num_actions = compiled_rules(rules, numba.njit).is_legal, rules.NUM_ACTIONS

    @numba.njit
    def choose(me, opp, last, parameters, generator):
        while True:
            action = (random_bits(generator) * num_actions) >> 31
            if is_legal(me | opp, action):
                return action

    return CompiledRollout(rules, choose, np.empty(0))


@cache
def compile_rollout(rules_module: ModuleType, choose: FunctionType) -> FunctionType:
    """One random game, compiled; ``choose`` is that of a ``CompiledRollout``.

    Returns:
        ``rollout(me, opp, parameters, generator)``: its result, -1, 0 or 1, for the player to move
        in the unfinished position (me, opp).
    """
    rules = compiled_rules(rules_module, numba.njit)
    play, has_won, is_full = rules.play, rules.has_won, rules.is_full

    @numba.njit
    def rollout(me, opp, parameters, generator):
        sign, action = 1.0, -1
        while not is_full(me | opp):
            action = choose(me, opp, action, parameters, generator)
            me, opp = play(me, opp, action)
            if has_won(opp):
                return sign
            sign = -sign
        return 0.0

    return rollout


@cache
def _compile_search(rules_module: ModuleType, choose: FunctionType | str) -> FunctionType:
    """The search for one set of rules and one way to choose a rollout's moves, or ``"hash"``."""
    rules = compiled_rules(rules_module, numba.njit)
    play, is_legal, has_won, is_full = rules.play, rules.is_legal, rules.has_won, rules.is_full
    num_actions = rules_module.NUM_ACTIONS
    max_plies = rules_module.ROWS * rules_module.COLS
    evaluate = _compile_hash() if choose == "hash" else compile_rollout(rules_module, choose)

    @numba.njit
    def search(root_me, root_opp, num_simulations, c, seed, parameters):
        generator = np.array([seed], dtype=np.uint64)
        size = num_simulations + 1  # a simulation adds at most one node
        me = np.empty(size, np.int64)
        opp = np.empty(size, np.int64)
        visit_counts = np.zeros((size, num_actions), np.int32)
        value_sum = np.zeros((size, num_actions), np.float64)
        child = np.zeros((size, num_actions), np.int32)
        path_node = np.empty(max_plies, np.int64)
        path_action = np.empty(max_plies, np.int64)
        me[0], opp[0], num_nodes = root_me, root_opp, 1

        for _ in range(num_simulations):
            # Select: follow the highest score to an edge with no node behind it.
            node, depth = 0, 0
            while True:
                occ = me[node] | opp[node]
                total = 0
                for a in range(num_actions):
                    total += visit_counts[node, a]
                log_total = log(max(total, 1))
                best, action = -np.inf, -1
                for a in range(num_actions):
                    if is_legal(occ, a):
                        n = visit_counts[node, a]
                        if n == 0:
                            action = a
                            break
                        score = value_sum[node, a] / n + c * sqrt(log_total / n)
                        if score > best:
                            best, action = score, a
                path_node[depth], path_action[depth] = node, action
                depth += 1
                if child[node, action] == 0:
                    break
                node = child[node, action]

            # Expand and evaluate: the rules decide if the game is over, else the evaluator does.
            leaf_me, leaf_opp = play(me[node], opp[node], action)
            if has_won(leaf_opp):
                value = -1.0
            elif is_full(leaf_me | leaf_opp):
                value = 0.0
            else:
                child[node, action] = num_nodes
                me[num_nodes], opp[num_nodes] = leaf_me, leaf_opp
                num_nodes += 1
                value = evaluate(leaf_me, leaf_opp, parameters, generator)

            # Backup: one change of sign for each change of player.
            for i in range(depth - 1, -1, -1):
                value = -value
                visit_counts[path_node[i], path_action[i]] += 1
                value_sum[path_node[i], path_action[i]] += value

        return (
            me[:num_nodes], opp[:num_nodes], visit_counts[:num_nodes], value_sum[:num_nodes],
            child[:num_nodes],
        )  # fmt: skip

    return search


def _compile_hash() -> FunctionType:
    """``hash_value`` as a compiled evaluator."""
    namespace = {"hash_bits": numba.njit(hash_bits)}
    value = numba.njit(FunctionType(hash_value.__code__, namespace))

    @numba.njit
    def evaluate(me, opp, parameters, generator):
        return value(me, opp)

    return evaluate
