"""The features of a move of Go: by hand, stone by stone, and the rollouts that go by them."""

import numpy as np
import pytest

from azlearn.alphago import RolloutPolicy, pattern_rollout, train_rollout_policy
from azlearn.alphago.go_patterns import Features
from azlearn.alphago.pattern_sets import patterns_of
from azlearn.games import Go, Othello
from tests.alphago.positions import moves_at
from tests.engines import random_positions

GAME = Go(5)
SIDES = ((-1, 0), (0, 1), (1, 0), (0, -1))
AROUND = [(row, col) for row in (-1, 0, 1) for col in (-1, 0, 1) if row or col]


def policy_of(game, seed, spread=1.0):
    weights = np.random.default_rng(seed).normal(0, spread, patterns_of(game).num_weights)
    return RolloutPolicy(weights, game)


def values(game, state):
    """int64 [num_actions, 7], every feature from 0."""
    indices, legal_mask = patterns_of(game).indices(game.stack([state]), np.array([-1]))
    assert np.flatnonzero(legal_mask[0]).tolist() == game.legal_actions(state)
    return indices[0] - patterns_of(game).offsets


@pytest.mark.parametrize(
    ("moves", "move", "expected"),
    [
        ("A2 A1", "B1", (1, 0, 0, 2)),  # takes the stone in the corner
        ("B1", "A1", (0, 0, 1, 2)),  # a stone with one liberty
        ("A1 A2", "B1", (0, 1, 0, 1)),  # saves the one in the corner, diagonal to A2
        ("A1 A2 E5 B2", "B1", (0, 0, 1, 2)),  # tries to, but C1 is the only liberty
        ("C3", "D4", (0, 0, 0, 1)),
        ("C3", "E5", (0, 0, 0, 0)),
        ("C3 pass", "D3", (0, 0, 0, 0)),  # there is no last stone
        ("A1 A2", "pass", (0, 0, 0, 0)),
    ],
)
def test_features_by_hand(moves, move, expected):
    action = next(a for a in range(26) if GAME.action_label(a) == move)
    found = Features(*values(GAME, GAME.from_moves(moves))[action])
    assert found[:4] == expected
    assert (found.response > 0) == (found.neighbour > 0)
    assert (found.pattern > 0) == (found.place > 0) == (move != "pass")


def group_of(board, point):
    """The stones connected to one, and their liberties."""
    stones, liberties, waiting = {point}, set(), [point]
    while waiting:
        row, col = waiting.pop()
        for beside in [(row + up, col + right) for up, right in SIDES]:
            if board.get(beside) == board[point] and beside not in stones:
                stones.add(beside)
                waiting.append(beside)
            elif board.get(beside) == 0:
                liberties.add(beside)
    return stones, liberties


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
    mine, theirs = game.encode(state)[:2].astype(int)
    shape = [(row, col) for row in range(game.size) for col in range(game.size)]
    board = {point: int(mine[point] + 2 * theirs[point]) for point in shape}
    before = game.encode(state)[3].astype(int)  # theirs, a move ago
    new = [point for point in shape if theirs[point] and not before[point]]
    last = new[0] if state.ply and state.passes == 0 else None
    row, col = point = divmod(action, game.size)

    def cells_around(middle):
        return {(up, right): board.get((middle[0] + up, middle[1] + right)) for up, right in AROUND}

    beside = [(row + up, col + right) for up, right in SIDES]
    in_atari = {p: len(group_of(board, p)[1]) == 1 for p in beside if board.get(p)}
    pattern = symmetric(
        {
            (up, right): (str(code), in_atari.get((row + up, col + right)))
            for (up, right), code in cells_around(point).items()
        }
    )
    response, neighbour = None, 0
    if last and max(abs(row - last[0]), abs(col - last[1])) == 1:
        step = (row - last[0], col - last[1])
        neighbour = 1 if all(step) else 2
        seen = {cell: (str(code), cell == step) for cell, code in cells_around(last).items()}
        response = symmetric(seen)
    place = sorted(min(line, game.size - 1 - line) for line in point)

    saved = any(atari and board[p] == 1 for p, atari in in_atari.items())
    taken = [p for p, atari in in_atari.items() if atari and board[p] == 2]
    for stones in [group_of(board, p)[0] for p in taken]:
        board.update(dict.fromkeys(stones, 0))
    board[point] = 1
    lone = len(group_of(board, point)[1]) == 1
    return (
        int(bool(taken)), int(saved and not lone), int(lone), neighbour, str(place), response,
        pattern,
    )  # fmt: skip


@pytest.mark.parametrize("size", [3, 5])
def test_the_bits_agree_with_the_stones(size):
    """Numbers are equal; patterns and places have a name of their own, the same for all images."""
    game, rng, names, seen = Go(size), np.random.default_rng(size), [{}, {}, {}], set()
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


def test_rollouts_come_to_their_end_by_two_passes():
    evaluate, rng, game = pattern_rollout(policy_of(GAME, 2)), np.random.default_rng(4), GAME
    ends = []
    for start in random_positions(game, 20, seed=5):
        state = start
        for action in (found := evaluate(game, start, rng)).moves:
            assert action in game.rollout_actions(state)
            state = game.play(state, action)
        assert found.value == game.outcome(state) * (-1) ** len(found.moves)
        assert state.passes == 2 or game.num_plies(state) == game.max_plies
        ends.append(state.passes == 2)
    assert np.mean(ends) > 0.4  # weights at random take stones back and forth


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
        with pytest.raises(ValueError, match="for Connect Four and for Go up to 7x7, not for"):
            RolloutPolicy(np.zeros(3), game)
