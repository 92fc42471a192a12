"""The conformance suite: the package's games conform, and of broken ones it says what is wrong."""

import numpy as np
import pytest

from azlearn.games import (
    ConnectFour,
    DotsAndBoxes,
    Go,
    Hex,
    Othello,
    State,
    TicTacToe,
    assert_conforms,
)
from azlearn.games.conformance import conformance
from azlearn.games.square_board import turned_and_mirrored
from tests.games.breakthrough import PLANES, Breakthrough

THREE = TicTacToe()
COMPILED = {
    ConnectFour(): 50, Othello(6): 10, DotsAndBoxes(3, 4): 10, Hex(5): 10, Go(5, history=1): 5,
    Go(3, suicide=True): 2, Go(9): 1,
}  # fmt: skip


@pytest.mark.parametrize(
    ("game", "num_games"),
    [(THREE, 50), *(pytest.param(*each, marks=pytest.mark.slow) for each in COMPILED.items())],
    ids=str,
)
def test_the_packages_games_conform(game, num_games):
    """Batches of NumPy and torch, and the rules compiled, say what one position says."""
    assert_conforms(game, num_games)


@pytest.mark.parametrize("game", [ConnectFour(), Othello(8), Hex(7), Go(7)], ids=str)
def test_other_sizes_conform_where_nothing_is_compiled(game):
    assert_conforms(game, num_games=2, compiled=False)


def broken(**methods):
    """Tic-tac-toe with these methods, which are given the game, too."""
    return type("Broken", (TicTacToe,), {"name": "broken"} | methods)()


def second(planes, policy):
    return THREE.symmetries(planes, policy)[1:]


def seen_by_the_first(self, state):
    return THREE.encode(state)[:: 1 - 2 * THREE.to_play(state)]


def won_by_the_loser(self, state):
    return [THREE.cells(state).index(THREE.to_play(state) + 1)] if THREE.outcome(state) else []


def key_error(self, state, action):
    return {}[action] if action not in THREE.legal_actions(state) else THREE.play(state, action)


BROKEN = [
    ("outcome", lambda self, s: (v := THREE.outcome(s)) and -v, "values are for the player to"),
    ("outcome", lambda self, s: THREE.outcome(s) and "won", "outcome must be None or a value"),
    ("outcome", lambda self, s: THREE.outcome(s) and np.nan, "outcome must be None or a value"),
    ("legal_mask", lambda self, s: ~THREE.legal_mask(s), "legal_actions returns"),
    ("legal_mask", lambda self, s: THREE.legal_mask(s) * 1, "legal_mask must be a bool array"),
    ("play", lambda self, s, a: THREE.next_state(s, a), "play accepts the illegal action"),
    ("play", key_error, "raises KeyError at the illegal action"),
    ("play", lambda self, s, a: State(*THREE.play(s, a)[::-1]), "play and next_state return"),
    ("encode", seen_by_the_first, "encode hides who moves"),
    ("encode", lambda self, s: THREE.encode(s).astype(float), "float32"),
    ("symmetries", lambda self, p, q: second(p, q), "the first symmetry must be the identity"),
    ("batch_legal_mask", lambda self, s: THREE.batch_legal_mask(s)[::-1], "NumPy arrays disagrees"),
    ("batch_outcome", lambda self, s: (THREE.batch_outcome(s)[0], s.me * 0), "batch_outcome on Nu"),
    ("cell", lambda self, s, a: (a + 1) % 9, "the cell of the mover's stone, but"),
    ("cell", lambda self, s, a: "x", "cell returns x as the cell"),
    ("cell", lambda self, s, a: 99, "cell returns 99 as the cell"),
    ("cell", lambda self, s, a: None, "cell returns None, but the move filled cell"),
    ("cells", lambda self, s: THREE.cells(s)[:5], "cells must list rows * cols cells"),
    ("cells", lambda self, s: [4] * 9, "each 0 (empty), 1 or 2 (a player's)"),
    ("highlights", lambda self, s: [99], "highlights must list cells of the board"),
    ("highlights", won_by_the_loser, "highlights shows that player"),
]


@pytest.mark.parametrize(("name", "method", "words"), BROKEN)
def test_the_suite_says_what_is_wrong(name, method, words):
    kept = {"cells": lambda self, s: THREE.cells(s)} if name == "encode" else {}
    with pytest.raises(AssertionError) as error:
        assert_conforms(broken(**kept, **{name: method}), num_games=20, compiled=False)
    assert words in str(error.value)


