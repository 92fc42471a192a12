"""The loops over games as GPU kernels: one thread per game.

No thread writes data that another thread of the same kernel may read. So the cache is written in
two steps: each game with an evaluation claims its slot, and the last of the games that claim a slot
writes to it, as on a CPU. Prefix sums assign ring rows and game numbers in game order.
"""

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple

from numba import cuda

from azlearn.search.engine.play import NOISE_FRACTION, play_functions
from azlearn.search.engine.tree import tree_functions
from azlearn.search.tree_policy import TreePolicy

THREADS = 32  # per block: one warp, so that even few games spread over the whole GPU


class Kernels(NamedTuple):
    """The kernels; launch with one thread per game (or position), ``THREADS`` per block."""

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
    """Compiles the kernels; for the arguments see ``play_functions``."""
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
        """Collects the finished games.

        ``totals`` is int64 [2], the rows so far and the next game's number. ``row_ends`` and
        ``game_ends`` are int64 [B], inclusive prefix sums of rows and games that each game adds.
        """
        g = cuda.grid(1)
        if g < games.number.shape[0] and games.is_over[g]:
            first_row = totals[0] + row_ends[g] - games.num_rows[g]
            number = int(totals[1] + (game_ends[g] - 1) * step)
            collect_one(trees, games, ring, dials, seed, g, first_row, number)

    @cuda.jit
    def answer(trees, cache, prior, value, dials):
        """Passes evaluations to the waiting games, which then claim cache slots."""
        g = cuda.grid(1)
        if g < trees.waiting.shape[0] and trees.waiting[g]:
            answer_one(trees, g, prior[g], value[g], dials[NOISE_FRACTION] if mixes_noise else 0.0)
            slot = slot_of(cache, trees, g)
            if slot >= 0:
                cuda.atomic.max(cache.claim, slot, g + 1)

    @cuda.jit
    def keep(trees, cache, prior, value):
        """Writes the evaluation of each game that won its claim."""
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
        """Starts new games from row ``first`` on."""
        g = cuda.grid(1)
        if first <= g < games.number.shape[0]:
            open_one(trees, games, dials, seed, g, int(next_number + (g - first) * step))

    @cuda.jit
    def write_legal(words, out):
        """Writes the legal moves of positions int64 [n, W] to bool [n, A]; one thread for each."""
        i = cuda.grid(1)
        if i < words.shape[0]:
            legal_of(out[i], state_of(words[i]))

    return Kernels(advance, collect, answer, keep, begin, open_games, write_legal)
