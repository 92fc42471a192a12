"""`azlearn train`: one run of AlphaZero, on one process or many, new or resumed."""

import os
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import arg

from azlearn.cli.output import (
    CommandError,
    Count,
    Game,
    announce,
    command_errors,
    read_changes,
    shell_line,
)
from azlearn.cli.train_folder import BudgetSpent, Plan, open_run

if TYPE_CHECKING:
    from azlearn.learning import Hooks, Ranks, Training, TrainSettings


def train(
    game: Game = None,
    preset: Annotated[str | None, arg(metavar="NAME")] = None,
    out: Annotated[Path | None, arg(metavar="DIR")] = None,
    resume: Annotated[Path | None, arg(metavar="DIR")] = None,
    minutes: Annotated[float | None, arg(metavar="N")] = None,
    iterations: Count = None,
    ranks: Count = None,
    device: str = "cpu",
    checkpoint_minutes: Annotated[float, arg(metavar="N")] = 2.0,
    go_on: bool = False,
    set: Annotated[tuple[str, ...], arg(metavar="NAME=VALUE [...]")] = (),
) -> int:
    """Train a network by self-play.

    Press Ctrl-C to stop after the current iteration and save a checkpoint to resume from; press it
    twice to stop immediately.

    Args:
        preset: "cpu" (if not given) or "gpu", as defined in azlearn/learning/settings.py.
        out: folder of the new run; runs/GAME if not given.
        resume: folder of a run to resume.
        minutes: total training time in minutes. If you give neither minutes nor iterations: 60, or
            3 for tictactoe.
        iterations: total number of iterations. For a reproducible run, set this instead of minutes
            and also set precision (on a GPU, num_games as well). The same seed then gives the same
            network, given the same kind of processor, number of processes and PyTorch version.
        ranks: number of processes that train together. If not given: one per core on a CPU if
            memory allows; in a resumed run, as many as before. Under torchrun, as torchrun says.
        device: "cpu", "cuda" (an NVIDIA GPU; it also runs the search if azlearn[gpu] is installed),
            or another PyTorch device such as "mps".
        checkpoint_minutes: minutes between checkpoints; the most work you can lose if the
            machine goes down.
        go_on: resume the run if the folder already contains it with the same settings. One command
            can then both start a run and, when torchrun or a scheduler restarts it, resume it.
        set: settings to change, such as seed=1 simulations=64 learning_rate=0.001.
    """
    if resume and (game or preset or out or set or go_on):
        raise CommandError(
            "A resumed run keeps its settings. Combine --resume DIR only with options such as"
            " --minutes, --iterations, --ranks or --device."
        )
    if _is_main_process():
        announce(f"{resume or game or 'connect4'}: loading PyTorch …")

    from torch import OutOfMemoryError

    from azlearn.games.named import short_name
    from azlearn.learning import Budget, TrainingStopped
    from azlearn.learning.launch import check_device

    failures = (TrainingStopped, MemoryError, OutOfMemoryError)
    with command_errors(*failures):
        if not checkpoint_minutes >= 0:
            raise ValueError(f"checkpoint-minutes must be 0 or more, not {checkpoint_minutes}.")
        check_device(device)
        is_given = (minutes, iterations) != (None, None)
        budget = Budget(minutes, iterations) if is_given else None
        settings = None
        if not resume:
            settings = _settings(game or "connect4", preset or "cpu", set)
            out = out or Path("runs") / short_name(settings.game)
        plan = Plan(resume or out, settings, budget, device, checkpoint_minutes, go_on)
        try:
            with open_run(plan, ranks, _run_worker_rank) as (plan, us):
                training = _training(plan, us)
                if us.is_first:
                    _run(training)
                else:  # under torchrun: all ranks come here
                    training.run()
        except BudgetSpent as error:
            if not go_on:
                raise
            print(error)
        except KeyboardInterrupt as stop:  # it may name the last complete checkpoint
            raise KeyboardInterrupt(f"{stop}\n{_how_to_resume(plan.out)}".strip()) from None
    return 0


def _how_to_resume(out: Path) -> str:
    """The command that resumes the run, if there is a checkpoint."""
    from azlearn.learning.checkpoint import SUMMARY_FILE

    again = shell_line("azlearn", "train", "--resume", out)
    return f"Resume it: {again}" if (out / SUMMARY_FILE).exists() else ""


def _settings(game: str, name: str, changes: tuple[str, ...]) -> "TrainSettings":
    from azlearn.games.named import check_own_game, is_own_game
    from azlearn.learning import preset

    settings = preset(game, name).with_changes(read_changes(changes))
    if is_own_game(game):
        if _is_main_process():
            announce("Checking the rules with 50 random games …")
        lines = check_own_game(game)
        if _is_main_process():
            print("\n".join(lines))
    if settings.gate_games:
        from azlearn.arena.gating import NOBODY_PASSES, GateSettings

        if not GateSettings(max_games=settings.gate_games).can_be_passed:
            raise ValueError(f"gate_games: {NOBODY_PASSES.format(settings.gate_games)}")
    return settings


def _is_main_process() -> bool:
    """Whether this process prints; under torchrun, only the first of all ranks does."""
    return os.environ.get("RANK", "0") == "0"


