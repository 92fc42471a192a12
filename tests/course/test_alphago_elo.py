"""The drawing of AlphaGo's players: every number of the tournaments stands where it belongs."""

import matplotlib.pyplot as plt
import pytest

from azlearn.arena.alphago_report import report, shipped
from azlearn.course.alphago_elo import KINDS, PAPER, draw_elo, name_of


@pytest.mark.parametrize(
    ("player", "name"),
    [
        ("λ = 0.5 100", "λ = 0.5"),
        ("rollouts only 90,608", "rollouts only"),
        ("λ = 0.5, p_ρ's priors 7", "λ = 0.5, p_ρ's priors"),
        ("p_σ only", "p_σ only"),
        ("AlphaGo Zero 53", "AlphaGo Zero"),
    ],
)
def test_a_players_name_is_without_its_simulations(player, name):
    assert name_of(player) == name


@pytest.mark.parametrize("game", ["connect4", "go7"])
def test_each_row_shows_its_players_elo(game):
    figures = report(shipped(game))
    fig, words = draw_elo(figures)
    labels = [tick.get_text() for tick in fig.axes[0].get_yticklabels()]
    for ax, kind in zip(fig.axes, KINDS, strict=False):
        ratings = {row["player"]: row for row in figures["search"][kind]["ratings"]}
        assert len(labels) == len(ratings)
        points = {line.get_ydata()[0]: line for line in ax.lines if line.get_marker() == "o"}
        ranges = {line.get_ydata()[0]: line for line in ax.lines if line.get_marker() != "o"}
        for player, row in ratings.items():
            y = next(k for k, label in enumerate(labels) if name_of(player) == label)
            assert list(points[y].get_xdata()) == [row["elo"]]
            assert list(ranges[y].get_xdata()) == row["elo_interval"]
            assert f"{row['elo']:+.0f}" in words
    (theirs,) = fig.axes[2].lines
    drawn = dict(zip(labels, theirs.get_xdata(), strict=True))
    assert {name: x for name, x in drawn.items() if x == x} == PAPER
    assert labels[-1] == name_of(figures["search"]["equal_simulations"]["ratings"][0]["player"])
    plt.close(fig)
