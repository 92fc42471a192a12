"""Augmentation: another picture of the same position, with π and mask where they belong."""

import numpy as np
import pytest
import torch

from azlearn.games import ConnectFour, State, TicTacToe
from azlearn.learning import augment
from tests.engines import hash_prior, random_positions, stacked

TIC_TAC_TOE, CONNECT_FOUR = TicTacToe(), ConnectFour()
GAMES = pytest.mark.parametrize("game", [TIC_TAC_TOE, CONNECT_FOUR], ids=lambda game: game.name)


def turned_and_mirrored(board):
    """Every symmetry of a square board, of another one left and right, by NumPy's own means."""
    if board.shape[-1] != board.shape[-2]:
        return [board, board[..., ::-1]]
    turns = [np.rot90(board, k, axes=(-2, -1)) for k in range(4)]
    return turns + [turn[..., ::-1] for turn in turns]


def decoded(game, planes):
    """The position that planes [2, rows, cols] show."""
    stones = [
        sum(1 << game.rules.cell_bit(int(row), int(col)) for row, col in np.argwhere(plane))
        for plane in planes
    ]
    return State(*stones)


def batch(game, n, seed=0):
    """Planes, π and the legal mask, as training stacks them."""
    states = random_positions(game, n, seed)
    stack = stacked(states)
    legal = game.batch_legal_mask(stack)
    rows = np.stack([hash_prior(game, stack), legal], 1).astype(np.float32)
    return states, torch.from_numpy(game.batch_encode(stack)), torch.from_numpy(rows)


@GAMES
def test_planes_policy_and_mask_move_together(game):
    """Read back as a position: its legal moves are where the mask went, and playing a move leads to
    a mirror image of where the move it came from leads."""
    states, planes, rows = batch(game, 200)
    moved, moved_rows = augment(game, planes, rows, np.random.default_rng(3))
    for state, before, image, answer in zip(states, rows, moved, moved_rows, strict=True):
        position = decoded(game, image.numpy())
        pi, mask = answer.numpy()
        assert game.legal_mask(position).tolist() == (mask == 1).tolist()
        images = {b.tobytes() for b in turned_and_mirrored(game.encode(state))}
        assert image.numpy().tobytes() in images
        # Each move's π is found again behind a move to a mirror image of the same position. Where
        # several moves lead to mirror images of each other, their π are the same multiset.
        wanted = sorted(reached(game, state, before[0].numpy()))
        assert sorted(reached(game, position, pi)) == wanted


def reached(game, state, pi):
    """(the position behind a legal move, alike for all its mirror images, and the move's π)."""
    for action in game.legal_actions(state):
        after = game.encode(game.play(state, action))
        first = min(np.ascontiguousarray(b).tobytes() for b in turned_and_mirrored(after))
        yield first, float(pi[action])


@GAMES
def test_every_symmetry_comes_equally_often(game):
    """Chi-square over 4,000 copies of one position without symmetry: 99.9 % quantile 24.3, 10.8."""
    state = game.from_moves("12")
    planes = torch.from_numpy(game.encode(state)).expand(4000, -1, -1, -1)
    policy = torch.eye(game.num_actions)[0].expand(4000, -1)
    moved, _ = augment(game, planes, policy, np.random.default_rng(11))
    images = [np.ascontiguousarray(b).tobytes() for b in turned_and_mirrored(game.encode(state))]
    counts = np.array([sum(image.numpy().tobytes() == b for image in moved) for b in images])
    assert counts.sum() == 4000
    expected = 4000 / len(images)
    assert ((counts - expected) ** 2 / expected).sum() < {8: 24.3, 2: 10.8}[len(images)]


def test_by_hand():
    """Connect Four, left and right: a stone on the left and π on the left go right together."""
    planes = torch.zeros(20, 2, 6, 7)
    planes[:, 0, 5, 0] = 1
    policy = torch.tensor([0.5, 0.3, 0.2, 0, 0, 0, 0]).expand(20, -1)
    moved, pi = augment(CONNECT_FOUR, planes, policy, np.random.default_rng(0))
    is_left = moved[:, 0, 5, 0] == 1
    assert 0 < is_left.sum() < 20
    assert (moved[~is_left, 0, 5, 6] == 1).all()
    assert (moved.sum((1, 2, 3)) == 1).all()
    torch.testing.assert_close(pi[is_left], policy[is_left])
    torch.testing.assert_close(pi[~is_left], policy[~is_left].flip(1))
