"""UCT compiled: one game of the engine that answers its own questions, for millions of rollouts.

Rules and evaluator are compiled in, so there is one machine-code search per pair of them.

The compiled loop runs in slices, without Python's lock. Other threads go on meanwhile, and between
two slices Python hears Ctrl-C and ``stop``. All that the search knows is in its arrays, so the tree
does not depend on where it was cut.
"""

from collections.abc import Callable
from functools import cache
from time import perf_counter
from types import FunctionType, ModuleType
from typing import NamedTuple

import numba
import numpy as np

from azlearn.games import RulesGame, variant
from azlearn.games.game import check_state
from azlearn.search.engine.columns import Cache, Trees, cache_columns, new_table, tree_columns
from azlearn.search.engine.tree import tree_functions
from azlearn.search.flat_tree import FlatNode, FlatTree
from azlearn.search.selection import MOST, UCT, check_budget, uct
from azlearn.search.tree import Tree

SECONDS_PER_SLICE = 0.05


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
    stop: Callable[[Tree, int], bool] | None = None,
) -> Tree:
    """UCT from ``state``, expanding one node a simulation; equal scores go to the lower action.

    The first call for a game compiles for some seconds. A simulation takes 25 bytes for each action
    and 8 for each word of a state: about 200 in Connect Four, 1,400 in Go 7x7.

    Args:
        c: as in ``uct``.
        rng: a generator, or the seed of one.
        evaluator: ``"rollout"`` for uniformly random games, or a policy for games by that policy.
        stop: asked some 20 times a second with the tree so far and the number of simulations left;
            the first true answer ends the search.

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
    if evaluator == "rollout":
        evaluator = uniform_rollout(game.rules)
    if not isinstance(evaluator, CompiledRollout):
        raise ValueError(
            f"evaluator must be 'rollout' or a CompiledRollout, not {evaluator!r:.80}."
        )
    if evaluator.rules is not game.rules:
        raise ValueError(f"The evaluator is for {evaluator.rules.__name__}, not {game.name}.")
    seed = np.random.default_rng(rng).integers(1, 2**63, dtype=np.uint64)
    grow, plan = _compile_search(game.rules, evaluator.choose), uct(c)
    trees = new_table(Trees, tree_columns(game, num_simulations, proves=False), 1)
    trees.words[0, 0], trees.mover[0, 0], trees.num_nodes[0] = state, game.to_play(state), 1
    trees.is_legal[0, 0] = game.legal_mask(state)
    cache, prior = new_table(Cache, cache_columns(game), 0), np.zeros(game.num_actions)
    generator, left, slice_size = np.array([seed]), num_simulations, 100
    while True:
        started, slice_size = perf_counter(), min(slice_size, left)
        trees.remaining[0] = slice_size
        grow(trees, cache, plan.numbers, prior, evaluator.parameters, generator)
        left -= slice_size
        columns = (trees.words, trees.visit_counts, trees.value_sum, trees.child)
        flat = FlatTree(*(column[0, : trees.num_nodes[0]] for column in columns))
        tree = Tree(game, FlatNode(game, flat, 0))
        tree.plan = plan
        if not left or (stop is not None and stop(tree, left)):
            return tree
        speed = slice_size / max(perf_counter() - started, SECONDS_PER_SLICE / 10)
        slice_size = max(1, int(speed * SECONDS_PER_SLICE))


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
def _compile_search(rules_module: ModuleType, choose: FunctionType) -> FunctionType:
    """The search for one set of rules and one way to choose a rollout's moves."""
    tree = tree_functions(rules_module, UCT, "cpu", False)
    search, answer, state_of = tree.search, tree.answer, tree.state_of
    rollout = compile_rollout(rules_module, choose)

    @numba.njit(nogil=True)
    def grow(trees, cache, numbers, prior, parameters, generator):
        """Adds the simulations that remain: each question of the tree is answered at once."""
        is_done = False
        while not is_done:
            is_done = search(trees, cache, numbers, 0.0, 0, MOST)[2]
            if trees.waiting[0]:
                value = rollout(state_of(trees.leaf[0]), parameters, generator)
                answer(trees, 0, prior, value, 0.0)

    return grow
