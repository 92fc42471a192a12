"""Snapshots: earlier networks of a run, to inspect and to play; ``runs/c4:64`` names one.

Strength grows with the logarithm of training, so they are kept at doubling iterations, with some
between: 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, … if there are two per doubling. This limits their number
without deleting any: 16 in 240 iterations, or 26 MB of the "medium" network; 40 in a million.
A snapshot contains only the weights, so a run cannot resume from it.
"""

from pathlib import Path

from azlearn.atomic_io import sweep
from azlearn.learning.files import SNAPSHOTS, is_snapshot_name


def should_keep_snapshot(iteration: int, per_doubling: int) -> bool:
    """Returns whether to keep the network after ``iteration``, if ``per_doubling`` are kept."""
    if iteration == 0:
        return per_doubling > 0
    start = 1 << (iteration.bit_length() - 1)  # the first iteration of its doubling
    return iteration * per_doubling // start != (iteration - 1) * per_doubling // start


def snapshot_path(out: Path, iteration: int) -> Path:
    """Returns the path of the snapshot after ``iteration``; creates its folder."""
    (out / SNAPSHOTS).mkdir(exist_ok=True)
    return out / SNAPSHOTS / f"{iteration}.safetensors"


def delete_snapshots_after(out: Path, iteration: int) -> None:
    """Deletes snapshots after ``iteration``, which a resumed run will create again.

    Unfinished files left by a killed process are deleted, too.

    Raises:
        OSError: a file cannot be deleted.
    """
    sweep(out / SNAPSHOTS)
    for path in (out / SNAPSHOTS).glob("*"):
        if is_snapshot_name(path) and int(path.stem) > iteration:
            path.unlink(missing_ok=True)
