"""Earlier networks of a run, to look at, to play and to match: ``runs/c4:64`` names one.

Strength grows with the logarithm of training, so they are kept at doubling iterations, with some
between: 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, … where there are two a doubling. That bounds them without
one ever being deleted: 16 in 240 iterations, 26 MB of the "medium" network; 40 in a million.
Only the weights are kept, not what a run would need to go on from there.
"""

from pathlib import Path

from azlearn.atomic_io import sweep
from azlearn.learning.files import SNAPSHOTS, is_snapshot_name


def should_keep_snapshot(iteration: int, per_doubling: int) -> bool:
    """Whether the network after ``iteration`` is one of the ``per_doubling``, or the very first."""
    if iteration == 0:
        return per_doubling > 0
    start = 1 << (iteration.bit_length() - 1)  # of the doubling that it lies in
    return iteration * per_doubling // start != (iteration - 1) * per_doubling // start


def snapshot_path(out: Path, iteration: int) -> Path:
    """Where the network after ``iteration`` is kept; its folder is made."""
    (out / SNAPSHOTS).mkdir(exist_ok=True)
    return out / SNAPSHOTS / f"{iteration}.safetensors"


def delete_snapshots_after(out: Path, iteration: int) -> None:
    """Deletes those after ``iteration``, from which a run goes on: it plays them again. And what a
    process that was killed has not finished.

    Raises:
        OSError: one cannot be deleted.
    """
    sweep(out / SNAPSHOTS)
    for path in (out / SNAPSHOTS).glob("*"):
        if is_snapshot_name(path) and int(path.stem) > iteration:
            path.unlink(missing_ok=True)
