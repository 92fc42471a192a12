"""What a run tells of a stretch of self-play."""


def play_figures(totals: dict[str, float], seconds: float) -> dict[str, float]:
    """For a row of the log.

    Args:
        totals: by name, the ``Statistics`` of all ranks together.
        seconds: that it took.
    """
    games = max(totals["games"], 1)
    return {
        "play_seconds": seconds,
        "games_per_second": totals["games"] / seconds,
        "moves_per_second": totals["moves"] / seconds,
        "evaluations_per_second": totals["evaluations"] / seconds,
        "cached_share": totals["cached"] / (totals["cached"] + totals["evaluations"]),
        "first_player_wins": totals["wins"] / games,
        "draws": totals["draws"] / games,
        "plies": totals["plies"] / games,
        "resigned": totals["resigned"] / games,
        "decided": totals["decided"] / games,
        "false_resignations": totals["false_resignations"] / max(totals["played_out"], 1),
        "target_entropy": totals["entropy"] / max(totals["samples"], 1),
    }
