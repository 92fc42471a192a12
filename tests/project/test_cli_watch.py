"""`azlearn watch`: what a run's log says, drawn; and the strength of the networks that it keeps."""

import json
import re
import shutil

import pytest

from azlearn.arena import measuring
from azlearn.cli import watch as module
from azlearn.cli.watch import curve
from azlearn.learning import read_log
from tests.learning.tiny_runs import SETTINGS
from tests.learning.tiny_runs import run as train
from tests.project.test_cli import refused, run


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run of four iterations with its log."""
    from azlearn.learning.run_log import RunLog

    out = tmp_path_factory.mktemp("watched") / "run"
    out.mkdir()
    settings = SETTINGS.with_changes({"kept_networks": 2})
    train(out, iterations=4, settings=settings, report=RunLog(out).add)
    return out


def test_a_finished_run_is_shown_once(capsys, finished):
    code, out, err = run(capsys, "watch", finished, "--once")
    last = read_log(finished)[-1]
    assert (code, err) == (0, "")
    assert f"{finished}: iteration 4, {last['minutes']:.1f} minutes, {last['games']} games" in out
    assert "100% of its budget" in out
    losses = [row["value_loss"] for row in read_log(finished) if "value_loss" in row]
    assert re.search(rf"value loss +{losses[0]:.3f} .* {losses[-1]:.3f}", out)


def test_a_shipped_network_has_its_strength_over_the_games(capsys):
    _, out, _ = run(capsys, "watch", "connect4", "--once")
    rows = [row for row in read_log("connect4") if "kept_at_50" in row]
    row = rf"with 50 simulations +{rows[0]['kept_at_50']:.1%} .* {rows[-1]['kept_at_50']:.1%}"
    assert re.search(row, out)


def test_rows_appear_as_they_are_written(capsys, finished, tmp_path, monkeypatch):
    """It looks again and again until Ctrl-C."""
    rows, log = read_log(finished), tmp_path / "log.jsonl"
    looks = []

    def sleep(seconds):
        if len(looks) == 2:
            raise KeyboardInterrupt
        looks.append(seconds)
        with log.open("a") as file:
            file.write(json.dumps(rows[len(looks) - 1]) + "\n")

    pictures, picture = [], module._picture

    def seen(run):
        pictures.append(picture(run))
        return pictures[-1]

    monkeypatch.setattr(module, "sleep", sleep)
    monkeypatch.setattr(module, "_picture", seen)
    code, out, err = run(capsys, "watch", tmp_path)
    assert (code, err) == (0, "")
    assert "no iteration is done yet" in str(pictures[0])
    assert len(pictures) == 3
    assert "iteration 2," in " ".join(out.split())  # wherever a line ends


def test_the_networks_that_a_run_keeps_are_measured(capsys, finished):
    code, out, err = run(capsys, "watch", finished, "--strength")
    assert (code, err) == (0, "")
    rows = re.findall(r"│ +(\d) │ +[\d.]+ │ +(\d+) │ +([\d.]+)% │ +([\d.]+)% │", out)
    assert [int(row[0]) for row in rows] == [0, 1, 2, 3, 4]
    assert {figure for row in rows for figure in row[2:]} <= {"0.0", "100.0"}
    assert int(rows[-1][1]) == read_log(finished)[-1]["games"]


def test_the_name_of_a_run_is_no_markup(capsys, finished, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(finished, "old[/x]")
    for option in ("--once", "--strength"):
        code, out, _ = run(capsys, "watch", "old[/x]", option)
        assert (code, "old[/x]: it" in out) == (0, True)


def test_ctrl_c_shows_the_networks_that_are_measured(capsys, finished, monkeypatch):
    strength_of, asked = measuring.strength_of, []

    def until_the_third(network):
        asked.append(network)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return strength_of(network)

    monkeypatch.setattr(measuring, "strength_of", until_the_third)
    code, out, _ = run(capsys, "watch", finished, "--strength")
    assert (code, len(re.findall(r"│ +(\d) │ +[\d.]+ │", out))) == (130, 2)


def test_what_is_no_run_is_one_sentence(capsys, tmp_path):
    assert "There is no run '/no/such'." in refused(capsys, "watch", "/no/such")
    assert "There is no run with a network" in refused(capsys, "watch", tmp_path, "--strength")


@pytest.mark.parametrize(
    ("points", "drawn"),
    [
        ([(0, 0), (1, 7)], "▁  █"),
        ([(0, 0), (1, 1), (2, 2), (3, 3)], "▁▃▆█"),  # eighths 0, 2⅓, 4⅔, 7
        ([(0, 7), (0.1, 0), (4, 7)], "▁  █"),  # the first two fall together: 3.5
        ([(5, 3)], "   ▄"),
        ([(0, 2), (4, 2)], "▄  ▄"),
    ],
)
def test_a_curve_goes_from_the_lowest_to_the_highest(points, drawn):
    assert curve(points, width=4) == drawn
