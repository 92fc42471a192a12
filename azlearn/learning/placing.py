"""What the settings of a run leave open and its machine decides: the precision, where trees grow,
and in how many games."""

import gc
import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from time import perf_counter

import torch

from azlearn.learning.device.fused import NotFused
from azlearn.learning.device.memory import fitted
from azlearn.learning.device.replayed import WARM_UPS
from azlearn.learning.evaluator import fastest_precision
from azlearn.learning.network import ResNet
from azlearn.learning.ranks import Ranks
from azlearn.learning.settings import PLACES, TrainSettings
from azlearn.learning.worker import DeviceWorker, make_worker

GAMES_ON_HOST = {"cpu": 256, "cuda": 2048}  # a rank, where the number was left open
GAMES_IN_KERNELS = 4096
# Operations of a simulation: on a CPU Othello's 800 compile in half a minute; the 2,500 of Go on
# 5x5 had not in eight.
MOST_FUSED = 1000


def precise(settings: TrainSettings, network: ResNet, ranks: Ranks, device: str) -> TrainSettings:
    """The settings with the faster precision, if that was left open; alike in all ranks."""
    if settings.precision != "fastest":
        return settings
    is_bfloat16 = fastest_precision(network, device) == "bfloat16"
    (in_all,) = ranks.lowest(float(is_bfloat16))
    return replace(settings, precision="bfloat16" if in_all else "float32")


def placed(
    settings: TrainSettings,
    network: ResNet,
    ranks: Ranks,
    device: str,
    announce: Callable[[str], None] = lambda line: None,
) -> TrainSettings:
    """The settings with where the trees grow and in how many games, if that was left open; alike
    in all ranks.

    Args:
        announce: takes lines on what is measured.

    Raises:
        ValueError: as ``sized``; or, where it was left open, trees grow in no place.
    """
    if settings.trees == "fastest":
        place = fastest_trees(settings, network, device, announce)
        (lowest,) = ranks.lowest(PLACES.index(place))
        settings = replace(settings, trees=PLACES[int(lowest)])
    settings = sized(settings, device)
    (num_games,) = ranks.lowest(settings.num_games)
    return replace(settings, num_games=int(num_games))


def sized(settings: TrainSettings, device: str) -> TrainSettings:
    """The settings with a number of games, where it was left open.

    Raises:
        ValueError: they do not fit the memory of the device.
    """
    kind = torch.device(device).type
    if settings.trees == "kernels":
        if kind != "cuda":
            raise ValueError(f"trees=kernels needs a GPU (--device cuda), not {device}.")
        return replace(settings, num_games=settings.num_games or GAMES_IN_KERNELS)
    if settings.on_device and kind == "cuda":
        freed(device)
        return fitted(settings, torch.cuda.mem_get_info(device)[0])
    return replace(settings, num_games=settings.num_games or GAMES_ON_HOST[kind])


def fastest_trees(
    settings: TrainSettings, network: ResNet, device: str, announce: Callable[[str], None]
) -> str:
    """The one of ``PLACES`` where most moves are made a second. One that does not work here, for
    want of memory or of a compiler, is left out and told of.

    On a CPU compiled loops are far ahead of tensors (see ``benchmarks``), and nothing is measured;
    nor where the settings need the host.
    """
    if torch.device(device).type == "cpu" or settings.host_only():
        return "host"
    announce("Where trees grow fastest is measured: about a minute.")
    places = PLACES if num_operations(settings, network) <= MOST_FUSED else PLACES[:2]
    speeds, left_out = {}, []
    for trees in places:
        try:
            tried = sized(replace(settings, trees=trees), device)
            with warnings.catch_warnings():
                warnings.simplefilter("error", NotFused)
                speeds[trees] = moves_per_second(tried, network, device)
        except (ValueError, RuntimeError, NotFused) as error:
            # The sentence alone: the error would keep the frames, and the memory, of what failed.
            left_out.append(f"{trees} is left out: {str(error).partition(chr(10))[0]}")
    for line in left_out:
        announce(line)
    if not speeds:
        raise ValueError(f"Trees grow nowhere here: {'; '.join(left_out)}")
    found = ", ".join(f"{trees} {speed:,.0f}" for trees, speed in speeds.items())
    announce(f"Moves a second: {found}.")
    return max(speeds, key=speeds.get)


def num_operations(settings: TrainSettings, network: ResNet) -> int:
    """Of a simulation on a device; counted on the CPU, in few games."""
    few = {"trees": "device", "num_games": 2, "precision": "float32", "opening_plies": 0}
    few["first_window"], few["window"] = 1, 2 * settings.make_game().max_plies
    worker = DeviceWorker(replace(settings, **few), deepcopy(network).cpu(), Ranks(), "cpu")
    return worker.self_play.num_operations()


def moves_per_second(settings: TrainSettings, network: ResNet, device: str) -> float:
    """Of self-play with the fewest simulations, once it has been compiled or recorded."""
    worker = make_worker(settings, deepcopy(network), Ranks(), device)
    simulations, num_moves = settings.first_simulations, settings.num_games
    worker.play(network, (WARM_UPS + 1) * num_moves, simulations)
    started = perf_counter()
    played = worker.play(network, 2 * num_moves, simulations)
    return played.moves / (perf_counter() - started)


def freed(device: str) -> None:
    """Gives a GPU's memory back that nobody uses: what is free there decides what fits."""
    gc.collect()  # recorded steps refer to what they are a part of
    if torch.device(device).type == "cuda":
        torch.cuda.empty_cache()
