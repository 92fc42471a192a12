"""Resolves the settings that depend on the machine: precision, search backend, parallel games."""

import gc
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.util import find_spec

import numpy as np
import torch

from azlearn.games import RulesGame
from azlearn.learning.evaluator import fastest_precision
from azlearn.learning.network import SIZES, ResNet
from azlearn.learning.ranks import Ranks
from azlearn.learning.self_play import CACHE_BITS
from azlearn.learning.settings import TrainSettings
from azlearn.search.engine.columns import (
    bytes_per_row,
    cache_columns,
    game_columns,
    ring_columns,
    tree_columns,
)

# Default games per rank if the search runs on the CPU, with the network there or on a GPU.
GAMES_ON_CPU, GAMES_BESIDE_GPU = 256, 2048
MOST_GAMES = 4096  # … and if it runs as kernels on a GPU, as far as memory allows
SPARE = 0.1  # fraction of a GPU's free memory reserved for memory not counted here
_KEPT = 4  # tensors kept for each convolution of a block until its backward pass


def resolve_precision(
    settings: TrainSettings, network: ResNet, ranks: Ranks, device: str
) -> TrainSettings:
    """Replaces the precision "fastest" with the faster one, the same on all ranks."""
    if settings.precision != "fastest":
        return settings
    is_bfloat16 = fastest_precision(network, device) == "bfloat16"
    (in_all,) = ranks.all_reduce_min(float(is_bfloat16))
    return replace(settings, precision="bfloat16" if in_all else "float32")


def resolve_backend(
    settings: TrainSettings,
    ranks: Ranks,
    device: str,
    announce: Callable[[str], None] = lambda line: None,
) -> TrainSettings:
    """Fills in the search backend and the number of games if the settings leave them open.

    The number is the same on all ranks. The search runs as kernels if the device is a GPU for which
    kernels can be compiled, otherwise on the CPU.

    Args:
        announce: called with a line on why the search is not on the GPU, or how much memory it
            takes there.

    Raises:
        ValueError: kernels are requested but cannot be compiled, or the games do not fit in memory.
    """
    kind, backend = torch.device(device).type, settings.backend
    if backend == "cuda" and kind != "cuda":
        raise ValueError(f"backend=cuda needs a GPU (--device cuda), not {device}.")
    if kind == "cuda" and backend != "cpu" and (why := why_no_kernels()):
        if backend == "cuda":
            raise ValueError(why)
        announce(f"{why} The search runs on the CPU, the network on the GPU.")
        backend = "cpu"
    elif backend == "fastest":
        backend = "cuda" if kind == "cuda" else "cpu"
    settings = replace(settings, backend=backend)
    if backend == "cuda":
        gc.collect()  # recorded steps are part of reference cycles
        torch.cuda.empty_cache()
        settings = fitted(settings, torch.cuda.mem_get_info(device)[0])
    else:
        open_number = GAMES_ON_CPU if kind == "cpu" else GAMES_BESIDE_GPU
        settings = replace(settings, num_games=settings.num_games or open_number)
    (num_games,) = ranks.all_reduce_min(settings.num_games)
    settings = replace(settings, num_games=int(num_games))
    if backend == "cuda":
        announce(memory_line(settings))
    return settings


@cache
def why_no_kernels() -> str:
    """Returns a sentence on why PyTorch's GPU cannot run the search's kernels; "" if it can."""
    if torch.version.cuda is None:
        return "The kernels of the search need an NVIDIA GPU."
    if find_spec("numba_cuda") is None:
        return "numba-cuda is missing (pip install 'azlearn[gpu]')."
    try:
        from numba import cuda

        cuda.jit("void(int64[::1])")(_first_to_one)[1, 1](cuda.to_device(np.zeros(1, np.int64)))
        cuda.synchronize()
    except Exception as error:  # a driver, compiler or package may raise any exception
        why = (str(error).strip() or type(error).__name__).partition("\n")[0].rstrip(".")
        return f"numba-cuda does not work here ({why})."
    return ""


def _first_to_one(row):
    row[0] = 1


def memory_plan(settings: TrainSettings, num_games: int) -> dict[str, int]:
    """Estimates the bytes on a GPU of trees, games, cache, replay buffer, network and training."""
    game = settings.make_game()
    ring = bytes_per_row(ring_columns(game, settings.ownership_weight > 0))
    tree = bytes_per_row(tree_columns(game, settings.simulations, settings.use_solver))
    cached = bytes_per_row(cache_columns(game)) if settings.symmetry == "none" else 0
    return {
        "trees": num_games * tree,
        "games": num_games * bytes_per_row(game_columns(game)),
        "cache": cached << CACHE_BITS,
        "positions": settings.window * ring,
        "network": _of_network(settings, game, num_games),
    }


def fitted(settings: TrainSettings, free: int) -> TrainSettings:
    """Returns the settings with a number of games that fits in memory, if it was 0.

    Args:
        free: free bytes on the device.

    Raises:
        ValueError: the requested number does not fit, and the message suggests one that does; or
            the window is smaller than a game.
    """

    def needed(num_games: int) -> int:
        return sum(memory_plan(settings, num_games).values())

    room, asked, num_games = free * (1 - SPARE), settings.num_games, MOST_GAMES
    if asked and needed(asked) <= room:
        return settings
    longest = settings.make_game().max_plies
    if settings.window < longest:
        raise ValueError(
            f"If the search runs on a GPU, window must be at least {longest}, the length of the"
            f" longest game, not {settings.window}."
        )
    all_at_once = settings.window // longest  # all games may end at once
    while num_games and (num_games > all_at_once or needed(num_games) > room):
        num_games //= 2
    if asked or not num_games:
        raise ValueError(
            f"num_games={asked or 1} needs {amount(needed(asked or 1))} on the device, but only"
            f" {amount(free)} is free:"
            f" {f'num_games={num_games} fits' if num_games else 'not even one game fits'}."
        )
    return replace(settings, num_games=num_games)


def memory_line(settings: TrainSettings) -> str:
    """Returns the memory plan as a line of text."""
    plan = memory_plan(settings, settings.num_games)
    parts = ", ".join(f"{name} {amount(size)}" for name, size in plan.items())
    return f"{settings.num_games:,} games take {amount(sum(plan.values()))}: {parts}."


def amount(size: int) -> str:
    """Returns a number of bytes as text."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def _of_network(settings: TrainSettings, game: RulesGame, num_games: int) -> int:
    """Bytes of weights for training (with gradient and moments) and play, and of activations."""
    size = SIZES[settings.network]
    with torch.device("meta"):
        network = ResNet(game, **size, **settings.heads())
    weights = sum(p.numel() for p in network.parameters())
    a_layer = size["channels"] * game.rows * game.cols * 4
    batch_size = max(settings.batch_size, settings.final_batch_size)
    learning = batch_size * a_layer * _KEPT * (1 + 2 * size["blocks"])
    return 4 * weights * 5 + learning + 4 * num_games * a_layer
