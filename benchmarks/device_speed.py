"""Self-play and learning on one device, measured: to be run where there is a GPU.

    python benchmarks/device_speed.py [--device cuda] [--games 4096] [--simulations 128]
                                      [--network 64x4 128x6] [--quick] [--check] [--json FILE]

Ten minutes on a GPU; ``--quick`` takes two. Without one it runs in small on the CPU. Every number
is a median over rounds, after warming up, with the device's queue empty at both ends. What fails on
a machine (no Triton for ``torch.compile``, no memory, no JAX) is a line of the table, and the rest
goes on. ``--check`` first looks whether what the device computes is right.

- *bare network*: batches of ready positions, nothing else, and not compiled.
- *share*: the evaluations a second of self-play over those of the bare network, at the same batch.
- *trees on the host*: ``BatchedPUCT`` in one thread, the network on the device.
- *planned*: of ``memory_plan``; *used*: the most that PyTorch had allocated.
"""

import argparse
import json
import os
import time
import warnings
from dataclasses import replace

import torch
from device_bench import Bench, Watched, kernels, machine, words
from device_checks import (
    WholeRun,
    new_network,
    no_waiting,
    same_compiled,
    same_replayed,
    same_trees,
)
from device_estimate import counted
from rich.console import Console
from rich.table import Table
from self_play_speed import OwnPace, positions, random_openings

from azlearn.games import State
from azlearn.games.tensor_game import TensorGame
from azlearn.learning import NetworkEvaluator, ResNet
from azlearn.learning.device.memory import memory_plan
from azlearn.learning.device.replayed import WARM_UPS, Replayed
from azlearn.learning.network import SIZES
from azlearn.learning.settings import TrainSettings

BATCHES = 256, 1024, 4096, 16384
COUNTED = "counted, a simulation"


def settings_of(bench: Bench, network: str, **changes) -> TrainSettings:
    channels, blocks = map(int, network.split("x"))
    SIZES.setdefault(network, {"channels": channels, "blocks": blocks})
    options = bench.options
    settings = TrainSettings(
        trees="device", network=network, precision=bench.precision, num_games=options.games,
        simulations=options.simulations, first_simulations=options.simulations,
        window=max(250_000, options.games * 42), first_window=1,
    )  # fmt: skip
    return replace(settings, **changes)


def bare_network(bench: Bench, network: str) -> float:
    """Lines for several batches; positions a second at the batch of self-play, or 0."""
    best, games = 0.0, bench.options.games
    for batch in sorted({*BATCHES, games} if bench.on_gpu else {games}):
        for how in ("python", "cuda") if bench.on_gpu else ("python",):
            with bench.line("bare network", network=network, batch=batch, how=how) as line:
                step = forward(bench, network, batch, how)
                with Watched() as line["gpu"]:
                    line["evaluations_per_second"], line["rounds"] = bench.rate(step, batch)
                if batch == games:
                    best = max(best, line["evaluations_per_second"])
    return best


def forward(bench: Bench, network: str, batch: int, how: str) -> Replayed:
    """The network on ready positions, warmed up."""
    game, dtype = settings_of(bench, network).make_game(), getattr(torch, bench.precision)
    folded = new_network(game, SIZES[network], bench.device).folded(dtype)
    there = TensorGame(game, bench.device)
    planes = there.encode(there.initial_states(batch))
    planes = planes.to(dtype, memory_format=torch.channels_last)

    @torch.no_grad()
    def step() -> None:
        folded(planes)

    replayed = Replayed(step, how)
    for _ in range(WARM_UPS + 2):
        replayed()
    return replayed


def self_play(bench: Bench, network: str, bare: float) -> None:
    """Whole self-play by every way to run a step, compiled too."""
    hows = [("python", False), ("cuda", False), ("cuda", True)]
    if not bench.on_gpu:
        hows = [("python", False), ("tape", False)]
        hows += [("python", True)] * bench.options.compiled
    games = bench.options.games
    for how, compiled in hows:
        what = {"network": network, "how": how, "compiled": compiled, "games": games}
        with bench.line("self-play", **what) as line:
            play_on(bench, line, bare)


