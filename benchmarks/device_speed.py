"""Checks and then measures self-play and training on a GPU, in at most five minutes.

    python benchmarks/device_speed.py [--games 4096] [--simulations 128] [--json FILE]

This needs a GPU and numba-cuda; mctx and pgx are measured if they are installed. ``--device cpu``
runs smaller checks in numba's simulator (``NUMBA_ENABLE_CUDASIM=1``), and measures nothing.

The checks compare the kernels with the compiled loops of the CPU, using an evaluator that hashes
the position. Without noise every sample must be equal, bit for bit. With noise, logarithms and
cosines are rounded differently on a GPU, so the percentage of equal samples is printed. The last
check runs a step of self-play and a training step while CUDA raises an error for every wait.

Every speed is a median over rounds, with the device's queue empty before and after each. *Share* is
the evaluations per second of self-play divided by those of the bare compiled network at the same
batch size.
"""

import argparse
import json
import os
import statistics
import time
from dataclasses import replace
from unittest.mock import patch

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from azlearn.learning import PRESETS, Ranks, kernel_self_play
from azlearn.learning.kernel_self_play import KernelSelfPlay
from azlearn.learning.network import SIZES, seeded_network
from azlearn.learning.recorded import WARM_UPS, Recorded
from azlearn.learning.replay import ReplayBuffer
from azlearn.learning.self_play import SelfPlay
from azlearn.learning.settings import TrainSettings
from azlearn.learning.worker import Worker
from azlearn.search.evaluators import hash_bits

# Game, network, and the multiple of --games; the first line is also the one for the peers.
LINES = [
    ("connect4", "64x4", 1), ("connect4", "64x4", 2), ("connect4", "64x4", 4),
    ("connect4", "128x6", 1), ("othello:6", "64x4", 1), ("go7", "64x4", 1), ("go9", "64x4", 1),
]  # fmt: skip
MOVES_PER_CALL = 8  # of every game, as in the preset; each call starts its searches anew


class Hashed:
    """Priors and values from a hash of the position, exact in binary, on any device."""

    def __init__(self, num_actions: int, device: str) -> None:
        self.shifts = torch.arange(num_actions, device=device) * 3 % 48

    def __call__(self, states, legal_mask) -> tuple:
        on_host = isinstance(states[0], np.ndarray)
        states, legal_mask = (*map(torch.as_tensor, states),), torch.as_tensor(legal_mask)
        bits = hash_bits(*states)
        shares = (((bits[:, None] >> self.shifts) & 7) + 1) * legal_mask
        prior = (shares.double() / shares.sum(1, keepdim=True).clamp(min=1)).float()
        value = ((((bits >> 5) & 63) - 32) / 32).float()
        return (prior.numpy(), value.numpy()) if on_host else (prior, value)


def settings_of(game: str, network: str, num_games: int, simulations: int) -> TrainSettings:
    channels, blocks = map(int, network.split("x"))
    SIZES.setdefault(network, {"channels": channels, "blocks": blocks})
    settings = TrainSettings(
        game=game, network=network, precision="bfloat16", backend="cuda", num_games=num_games,
        simulations=simulations, first_simulations=simulations, first_window=1, window=10**6,
        fast_simulations=1, opening_plies=4, batch_size=1024,
    )  # fmt: skip
    return replace(settings, window=max(20_000, num_games * settings.make_game().max_plies))


def same_samples(device: str, game: str, changes: dict) -> str:
    """Compares the samples of kernels and loops; AssertionError if they must agree but do not."""
    small = {"num_games": 64, "simulations": 16, "first_simulations": 16, "fast_simulations": 4}
    if device == "cpu":
        small |= {"num_games": 3, "simulations": 4, "first_simulations": 4, "fast_simulations": 2}
    settings = replace(PRESETS["connect4", "cpu"], game=game, precision="float32", window=50_000)
    num_moves = small["num_games"] * settings.make_game().max_plies
    settings = settings.with_changes(small | {"opening_plies": 4} | changes)
    kernels = KernelSelfPlay(settings, device=device)
    theirs, _ = kernels.play(Hashed(kernels.game.num_actions, device), num_moves)
    loops = SelfPlay(settings)
    ours, _ = loops.play(Hashed(loops.game.num_actions, "cpu"), num_moves)
    # The kernels play a few steps more, and in lockstep, so samples are compared by their content.
    rows = [rows_of(samples) for samples in (ours, theirs)]
    equal = sum(row in rows[1] for row in rows[0]) / len(rows[0])
    exact = changes.get("noise_fraction") == 0
    assert equal == 1 or not exact, f"only {equal:.1%} of {len(rows[0])} samples are equal"
    return f"{equal:.1%} of {len(rows[0])} samples are equal"


