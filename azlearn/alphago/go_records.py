"""Reads Go records in the Smart Game Format (SGF), as training data."""

import re
from collections import Counter
from pathlib import Path

from azlearn.alphago.expert_games import GameRecord
from azlearn.atomic_io import in_words
from azlearn.games import Go
from azlearn.games.go.records import plain_result, played
from azlearn.games.go.sgf_text import Text, read_texts

RESULTS = {"B+": 1, "W+": -1, "0": 0}  # for Black, the first player


def records_of(game: Go, folder: str | Path) -> tuple[list[GameRecord], dict[str, int]]:
    """Reads the games in all ``.sgf`` files of ``folder`` and its subfolders, ordered by path.

    The komi is not checked: the result is the recorded one, for the record's own komi.

    Returns:
        ``(games, skipped)``: the games of this board size, and the number skipped for each reason.

    Raises:
        FileNotFoundError: the folder contains no ``.sgf`` file.
        ValueError: no record can be used.
    """
    folder, games, skipped = Path(folder), [], Counter()
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() == ".sgf")
    if not paths:
        raise FileNotFoundError(f"{folder} contains no .sgf file.")
    for path in paths:
        try:
            texts = read_texts(path.read_bytes())
        except OSError as error:
            texts = [in_words(error)]
        for text in texts:
            try:
                moves, result = _read(game, text)
            except ValueError as error:
                # Remove the move's number, so that the same fault is counted under one reason.
                why = re.sub(r"Move \d+ of this record(, \w+,)?", "A move", str(error))
                skipped[f"({why.rstrip('.')})"] += 1
            else:
                games.append(GameRecord(len(games), moves, result, (0, 0), 0))
    if not games:
        counts = ", ".join(f"{n} {why}" for why, n in skipped.items())
        raise ValueError(f"No record in {folder} can be used on {game.size}x{game.size}: {counts}.")
    return games, dict(skipped)


def _read(game: Go, text: Text | str) -> tuple[str, int]:
    """Returns the moves and the result of a game; raises ValueError if it cannot be used."""
    record = played(text)
    result = plain_result(record.result)
    if record.game.size != game.size:
        raise ValueError("This record has another board size.")
    if not record.actions:
        raise ValueError("This record has no moves.")
    if (key := result if result == "0" else result[:2]) not in RESULTS:
        raise ValueError("This record has no result.")
    return game.moves_text(record.actions), RESULTS[key]
