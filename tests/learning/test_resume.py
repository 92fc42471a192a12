"""A run that was interrupted goes on as if it never had been: equal to the last bit."""

import numpy as np
import pytest
import torch

from azlearn.learning import Budget, Training, TrainingStopped
from azlearn.learning.checkpoint import read_summary
from tests.learning.tiny_runs import SETTINGS, assert_same, contents, run


def every_third(iteration: int) -> bool:
    """A gate: the networks after iterations 1, 4 and 7 may play."""
    return iteration % 3 == 1


VARIANTS = {
    "plain": {},
    "gate": {"gate_games": 2, "gate_every": 1},
    "resignation": {"resign_rate": 0.4, "played_out_fraction": 0.5, "moves_per_iteration": 160},
    "bfloat16": {"precision": "bfloat16"},
    "search": {
        "search": "gumbel", "use_solver": True, "full_search_prob": 0.4, "fast_simulations": 2,
        "simulations": 12, "first_simulations": 12, "surprise_fraction": 0.5,
        "final_batch_size": 32, "moves_per_iteration": 80,
    },
    "sgd": {"optimizer": "sgd", "learning_rate": 0.05, "weight_decay": 0.0, "l2": 1e-4},
}  # fmt: skip


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    """The folder of a whole run, and its reports, by variant."""
    known = {}

    def of(variant):
        if variant not in known:
            out, rows = tmp_path_factory.mktemp(variant), []
            settings = SETTINGS.with_changes(VARIANTS[variant])
            run(out, settings=settings, gate=every_third, report=rows.append)
            known[variant] = out, rows
        return known[variant]

    return of


@pytest.mark.parametrize(
    ("variant", "stop_after"),
    [
        *(("plain", number) for number in (0, 1, 7)),
        *((variant, 5) for variant in VARIANTS if variant != "plain"),
    ],
)
def test_a_resumed_run_ends_like_an_uninterrupted_one(uninterrupted, tmp_path, variant, stop_after):
    whole, rows = uninterrupted(variant)
    settings = SETTINGS.with_changes(VARIANTS[variant])
    stopped = run(tmp_path, settings=settings, stop_after=stop_after, gate=every_third)
    assert stopped.counters.iteration == stop_after

    torch.manual_seed(stop_after)  # no global generator has a say
    np.random.seed(stop_after)  # noqa: NPY002
    again = []
    run(tmp_path, gate=every_third, report=again.append)
    assert_same(whole, tmp_path)
    for row, expected in zip(again, rows[stop_after:], strict=True):
        timeless = {name for name in row if "second" not in name and name != "minutes"}
        assert {n: row[n] for n in timeless} == {n: expected[n] for n in timeless}


def test_the_variants_do_what_they_are_for(uninterrupted):
    assert [row["accepted"] for row in uninterrupted("gate")[1]] == [1, 0, 0, 1, 0, 0, 1, 0]
    assert sum(row["resigned"] for row in uninterrupted("resignation")[1][:2]) == 0
    assert sum(row["resigned"] for row in uninterrupted("resignation")[1][6:]) > 0
    replay = uninterrupted("plain")[1]
    assert replay[0]["replay"] < 50 < 60 == replay[-1]["replay"]
    assert replay[0]["steps"] == 0 < replay[3]["steps"]  # interrupted before and after learning
    files = {variant: contents(uninterrupted(variant)[0]) for variant in VARIANTS}
    assert sum(row["decided"] for row in uninterrupted("search")[1]) > 0
    weights = {content["training.safetensors"] for content in files.values()}
    assert len(weights) == len(VARIANTS)


def test_what_comes_after_the_last_checkpoint_is_played_again(uninterrupted, tmp_path):
    run(tmp_path, stop_after=3)

    def fail(row):
        if row["iteration"] == 6:
            raise MemoryError

    with pytest.raises(TrainingStopped):
        run(tmp_path, report=fail)
    assert read_summary(tmp_path)["counters"]["iteration"] == 3
    run(tmp_path)
    assert_same(uninterrupted("plain")[0], tmp_path)


def test_a_new_run_in_the_folder_of_another_is_refused_and_changes_nothing(tmp_path):
    run(tmp_path, iterations=1)
    files = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    with pytest.raises(ValueError, match=r"already contains a run. Continue it with Training\.res"):
        Training(SETTINGS, Budget(iterations=1), tmp_path).run()
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.*")} == files


def test_a_new_budget_counts_from_the_beginning(tmp_path):
    run(tmp_path, iterations=3)
    more = Training.resumed(tmp_path, Budget(iterations=5))
    assert more.run().iteration == 5
    assert Training.resumed(tmp_path).budget == Budget(iterations=5)
    minutes = more.counters.minutes
    training = Training.resumed(tmp_path, Budget(minutes=minutes + 1 / 60))
    spent = []
    training.hooks.report = lambda row: spent.append(row["spent"])
    assert minutes + 1 / 60 <= training.run().minutes < minutes + 1
    assert spent == sorted(spent)
    assert spent[0] > minutes / (minutes + 1 / 60)
