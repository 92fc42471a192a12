"""Who owns which cell at the end: by hand, and against a plain board and the games' own results."""

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


@pytest.mark.parametrize("size", [5, 7, 9])
def test_go_s_points_add_up_to_the_score_of_a_plain_board(size):
    game = Go(size)
    states = random_games(game, 3 if size < 9 else 1)
    batch = game.stack(states)
    owners = game.batch_owners(batch)
    assert (owners.dtype, owners.shape) == (np.float32, (len(states), size, size))
    leads = [score(cells_of(game, s), size) * (1 - 2 * game.to_play(s)) for s in states]
    assert owners.sum((1, 2)).tolist() == leads
    assert game.rules.area_lead(batch).tolist() == leads
    assert len({*np.unique(owners)}) == 3


@pytest.mark.parametrize("game", [Go(5), Go(7), Go(9), Othello(6), Othello(8)], ids=str)
def test_arrays_and_tensors_agree_and_owners_decide(game):
    states = random_games(game, 2)
    batch = game.stack(states)
    tensors = game.State(*map(torch.from_numpy, batch))
    owners = game.batch_owners(batch)
    found = game.batch_owners(tensors)
    assert found.dtype == torch.float32
    np.testing.assert_array_equal(found, owners)
    over, value = game.batch_outcome(batch)
    komi = getattr(game, "komi", 0) * (2 * game.batch_to_play(batch)[over] - 1)
    np.testing.assert_array_equal(np.sign(owners.sum((1, 2))[over] + komi), value[over])
