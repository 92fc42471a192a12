"""A league: every player meets every other, in rounds that can be stopped and resumed."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from itertools import combinations
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from azlearn.arena.match import Match, PlayedGame, play_match
from azlearn.arena.openings import random_openings
from azlearn.arena.players import Player
from azlearn.arena.tournament import check_names
from azlearn.games.named import word_of
from azlearn.json_validation import read_json

OPENINGS_AT_ONCE = 2  # per pair in a round, so that rounds are short
_ROW = {
    "a": str, "b": str, "opening": str, "moves": str, "a_first": bool, "score": (float, None),
    "remark": str,
}  # fmt: skip


def play_league(
    players: Sequence[Player],
    file: Path,
    games: int = 8,
    seed: int = 0,
    minutes: float | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> None:
    """Plays the games that the file does not contain yet, and appends them to it.

    Every opening is played twice by each pair, with colors swapped; if the file contains only one
    of the two games, both are played again. A round has two openings for every pair, so the table
    is fair after every round.

    Args:
        file: one line of JSON per game. It may already contain this league's games (same seed); an
            unfinished last line is then removed.
        games: per pair; an even number.
        minutes: stop before the next match after this time; None: play everything.
        progress: called with the share of games that are played.

    Raises:
        ValueError: an odd number of games, fewer than two players, two with the same name, or the
            file contains games of another game or seed.
        OSError: the file cannot be read or written.
        CorruptFileError: the file is not a league's.
    """
    check_names(players)
    if games < 2 or games % 2:
        raise ValueError(f"games must be an even number above 0, not {games}.")
    game = players[0].game
    origin = {"game": word_of(game) or game.name, "seed": int(seed)}
    played = _resume(file, origin)
    openings = random_openings(game, games // 2, rng=seed, or_fewer=True)
    pairs = [*combinations(sorted(players, key=lambda player: player.name), 2)]
    end = np.inf if minutes is None else monotonic() + 60 * minutes
    total, number = len(pairs) * len(openings), 0
    for first in range(0, len(openings), OPENINGS_AT_ONCE):
        for a, b in pairs:
            wanted = openings[first : first + OPENINGS_AT_ONCE]
            left = [
                opening
                for opening in wanted
                if {(a.name, b.name, opening, a_first) for a_first in (True, False)} - played
            ]
            if left and monotonic() < end:
                _append(file, origin | {"a": a.name, "b": b.name}, play_pair(a, b, left, seed))
            number += len(wanted)
            progress(number / total)


def matches_of(file: Path, names: Sequence[str]) -> list[Match]:
    """The match of each pair of these players that has finished a game.

    If a game was played again, only its last result counts.

    Raises:
        OSError: the file cannot be read.
        CorruptFileError: the file is not a league's.
    """
    found: dict[tuple[str, str], dict[tuple[str, bool], PlayedGame]] = {}
    for row in _rows(file):
        game = PlayedGame(*(row[field.name] for field in fields(PlayedGame)))
        found.setdefault((row["a"], row["b"]), {})[game.opening, game.a_first] = game
    return [
        Match.of(*pair, games.values())
        for pair, games in found.items()
        if {*pair} <= {*names} and any(game.score is not None for game in games.values())
    ]


def play_pair(a: Player, b: Player, openings: Sequence[str], seed: int) -> list[PlayedGame]:
    """Plays each opening twice."""
    found: list[PlayedGame] = []
    pair_seed = np.random.default_rng([seed, *f"{a.name} {b.name}".encode()]).integers(2**32)
    try:
        play_match(a, b, 2 * len(openings), int(pair_seed), openings, done=found.append)
    except ValueError:
        if len(found) < 2 * len(openings):  # else all games are void
            raise
    return found


def _append(file: Path, described: dict[str, Any], games: Sequence[PlayedGame]) -> None:
    lines = (json.dumps(described | asdict(game)) + "\n" for game in games)
    with file.open("a", encoding="utf-8") as out:
        out.write("".join(lines))


def _resume(file: Path, origin: dict[str, Any]) -> set[tuple[str, str, str, bool]]:
    """Prepares a file for more games; returns ``a``, ``b``, ``opening``, ``a_first`` of its games.

    Args:
        origin: the game and the seed. Earlier versions did not save them.
    """
    rows = _rows(file)
    for row in rows:
        there = {name: row.get(name, value) for name, value in origin.items()}
        if there != origin:
            raise ValueError(
                f"{file} contains games of {there['game']} with seed {there['seed']}, not of"
                f" {origin['game']} with seed {origin['seed']}. Use a new folder."
            )
    content = file.read_bytes() if file.exists() else b""
    if (end := content.rfind(b"\n") + 1) < len(content):  # the disk was full, or the power failed
        os.truncate(file, end)
    return {(row["a"], row["b"], row["opening"], row["a_first"]) for row in rows}


def _rows(file: Path) -> list[dict[str, Any]]:
    """Reads the games; an unfinished last line is ignored.

    Raises:
        CorruptFileError: another line is damaged.
    """
    lines = file.read_bytes().split(b"\n")[:-1] if file.exists() else []
    return [read_json(line, _ROW, f"Line {i} of {file}") for i, line in enumerate(lines, 1)]
