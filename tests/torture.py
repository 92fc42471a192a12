"""Kills `azlearn train` a thousand times, and shows that each time all but a moment was kept.

    python -m tests.torture --kills 1000 --seed 0

A kill comes at a file operation, where half a write gets through, or at any instant; between them
the disk fills up, and a second command wants the same folder. After each the checkpoint is read,
the log is counted, and the run goes on; in the end it has come to the same bits as one left alone.
"""

import argparse
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

import numpy as np

from azlearn.learning import Training, load_network, read_log
from azlearn.learning.ranks import Ranks
from tests.learning.children import Command
from tests.learning.tiny_runs import AS_OPTIONS, assert_same

ITERATIONS = 30
OPERATIONS = 90  # of files, in about three iterations, each with a checkpoint
DISK = 8 << 20  # bytes
NOTES = ("notes.txt", "2024/notes.txt", "000001/notes.txt")  # of the reader, in a run's folder
NEW = ["train", "--game", "tictactoe", "--iterations", ITERATIONS, "--checkpoint-minutes", 0]
TINY = ["simulations=4", "first_simulations=2", "moves_per_iteration=12", "kept_networks=1"]


class Fault(AssertionError):
    """Something was lost; the message says what."""


@dataclass
class Row:
    """What came of all kills of a kind."""

    kills: int = 0
    lost: int = 0  # iterations, at most, that are in the log but not in the checkpoint
    faults: list[str] = field(default_factory=list)


def torture(
    kills: int, seed: int, disk: Path, tell: Callable[[int], None] = lambda done: None
) -> dict[str, Row]:
    """What came of so many kills, by their kind; all are drawn with ``seed``.

    Args:
        disk: an empty folder, if possible on a disk of ``DISK`` bytes.
    """
    rng, table, done, number = np.random.default_rng(seed), {}, 0, 0
    whole: dict[int, Path] = {}  # by the number of ranks: a run left alone
    with TemporaryDirectory(prefix="azlearn-torture-") as folder:
        while done < kills:
            num_ranks = 1 + int(rng.random() < 0.25)
            if num_ranks not in whole:
                whole[num_ranks] = Path(folder) / f"whole{num_ranks}"
                ended = Command(*_begin(whole[num_ranks], num_ranks)).finish()
                assert ended.code == 0, ended
            out, number = disk / f"run{number}", number + 1
            run = _Run(out, num_ranks, rng, table)
            while not run.is_finished:
                run.one_more()
                tell(done + run.kills)
            done += run.kills
            _note(table, "runs to the end", 0, partial(_compare, whole[num_ranks], out))
            shutil.rmtree(out)
    return table


def _begin(out: Path, num_ranks: int) -> list:
    return [*NEW, "--ranks", num_ranks, "--out", out, "--set", *AS_OPTIONS, *TINY]


def _note(table: dict[str, Row], kind: str, kills: int, lost: Callable[[], int]) -> None:
    row = table.setdefault(kind, Row())
    row.kills += kills
    try:
        row.lost = max(row.lost, lost())
    except (Fault, AssertionError, ValueError, OSError) as error:
        row.faults.append(f"{kind}: {error}")


def _compare(whole: Path, out: Path) -> int:
    assert_same(whole, out)
    for name in NOTES:
        if not (out / name).is_file():
            raise Fault(f"the reader's {name} is gone")
    return 0


