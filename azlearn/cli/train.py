"""`azlearn train`: one run of AlphaZero, on one process or many, new or resumed."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import arg

from azlearn.cli.output import CommandError, read_changes

if TYPE_CHECKING:
    from azlearn.learning import Budget, Hooks, Ranks, Training, TrainSettings


def train(
    game: Annotated[str | None, arg(metavar="GAME")] = None,
    preset: Annotated[str | None, arg(metavar="NAME")] = None,
    out: Annotated[Path | None, arg(metavar="DIR")] = None,
    resume: Annotated[Path | None, arg(metavar="DIR")] = None,
    minutes: Annotated[float | None, arg(metavar="N")] = None,
    iterations: Annotated[int | None, arg(metavar="N")] = None,
    ranks: Annotated[int | None, arg(metavar="N")] = None,
    device: str = "cpu",
    checkpoint_minutes: Annotated[float, arg(metavar="N")] = 2.0,
    set: Annotated[tuple[str, ...], arg(metavar="NAME=VALUE [...]")] = (),
) -> int:
    """Train a network by self-play. Ctrl-C ends it after the current iteration; nothing is lost.

    Args:
        game: connect4 (if not given), tictactoe, othello:6, hex:5, dots_and_boxes:2x2, …, or a game
            of your own, my_game.py:MyGame.
        preset: "cpu" (if not given) or "gpu", as in azlearn/learning/settings.py.
        out: folder of the new run; runs/GAME if not given.
        resume: folder of the run to go on with.
        minutes: how long in all; 60 if neither minutes nor iterations are given.
        iterations: how many in all; with this alone, and a precision set, the same seed gives the
            same network.
        ranks: processes that play and learn together; on a CPU one a core if not given, and in a
            resumed run as many as before. Under torchrun its own number counts.
        device: "cpu" or "cuda".
        checkpoint_minutes: at most so much is lost when the machine goes down.
        set: settings to change, such as seed=1 simulations=64 learning_rate=0.001.
    """
    from torch import OutOfMemoryError

    from azlearn.games.named import short_name
    from azlearn.learning import Budget, DamagedFile, TrainingStopped
    from azlearn.learning.launch import check_device, joined_ranks

    if resume and (game or preset or out or set):
        raise CommandError("A resumed run keeps its settings: give --resume DIR and a budget only.")
    try:
        if not checkpoint_minutes >= 0:
            raise ValueError(f"checkpoint-minutes must be 0 or more, not {checkpoint_minutes}.")
        check_device(device)
        is_given = (minutes, iterations) != (None, None)
        budget = Budget(minutes, iterations) if is_given else None
        if resume:
            plan = _Plan(resume, None, budget, device, checkpoint_minutes)
        else:
            settings = _settings(game or "connect4", preset or "cpu", set)
            out, budget = (
                out or Path("runs") / short_name(settings.game),
                budget or Budget(minutes=60),
            )
            plan = _Plan(out, settings, budget, device, checkpoint_minutes)
        with (
            _claimed(plan, ranks) as num_ranks,
            joined_ranks(num_ranks, device, _other, plan) as us,
        ):
            training = plan.training(us)
            if us.is_first:
                _run(training)
            else:  # under torchrun: all ranks come here
                training.run()
    except BrokenPipeError:
        raise
    except (
        DamagedFile, TrainingStopped, ValueError, OSError, MemoryError, OutOfMemoryError
    ) as error:  # fmt: skip
        raise CommandError(str(error) or "There is not enough memory.") from error
    return 0


def _settings(game: str, name: str, changes: tuple[str, ...]) -> "TrainSettings":
    from azlearn.learning import preset

    return preset(game, name).with_changes(read_changes(changes))


@contextmanager
def _claimed(plan: "_Plan", ranks: int | None) -> Iterator[int]:
    """No other run uses the folder meanwhile, and this one may; gives the number of processes."""
    from azlearn.learning.files import sole_use
    from azlearn.learning.launch import default_ranks

    if "WORLD_SIZE" in os.environ and os.environ.get("RANK", "0") != "0":
        yield 1  # under torchrun the first process does this, and `plan.training` waits for it
        return
    if plan.settings and not plan.out.exists():
        plan.out.mkdir(parents=True, exist_ok=True)
    # Nothing of the folder is read before: another run may be about to replace it.
    with sole_use(plan.out) if plan.out.exists() else nullcontext():
        if plan.settings:
            _check_fresh(plan.out)
            yield default_ranks(plan.device) if ranks is None else ranks
        else:
            yield _going_on(plan.out, plan.budget, ranks)


def _check_fresh(out: Path) -> None:
    if (out / "checkpoint.json").exists():
        raise ValueError(
            f"{out} holds a run already: go on with `azlearn train --resume {out}`, or name another"
            " folder with --out."
        )
    if not out.is_dir() or any(out.iterdir()):
        raise ValueError(f"{out} is not an empty folder: name another one with --out.")


def _going_on(out: Path, budget: "Budget | None", ranks: int | None) -> int:
    """How many processes go on, those of last time if not given; ValueError if nothing is left."""
    from azlearn.learning import Budget, Counters
    from azlearn.learning.checkpoint import read_summary

    summary = read_summary(out)
    counters, budget = Counters(**summary["counters"]), budget or Budget(**summary["budget"])
    if budget.spent(counters) >= 1:
        more = (
            f"--iterations {2 * counters.iteration}"
            if budget.iterations
            else f"--minutes {ceil(2 * counters.minutes)}"
        )
        raise ValueError(
            f"{out} has done {counters.iteration:,} iterations in {counters.minutes:.1f} minutes,"
            f" and that was all: give it more, such as {more}."
        )
    return summary["world_size"] if ranks is None else ranks


@dataclass(frozen=True)
class _Plan:
    """What every rank needs to know to take its part in the run."""

    out: Path
    settings: "TrainSettings | None"  # None: the run in `out` goes on
    budget: "Budget | None"  # None: the one it was started with
    device: str
    checkpoint_minutes: float

    def training(self, ranks: "Ranks") -> "Training":
        from azlearn.learning import Training

        ranks.wait()  # until the first one has the folder
        others = {"device": self.device, "checkpoint_minutes": self.checkpoint_minutes}
        if self.settings:
            training = Training(self.settings, self.budget, self.out, ranks=ranks, **others)
        else:
            training = Training.resumed(self.out, self.budget, ranks, **others)
        training.hooks = _hooks(training.settings.game)
        return training


def _other(plan: _Plan) -> None:
    """What the other ranks do."""
    from azlearn.learning import TrainingStopped
    from azlearn.learning.launch import joined_ranks

    with joined_ranks(1, plan.device, _other) as ranks:
        try:
            plan.training(ranks).run()
        except TrainingStopped as error:
            # Of its own disk it must tell; what all ranks see, the first one says.
            sys.exit(f"azlearn: {error}" if error.__cause__ else 2)


def _run(training: "Training") -> None:
    """What the first rank does: the same, and it tells."""
    from azlearn.cli.train_display import Display
    from azlearn.learning import RunLog

    settings, num_ranks = training.settings, training.ranks.world_size
    with Display() as display:
        print(
            f"{settings.game}: the {settings.network} network in {settings.precision}, {num_ranks}"
            f" process{'es' if num_ranks > 1 else ''}, folder {training.out}.\n"
            "The first iteration takes longer: it compiles the search.",
            flush=True,
        )
        log = RunLog(training.out, training.counters.iteration)

        def report(row: dict) -> None:
            log.add(row)
            display.update(row)

        training.hooks.report = report
        training.hooks.stopping = _say_that_it_stops
        counters = training.run()
    finished, out = training.budget.spent(counters) >= 1, training.out
    print(
        f"{'Finished' if finished else 'Stopped'} after {counters.minutes:.1f} minutes and"
        f" {counters.games:,} games.\n"
        f"Measure it: azlearn evaluate {out} --simulations 0 200\n"
        f"Play it:    azlearn play {out}"
        + ("" if finished else f"\nGo on:      azlearn train --resume {out}")
    )


def _say_that_it_stops() -> None:
    # Not print: Ctrl-C comes in the middle of anything, and that may be a print.
    os.write(sys.stderr.fileno(), b"\nStops after this iteration; Ctrl-C again: at once.\n")


def _hooks(game: str) -> "Hooks":
    """Strength as the truth sees it, and the gate: what the learning floor cannot know."""
    from azlearn import arena
    from azlearn.learning import Hooks

    def accepts(new, old, settings) -> bool:
        players = [
            arena.PUCTPlayer(e.game, e, settings.gate_simulations, settings.c) for e in (new, old)
        ]
        return arena.gate(*players, arena.GateSettings(max_games=settings.gate_games)).accepted

    measure = {"connect4": _on_positions, "tictactoe": _exhaustively}.get(game, _against_uct)
    return Hooks(measure=measure, gate=accepts)


def _on_positions(evaluator) -> dict[str, float]:
    """The share of the solved positions in which it keeps the value."""
    from azlearn import arena

    positions = arena.load_positions()
    players = {
        "kept_alone": arena.NetworkPlayer(evaluator.game, evaluator),
        "kept_at_50": arena.PUCTPlayer(evaluator.game, evaluator, 50),
    }
    return {
        name: arena.accuracy(player, positions)["value_preserving"]
        for name, player in players.items()
    }


def _against_uct(evaluator) -> dict[str, float]:
    """Its score against UCT with as many simulations, where the truth is not known."""
    from azlearn import arena

    player = arena.PUCTPlayer(evaluator.game, evaluator, 50)
    uct = arena.CompiledUCTPlayer(evaluator.game, 50)
    return {"score_at_50": arena.play_match(player, uct, games=40).score}


def _exhaustively(evaluator) -> dict[str, float]:
    """Whether it can be beaten at all."""
    from azlearn import arena

    players = {
        "unbeaten_alone": arena.NetworkPlayer(evaluator.game, evaluator),
        "unbeaten_at_25": arena.PUCTPlayer(evaluator.game, evaluator, 25),
    }
    return {
        name: float(arena.never_loses(player, evaluator.game) is None)
        for name, player in players.items()
    }
