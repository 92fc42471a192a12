"""What moves do to a board, and what its cells are called, in games that declare little of it."""

import pytest

from azlearn.games import ConnectFour, DotsAndBoxes, Go, Hex, Othello, TicTacToe, assert_conforms
from azlearn.games.footprints import coordinates_of, filled_cells, footprint, pass_among, told
from azlearn.games.notation import label, read_moves
from azlearn.search import constant, record_search, uct
from tests.moving_games import Breakthrough, Clobber, HalfTold, Kings, Mixed, Numbered
from tests.viz.nim import Nim
from tests.viz.slide import Slide


def way(game, state, action):
    """The move's cells by name, "" for none."""
    step, beside = footprint(game, state, action), coordinates_of(game)
    return tuple("" if cell < 0 else beside.name(cell) for cell in step[:2])


def ways(game, moves=""):
    state = read_moves(game, moves)[1][-1]
    return {label(game, a): way(game, state, a) for a in game.legal_actions(state)}


@pytest.mark.parametrize("game", [Breakthrough(), HalfTold()])
def test_a_piece_goes_from_a_cell_to_a_cell_whatever_cell_says(game):
    assert_conforms(game, num_games=10, compiled=False)
    found = ways(game)
    assert len(found) == 13
    assert found["a2^"] == ("a2", "a3")
    assert found["b2<"] == ("b2", "a3")
    assert ways(game, "b2^ c4^")["b3>"] == ("b3", "c4")
    assert ways(game, "b2^ a4^ d2^")["a3>"] == ("a3", "b2")  # Yellow goes down


@pytest.mark.parametrize(
    ("game", "moves", "written", "cells"),
    [
        (Clobber(), "", "a1xb1", ("a1", "b1")),
        (Kings(), "", "d3-c3", ("d3", "c3")),
        (Mixed(), "", "b2", ("", "b2")),
        (Mixed(), "b2 c3", "b2-b1", ("b2", "b1")),
        (Mixed(), "b2 c3", "lift", ("", "")),
        (Hex(5), "a1", "b1", ("", "b1")),
        (DotsAndBoxes(), "", "b1", ("", "b1")),
        (Go(3), "B2 A2 A1", "pass", ("", "")),
    ],
)
def test_what_a_move_does_to_the_board(game, moves, written, cells):
    assert ways(game, moves)[written] == cells


@pytest.mark.parametrize(
    ("game", "cols", "rows"),
    [
        (Breakthrough(), "abcde", "54321"),  # as its labels have it, from the bottom
        (Numbered(), "abcde", "12345"),
        (Othello(8), "abcdefgh", "12345678"),
        (DotsAndBoxes(2, 3), "abcdefg", "12345"),
        (Go(9), "ABCDEFGHJ", "987654321"),
    ],
)
def test_coordinates_are_those_that_moves_are_written_by(game, cols, rows):
    assert coordinates_of(game) == (tuple(cols), tuple(rows))


@pytest.mark.parametrize("game", [ConnectFour(), TicTacToe(), Nim()])
def test_a_board_whose_moves_go_by_other_names_has_no_coordinates(game):
    assert coordinates_of(game) is None


def test_a_label_that_hides_the_way_is_explained():
    for game, action, text in (
        (Breakthrough(), 50, "b2> (b2–c3)"), (Numbered(), 50, "51 (b4–c3)"), (Clobber(), 0, "a1xb1")
    ):  # fmt: skip
        assert told(game, game.initial_state(), action) == text


class Far(Slide):
    def cell(self, state, action):
        return super().cell(state, action) if action in self.legal_actions(state) else 99


@pytest.mark.parametrize("game", [Slide(), Far()])
def test_the_cell_of_an_illegal_action_may_be_unknown(game):
    assert_conforms(game, num_games=10, compiled=False)
    assert filled_cells(game, game.from_moves("11")) == [0, -1, 5, 3, 8, 6]
    assert filled_cells(game, game.from_moves("111")) == [-1, -1, 5, 3, 8, 6]
    assert record_search(game, game.from_moves("111"), uct(), constant(), 20).to_dict()


def test_the_cell_of_an_illegal_action_may_be_known():
    game = Othello(4)  # the action is legal deeper in the tree
    assert filled_cells(game, game.initial_state()) == [*range(16), -1]


def passing(game, moves):
    state = read_moves(game, moves)[1][-1]
    legal = game.legal_actions(state)
    action = pass_among(game, legal, [footprint(game, state, a) for a in legal])
    return action if action < 0 else label(game, action)


def test_only_a_move_that_changes_no_cell_passes():
    assert passing(Breakthrough(), "b2^ c4^") == -1  # 13 moves that `cell` gives None for
    assert passing(Mixed(), "b2 c3") == "pass"
    assert passing(Mixed(), "") == "pass"
    assert passing(Go(3), "B2") == "pass"
    # Black's stone on A3 takes itself off: the board is as before, and nobody has passed.
    assert passing(Go(3, suicide=True), "C1 A2 pass B3") == "pass"
