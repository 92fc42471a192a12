"""Trains for equal time with several settings and seeds, and prints a table.

    python tools/compare_trainings.py --out runs/decay --minutes 20 --seeds 0 1 \\
        --variant "L2 in the loss: l2=1e-4 weight_decay=0" --variant "AdamW: l2=0 weight_decay=0.05"

A variant is a name and the settings that it changes. Every run is one process with one thread. Its
minutes are CPU time, so other programs cost it little; runs that are started together share the
machine. Finished runs are kept: run the same command again to continue.
"""

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console
from rich.table import Table

SIMULATIONS = (50, 200)


def train(out: Path, game: str, changes: dict[str, str], minutes: float) -> None:
    """Trains one run, from the start or from its last checkpoint, and measures the result."""
    import torch

    from azlearn import arena
    from azlearn.learning import Budget, Hooks, NetworkEvaluator, Training, preset
    from azlearn.learning.budget import CoreClock
    from azlearn.learning.launch import joined_ranks
    from azlearn.learning.living_filters import living_by_layer, living_share

    with joined_ranks(1, "cpu", print):
        torch.set_num_threads(1)
        if (out / "checkpoint.json").exists():
            training = Training.resumed(out)
        else:
            settings = preset(game, "cpu").with_changes(changes)
            training = Training(settings, Budget(minutes=minutes), out)
        training.clock = CoreClock
        with (out / "log.jsonl").open("a") as log:
            training.hooks = Hooks(report=lambda row: print(json.dumps(row), file=log, flush=True))
            counters = training.run()
        units = json.loads((out / "log.jsonl").read_text().splitlines()[-1]).get("living_units")
        game, positions = training.game, arena.load_positions()
        evaluator = NetworkEvaluator(game, training.network)
        players = [arena.NetworkPlayer(game, evaluator)]
        players += [arena.PUCTPlayer(game, evaluator, number) for number in SIMULATIONS]
        kept = [arena.accuracy(player, positions) for player in players]
        found = {
            "steps": counters.steps,
            "games": counters.games,
            "evaluations": counters.evaluations,
            "kept": [[row["value_preserving"], *row["value_preserving_interval"]] for row in kept],
            "living": living_share(training.network),
            "living_by_layer": living_by_layer(training.network),
            "living_units": units,
        }
        (out / "result.json").write_text(json.dumps(found, indent=1))


def table(out: Path, names: list[str], seeds: list[int]) -> Table:
    """A table with a row for each finished run."""
    found = Table(title=f"{out.name}: value-preserving moves, %, with 95 % intervals")
    for column in ("variant", "seed", "steps", "evaluations", "no search", *map(str, SIMULATIONS)):
        found.add_column(column, justify="left" if column == "variant" else "right")
    found.add_column("alive: filters; first filters, by block; value units", justify="right")
    for name in names:
        for seed in seeds:
            path = folder(out, name, seed) / "result.json"
            if not path.exists():
                continue
            row = json.loads(path.read_text())
            kept = [f"{100 * k:.1f} [{100 * a:.1f}, {100 * b:.1f}]" for k, a, b in row["kept"]]
            layers = row["living_by_layer"]
            firsts = [f"{100 * s:.0f}" for layer, s in layers.items() if layer.endswith("first")]
            units = "–" if row["living_units"] is None else f"{row['living_units']:.0%}"
            found.add_row(
                name, str(seed), f"{row['steps']:,}", f"{row['evaluations'] / 1e6:.1f} million",
                *kept, f"{row['living']:.0%}; {' '.join(firsts)}; {units}",
            )  # fmt: skip
    return found


def folder(out: Path, name: str, seed: int) -> Path:
    """The folder of one run."""
    return out / f"{name.replace(' ', '_').replace('/', '_')}-{seed}"


def main() -> None:
    """Makes all runs, several at a time, each in its own process."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--variant", action="append", required=True, metavar="NAME: SETTING=VALUE …"
    )
    parser.add_argument("--game", default="connect4")
    parser.add_argument("--minutes", type=float, default=20.0, help="CPU minutes per run")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--jobs", type=int, default=2, help="number of runs at a time")
    parser.add_argument("--only", type=int, help=argparse.SUPPRESS)  # the seed of this one run
    options = parser.parse_args()
    variants = {}
    for variant in options.variant:
        name, _, changes = variant.partition(":")
        variants[name.strip()] = dict(change.split("=") for change in changes.split())
    if options.only is not None:
        ((name, changes),) = variants.items()
        out = folder(options.out, name, options.only)
        out.mkdir(parents=True, exist_ok=True)
        changes = {"precision": "float32"} | changes | {"seed": str(options.only)}
        train(out, options.game, changes, options.minutes)
        return

    def run(job: tuple[int, str]) -> None:
        seed, variant = job
        name = variant.partition(":")[0].strip()
        if not (folder(options.out, name, seed) / "result.json").exists():
            command = [sys.executable, __file__, "--out", options.out, "--variant", variant]
            command += ["--game", options.game, "--minutes", options.minutes, "--only", seed]
            subprocess.run([str(word) for word in command], check=True)
        Console(width=140).print(table(options.out, list(variants), options.seeds))

    jobs = [(seed, variant) for seed in options.seeds for variant in options.variant]
    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(run, jobs))


if __name__ == "__main__":
    main()
