"""Times self-play with one GPU thread per game: ``python -m azlearn.course.on_a_gpu 1024 4096``.

It runs in its own process, because a notebook that has turned on numba's CUDA simulator cannot use
the GPU itself. Use ``--device cpu`` with that simulator.
"""

import argparse
from time import perf_counter
from typing import NamedTuple

import torch

from azlearn.games import ConnectFour
from azlearn.learning import PRESETS, load_network
from azlearn.learning.device_evaluator import DeviceEvaluator
from azlearn.learning.kernel_self_play import KernelSelfPlay
from azlearn.learning.launch import check_device
from azlearn.learning.recorded import WARM_UPS, Recorded
from azlearn.learning.replay import ReplayBuffer


class Speed(NamedTuple):
    """The measured speeds, all per second."""

    moves: float
    evaluations: float  # positions that the network evaluated during self-play
    bare: float  # positions that the network evaluates when nothing else runs


def measured(num_games: int, device: str = "cuda", simulations: int = 128) -> Speed:
    """Times self-play of Connect Four with the network ``connect4``, after compiling it."""
    game, network = ConnectFour(), load_network("connect4").network
    settings = PRESETS["connect4", "cpu"].with_changes(
        {
            "num_games": num_games,
            "simulations": simulations,
            "first_simulations": simulations,
            "fast_simulations": 1,
            "window": num_games * game.max_plies,
            "first_window": 1,
        }
    )
    replay = ReplayBuffer(game, settings.window, device)
    self_play = KernelSelfPlay(settings, replay=replay, device=device)
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    evaluate = DeviceEvaluator(
        game, network.to(device), dtype=dtype, is_compiled=device == "cuda", announce=print
    )
    self_play.play(evaluate, 1)
    began = perf_counter()
    _, statistics = self_play.play(evaluate, 4 * num_games)
    spent = perf_counter() - began
    board = torch.zeros(num_games, dtype=torch.int64, device=device)
    legal_mask = torch.ones(num_games, 7, dtype=torch.bool, device=device)
    ask = Recorded(lambda: evaluate(game.State(board, board), legal_mask), device)
    for _ in range(WARM_UPS + 1 if device == "cuda" else 0):
        ask()
    rounds, seconds = 50 if device == "cuda" else 1, []
    for _ in range(3):
        began = perf_counter()
        for _ in range(rounds):
            ask()
        if device == "cuda":
            torch.cuda.synchronize()
        seconds.append((perf_counter() - began) / rounds)
    return Speed(statistics.moves / spent, statistics.evaluations / spent, num_games / min(seconds))


def main() -> None:
    """Prints one line for each number of games."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("games", nargs="*", type=int, default=[1024, 4096, 16384])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--simulations", type=int, default=128)
    arguments = parser.parse_args()
    try:
        check_device(arguments.device)
    except ValueError as error:
        parser.error(str(error))
    for num_games in arguments.games:
        speed = measured(num_games, arguments.device, arguments.simulations)
        print(
            f"{num_games:6,} games: {speed.moves:9,.0f} moves per second,"
            f" {speed.evaluations:11,.0f} evaluations per second,"
            f" {speed.evaluations / speed.bare:4.0%} of the speed of the network alone"
        )


if __name__ == "__main__":
    main()
