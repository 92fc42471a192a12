"""Self-play that can be looked into: every finished game, by its number."""

from functools import partial
from itertools import pairwise

import pytest

from azlearn.learning import SelfPlay, self_play
from azlearn.learning.settings import TrainSettings
from azlearn.search import BatchedPUCT

# A few moves of each kind; z alone is the target.
TIC_TAC_TOE = TrainSettings(
    game="tictactoe",
    num_games=8,
    simulations=12,
    first_simulations=12,
    opening_share=0.5,
    opening_plies=4,
    temperature_plies=4,
    root_value_share=0.0,
)


class Watched(SelfPlay):
    """Keeps ``ended``: number -> (game, outcome for the player who would move next)."""

    def __init__(self, settings, *ranks, engine=None):
        super().__init__(settings, *ranks, engine=engine)
        self.ended = {}

    def _samples(self, ended):
        self.ended |= {game.number: (game, outcome) for game, outcome in ended}
        return super()._samples(ended)


@pytest.fixture
def plain_python(monkeypatch):
    """The same engine, not compiled: for few short games that takes less time."""
    monkeypatch.setattr(self_play, "BatchedPUCT", partial(BatchedPUCT, compiled=False))


def moves_of(game_rules, game):
    """The actions that lead from each record to the next, and to the final position."""
    states = [record.state for record in game.records] + [game.state]
    moves = []
    for before, after in pairwise(states):
        (action,) = [
            a for a in game_rules.legal_actions(before) if game_rules.play(before, a) == after
        ]
        moves.append(action)
    return moves
