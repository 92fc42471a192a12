"""What `azlearn train` shows while it runs, and how long it runs if nothing is said."""

import io
import re

import pytest
from rich.console import Console

from azlearn.cli import train_display
from azlearn.cli.train_display import Display
from azlearn.cli.train_folder import Plan, _decided
from azlearn.learning import Budget, preset
from azlearn.learning.interruption import FINISHING
from tests.learning.tiny_runs import run


@pytest.fixture(scope="module")
def row(tmp_path_factory):
    """The last of the rows that a run of four iterations reports."""
    rows = []
    run(tmp_path_factory.mktemp("reported") / "run", iterations=4, report=rows.append)
    return rows[-1]


def test_a_bar_follows_the_iteration_that_is_under_way(monkeypatch):
    display, console = Display(), Console(file=io.StringIO(), force_terminal=True, width=80)
    for share, percent in ((0.0, "0%"), (0.426, "43%"), (1.0, "100%")):
        display.progress("plays", share)
        console.print(display._picture())
        shown = console.file.getvalue().splitlines()[-1]
        assert "iteration 1 plays" in shown
        assert f" {percent}" in shown


def test_what_ctrl_c_has_begun_stands_under_the_bar_until_the_end():
    """A line printed to the terminal would be drawn over."""
    display, console = Display(), Console(file=io.StringIO(), force_terminal=True, width=80)
    display.stopping()
    display.progress("learns", 0.5)
    console.print(display._picture())
    bar, *note = console.file.getvalue().splitlines()[-3:]
    assert "iteration 1 learns" in bar
    assert note == FINISHING.splitlines()


def test_a_long_iteration_says_where_it_is_where_no_bar_can_be_drawn(monkeypatch, capsys):
    clock = iter([0.0, 10.0, 31.0, 31.0, 40.0])
    monkeypatch.setattr(train_display, "monotonic", lambda: next(clock))
    display = train_display.Display()
    for share in (0.1, 0.5, 0.6):
        display.progress("plays", share)
    assert capsys.readouterr().out == "iteration 1 plays: 50%\n"


def test_what_is_to_go_follows_the_latest_iterations_and_not_the_first(row):
    """A run of 100 iterations: the first one compiles for two minutes, later ones take longer."""
    display, minutes, told = Display(), 2.0, {}
    for iteration in range(1, 101):
        minutes += 0.1 if iteration <= 50 else 0.3
        display.update(row | {"minutes": minutes, "spent": iteration / 100})
        told[iteration] = re.findall(r"to go +([\d.]+)", display._text().plain)
    assert told[1] == []
    assert told[2] == ["9.8"]
    assert told[50] == ["5.0"]
    assert told[80] == ["6.0"]
    assert told[100] == ["0.0"]


def test_false_resignations_are_shown_where_somebody_resigns(row, capsys):
    assert row["resigned"] == row["false_resignations"] == 0  # the preset lets nobody resign
    Display().update(row)
    assert "resigned 0%; target" in capsys.readouterr().out
    Display().update(row | {"resigned": 0.31, "false_resignations": 0.04})
    assert "resigned 31%; falsely 4%; target" in capsys.readouterr().out
    Display().update(row | {"decided": 0.2})
    assert "resigned 0%; proven 20%; target" in capsys.readouterr().out


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


def test_no_line_of_the_display_is_wider_than_a_terminal(row):
    row = row | {"kept_alone": 1.0, "kept_at_50": 1.0, "l2_loss": 0.1234}
    display = Display()
    display.update(row | {"living_filters": 1.0, "living_units": 1.0, "replay": 500_000})
    lines = display._text().plain.splitlines()
    assert lines[-2:] == [
        "living filters 100%  and units 100%",
        "keeps the value: alone 100.0%  at 50 simulations 100.0%",
    ]
    assert max(map(len, lines)) <= 80


def test_a_run_takes_three_minutes_in_tic_tac_toe_and_an_hour_elsewhere(tmp_path):
    for game, minutes in (("tictactoe", 3), ("connect4", 60)):
        (tmp_path / game).mkdir()
        plan = Plan(tmp_path / game, preset(game, "cpu"), None, "cpu", 2.0, False)
        assert _decided(plan, is_there=False)[0].budget == Budget(minutes=minutes)
