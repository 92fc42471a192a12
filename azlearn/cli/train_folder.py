"""Decides whether `azlearn train` starts or resumes a run, and locks the run's folder."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING

from azlearn.atomic_io import in_words
from azlearn.cli.output import shell_line

if TYPE_CHECKING:
    from azlearn.learning import Budget, Ranks, TrainSettings

_USUAL_MINUTES = {"tictactoe": 3}  # the default length of a run; 60 for all other games
_PATIENCE = 20  # seconds, because a process ends a moment after torchrun's agent is killed


class BudgetSpent(ValueError):
    """The run has spent its budget."""


@dataclass(frozen=True)
class Plan:
    """The facts about the run that every rank needs."""

    out: Path
    settings: "TrainSettings | None"  # None: resume the run in `out`
    budget: "Budget | None"  # None: the run's own budget, or the default minutes
    device: str
    checkpoint_minutes: float
    may_go_on: bool  # with settings: resume a run in `out` that has the same settings


@contextmanager
def open_run(
    plan: Plan, num_ranks: int | None, others: Callable[[Plan], object]
) -> Iterator[tuple[Plan, "Ranks"]]:
    """Opens the run's folder, which no other run can use until the block ends.

    Yields the plan, which has settings only if a new run starts, and the ranks of the run.

    Args:
        num_ranks: None: as many as before, or a good number for this machine.
        others: the function that other ranks run if they are started here. Under torchrun every
            rank calls ``open_run`` itself.

    Raises:
        BudgetSpent: the run has already spent its budget.
        FileNotFoundError, CorruptFileError, ValueError: the folder cannot be used.
        ValueError, ChildProcessError, MemoryError: as in ``check_leftovers``, ``joined_ranks``.
    """
    from azlearn.learning import launch

    launch.check_leftovers()
    with ExitStack() as stack:
        if "WORLD_SIZE" in os.environ:
            ranks = stack.enter_context(launch.joined_ranks(1, plan.device, others))
            yield _decided_by_the_first(plan, ranks, stack), ranks
            return
        stack.enter_context(_sole_use(plan))
        plan, before = _decided(plan)
        num_ranks = before or launch.default_ranks(plan.device) if num_ranks is None else num_ranks
        yield plan, stack.enter_context(launch.joined_ranks(num_ranks, plan.device, others, plan))


def _sole_use(plan: Plan, patience: float = 0.0) -> AbstractContextManager[None]:
    """Locks the folder. Lock it before you read it, because another run may be changing it."""
    from azlearn.learning.files import exclusive_lock

    if plan.settings and not plan.out.exists():
        plan.out.mkdir(parents=True, exist_ok=True)
    return exclusive_lock(plan.out, patience) if plan.out.is_dir() else nullcontext()


def _decided_by_the_first(plan: Plan, ranks: "Ranks", stack: ExitStack) -> Plan:
    """The first rank locks the folder and sends its decision, or an error, to the other ranks.

    So none of them waits for a rank that has exited.
    """
    if not ranks.is_first:
        first = ranks.all_gather(None)[0]
        if wrong := first["wrong"]:
            raise BudgetSpent(wrong) if first["is_over"] else ValueError(wrong)
        return replace(plan, settings=None) if first["goes_on"] else _with_budget(plan)
    try:
        stack.enter_context(_sole_use(plan, _PATIENCE))
        plan, _ = _decided(plan, ranks)
    except (ValueError, OSError) as error:
        ranks.all_gather({"wrong": in_words(error), "is_over": isinstance(error, BudgetSpent)})
        raise
    ranks.all_gather({"wrong": "", "goes_on": plan.settings is None})
    return plan


def _with_budget(plan: Plan) -> Plan:
    from azlearn.learning import Budget

    minutes = _USUAL_MINUTES.get(plan.settings.game, 60)
    return replace(plan, budget=plan.budget or Budget(minutes=minutes))


def _decided(plan: Plan, ranks: "Ranks | None" = None) -> tuple[Plan, int | None]:
    """Returns the plan (with settings only if a run starts) and the earlier number of ranks."""
    from azlearn.learning import Budget, Counters
    from azlearn.learning.checkpoint import SUMMARY_FILE, other_settings, read_summary

    out, settings = plan.out, plan.settings
    if settings and not (out / SUMMARY_FILE).exists():
        _check_fresh(out)
        return _with_budget(plan), None
    if settings and not plan.may_go_on:
        raise ValueError(
            f"{out} already contains a run. Resume it with"
            f" `{shell_line('azlearn', 'train', '--resume', out)}`, choose another folder with"
            " --out, or add --go-on to resume automatically."
        )
    summary = read_summary(out, ranks)
    if settings and (differences := other_settings(asdict(settings), summary["settings"])):
        raise ValueError(
            f"{out} was started with different settings ({differences}). Choose another folder with"
            f" --out, or resume it unchanged with {shell_line('--resume', out)}."
        )
    counters, budget = Counters(**summary["counters"]), plan.budget or Budget(**summary["budget"])
    if budget.spent(counters) >= 1:
        more = (
            f"--iterations {2 * counters.iteration}"
            if budget.iterations
            else f"--minutes {ceil(2 * counters.minutes)}"
        )
        raise BudgetSpent(
            f"{out} has used its whole budget: {counters.iteration:,} iterations in"
            f" {counters.minutes:.1f} minutes. To continue, set a larger one, such as {more}."
        )
    return replace(plan, settings=None), summary["world_size"]


def _check_fresh(out: Path) -> None:
    """Raises ValueError if ``out`` contains files other than leftovers of a run."""
    from azlearn.learning.checkpoint import is_leftover_file

    if not out.is_dir() or not all(map(is_leftover_file, out.iterdir())):
        raise ValueError(f"{out} is not an empty folder. Choose another one with --out.")
