"""Records in the Smart Game Format: written by hand, by us, and read by others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sgfmill import sgf, sgf_moves

from azlearn.games import Go
from azlearn.games.go.records import from_sgf, read_record, to_sgf
from azlearn.games.go.sgf_text import Text, read_texts


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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a valid SGF"),
        ("(;B[cc]", "not a valid SGF"),
        ("(;GM[2]SZ[5];B[cc])", "not a game of Go"),
        ("(;SZ[19];B[cc])", "19x19"),
        ("(;SZ[5]AB[aa][bb];W[cc])", "starts with stones"),
        ("(;SZ[5:7];B[cc])", "bad SZ property: '5:7'"),
        ("(;SZ[5];B[cc];AB[aa];W[bb])", "This record sets up stones later on"),
        ("(;SZ[5];B[cc];W[cc])", "Move 2 of this record, C3, is illegal"),
        ("(;SZ[5];B[zz])", "cannot be read: a move is off the board or is not a point"),
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


@pytest.mark.parametrize(
    ("text", "actions"),
    [
        ("(;SZ[5];B[cc];W[];B[];W[bb];B[];W[])", [12, 25, 25]),
        ("(;SZ[5];B[cc];W[  ];B[tt])", [12, 25, 25]),
        ("(;SZ[5];B[cc];W[ff];B[pass])", [12, 25, 25]),
        ("(;CA[nobody-knows]SZ[ 5 ];B[cc])", [12]),
        ("mail:\r\n\r\n( ;\r\nGaMe[1]SiZe[5]\r\nXx[ca];Black[cc];White[bb]\r\n)\r\nbye", [12, 6]),
        ("(;FF[1]SZ[5]C[a \\] (;GM[1\\]SZ[9\\])];B[cc](;W[bb];B[aa])(;W[dd]))", [12, 6, 0]),
        ("(;SZ[5]AB[]PL[B]HA[0];B[cc];W[bb];AE[bb]TB[aa])", [12, 6]),
        ("(;SZ[5]XX[1][2]LB[aa:b]TM[?]BL[soon]DT[];B[cc]BL[]WL[x]N[\\\\])", [12]),
    ],
)  # fmt: skip
def test_records_of_other_programs(text, actions):
    assert from_sgf(text)[1] == actions
    assert from_sgf(b"\xef\xbb\xbf" + text.encode())[1] == actions
    assert from_sgf(text.encode("utf-16"))[1] == actions


@pytest.mark.parametrize(
    ("stated", "komi"),
    [("", 0.5), ("much", 0.5), ("0.3", 0.5), ("1e400", 0.5), ("0,5", 0.5), (" 2.5 ", 2.5),
     ("-3", -3), ("375", 7.5), ("650", 6.5), ("3.75", 7.5), ("7.50目", 7.5), ("nan", 0.5)],
)  # fmt: skip
def test_a_komi_is_read_or_is_the_usual_one(stated, komi):
    assert from_sgf(f"(;SZ[5]KM[{stated}];B[cc])")[0] == Go(5, komi=komi)


DEAD = ";B[ca];W[ea];B[cb];W[eb];B[cc];W[ec];B[cd];W[ed];B[ce];W[aa];B[];W[])"


@pytest.mark.parametrize(
    ("root", "moves", "words"),
    [
        ("RE[B+9.5]", DEAD, "The record's own result is B+9.5: here it is W+0.5, because"
         " dead stones are not removed: all stones left on the board count as alive."),
        ("RE[B+9.5]RU[Japanese]", DEAD, "count as alive, and area counts, not territory."),
        ("RE[White+0,50]", DEAD, ""),
        ("", DEAD, ""),
        ("RE[B+Resign]", ";B[cc])", "The record's own result is B+Resign: White resigned."),
        ("RE[B+2.5]", ";B[cc])", "its moves do not end with two passes"),
        ("RE[Void]", ";B[cc])", "The record's own result is Void: here the game is not over."),
        ("RE[B+]", DEAD, "The record's own result is B+: here it is W+0.5, because dead"),
        ("RE[B+2.5]", ";B[];W[];B[cc];W[bb])", "the record's last 2 moves are left out"),
    ],
)  # fmt: skip
def test_a_record_s_own_result_is_told_with_the_reason(root, moves, words):
    record = read_record(f"(;SZ[5]KM[0.5]{root}{moves}")
    assert words in record.remark
    assert bool(words) == bool(record.remark)


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("utf-8-sig", "a"), ("utf-16", "表ソ"), ("gb18030", "围棋"), ("shift_jis", "表ソ能")],
)
@pytest.mark.parametrize(
    "broken",
    [
        "(;GM[1]SZ[5]US[Somebody [3d]]RE[B+R];B[cc])", "(;GM[1]SZ[5];B[cc];W[dd]",
        "(;GM[1]SZ[5];B[cc]))",
    ],
)  # fmt: skip
def test_the_games_around_a_broken_one_are_read_in_any_encoding(encoding, name, broken):
    """What a file says of its encoding is often wrong."""
    one = f"(;GM[1]SZ[5]CA[big5]PB[{name}]C[one \\] two (;SZ[5\\])];B[aa]\n;W[ba](;C[x])(;B[cc]))"
    other = f"(;GaMe[1] SiZe[5:5]PW[{name}];Black[bb]\r\n\r\n;White[tt])"
    texts = read_texts("\n".join([one, broken, other]).encode(encoding))
    found = [
        [point for node in text.main_line() for _, point in node.moves]
        for text in texts
        if isinstance(text, Text)
    ]
    assert [(0, 0), (0, 1)] in found
    assert [(1, 1), None] in found
