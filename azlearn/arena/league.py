"""A league: every player meets every other, in rounds that can be stopped and resumed."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from time import monotonic

import numpy as np

from azlearn.arena.match import Match, PlayedGame, play_match
from azlearn.arena.openings import random_openings
from azlearn.arena.players import Player
from azlearn.arena.tournament import check_names
from azlearn.json_validation import read_json

OPENINGS_AT_ONCE = 2  # of one pair, so that every round is short
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

    Every opening is played twice by each pair, with colors swapped. A round has two openings for
    every pair, so the table is fair after every round.

    Args:
        file: one line of JSON per game. It may exist, with games of the same seed.
        games: per pair; an even number.
        minutes: stop before the next match after this time; None: play everything.
        progress: called with the share of games that are played.

    Raises:
        ValueError: an odd number of games, two players of one name, or fewer than two players.
        OSError: the file cannot be written.
        CorruptFileError: the file is not a league's.
    """
    check_names(players)
    if games < 2 or games % 2:
        raise ValueError(f"games must be an even number above 0, not {games}.")
    openings = random_openings(players[0].game, games // 2, rng=seed, or_fewer=True)
    pairs = [*combinations(sorted(players, key=lambda player: player.name), 2)]
    played = read_games(file)
    end = np.inf if minutes is None else monotonic() + 60 * minutes
    total, number = len(pairs) * len(openings), 0
    for first in range(0, len(openings), OPENINGS_AT_ONCE):
        for a, b in pairs:
            wanted = openings[first : first + OPENINGS_AT_ONCE]
            known = {game.opening for game in played.get((a.name, b.name), [])}
            left = [opening for opening in wanted if opening not in known]
            if left and monotonic() < end:
                games_of = play_pair(a, b, left, seed)
                _append(file, a.name, b.name, games_of)
                played.setdefault((a.name, b.name), []).extend(games_of)
            number += len(wanted)
            progress(number / total)


def matches_of(file: Path, names: Sequence[str]) -> list[Match]:
    """The match of each pair of these players that has finished a game.

    Raises:
        OSError, CorruptFileError: as in ``read_games``.
    """
    return [
        Match.of(*pair, found)
        for pair, found in read_games(file).items()
        if {*pair} <= {*names} and any(game.score is not None for game in found)
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


def _append(file: Path, a: str, b: str, games: Sequence[PlayedGame]) -> None:
    lines = (json.dumps({"a": a, "b": b, **asdict(game)}) + "\n" for game in games)
    with file.open("a", encoding="utf-8") as out:
        out.write("".join(lines))


def read_games(file: Path) -> dict[tuple[str, str], list[PlayedGame]]:
    """Reads the games by pair; an unfinished last line is ignored.

    Raises:
        CorruptFileError: another line is damaged.
    """
    found: dict[tuple[str, str], list[PlayedGame]] = {}
    lines = file.read_bytes().split(b"\n") if file.exists() else []
    for number, line in enumerate(lines[:-1], 1):
        row = read_json(line, _ROW, f"Line {number} of {file}")
        found.setdefault((row.pop("a"), row.pop("b")), []).append(PlayedGame(**row))
    if lines and lines[-1]:  # the disk was full, or the power failed
        file.write_bytes(b"\n".join([*lines[:-1], b""]))
    return found
