"""The runs that chapter 10 draws are those that their programs make; its table is the settings'."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from azlearn.alphago import ExpertSettings
from azlearn.alphago.fitting import measured
from azlearn.course import recipes, stored_runs
from azlearn.learning import Budget, Training, preset
from tools import seed_runs, setting_runs, two_teachers, window_runs
from tools.training_runs import GAME


@pytest.mark.parametrize("kind", seed_runs.KINDS)
def test_seeds_every_row_is_there_and_games_said_to_be_lost_are_lost(kind):
    """A line is a whole game by the rules; where there is none, the proof held."""
    runs = stored_runs.seed_runs()[kind]
    assert len(runs) == len(seed_runs.SEEDS)
    for rows in runs:
        games = list(range(128, 64 * seed_runs.ITERATIONS + 1, 128))
        assert [row["games"] for row in rows] == games
        assert all(0 <= row["alone"] <= 1 and 0.8 < row["searched"] <= 1 for row in rows)
    lines = [row["line"] for rows in runs for row in rows]
    assert None in lines
    assert {GAME.outcome(GAME.from_moves(line)) for line in filter(None, lines)} == {-1}


def test_seeds_the_program_trains_the_kind_it_says(monkeypatch):
    """Two iterations: as many games as are said, and none after an opening where there are none."""
    monkeypatch.setattr(seed_runs, "ITERATIONS", 2)
    started = []

    class Watched(seed_runs.WithoutOpenings):
        def opening(self):
            started.append(super().opening())
            return started[-1]

    (row,) = seed_runs.train(Watched, 0)
    assert row["games"] == len(started) == 128
    assert set(started) == {GAME.initial_state()}
    assert row["line"] is None or GAME.outcome(GAME.from_moves(row["line"])) == -1


def test_settings_are_tried_as_they_are_named(monkeypatch):
    monkeypatch.setattr(setting_runs, "ITERATIONS", 2)
    found = setting_runs.train("gated", 0)
    assert [("accepted" in row) for row in found["rows"]] == [False, True]
    stored = stored_runs.setting_runs()
    for name in setting_runs.CHANGES:
        assert [len(run["rows"]) for run in stored[name]] == [16] * len(setting_runs.SEEDS)
    resigned = [row["resigned"] for run in stored["resigning"] for row in run["rows"]]
    assert max(resigned) > 0.1
    assert not any(row["resigned"] for run in stored["as it is"] for row in run["rows"])


@pytest.mark.parametrize("name", window_runs.CHANGES)
def test_windows_every_row_is_there_and_the_change_is_made(name):
    runs = stored_runs.window_runs()[name]
    assert [len(rows) for rows in runs] == [window_runs.ITERATIONS // 2] * len(window_runs.SEEDS)
    assert runs[0][-1]["games"] == 64 * window_runs.ITERATIONS
    training = window_runs.kind(name)(GAME)
    assert {key: getattr(training, key) for key in window_runs.CHANGES[name]} == (
        window_runs.CHANGES[name]
    )
    training.keep([None] * 3000)
    assert len(training.replay) == min(3000, training.window)


@pytest.fixture
def small(monkeypatch, tmp_path):
    """A few games of poor experts, and settings for seconds."""
    changes = {
        "num_games": 16, "moves_per_iteration": 400, "first_window": 100, "first_simulations": 2,
        "simulations": 4, "seed": 3,
    }  # fmt: skip
    monkeypatch.setattr(two_teachers, "SETTINGS", two_teachers.SETTINGS.with_changes(changes))
    monkeypatch.setattr(two_teachers, "EXPERTS", ExpertSettings(num_games=60, levels=(5, 10)))
    monkeypatch.setattr(two_teachers, "ANCHOR", 10)
    return two_teachers.experts(tmp_path / "games")


@pytest.mark.slow
def test_both_teachers_begin_with_the_same_weights_and_are_measured(small, tmp_path):
    first = two_teachers.first_network(3)
    other = Training(two_teachers.SETTINGS, Budget(iterations=1), tmp_path).network
    for ours, theirs in zip(first.parameters(), other.parameters(), strict=True):
        assert torch.equal(ours, theirs)

    minutes = (0.002, 0.01)
    teachers = {
        "experts": two_teachers.by_experts(small.train, 3, minutes),
        "itself": two_teachers.by_itself(3, minutes),
    }
    found = two_teachers.measured(first, teachers, small.held_out, games=2)
    assert found["experts"][0] == found["itself"][0]
    for name, taught in teachers.items():
        for row, (minute, network) in zip(found[name][1:], taught, strict=True):
            assert row["minutes"] == round(minute, 2)
            assert np.isfinite(row["elo"])
            assert not torch.equal(network.stem[0].weight, first.stem[0].weight)
            for head, key in (("policy", "accuracy"), ("value", "value_error")):
                seen = measured(two_teachers.GAME, network, small.held_out, head)
                right = seen.accuracy if head == "policy" else seen.loss
                assert row[key] == pytest.approx(right, abs=2e-3)


@pytest.mark.slow
def test_experts_games_teach(small):
    """On the very positions that it learns from, within seconds."""
    first = two_teachers.predictions(two_teachers.first_network(0), small.train)
    (taught,) = two_teachers.by_experts(small.train, 0, (0.15,))
    learnt = two_teachers.predictions(taught.network, small.train)
    assert learnt["accuracy"] > first["accuracy"] + 0.05
    assert learnt["value_error"] < first["value_error"]


def test_the_teachers_stored_runs_show_what_chapter_10_says_of_them():
    """Experts' moves and results are predicted better by their pupil; its lead in Elo is lost."""
    runs, minutes = stored_runs.two_teachers(), stored_runs.MINUTES
    assert len(runs) == len(two_teachers.SEEDS)
    for run in runs:
        assert run["experts"][0] == run["itself"][0]  # the first network, taught by nobody
        for rows in run.values():
            for row, minute in zip(rows, (0.0, *minutes), strict=True):
                assert minute <= row["minutes"] + 0.005 <= minute + 0.3
            # 1/7 of the moves are found at random; the results are -1 and 1, v = 0 errs by about 1.
            assert 1 > rows[-1]["accuracy"] > 0.3
            assert 0 < rows[-1]["value_error"] < rows[0]["value_error"]
            assert rows[-1]["elo"] > rows[0]["elo"]
        taught, alone = run["experts"], run["itself"]
        assert taught[-1]["accuracy"] > alone[-1]["accuracy"]
        assert taught[-1]["value_error"] < alone[-1]["value_error"]
        leads = [one["elo"] - other["elo"] for one, other in zip(taught, alone, strict=True)][1:]
        assert all(lead > 0 for minute, lead in zip(minutes, leads, strict=True) if minute <= 2)
        assert leads[0] > 50
        assert leads[-1] < 0


def test_the_recipe_follows_the_settings(monkeypatch):
    """Every row has three columns; azlearn's change with its settings."""
    table = recipes.recipe_table()
    lines = table.splitlines()[:-2]  # a note ends it
    assert {line.count("|") for line in lines} == {5}
    assert "| batch | 2,048 | 4,096 | 128 |" in table
    changed = replace(preset("connect4", "cpu"), batch_size=96, gate_games=40)
    monkeypatch.setattr(recipes, "preset", lambda game, name: changed)
    assert "| batch | 2,048 | 4,096 | 96 |" in recipes.recipe_table()
    assert "| gate | 55% of 400 games | none | 40 |" in recipes.recipe_table()
