"""The loops over games, for Python and CPU cores; ``kernels.py`` has them for a GPU.

Each loop processes the games ``first`` to ``last - 1`` and writes only their data, so several
threads can share the games. For shared data (the cache, the ring and the numbers of new games) one
thread goes through all games in order.
"""

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import NamedTuple

from azlearn.search.engine.backends import loop_jit_of
from azlearn.search.engine.play import play_functions
from azlearn.search.engine.tree import tree_functions
from azlearn.search.tree_policy import TreePolicy

MOST_DESCENTS = 1000  # per call; between two calls Python handles Ctrl-C


class SearchLoops(NamedTuple):
    """The loops of a search."""

    search: Callable[..., tuple[int, bool]]
    answer: Callable[..., None]
    keep: Callable[..., None]
    reroot: Callable[..., None]


class PlayLoops(NamedTuple):
    """The loops of self-play, in addition to ``answer`` and ``keep``."""

    advance: Callable[..., bool]
    collect: Callable[..., tuple[int, int]]
    begin: Callable[..., None]
    open_games: Callable[..., int]


@cache
def search_loops(
    rules_module: ModuleType, tree_policy: type[TreePolicy], backend: str, use_solver: bool
) -> SearchLoops:
    """Compiles a search's loops; ``backend`` is "python" or the result of ``cpu_backend``.

    For the other arguments see ``tree_functions``.
    """
    tree = tree_functions(rules_module, tree_policy, backend, use_solver)
    search_one, answer_one, slot_of, keep_one = tree.search, tree.answer, tree.slot_of, tree.keep
    lift, find_below, num_actions = tree.lift, tree.find_below, rules_module.NUM_ACTIONS

    def search(trees, cache, numbers, noise_fraction, first, last):
        """Returns the number of evaluations from the cache, and whether there is more to do."""
        num_cached, num_descents = 0, 0
        for g in range(first, last):
            if not trees.waiting[g]:
                found = search_one(
                    trees, cache, numbers, noise_fraction, g, MOST_DESCENTS - num_descents
                )
                num_cached += found[0]
                num_descents += found[1]
                if not (found[2] or trees.waiting[g]):
                    return num_cached, True
        return num_cached, False

    def answer(trees, rows, prior, value, noise_fraction, first, last):
        """Passes evaluations to the games ``rows``."""
        for i in range(first, last):
            answer_one(trees, rows[i], prior[i], value[i], noise_fraction)

    def keep(trees, cache, rows, prior, value):
        """Caches the evaluations; if two need the same slot, the last one is kept."""
        for i in range(rows.shape[0]):
            slot = slot_of(cache, trees, rows[i])
            if slot >= 0:
                keep_one(cache, slot, trees, rows[i], prior[i], value[i])

    def reroot(trees, rows, words, noise_fraction, visits):
        """Reuses subtrees (see ``BatchedSearch.start``); writes their visits, -1 for no subtree."""
        for i in range(rows.shape[0]):
            g, visits[i] = rows[i], -1
            node = find_below(trees, g, words[i])
            if node > 0:
                lift(trees, g, node, noise_fraction)
                visits[i] = 0
                for a in range(num_actions):
                    visits[i] += trees.visit_counts[g, 0, a]

    return SearchLoops(*map(loop_jit_of(backend), (search, answer, keep, reroot)))


@cache
def play_loops(
    rules_module: ModuleType,
    tree_policy: type[TreePolicy],
    backend: str,
    use_solver: bool,
    reuses_tree: bool,
    with_ends: bool,
) -> PlayLoops:
    """Compiles the loops of self-play; ``backend`` is "python" or the result of ``cpu_backend``.

    For the other arguments see ``play_functions``.
    """
    one = play_functions(rules_module, tree_policy, backend, use_solver, reuses_tree, with_ends)
    advance_one, collect_one, begin_one, open_one = one

    def advance(trees, cache, games, numbers, dials, seed, first, last):
        """Advances the games; returns whether there is more to do."""
        num_descents = 0
        for g in range(first, last):
            left = MOST_DESCENTS - num_descents
            found = advance_one(trees, cache, games, numbers, dials, seed, g, left)
            num_descents += found[0]
            if found[1]:
                return True
        return False

    def collect(trees, games, ring, dials, seed, next_row, next_number, step):
        """Collects the finished games; returns the ring's next row and the next game's number."""
        for g in range(games.number.shape[0]):
            if games.is_over[g]:
                num_rows = games.num_rows[g]
                collect_one(trees, games, ring, dials, seed, g, next_row, next_number)
                next_row, next_number = next_row + num_rows, next_number + step
        return next_row, next_number

    def begin(trees, games, dials, seed):
        """Starts new searches in all games."""
        for g in range(games.number.shape[0]):
            begin_one(trees, games, dials, seed, g, 0)

    def open_games(trees, games, dials, seed, first, next_number, step):
        """Starts new games from row ``first`` on; returns the number of the next one."""
        for g in range(first, games.number.shape[0]):
            open_one(trees, games, dials, seed, g, next_number)
            next_number += step
        return next_number

    return PlayLoops(*map(loop_jit_of(backend), (advance, collect, begin, open_games)))
