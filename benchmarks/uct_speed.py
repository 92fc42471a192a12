"""Measures simulations per second of four UCT searches from the empty Connect Four board.

    python benchmarks/uct_speed.py [--rounds 9] [--simulations 1000]

This needs OpenSpiel: ``pip install -e '.[benchmarks]'``. The searches alternate in each round, so
that a machine that slows down slows all of them. The table shows medians over the rounds.
"""

import argparse
import platform
import statistics
import time

import numpy as np
import pyspiel
from open_spiel.python.algorithms import mcts as openspiel_mcts
from rich.console import Console
from rich.table import Table

from azlearn.arena import UCT_C
from azlearn.games import ConnectFour
from azlearn.search import MCTS, compiled_uct, random_rollout, uct


def searches(num_simulations: int) -> dict:
    """Name -> a function of a seed that runs one search from the empty board."""
    game = ConnectFour()
    root = game.initial_state()
    readable = MCTS(game, uct(UCT_C), random_rollout())
    peer = pyspiel.load_game("connect_four")
    peer_root = peer.new_initial_state()

    def openspiel_python(seed):
        rng = np.random.RandomState(seed)
        evaluator = openspiel_mcts.RandomRolloutEvaluator(1, rng)
        bot = openspiel_mcts.MCTSBot(peer, UCT_C, num_simulations, evaluator, False, rng)
        bot.mcts_search(peer_root)

    def openspiel_cpp(seed):
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        bot = pyspiel.MCTSBot(peer, evaluator, UCT_C, num_simulations, 1000, False, seed, False)
        bot.mcts_search(peer_root)

    return {
        "OpenSpiel MCTSBot, Python": openspiel_python,
        "azlearn MCTS, readable": lambda seed: readable.run(root, num_simulations, seed),
        "OpenSpiel MCTSBot, C++": openspiel_cpp,
        "azlearn compiled_uct": lambda seed: compiled_uct(game, root, num_simulations, UCT_C, seed),
    }


def searches_a_second(search, seed: int, at_least: float = 0.3) -> float:
    """Searches per second; repeats ``search`` for ``at_least`` seconds."""
    done, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < at_least:
        search(seed * 1000 + done)
        done += 1
    return done / elapsed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--simulations", type=int, default=1000)
    options = parser.parse_args()
    contenders = searches(options.simulations)
    speeds = {name: [] for name in contenders}
    for search in contenders.values():  # warm up: caches, compilation
        search(0)
    for seed in range(options.rounds):
        for name, search in contenders.items():
            speeds[name].append(options.simulations * searches_a_second(search, seed))

    slowest = statistics.median(speeds["OpenSpiel MCTSBot, Python"])
    table = Table(
        title=f"{options.simulations:,} simulations per search, medians of"
        f" {options.rounds} rounds,\n"
        f"empty board, c = 2√2, one thread, Python {platform.python_version()}"
    )
    for column in ("search", "simulations/s", "slowest to fastest round", "ratio"):
        table.add_column(column, justify="left" if column == "search" else "right")
    for name, speed in speeds.items():
        median = statistics.median(speed)
        spread = f"{min(speed):,.0f} to {max(speed):,.0f}"
        table.add_row(name, f"{median:,.0f}", spread, f"{median / slowest:,.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
