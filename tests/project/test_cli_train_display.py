"""What `azlearn train` shows while it runs: a bar in a terminal, and a line now and then."""

import io
import re
import sys

import pytest

from azlearn.cli import train_display
from azlearn.cli.train_display import Display
from tests.learning.tiny_runs import run


@pytest.fixture(scope="module")
def row(tmp_path_factory):
    """The last of the rows that a run of four iterations reports."""
    rows = []
    run(tmp_path_factory.mktemp("reported") / "run", iterations=4, report=rows.append)
    return rows[-1]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_follows_the_budget_and_the_iteration_that_is_under_way(row, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with Display() as display:
        display._bar.mininterval = 0
        display.progress("plays", 0.426)
        assert "  0%|" in terminal.getvalue()
        assert "iteration 1 plays: 43%]" in terminal.getvalue()
        display.update(row | {"iteration": 1, "spent": 0.25})
        display.progress("learns", 0.5)
    last = terminal.getvalue().split("\r")[-1]
    assert " 25%|" in last
    assert "iteration 2 learns: 50%]" in last
    assert capsys.readouterr().out.startswith("minute ")  # the first one's figures


def test_the_time_that_is_left_does_not_follow_from_the_first_iteration(row, monkeypatch):
    """It compiles for minutes."""
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    now = [0.0]
    monkeypatch.setattr("tqdm.std.time", lambda: now[0])
    display = Display()
    for iteration in range(1, 6):
        now[0] += 1000 if iteration == 1 else 6
        display.update(row | {"spent": iteration / 10})
    left = terminal.getvalue().split("\r")[-1]
    assert re.search(r" 50%\|.*\[00:24<00:30", left)


def test_a_long_iteration_says_where_it_is_where_no_bar_can_be_drawn(monkeypatch, capsys):
    clock = iter([0.0, 10.0, 31.0, 31.0, 40.0])
    monkeypatch.setattr(train_display, "monotonic", lambda: next(clock))
    display = Display()
    for share in (0.1, 0.5, 0.6):
        display.progress("plays", share)
    assert capsys.readouterr().out == "iteration 1 plays: 50%\n"


def test_what_is_not_always_there_is_shown_where_it_is(row, capsys):
    assert row["resigned"] == row["false_resignations"] == 0  # the preset lets nobody resign
    Display().update(row)
    assert re.search(r"draws \d+%; target entropy", capsys.readouterr().out)
    Display().update(row | {"resigned": 0.31, "false_resignations": 0.04, "decided": 0.2})
    assert "; resigned 31%; falsely 4%; proven 20%; target" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "enough", "few", "title", "sentence"),
    [
        ("living_filters", 0.9, 0.84, "living filters", "84% of the network's filters are alive"),
        ("living_units", 0.25, 0.2, "and units", "20% of the value head's hidden units answer"),
    ],
)
def test_what_dies_is_shown_and_told_once(name, enough, few, title, sentence, row, capsys):
    assert row["living_filters"] > 0.95
    assert row["living_units"] > 0.5
    display = Display()
    display.update(row | {name: enough})
    assert f"{title} {enough:.0%}" in (shown := capsys.readouterr().out)
    assert "Only" not in shown
    display.update(row | {name: few, "unbeaten_alone": 0.0})
    assert capsys.readouterr().out.startswith(f"Only {sentence}")
    display.update(row | {name: few / 2, "unbeaten_alone": 0.0})
    assert f"{title} {few / 2:.0%}" in (shown := capsys.readouterr().out)
    assert "Only" not in shown
