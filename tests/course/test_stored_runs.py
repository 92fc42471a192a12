"""The runs that chapter 10 draws are those that their commands make; its table is the settings'."""

from dataclasses import replace

import pytest

from azlearn.course import recipes, seed_runs, setting_runs
from azlearn.course.small_training import GAME
from azlearn.learning import preset


@pytest.mark.parametrize("kind", seed_runs.KINDS)
def test_games_said_to_be_lost_are_lost(kind):
    """A line is a whole game by the rules; where there is none, the proof held."""
    runs = seed_runs.seed_runs()[kind]
    assert len(runs) == len(seed_runs.SEEDS)
    lines = [row["line"] for rows in runs for row in rows]
    for line in filter(None, lines):
        assert GAME.outcome(GAME.from_moves(line)) == -1
    assert None in lines
    assert any(lines)


def test_every_row_is_there():
    for runs in seed_runs.seed_runs().values():
        for rows in runs:
            games = [row["games"] for row in rows]
            assert games == list(range(128, 64 * seed_runs.ITERATIONS + 1, 128))
            assert all(0 <= row["alone"] <= 1 and 0.8 < row["searched"] <= 1 for row in rows)


def test_the_command_trains_the_kind_it_says(monkeypatch):
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
    found = setting_runs.train(setting_runs.CHANGES["gated"], 0)
    assert [("accepted" in row) for row in found["rows"]] == [False, True]
    stored = setting_runs.setting_runs()
    for name in setting_runs.CHANGES:
        assert [len(run["rows"]) for run in stored[name]] == [16] * len(setting_runs.SEEDS)
    resigned = [row["resigned"] for run in stored["resigning"] for row in run["rows"]]
    assert max(resigned) > 0.1
    assert not any(row["resigned"] for run in stored["as it is"] for row in run["rows"])


def test_the_recipe_follows_the_settings(monkeypatch):
    """Every row has three columns; azlearn's change with its settings."""
    table = recipes.recipe_table()
    lines = table.splitlines()[:-2]  # a note ends it
    assert {line.count("|") for line in lines} == {5}
    assert "| batch | 2,048 | 4,096 | 128 |" in table
    changed = replace(preset("connect4", "cpu"), batch_size=96, gate_games=40)
    monkeypatch.setattr(recipes, "preset", lambda game, name: changed)
    assert "| batch | 2,048 | 4,096 | 96 |" in recipes.recipe_table()
    assert "| gate | 55 % of 400 games | none | 40 |" in recipes.recipe_table()
