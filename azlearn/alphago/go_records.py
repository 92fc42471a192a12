"""Real Go records, from files in the Smart Game Format (SGF), to learn from."""

import re
from collections import Counter
from pathlib import Path

from azlearn.alphago.expert_games import GameRecord
from azlearn.atomic_io import in_words
from azlearn.games import Go
from azlearn.games.go.records import plain_result, played
from azlearn.games.go.sgf_text import Text, read_texts

RESULTS = {"B+": 1, "W+": -1, "0": 0}  # for Black, who is the first player


def records_of(game: Go, folder: str | Path) -> tuple[list[GameRecord], dict[str, int]]:
    """The games in the ``.sgf`` files of ``folder`` and of the folders in it, by name; numbered.

    Komi is not compared: the result is what the record says, for its own.

    Returns:
        ``(games, skipped)``: the games of this size, and how many were left out, by why.

    Raises:
        FileNotFoundError: the folder holds no ``.sgf`` file.
        ValueError: no record is of use.
    """
    folder, games, skipped = Path(folder), [], Counter()
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() == ".sgf")
    if not paths:
        raise FileNotFoundError(f"{folder} holds no .sgf file.")
    for path in paths:
        try:
            texts = read_texts(path.read_bytes())
        except OSError as error:
            texts = [in_words(error)]
        for text in texts:
            try:
                moves, result = _read(game, text)
            except ValueError as error:
                # One reason for all moves of all games.
                why = re.sub(r"Move \d+ of this record(, \w+,)?", "A move", str(error))
                skipped[f"({why.rstrip('.')})"] += 1
            else:
                games.append(GameRecord(len(games), moves, result, (0, 0), 0))
    if not games:
        counts = ", ".join(f"{n} {why}" for why, n in skipped.items())
        raise ValueError(f"No record in {folder} is of use on {game.size}x{game.size}: {counts}.")
    return games, dict(skipped)


def _read(game: Go, text: Text | str) -> tuple[str, int]:
    """Moves and result of a game; ValueError with the reason where it is not to be learnt from."""
    record = played(text)
    result = plain_result(record.result)
    if record.game.size != game.size:
        raise ValueError("This record is of another size.")
    if not record.actions:
        raise ValueError("This record has no moves.")
    if (key := result if result == "0" else result[:2]) not in RESULTS:
        raise ValueError("This record has no result.")
    return game.moves_text(record.actions), RESULTS[key]
