"""UCT compiled: the search of ``mcts.py`` as loops over flat arrays, for millions of rollouts.

The tree is the arrays of ``FlatTree`` instead of objects. Rules and evaluator are compiled in,
so there is one machine-code search per pair of them.
"""

from functools import cache
from math import log
from types import FunctionType, ModuleType
from typing import NamedTuple

import numba
import numpy as np

from azlearn.games import RulesGame, variant
from azlearn.games.game import check_state
from azlearn.search.evaluators import hash_bits, hash_value
from azlearn.search.flat_tree import FlatNode, FlatTree
from azlearn.search.selection import check_budget, ucb1_score, uct
from azlearn.search.tree import Tree
from azlearn.search.words import state_reader


class CompiledRollout(NamedTuple):
    """Compiled random games: a policy that chooses every move, and the numbers it goes by.

    ``choose(state, last, parameters, generator)``, a function from ``numba.njit``, returns a legal
    action of ``state``. ``last`` is the action before it, -1 where the rollout begins;
    ``generator`` is for ``random_bits``.
    """

    rules: ModuleType  # of the game that it plays
    choose: FunctionType
    parameters: np.ndarray  # float64; searches with other parameters need no compiling


def compiled_uct(
    game: RulesGame,
    state,
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
        ValueError: no simulations, no position of the game or a finished one, an impossible c, an
            unknown evaluator or one for another game.
    """
    check_budget(num_simulations, c)
    check_state(game, state)
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
    root = np.array(state, np.int64)
    arrays = FlatTree(*search(root, num_simulations, float(c), seed, parameters))
    tree = Tree(game, FlatNode(game, arrays, 0))
    tree.plan = uct(c)
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
    """Every legal move with the same probability: the games of the evaluator ``"rollout"``.

    Where the rules have ``rollout_options``, only the moves that those allow.
    """
    compiled, num_actions = variant(rules, numba.njit), rules.NUM_ACTIONS
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
    """One random game, compiled; ``choose`` is that of a ``CompiledRollout``.

    Returns:
        ``rollout(state, parameters, generator)``: its result for the player to move in ``state``,
        whose game goes on.
    """
    rules = variant(rules_module, numba.njit)
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
def _compile_search(rules_module: ModuleType, choose: FunctionType | str) -> FunctionType:
    """The search for one set of rules and one way to choose a rollout's moves, or ``"hash"``."""
    rules, state_of = variant(rules_module, numba.njit), state_reader(rules_module, True)
    ucb1 = numba.njit(ucb1_score)
    play, options, is_legal = rules.play, rules.options, rules.is_legal
    outcome, to_play = rules.outcome, rules.to_play
    num_actions, num_words = rules_module.NUM_ACTIONS, len(rules_module.State._fields)
    max_plies = rules_module.MAX_PLIES
    evaluate = _compile_hash() if choose == "hash" else compile_rollout(rules_module, choose)

    @numba.njit
    def search(root, num_simulations, c, seed, parameters):
        generator = np.array([seed], dtype=np.uint64)
        size = num_simulations + 1  # a simulation adds at most one node
        words = np.empty((size, num_words), np.int64)
        visit_counts = np.zeros((size, num_actions), np.int32)
        value_sum = np.zeros((size, num_actions), np.float64)
        child = np.zeros((size, num_actions), np.int32)
        mover = np.empty(size, np.int8)  # who is to move
        path_node = np.empty(max_plies, np.int64)
        path_action = np.empty(max_plies, np.int64)
        words[0], mover[0], num_nodes = root, to_play(state_of(root)), 1

        for _ in range(num_simulations):
            # Select: follow the highest score to an edge with no node behind it.
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
                path_node[depth], path_action[depth] = node, action
                depth += 1
                if child[node, action] == 0:
                    break
                node = child[node, action]

            # Expand and evaluate: the rules decide if the game is over, else the evaluator does.
            leaf = play(state, action)
            is_over, result = outcome(leaf)
            player = to_play(leaf)
            if is_over:
                value = float(result)
            else:
                child[node, action] = num_nodes
                for w in range(num_words):
                    words[num_nodes, w] = leaf[w]
                mover[num_nodes] = player
                num_nodes += 1
                value = evaluate(leaf, parameters, generator)

            # Backup: one change of sign for each change of player.
            for i in range(depth - 1, -1, -1):
                node, action = path_node[i], path_action[i]
                visit_counts[node, action] += 1
                value_sum[node, action] += value if mover[node] == player else -value

        return (
            words[:num_nodes], visit_counts[:num_nodes], value_sum[:num_nodes], child[:num_nodes],
        )  # fmt: skip

    return search


def _compile_hash() -> FunctionType:
    """``hash_value`` as a compiled evaluator."""
    namespace = {"hash_bits": numba.njit(hash_bits)}
    value = numba.njit(FunctionType(hash_value.__code__, namespace))

    @numba.njit
    def evaluate(state, parameters, generator):
        return value(*state)

    return evaluate