def rows_of(samples) -> set[bytes]:
    words, policy, value = (column.cpu().numpy() for column in samples)
    return {
        b"".join(part.tobytes() for part in row) for row in zip(words, policy, value, strict=True)
    }


def nothing_waits(device: str, game: str) -> str:
    """Runs a step of self-play and a training step while CUDA raises an error for every wait."""
    settings = replace(settings_of(game, "64x4", 256, 8), batch_size=64)
    network = seeded_network(settings.make_game(), "64x4", 0).to(device)
    worker = Worker(settings, network, Ranks(), device)
    while not len(worker.replay):
        worker.play(network, 2560, 8)
    worker.learn(WARM_UPS + 1, 64, 1e-3, 0)
    torch.cuda.set_sync_debug_mode("error")
    try:
        worker.self_play._step()
        worker._step()
    finally:
        torch.cuda.set_sync_debug_mode("default")
    return "a step of self-play and a training step did not wait"


def rate(step, each: int, seconds: float, rounds: int = 3) -> float:
    """``each`` times the steps per second: a median over rounds of at least ``seconds``."""
    found = []
    for _ in range(rounds):
        torch.cuda.synchronize()
        number, start = 0, time.perf_counter()
        while (spent := time.perf_counter() - start) < seconds:
            step()
            torch.cuda.synchronize()
            number += 1
        found.append(number * each / spent)
    return statistics.median(found)


def speeds(game: str, network: str, num_games: int, simulations: int, seconds: float) -> dict:
    """Measures one line of the table."""
    settings = settings_of(game, network, num_games, simulations)
    weights = seeded_network(settings.make_game(), network, 0).to("cuda")
    start = time.perf_counter()
    worker = Worker(settings, weights, Ranks(), "cuda", print)
    worker.play(weights, 1, simulations)
    line = {"game": game, "network": network, "games": num_games}
    line["first moves after, s"] = time.perf_counter() - start
    states = settings.make_game().State(*worker.self_play._tensors[0].leaf.unbind(1))
    legal_mask = worker.self_play._tensors[0].leaf_is_legal
    bare = Recorded(lambda: worker._evaluator(states, legal_mask), "cuda")
    for _ in range(WARM_UPS + 1):
        bare()
    line["bare network"] = rate(lambda: [bare() for _ in range(20)], 20 * num_games, seconds)

    def measured(play) -> tuple[float, float]:
        moves, evaluations, start = 0, 0, time.perf_counter()
        while time.perf_counter() - start < 3 * seconds:
            played = play()
            moves, evaluations = moves + played.moves, evaluations + played.evaluations
        torch.cuda.synchronize()
        spent = time.perf_counter() - start
        return moves / spent, evaluations / spent

    line["moves/s, cache"], line["evaluations/s, cache"] = measured(
        lambda: worker.play(weights, MOVES_PER_CALL * num_games, simulations)
    )
    if len(worker.replay):
        line["steps/s"] = rate(lambda: worker.learn(10, 1024, 1e-3, 0), 10, seconds)
    evaluator = worker._evaluator
    worker = bare = None  # free their memory
    with patch.object(kernel_self_play, "answers_alike", lambda settings: False):
        plain = KernelSelfPlay(settings, replay=ReplayBuffer(
            settings.make_game(), settings.window, "cuda"), device="cuda")  # fmt: skip
    plain.play(evaluator, 1)
    line["moves/s"], line["evaluations/s"] = measured(
        lambda: plain.play(evaluator, MOVES_PER_CALL * num_games)[1]
    )
    line["share"] = line["evaluations/s"] / line["bare network"]
    line["used, GB"] = torch.cuda.max_memory_allocated() / 1e9
    torch.cuda.reset_peak_memory_stats()
    return line


