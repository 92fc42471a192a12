"""The rows of a run on the disk, and TensorBoard's copy of them."""

import json

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from azlearn.learning import RunLog, read_log


def row(iteration, loss=0.5):
    return {"iteration": iteration, "loss": loss, "accepted": True}


def written(out, iterations):
    log = RunLog(out)
    for iteration in iterations:
        log.add(row(iteration, loss=1 / iteration))


def curve(out, name):
    """The (step, value) pairs that TensorBoard shows."""
    events = EventAccumulator(str(out / "tensorboard"))
    events.Reload()
    return [(event.step, event.value) for event in events.Scalars(name)]


def test_rows_come_back_as_they_went_and_tensorboard_has_them_too(tmp_path):
    assert read_log(tmp_path) == []
    written(tmp_path, (1, 2, 4))
    assert read_log(str(tmp_path)) == [row(1, 1.0), row(2, 0.5), row(4, 0.25)]
    assert curve(tmp_path, "loss") == [(1, 1.0), (2, 0.5), (4, 0.25)]
    assert curve(tmp_path, "accepted") == [(1, 1.0), (2, 1.0), (4, 1.0)]


def test_what_comes_after_the_checkpoint_is_dropped_and_played_again(tmp_path):
    """A run that was killed in iteration 5 goes on from the checkpoint of iteration 3."""
    written(tmp_path, [1, 2, 3, 4, 5])
    log = RunLog(tmp_path, iteration=3)
    assert [r["iteration"] for r in read_log(tmp_path)] == [1, 2, 3, 4, 5]  # it may yet fail
    for iteration in (4, 5, 6):
        log.add(row(iteration, loss=10.0))
    losses = [(r["iteration"], r["loss"]) for r in read_log(tmp_path)]
    assert losses == [(1, 1), (2, 1 / 2), (3, 1 / 3), (4, 10.0), (5, 10.0), (6, 10.0)]
    assert curve(tmp_path, "loss")[3:] == [(4, 10.0), (5, 10.0), (6, 10.0)]


@pytest.mark.parametrize(
    "damaged",
    [b"\xff" + json.dumps(row(2)).encode(), json.dumps(row(2)).encode()[:-9], b"[]"],
    ids=["no text", "cut short", "another kind"],
)
def test_a_damaged_line_is_kept_beside_and_no_row_is_lost(tmp_path, damaged):
    written(tmp_path, [1, 2, 3, 4])
    path, aside = tmp_path / "log.jsonl", tmp_path / "log.jsonl.unreadable"
    first, _, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([first, damaged + b"\n", *rest]))
    assert [r["iteration"] for r in read_log(tmp_path)] == [1, 3, 4]
    log = RunLog(tmp_path, iteration=4)
    assert not aside.exists()
    with pytest.warns(UserWarning, match=r"Unreadable lines of .*log\.jsonl \(1\) .*\.unreadable"):
        log.add(row(5))
    assert [r["iteration"] for r in read_log(tmp_path)] == [1, 3, 4, 5]
    assert aside.read_bytes() == damaged + b"\n"
