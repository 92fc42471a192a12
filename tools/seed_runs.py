"""Runs chapter 10's training with ten seeds, with and without random openings; stores it as JSON.

``python -m tools.seed_runs`` trains them again (about ten minutes on one core) and writes
``seed_runs.json``. Another processor rounds differently and so gives different runs.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from azlearn.arena import PUCTPlayer, find_losing_line
from azlearn.course import stored_runs
from azlearn.games import State
from azlearn.learning import NetworkEvaluator
from azlearn.minimal import AlphaZero
from tools.training_runs import GAME, kept

FILE = Path(stored_runs.__file__).with_name("seed_runs.json")
SEEDS = range(10)
ITERATIONS, EVERY = 40, 2  # 2,560 games; one proof in 128


class WithoutOpenings(AlphaZero):
    """All games start from the empty board."""

    def opening(self) -> State:
        return GAME.initial_state()


KINDS = {"with random openings": AlphaZero, "without": WithoutOpenings}


def train(kind: type[AlphaZero], seed: int) -> list[dict[str, Any]]:
    """Trains once, measuring every ``EVERY`` iterations.

    Returns:
        Rows of ``games``; ``alone`` and ``searched``, the fractions of positions in which the
        network's move, without search and with 25 simulations, preserves the value; and ``line``, a
        game that the player with 25 simulations loses, or None if it is proven to lose none.
    """
    training, rows = kind(GAME, seed), []
    for number in range(1, ITERATIONS + 1):
        training.keep(training.samples(training.play()))
        training.learn()
        if number % EVERY == 0:
            training.network.eval()
            evaluator = NetworkEvaluator(GAME, training.network)
            player = PUCTPlayer(GAME, evaluator, training.simulations, c=1.25)
            rows.append({
                "games": number * training.num_games,
                "alone": round(float(np.mean(kept(training, 0))), 3),
                "searched": round(float(np.mean(kept(training, 25))), 3),
                "line": find_losing_line(player, GAME),
            })  # fmt: skip
    return rows


def main() -> None:
    """Trains all runs in turn, and writes the file."""
    found = {}
    for name, kind in KINDS.items():
        found[name] = []
        for seed in SEEDS:
            found[name].append(train(kind, seed))
            print(name, seed, found[name][-1][-1], flush=True)
    FILE.write_text(json.dumps(found, indent=0).replace("\n", "") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
