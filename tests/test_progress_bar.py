"""The time that is left, by a clock that the tests turn: what is slow once is not extrapolated."""

import re
from types import SimpleNamespace

import pytest
import tqdm.std

from azlearn.arena import RandomPlayer, play_match
from azlearn.games import DotsAndBoxes, Othello
from azlearn.progress_bar import shown

LEFT = re.compile(r"\[(?P<gone>[\d:]+)<(?P<left>[\d:]+)\]")


@pytest.fixture
def clock(monkeypatch):
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(tqdm.std, "time", lambda: clock.now)
    return clock


def forecasts(err: str) -> list[tuple[int, int]]:
    """``(gone, left)`` of every state of the bar that says both; seconds since the first report."""

    def seconds(text: str) -> int:
        return sum(int(part) * 60**i for i, part in enumerate(reversed(text.split(":"))))

    return [(seconds(m["gone"]), seconds(m["left"])) for m in LEFT.finditer(err)]


def test_the_first_step_is_not_extrapolated_and_nothing_is_shown_unasked(clock, capsys):
    with shown(True, "work") as report:
        for step in range(1, 11):
            clock.now += 1000 if step == 1 else 6
            report(step / 10)
    left = dict(forecasts(capsys.readouterr().err))
    assert left[6] == pytest.approx(48, abs=1)  # eight tenths, of six seconds each
    assert left[30] == pytest.approx(24, abs=1)
    with shown(False, "work") as report:
        report(0.5)
    with shown((told := []).append, "work") as report:  # who is told draws it himself
        report(0.5)
    assert (told, capsys.readouterr().err) == ([0.5], "")


class Slow(RandomPlayer):
    """Compiles at its first move, as searches do."""

    def __init__(self, game, clock):
        super().__init__(game)
        self._clock, self._seconds = clock, 5000

    def choose(self, state, rng):
        self._clock.now += self._seconds
        self._seconds = 1
        return super().choose(state, rng)


@pytest.mark.parametrize("game", [Othello(6), DotsAndBoxes(2, 2)], ids=lambda game: game.name)
def test_a_match_in_lockstep_counts_moves(game, clock, capsys):
    """No game is over for long, and yet the second round tells how long all of them will take."""
    play_match(Slow(game, clock), Slow(game, clock), 60, progress=True)
    told = [pair for pair in forecasts(capsys.readouterr().err) if pair[0] > 0]
    total = told[-1][0]
    assert told[-1][1] == 0
    assert all(0.6 < (gone + left) / total < 1.7 for gone, left in told)