def play_on(bench: Bench, line: dict, bare: float) -> None:
    """Measures self-play as ``line`` says, into it."""
    settings = settings_of(bench, line["network"])
    num_games, evaluations = settings.num_games, settings.simulations + 1
    line["planned_bytes"] = memory_plan(settings, num_games)
    before = torch.cuda.memory_allocated() if bench.on_gpu else 0
    weights = new_network(settings.make_game(), SIZES[settings.network], bench.device)
    start = time.perf_counter()
    run = WholeRun(settings, weights, bench.device, line["how"], line["compiled"])
    run.games.play((WARM_UPS + 1) * num_games)  # compiles, records: simulations of every size
    line["warm_up_seconds"] = time.perf_counter() - start
    with Watched() as line["gpu"]:
        line["moves_per_second"], line["rounds"] = bench.rate(
            lambda: run.games.play(num_games), num_games
        )
    line["evaluations_per_second"] = line["moves_per_second"] * evaluations
    line["ms_per_simulation"] = 1e3 * num_games / line["evaluations_per_second"]
    line["share"] = line["evaluations_per_second"] / bare if bare else None
    if bench.on_gpu:
        line["used_bytes"] = torch.cuda.max_memory_allocated() - before
        run.games.begin()  # the trees are full
        line["kernels"] = kernels(run.games.simulate)  # of the largest size


def host_trees(bench: Bench, network: str, bare: float) -> None:
    """``BatchedPUCT`` in one thread, its network on the device."""
    games, simulations = bench.options.games, bench.options.simulations
    game = settings_of(bench, network).make_game()
    with bench.line("trees on the host", network=network, games=games) as line:
        weights = new_network(game, SIZES[network], bench.device)
        dtype = getattr(torch, bench.precision)
        evaluate = NetworkEvaluator(game, weights, device=bench.device, dtype=dtype).batch
        player, moves = OwnPace(evaluate, random_openings(games), simulations), []
        player()  # compiles; games fall out of step

        def play() -> None:
            moves.append(player())

        with Watched() as line["gpu"]:
            calls, line["rounds"] = bench.rate(play, 1)
        made, evaluated = (sum(column) / len(moves) for column in zip(*moves, strict=True))
        line["moves_per_second"] = calls * made
        line["evaluations_per_second"] = calls * evaluated
        line["share"] = line["evaluations_per_second"] / bare if bare else None


def learning(bench: Bench, network: str) -> None:
    """Steps a second, by batch and way."""
    for batch in (128, 1024) if bench.on_gpu else (128,):
        for how in ("python", "cuda") if bench.on_gpu else ("python", "tape"):
            with bench.line("learning", network=network, batch=batch, how=how) as line:
                learn_on(bench, line)


def learn_on(bench: Bench, line: dict) -> None:
    """Measures steps as ``line`` says, into it, on positions that self-play brought."""
    settings = settings_of(
        bench, line["network"], batch_size=line["batch"], num_games=64, simulations=2,
        first_simulations=2,
    )  # fmt: skip
    weights = new_network(settings.make_game(), SIZES[settings.network], bench.device)
    run = WholeRun(settings, weights, bench.device, line["how"])
    run.games.play(50 * settings.num_games)
    run.learner.learn(WARM_UPS + 2, 1e-3, 0)
    with Watched() as line["gpu"]:
        line["steps_per_second"], line["rounds"] = bench.rate(
            lambda: run.learner.learn(10, 1e-3, 0), 10
        )


def peers(bench: Bench, network: str) -> None:
    """mctx + pgx, and its own bare network, where they are installed."""
    games, simulations = bench.options.games, bench.options.simulations
    with bench.line("mctx + pgx", network=network, games=games) as line:
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
        from peers import mctx_pgx  # JAX is no part of azlearn

        game, openings = settings_of(bench, network).make_game(), random_openings(games)
        weights, there = ResNet(game, **SIZES[network]), TensorGame(game)
        planes = there.encode(State(*map(torch.from_numpy, positions(openings))))
        with torch.inference_mode():
            answers = tuple(answer.numpy() for answer in weights.folded()(planes))
        bare = mctx_pgx.BareNetwork(weights, planes.numpy(), answers)
        player = mctx_pgx.MctxSelfPlay(weights, openings, simulations)
        bare(), player()
        line["bare_per_second"], _ = bench.rate(bare, games)
        with Watched() as line["gpu"]:
            line["moves_per_second"], line["rounds"] = bench.rate(player, games)
        line["evaluations_per_second"] = line["moves_per_second"] * (simulations + 1)
        line["share"] = line["evaluations_per_second"] / line["bare_per_second"]


def counts(bench: Bench, network: str) -> None:
    """Kernels and bytes of a simulation, counted with fake tensors; see ``device_estimate.py``."""
    channels, blocks = map(int, network.split("x"))
    with bench.line(COUNTED, network=network) as line:
        options = bench.options
        search = counted("connect4", channels, blocks, options.games, options.simulations)
        for name, compiled in (("graphs", False), ("compiled", True)):
            number, size, flops = search.mean(compiled)
            line[name] = {"kernels": number, "MB": size / 1e6, "GFLOP": flops / 1e9}