class _Run:
    """A run that is killed until it comes to its end."""

    def __init__(self, out: Path, num_ranks: int, rng: np.random.Generator, table: dict) -> None:
        self.out, self.num_ranks, self._rng, self._table = out, num_ranks, rng, table
        self.kills, self.is_finished, self._saved = 0, False, 0

    def one_more(self) -> None:
        kinds = (self._at_an_operation, self._at_an_instant, self._on_a_full_disk, self._by_another)
        kinds[self._rng.choice(4, p=(0.5, 0.4, 0.06, 0.04))]()
        if (self.out / "checkpoint.json").exists():
            for name in NOTES:
                (self.out / name).parent.mkdir(exist_ok=True)
                (self.out / name).touch()

    def _start(self, **trouble) -> Command:
        has_begun = (self.out / "checkpoint.json").exists()
        again = ["train", "--resume", self.out, "--checkpoint-minutes", 0]
        return Command(*(again if has_begun else _begin(self.out, self.num_ranks)), **trouble)

    def _at_an_operation(self) -> None:
        ended = self._start(kill_at=int(self._rng.integers(OPERATIONS))).finish()
        last = ended.out.splitlines()[-1] if ended.code == -9 and ended.out else "?"
        self._ended(f"at: {last.split()[0]}", ended.code, ended.err)

    def _at_an_instant(self) -> None:
        command = self._start()
        command.wait(self._rng.uniform(0, 1))
        with suppress(ProcessLookupError):  # it has come to its end
            command.kill(all_ranks=self.num_ranks == 1 or self._rng.random() < 0.5)
        ended = command.finish()
        self._ended("at any instant", ended.code, ended.err)

    def _on_a_full_disk(self) -> None:
        """It ends in a sentence."""
        free, ballast = int(self._rng.integers(200_000)), self.out.parent / "ballast"
        if _is_small(self.out.parent):
            ballast.write_bytes(bytes(max(0, shutil.disk_usage(self.out.parent).free - free)))
            ended = self._start().finish()
            ballast.unlink()
        else:
            ended = self._start(file_size=free).finish()
        told = ("No space left" in ended.err or "File too large" in ended.err) and (
            "Traceback" not in ended.err
        )
        self._ended("disk full", -9 if ended.code == 2 and told else ended.code, ended.err)

    def _by_another(self) -> None:
        """A second command is refused; the first is killed."""
        before, command = len(read_log(self.out)), self._start()
        while len(read_log(self.out)) <= before and command.processes():  # until it has the folder
            command.wait(0.02)
        again = Command("train", "--resume", self.out).finish()
        was_running = bool(command.processes())
        with suppress(ProcessLookupError):
            command.kill()
        ended = command.finish()
        if was_running and (again.code != 2 or "is in use" not in again.err):
            raise Fault(f"two at once: {again}")
        self._ended("beside another", ended.code, ended.err)

    def _ended(self, kind: str, code: int, err: str) -> None:
        if code == 0:
            self.is_finished = True
            if left := list(self.out.rglob("*.partial")):
                raise Fault(f"{left} is left")
            return
        self.kills += 1
        _note(self._table, kind, 1, lambda: self._lost(code, err))

    def _lost(self, code: int, err: str) -> int:
        """Iterations that the log knows and the checkpoint does not."""
        if code != -9 or "Traceback" in err:
            self.is_finished = True  # it would go on like this for ever
            raise Fault(f"exit code {code}: {err[-2000:]}")
        if not (self.out / "checkpoint.json").exists():
            if self._saved:
                raise Fault("there is no checkpoint any more")
            return 0
        rows = [row["iteration"] for row in read_log(self.out)]
        load_network(self.out)
        for rank in range(self.num_ranks):
            saved = Training.resumed(self.out, ranks=Ranks(rank, self.num_ranks)).counters.iteration
        if saved < self._saved:
            raise Fault(f"back from iteration {self._saved} to {saved}")
        self._saved, self.is_finished = saved, saved == ITERATIONS
        if rows != list(range(1, len(rows) + 1)) or len(rows) < saved:
            raise Fault(f"iteration {saved} with the rows {rows}")
        return len(rows) - saved


def _is_small(disk: Path) -> bool:
    return shutil.disk_usage(disk).total <= DISK


@contextmanager
def small_disk() -> Iterator[Path]:
    """A disk that fills up, where this user may have one; else a folder on a large one."""
    with TemporaryDirectory(prefix="azlearn-disk-") as folder:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", folder]
        is_small = (
            shutil.which("mount") and not subprocess.run(mount, capture_output=True).returncode
        )
        try:
            yield Path(folder)
        finally:
            if is_small:
                subprocess.run(["umount", "--lazy", folder], check=True)


def as_text(table: dict[str, Row], seconds: float) -> str:
    """The table, and every fault below it."""
    lines = [f"{'killed':<22} {'kills':>6} {'lost at most':>13} {'faults':>7}"]
    for kind, row in sorted(table.items()):
        lines.append(f"{kind:<22} {row.kills:>6} {row.lost:>13} {len(row.faults):>7}")
    kills, faults = (sum(row.kills for row in table.values()), faults_of(table))
    lost = max(row.lost for row in table.values())
    lines.append(f"{'all':<22} {kills:>6} {lost:>13} {len(faults):>7}   in {seconds:.0f} s")
    return "\n".join([*lines, *faults])


def faults_of(table: dict[str, Row]) -> list[str]:
    """All that was lost or wrong."""
    return [fault for row in table.values() for fault in row.faults]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options, started = parser.parse_args(), monotonic()

    def tell(done: int) -> None:
        if done % 50 == 0:
            print(f"{done} kills", file=sys.stderr, flush=True)

    with small_disk() as disk:
        table = torture(options.kills, options.seed, disk, tell)
    print(as_text(table, monotonic() - started))
    return int(bool(faults_of(table)))


if __name__ == "__main__":
    sys.exit(main())
