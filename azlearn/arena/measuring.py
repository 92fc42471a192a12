"""How often a player keeps what it has: its moves held against a solver's."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from tqdm.auto import tqdm

from azlearn.arena.players import CompiledUCTPlayer, Player, RandomPlayer, UCTPlayer
from azlearn.arena.positions import Position, load_positions
from azlearn.arena.statistics import wilson_interval
from azlearn.games import ConnectFour

PLY_BANDS = ((0, 8), (9, 17), (18, 26), (27, 41))


def accuracy(
    player: Player, positions: Sequence[Position], seed: int = 0, progress: bool = False
) -> dict[str, Any]:
    """The share of positions in which ``player`` keeps the value, and in which it plays best.

    Args:
        seed: with the position it seeds a generator for each choice, so that the result depends
            neither on the order of the positions nor on which others there are.
        progress: show a progress bar.

    Returns:
        ``n``, ``value_preserving``, ``optimal_score`` (rates in [0, 1]) with 95 % Wilson intervals
        in ``…_interval``, and the same for parts: ``quiet``, and ``by_ply`` in four bands.

    Raises:
        ValueError: the player chose an illegal action.
    """
    chosen = []
    for position in tqdm(positions, desc=player.name, disable=not progress, unit="position"):
        rng = np.random.default_rng([seed, *position.state])
        action = player.choose(position.state, rng)
        if action not in position.legal_actions:
            raise ValueError(
                f"{player.name} chose the illegal action {action!r} after {position.moves!r}."
            )
        chosen.append((position, action))
    by_ply = {
        f"{low}-{high}": _rates(chosen, lambda p, low=low, high=high: low <= p.ply <= high)
        for low, high in PLY_BANDS
    }
    return {
        **_rates(chosen, lambda position: True),
        "quiet": _rates(chosen, lambda position: position.tactic == "quiet"),
        "by_ply": {band: rates for band, rates in by_ply.items() if rates["n"]},
    }


def evaluate(
    player: str,
    positions: str | Path | None = None,
    simulations: Sequence[int] = (50, 200, 1000),
    seed: int = 0,
    progress: bool = False,
    readable: bool = False,
) -> list[dict[str, Any]]:
    """``accuracy`` of a player named by a word, once for each number of simulations.

    Args:
        player: ``"uct"`` or ``"random"`` (which takes no simulations and gives one row).
        positions: a file as in azlearn/data/README.md; None = the one that comes with the package.
        readable: search with the readable ``MCTS`` instead of the compiled UCT.

    Raises:
        ValueError: an unknown player, no simulations, or a file that is not in the format.
        FileNotFoundError: no such file.
    """
    game = ConnectFour()
    if player == "random":
        players: list[tuple[int, Player]] = [(0, RandomPlayer(game))]
    elif player == "uct":
        make: Callable = UCTPlayer if readable else CompiledUCTPlayer
        if not simulations or min(simulations) < 1:
            raise ValueError(f"uct needs 1 or more simulations, not {list(simulations)}.")
        players = [(n, make(game, n)) for n in simulations]
    else:
        raise ValueError(f"There is no player {player!r}; the players are 'random' and 'uct'.")
    labelled = load_positions(positions)
    return [
        {"player": player, "simulations": n, "seed": seed, **accuracy(p, labelled, seed, progress)}
        for n, p in players
    ]


def _rates(chosen: list[tuple[Position, int]], belongs: Callable[[Position], bool]) -> dict:
    part = [(position, action) for position, action in chosen if belongs(position)]
    rates: dict[str, Any] = {"n": len(part)}
    if part:
        for name, good in (
            ("value_preserving", Position.keeps_value),
            ("optimal_score", Position.is_optimal),
        ):
            successes = sum(good(position, action) for position, action in part)
            rates[name] = successes / len(part)
            rates[f"{name}_interval"] = wilson_interval(successes, len(part))
    return rates
