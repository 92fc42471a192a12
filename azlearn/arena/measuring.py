"""Measures a player's strength: by a solver's judgment of its moves, or else by games."""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from azlearn.arena.gtp_program import PATIENCE
from azlearn.arena.match import play_match
from azlearn.arena.network_players import NetworkPlayer, PUCTPlayer
from azlearn.arena.player_specs import make_player, network_player, searches, split_word
from azlearn.arena.players import CompiledUCTPlayer, Player, choose_all
from azlearn.arena.positions import Position, load_positions
from azlearn.arena.proof import find_losing_line
from azlearn.games import ConnectFour
from azlearn.games.notation import named
from azlearn.games.rules_game import RulesGame
from azlearn.intervals import wilson_interval
from azlearn.progress_bar import Progress, shown

PLY_BANDS = ((0, 8), (9, 17), (18, 26), (27, 41))
AT_ONCE = (16, 64, 256)  # positions between two reports: first 16, then 64, then always 256
UCT_AGAINST_NONE = 50  # simulations of UCT against a network without search

Choice = tuple[Position, int]  # a position and the action chosen there
Row = dict[str, Any]  # of a table, ready for JSON


def accuracy(
    player: Player,
    positions: Sequence[Position],
    seed: int = 0,
    progress: bool | Progress = False,
) -> dict[str, Any]:
    """Measures how often ``player`` preserves a position's value, and how often it plays best.

    Args:
        seed: seeds a generator for each choice, together with the position; a result therefore
            does not depend on the other positions or their order.
        progress: True shows a progress bar; a function is called with the fraction done.

    Returns:
        ``n``, ``value_preserving``, ``optimal_score`` (rates in [0, 1]) with 95% Wilson intervals
        in ``…_interval``, and the same for parts: ``quiet``; ``by_ply`` in four bands,
        ``by_tactic`` and ``by_subset``, each a dict of the parts that occur.

    Raises:
        ValueError: the player chose an illegal action.
    """
    chosen: list[Choice] = []
    # A file starts with openings, whose searches take longest: shuffle for steady progress.
    mixed = [positions[i] for i in np.random.default_rng(0).permutation(len(positions))]
    # If the player chooses one move at a time, report each one, so that the bar moves steadily.
    sizes = iter(AT_ONCE if hasattr(player, "choose_batch") else (1,))
    size = 1
    with shown(progress, player.name) as report:
        while part := mixed[len(chosen) : len(chosen) + (size := next(sizes, size))]:
            rngs = [np.random.default_rng([seed, *position.state]) for position in part]
            actions = choose_all(player, [position.state for position in part], rngs)
            for position, action in zip(part, actions, strict=True):
                if action not in position.legal_actions:
                    raise ValueError(
                        f"{player.name} chose {named(ConnectFour(), action)}, which is illegal"
                        f" after {position.moves!r}."
                    )
                chosen.append((position, action))
            report(len(chosen) / len(mixed))
    bands = {band: f"{band[0]}-{band[1]}" for band in PLY_BANDS}
    by_ply = _parts(
        chosen, lambda p: next(name for (_, high), name in bands.items() if p.ply <= high)
    )
    by_tactic = _parts(chosen, lambda position: position.tactic)
    return {
        **_rates(chosen),
        "quiet": by_tactic.get("quiet", _rates([])),
        "by_ply": {name: by_ply[name] for name in bands.values() if name in by_ply},
        "by_tactic": by_tactic,
        "by_subset": _parts(chosen, lambda position: position.subset),
    }


def evaluate(
    player: str,
    positions: str | Path | None = None,
    simulations: Sequence[int] = (50, 200, 1000),
    seed: int = 0,
    progress: bool = False,
    readable: bool = False,
    done: Callable[[Row], None] | None = None,
) -> list[Row]:
    """Returns the ``accuracy`` of a player named by a word, for each number of simulations.

    Args:
        player: as in ``make_player``. A player without search gets one row, with 0 simulations.
        positions: a file as in azlearn/data/README.md; None: the one that comes with the package.
        simulations: 0 means a network's policy without search.
        readable: search with the readable ``MCTS`` instead of the compiled UCT.
        done: called with every row as soon as it is measured.

    Raises:
        ValueError: an unknown player, one of a game other than Connect Four, no simulations, or a
            file in another format.
        FileNotFoundError: no such file.
    """
    game, budgets = ConnectFour(), _budgets(player, simulations)
    players = [make_player(player, game, n, readable=readable) for n in budgets]
    labelled, rows = load_positions(positions), []
    for n, subject in zip(budgets, players, strict=True):
        rates = accuracy(subject, labelled, seed, progress)
        rows.append({"player": player, "simulations": n, "seed": seed, **rates})
        if done is not None:
            done(rows[-1])
    return rows


