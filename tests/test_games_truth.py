"""The rules against the world: published counts, OpenSpiel, a naive board, every backend."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from azlearn.games import (
    ConnectFour,
    State,
    TicTacToe,
    count_games,
    minimax_actions,
    minimax_value,
    sequences_by_state,
    variant,
)

GAMES = [TicTacToe(), ConnectFour()]
by_name = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


def random_game(game, rng):
    """The states and actions of one random game."""
    state, states, actions = game.initial_state(), [], []
    while legal := game.legal_actions(state):
        states.append(state)
        actions.append(int(rng.choice(legal)))
        state = game.play(state, actions[-1])
    return [*states, state], actions


def test_tic_tac_toe_has_the_published_counts():
    game = TicTacToe()
    states = {state for layer in sequences_by_state(game) for state in layer}
    assert count_games(game) == 255_168
    assert len(states) == 5_478
    assert sum(game.outcome(state) is not None for state in states) == 958
    assert len({canonical(game, state) for state in states}) == 765


def canonical(game, state):
    """One name for a position and all that look like it in a mirror or turned."""
    planes = game.encode(state)
    pairs = game.symmetries(planes, np.zeros(game.num_actions))
    return min(turned.tobytes() for turned, _ in pairs), game.to_play(state)


@pytest.mark.slow
def test_connect_four_has_the_published_counts():
    positions = [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275]  # OEIS A212693
    sequences = [1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234]
    layers = list(sequences_by_state(ConnectFour(), max_plies=8))
    assert [len(layer) for layer in layers] == positions
    assert [sum(layer.values()) for layer in layers] == sequences


@pytest.mark.parametrize(
    ("game", "openspiel_name"), [(TicTacToe(), "tic_tac_toe"), (ConnectFour(), "connect_four")]
)
def test_ten_thousand_random_games_in_lock_step_with_openspiel(game, openspiel_name):
    pyspiel = pytest.importorskip("pyspiel")
    peer_game, rng = pyspiel.load_game(openspiel_name), np.random.default_rng(1)
    for _ in range(10_000):
        state, peer = game.initial_state(), peer_game.new_initial_state()
        while not peer.is_terminal():
            legal = game.legal_actions(state)
            assert legal == peer.legal_actions()
            assert game.outcome(state) is None
            assert game.to_play(state) == peer.current_player()
            action = legal[int(rng.random() * len(legal))]
            state = game.next_state(state, action)
            peer.apply_action(action)
        assert game.legal_actions(state) == []
        assert game.outcome(state) == peer.returns()[game.to_play(state)]


def naive_winner(game, cells):
    """Looks for a line in every direction from every cell."""
    board = np.array(cells).reshape(game.rows, game.cols)
    length = game.rules.CONNECT
    for row, col in np.ndindex(board.shape):
        for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
            line = [(row + i * down, col + i * right) for i in range(length)]
            if all(r < game.rows and 0 <= c < game.cols for r, c in line):
                stones = {board[place] for place in line}
                if len(stones) == 1 and stones != {0}:
                    return stones.pop(), [r * game.cols + c for r, c in line]
    return None


@by_name
@given(seed=st.integers(0, 2**32 - 1))
@pytest.mark.slow
def test_random_games_agree_with_a_naive_board(game, seed):
    states, actions = random_game(game, np.random.default_rng(seed))
    board = [0] * (game.rows * game.cols)
    for ply, (state, action) in enumerate(zip(states, actions, strict=False)):
        assert game.cells(state) == board
        assert naive_winner(game, board) is None
        assert game.highlights(state) == []
        board[game.cell(state, action)] = ply % 2 + 1
    final = states[-1]
    assert game.cells(final) == board
    if winner := naive_winner(game, board):
        assert winner[0] - 1 != game.to_play(final)
        assert game.outcome(final) == -1
        assert {board[cell] for cell in game.highlights(final)} == {winner[0]}
        assert len(set(game.highlights(final))) == game.rules.CONNECT
    else:
        assert game.outcome(final) == 0
        assert 0 not in board


def recorded(game, num_games=300):
    """Positions and legal actions as columns, with what a Python int says follows."""
    rng, rows = np.random.default_rng(3), []
    for _ in range(num_games):
        states, actions = random_game(game, rng)
        for state, action, after in zip(states, actions, states[1:], strict=False):
            over = game.outcome(after)
            rows.append((*state, action, *after, over is not None, over or 0))
    return np.array(rows, dtype=np.int64).T


@by_name
def test_the_same_rules_on_numpy_torch_and_numba(game):
    import numba
    import torch

    me, opp, action, *expected = recorded(game)
    rules = game.rules

    def follow(rules, me, opp, action):
        state = rules.play(game.State(me, opp), action)
        return *state, *rules.outcome(state)

    numpy_result = follow(rules, me, opp, action)
    torch_result = follow(rules, *(torch.from_numpy(column) for column in (me, opp, action)))
    compiled = variant(rules, numba.njit)
    play, outcome, State = compiled.play, compiled.outcome, game.State

    @numba.njit
    def loop(me, opp, action, out):
        for i in range(len(me)):
            state = play(State(me[i], opp[i]), action[i])
            out[0, i], out[1, i] = state
            out[2, i], out[3, i] = outcome(state)

    numba_result = np.zeros((4, len(me)), np.int64)
    loop(me, opp, action, numba_result)
    for result in (numpy_result, torch_result, numba_result):
        for got, want in zip(result, expected, strict=True):
            assert np.array_equal(np.asarray(got).astype(np.int64), want)


@by_name
def test_batches_of_tensors_are_batches_of_arrays(game):
    import torch

    me, opp, action, *_ = recorded(game, 50)
    arrays, tensors = State(me, opp), State(torch.from_numpy(me), torch.from_numpy(opp))
    assert np.array_equal(game.batch_encode(arrays), game.batch_encode(tensors).numpy())
    assert np.array_equal(game.batch_legal_mask(arrays), game.batch_legal_mask(tensors).numpy())
    played = game.batch_play(tensors, torch.from_numpy(action))
    assert np.array_equal(np.array(game.batch_play(arrays, action)), torch.stack([*played]).numpy())


def test_minimax_knows_tic_tac_toe():
    game = TicTacToe()
    assert minimax_value(game, game.initial_state()) == 0
    assert minimax_actions(game, game.initial_state()) == [*range(9)]
    # X in a corner: only the centre draws (known to every child).
    assert minimax_actions(game, game.from_moves("1")) == [4]
    # X has 1 and 2 and is to move: 3 wins at once.
    assert minimax_actions(game, game.from_moves("1425")) == [2]
    assert minimax_value(game, game.from_moves("1425")) == 1
    # O holds the centre and must stop X at 3; with that, a draw.
    assert minimax_value(game, game.from_moves("152")) == 0
    assert minimax_actions(game, game.from_moves("152")) == [2]


def test_minimax_agrees_with_openspiel():
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms.minimax import alpha_beta_search

    game, peer, rng, known = (
        TicTacToe(),
        pyspiel.load_game("tic_tac_toe"),
        np.random.default_rng(5),
        {},
    )
    for _ in range(150):
        states, actions = random_game(game, rng)
        ply = int(rng.integers(3, len(actions)))
        peer_state = peer.new_initial_state()
        for action in actions[:ply]:
            peer_state.apply_action(action)
        value, _ = alpha_beta_search(peer, state=peer_state, maximizing_player_id=ply % 2)
        assert minimax_value(game, states[ply], known) == value


@pytest.mark.slow
def test_minimax_agrees_with_the_solver_near_the_end_of_connect_four():
    from azlearn.arena import load_positions

    game, checked = ConnectFour(), 0
    for position in load_positions():
        if position.ply >= 31:
            assert minimax_value(game, position.state) == position.value
            keeping = [a for a in position.legal_actions if position.keeps_value(a)]
            assert minimax_actions(game, position.state) == keeping
            checked += 1
    assert checked > 20
