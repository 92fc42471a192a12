"""Draws the Elo of the players in the AlphaGo pipeline next to the paper's ratings."""

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from azlearn.viz import colors

KINDS = ("equal_simulations", "equal_time")
# Silver et al. 2016, Extended Data Table 7: 19x19 Go, 5 s per move.
PAPER = {
    "λ = 0.5": 2890,
    "λ = 1": 2416,
    "λ = 0": 2177,
    "value network only": 1655,
    "p_σ only": 1517,
    "rollouts only": 1457,
}


def name_of(player: str) -> str:
    """Returns a player's name without its simulations: "λ = 0.5" for "λ = 0.5 100"."""
    name, _, number = player.rpartition(" ")
    return name if number.replace(",", "").isdigit() else player


def elo_of_players(figures: dict[str, Any]) -> dict[str, dict[str, tuple[float, float, float]]]:
    """Returns (Elo, low, high) by kind of tournament and by player, the strongest first.

    Args:
        figures: the result of ``azlearn.arena.alphago_report.report``.

    Returns:
        ``low`` and ``high`` are the ends of the 95% confidence interval.
    """
    return {
        kind: {
            name_of(row["player"]): (row["elo"], *row["elo_interval"])
            for row in figures["search"][kind]["ratings"]
        }
        for kind in KINDS
    }


def draw_elo(figures: dict[str, Any]) -> tuple[Figure, str]:
    """Draws the Elo of both tournaments and the paper, by player; returns figure and alt text."""
    settings, elo = figures["settings"], elo_of_players(figures)
    players = list(elo["equal_simulations"])[::-1]
    titles = f"{settings['simulations']} simulations", f"{settings['milliseconds']:.0f} ms per move"
    fig, axes = plt.subplots(1, 3, figsize=(9.8, 3.6), sharey=True)
    for ax, kind, title in zip(axes[:2], KINDS, titles, strict=True):
        for y, name in enumerate(players):
            middle, low, high = elo[kind][name]
            ax.plot([low, high], [y, y], color=colors.LIGHT["pi"])
            ax.plot(middle, y, "o", color=colors.LIGHT["pi"])
        ax.set(title=title, xlabel="Elo, mean 0")
    theirs = [PAPER.get(name, np.nan) for name in players]
    axes[2].plot(theirs, range(len(players)), "D", color=colors.LIGHT["z"])
    axes[2].set(title="19x19 Go, 5 s per move", xlabel="the paper's Elo")
    axes[0].set_yticks(range(len(players)), players)
    words = "; ".join(
        f"{name}: {elo['equal_simulations'][name][0]:+.0f} and {elo['equal_time'][name][0]:+.0f},"
        f" paper {PAPER.get(name, 'none')}"
        for name in players[::-1]
    )
    return fig, words