def against_uct(
    player: str,
    game: RulesGame | None = None,
    simulations: Sequence[int] = (50, 200),
    games: int = 200,
    seed: int = 0,
    progress: bool = False,
    done: Callable[[Row], None] | None = None,
    patience: float | Sequence[float] = PATIENCE,
) -> list[Row]:
    """Returns the score against UCT with equal simulations, for games that are not solved.

    Args:
        player, game, patience: as in ``make_player``. A player without search gets one row, with 0
            simulations.
        simulations: 0 means a network's policy without search; UCT then has ``UCT_AGAINST_NONE``.
        done: called with every row as soon as it is played.

    Returns:
        ``Match.table`` for each number of simulations.

    Raises:
        ValueError: an unknown player, one of another game, no simulations.
        FileNotFoundError: no such file.
    """
    rows, budgets = [], _budgets(player, simulations)
    # Load all first: a run in training replaces its newest network.
    players = [make_player(player, game, n, patience=patience) for n in budgets]
    for n, subject in zip(budgets, players, strict=True):
        uct = CompiledUCTPlayer(subject.game, n or UCT_AGAINST_NONE)
        table = play_match(subject, uct, games, seed, progress=progress).table()
        rows.append({"player": player, "simulations": n, "seed": seed, **table})
        if done is not None:
            done(rows[-1])
    return rows


def strength_of(network) -> dict[str, float]:
    """Returns the strength of a network or an evaluator, in [0, 1], with a measure for its game.

    In Connect Four: the fraction of solved positions whose value it preserves, without search and
    with 50 simulations. In tic-tac-toe: whether it is unbeatable, without search and with 25. In
    other games: its score in 40 games against UCT, with 50 simulations each.
    """
    game = network.game
    if game.name == "tic_tac_toe":
        names, lines = ("unbeaten_alone", "unbeaten_at_25"), losing_lines(network).values()
        return {name: float(line is None) for name, line in zip(names, lines, strict=True)}
    player = PUCTPlayer(game, network, 50)
    if game.name == "connect_four":
        players = {
            "kept_alone": NetworkPlayer(game, network),
            "kept_at_50": player,
        }
        rates = {name: accuracy(one, load_positions()) for name, one in players.items()}
        return {name: rate["value_preserving"] for name, rate in rates.items()}
    return {"score_at_50": play_match(player, CompiledUCTPlayer(game, 50), games=40).score}


def losing_lines(network) -> dict[str, str | None]:
    """Returns games that a network loses without search and with 25 simulations; None if never.

    Use it for games as small as tic-tac-toe; see ``find_losing_line``.
    """
    players = {
        "without search": NetworkPlayer(network.game, network),
        "with 25 simulations per move": PUCTPlayer(network.game, network, 25),
    }
    return {how: find_losing_line(player, network.game) for how, player in players.items()}


def strength_over_time(
    run: str | Path,
    opponent: Player | str | None = "uct@50",
    simulations: int = 25,
    games: int = 100,
    seed: int = 0,
    after: int = -1,
) -> Iterator[dict[str, Any]]:
    """Measures every network that a run has kept, each in the same way.

    A row is yielded as soon as it is measured, so that a curve can grow.

    Args:
        run: its folder. If the run is still training, its newest network is loaded first.
        opponent: the opponent in all games: a player, or a word as in ``make_player``. None
            measures ``strength_of`` instead.
        simulations: per move, of the run's networks; 0 means without search.
        games: the number of games per network; must be even.
        after: leave out the networks up to this iteration, which you may already have measured.

    Yields:
        ``iteration``, ``minutes`` and ``self_play_games`` up to this network, and the result of
        ``Match.table`` or ``strength_of``.

    Raises:
        ValueError: there is no such run or opponent, or it plays another game.
    """
    from azlearn.learning import list_snapshots, load_network  # PyTorch takes seconds to import

    if not (kept := list_snapshots(run)):
        raise ValueError(f"There is no run with a network in {run}.")
    newest = load_network(kept.popitem()[1])  # now, because a run that trains replaces this file
    earlier = (load_network(path) for iteration, path in kept.items() if iteration > after)
    for loaded in chain(earlier, [newest]):
        counters = loaded.info.get("counters", {})
        iteration = counters.get("iteration", 0)
        if iteration <= after:
            continue
        if opponent is None:
            found = strength_of(loaded)
        else:
            player = network_player(loaded, simulations, f"{run}:{iteration}")
            other = make_player(opponent, player.game) if isinstance(opponent, str) else opponent
            found = play_match(player, other, games, seed).table()
        yield {
            "iteration": iteration,
            "minutes": counters.get("minutes", 0.0),
            "self_play_games": counters.get("games", 0),
            **found,
        }


def at_budgets(player: str, simulations: Sequence[int]) -> list[Player]:
    """Returns a Connect Four player with each of these numbers of simulations.

    A player without search is returned once.

    Raises:
        ValueError, OSError: as in ``make_player``.
    """
    return [make_player(player, ConnectFour(), n) for n in _budgets(player, simulations)]


def _budgets(player: str, simulations: Sequence[int]) -> Sequence[int]:
    """Returns the numbers of simulations with which to measure a player."""
    if not searches(player):
        return (0,)
    if (given := split_word(player)[1]) is not None:
        return (given,)
    if not isinstance(simulations, Sequence) or isinstance(simulations, str):
        raise ValueError(f"simulations must be a list of numbers, not {simulations!r:.80}.")
    if not simulations:
        raise ValueError(f"{player} needs at least one number of simulations.")
    return simulations


def _parts(chosen: Sequence[Choice], part_of: Callable[[Position], str]) -> dict[str, dict]:
    """Returns the rates of every part that ``part_of`` names, sorted by name."""
    parts: dict[str, list[Choice]] = {}
    for position, action in chosen:
        parts.setdefault(part_of(position), []).append((position, action))
    return {name: _rates(parts[name]) for name in sorted(parts)}


def _rates(part: Sequence[Choice]) -> dict[str, Any]:
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
