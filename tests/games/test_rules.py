"""The rules against the world: published counts, OpenSpiel, plain boards, minimax. And what games
promise their callers: text, batches, one sentence for what is refused."""

import re

import numba
import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from azlearn.arena import load_positions
from azlearn.games import (
    ConnectFour,
    DotsAndBoxes,
    Go,
    Hex,
    Othello,
    State,
    TicTacToe,
    count_games,
    minimax_actions,
    minimax_value,
    othello_rules,
    sequences_by_state,
    specialize,
)

FOUR, THREE, BOXES = ConnectFour(), TicTacToe(), DotsAndBoxes()


def test_tic_tac_toe_has_the_published_counts():
    game = THREE
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
    layers = list(sequences_by_state(FOUR, max_plies=8))
    assert [len(layer) for layer in layers] == positions
    assert [sum(layer.values()) for layer in layers] == sequences


def test_othello_has_the_published_numbers_of_sequences():
    """Perft to 8 plies, compiled: the published 4, 12, 56, 244, 1,396, 8,200, 55,092, 390,216."""
    rules = specialize(othello_rules, numba.njit)
    play, options, is_legal, outcome = rules.play, rules.options, rules.is_legal, rules.outcome

    @numba.njit
    def sequences(state, depth):
        if depth == 0 or outcome(state)[0]:
            return int(depth == 0)
        total, possible = 0, options(state)
        for action in range(65):
            if is_legal(possible, action):
                total += sequences(play(state, action), depth - 1)
        return total

    found = [sequences(othello_rules.INITIAL, depth) for depth in range(1, 9)]
    assert found == [4, 12, 56, 244, 1396, 8200, 55092, 390216]