def _training(plan: Plan, ranks: "Ranks") -> "Training":
    from azlearn.learning import Training

    ranks.barrier()  # until the first rank has claimed the folder
    others = {"device": plan.device, "checkpoint_minutes": plan.checkpoint_minutes}
    if ranks.is_first:
        others["announce"] = partial(print, flush=True)
    if plan.settings:
        training = Training(plan.settings, plan.budget, plan.out, ranks=ranks, **others)
    else:
        training = Training.resumed(plan.out, plan.budget, ranks, **others)
    training.hooks = _hooks(training.settings.game)
    return training


def _run_worker_rank(plan: Plan) -> None:
    """Runs one of the other ranks."""
    from azlearn.learning import TrainingStopped
    from azlearn.learning.launch import joined_ranks

    with joined_ranks(1, plan.device, _run_worker_rank) as ranks:
        try:
            _training(plan, ranks).run()
        except TrainingStopped as error:
            # This rank reports problems with its own disk; the first rank reports all others.
            sys.exit(f"azlearn: {error}" if error.__cause__ else 2)


def _networks(training: "Training") -> str:
    settings = training.settings
    if training.counters.grown or not settings.first_network:
        return f"{settings.network} network"
    share = f"{settings.growth_fraction:.0%} of the time"
    return f"{settings.first_network} network (after {share} the {settings.network} network)"


def _run(training: "Training") -> None:
    """Runs the first rank, which also prints."""
    from azlearn.cli.train_display import Display
    from azlearn.learning import RunLog, load_network
    from azlearn.learning.launch import PROCESS_BYTES, is_under_torchrun
    from azlearn.machine import memory, num_cores

    settings, num_ranks = training.settings, training.ranks.world_size
    with Display() as display:
        print(
            f"{settings.game}: the {_networks(training)} in {settings.precision}, {num_ranks}"
            f" process{'es' if num_ranks > 1 else ''}, folder {training.out}.\n"
            "The first iteration takes longer: it compiles the search.",
            flush=True,
        )
        if training.device == "cpu" and not is_under_torchrun():
            room = (memory() or sys.maxsize) // PROCESS_BYTES
            print(_crowded(num_ranks, num_cores(), room), end="", flush=True)
        log = RunLog(training.out, training.counters.iteration)

        def report(row: dict) -> None:
            log.add(row)
            display.update(row)

        training.hooks.report, training.hooks.progress = report, display.progress
        counters = training.run()
    finished, out = training.budget.spent(counters) >= 1, training.out
    print(
        f"{'Finished' if finished else 'Stopped'} after {counters.minutes:.1f} minutes and"
        f" {counters.games:,} games."
    )
    if finished and settings.game == "tictactoe":
        print(_proof(load_network(out)), flush=True)
    print(
        f"Measure it:      {shell_line('azlearn', 'evaluate', out, '--simulations', 0, 200)}\n"
        f"Play against it: {shell_line('azlearn', 'play', out)}"
        + ("" if finished else f"\n{_how_to_resume(out)}")
    )


def _crowded(num_ranks: int, cores: int, room: int) -> str:
    """Warns of too many processes for the cores or the memory, and of cores that stay idle.

    Cores stay idle if too few processes fit in memory.
    """
    said = ""
    if num_ranks > cores:
        said = (
            f"{num_ranks} processes share {cores} core{'s' * (cores > 1)}: an iteration takes about"
            f" {num_ranks / cores:.1f} times as long as with {cores}, and {num_ranks} times as much"
            " memory as with one.\n"
        )
    if num_ranks > (most := max(1, room)):
        said += f"Only {most} of them fit{'s' * (most == 1)} in memory. Start fewer with --ranks.\n"
    elif num_ranks == most < cores:
        idle = f"{cores - most} of {cores} cores stay idle"
        said += f"Only {most} process{'es fit' if most > 1 else ' fits'} in memory, so {idle}.\n"
    return said


def _proof(network) -> str:
    """Plays every possible game against a network, and says whether any opponent can beat it."""
    from azlearn.arena import losing_lines

    lines = losing_lines(network)
    if not any(lines.values()):
        return (
            "Proven unbeatable: as either player it never loses against any possible sequence of"
            " replies, with 25 simulations per move or without search."
        )
    said = (f"{how} it loses {line}" if line else f"{how} never" for how, line in lines.items())
    return f"It can be beaten (moves are cells, numbered row by row): {'; '.join(said)}."


def _hooks(game: str) -> "Hooks":
    """The hooks that need the arena: measuring strength, and the gate for new networks."""
    from azlearn import arena
    from azlearn.learning import Hooks

    def accepts(new, old, settings) -> bool:
        # Forced playouts only make sense at roots with noise.
        tree_policy = replace(settings, forced_playout_k=0.0).tree_policy()
        num, kind = settings.gate_simulations, {"tree_policy": tree_policy}
        players = [arena.PUCTPlayer(e.game, e, num, **kind) for e in (new, old)]
        return arena.gate(*players, arena.GateSettings(max_games=settings.gate_games)).accepted

    # A proof takes a second, so measure more often in tic-tac-toe's three minutes.
    minutes = {"measure_minutes": 0.25} if game == "tictactoe" else {}
    return Hooks(measure=arena.strength_of, gate=accepts, **minutes)
