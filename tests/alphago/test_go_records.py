"""Go records written by hand: those to learn from, and why others are left out."""

import pytest

from azlearn.alphago.go_records import records_of
from azlearn.games import Go

GOOD = "(;GM[1]FF[4]SZ[5]KM[5.5]BR[6d]WR[5d]RE[B+3.5];B[cc];W[bd];B[];W[tt])"


def read(folder, text):
    (folder / "game.sgf").write_text(text)
    return records_of(Go(5), folder)


@pytest.mark.parametrize(
    ("text", "result"),
    [("RE[B+R]", 1), ("RE[W+0.5]", -1), ("RE[Draw]", 0), ("RE[Black+Resign]", 1)],
)
def test_results_are_for_black_as_the_record_says(tmp_path, text, result):
    """In SGF the first letter is the column from the left, the second the row from the top."""
    (game,), _ = read(tmp_path, f"(;SZ[5]{text};B[cc];W[bd];B[];W[tt])")
    assert (game.number, game.moves, game.result) == (0, "C3 B2 pass pass", result)


BAD = {
    "cut.sgf": (GOOD[:40], "(This is not a valid SGF record: unexpected end of SGF data)"),
    "chess.sgf": ("(;GM[3]SZ[8];B[aa])", "(This record is not a game of Go)"),
    "handicap.sgf": (
        "(;SZ[5]AB[aa][ab]RE[B+R];W[bb])",
        "(This record starts with stones on the board, which azlearn does not support)",
    ),
    "by_hand.sgf": (
        "(;SZ[5]RE[B+R];B[aa];AB[bb];W[cc])",
        "(This record sets up stones later on, which azlearn does not support)",
    ),
    "on_a_stone.sgf": ("(;SZ[5]RE[B+R];B[aa];W[aa])", "(A move is illegal here)"),
    "again.sgf": ("(;SZ[5]RE[B+R];B[aa];W[aa])", "(A move is illegal here)"),
    "twice.sgf": (
        "(;SZ[5]RE[B+R];B[aa];B[bb])", "(A move was made by the wrong player)",
    ),
    "large.sgf": ("(;SZ[9]RE[B+R];B[aa])", "(This record has another board size)"),
    "who.sgf": ("(;SZ[5]RE[Void];B[aa])", "(This record has no result)"),
}  # fmt: skip


def test_what_is_of_no_use_is_counted_by_why_and_the_rest_is_read(tmp_path):
    for name, (text, _) in BAD.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=r"can be used on 5x5: 2 \(A move is illegal here\), 1 "):
        records_of(Go(5), tmp_path)
    (tmp_path / "b.SGF").write_text(GOOD)
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "a.sgf").write_text(GOOD.replace("cc", "dd"))
    (tmp_path / "notes.txt").write_text("no record")
    games, skipped = records_of(Go(5), tmp_path)
    assert [game.moves[:2] for game in games] == ["C3", "D2"]
    reasons = [why for _, why in BAD.values()]
    assert skipped == {why: reasons.count(why) for why in reasons}


def test_a_folder_without_records_is_refused(tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(FileNotFoundError, match=f"{folder} contains no .sgf file"):
            records_of(Go(5), folder)


def test_moves_after_two_passes_cost_no_game(tmp_path):
    third_pass, resumed = ";B[cc];W[ff];B[];W[]", ";B[cc];W[];B[];W[bb]"
    games, skipped = read(tmp_path, f"(;SZ[5]RE[B+R]{third_pass})(;SZ[5]RE[W+]{resumed})")
    assert [(one.moves, one.result) for one in games] == [("C3 pass pass", 1), ("C3 pass pass", -1)]
    assert not skipped
