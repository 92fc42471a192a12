"""Stored training runs, which chapter 10 and its bug clinic plot.

For each JSON file, the program of the same name in ``tools/`` repeats the training and writes the
file. Rounding differs between processors, so another processor gives different runs.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any

MINUTES = (0.25, 1.0, 2.0, 4.0, 6.0)  # minutes on one core after which both teachers are measured


def seed_runs() -> dict[str, list[list[dict[str, Any]]]]:
    """Returns chapter 10's training with ten seeds, by kind ("with random openings", "without").

    Returns:
        For each kind and seed, rows with ``games``; ``alone`` and ``searched``, the fractions of
        positions in which the network's move without search and with 25 simulations preserves the
        value; and ``line``, a game that the player with 25 simulations loses, or None if it is
        proven to lose none.
    """
    return _stored("seed_runs")


def setting_runs() -> dict[str, Any]:
    """Returns runs with the usual settings and three changes to them, five seeds each, by kind.

    Returns:
        For each kind, runs with ``rows``, one per iteration, and ``alone``, ``searched`` and
        ``line`` at the end (see ``seed_runs``). ``"match"`` is a match with and without tree reuse.
    """
    return _stored("setting_runs")


def window_runs() -> dict[str, list[list[dict[str, Any]]]]:
    """Returns chapter 10's training with other windows and simulations, five seeds each, by change.

    Returns:
        For each change and seed, rows as in ``seed_runs``, for 30 iterations.
    """
    return _stored("window_runs")


def two_teachers() -> list[dict[str, list[dict[str, float]]]]:
    """Returns the training of a network by ``"experts"`` and by ``"itself"``, for each seed.

    Returns:
        Rows with ``minutes``; ``accuracy``, the fraction of positions where the expert's move has
        the highest p; ``value_error``, the mean of (z - v)²; and ``elo``, relative to the strongest
        expert.
    """
    return _stored("two_teachers")


def training_runs() -> dict[str, dict[str, Any]]:
    """Returns the runs of bug clinic II by name, and two correct ones: "right", "right again"."""
    return _stored("training_runs")


@cache
def _stored(name: str) -> Any:
    return json.loads(files("azlearn.course").joinpath(f"{name}.json").read_text(encoding="utf-8"))