@pytest.mark.parametrize(
    ("name", "game", "num_games"),
    [
        ("tic_tac_toe", THREE, 2000),
        ("connect_four", FOUR, 2000),
        ("othello", Othello(), 60),
        ("dots_and_boxes(num_rows=2,num_cols=2)", BOXES, 200),
        ("dots_and_boxes(num_rows=3,num_cols=4)", DotsAndBoxes(3, 4), 100),
        ("hex(board_size=3)", Hex(3), 200),
        ("hex(board_size=5)", Hex(5), 100),
        ("hex(board_size=7)", Hex(7), 60),
    ],
)
def test_random_games_in_lock_step_with_openspiel(name, game, num_games):
    """The same legal actions, player, end and result after every move."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs, rng = pyspiel.load_game(name), np.random.default_rng(1)
    assert theirs.num_distinct_actions() == game.num_actions
    for _ in range(num_games):
        state, peer = game.initial_state(), theirs.new_initial_state()
        while not peer.is_terminal():
            assert game.outcome(state) is None
            assert game.to_play(state) == peer.current_player()
            legal = game.legal_actions(state)
            assert legal == sorted(peer.legal_actions())
            action = legal[int(rng.random() * len(legal))]
            state = game.play(state, action)
            peer.apply_action(action)
        assert game.legal_actions(state) == []
        assert game.outcome(state) == peer.returns()[game.to_play(state)]


def test_minimax_knows_tic_tac_toe():
    game = THREE
    assert minimax_value(game, game.initial_state()) == 0
    assert minimax_actions(game, game.initial_state()) == [*range(9)]
    # X in a corner: only the centre draws (known to every child).
    assert minimax_actions(game, game.from_moves("1")) == [4]
    # X has 1 and 2 and is to move: 3 wins at once.
    assert minimax_actions(game, game.from_moves("1425")) == [2]
    assert minimax_value(game, game.from_moves("1425")) == 1


@pytest.mark.slow
def test_minimax_agrees_with_the_solver_near_the_end_of_connect_four():
    game, checked = FOUR, 0
    for position in load_positions():
        if position.ply >= 31:
            assert minimax_value(game, position.state) == position.value
            keeping = [a for a in position.legal_actions if position.keeps_value(a)]
            assert minimax_actions(game, position.state) == keeping
            checked += 1
    assert checked > 20


@pytest.mark.parametrize(
    ("game", "value"),
    [
        (Othello(4), -1),  # as perfect play ends on 6x6, too: Feinstein (1993)
        (Hex(3), 1),  # a theorem for every size (Nash 1949); on 3x3 the centre wins
        (DotsAndBoxes(1, 1), -1),
        (DotsAndBoxes(1, 2), 0),
        (DotsAndBoxes(2, 1), 0),
    ],
    ids=str,
)
def test_small_games_have_their_known_values(game, value):
    """Those of one and two boxes are what OpenSpiel finds."""
    assert minimax_value(game, game.initial_state()) == value
    if isinstance(game, Hex):
        assert 4 in minimax_actions(game, game.initial_state())


class FromTheHost(TorchDispatchMode):
    """Collects the operations on tensors of another device that are given one of the CPU."""

    def __init__(self):
        super().__init__()
        self.found = []

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        given = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
        self.found += [str(operation) for x in given if x.device.type == "cpu" and x.dim()]
        return operation(*args, **(kwargs or {}))


@pytest.mark.parametrize(
    "game",
    [Othello(6), BOXES, Hex(5), FOUR, Go(4), pytest.param(Go(8), marks=pytest.mark.slow)],
    ids=str,
)
def test_a_device_is_sent_its_tables_once(game):
    """A recorded GPU program can send nothing, and gradients go through what is turned, also when
    the tables were first asked for in inference mode."""
    states = game.State(
        *(torch.zeros(3, dtype=torch.int64, device="meta") for _ in game.State._fields)
    )

    def ask():
        planes = game.batch_encode(states)
        legal = game.batch_legal_mask(states)
        owners = [game.batch_owners(states)] if game.has_owners else []
        return [*owners, *game.symmetries(planes, legal)]

    with torch.inference_mode():
        ask()
    with FromTheHost() as sent:
        ask()
    assert not sent.found
    policy, board = (
        torch.ones(game.num_actions, requires_grad=True),
        torch.ones(game.rows, game.cols),
    )
    with torch.inference_mode():
        game.symmetries(board, policy)
    pairs = game.symmetries(board, policy)
    sum(moved.sum() for _, moved in pairs).backward()
    assert (policy.grad == len(pairs)).all()


def test_text_and_moves():
    game = FOUR
    shown = game.to_text(game.from_moves("4453")).splitlines()
    assert shown[-3:] == [". . . O . . .", ". . O X X . .", "1 2 3 4 5 6 7"]
    assert THREE.to_text(THREE.from_moves("519")) == "O . .\n. X .\n. . X"


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        ("4444444", "Move 7 (4) is illegal there."),
        ("12121212", "Move 8 (2) comes after the end of the game."),
        ("48", "Move 2 is '8', but moves are written as 1 to 7."),
        ("٤", "moves are written as 1 to 7"),
    ],
)
def test_bad_moves_are_one_clear_sentence(moves, words):
    with pytest.raises(ValueError, match=re.escape(words)) as error:
        FOUR.from_moves(moves)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("game", "moves", "action", "words"),
    [
        *((FOUR, "", a, f"Action {a!r} is illegal here; the legal moves are 1, 2, 3, 4, 5, 6, 7 (a")
          for a in (-1, 7, 2.5, "3", None)),
        (THREE, "14253", 8, "Move 9 (action 8) cannot be played: the game is over."),
        (Hex(3), "b2", 4, "Move b2 (action 4) is illegal here; the legal moves are a1, b1, c1, a2"),
        (Go(5), "C3", 12, "are A5, B5, C5, …, E1, pass (actions 0, 1, 2, …, 24, 25)."),
    ],
)  # fmt: skip
def test_a_refused_move_is_called_as_the_game_writes_it(game, moves, action, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        game.play(game.from_moves(moves), action)


def test_a_batch_names_the_row_that_is_wrong():
    game = FOUR
    full = game.from_moves("444444")
    states = State(np.array([0, full.me, full.me]), np.array([0, full.opp, full.opp]))
    with pytest.raises(ValueError, match=r"Row 1: Move 4 \(action 3\) is illegal here"):
        game.batch_play(states, np.array([3, 3, 3]))
    with pytest.raises(ValueError, match="Row 2: Action 9"):
        game.batch_play(states, np.array([3, 0, 9]))
    with pytest.raises(ValueError, match=r"actions must be an integer array of shape \(3,\)"):
        game.batch_play(states, np.array([1]))


def test_encode_shows_the_mover_first_and_the_top_row_first():
    game = FOUR
    planes = game.encode(game.from_moves("12"))  # first player at 1, second at 2; first to move
    assert planes.dtype == np.float32
    assert planes.shape == (2, 6, 7)
    assert planes[0].nonzero() == (5, 0)
    assert planes[1].nonzero() == (5, 1)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Othello(7), "size must be 4, 6 or 8, not 7"),
        (lambda: Hex(8), "size must be a whole number from 3 to 7, not 8"),
        (lambda: DotsAndBoxes(0, 2), "num_rows must be a whole number from 1 to 7, not 0"),
        (lambda: DotsAndBoxes(2, 9), "num_cols must be a whole number from 1 to 7, not 9"),
        (lambda: specialize(othello_rules, SIDE=6), "has no constant SIDE"),
    ],
)
def test_an_impossible_size_is_one_clear_sentence(make, words):
    with pytest.raises(ValueError, match=words):
        make()
