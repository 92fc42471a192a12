"""What the games promise their callers, and what the conformance suite says of broken ones."""

import dataclasses
import re

import numpy as np
import pytest

from azlearn.games import ConnectFour, Game, Go, Hex, State, TicTacToe, assert_conforms

GAMES = [TicTacToe(), ConnectFour()]
by_name = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


@by_name
def test_the_games_conform(game):
    assert isinstance(game, Game)
    assert_conforms(game)


@by_name
def test_games_are_frozen_and_equal(game):
    assert game == type(game)()
    assert hash(game) == hash(type(game)())
    with pytest.raises(dataclasses.FrozenInstanceError):
        game.name = "other"


def test_text_and_moves():
    game = ConnectFour()
    assert game.to_text(game.from_moves("4453")).splitlines()[-3:] == [
        ". . . O . . .",
        ". . O X X . .",
        "1 2 3 4 5 6 7",
    ]
    assert TicTacToe().to_text(TicTacToe().from_moves("519")) == "O . .\n. X .\n. . X"


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        ("4444444", "Move 7, 4, is not possible there."),
        ("12121212", "Move 8, 2, comes after the end of the game."),
        ("4x", "Move 2 is 'x'; moves are written 1 to 7."),
        ("48", "Move 2 is '8'; moves are written 1 to 7."),
        ("٤", "moves are written 1 to 7"),
    ],
)
def test_bad_moves_are_one_clear_sentence(moves, words):
    with pytest.raises(ValueError, match=re.escape(words)) as error:
        ConnectFour().from_moves(moves)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("action", [-1, 7, 1000, 2.5, "3", None])
def test_an_action_off_the_board_is_refused(action):
    words = (
        f"Action {action!r} is illegal here; the legal moves are 1, 2, 3, 4, 5, 6, 7 (actions 0, 1"
    )
    with pytest.raises(ValueError, match=re.escape(words)):
        ConnectFour().play(State(0, 0), action)