def test_the_suite_names_missing_methods_and_wants_all_batch_methods_or_none():
    class Empty:
        name, num_actions = "empty", 3

    class Part:
        def __getattr__(self, name):
            if name in ("batch_legal_mask", "batch_outcome", "batch_to_play", "batch_encode"):
                raise AttributeError(name)
            return getattr(THREE, name)

    with pytest.raises(AssertionError, match="has no initial_state, play"):
        assert_conforms(Empty())
    with pytest.raises(AssertionError, match=r"only some batch methods: .* It needs all or none"):
        assert_conforms(Part())


MIRRORED = {
    "turned and mirrored": turned_and_mirrored,
    "turned by half": lambda board: [board, board[::-1, ::-1]],
    "upside down": lambda board: [board, board[::-1]],
    "left and right": lambda board: [board, board[:, ::-1]],
    "across the diagonal": lambda board: [board, board.T],
    "a shift": lambda board: [board, np.roll(board, 1, 1)],
    "two rows": lambda board: [board, board[[1, 0, *range(2, len(board))]]],
}


def with_symmetries(game, ways, moved_actions=None):
    """The game with other symmetries, as a reader would write them."""
    methods = {"board_symmetries": lambda self, board: ways(board)}
    if moved_actions:
        methods["moved_actions"] = lambda self, moved_cells: moved_actions(moved_cells)
    kind = type("Reader", (type(game),), methods)
    return kind(**{name: getattr(game, name) for name in getattr(game, "__dataclass_fields__", ())
                   if name != "_"})  # fmt: skip


def columns(moved_cells):
    """Of Connect Four: a column goes where its cell in the top row goes."""
    return moved_cells[:7] % 7


FALSE = [
    *((ConnectFour(), name, columns) for name in
      ("turned by half", "upside down", "across the diagonal", "a shift", "turned and mirrored")),
    (ConnectFour(), "left and right", lambda cells: np.arange(7)),
    *((Hex(4), name, None) for name in MIRRORED if name != "turned by half"),
    (TicTacToe(), "turned and mirrored", np.argsort),
    *((Othello(6), name, None) for name in ("a shift", "two rows")),
    (Othello(6), "turned and mirrored", lambda cells: np.append(np.argsort(cells), 36)),
    (Go(4, history=2), "two rows", None),
    (DotsAndBoxes(2, 2), "upside down", lambda cells: np.arange(12)),
]  # fmt: skip


@pytest.mark.parametrize(("game", "name", "moved_actions"), FALSE)
def test_false_symmetries_of_the_package_s_games_are_refused(game, name, moved_actions):
    with pytest.raises(AssertionError, match=r"symmetry \d (does not hold|must only)"):
        conformance(with_symmetries(game, MIRRORED[name], moved_actions), 8, compiled=False)


@pytest.mark.parametrize("planes", PLANES)
def test_a_symmetry_that_changes_the_first_position_is_refused_if_it_is_false(planes):
    """``left`` counts plies, and no plane shows it."""
    for size in ((5, 5), (4, 6)):
        lines = conformance(Breakthrough(*size, planes=planes, left=40), 3, compiled=False)
        assert lines[-1] == "Symmetries that hold in these games: 2 of 2."
    if planes == "and the goal":
        return
    names = ("turned and mirrored", "turned by half", "upside down", "across the diagonal")
    wrong = [{"ways": MIRRORED[name]} for name in names] + [{"turns_sides": False}]
    wrong.append({"num_rows": 4, "num_cols": 6, "ways": MIRRORED["turned by half"]})
    for options in wrong:
        game = Breakthrough(planes=planes, left=40, **options)
        with pytest.raises(AssertionError, match="symmetry 1 does not hold"):
            conformance(game, 3, compiled=False)


def test_what_cannot_be_checked_is_named_with_the_reason():
    """Where the goal is seen, half a turn exchanges the players' directions, and holds; a quarter
    of a turn makes the goal a column, which no position shows."""
    game = Breakthrough(planes="and the goal", ways=turned_and_mirrored)
    *_, held, unchecked = conformance(game, 2, compiled=False)
    assert held == "Symmetries that hold in these games: 4 of 8."
    assert unchecked.startswith("Not checked: symmetry 1, 3, 5, 7, which changes the first")
