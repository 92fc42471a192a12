"""Measures what tree reuse between moves is worth, at equal simulations and at equal time.

``python benchmarks/kept_tree.py connect4 --simulations 50 --games 400`` plays a search that reuses
its tree against the same search with a new tree for every move, in pairs of games. Kept visits
count toward the budget. So with equal simulations both choose from the same number of visits, but
the one with tree reuse is faster. For equal time it gets as many more simulations as make both take
equally long per move.
"""

import argparse
from dataclasses import dataclass
from time import process_time

from azlearn.arena import PUCTPlayer, play_match
from azlearn.learning import load_network


@dataclass
class Timed:
    """A player that measures its CPU time, so that other programs do not count."""

    player: PUCTPlayer
    seconds: float = 0.0
    moves: int = 0

    def __post_init__(self) -> None:
        self.game, self.name = self.player.game, self.player.name

    def choose(self, state, rng) -> int:
        return self.choose_batch([state], [rng])[0]

    def choose_batch(self, states, rngs) -> list[int]:
        started = process_time()
        actions = self.player.choose_batch(states, rngs)
        self.seconds += process_time() - started
        self.moves += len(states)
        return actions

    @property
    def milliseconds(self) -> float:
        return 1000 * self.seconds / self.moves


def main() -> None:
    """Plays both matches and prints a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("network", nargs="?", default="connect4")
    parser.add_argument("--simulations", type=int, default=50)
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    loaded, simulations = load_network(given.network), given.simulations
    small = PUCTPlayer(loaded.game, loaded, 4)
    play_match(small, small, 2)  # compiles the loops
    for what in ("equal simulations", "equal time"):
        keeps = Timed(PUCTPlayer(loaded.game, loaded, simulations, reuse_tree=True))
        anew = Timed(PUCTPlayer(loaded.game, loaded, given.simulations))
        table = play_match(keeps, anew, given.games, given.seed).table()
        low, high = table["score_interval"]
        print(
            f"{what}: {keeps.name} ({keeps.milliseconds:.2f} ms per move) against {anew.name}"
            f" ({anew.milliseconds:.2f} ms): score {table['score']:.1%} [{low:.1%}, {high:.1%}],"
            f" {table['games']} games, {table['distinct_games']} distinct",
            flush=True,
        )
        simulations = round(simulations * anew.milliseconds / keeps.milliseconds)


if __name__ == "__main__":
    main()
