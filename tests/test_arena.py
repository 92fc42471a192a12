"""Players, intervals and solved positions."""

from types import SimpleNamespace

import numpy as np
import pytest

from azlearn.arena import (
    CompiledUCTPlayer,
    MinimaxPlayer,
    RandomPlayer,
    accuracy,
    evaluate,
    load_positions,
    wilson_interval,
)
from azlearn.games import ConnectFour, TicTacToe

POSITIONS = load_positions()


def test_the_wilson_interval_of_the_textbook():
    # Newcombe 1998, Statistics in Medicine 17:857, table I, method 3: 81 of 263, and 0 of 20.
    assert wilson_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson_interval(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    with pytest.raises(ValueError, match="0 <= successes <= n"):
        wilson_interval(3, 2)


def test_the_shipped_positions():
    assert len(POSITIONS) == 1000
    empty = next(position for position in POSITIONS if position.ply == 0)
    assert empty.scores == (-2, -1, 0, 1, 0, -1, -2)  # the game is a first-player win in the centre
    assert [action for action in empty.legal_actions if empty.keeps_value(action)] == [3]
    assert {position.value for position in POSITIONS} == {0, 1}
    for position in POSITIONS:
        assert len(position.moves) == position.ply
        assert (position.best_score > 0) == (position.value == 1)
        assert not all(position.keeps_value(a) for a in position.legal_actions)


def test_accuracy_of_a_perfect_and_a_worst_player():
    def rates(pick):
        moves = {p.state: pick(p.legal_actions, key=p.scores.__getitem__) for p in POSITIONS}
        oracle = SimpleNamespace(name="oracle", choose=lambda state, rng: moves[state])
        return accuracy(oracle, POSITIONS)

    best, worst = rates(max), rates(min)
    assert best["value_preserving"] == best["optimal_score"] == 1.0
    assert best["value_preserving_interval"][1] == pytest.approx(1.0)
    assert worst["value_preserving"] == worst["optimal_score"] == 0.0
    assert sum(part["n"] for part in best["by_ply"].values()) == best["n"] == 1000
    assert best["quiet"]["n"] == sum(position.tactic == "quiet" for position in POSITIONS)


def test_accuracy_does_not_depend_on_the_order_of_the_positions():
    player = CompiledUCTPlayer(ConnectFour(), 50)
    forwards = accuracy(player, POSITIONS[:200], seed=3)
    assert accuracy(player, POSITIONS[199::-1], seed=3) == forwards
    assert accuracy(player, POSITIONS[:200], seed=4) != forwards


# Rates in per cent on other positions made the same way, ± 1.2 (azlearn/data/README.md).
REFERENCE = {0: (39, 28), 50: (76, 68), 200: (85, 79), 1000: (89, 83), 20_000: (91, 87)}


@pytest.mark.slow
def test_the_reference_figures_come_out():
    rows = evaluate("random") + evaluate("uct", simulations=[n for n in REFERENCE if n])
    for row in rows:
        for rate, reference in zip(
            ("value_preserving", "optimal_score"), REFERENCE[row["simulations"]], strict=True
        ):
            low, high = row[f"{rate}_interval"]
            assert low - 0.012 <= reference / 100 <= high + 0.012, (row["simulations"], rate)


def test_an_illegal_choice_is_named():
    stubborn = SimpleNamespace(name="stubborn", choose=lambda state, rng: 0)
    full = [position for position in POSITIONS if position.scores[0] is None][:1]
    with pytest.raises(ValueError, match=r"stubborn chose move 1 \(action 0\), which is il"):
        accuracy(stubborn, full)


def test_random_never_beats_minimax():
    game, rng = TicTacToe(), np.random.default_rng(0)
    players = [MinimaxPlayer(game), RandomPlayer(game)]
    for number in range(100):
        state = game.initial_state()
        while game.outcome(state) is None:
            player = players[(game.to_play(state) + number) % 2]
            state = game.play(state, player.choose(state, rng))
        loser_is_minimax = (game.to_play(state) + number) % 2 == 0
        assert not (game.outcome(state) == -1 and loser_is_minimax)


def write(path, **changes):
    """A positions file of one row with some fields changed."""
    row = {"moves": "", "ply": 0, "value": 1, "tactic": "quiet", "subset": "enum"}
    row |= {f"s{c}": s for c, s in enumerate((-2, -1, 0, 1, 0, -1, -2), 1)} | changes
    path.write_text("\n".join(",".join(map(str, part)) for part in (row, row.values())) + "\n")
    return path


def test_bad_positions_files_are_one_clear_sentence(tmp_path):
    path = tmp_path / "positions.csv"
    (position,) = load_positions(write(path, ply=77, value=9))  # they follow from the others
    assert (position.ply, position.value, position.best_score) == (0, 1, 1)
    for changes in ({"s1": "high"}, {"moves": "4x"}, {"s1": ""}):
        with pytest.raises(ValueError, match=r"Line 2 of .* is not a labeled position") as error:
            load_positions(write(path, **changes))
        assert "\n" not in str(error.value)
    path.write_bytes(write(path).read_bytes() + b"\n,,,,,\xff\n")  # empty lines count
    with pytest.raises(ValueError, match=r"Line 4 of .* is not valid UTF-8\."):
        load_positions(path)
    path.write_text("")
    with pytest.raises(ValueError, match="contains no positions"):
        load_positions(path)
    with pytest.raises(FileNotFoundError, match="There is no positions file"):
        load_positions(tmp_path / "missing.csv")
