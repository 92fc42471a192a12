"""Compares the kernels of self-play, in numba's CUDA simulator, with the loops of the CPU.

It runs in a separate process, because the simulator must be chosen before numba is loaded::

    NUMBA_ENABLE_CUDASIM=1 python -m tests.engine.simulated steps connect4 '{"search": "gumbel"}'

It prints the names of the columns that differ after a number of steps with the same evaluations.
"""

import json
import sys

import numpy as np
import torch

from azlearn.learning.kernel_self_play import KernelSelfPlay
from azlearn.learning.self_play import SelfPlay
from azlearn.learning.settings import TrainSettings
from azlearn.search.engine.columns import Cache, Ring, cache_columns, new_table
from azlearn.search.engine.kernels import kernels
from tests.engines import evaluators

MOST = 1000  # descents of a game in one launch


def small(game: str, changes: dict) -> TrainSettings:
    """Settings of a few short searches in which every kind of move and ending occurs."""
    few = {"num_games": 3, "simulations": 6, "first_simulations": 6, "fast_simulations": 2}
    few |= {"opening_plies": 2, "temperature_plies": 3, "window": 400, "first_window": 1}
    return TrainSettings(**{"game": game} | few | changes)


def answered(game, kind, trees, rows):
    """Arbitrary evaluations of the leaves of the games ``rows``."""
    if not len(rows):
        return np.zeros((0, game.num_actions)), np.zeros(0)
    return evaluators(game, kind).batch(game.State(*trees.leaf[rows].T.copy()))


def differences(game: str, changes: dict, num_steps: int = 150) -> list[str]:
    """The columns in which the simulated GPU and the loops differ."""
    settings = small(game, changes)
    one, other = (SelfPlay(settings, compiled=False) for _ in range(2))
    rules, tree_policy, game = one.game.rules, settings.tree_policy(), one.game
    for play in (one, other):  # collisions come soon
        size = 16 if settings.symmetry == "none" else 0
        play._cache = new_table(Cache, cache_columns(game), size)
    dials, seed, numbers = one._dials(settings.simulations), one._seed, tree_policy.numbers
    flags = settings.use_solver, settings.reuse_tree, settings.ownership_weight > 0
    run = {
        name: kernel[2, 2]  # four threads for three games
        for name, kernel in kernels(rules, type(tree_policy), *flags)._asdict().items()
    }
    ring = Ring(*(column.numpy() for column in other.replay.stored()))
    totals = np.array([0, other.next_number])
    trees, games, cache = other.trees, other.games, other._cache
    one._play.begin(one.trees, one.games, dials, seed)
    run["begin"](trees, games, dials, seed)
    for _ in range(num_steps):
        while one._advance(dials, 0, settings.num_games):
            pass
        one._collect(dials)
        rows = np.flatnonzero(one.trees.waiting)
        answers = answered(game, "rough", one.trees, rows)
        fraction = one._noise_fraction
        one._search.answer(one.trees, rows, *answers, fraction, 0, len(rows))
        one._search.keep(one.trees, one._cache, rows, *answers)

        run["advance"](trees, cache, games, numbers, dials, seed, MOST)
        row_ends, game_ends = np.cumsum(games.num_rows * games.is_over), np.cumsum(games.is_over)
        run["collect"](trees, games, ring, dials, seed, totals, row_ends, game_ends, 1)
        totals += [row_ends[-1], game_ends[-1]]
        waiting = np.flatnonzero(trees.waiting)
        prior, value = np.zeros((len(trees.waiting), game.num_actions)), trees.waiting * 0.0
        prior[waiting], value[waiting] = answered(game, "rough", trees, waiting)
        run["answer"](trees, cache, prior, value, dials)
        run["keep"](trees, cache, prior, value)
    found = [] if totals.tolist() == [one.replay.num_added, one.next_number] else ["totals"]
    tables = (one.trees, trees), (one.games, games), (one._cache, cache)
    tables += ((Ring(*(column.numpy() for column in one.replay.stored())), ring),)
    for mine, theirs in tables:
        found += [
            f"{type(mine).__name__}.{name}"
            for name in mine._fields
            if not np.array_equal(getattr(mine, name), getattr(theirs, name))
        ]
    return [*found, f"{one.replay.num_added} samples"]


def driven(game: str, changes: dict, num_moves: int = 40) -> list[str]:
    """The same for ``KernelSelfPlay``, which plays slightly more moves.

    It plays twice ``num_moves``; after the first half, the other one resumes from a checkpoint.
    """
    settings = small(game, {"window": 2000} | changes)
    one, other = SelfPlay(settings, compiled=False), KernelSelfPlay(settings, device="cpu")
    evaluate = evaluators(one.game, "rough").batch

    def on_tensors(states, legal_mask):
        words = one.game.State(*(word.numpy() for word in states))
        return tuple(torch.from_numpy(x) for x in evaluate(words))

    found = []
    for _ in range(2):
        theirs, _ = other.play(on_tensors, num_moves)
        mine, _ = one.play(lambda s, legal_mask: rounded(evaluate(s)), num_moves)
        n = len(mine.words)
        found += [] if 0 < n <= len(theirs.words) else ["number of samples"]
        found += [
            name
            for name, a, b in zip(mine._fields, mine, theirs, strict=True)
            if not np.allclose(a, b[:n], atol=1e-6)
        ]
        one.load_state_dict(other.state_dict())
    return [*found, f"{other.replay.num_added} samples"]


def rounded(answers):
    """Evaluations in single precision, as a GPU uses them."""
    return tuple(np.asarray(x, np.float32) for x in answers)


if __name__ == "__main__":
    check = {"steps": differences, "driven": driven}[sys.argv[1]]
    print(json.dumps(check(sys.argv[2], json.loads(sys.argv[3]) if sys.argv[3:] else {})))
