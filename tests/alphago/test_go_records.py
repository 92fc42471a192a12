"""Go records written by hand, and what is wrong with those that cannot be read."""

import pytest

from azlearn.alphago import read_sgf
from azlearn.alphago.go_records import GoMove, records_of
from azlearn.games import Go

GOOD = "(;GM[1]FF[4]SZ[9]KM[5.5]BR[6d]WR[5d]RE[B+3.5];B[ee];W[cg];B[];W[tt])"


def read_one(folder, text):
    """``(games, unread)`` of a folder with one file."""
    (folder / "game.sgf").write_text(text)
    return read_sgf(folder)


def test_a_game_by_hand(tmp_path):
    """In SGF the first letter is the column from the left, the second the row from the top."""
    (game,), unread = read_one(tmp_path, GOOD)
    assert not unread
    assert game.source == "game.sgf"
    assert game.size == 9
    assert game.moves == [("b", (4, 4)), ("w", (6, 2)), ("b", None), ("w", None)]
    assert isinstance(game.moves[0], GoMove)
    assert (game.result, game.komi, game.ranks) == (1, 5.5, ("6d", "5d"))
    assert game.handicap_stones == []


def test_handicap_stones_are_on_the_board_and_white_begins(tmp_path):
    ((game,), _) = read_one(tmp_path, "(;SZ[19]HA[2]AB[dp][pd]RE[W+R];W[cd];B[qf])")
    assert game.handicap_stones == [(3, 15), (15, 3)]
    assert game.moves == [("w", (3, 2)), ("b", (5, 16))]
    assert (game.result, game.komi, game.ranks) == (-1, None, (None, None))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("RE[B+R]", 1),
        ("RE[W+0.5]", -1),
        ("RE[W+T]", -1),
        ("RE[0]", 0),
        ("RE[Draw]", 0),
        ("RE[Black+Resign]", 1),
        ("RE[w+F]", -1),
        ("RE[Void]", None),
        ("RE[]", None),
        ("RE[?]", None),
        ("", None),
    ],
)
def test_results_are_for_black(tmp_path, text, result):
    ((game,), _) = read_one(tmp_path, f"(;SZ[9]{text};B[ee])")
    assert game.result == result


def test_the_main_line_counts_and_a_captured_point_is_free(tmp_path):
    ((game,), _) = read_one(tmp_path, "(;SZ[9];B[aa](;W[bb])(;W[cc];B[dd]))")
    assert game.moves == [("b", (0, 0)), ("w", (1, 1))]
    # White's stone in the corner is captured by the third move; the fifth fills the corner.
    games, unread = read_one(tmp_path, "(;SZ[9];B[ab];W[aa];B[ba];W[ee];B[aa])")
    assert len(games[0].moves) == 5
    assert not unread


BROKEN = {
    "cut.sgf": (GOOD[:40], "unexpected end"),
    "chess.sgf": ("(;GM[3]SZ[8];B[aa])", "not a game of Go"),
    "empty.sgf": ("", "no SGF data"),
    "no_moves.sgf": ("(;SZ[9]RE[B+R])", "no moves"),
    "problem.sgf": ("(;SZ[9]AB[aa][ab]AW[ba];B[bb])", "a problem, not a game"),
    "by_hand.sgf": ("(;SZ[9];B[aa];AB[bb];W[cc])", "sets up stones"),
    "on_a_stone.sgf": ("(;SZ[9];B[aa];W[aa])", "move 2 is onto a stone"),
    "off_the_board.sgf": ("(;SZ[9];B[ss])", "a move is off the board"),
    "oblong.sgf": ("(;SZ[19:13];B[aa])", "bad SZ"),
    "huge.sgf": ("(;SZ[99];B[aa])", "size out of range"),
}


def test_what_cannot_be_read_is_named_and_the_rest_is_read(tmp_path):
    for name, (text, _) in BROKEN.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "b.SGF").write_text(GOOD)
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "a.sgf").write_text(GOOD)
    (tmp_path / "notes.txt").write_text("no record")
    games, unread = read_sgf(tmp_path)
    assert [game.source for game in games] == ["b.SGF", "deeper/a.sgf"]
    assert unread.keys() == BROKEN.keys()
    for name, (_, reason) in BROKEN.items():
        assert unread[name], f"{name} is left out without a reason"
        assert reason in unread[name]


def test_a_file_may_hold_several_games(tmp_path):
    games, unread = read_one(tmp_path, f"{GOOD}\n(;SZ[9];B[aa];W[aa]){GOOD}")
    assert [game.source for game in games] == ["game.sgf, game 1", "game.sgf, game 3"]
    assert unread == {"game.sgf, game 2": "move 2 is onto a stone"}


def test_a_folder_without_records_is_refused(tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(FileNotFoundError, match=f"{folder} holds no .sgf file"):
            read_sgf(folder)


def test_one_bad_game_costs_itself_alone(tmp_path):
    bad = "(;GM[1]SZ[9]US[Somebody [3d]]RE[B+R];B[cc])"
    games, unread = read_one(tmp_path, "\n".join([GOOD, GOOD, bad, GOOD]))
    assert [game.source for game in games] == [f"game.sgf, game {n}" for n in (1, 2, 4)]
    assert unread == {"game.sgf, game 3": "unexpected end of SGF data"}


def test_why_records_are_left_out_is_told(tmp_path):
    (tmp_path / "bad.sgf").write_text("(;GM[1]SZ[9]US[Somebody [3d]];B[cc])")
    with pytest.raises(ValueError, match=r"1 unreadable \(unexpected end of SGF data\)"):
        records_of(Go(9), tmp_path)


@pytest.mark.parametrize(
    ("text", "komi"),
    [("", None), ("KM[]", None), ("KM[?]", None), ("KM[0,5]", 0.5), ("KM[375]", 7.5)],
)
def test_a_property_that_nobody_needs_drops_no_game(tmp_path, text, komi):
    content = f"(;CA[gb2312]SZ[9]{text}BR[2段]WR[]RE[B+R];B[ee])"
    (tmp_path / "game.sgf").write_bytes(content.encode())
    ((game,), unread) = read_sgf(tmp_path)
    assert not unread
    assert (game.komi, game.ranks) == (komi, ("2段", None))


def test_moves_after_two_passes_cost_no_game(tmp_path):
    third_pass, resumed = ";B[cc];W[ff];B[];W[]", ";B[cc];W[];B[];W[bb]"
    text = f"(;SZ[5]RE[B+R]{third_pass})(;SZ[5]RE[W+]{resumed})"
    (tmp_path / "game.sgf").write_text(text)
    games, skipped = records_of(Go(5), tmp_path)
    assert [(one.moves, one.result) for one in games] == [("C3 pass pass", 1), ("C3 pass pass", -1)]
    assert not skipped
