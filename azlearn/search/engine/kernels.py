"""The loops over games as GPU kernels: one thread for every game.

No kernel writes what another thread of it may read. So the cache is written in two steps: whoever
has an answer claims its slot, and the last of those who want the same one writes, as on a CPU. The
rows of the ring and the numbers of new games come from prefix sums, which put the games in order.
"""

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

from numba import cuda

from azlearn.search.engine.play import NOISE_FRACTION, play_functions
from azlearn.search.engine.tree import tree_functions
from azlearn.search.tree_policy import TreePolicy

THREADS = 32  # of a block: one warp, so that the games of few warps spread over a GPU


class Kernels(NamedTuple):
    """To be launched with a thread for every game, ``THREADS`` to a block."""

    advance: Callable[..., Any]
    collect: Callable[..., Any]
    answer: Callable[..., Any]
    keep: Callable[..., Any]
    begin: Callable[..., Any]
    open_games: Callable[..., Any]
    write_legal: Callable[..., Any]


@cache
def kernels(
    rules_module: ModuleType,
    tree_policy: type[TreePolicy],
    use_solver: bool,
    reuses_tree: bool,
    with_ends: bool,
) -> Kernels:
    """See ``play_functions``."""
    tree = tree_functions(rules_module, tree_policy, "cuda", use_solver)
    one = play_functions(rules_module, tree_policy, "cuda", use_solver, reuses_tree, with_ends)
    answer_one, slot_of, keep_one = tree.answer, tree.slot_of, tree.keep
    advance_one, collect_one, begin_one, open_one = one
    legal_of, state_of, mixes_noise = tree.write_legal, tree.state_of, tree_policy.mixes_noise

    @cuda.jit
    def advance(trees, cache, games, numbers, dials, seed, most):
        g = cuda.grid(1)
        if g < games.number.shape[0]:
            advance_one(trees, cache, games, numbers, dials, seed, g, most)

    @cuda.jit
    def collect(trees, games, ring, dials, seed, totals, row_ends, game_ends, step):
        """``totals``: int64 [2], rows and games so far; ``row_ends``, ``game_ends``: int64 [B], the
        inclusive prefix sums of what the games add."""
        g = cuda.grid(1)
        if g < games.number.shape[0] and games.is_over[g]:
            first_row = totals[0] + row_ends[g] - games.num_rows[g]
            number = int(totals[1] + (game_ends[g] - 1) * step)
            collect_one(trees, games, ring, dials, seed, g, first_row, number)

    @cuda.jit
    def answer(trees, cache, prior, value, dials):
        """The evaluations of the games that wait, and their claims on the cache."""
        g = cuda.grid(1)
        if g < trees.waiting.shape[0] and trees.waiting[g]:
            answer_one(trees, g, prior[g], value[g], dials[NOISE_FRACTION] if mixes_noise else 0.0)
            slot = slot_of(cache, trees, g)
            if slot >= 0:
                cuda.atomic.max(cache.claim, slot, g + 1)

    @cuda.jit
    def keep(trees, cache, prior, value):
        """The winners of the claims write."""
        g = cuda.grid(1)
        if g < trees.waiting.shape[0]:
            slot = slot_of(cache, trees, g)
            if slot >= 0 and cache.claim[slot] == g + 1:
                keep_one(cache, slot, trees, g, prior[g], value[g])
                cache.claim[slot] = 0

    @cuda.jit
    def begin(trees, games, dials, seed):
        g = cuda.grid(1)
        if g < games.number.shape[0]:
            begin_one(trees, games, dials, seed, g, 0)

    @cuda.jit
    def open_games(trees, games, dials, seed, first, next_number, step):
        """New games from a row on."""
        g = cuda.grid(1)
        if first <= g < games.number.shape[0]:
            open_one(trees, games, dials, seed, g, int(next_number + (g - first) * step))

    @cuda.jit
    def write_legal(words, out):
        """What is legal in positions int64 [n, W], to bool [n, A]; a thread for each."""
        i = cuda.grid(1)
        if i < words.shape[0]:
            legal_of(out[i], state_of(words[i]))

    return Kernels(advance, collect, answer, keep, begin, open_games, write_legal)
