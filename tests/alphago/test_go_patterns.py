"""The features of a move of Go: stone by stone, how many there are, and what is learnt by them."""

import numpy as np
import pytest

from azlearn.alphago import RolloutPolicy, train_rollout_policy
from azlearn.alphago.pattern_sets import patterns_of
from azlearn.games import Go, Othello
from tests.alphago.positions import moves_at
from tests.engines import random_positions
from tests.games.go.plain_go import after_stone, beside, cells_of, groups

GAME = Go(5)
AROUND = [(row, col) for row in (-1, 0, 1) for col in (-1, 0, 1) if row or col]


def values(game, state):
    """int64 [num_actions, 7], every feature from 0."""
    indices, legal_mask = patterns_of(game).indices(game.stack([state]), np.array([-1]))
    assert np.flatnonzero(legal_mask[0]).tolist() == game.legal_actions(state)
    return indices[0] - patterns_of(game).offsets


def symmetric(cells):
    """What all images of some cells around the middle share."""
    images = []
    for _ in range(2):
        cells = {(row, -col): code for (row, col), code in cells.items()}
        for _ in range(4):
            cells = {(col, -row): code for (row, col), code in cells.items()}
            images.append(tuple(sorted(cells.items())))
    return min(images)


def readable(game, state, action):
    """The same seven, patterns and places as what they look like; None for a pass or elsewhere."""
    if action == game.num_actions - 1:
        return 0, 0, 0, 0, None, None, None
    (row, col) = point = divmod(action, game.size)
    size, me = game.size, game.to_play(state) + 1
    board = {at: 1 if owner == me else 2 for at, owner in cells_of(game, state).items()}
    theirs, before = game.encode(state)[[1, 3]].astype(int)  # now, and a move ago
    new = [divmod(int(cell), size) for cell in np.flatnonzero(theirs > before)]
    last = new[0] if state.ply and state.passes == 0 else None

    def cells_around(middle):
        around = {side: (middle[0] + side[0], middle[1] + side[1]) for side in AROUND}
        empty = dict.fromkeys(np.ndindex(size, size), 0)
        return {side: str((empty | board).get(at)) for side, at in around.items()}

    in_atari = {
        (at[0] - row, at[1] - col): len(liberties) == 1
        for _, stones, liberties in groups(board, size)
        for at in stones.intersection(beside(point, size))
    }
    pattern = symmetric(
        {side: (code, in_atari.get(side)) for side, code in cells_around(point).items()}
    )
    response, neighbour = None, 0
    if last and max(abs(row - last[0]), abs(col - last[1])) == 1:
        step = (row - last[0], col - last[1])
        neighbour = 1 if all(step) else 2
        response = symmetric({s: (code, s == step) for s, code in cells_around(last).items()})
    place = sorted(min(line, size - 1 - line) for line in point)

    owners_in_atari = {
        board[row + up, col + right] for (up, right), is_in in in_atari.items() if is_in
    }
    after = groups(after_stone(board, point, 1, size), size)
    lone = any(point in stones and len(liberties) == 1 for _, stones, liberties in after)
    return (
        int(2 in owners_in_atari), int(1 in owners_in_atari and not lone), int(lone), neighbour,
        str(place), response, pattern,
    )  # fmt: skip


def test_the_bits_agree_with_the_stones():
    """Numbers are equal; patterns and places have a name of their own, the same for all images."""
    game, rng, names, seen = GAME, np.random.default_rng(5), [{}, {}, {}], set()
    for _ in range(12):
        state = game.initial_state()
        while legal := game.legal_actions(state):
            found = values(game, state)
            for action in legal:
                expected = readable(game, state, action)
                assert tuple(found[action][:4]) == expected[:4]
                seen.add(expected[:3])
                for known, number, look in zip(names, found[action][4:], expected[4:], strict=True):
                    assert known.setdefault(look, number) == number
            placing = [a for a in legal if a in game.rollout_actions(state)]
            state = game.next_state(
                state, int(rng.choice(placing if rng.random() < 0.9 else legal))
            )
    for known in names:
        assert len(set(known.values())) == len(known)
    assert len(seen) >= 5  # captures, rescues and stones in atari among them
    assert len(names[1]) > 30
    assert len(names[2]) > 60


def test_the_number_of_patterns_is_that_of_burnside_s_lemma():
    """Inside, at an edge and in a corner, counted by the symmetries that leave patterns alone."""
    inside = (5**4 * 3**4 + 2 * 5 * 3 + 25 * 9 + 2 * 5**3 * 9 + 2 * 25 * 27) // 8
    edge, corner = (5**3 * 3**2 + 25 * 3) // 2, (5**2 * 3 + 5 * 3) // 2
    assert patterns_of(GAME).num_values.pattern == 1 + inside + edge + corner
    inside = 2 * (3**7 + 3**4) // 2
    edge, corner = (5 * 3**4 + 3**2) // 2, (3 * 3**2 + 3) // 2
    assert patterns_of(GAME).num_values.response == 1 + inside + edge + corner


def test_training_finds_what_an_expert_does(tmp_path):
    """An expert who takes stones where it can."""
    states = [
        state
        for state in random_positions(GAME, 300, seed=6)
        if values(GAME, state)[GAME.legal_actions(state), 0].any()
    ]
    action = np.array(
        [max(GAME.legal_actions(s), key=lambda a, s=s: values(GAME, s)[a, 0]) for s in states]
    )
    moves = moves_at(GAME.stack(states), None, action)
    trained = train_rollout_policy(moves, moves, epochs=30, batch_size=64, game=GAME)
    weights, path = trained.policy.weights, tmp_path / "rollout.safetensors"
    assert weights[1] - weights[0] > 1
    assert trained.held_out.log_likelihood > trained.history[0].log_likelihood + 1
    trained.policy.save(path, {"seed": 7}, "go5")
    loaded, info = RolloutPolicy.load(path)
    assert (loaded.weights == weights).all()
    assert (loaded.game, info) == (GAME, {"seed": 7})


def test_games_without_patterns_are_refused():
    for game in (Othello(), Go(9)):
        with pytest.raises(ValueError, match="supports Connect Four and Go up to 7x7, not"):
            RolloutPolicy(np.zeros(3), game)
