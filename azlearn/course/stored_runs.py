"""Trainings that were made once and kept as JSON: chapter 10 and its bug clinic draw them.

The program of each name in ``tools/`` trains them anew and writes its file. Another processor
rounds otherwise and so gives other runs.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any

MINUTES = (0.25, 1.0, 2.0, 4.0, 6.0)  # of a processor core, when the two teachers are measured


def seed_runs() -> dict[str, list[list[dict[str, Any]]]]:
    """Chapter 10's training on ten seeds: by kind ("with random openings", "without") and seed.

    Returns:
        Rows of ``games``; ``alone`` and ``searched``, the shares of positions in which the move of
        the network, and of its search with 25 simulations, keeps the value; and ``line``, a game
        that the player with 25 simulations loses, or None: proof that it loses none.
    """
    return _stored("seed_runs")


def setting_runs() -> dict[str, Any]:
    """Three settings, five seeds each, by kind; ``"match"``: the tree kept against itself without.

    Returns:
        Runs of ``rows``, one an iteration, and of ``alone``, ``searched`` and ``line`` at the end.
    """
    return _stored("setting_runs")


def two_teachers() -> list[dict[str, list[dict[str, float]]]]:
    """One network taught by ``"experts"`` and by ``"itself"``; for each seed the rows.

    Returns:
        Rows of ``minutes``; ``accuracy``, the share of the experts' moves with the highest p;
        ``value_error``, the mean of (z - v)²; and ``elo`` above the strongest expert.
    """
    return _stored("two_teachers")


def training_runs() -> dict[str, dict[str, Any]]:
    """The runs of the bug clinic, by name, and two right ones, "right" and "right again"."""
    return _stored("training_runs")


@cache
def _stored(name: str) -> Any:
    return json.loads(files("azlearn.course").joinpath(f"{name}.json").read_text(encoding="utf-8"))
