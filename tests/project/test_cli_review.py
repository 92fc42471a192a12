"""`azlearn review`: what it prints, the pages it writes, and what it refuses."""

import pytest

from azlearn.cli import main


def test_the_worst_move_and_its_page(tmp_path, capsys):
    out = tmp_path / "review"
    assert main(["review", "152397", "--game", "tictactoe", "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert "Move 5, ✕ 9: it loses to the next move, 7 draws." in said
    assert "judged by the solver" in said
    page = (out / "index.html").read_text()
    assert 'href="move-5.html"' in page
    assert "azl" in (out / "move-5.html").read_text()
    assert len(list(out.iterdir())) == 2
    assert main(["review", "15", "--game", "tictactoe", "--out", str(out)]) == 2
    assert "already exists" in capsys.readouterr().err


@pytest.mark.parametrize(("komi", "judge"), [("0.5", "go5"), ("24", "compiled UCT 6")])
def test_a_record_of_go_is_judged_by_the_network_of_this_komi_or_by_uct(
    tmp_path, capsys, komi, judge
):
    record = tmp_path / "game.sgf"
    record.write_text(f"(;GM[1]FF[4]SZ[5]KM[{komi}];B[cc];W[aa];B[cb])")
    out = str(tmp_path / "r")
    assert main(["review", str(record), "--simulations", "6", "--out", out]) == 0
    assert f"judged by {judge}" in capsys.readouterr().out


def test_an_illegal_move_and_no_moves_are_one_sentence(tmp_path, capsys):
    for moves, said in (("11", "illegal"), ("", "moves is empty"), ("x", "x")):
        assert main(["review", moves, "--game", "tictactoe", "--out", str(tmp_path / "x")]) == 2
        assert said in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
