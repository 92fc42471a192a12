"""The rules on a device against those of ``RulesGame``, which are held to the truth elsewhere."""

import numpy as np
import pytest
import torch

from azlearn.games.tensor_game import TensorGame
from tests.device.small import GAMES, a_readers_game, game_id, no_wait, tensors
from tests.engines import random_positions

EVERY_GAME = pytest.mark.parametrize("game", GAMES, ids=game_id)


def positions(game):
    """Positions of every kind, the first and finished ones included: as one ``State``."""
    going_on = random_positions(game, 40, seed=5)
    ended = []
    for seed in range(12):
        rng, state = np.random.default_rng(seed), game.initial_state()
        while legal := game.legal_actions(state):
            state = game.next_state(state, int(rng.choice(legal)))
        ended.append(state)
    return game.stack([game.initial_state(), *going_on, *ended])


def assert_same_rules(game, device):
    states = positions(game)
    there, on = tensors(states, device), TensorGame(game, device)
    is_over, value = game.batch_outcome(states)
    assert is_over.any()
    assert not is_over.all()
    with no_wait(device):
        found = [
            on.legal_mask(there), on.encode(there), *on.outcome(there), on.to_play(there),
        ]  # fmt: skip
    expected = [
        game.batch_legal_mask(states), game.batch_encode(states), is_over, value,
        game.batch_to_play(states),
    ]  # fmt: skip
    for mine, right in zip(found, expected, strict=True):
        assert mine.device.type == device
        np.testing.assert_array_equal(mine.cpu().numpy(), np.broadcast_to(right, mine.shape))
    assert found[0].dtype == torch.bool
    assert found[1].dtype == torch.float32


@EVERY_GAME
def test_masks_planes_and_results_are_those_of_the_rules(game, device):
    assert_same_rules(game, device)


def test_a_readers_own_game_too(tmp_path, device):
    assert_same_rules(a_readers_game(tmp_path), device)


@EVERY_GAME
def test_moves_lead_where_the_rules_lead(game, device):
    states = random_positions(game, 30, seed=9)
    rng = np.random.default_rng(1)
    actions = np.array([rng.choice(game.legal_actions(state)) for state in states])
    on = TensorGame(game, device)
    there, chosen = tensors(game.stack(states), device), torch.from_numpy(actions).to(device)
    with no_wait(device):
        found = on.play(there, chosen)
    for row, (state, action) in enumerate(zip(states, actions.tolist(), strict=True)):
        assert game.state_of([word[row] for word in found]) == game.play(state, action)


@EVERY_GAME
def test_every_row_is_turned_into_its_own_symmetry(game, device):
    """Row ``i`` in its mirror image, as ``symmetries`` gives all of them for all rows."""
    states, on = game.stack(random_positions(game, 32, seed=2)), TensorGame(game, device)
    planes = game.batch_encode(states)
    rng = np.random.default_rng(0)
    policy = rng.random((32, game.num_actions))
    every = game.symmetries(planes, policy)
    turn = rng.integers(len(every), size=32)
    turn[: len(every)] = np.arange(len(every))  # each at least once
    inputs = [torch.from_numpy(x).to(device) for x in (planes, policy, turn)]
    with no_wait(device):
        turned_planes, turned_policy = on.turned(*inputs)
        both = torch.stack([inputs[1], inputs[1] * 2], dim=1)  # [B, 2, num_actions]
        _, turned_both = on.turned(inputs[0], both, inputs[2])
    assert on.num_symmetries == len(every)
    for row, number in enumerate(turn):
        np.testing.assert_array_equal(turned_planes[row].cpu(), every[number][0][row])
        np.testing.assert_array_equal(turned_policy[row].cpu(), every[number][1][row])
    torch.testing.assert_close(turned_both[:, 0], turned_policy, rtol=0, atol=0)
    torch.testing.assert_close(turned_both[:, 1], 2 * turned_policy, rtol=0, atol=0)


@EVERY_GAME
def test_a_game_turned_move_by_move_is_the_turned_game(game):
    """Played with turned moves, a game shows the turned board and the turned legal moves."""
    on, rng = TensorGame(game), np.random.default_rng(3)
    first = torch.from_numpy(game.encode(game.initial_state()))[None]
    for number in range(on.num_symmetries):
        turn = torch.tensor([number])
        to = on.moved_actions[number].argsort().tolist()  # new place <- old becomes old -> new
        if not torch.equal(on.turned(first, torch.zeros(1, game.num_actions), turn)[0], first):
            continue  # a quarter turn of Othello's first position is not a first position
        state = other = game.initial_state()
        while legal := game.legal_actions(state):
            planes = torch.from_numpy(game.encode(state))[None]
            mask = torch.from_numpy(game.legal_mask(state))[None]
            turned_planes, turned_mask = on.turned(planes, mask, turn)
            np.testing.assert_array_equal(turned_planes[0], game.encode(other))
            np.testing.assert_array_equal(turned_mask[0], game.legal_mask(other))
            action = int(rng.choice(legal))
            state, other = game.next_state(state, action), game.next_state(other, to[action])


def test_the_first_position_as_often_as_asked(device):
    for game in GAMES:
        states = TensorGame(game, device).initial_states(3)
        for row in range(3):
            assert game.state_of([word[row] for word in states]) == game.initial_state()
        assert all(word.dtype == torch.int64 and word.shape == (3,) for word in states)
