"""Records in the Smart Game Format: written by hand, by us, and read by others."""

import os
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sgfmill import sgf, sgf_moves

from azlearn.games import Go
from azlearn.games.go.records import from_sgf, to_sgf

GNUGO = shutil.which("gnugo", path=f"{os.environ.get('PATH', '')}{os.pathsep}/usr/games")


def random_game(game: Go, seed: int) -> list[int]:
    rng, state, actions = np.random.default_rng(seed), game.initial_state(), []
    while legal := game.legal_actions(state):
        actions.append(int(rng.choice(legal)))
        state = game.next_state(state, actions[-1])
    return actions


def test_a_record_by_hand():
    """In SGF the first letter is the column from the left, the second the row from the top."""
    game, actions = from_sgf("(;GM[1]FF[4]SZ[5]KM[2.5]RE[B+R];B[cc];W[ba];C[a word];B[];W[tt])")
    assert game == Go(5, komi=2.5)
    assert actions == [12, 1, 25, 25]
    assert [game.action_label(action) for action in actions] == ["C3", "B5", "pass", "pass"]


@pytest.mark.parametrize("size", [2, 5, 7, 9])
def test_games_come_back_and_another_program_sees_the_same_board(size):
    game = Go(size)
    for seed in range(5):
        actions = random_game(game, seed)
        text = to_sgf(game, actions, "somebody", "a [bracket] \\ and ;")
        assert from_sgf(text) == (game, actions)
        read = sgf.Sgf_game.from_string(text)
        assert read.get_player_name("w") == "a [bracket] \\ and ;"
        board, moves = sgf_moves.get_setup_and_moves(read)
        for color, point in moves:
            if point:
                board.play(*point, color)
        state = game.from_moves(game.moves_text(actions))
        seen = [
            [None, "b", "w"].index(board.get(size - 1 - row, col))
            for row in range(size)
            for col in range(size)
        ]
        assert seen == game.cells(state)
        score = game.score(state)
        assert read.get_root().get("RE") == (f"{'BW'[score < 0]}+{abs(score):g}" if score else "0")


@pytest.mark.skipif(GNUGO is None, reason="GNU Go is not installed")
def test_gnu_go_reads_them(tmp_path):
    game = Go(7)
    actions = random_game(game, 1)[:20]
    path = tmp_path / "game.sgf"
    path.write_text(to_sgf(game, actions))
    done = subprocess.run(
        [GNUGO, "--mode", "gtp"], input=f"loadsgf {path}\nlist_stones black\nquit\n",
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    cells = game.cells(game.from_moves(game.moves_text(actions)))
    black = {game.action_label(point) for point, cell in enumerate(cells) if cell == 1}
    answers = done.stdout.split("\n\n")
    assert set(answers[1].removeprefix("= ").split()) == black


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no SGF"),
        ("4453", "no SGF"),
        ("(;B[cc]", "no SGF"),
        ("(;SZ[5]CA[nobody-knows];B[cc])", "no SGF"),
        ("(;GM[2]SZ[5];B[cc])", "not of Go"),
        ("(;SZ[19];B[cc])", "19x19"),
        ("(;B[cc])", "19x19"),
        ("(;SZ[1];B[aa])", "1x1"),
        ("(;SZ[5]AB[aa][bb];W[cc])", "begins with stones"),
        ("(;SZ[5]KM[0.3];B[cc])", "komi must be"),
        ("(;SZ[5]KM[much];B[cc])", "The komi of this record cannot be read"),
        ("(;SZ[5]KM[1e400];B[cc])", "The komi of this record cannot be read: infinite"),
        ("(;SZ[5];B[cc];AB[aa];W[bb])", "This record sets up stones later on"),
        ("(;SZ[5];W[cc])", "Move 1 of this record is of the player"),
        ("(;SZ[5];B[cc];W[cc])", "Move 2 of this record, C3, is illegal"),
        ("(;SZ[5];B[zz])", "cannot be read: a point is not on the board"),
        ("(;SZ[5];B[];W[];B[cc])", "Move 3 of this record"),
    ],
)
def test_what_is_no_game_of_ours_is_one_sentence(text, words):
    with pytest.raises(ValueError, match=words) as error:
        from_sgf(text)
    assert "\n" not in str(error.value)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80) | st.from_regex(rb"\(;SZ\[5\](;[BW]\[[a-f]{0,2}\]){0,6}\)"))
def test_any_bytes_are_a_game_or_a_sentence(content):
    said = "record"
    try:
        game, actions = from_sgf(content)
        game.from_moves(game.moves_text(actions))
    except ValueError as error:
        said = str(error)
    assert "record" in said or "komi" in said
    assert "\n" not in said


def test_a_game_that_was_given_up_says_so():
    game = Go(5)
    assert "RE[W+R]" in to_sgf(game, [12], result="W+R")
    assert "RE[" not in to_sgf(game, [12])
    with pytest.raises(ValueError, match="illegal"):
        to_sgf(game, [12, 12])
