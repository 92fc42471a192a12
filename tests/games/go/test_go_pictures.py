"""Go as a board: crossings, coordinates, captures in the record of a search."""

import json

import pytest

from azlearn.games import TicTacToe
from azlearn.games.go import Go
from azlearn.search import random_rollout, record_search, uct
from azlearn.viz import PlayTable
from azlearn.viz.board_geometry import stars
from azlearn.viz.boards import board_svg, describe
from azlearn.viz.game_results import owners, record_of, result
from azlearn.viz.record import check
from azlearn.viz.replaying import cells_at
from tests.viz.test_bundles import in_browser

__all__ = ["in_browser"]

BLACK, WHITE = "#16191d", "#fdfdfd"
# A wall of each, then two passes: 3 columns and a stone more are Black's, White has a komi of 8.5.
WALLS = "D4 C4 D3 C3 D5 C5 D2 C2 D6 C6 D1 C1 D7 C7 E4 B4 pass pass"


def test_a_picture_has_black_and_white_discs_on_crossings_and_coordinates():
    game = Go(9)
    picture = board_svg(game, game.from_moves("E5 C3 G7 pass"))
    for text in [*"ABCDEFGHJ", *"123456789"]:
        assert picture.count(f">{text}</text>") == 1
    assert ">I</text>" not in picture
    assert (picture.count(BLACK), picture.count(WHITE)) == (2, 1)
    assert picture.count("<rect") == 1  # the wood; stones are discs
    words = describe(game, game.from_moves("E5 C3"))
    assert "Black to move" in words


@pytest.mark.parametrize(
    ("size", "points"),
    [(4, ""), (5, "C3"), (7, "C5 E5 D4 C3 E3"), (8, "C6 F6 C3 F3"), (9, "C7 G7 E5 C3 G3")],
)
def test_star_points(size, points, in_browser):
    game = Go(size)
    board = {"rows": size, "cols": size}
    assert " ".join(map(game.action_label, stars(board))) == points
    theirs = in_browser("text => stars(JSON.parse(text))", json.dumps(board))
    assert sorted(theirs) == stars(board)


def test_both_languages_rebuild_boards_with_captures(in_browser):
    game = Go(3)  # so small that stones are taken all the time
    recording = record_search(game, game.from_moves("B2 A1 A2"), uct(1.0), random_rollout(), 300)
    record = json.loads(json.dumps(recording.to_dict()))
    boards = [game.cells(node.state) for node in recording.nodes]
    assert boards[0][6] == 2  # White's stone on A1 …
    assert any(board[6] == 0 for board in boards)  # … is taken
    assert [cells_at(record, i) for i in range(len(boards))] == boards
    theirs = in_browser(
        "text => { const r = new Replay(JSON.parse(text));"
        " return r.parent.map((_, i) => r.cells(i)); }",
        json.dumps(record),
    )
    assert theirs == boards


def test_the_end_shows_whose_each_point_is_and_the_score_in_words():
    game = Go(7)
    state = game.from_moves(WALLS)
    assert owners(game, state) == "2221111" * 7
    assert result(game, state) == "White wins by 1.5"  # 28 points to 21 and 8.5
    assert "White has won by 1.5" in describe(game, state)
    picture = board_svg(game, state)
    assert (picture.count("<circle"), picture.count("<rect")) == (16 + 5, 1 + 49 - 16)
    assert (picture.count(BLACK), picture.count(WHITE)) == (28, 21)
    before = game.from_moves(WALLS.removesuffix(" pass"))
    assert (owners(game, before), result(game, before)) == ("", "")
    three = TicTacToe()  # which counts no points
    won = three.from_moves("14253")
    assert (owners(three, won), result(three, won)) == ("", "X wins")
    record = record_of(record_search(game, before, uct(1.0), random_rollout(), 120))
    (node,) = (i for i, z in enumerate(record["nodes"]["outcome"]) if z is not None)
    assert record["nodes"]["results"] == {str(node): "White wins by 1.5"}
    assert record["nodes"]["owners"] == {str(node): "2221111" * 7}
    check(record)


def test_the_table_counts_what_was_taken_and_tells_a_pass():
    """White's stone on A1 is taken, then Black's on A2."""
    table = PlayTable(Go(3), moves="A2 A1 B1 B2 C3 A3 pass")
    assert (table.view["passed"], table.view["last"]) == (0, -1)
    table.play(6)
    assert (table.view["passed"], table.view["taken"]) == (-1, [1, 1])
    table = PlayTable(Go(7), moves=WALLS)
    assert table.view["say"] == "○ has won by 1.5 after 18 moves."
    assert table.view["result"] == {"winner": 1, "text": "○ has won by 1.5"}
