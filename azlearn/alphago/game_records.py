"""Games on the disk: a file of JSON lines for every part, that is either whole or known not to be.

The first line says what the file is and what its other lines' SHA-256 must be; each other line is a
game::

    {"number": 7, "moves": "4453...", "result": 1, "levels": [600, 200], "random_plies": 2}
"""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from azlearn.foreign_json import DamagedFile, read_json
from azlearn.whole_file import write_whole

FORMAT = "azlearn games 1"
_GAME = {"number": int, "moves": str, "result": int, "levels": [int], "random_plies": int}


class GameRecord(NamedTuple):
    """A finished game."""

    number: int  # with the seed of the settings it decides every random draw of the game
    moves: str  # as ``moves_text`` writes them: in Connect Four columns, 1 on the left
    result: int  # for the FIRST player: 1 a win, 0 a draw, -1 a loss
    levels: tuple[int, int]  # how strong the first and the second player are; UCT: rollouts a move
    random_plies: int  # so many first moves are uniformly random: no expert chose them


def write_part(path: Path, settings: dict[str, Any], records: list[GameRecord]) -> None:
    """Writes some games so that a kill leaves the whole file or none.

    Args:
        settings: of the games, JSON-able; they are kept in the file.

    Raises:
        OSError: no space, no permission; ``path`` is as it was.
    """
    lines = "".join(json.dumps(record._asdict()) + "\n" for record in records).encode()
    about = {"format": FORMAT, "settings": settings, "sha256": sha256(lines).hexdigest()}
    write_whole(path, json.dumps(about).encode() + b"\n" + lines)


def read_part(path: Path, settings: dict[str, Any], numbers: range) -> list[GameRecord]:
    """What ``write_part`` wrote.

    Raises:
        DamagedFile: it is cut short, changed or foreign, or holds games of other settings or
            ``numbers``.
    """
    first, _, lines = path.read_bytes().partition(b"\n")
    about = read_json(first, {"format": str, "sha256": str, "settings": {}}, path)
    if about["format"] != FORMAT:
        raise DamagedFile(f"{path} is of another kind: {about['format']!r}, not {FORMAT!r}.")
    if about["sha256"] != sha256(lines).hexdigest():
        raise DamagedFile(f"{path} is damaged: its games are cut short or changed.")
    games = [read_json(line, _GAME, path) for line in lines.splitlines()]
    records = [GameRecord(*(game[name] for name in GameRecord._fields)) for game in games]
    if about["settings"] != settings or [record.number for record in records] != list(numbers):
        raise DamagedFile(f"{path} holds other games than its folder's settings and its name say.")
    return [record._replace(levels=tuple(record.levels)) for record in records]