def checks(bench: Bench) -> None:
    """Lines that say whether the device computes what it should."""
    how, graphs = ("cuda", "cuda") if bench.on_gpu else ("tape", "python")
    game = settings_of(bench, "64x4").make_game()
    for name, check in (
        ("trees equal MCTS", lambda: same_trees(game, bench.device)),
        (f"{how} equals Python", lambda: same_replayed(bench.device, how)),
        ("compiled is like Python", lambda: same_compiled(bench.device, graphs)),
        ("nothing waits", lambda: no_waiting(bench.device)),
    ):
        if "compiled" not in name or bench.on_gpu or bench.options.compiled:
            with bench.line("check", what=name) as line:
                line["result"] = check()


def table(bench: Bench, about: dict) -> Table:
    """All lines, to be pasted."""
    options = bench.options
    place = about.get("device", f"{bench.device}, {about['threads']} threads")
    shown = Table(
        title=f"{place}, torch {about['torch']}, {bench.precision}; {options.games:,} games,"
        f" {options.simulations} simulations, medians of {options.rounds} rounds"
    )
    columns = (
        "part", "network", "how", "batch", "moves/s", "evaluations/s", "share", "ms", "steps/s",
        "GB planned", "used", "kernels", "MB", "W", "MHz",
    )  # fmt: skip
    for number, column in enumerate(columns):
        shown.add_column(column, justify="left" if number < 3 else "right", no_wrap=True)
    for line in bench.lines:
        if line["part"] == "check":
            continue
        if line["part"] == COUNTED and "failed" not in line:
            for how in ("graphs", "compiled"):
                shown.add_row(*row(line | line[how] | {"how": how, "batch": options.games}))
        else:
            shown.add_row(*row(line))
    return shown


def row(line: dict) -> list[str]:
    """A line's cells."""

    def cell(number, form: str = ",.0f") -> str:
        return "" if number is None else format(number, form)

    planned, used, gpu = line.get("planned_bytes"), line.get("used_bytes"), line.get("gpu", {})
    how = "compiled" if line.get("compiled") is True else line.get("how", "")
    return [
        line["part"], line.get("network", ""), how, str(line.get("batch", line.get("games", ""))),
        "failed" if "failed" in line else cell(line.get("moves_per_second")),
        cell(line.get("evaluations_per_second")), cell(line.get("share"), ".0%"),
        cell(line.get("ms_per_simulation"), ".3f"), cell(line.get("steps_per_second"), ",.1f"),
        cell(planned and sum(planned.values()) / 1e9, ".2f"), cell(used and used / 1e9, ".2f"),
        cell(line.get("kernels")), cell(line.get("MB")), cell(gpu.get("power.draw")),
        cell(gpu.get("clocks.sm")),
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--games", type=int)
    parser.add_argument("--simulations", type=int)
    parser.add_argument("--network", nargs="+", metavar="CHANNELSxBLOCKS")
    parser.add_argument("--rounds", type=int, help="of each measurement")
    parser.add_argument("--seconds", type=float, help="a round, at least")
    parser.add_argument("--quick", action="store_true", help="fewer rounds, the first network")
    parser.add_argument("--compiled", action="store_true", help="on a CPU, too: takes minutes")
    parser.add_argument("--check", action="store_true", help="look first whether all is right")
    parser.add_argument("--json", help="a file for all numbers")
    options = parser.parse_args()
    on_gpu = torch.device(options.device).type == "cuda"
    if on_gpu and not torch.cuda.is_available():
        parser.error("PyTorch finds no GPU here; --device cpu runs in small.")
    options.games = options.games or (4096 if on_gpu else 64)
    options.simulations = options.simulations or (128 if on_gpu else 32)
    networks = options.network or (["64x4", "128x6"] if on_gpu else ["16x2"])
    options.network = networks[:1] if options.quick else networks
    options.rounds = options.rounds or (3 if options.quick else 5)
    options.seconds = options.seconds or (0.3 if options.quick else 1.0)
    # Else a step that cannot be compiled would be measured as it is, under a wrong name.
    warnings.filterwarnings("error", message="torch.compile does not work here")
    bench = Bench(options)
    about = machine(bench)
    print(about)
    if options.check:
        checks(bench)
    for network in options.network:
        bare = bare_network(bench, network)
        self_play(bench, network, bare)
        host_trees(bench, network, bare)
        learning(bench, network)
        peers(bench, network)
        counts(bench, network)
    Console(width=170).print(table(bench, about))
    for line in bench.lines:
        if line["part"] == "check" or "failed" in line:
            print(words(line))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"machine": about, "options": vars(options), "lines": bench.lines}, file)
    if any(line["part"] == "check" and "failed" in line for line in bench.lines):
        raise SystemExit("A check failed.")


if __name__ == "__main__":
    main()