@pytest.mark.parametrize(
    ("game", "moves", "action", "words"),
    [
        (
            TicTacToe(),
            "5",
            4,
            "Move 5 (action 4) is illegal here; the legal moves are 1, 2, 3, 4, 6",
        ),
        (TicTacToe(), "14253", 8, "Move 9 (action 8) cannot be played: the game is over."),
        (
            ConnectFour(),
            "444444",
            3,
            "Move 4 (action 3) is illegal here; the legal moves are 1, 2,",
        ),
        (Hex(3), "b2", 4, "Move b2 (action 4) is illegal here; the legal moves are a1, b1, c1, a2"),
        (
            Go(5),
            "C3",
            12,
            "the legal moves are A5, B5, C5, …, E1, pass (actions 0, 1, 2, …, 24, 25).",
        ),
    ],
)
def test_a_refused_move_is_called_as_the_game_writes_it(game, moves, action, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        game.play(game.from_moves(moves), action)


def test_a_batch_names_the_row_that_is_wrong():
    game = ConnectFour()
    full = game.from_moves("444444")
    states = State(np.array([0, full.me, full.me]), np.array([0, full.opp, full.opp]))
    with pytest.raises(ValueError, match=r"Row 1: Move 4 \(action 3\) is illegal here"):
        game.batch_play(states, np.array([3, 3, 3]))
    with pytest.raises(ValueError, match="Row 2: Action 9"):
        game.batch_play(states, np.array([3, 0, 9]))
    for actions in (np.array([1]), [1, 1, 1], np.array([[1, 1, 1]])):
        with pytest.raises(ValueError, match=r"actions must be an integer array of shape \(3,\)"):
            game.batch_play(states, actions)


def test_encode_shows_the_mover_first_and_the_top_row_first():
    game = ConnectFour()
    planes = game.encode(game.from_moves("12"))  # first player at 1, second at 2; first to move
    assert planes.dtype == np.float32
    assert planes.shape == (2, 6, 7)
    assert planes[0].nonzero() == (5, 0)
    assert planes[1].nonzero() == (5, 1)


def test_symmetries_turn_planes_and_policy_together():
    game = TicTacToe()
    pairs = game.symmetries(game.encode(game.from_moves("1")), np.eye(9)[0])
    assert (
        len({policy.tobytes() for _, policy in pairs}) == 4
    )  # a corner can turn into four corners
    assert len(pairs) == 8
    for planes, policy in pairs:
        assert planes[1].ravel().argmax() == policy.argmax()
    mirrored = ConnectFour().symmetries(np.arange(42.0).reshape(6, 7), np.arange(7))[1]
    assert mirrored[1].tolist() == [6, 5, 4, 3, 2, 1, 0]
    assert mirrored[0][0].tolist() == [6, 5, 4, 3, 2, 1, 0]


class Broken(TicTacToe):
    name = "broken"


def broken(**methods):
    return type("Broken", (Broken,), methods)()


base = TicTacToe()


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (
            broken(outcome=lambda self, s: None if (v := base.outcome(s)) is None else -v),
            "values are for the player to move",
        ),
        (
            broken(outcome=lambda self, s: 2 if base.outcome(s) == 0 else base.outcome(s)),
            "outcome must be None or a value from -1 to 1",
        ),
        (broken(outcome=lambda self, s: -1 if base.outcome(s) == -1 else None), "no move is legal"),
        (broken(legal_mask=lambda self, s: ~base.legal_mask(s)), "legal_actions gives"),
        (
            broken(legal_mask=lambda self, s: base.legal_mask(s).astype(int)),
            "legal_mask must be a bool array",
        ),
        (broken(play=lambda self, s, a: base.next_state(s, a)), "play accepts the illegal action"),
        (
            broken(
                play=lambda self, s, a: base.play(s, a),
                next_state=lambda self, s, a: State(*reversed(base.next_state(s, a))),
            ),
            "play and next_state give different positions",
        ),
        (
            broken(
                cells=lambda self, s: base.cells(s),
                encode=lambda self, s: base.encode(s)[:: 1 - 2 * base.to_play(s)],
            ),
            "encode hides who moves",
        ),
        (broken(encode=lambda self, s: base.encode(s).astype(float)), "float32"),
        (
            broken(symmetries=lambda self, p, q: base.symmetries(p, q)[1:]),
            "the first symmetry must be the identity",
        ),
        (
            broken(symmetries=lambda self, p, q: [(p, q), (p[..., ::-1], q)]),
            "turns the board and the policy in different ways",
        ),
        (broken(to_play=lambda self, s: base.to_play(s) + 2), "to_play must be 0 or 1"),
        (
            broken(batch_legal_mask=lambda self, s: base.batch_legal_mask(s)[::-1]),
            "batch_legal_mask on NumPy arrays disagrees",
        ),
        (
            broken(cell=lambda self, s, a: (base.cell(s, a) + 1) % 9),
            "cell says that the mover's stone lands on cell",
        ),
        (broken(cells=lambda self, s: base.cells(s)[:5]), "cells must list rows * cols cells"),
        (broken(cells=lambda self, s: None), "cells must list rows * cols cells"),
        (broken(cells=lambda self, s: ["x"] * 9), "each 0 (empty), 1 or 2 (a player's)"),
        (broken(cells=lambda self, s: [4] * 9), "each 0 (empty), 1 or 2 (a player's)"),
        (broken(cell=lambda self, s, a: "x"), "cell says that the move fills cell x"),
        (broken(cell=lambda self, s, a: 99), "cell says that the move fills cell 99"),
        (broken(highlights=lambda self, s: [99]), "highlights must list cells of the board"),
        (
            broken(outcome=lambda self, s: base.outcome(s) and "won"),
            "outcome must be None or a value",
        ),
        (
            broken(outcome=lambda self, s: base.outcome(s) and float("nan")),
            "outcome must be None or a value",
        ),
        (
            broken(
                highlights=lambda self, s: (
                    [base.cells(s).index(base.to_play(s) + 1)] if base.outcome(s) == -1 else []
                )
            ),
            "are highlighted as won and player",
        ),
        (broken(action_label=lambda self, a: "z"), "two actions the same label"),
        (
            broken(encode=lambda self, s: base.encode(s)[:, :2]),
            "encode's planes are (2, 2, 3), but num_planes, rows and cols say (2, 3, 3)",
        ),
        (
            broken(
                play=lambda self, s, a: {}[a] if a not in base.legal_actions(s) else base.play(s, a)
            ),
            "raises KeyError at the illegal action",
        ),
        (
            broken(batch_outcome=lambda self, s: (base.batch_outcome(s)[0], s.me * 0)),
            "batch_outcome on NumPy arrays disagrees",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "game",
)
def test_the_conformance_suite_says_what_is_wrong(game, words):
    with pytest.raises(AssertionError) as error:
        assert_conforms(game, num_games=20)
    assert words in str(error.value)


def test_the_conformance_suite_names_missing_methods():
    class Empty:
        name, num_actions = "empty", 3

    with pytest.raises(AssertionError, match="has no initial_state, play"):
        assert_conforms(Empty())


def test_the_conformance_suite_wants_all_batch_methods_or_none():
    class Part:
        def __getattr__(self, name):
            if name in ("batch_legal_mask", "batch_outcome", "batch_to_play", "batch_encode"):
                raise AttributeError(name)
            return getattr(base, name)

    with pytest.raises(AssertionError, match="only stack, batch_play; it needs all or none"):
        assert_conforms(Part())
