"""Which run `azlearn train` is to begin or to go on with, and whether its folder is free for it."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from azlearn.cli.output import shell_line
from azlearn.whole_file import in_words

if TYPE_CHECKING:
    from azlearn.learning import Budget, Ranks, TrainSettings

_USUAL_MINUTES = {"tictactoe": 3}  # of a run, where nothing is said; else 60
_PATIENCE = 20  # seconds: a process whose agent was killed ends a moment later


class NothingLeft(ValueError):
    """The run has spent its budget."""


@dataclass(frozen=True)
class Plan:
    """What every rank needs to know to take its part in the run."""

    out: Path
    settings: "TrainSettings | None"  # None: the run in `out` goes on
    budget: "Budget | None"  # None: the one it was started with, or the usual minutes
    device: str
    checkpoint_minutes: float
    may_go_on: bool  # with settings: a run in `out` that has the same goes on


@contextmanager
def started(
    plan: Plan, num_ranks: int | None, others: Callable[[Plan], object]
) -> Iterator[tuple[Plan, "Ranks"]]:
    """The ranks of the run, and the plan with settings only if there is a run to begin.

    No other run uses the folder meanwhile; on several machines, none of their folders.

    Args:
        num_ranks: None: as many as before, or a good number for this machine.
        others: what ranks that are started here do; under torchrun all come here.

    Raises:
        NothingLeft: the run was over.
        FileNotFoundError, DamagedFile, ValueError: the folder cannot be used; says why.
        ValueError, ChildProcessError, MemoryError: as in ``check_leftovers``, ``joined_ranks``.
    """
    from azlearn.learning import launch
    from azlearn.learning.files import sole_use

    launch.check_leftovers()
    if "WORLD_SIZE" in os.environ:
        with (
            launch.joined_ranks(1, plan.device, others) as ranks,
            _claimed_together(plan, ranks) as (plan, ranks),
        ):
            yield plan, ranks
        return
    if plan.settings and not plan.out.exists():
        plan.out.mkdir(parents=True, exist_ok=True)
    # Nothing of the folder is read before: another run may be about to replace it.
    with sole_use(plan.out) if plan.out.is_dir() else nullcontext():
        plan, before = _decided(plan, _holds_a_run(plan.out))
        num_ranks = before or launch.default_ranks(plan.device) if num_ranks is None else num_ranks
        with launch.joined_ranks(num_ranks, plan.device, others, plan) as ranks:
            yield plan, ranks


@contextmanager
def _claimed_together(plan: Plan, ranks: "Ranks") -> Iterator[tuple[Plan, "Ranks"]]:
    """The first rank of every folder claims it; then the newest checkpoint is brought to all."""
    from azlearn.learning.checkpoint import newest_everywhere
    from azlearn.learning.files import sole_use

    ranks = ranks.sharing(plan.out)
    with ExitStack() as claims:
        with _told_to_all(ranks):
            if ranks.is_first_here:
                claims.enter_context(sole_use(plan.out, _PATIENCE))
        is_there = newest_everywhere(plan.out, ranks)
        with _told_to_all(ranks):
            plan, _ = _decided(plan, is_there, ranks)
        yield plan, ranks


@contextmanager
def _told_to_all(ranks: "Ranks") -> Iterator[None]:
    """What one rank finds wrong within, every rank raises: none waits for one that has ended."""
    try:
        yield
    except (ValueError, OSError) as error:
        _hear(ranks, error)
        raise
    _hear(ranks, None)


def _hear(ranks: "Ranks", own: Exception | None) -> None:
    told = ranks.tell([type(own).__name__, in_words(own)] if own else None)
    if own is None and (wrong := [what for what in told if what]):
        name, message = wrong[0]
        raise NothingLeft(message) if name == NothingLeft.__name__ else ValueError(message)


def _decided(plan: Plan, is_there: bool, ranks: "Ranks | None" = None) -> tuple[Plan, int | None]:
    """The plan with settings only if a run begins; and how many ranks the run had before."""
    from azlearn.learning import Budget, Counters
    from azlearn.learning.checkpoint import other_settings, read_summary

    out, settings = plan.out, plan.settings
    if settings and not is_there:
        _check_fresh(out)
        minutes = _USUAL_MINUTES.get(settings.game, 60)
        return replace(plan, budget=plan.budget or Budget(minutes=minutes)), None
    if settings and not plan.may_go_on:
        raise ValueError(
            f"{out} holds a run already: go on with"
            f" `{shell_line('azlearn', 'train', '--resume', out)}`, or name another folder with"
            " --out. One command for both has --go-on."
        )
    summary = read_summary(out, ranks)
    if settings and (differences := other_settings(asdict(settings), summary["settings"])):
        raise ValueError(
            f"{out} was begun with other settings ({differences}): name another folder with --out,"
            f" or go on as it is with {shell_line('--resume', out)}."
        )
    counters, budget = Counters(**summary["counters"]), plan.budget or Budget(**summary["budget"])
    if budget.spent(counters) >= 1:
        more = (
            f"--iterations {2 * counters.iteration}"
            if budget.iterations
            else f"--minutes {ceil(2 * counters.minutes)}"
        )
        raise NothingLeft(
            f"{out} has done {counters.iteration:,} iterations in {counters.minutes:.1f} minutes,"
            f" and that was all: give it more, such as {more}."
        )
    return replace(plan, settings=None), summary["world_size"]


def _holds_a_run(out: Path) -> bool:
    from azlearn.learning.checkpoint import SUMMARY_FILE

    return (out / SUMMARY_FILE).exists()


def _check_fresh(out: Path) -> None:
    """ValueError where a new run would be among other files."""
    from azlearn.learning.checkpoint import is_remains

    if not out.is_dir() or not all(map(is_remains, out.iterdir())):
        raise ValueError(f"{out} is not an empty folder: name another one with --out.")
