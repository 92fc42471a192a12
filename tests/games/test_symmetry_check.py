"""Symmetries that hold and that do not, of games that begin with an empty board and of others."""

import numpy as np
import pytest

from azlearn.games import (
    ConnectFour,
    DotsAndBoxes,
    Go,
    Hex,
    Othello,
    TicTacToe,
    template,
)
from azlearn.games.conformance import conformance
from azlearn.games.square_board import turned_and_mirrored
from tests.games.breakthrough import PLANES, Breakthrough

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
    *((TicTacToe(), name, None) for name in ("a shift", "two rows")),
    (TicTacToe(), "turned and mirrored", np.argsort),
    *((Othello(6), name, None) for name in ("a shift", "two rows")),
    (Othello(6), "left and right", lambda cells: np.arange(37)),
    (Othello(6), "turned and mirrored", lambda cells: np.append(np.argsort(cells), 36)),
    *((Go(4, history=2), name, None) for name in ("a shift", "two rows")),
    (Go(3), "upside down", lambda cells: np.arange(10)),
    (DotsAndBoxes(2, 2), "upside down", lambda cells: np.arange(12)),
    (DotsAndBoxes(1, 3), "left and right", lambda cells: np.arange(10)),
    (template.MyGame(), "a shift", None),
    (template.MyGame(), "two rows", None),
]  # fmt: skip


@pytest.mark.parametrize(("game", "name", "moved_actions"), FALSE)
def test_false_symmetries_of_the_package_s_games_are_refused(game, name, moved_actions):
    with pytest.raises(AssertionError, match=r"symmetry \d (does not hold|must only)"):
        conformance(with_symmetries(game, MIRRORED[name], moved_actions), 8, compiled=False)


@pytest.mark.parametrize("planes", [name for name in PLANES if name != "and the goal"])
@pytest.mark.parametrize("left", [0, 40])
def test_a_symmetry_that_changes_the_first_position_is_refused_if_it_is_false(planes, left):
    """``left`` counts plies, and no plane shows it."""
    for name in ("turned and mirrored", "turned by half", "upside down", "across the diagonal"):
        game = Breakthrough(planes=planes, left=left, ways=MIRRORED[name])
        with pytest.raises(AssertionError, match="symmetry 1 does not hold"):
            conformance(game, 3, compiled=False)
    game = Breakthrough(4, 6, planes=planes, left=left, ways=MIRRORED["turned by half"])
    with pytest.raises(AssertionError, match="symmetry 1 does not hold"):
        conformance(game, 3, compiled=False)
    with pytest.raises(AssertionError, match="symmetry 1 does not hold"):
        conformance(Breakthrough(planes=planes, left=left, turns_sides=False), 3, compiled=False)


@pytest.mark.parametrize("planes", PLANES)
def test_breakthrough_has_one_mirror(planes):
    for size in ((5, 5), (4, 6)):
        lines = conformance(Breakthrough(*size, planes=planes, left=40), 3, compiled=False)
        assert lines[-1] == "Symmetries that hold in these games: 2 of 2."


def test_what_cannot_be_checked_is_named_with_the_reason():
    """Where the goal is seen, half a turn exchanges the players' directions, and holds; a quarter
    of a turn makes the goal a column, which no position shows."""
    game = Breakthrough(planes="and the goal", ways=turned_and_mirrored)
    *_, held, unchecked = conformance(game, 2, compiled=False)
    assert held == "Symmetries that hold in these games: 4 of 8."
    assert unchecked.startswith("Not checked: symmetry 1, 3, 5, 7, which changes the first")
