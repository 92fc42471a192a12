"""Scaling: measures one and two processes here, and estimates runs on up to 1,000 GPUs.

    python benchmarks/scaling.py [--iterations 12] [--rounds 3] [--no-measuring]

First `azlearn train` runs with one process and with two, in turn; its log gives games, moves and
steps per second. Then the script counts the bytes of a gradient, a position and a checkpoint. From
these it simulates a run of the preset ``gpu``, iteration by iteration. The speed of a GPU was
measured on one GPU; machines and links are *assumed* (``Assumed``). In each iteration every GPU
plays its moves, which takes some a little longer than others, and all wait for the last; then come
the training steps, each with averaged gradients. The tables of the second part are estimates:
nobody has run this on several GPUs.
"""

import argparse
import subprocess
import sys
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log2
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch

from azlearn.learning import SIZES, ReplayBuffer, ResNet, TrainSettings, preset, read_log
from azlearn.machine import num_cores

BATCH = 128
SMALL = (
    "network=small", "precision=float32", "num_games=64", "simulations=16",
    "first_simulations=16", "moves_per_iteration=256", "window=20000", "first_window=500",
    f"batch_size={BATCH}",
)  # fmt: skip


@dataclass(frozen=True)
class Assumed:
    """A cluster of H100s.

    The speed of one GPU was measured on one. Links and disks are assumed to reach usual fractions
    of their data sheets' peaks.
    """

    moves: float = 48_600  # per GPU and second: 128 simulations, 64x4, the end of `connect4_gpu`
    spread: float = 0.02  # deviation of a GPU's time for its moves, as a fraction of the mean
    step: float = 1.03e-3  # seconds for a recorded step without positions, and …
    position: float = 0.73e-6  # … for each of its positions: measured with 128 and with 1,024
    launched_step: float = 11e-3  # the least for a step launched from Python, as with several GPUs
    # (measured with 1,024 positions, without averaging)
    gpus: int = 8  # per machine
    nvlink: float = 300e9  # bytes per second and GPU, within a machine
    network: float = 25e9  # bytes per second and machine (200 Gbit/s)
    disk: float = 1e9  # bytes per second and machine, until they are on the disk
    shared_disk: float = 20e9  # bytes per second, for all machines together
    nvlink_delay: float = 3e-6  # seconds
    network_delay: float = 15e-6


@dataclass(frozen=True)
class Counted:
    """Bytes and operations of the preset, counted from its own tensors."""

    gradient: int  # bytes that a step averages
    training: int  # bytes of weights and Adam's moments
    position: int  # bytes per position in the replay buffer and in a checkpoint
    flops: float  # forward and backward, per position

    @classmethod
    def of(cls, settings: TrainSettings) -> "Counted":
        game = settings.make_game()
        network = ResNet(game, **SIZES[settings.network], value_norm=settings.value_norm)
        parameters = sum(p.numel() * p.element_size() for p in network.parameters())
        samples = ReplayBuffer(game, 1)._store
        position = sum(part.numel() * part.element_size() for part in samples)
        return cls(parameters, 3 * parameters, position, 3 * forward_flops(game, network))


def forward_flops(game, network: ResNet) -> int:
    """The number of multiplications and additions for one position, counted by torch."""
    from torch.utils.flop_counter import FlopCounterMode

    states = game.stack([game.initial_state()])
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        planes = game.batch_encode(type(states)(*(torch.as_tensor(word) for word in states)))
        network.eval()(planes)
    return counter.get_total_flops()


def all_reduce(size: float, num_gpus: int, at: Assumed) -> float:
    """Seconds for an all-reduce: within machines, between them (ring or tree), within again."""
    local, machines = min(num_gpus, at.gpus), ceil(num_gpus / at.gpus)
    seconds = 2 * (local - 1) / local * size / at.nvlink + 2 * (local - 1) * at.nvlink_delay
    if machines > 1:
        seconds += 2 * (machines - 1) / machines * size / at.network
        seconds += 2 * ceil(log2(machines)) * at.network_delay
    return seconds


def played_through(settings, counted: Counted, num_gpus: int, batch: float, at: Assumed) -> dict:
    """Simulates 100 iterations on ``num_gpus`` GPUs with ``batch`` positions per GPU and step."""
    rng, iterations = np.random.default_rng(0), 100
    mean = settings.moves_per_iteration / at.moves
    play = mean * (1 + at.spread * rng.standard_normal((iterations, num_gpus)))
    steps = settings.moves_per_iteration * settings.samples_per_position / batch  # per iteration
    compute = at.step + batch * at.position
    if num_gpus > 1:
        compute = max(compute, at.launched_step)
    reduce = all_reduce(counted.gradient, num_gpus, at)
    seconds = play.max(axis=1).sum() + iterations * steps * (compute + reduce)
    return {
        "moves": iterations * settings.moves_per_iteration * num_gpus / seconds,
        "batch": batch * num_gpus,
        "steps": iterations * steps / seconds,
        "waiting": (play.max(axis=1) - play.mean(axis=1)).sum() / seconds,
        "reducing": iterations * steps * reduce / seconds,
        "reduce": reduce,
    }


