"""Compares variants of AlphaZero, each with one change, after equal training time.

    python benchmarks/equal_time.py connect4 --minutes 1 --file azlearn/course/equal_time.json

Time is this process's CPU time on one core, so other programs do not count. A run is saved as soon
as it is measured. If you run the command again with the same file, runs in the file are not
repeated. ``--table`` only prints the table.
"""

import argparse
import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy.stats import t

from azlearn.arena import CompiledUCTPlayer, NetworkPlayer, PUCTPlayer, accuracy, play_match
from azlearn.arena.positions import load_positions
from azlearn.atomic_io import atomic_write
from azlearn.games import State, minimax_actions, minimax_value
from azlearn.games.named import make_game
from azlearn.learning import Budget, NetworkEvaluator, Training, TrainSettings, preset
from azlearn.learning.budget import CoreClock
from azlearn.learning.hardware import resolve_backend
from azlearn.learning.ranks import Ranks
from azlearn.learning.worker import Worker

BASE = {  # for runs of a few minutes: training starts early
    "network": "tiny", "precision": "float32", "snapshots_per_doubling": 0,
    "first_window": 1000, "moves_per_iteration": 2048, "ownership_weight": 0.0,
}  # fmt: skip
COUNTED = ("games", "moves", "samples", "evaluations", "steps")
SIMULATIONS = 200  # per move, when measuring; always with PUCT
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


def settings_of(game: str, variant: str, seed: int = 0) -> TrainSettings:
    """The settings of a run."""
    return preset(game, "cpu").with_changes(BASE | {"seed": seed} | variants(game)[variant])


def train(settings: TrainSettings, minutes: float) -> dict[str, Any]:
    """Trains one run, and measures it at its end."""
    with TemporaryDirectory() as out:
        run = Training(settings, Budget(minutes=minutes), Path(out), clock=CoreClock)
        small = settings.with_changes({"window": 1000, "first_window": 1000, "num_games": 2})
        compiling = Worker(resolve_backend(small, Ranks(), "cpu"), run.network, Ranks(), "cpu")
        compiling.play(run.network, 2, settings.first_simulations)
        counters = run.run()
    figures = measured(NetworkEvaluator(run.game, run.network.eval()), settings.game)
    counts = {name: getattr(counters, name) for name in COUNTED}
    return {"minutes": round(counters.minutes, 3), **counts, **figures}


def measured(evaluator: NetworkEvaluator, game: str) -> dict[str, float]:
    """Measures a network against exact values or, in games without a solver, against UCT."""
    its = evaluator.game
    alone = NetworkPlayer(its, evaluator)
    if game == "connect4":
        players = {
            "kept_alone": alone,
            "kept_at_200": PUCTPlayer(its, evaluator, SIMULATIONS),
        }
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
    """A table of the means over the seeds, with 95 % intervals of the mean (Student's t)."""
    runs = found["runs"]
    names = [name for name in runs[0] if name.startswith(("kept", "score"))]
    head = [f"{found['minutes']:g} minutes", "seeds", "games", "positions", *names]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    for variant in found["variants"]:
        rows = [run for run in runs if run["variant"] == variant]
        if not rows:
            continue
        means = [f"{np.mean([row[name] for row in rows]):,.0f}" for name in ("games", "samples")]
        shares = [interval([row[name] for row in rows]) for name in names]
        lines.append([variant, str(len(rows)), *means, *shares])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def interval(values: list[float]) -> str:
    """Formats values as ``"81.2 % ± 1.3"``; a single value has no ±."""
    mean = f"{np.mean(values):.1%}".replace("%", " %")
    if len(values) < 2:
        return mean
    half = t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / len(values) ** 0.5
    return f"{mean} ± {100 * half:.1f}"


def main() -> None:
    """Trains what is missing, seed by seed, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("game", nargs="?", default="connect4")
    parser.add_argument("--minutes", type=float, default=1.0, help="CPU minutes per run")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--variants", nargs="+", help="if not given: all")
    parser.add_argument("--file", type=Path, default=Path("runs/equal_time.json"))
    parser.add_argument("--runs", type=int, help="train at most this many runs now")
    parser.add_argument("--table", action="store_true", help="train nothing")
    given = parser.parse_args()
    names = given.variants or list(variants(given.game))
    if unknown := [name for name in names if name not in variants(given.game)]:
        parser.error(f"Unknown variant {unknown[0]}. Use {', '.join(variants(given.game))}.")
    about = {
        "game": given.game, "network": BASE["network"], "minutes": given.minutes,
        "simulations": SIMULATIONS, "base": BASE,
        "variants": {name: variants(given.game)[name] for name in names},
    }  # fmt: skip
    found = about | {"runs": []}
    if given.file.exists():
        found = json.loads(given.file.read_text(encoding="utf-8"))
        about["variants"] = found["variants"] | about["variants"]
        added = about["variants"].keys() - found["variants"].keys()
        found["variants"] |= {name: about["variants"][name] for name in added}
        if other := [name for name in about if about[name] != found[name]]:
            parser.error(f"{given.file} contains runs with different {', '.join(other)}.")
    known = {(run["variant"], run["seed"]) for run in found["runs"]}
    wanted = [(v, seed) for seed in range(given.seeds) for v in names]
    missing = [] if given.table else [pair for pair in wanted if pair not in known]
    for variant, seed in missing[: given.runs]:
        run = train(settings_of(given.game, variant, seed), given.minutes)
        found["runs"].append({"variant": variant, "seed": seed, **run})
        given.file.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(given.file, json.dumps(found, indent=1).encode() + b"\n")
        print(found["runs"][-1], flush=True)
    if found["runs"]:
        print(table(found))


if __name__ == "__main__":
    main()