def peers(num_games: int, simulations: int, seconds: float) -> dict:
    """Measures mctx + pgx in bfloat16, and its own bare network."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    from peers import mctx_pgx  # azlearn does not install JAX
    from self_play_speed import positions, random_openings

    game = PRESETS["connect4", "cpu"].make_game()
    openings, weights = random_openings(num_games), seeded_network(game, "64x4", 0).eval()
    states = game.State(*map(torch.from_numpy, positions(openings)))
    planes = game.batch_encode(states)
    with torch.inference_mode():
        answers = tuple(answer.numpy() for answer in weights.folded()(planes))
    bare = mctx_pgx.BareNetwork(weights, planes.numpy(), answers, dtype="bfloat16")
    player = mctx_pgx.MctxSelfPlay(weights, openings, simulations, dtype="bfloat16")
    bare(), player()
    line = {"game": "connect4, mctx + pgx", "network": "64x4", "games": num_games}
    line["bare network"] = rate(bare, num_games, seconds)
    line["moves/s"] = rate(player, num_games, seconds)
    line["evaluations/s"] = line["moves/s"] * (simulations + 1)
    line["share"] = line["evaluations/s"] / line["bare network"]
    return line


def table(lines: list[dict], title: str) -> Table:
    """A table of all lines."""
    columns = list(dict.fromkeys(name for line in lines for name in line))
    shown = Table(title=title)
    for column in columns:
        shown.add_column(column, justify="left" if column in ("game", "network") else "right")
    for line in lines:
        cells = [line.get(column, "") for column in columns]
        shown.add_row(
            *(
                f"{cell:.0%}" if column == "share" and cell else
                (f"{cell:,.1f}" if isinstance(cell, float) and cell < 100 else
                 f"{cell:,.0f}" if isinstance(cell, float) else str(cell))
                for column, cell in zip(columns, cells, strict=True)
            )
        )  # fmt: skip
    return shown


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--games", type=int, default=4096)
    parser.add_argument("--simulations", type=int, default=128)
    parser.add_argument("--seconds", type=float, default=0.5, help="at least, per round")
    parser.add_argument("--json", help="file for all numbers")
    options = parser.parse_args()
    failed, lines = [], []
    checks = [
        ("connect4", {"noise_fraction": 0.0}), ("othello:6", {"noise_fraction": 0.0}),
        ("go:5", {"noise_fraction": 0.0}), ("connect4", {}),
        ("connect4", {"search": "gumbel"}),
        ("connect4", {"noise_fraction": 0.0, "use_solver": True, "reuse_tree": True}),
    ]  # fmt: skip
    named = [
        (
            f"samples of {game} {changes}",
            lambda g=game, c=changes: same_samples(options.device, g, c),
        )
        for game, changes in checks
    ]
    if options.device == "cuda":
        named.append(("nothing waits", lambda: nothing_waits("cuda", "connect4")))
    for name, check in named:
        try:
            print(f"✓ {name}: {check()}", flush=True)
        except Exception as error:  # continue with the other checks
            failed.append(name)
            print(f"✗ {name}: {type(error).__name__}: {error}", flush=True)
    if options.device == "cuda":
        small = options.simulations, options.seconds
        work = [
            (" ".join(map(str, line)), lambda g=line[0], n=line[1], k=line[2]: speeds(
                g, n, k * options.games, *small))
            for line in LINES
        ]  # fmt: skip
        work.insert(1, ("mctx + pgx", lambda: peers(options.games, *small)))
        for name, measure in work:
            try:
                lines.append(measure())
                print(lines[-1], flush=True)
            except Exception as error:  # no memory, no JAX, …: continue with the rest
                print(f"{name} was left out: {type(error).__name__}: {error}", flush=True)
            torch.cuda.empty_cache()
        card = torch.cuda.get_device_name()
        title = f"{card}, torch {torch.__version__}, bfloat16, {options.simulations} simulations"
        Console(width=170).print(table(lines, title))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"torch": torch.__version__, "lines": lines, "failed": failed}, file)
    if failed:
        raise SystemExit(f"Checks failed: {', '.join(failed)}.")


if __name__ == "__main__":
    main()