def checkpoint_seconds(settings, counted: Counted, num_gpus: int, at: Assumed) -> dict:
    """The bytes of a whole checkpoint, and the seconds to write it, during which all wait."""
    machines, part = ceil(num_gpus / at.gpus), counted.position * settings.window
    whole = part * num_gpus + counted.training
    return {"whole": whole, "shared": whole / min(at.shared_disk, at.disk * machines)}


def measured(iterations: int, rounds: int) -> dict[int, dict[str, float]]:
    """For each number of processes, the highest speeds of any iteration.

    The highest, because other programs can only slow a run. The first three iterations, which
    compile, do not count.
    """
    rows: dict[int, list[dict]] = {1: [], 2: []}
    with TemporaryDirectory() as folder:
        for number in range(rounds):
            for ranks, found in rows.items():
                out = Path(folder) / f"{ranks}-{number}"
                command = [sys.executable, "-m", "azlearn.cli", "train", "--out", str(out)]
                command += ["--iterations", str(iterations), "--ranks", str(ranks), "--set", *SMALL]
                subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
                for before, row in pairwise(read_log(out)[2:]):
                    steps = (row["steps"] - before["steps"]) / row["learn_seconds"]
                    found.append(row | {"steps_per_second": steps})
    figures = {
        "games": "games_per_second",
        "moves": "moves_per_second",
        "steps": "steps_per_second",
    }
    return {
        ranks: {name: max(row[figure] for row in found) for name, figure in figures.items()}
        for ranks, found in rows.items()
    }


def table(title: str, head: list[str], rows: list[list[str]]) -> None:
    """Prints a table in Markdown."""
    print(f"\n{title}\n\n| {' | '.join(head)} |\n|{'---:|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def report_measured(found: dict[int, dict[str, float]]) -> None:
    rows = []
    for ranks, speeds in found.items():
        speeds["samples"] = speeds["steps"] * BATCH * ranks
        ratios = [f"{speeds[name] / found[1][name]:.2f}" for name in ("moves", "samples")]
        rows.append([
            f"{ranks}", f"{speeds['games']:.1f}", f"{speeds['moves']:,.0f}", ratios[0],
            f"{speeds['steps']:.1f}", f"{speeds['samples']:,.0f}", ratios[1],
        ])  # fmt: skip
    head = [
        "processes",
        "games/s",
        "moves/s",
        "ratio",
        "steps/s",
        "training positions/s",
        "ratio",
    ]
    table(f"Measured on this machine, {num_cores()} cores:", head, rows)


def report_estimated(at: Assumed) -> None:
    settings = preset("connect4", "gpu")
    counted = Counted.of(settings)
    per_move = settings.samples_per_position * counted.gradient / settings.batch_size
    print(
        f"\nCounted for the preset gpu ({settings.network} network): a step averages"
        f" {counted.gradient / 1e6:.2f} MB of gradients ({per_move:,.0f} bytes per move at"
        f" {settings.batch_size:,} positions per GPU and step). A position takes {counted.position}"
        f" bytes, stays where it was played, and needs {counted.flops / 1e6:.0f} MFLOP to train on."
        f" A GPU's part of a checkpoint is {counted.position * settings.window / 1e6:.0f} MB;"
        f" weights and moments are {counted.training / 1e6:.1f} MB."
    )
    gpus = (1, 8, 64, 1000)
    own = settings.batch_size
    for title, batch_of in (
        (f"ESTIMATE, {own:,} positions per GPU and step:", lambda n: own),
        ("ESTIMATE, 16,384 positions per step in total:", lambda n: 16_384 / n),
    ):
        rows = []
        for n in gpus:
            it = played_through(settings, counted, n, batch_of(n), at)
            rows.append([
                f"{n:,}", f"{it['moves']:,.0f}", f"{it['moves'] / at.moves / n:.0%}",
                f"{it['batch']:,.0f}", f"{it['steps']:,.1f}", f"{it['reduce'] * 1e6:,.0f}",
                f"{it['reducing']:.0%}", f"{it['waiting']:.0%}",
            ])  # fmt: skip
        head = ["GPUs", "moves/s", "of play only", "positions/step", "steps/s", "averaging, µs",
                "time averaging", "time waiting"]  # fmt: skip
        table(title, head, rows)
    rows = []
    for n in gpus:
        it = checkpoint_seconds(settings, counted, n, at)
        rows.append([f"{n:,}", f"{it['whole'] / 1e9:,.1f}", f"{it['shared']:,.1f}"])
    head = ["GPUs", "checkpoint, GB", "written to a shared folder, s"]
    table("ESTIMATE, a checkpoint:", head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--no-measuring", action="store_true", help="only print the estimates")
    options = parser.parse_args()
    if not options.no_measuring:
        report_measured(measured(options.iterations, options.rounds))
    report_estimated(Assumed())


if __name__ == "__main__":
    main()
