"""Go as a board: crossings, coordinates, captures in the record of a search."""

import json

import pytest

from azlearn.games.go import Go
from azlearn.search import random_rollout, record_search, uct
from azlearn.viz import PlayTable
from azlearn.viz.boards import board_svg, describe
from azlearn.viz.fields import stars
from azlearn.viz.replaying import cells_at
from tests.viz.test_bundles import in_browser

__all__ = ["in_browser"]

BLACK, WHITE = "#16191d", "#fdfdfd"


def test_a_picture_has_black_and_white_discs_on_crossings_and_coordinates():
    game = Go(9)
    picture = board_svg(game, game.from_moves("E5 C3 G7 pass"))
    for text in [*"ABCDEFGHJ", *"123456789"]:
        assert picture.count(f">{text}</text>") == 1
    assert ">I</text>" not in picture
    assert (picture.count(BLACK), picture.count(WHITE)) == (2, 1)
    assert "<rect" in picture  # the sheet; stones are discs
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


def test_at_the_table_one_can_pass_and_two_passes_end_the_game():
    table = PlayTable(Go(5), moves="C3 pass")
    assert -1 in table.view["lands"]
    table.play(25)
    assert table.view["legal"] == []
