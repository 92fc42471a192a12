"""The two trainings that chapter 10 compares are those that their command makes."""

import numpy as np
import pytest
import torch

from azlearn.alphago import ExpertSettings
from azlearn.alphago.fitting import measured
from azlearn.course import two_teachers
from azlearn.learning import Budget, Training


@pytest.fixture
def small(monkeypatch, tmp_path):
    """A few games of poor experts, and settings for seconds."""
    changes = {
        "num_games": 16, "moves_per_iteration": 400, "first_window": 100, "first_simulations": 2,
        "simulations": 4,
    }  # fmt: skip
    monkeypatch.setattr(two_teachers, "SETTINGS", two_teachers.SETTINGS.with_changes(changes))
    monkeypatch.setattr(two_teachers, "EXPERTS", ExpertSettings(num_games=60, levels=(5, 10)))
    monkeypatch.setattr(two_teachers, "ANCHOR", 10)
    return two_teachers.experts(tmp_path / "games")


@pytest.mark.slow
def test_both_begin_with_the_same_weights_and_are_measured(small, tmp_path):
    first = two_teachers.first_network(3)
    settings = two_teachers.SETTINGS.with_changes({"seed": 3})
    other = Training(settings, Budget(iterations=1), tmp_path).network
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
        assert len(found[name]) == 1 + len(taught)
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


def test_the_stored_runs_are_whole():
    runs = two_teachers.two_teachers()
    assert len(runs) == len(two_teachers.SEEDS)
    for run in runs:
        assert run["experts"][0] == run["itself"][0]  # the first network, taught by nobody
        for rows in run.values():
            wanted = (0.0, *two_teachers.MINUTES)
            for row, minute in zip(rows, wanted, strict=True):
                assert minute <= row["minutes"] + 0.005 <= minute + 0.3
                assert 0 < row["accuracy"] < 1
                assert 0 < row["value_error"] < 4
            # 1/7 of the moves are found at random; the results are -1 and 1, v = 0 errs by about 1.
            assert rows[-1]["accuracy"] > 0.3
            assert rows[-1]["value_error"] < rows[0]["value_error"]
            assert rows[-1]["elo"] > rows[0]["elo"]


def test_the_stored_runs_show_what_chapter_10_says_of_them():
    """Experts' moves and results are predicted better by their pupil; its lead in Elo is lost."""
    for run in two_teachers.two_teachers():
        taught, alone = run["experts"][-1], run["itself"][-1]
        assert taught["accuracy"] > alone["accuracy"]
        assert taught["value_error"] < alone["value_error"]
        pairs = list(zip(run["experts"], run["itself"], strict=True))[1:]
        leads = [taught["elo"] - alone["elo"] for taught, alone in pairs]
        by_minute = dict(zip(two_teachers.MINUTES, leads, strict=True))
        assert all(lead > 0 for minute, lead in by_minute.items() if minute <= 2)
        assert leads[0] > 50
        assert leads[-1] < 0
