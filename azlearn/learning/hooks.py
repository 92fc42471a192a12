"""What a run tells, and asks, while it is under way."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from azlearn.learning.evaluator import NetworkEvaluator
from azlearn.learning.interruption import say_that_it_finishes
from azlearn.learning.settings import TrainSettings


@dataclass
class Hooks:
    """What a run tells, and asks, those who know more than it does.

    Args:
        report: takes a row of figures (JSON-able) after every iteration.
        progress: takes a word for what is being done within an iteration, and the share of it.
        measure: plays with the evaluator, returns figures for the row; asked now and then.
        gate: whether the first of two evaluators, the new, replaces the second for self-play;
            asked if ``gate_games`` are wanted.
        stopping: called in the middle of anything, at the first Ctrl-C, by one rank.
        measure_minutes: between two measures.
    """

    report: Callable[[dict[str, Any]], None] = lambda row: None
    progress: Callable[[str, float], None] = lambda what, share: None
    measure: Callable[[NetworkEvaluator], dict[str, float]] | None = None
    gate: Callable[[NetworkEvaluator, NetworkEvaluator, TrainSettings], bool] | None = None
    stopping: Callable[[], None] = say_that_it_finishes
    measure_minutes: float = 5.0
