"""Positions of games, one by one; no board on both sides of a split, by brute force."""

import re

import numpy as np
import pytest

from azlearn.alphago import positions_of, split_by_game
from azlearn.alphago.positions import last_columns, read_positions, write_positions
from azlearn.games import ConnectFour, Go, TicTacToe
from azlearn.learning import CorruptFileError
from tests.alphago.positions import FIRST_WINS, SECOND_WINS, random_records

GAME, GO = ConnectFour(), Go(3)


def images(game, positions, row):
    """Every image of a board as text, in another way than the code's bits: as drawn lines."""
    planes = game.encode(game.state_of(word[row] for word in positions.states))
    lines = planes[0] + 2 * planes[1]
    if game.name == "connect_four":
        turned = [lines, lines[:, ::-1]]
    else:
        turned = [np.rot90(face, k) for face in (lines, lines.T) for k in range(4)]
    return {str(image.tolist()) for image in turned}


@pytest.mark.parametrize("game", [GAME, TicTacToe(), GO], ids=lambda game: game.name)
def test_many_games_at_once_are_each_game_by_itself(game):
    records = random_records(game, 30)
    together = positions_of(game, records)
    row = 0
    for record in records:
        state = game.initial_state()
        moves = record.moves.split() if game is GO else record.moves
        for ply, move in enumerate(moves):
            action = next(a for a in game.legal_actions(state) if game.action_label(a) == move)
            sign = 1 if ply % 2 == 0 else -1
            expected = (state.me, state.opp, action, sign * record.result, record.number, ply)
            assert tuple(column[row] for column in together[:6]) == expected
            assert tuple(word[row] for word in together.states) == state
            state, row = game.play(state, action), row + 1
    assert row == len(together.me)
    dtypes = [column.dtype for column in together[:6]]
    assert dtypes == [*[np.int64] * 3, np.float32, *[np.int64] * 2]
    # Random opening moves are played, but are no examples.
    expert = positions_of(game, [records[0]._replace(random_plies=2)])
    for all_rows, some_rows in zip(together[:6], expert[:6], strict=True):
        np.testing.assert_array_equal(all_rows[2 : 2 + len(some_rows)], some_rows)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (FIRST_WINS._replace(number=7, result=0), "Game 7 (1212121) ends with 1, but its record"),
        (FIRST_WINS._replace(moves="121212"), "(121212) is not over"),
        (FIRST_WINS._replace(moves="12121213"), "Move 8 (3) comes after the end of the game"),
        (FIRST_WINS._replace(moves="1111111"), "Game 0 breaks the rules: Move 7"),
    ],
)
def test_a_record_against_the_rules_is_named(record, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        positions_of(GAME, [SECOND_WINS._replace(number=99), record])


def test_a_mirrored_game_leaves_nothing_to_hold_out():
    mirrored = FIRST_WINS._replace(number=1, moves="7676767")
    positions = positions_of(GAME, [FIRST_WINS, mirrored])
    with pytest.raises(ValueError, match="2 games are too few"):
        split_by_game(GAME, positions, 0.5)
    with pytest.raises(ValueError, match="held_out_share must be more than 0 and less than 1"):
        split_by_game(GAME, positions, 1)


@pytest.mark.parametrize("game", [GAME, TicTacToe(), GO], ids=lambda game: game.name)
def test_no_board_is_on_both_sides(game):
    num_games = 120 if game is GAME else 40
    positions = positions_of(game, random_records(game, num_games))
    split = split_by_game(game, positions, 0.25, rng=3)
    train_games = set(split.train.game_number.tolist())
    assert len(train_games) == num_games * 3 // 4
    known = set().union(*(images(game, split.train, row) for row in range(len(split.train.me))))
    for row in range(len(split.held_out.me)):
        assert not images(game, split.held_out, row) & known
    # And nothing was removed without need: every board of the held-out games, one by one.
    before = positions.take(~np.isin(positions.game_number, list(train_games)))
    removed = sum(bool(images(game, before, row) & known) for row in range(len(before.me)))
    assert removed == split.num_removed > 0
    assert split.share_removed == removed / len(before.me)
    assert len(split.held_out.me) == len(before.me) - removed


def test_the_last_column_is_the_move_before_where_it_is_known():
    known = positions_of(GAME, [FIRST_WINS, SECOND_WINS._replace(random_plies=2)])
    assert last_columns(known).tolist() == [-1, 0, 1, 0, 1, 0, 1, -1, 2, 1, 0, 1, 4]
    gap = known.take(np.array([0, 1, 3, 4, 7, 12]))
    assert last_columns(gap).tolist() == [-1, 0, -1, 1, -1, -1]


def test_games_that_people_gave_up_count_as_their_records_say():
    given_up = FIRST_WINS._replace(moves="1212", result=-1)
    assert positions_of(GAME, [given_up], played_out=False).z.tolist() == [-1, 1, -1, 1]
    with pytest.raises(ValueError, match="is not over"):
        positions_of(GAME, [given_up])


@pytest.mark.parametrize("game", [GAME, GO], ids=lambda game: game.name)
def test_positions_come_back_from_the_disk_and_damage_is_named(tmp_path, game):
    sides = {
        "train": positions_of(game, random_records(game, 5)),
        "held_out": positions_of(game, random_records(game, 1, seed=1)),
    }
    path = tmp_path / "positions.safetensors"
    write_positions(path, sides)
    found = read_positions(path, game)
    assert list(found) == ["train", "held_out"]
    for side, positions in sides.items():
        columns = (*found[side][:6], *found[side].states), (*positions[:6], *positions.states)
        for column, expected in zip(*columns, strict=True):
            np.testing.assert_array_equal(column, expected, strict=True)
    path.write_bytes(path.read_bytes().replace(b"azlearn pos", b"another po"))
    with pytest.raises(CorruptFileError, match=r"positions\.safetensors"):
        read_positions(path, game)
