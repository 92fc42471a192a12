"""Small games for the tests: by hand, and at random."""

import numpy as np

from azlearn.alphago.expert_games import GameRecord
from azlearn.games.rules_game import RulesGame

FIRST_WINS = GameRecord(0, "1212121", 1, (10, 10), 0)  # four in column 1
SECOND_WINS = GameRecord(1, "12321252", -1, (10, 10), 0)  # four in column 2


def random_records(game: RulesGame, num_games: int, seed: int = 0) -> list[GameRecord]:
    """Games of uniformly random moves."""
    rng, records = np.random.default_rng(seed), []
    for number in range(num_games):
        state, actions = game.initial_state(), []
        while (value := game.outcome(state)) is None:
            action = int(rng.choice(game.legal_actions(state)))
            state, actions = game.next_state(state, action), [*actions, action]
        result = value if len(actions) % 2 == 0 else -value
        records.append(GameRecord(number, game.moves_text(actions), result, (1, 1), 0))
    return records
