"""Compares variants of AlphaZero, each with one change, after equal training time.

    python benchmarks/equal_time.py connect4 --minutes 1 --file azlearn/course/equal_time.json

A variant is a name from the list in ``variants``, or a name and its settings:
``--variants puct "decay 0: weight_decay=0"``. All variants share the settings of ``BASE``, or those
given with ``--base``; the others are the preset's. Time is the CPU time of one process with one
thread, so other programs cost a run little. Every run is saved in the file as soon as it is
measured. Run the same command again to continue after an interruption; finished runs are not
repeated. ``--table`` only prints the table.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import t

from azlearn.arena import CompiledUCTPlayer, NetworkPlayer, PUCTPlayer, accuracy, play_match
from azlearn.arena.positions import load_positions
from azlearn.atomic_io import atomic_write
from azlearn.cli.output import read_changes
from azlearn.games import State, minimax_actions, minimax_value
from azlearn.games.named import make_game
from azlearn.learning import Budget, Hooks, NetworkEvaluator, Training, TrainSettings, preset
from azlearn.learning.budget import CoreClock
from azlearn.learning.hardware import resolve_backend
from azlearn.learning.ranks import Ranks
from azlearn.learning.worker import Worker

BASE = {  # for runs of a few minutes: training starts early
    "network": "tiny", "precision": "float32", "snapshots_per_doubling": 0,
    "first_window": 1000, "moves_per_iteration": 2048, "ownership_weight": 0.0,
}  # fmt: skip
COUNTED = ("games", "moves", "samples", "evaluations", "steps")
SIMULATIONS = (50, 200)  # per move, when measuring; always with PUCT
MATCH_SIMULATIONS, MATCH_GAMES = 50, 100  # for games without a solver


@cache
def variants(game: str) -> dict[str, dict[str, Any]]:
    """The variants to try in a game: name -> the settings that differ from the base."""
    most = preset(game, "cpu").simulations
    few = {"simulations": most // 4, "first_simulations": most // 4}
    caps = {"simulations": 3 * most // 2, "first_simulations": 3 * most // 4}
    found = {
        "puct": {},
        "gumbel": {"search": "gumbel", "c_scale": 1.0, **few},
        **{
            f"gumbel_{c_scale:g}": {"search": "gumbel", "c_scale": c_scale, **few}
            for c_scale in (0.1, 0.3)
        },
        # mctx's defaults
        "gumbel_rescaled": {"search": "gumbel", "c_scale": 0.1, "rescale_q": True, **few},
        "c_2.5": {"c": 2.5},
        **{f"reuse_{n:g}": {"samples_per_position": n} for n in (0.5, 1.0, 4.0, 8.0)},
        "proves": {"use_solver": True},
        "caps": {"full_search_prob": 0.25, "fast_simulations": most // 4, **caps},
        "forced": {"forced_playout_k": 2.0},
        "surprise": {"surprise_fraction": 0.5},
        "batches": {"final_batch_size": 512},
        "few": few,  # as few simulations as Gumbel, to separate the two effects
        "small": {"network": "small"},  # for runs longer than a minute
        "grows": {"network": "small", "first_network": "tiny"},
        "medium": {"network": "medium"},  # the preset's network
        "medium_grows": {"network": "medium", "first_network": "tiny"},
    }
    if make_game(game).has_owners:
        found["owners"] = {"ownership_weight": 1.0}
    return found


def train(settings: TrainSettings, minutes: float, folder: Path) -> dict[str, Any]:
    """Trains one run in ``folder``, from its last checkpoint if there is one, and measures it."""
    if (folder / "checkpoint.json").exists():
        run = Training.resumed(folder, clock=CoreClock)
        settings = settings.with_changes({"precision": run.settings.precision})
        if (run.settings, run.budget) != (settings, Budget(minutes=minutes)):
            raise ValueError(f"{folder} contains a run with other settings. Delete or rename it.")
    else:
        run = Training(settings, Budget(minutes=minutes), folder, clock=CoreClock)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "log.jsonl").open("a") as log:
        run.hooks = Hooks(report=lambda row: print(json.dumps(row), file=log, flush=True))
        _compile(run)
        counters = run.run()
    if run.budget.spent(counters) < 1:
        raise KeyboardInterrupt
    figures = measured(NetworkEvaluator(run.game, run.network.eval()), settings.game)
    counts = {name: getattr(counters, name) for name in COUNTED}
    return {"minutes": round(counters.minutes, 3), **counts, **figures}


def _compile(run: Training) -> None:
    """Plays a few games before the clock starts, because the first ones compile the search."""
    small = run.settings.with_changes({"window": 1000, "first_window": 1000, "num_games": 2})
    worker = Worker(resolve_backend(small, Ranks(), "cpu"), run.network, Ranks(), "cpu")
    worker.play(run.network, 2, small.first_simulations)


def measured(evaluator: NetworkEvaluator, game: str) -> dict[str, float]:
    """Measures a network against exact values or, in games without a solver, against UCT."""
    its = evaluator.game
    alone = NetworkPlayer(its, evaluator)
    if game == "connect4":
        players = {"kept_alone": alone}
        players |= {f"kept_at_{n}": PUCTPlayer(its, evaluator, n) for n in SIMULATIONS}
        found = {name: accuracy(player, load_positions()) for name, player in players.items()}
        return {name: round(rates["value_preserving"], 4) for name, rates in found.items()}
    if game == "tictactoe":
        players = {"kept_alone": alone, "kept_at_25": PUCTPlayer(its, evaluator, 25)}
        return {name: round(solved(player), 4) for name, player in players.items()}
    player = PUCTPlayer(its, evaluator, MATCH_SIMULATIONS)
    opponent = CompiledUCTPlayer(its, MATCH_SIMULATIONS)
    return {"score_at_50": round(play_match(player, opponent, MATCH_GAMES).score, 4)}


def solved(player: NetworkPlayer | PUCTPlayer) -> float:
    """The fraction of tic-tac-toe's critical positions in which the player's move is right.

    A position is critical if at least one move is wrong.
    """
    hard = positions(player.game)
    rngs = [np.random.default_rng([0, *state]) for state in hard]
    moves = player.choose_batch(list(hard), rngs)
    return float(np.mean([move in hard[s] for s, move in zip(hard, moves, strict=True)]))


@cache
def positions(game) -> dict[State, list[int]]:
    """The positions in which not all moves preserve the value -> the moves that do."""
    known: dict[State, int] = {}
    minimax_value(game, game.initial_state(), known)
    going_on = [state for state in known if game.outcome(state) is None]
    right = {state: minimax_actions(game, state, known) for state in going_on}
    return {s: best for s, best in right.items() if len(best) < len(game.legal_actions(s))}


def table(found: dict[str, Any]) -> str:
    """Two tables over the seeds: the means, and how far each variant is ahead of the first."""
    runs = found["runs"]
    names = [name for name in runs[0] if name.startswith(("kept", "score"))]
    rates = {
        variant: {run["seed"]: [100 * run[name] for name in names] for run in runs
                  if run["variant"] == variant}
        for variant in found["variants"]
    }  # fmt: skip
    rates = {variant: by_seed for variant, by_seed in rates.items() if by_seed}
    means = [[f"{found['minutes']:g} minutes", "seeds", "games", "positions", *names]]
    for variant, by_seed in rates.items():
        rows = [run for run in runs if run["variant"] == variant]
        counts = [f"{np.mean([row[name] for row in rows]):,.0f}" for name in ("games", "samples")]
        shares = [interval(column) for column in zip(*by_seed.values(), strict=True)]
        means.append([variant, str(len(rows)), *counts, *shares])
    first, *others = rates
    leads = [[f"ahead of {first}, seed by seed", *names]]
    for variant in others:
        seeds = sorted(rates[first].keys() & rates[variant].keys())
        ahead = np.array([np.subtract(rates[variant][s], rates[first][s]) for s in seeds])
        shares = [f"{interval(x)} ({np.sum(x > 0)} of {len(x)})" for x in ahead.T]
        leads.append([variant, *shares])
    return markdown(means) + ("\n\n" + markdown(leads) if others else "")


def markdown(lines: list[list[str]]) -> str:
    """A Markdown table; the first line is the head."""
    lines = [lines[0], ["---", *["---:"] * (len(lines[0]) - 1)], *lines[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def interval(values: Sequence[float]) -> str:
    """The mean with its 95 % interval (Student's t): ``"81.2 ± 1.3"``; no ± for a single value."""
    if len(values) < 2:
        return f"{np.mean(values):.1f}"
    half = t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / len(values) ** 0.5
    return f"{np.mean(values):.1f} ± {half:.1f}"


def main() -> None:
    """Trains what is missing, several runs at a time, and prints the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", nargs="?", default="connect4")
    parser.add_argument("--minutes", type=float, default=1.0, help="CPU minutes per run")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--variants", nargs="+", help="if not given: all in the list")
    parser.add_argument("--base", nargs="+", metavar="SETTING=VALUE", help="instead of BASE")
    parser.add_argument("--file", type=Path, default=Path("runs/equal_time.json"))
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time, one core each")
    parser.add_argument("--table", action="store_true", help="train nothing")
    given = parser.parse_args()
    if given.table:
        print(table(json.loads(given.file.read_text(encoding="utf-8"))))
        return
    listed = variants(given.game)
    wanted = {}
    for text in given.variants or listed:
        name, colon, changes = text.partition(":")
        if not colon and name not in listed:
            parser.error(
                f"Unknown variant {name}. Use NAME: SETTING=VALUE, or {', '.join(listed)}."
            )
        wanted[name] = read_changes(changes.split()) if colon else listed[name]
    base = read_changes(given.base) if given.base else BASE
    about = {"game": given.game, "minutes": given.minutes, "base": base, "variants": wanted}
    found = about | {"runs": []}
    if given.file.exists():
        found = json.loads(given.file.read_text(encoding="utf-8"))
        theirs = found["variants"]
        about["variants"] = theirs | wanted
        found["variants"] = about["variants"] | theirs
        if other := [name for name in about if about[name] != found[name]]:
            parser.error(f"{given.file} contains runs with different {', '.join(other)}.")

    def add(variant: str, seed: int, row: dict[str, Any]) -> None:
        found["runs"].append({"variant": variant, "seed": seed, **row})
        given.file.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(given.file, json.dumps(found, indent=1).encode() + b"\n")
        print(found["runs"][-1], flush=True)

    known = {(run["variant"], run["seed"]) for run in found["runs"]}
    runs = [(name, seed) for seed in range(given.seeds) for name in wanted]
    missing = [run for run in runs if run not in known]
    folder = Path("runs") / given.file.stem
    # A new process for each run, because nothing else must share its CPU clock.
    with ProcessPoolExecutor(given.jobs, get_context("spawn"), max_tasks_per_child=1) as pool:
        jobs = {}
        for name, seed in missing:
            settings = preset(given.game, "cpu").with_changes(base | wanted[name] | {"seed": seed})
            out = folder / f"{name.replace(' ', '_')}-{seed}"
            jobs[pool.submit(train, settings, given.minutes, out)] = name, seed
        for job in as_completed(jobs):
            add(*jobs[job], job.result())
    print(table(found))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Stopped. The same command continues from the last checkpoints.")
    except ValueError as error:  # a setting that does not exist, or a folder with another run
        sys.exit(str(error))
