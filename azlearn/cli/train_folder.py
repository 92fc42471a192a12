"""Which run `azlearn train` is to begin or to go on with, and whether its folder is free for it."""

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

_USUAL_MINUTES = {"tictactoe": 3}  # of a run, where nothing is said; else 60
_PATIENCE = 20  # seconds: a process whose agent was killed ends a moment later


class BudgetSpent(ValueError):
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
def open_run(
    plan: Plan, num_ranks: int | None, others: Callable[[Plan], object]
) -> Iterator[tuple[Plan, "Ranks"]]:
    """The ranks of the run, and the plan with settings only if there is a run to begin.

    No other run uses the folder meanwhile.

    Args:
        num_ranks: None: as many as before, or a good number for this machine.
        others: what ranks that are started here do; under torchrun all come here.

    Raises:
        BudgetSpent: the run was over.
        FileNotFoundError, CorruptFileError, ValueError: the folder cannot be used; says why.
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
    """Nothing of the folder is read before: another run may be about to replace it."""
    from azlearn.learning.files import exclusive_lock

    if plan.settings and not plan.out.exists():
        plan.out.mkdir(parents=True, exist_ok=True)
    return exclusive_lock(plan.out, patience) if plan.out.is_dir() else nullcontext()


def _decided_by_the_first(plan: Plan, ranks: "Ranks", stack: ExitStack) -> Plan:
    """The first rank claims the folder. What it finds there, or finds wrong, it tells the others:
    none waits for one that has ended."""
    if not ranks.is_first:
        told = ranks.all_gather(None)[0]
        if wrong := told["wrong"]:
            raise BudgetSpent(wrong) if told["is_over"] else ValueError(wrong)
        return replace(plan, settings=None) if told["goes_on"] else _begun(plan)
    try:
        stack.enter_context(_sole_use(plan, _PATIENCE))
        plan, _ = _decided(plan, ranks)
    except (ValueError, OSError) as error:
        ranks.all_gather({"wrong": in_words(error), "is_over": isinstance(error, BudgetSpent)})
        raise
    ranks.all_gather({"wrong": "", "goes_on": plan.settings is None})
    return plan


def _begun(plan: Plan) -> Plan:
    from azlearn.learning import Budget

    minutes = _USUAL_MINUTES.get(plan.settings.game, 60)
    return replace(plan, budget=plan.budget or Budget(minutes=minutes))


def _decided(plan: Plan, ranks: "Ranks | None" = None) -> tuple[Plan, int | None]:
    """The plan with settings only if a run begins; and how many ranks the run had before."""
    from azlearn.learning import Budget, Counters
    from azlearn.learning.checkpoint import SUMMARY_FILE, other_settings, read_summary

    out, settings = plan.out, plan.settings
    if settings and not (out / SUMMARY_FILE).exists():
        _check_fresh(out)
        return _begun(plan), None
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
        raise BudgetSpent(
            f"{out} has done {counters.iteration:,} iterations in {counters.minutes:.1f} minutes,"
            f" and that was all: give it more, such as {more}."
        )
    return replace(plan, settings=None), summary["world_size"]


def _check_fresh(out: Path) -> None:
    """ValueError where a new run would be among other files."""
    from azlearn.learning.checkpoint import is_leftover_file

    if not out.is_dir() or not all(map(is_leftover_file, out.iterdir())):
        raise ValueError(f"{out} is not an empty folder: name another one with --out.")
