"""Self-play that stores every finished game by its number."""

from itertools import pairwise

import numpy as np

from azlearn.learning import SelfPlay
from azlearn.learning.settings import TrainSettings
from tests.learning.readable_self_play import ActiveGame, Record

# A few moves of each kind; the value target is z only.
TIC_TAC_TOE = TrainSettings(
    game="tictactoe",
    num_games=8,
    simulations=12,
    first_simulations=12,
    random_opening_fraction=0.5,
    opening_plies=4,
    temperature_plies=4,
    value_target_mix=0.0,
)


class Watched(SelfPlay):
    """Keeps ``ended``: number -> (game, outcome for the player who would move next).

    Runs in plain Python unless ``compiled``, which for a few short games is faster.
    """

    def __init__(self, settings, *ranks, compiled=False, **others):
        self.ended = {}
        super().__init__(settings, *ranks, compiled=compiled, **others)

    def _collect(self, dials):
        for slot in np.flatnonzero(self.games.is_over):
            game = game_in(self, slot)
            self.ended[game.number] = (game, int(self.games.outcome[slot]))
        super()._collect(dials)


def game_in(play: SelfPlay, slot: int) -> ActiveGame:
    """The game in a slot, as in the readable self-play."""
    columns, state_of = play.games, play.game.state_of
    names = ("past_words", "past_policy", "past_value", "past_proven", "past_surprise")
    past = (getattr(columns, name)[slot, : columns.num_records[slot]].copy() for name in names)
    records = [
        Record(state_of(words), policy, float(value), bool(proven), float(found))
        for words, policy, value, proven, found in zip(*past, strict=True)
    ]
    number, ply = int(columns.number[slot]), int(columns.ply[slot])
    return ActiveGame(number, state_of(columns.words[slot]), ply, records)


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
