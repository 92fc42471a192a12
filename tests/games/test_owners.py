"""Who owns which cell at the end: against a plain board and the games' own results."""

import numpy as np
import pytest
import torch

from azlearn.games import Othello
from azlearn.games.go import Go
from tests.games.go.plain_go import cells_of, score


def random_games(game, num_games):
    """Positions of random games, the last ones among them."""
    rng, states = np.random.default_rng(game.size), []
    for _ in range(num_games):
        state = game.initial_state()
        while legal := game.legal_actions(state):
            states.append(state)
            state = game.next_state(state, int(rng.choice(legal)))
        states.append(state)
    return states


@pytest.mark.parametrize("game", [Go(5), Go(7), Go(9), Othello(6), Othello(8)], ids=str)
def test_owners_add_up_to_the_score_decide_and_are_the_same_of_tensors(game):
    states = random_games(game, 2)
    batch = game.stack(states)
    owners = game.batch_owners(batch)
    found = game.batch_owners(game.State(*map(torch.from_numpy, batch)))
    assert (owners.dtype, found.dtype) == (np.float32, torch.float32)
    np.testing.assert_array_equal(found, owners)
    if isinstance(game, Go):
        boards = [cells_of(game, state) for state in states]
        leads = [score(board, game.size) for board in boards] * (1 - 2 * game.batch_to_play(batch))
        assert owners.sum((1, 2)).tolist() == leads.tolist()
    over, value = game.batch_outcome(batch)
    komi = getattr(game, "komi", 0) * (2 * game.batch_to_play(batch)[over] - 1)
    np.testing.assert_array_equal(np.sign(owners.sum((1, 2))[over] + komi), value[over])
