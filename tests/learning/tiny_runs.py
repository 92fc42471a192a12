"""Training runs of a second or two, and a comparison of their checkpoints."""

import json
from pathlib import Path

from azlearn.learning import Budget, Hooks, Training, TrainSettings, preset
from azlearn.learning.checkpoint import read_summary

# Training starts in the third iteration and the replay buffer slides from the fifth.
SETTINGS = preset("tictactoe", "cpu").with_changes(
    {
        "num_games": 4, "simulations": 8, "first_simulations": 4, "moves_per_iteration": 40,
        "window": 60, "first_window": 50, "batch_size": 16, "precision": "float32",
        "snapshots_per_doubling": 0,
    }
)  # fmt: skip
AS_OPTIONS = [
    f"{name}={value}"
    for name, value in vars(SETTINGS).items()
    if value != getattr(preset("tictactoe", "cpu"), name)
]


def run(
    out: Path,
    *,
    iterations: int = 8,
    stop_after: int | None = None,
    settings: TrainSettings = SETTINGS,
    report=lambda row: None,
    gate=None,
) -> Training:
    """Starts or resumes the run in ``out``; stops after iteration ``stop_after``.

    ``gate(iteration)`` says whether the network after that iteration may play.
    """
    if (out / "checkpoint.json").exists():
        training = Training.resumed(out)
    else:
        out.mkdir(exist_ok=True)
        training = Training(settings, Budget(iterations=iterations), out)

    def report_and_stop(row: dict) -> None:
        training.stopping = row["iteration"] == stop_after
        report(row)

    training.hooks = Hooks(
        report=report_and_stop, gate=lambda *_: gate(training.counters.iteration)
    )
    training.stopping = stop_after == 0
    training.run()
    return training


def contents(out: Path) -> dict:
    """The contents of the checkpoint in ``out``, except times."""
    summary = read_summary(out)
    files = sorted((out / summary["folder"]).iterdir())
    for name in ("minutes", "last_measured"):
        del summary["counters"][name]
    return summary | {file.name: file.read_bytes() for file in files}


def assert_same(out: Path, other: Path) -> None:
    """Checks that the checkpoints of two runs are equal, bit for bit."""
    mine, theirs = contents(out), contents(other)
    differing = [name for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name)]
    assert differing == []


def edit_summary(out: Path, change) -> None:
    """Rewrites ``checkpoint.json`` after ``change(summary)``, as older versions wrote it."""
    path = out / "checkpoint.json"
    summary = json.loads(path.read_text())
    summary.pop("checksum", None)
    change(summary)
    path.write_text(json.dumps(summary))
