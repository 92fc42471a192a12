"""The time that is left, by a clock that the tests turn: what is slow once is not extrapolated."""

import re

import numpy as np
import pytest
import tqdm.std

from azlearn.arena import RandomPlayer, accuracy, load_positions, play_match
from azlearn.arena.measuring import _forecast
from azlearn.forecast import Forecast
from azlearn.games import ConnectFour, DotsAndBoxes, Othello

LEFT = re.compile(r"\[(?P<gone>[\d:]+)<(?P<left>[\d:]+)\]")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr(tqdm.std, "time", clock := Clock())
    return clock


def seconds(text: str) -> int:
    total = 0
    for part in text.split(":"):
        total = 60 * total + int(part)
    return total


def forecasts(err: str) -> list[tuple[int, int]]:
    """``(gone, left)`` of every state of the bar that says both; seconds since the first report."""
    return [(seconds(m["gone"]), seconds(m["left"])) for m in LEFT.finditer(err)]


def test_the_first_step_is_not_extrapolated_and_the_pace_is_followed(clock, capsys):
    forecast = Forecast([1, 4])
    for words, pace in (("small", 1), ("large", 6)):
        report = forecast.begin(words)
        for step in range(1, 11):
            clock.now += pace if (words, step) != ("small", 1) else 1000
            report(step / 10)
    forecast.close()
    err = capsys.readouterr().err
    # Of 50 tenths the nine that follow the first take a second each, the other ten (four each) six.
    left = dict(forecasts(err))
    assert left[1] == pytest.approx(48, abs=1)
    assert left[9] == pytest.approx(40, abs=1)
    assert left[15] == pytest.approx(36 * 15 / 13, abs=1)
    assert left[69] == 0
    assert "small: 100%" not in err


class Slow(RandomPlayer):
    """Compiles at its first move, and thinks for long while the board is empty, as searches do."""

    def __init__(self, game, clock, power):
        super().__init__(game)
        self._clock, self._once, self._power = clock, 5000, power

    def choose(self, state, rng):
        self._clock.now += len(self.game.legal_actions(state)) ** self._power + self._once
        self._once = 0
        return super().choose(state, rng)


def test_positions_are_mixed_so_that_any_part_of_them_tells_the_pace(clock, capsys):
    """The file is sorted: its first tenth takes almost twice as long as its last."""
    accuracy(Slow(ConnectFour(), clock, 2), load_positions(), progress=True)
    told = [pair for pair in forecasts(capsys.readouterr().err) if pair[0] > 0]
    total = told[-1][0]
    assert len(told) > 500
    assert all(0.85 < (gone + left) / total < 1.15 for gone, left in told[len(told) // 10 :])


@pytest.mark.parametrize(
    "game", [Othello(6), ConnectFour(), DotsAndBoxes(2, 2)], ids=lambda game: game.name
)
def test_a_match_in_lockstep_counts_moves(game, clock, capsys):
    """No game is over for long, and yet the second round tells how long all of them will take."""
    play_match(Slow(game, clock, 0), Slow(game, clock, 0), 60, progress=True)
    told = [pair for pair in forecasts(capsys.readouterr().err) if pair[0] > 0]
    total = told[-1][0]
    assert told[-1][1] == 0
    ratios = np.array([(gone + left) / total for gone, left in told])
    assert ratios.min() > 0.6
    assert ratios.max() < 1.7


def test_rows_weigh_as_their_simulations():
    assert next(iter(_forecast([50, 200, 1000], False).thing._weights)) == 51
