"""The time that is left, by a clock that the tests turn: what is slow once is not extrapolated."""

import re

import numpy as np
import pytest
import tqdm.std

from azlearn.arena import RandomPlayer, accuracy, load_positions, play_match
from azlearn.games import ConnectFour, DotsAndBoxes, Othello
from azlearn.progress_bar import shown

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


def test_the_first_step_is_not_extrapolated(clock, capsys):
    with shown(True, "work") as report:
        for step in range(1, 11):
            clock.now += 1000 if step == 1 else 6
            report(step / 10)
    left = dict(forecasts(capsys.readouterr().err))
    assert left[6] == pytest.approx(48, abs=1)  # eight tenths, of six seconds each
    assert left[30] == pytest.approx(24, abs=1)


def test_nothing_is_shown_unasked(capsys):
    with shown(False, "work") as report:
        report(0.5)
    assert capsys.readouterr().err == ""
    with shown((told := []).append, "work") as report:  # who is told draws it himself
        report(0.5)
    assert (told, capsys.readouterr().err) == ([0.5], "")


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
