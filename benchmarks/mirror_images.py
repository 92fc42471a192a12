"""Counts how many more evaluations of self-play a cache that knows symmetric images would save.

    python benchmarks/mirror_images.py connect4 tictactoe go7

A shipped network plays itself with the settings of its preset. The cache is cleared between
iterations, because in training the network changes. Only positions that reach the network are
counted, not those that the normal cache answers.
"""

import argparse

import numpy as np
import torch

from azlearn.learning import load_network, preset
from azlearn.learning.evaluator import NetworkEvaluator
from azlearn.learning.self_play import SelfPlay


class Counting:
    """A batch evaluator that counts the positions of which it has seen a symmetric image."""

    def __init__(self, evaluator: NetworkEvaluator) -> None:
        self._evaluator, self._game = evaluator, evaluator.game
        self.forget()

    def forget(self) -> None:
        self.seen, self.asked, self.mirrored = set(), 0, 0

    def __call__(self, states, legal_mask) -> tuple[np.ndarray, np.ndarray]:
        planes = torch.as_tensor(self._game.batch_encode(states))
        images = self._game.symmetries(planes, torch.zeros(len(planes), self._game.num_actions))
        images = [boards.to(torch.uint8).numpy() for boards, _ in images]
        for board, *others in zip(*images, strict=True):
            itself = board.tobytes()
            is_new = itself not in self.seen  # if not new, its cache slot has been overwritten
            self.mirrored += is_new and any(image.tobytes() in self.seen for image in others)
            self.asked += 1
            self.seen.add(itself)
        return self._evaluator.batch(states, legal_mask)


def main() -> None:
    """Prints a row per iteration."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("games", nargs="+", help="games that have a preset and a shipped network")
    parser.add_argument("--iterations", type=int, default=3)
    given = parser.parse_args()
    print("| game | simulations | evaluated | symmetric image known |\n|---|---:|---:|---:|")
    for name in given.games:
        settings = preset(name, "cpu")
        self_play = SelfPlay(settings)
        network = load_network(name).network
        count = Counting(NetworkEvaluator(self_play.game, network))
        simulations = (settings.first_simulations + settings.simulations) // 2
        for _ in range(given.iterations):
            count.forget()
            self_play.play(count, settings.moves_per_iteration, simulations)
            share = count.mirrored / count.asked
            print(f"| {name} | {simulations} | {count.asked:,} | {share:.1%} |", flush=True)


if __name__ == "__main__":
    main()
