"""The time that is left, by a clock that the tests turn: what is slow once is not extrapolated."""

import re

import numpy as np
import pytest
import tqdm.std

from azlearn.arena import RandomPlayer, accuracy, load_positions, play_match
from azlearn.arena.measuring import _forecast
from azlearn.forecast import Forecast
from azlearn.games import ConnectFour, Go, Othello

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
    # Of 50 tenths 49 are to come; each of the first took a second, each four of the others six.
    assert [left for _, left in forecasts(err)][:2] == [48, 47]
    assert (9, 40) in forecasts(err)
    assert (15, 41) in forecasts(err)  # 36 tenths at 13 in 15 seconds
    assert forecasts(err)[-1] == (69, 0)
    assert "small: 100%" not in err


@pytest.mark.parametrize("shown", [True, False])
def test_nothing_is_shown_unasked(shown, capsys):
    forecast = Forecast([1], shown)
    forecast.begin("work")(0.5)
    forecast.close()
    assert bool(capsys.readouterr().err) == shown


class Slow(RandomPlayer):
    """Compiles at its first move, and thinks for long while the board is empty, as searches do."""

    def __init__(self, game, clock):
        super().__init__(game)
        self._clock, self._once = clock, 5000

    def choose(self, state, rng):
        empty = len(self.game.legal_actions(state))
        self._clock.now += 0.1 * empty**2 + self._once
        self._once = 0
        return super().choose(state, rng)


def test_positions_are_mixed_so_that_any_part_of_them_tells_the_pace(clock, capsys):
    """The file is sorted: its first tenth takes almost twice as long as its last."""
    accuracy(Slow(ConnectFour(), clock), load_positions(), progress=True)
    told = [pair for pair in forecasts(capsys.readouterr().err) if pair[0] > 0]
    total = told[-1][0]
    assert len(told) > 500
    assert all(0.85 < (gone + left) / total < 1.15 for gone, left in told[len(told) // 10 :])


@pytest.mark.parametrize(
    ("game", "least", "most"),
    [(Othello(6), 0.9, 2.0), (ConnectFour(), 0.9, 2.5), (Go(5), 0.9, 3.0)],
    ids=lambda value: getattr(value, "name", ""),
)
def test_a_match_in_lockstep_counts_moves(game, least, most, clock, capsys):
    """No game is over for long: until then a game may become as long as the rules allow."""
    play_match(Slow(game, clock), Slow(game, clock), 60, progress=True)
    told = [pair for pair in forecasts(capsys.readouterr().err) if pair[0] > 0]
    total = told[-1][0]
    assert told[-1][1] == 0
    ratios = np.array([(gone + left) / total for gone, left in told])
    assert ratios.min() > least
    assert ratios.max() < most


def test_rows_weigh_as_their_simulations():
    assert next(iter(_forecast([50, 200, 1000], False).thing._weights)) == 51
