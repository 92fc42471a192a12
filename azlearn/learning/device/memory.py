"""What a run takes of a device's memory, known before any is taken."""

from dataclasses import replace
from math import prod

import torch

from azlearn.games import RulesGame
from azlearn.learning.device.games import columns as columns_of_games
from azlearn.learning.device.ring import columns as columns_of_samples
from azlearn.learning.network import SIZES, ResNet
from azlearn.learning.settings import TrainSettings
from azlearn.search.tensor_trees import bytes_per_game

MOST_GAMES = 8192  # more would fill larger batches than a GPU needs to be busy
SPARE = 0.1  # of the free memory, for what is not counted here
RECORDINGS = 8  # at most; each holds what the network needs for a batch of positions
_KEPT = 4  # tensors that a block keeps for each of its convolutions until backward has been there


def memory_plan(settings: TrainSettings, num_games: int) -> dict[str, int]:
    """Bytes of the trees, the games under way, the positions, and of network and learning."""
    game = settings.make_game()
    a_sample = _row(columns_of_samples(game, settings.owner_weight > 0))
    a_game = _row(columns_of_games(game)) + 3 * game.max_plies * a_sample
    return {
        "trees": num_games * bytes_per_game(game, settings.simulations, torch.float32),
        "games": num_games * a_game,  # with the samples that leave them, on their way
        "positions": (settings.window + 1) * a_sample,
        "network": _of_network(settings, game, num_games),
    }


def fitted(settings: TrainSettings, free: int) -> TrainSettings:
    """The settings with a number of games that fits, where it was 0.

    Args:
        free: bytes of the device that are free.

    Raises:
        ValueError: those asked for do not fit; says what would.
    """
    if settings.num_games:
        needed = sum(memory_plan(settings, settings.num_games).values())
        if needed <= free * (1 - SPARE):
            return settings
    num_games = MOST_GAMES
    while num_games and not _fits(settings, num_games, free):
        num_games //= 2
    if settings.num_games or not num_games:
        asked = settings.num_games or 1
        needed = sum(memory_plan(settings, asked).values())
        raise ValueError(
            f"num_games={asked} takes {amount(needed)} on the device, where {amount(free)}"
            f" are free: {f'num_games={num_games} fits' if num_games else 'no game fits'}."
        )
    return replace(settings, num_games=num_games)


def memory_line(settings: TrainSettings) -> str:
    """The plan in one line, for people."""
    plan = memory_plan(settings, settings.num_games)
    parts = ", ".join(f"{name} {amount(size)}" for name, size in plan.items())
    return f"{settings.num_games:,} games take {amount(sum(plan.values()))}: {parts}."


def amount(size: int) -> str:
    """A number of bytes, for people."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"


def _fits(settings: TrainSettings, num_games: int, free: int) -> bool:
    all_at_once = num_games * settings.make_game().max_plies <= settings.window
    return all_at_once and sum(memory_plan(settings, num_games).values()) <= free * (1 - SPARE)


def _row(columns: list[tuple[tuple[int, ...], torch.dtype]]) -> int:
    return sum(prod(shape) * dtype.itemsize for shape, dtype in columns)


def _of_network(settings: TrainSettings, game: RulesGame, num_games: int) -> int:
    """Weights for learning (with gradient and two moments) and for playing; what a batch leaves."""
    size = SIZES[settings.network]
    with torch.device("meta"):
        network = ResNet(game, **size, **settings.heads())
    weights = sum(p.numel() for p in network.parameters())
    a_layer = size["channels"] * game.rows * game.cols * 4
    learning = settings.batch_size * a_layer * _KEPT * (1 + 2 * size["blocks"])
    return 4 * weights * 5 + learning + RECORDINGS * 4 * num_games * a_layer
