"""Rulers for Connect Four: known results of perfect play, and files of other projects."""

import json

import numpy as np
import pytest

from azlearn.arena import RandomPlayer, SolverPlayer, load_positions
from azlearn.arena.rulers import (
    against_perfect_play,
    decisive,
    is_decisive,
)
from azlearn.cli import main
from azlearn.games import ConnectFour

FOUR = ConnectFour()


def test_perfect_play_wins_first_and_loses_as_late_as_possible():
    """Allis (1988): the first player wins, at the latest at the 41st ply."""
    found = against_perfect_play(SolverPlayer(FOUR), games=4)
    assert found["first"]["won"] == 1
    assert found["second"]["losses"] == 4
    assert found["second"]["plies"] == 41
    assert found["second"]["plies_interval"] == (41, 41)
    assert found["second"]["as_long"] == 4
    assert found["first"]["plies"] is None


def test_a_random_player_loses_soon_on_both_sides():
    found = against_perfect_play(RandomPlayer(FOUR), games=6)
    for side in ("first", "second"):
        assert found[side]["losses"] == found[side]["games"] == 6
        low, high = found[side]["plies_interval"]
        assert low < found[side]["plies"] < high < 30
    assert found["first"]["won_interval"][1] < 0.5


def test_decisive_positions_have_two_results():
    one, *others = load_positions()
    assert is_decisive(one)
    assert len([p for p in others if is_decisive(p)]) >= 900
    scores = [-2 if score is not None else None for score in one.scores]
    assert not is_decisive(type(one).of_scores(one.moves, scores))
    table = decisive(SolverPlayer(FOUR), others[:20])
    assert table["value_preserving"] == 1
    for none in ([], [type(one).of_scores(one.moves, scores)]):
        with pytest.raises(ValueError, match="In none of these positions does the move decide"):
            decisive(SolverPlayer(FOUR), none)


@pytest.mark.parametrize("is_under_a_key", [True, False])
def test_positions_of_other_projects(tmp_path, is_under_a_key):
    """In the form of huggingface.co/datasets/davidquarel/connect4-pons-eval."""
    ours = load_positions()[1:30]
    rows = [
        {
            "moves": "".join(str(int(move) - 1) for move in p.moves),
            "scores": [-1000 if score is None else score for score in p.scores],
            "depth": p.ply,
        }
        for p in ours
    ]
    file = tmp_path / "positions.json"
    file.write_text(json.dumps({"meta": {}, "positions": rows} if is_under_a_key else rows))
    found = load_positions(file)
    assert [(p.moves, p.scores, p.value) for p in found] == [
        (p.moves, p.scores, p.value) for p in ours
    ]


def test_a_published_entry_is_read(tmp_path):
    """The first entry of that data set, as its page shows it."""
    entry = {
        "moves": "11233453244341332252256560511064",
        "scores": [-5, -5, -1000, -1000, -5, -5, 5],
        "depth": 32,
    }
    file = tmp_path / "positions.json"
    file.write_text(json.dumps({"positions": [entry]}))
    (position,) = load_positions(file)
    assert (position.ply, position.value, position.best_score) == (32, 1, 5)
    assert is_decisive(position)
    assert position.keeps_value(6)
    assert not position.keeps_value(0)


@pytest.mark.parametrize(
    "text", ["[]", '[{"moves": "0"}]', '{"positions": 7}', "{}", "[7]", "7", "["]
)
def test_a_file_in_another_form_is_one_sentence(tmp_path, text, capsys):
    file = tmp_path / "positions.json"
    file.write_text(text)
    command = ["evaluate", "random", "--ruler", "decisive", "--positions", str(file)]
    assert main(command) == 2
    said = capsys.readouterr().err
    assert str(file) in said
    assert said.count("\n") == 1


def test_positions_without_a_decision_are_one_sentence(tmp_path, capsys):
    """Every move loses."""
    file = tmp_path / "positions.json"
    file.write_text(json.dumps([{"moves": "", "scores": [-1] * 7}]))
    assert load_positions(file)[0].value == -1
    assert main(["evaluate", "random", "--ruler", "decisive", "--positions", str(file)]) == 2
    said = capsys.readouterr().err
    assert "In none of these positions" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize(
    ("ruler", "options", "said"),
    [
        ("first", ["--game", "tictactoe"], "--ruler is only for Connect Four, not for tictactoe."),
        ("decisive", ["--game", "go5"], "--ruler is only for Connect Four, not for go5."),
        ("second", ["--positions", "x.csv"], "--positions cannot be combined with --ruler second."),
    ],
)
def test_the_command_refuses_what_a_ruler_cannot_use(ruler, options, said, capsys):
    assert main(["evaluate", "random", "--ruler", ruler, *options]) == 2
    assert said in capsys.readouterr().err


def test_the_command(capsys):
    assert main(["evaluate", "random", "--ruler", "second", "--games", "4", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["ruler"] == "second"
    assert row["losses"] == 4
    assert main(["evaluate", "tactical", "--ruler", "first", "--games", "4"]) == 0
    assert "share won" in capsys.readouterr().out
    assert np.isfinite(row["plies"])
