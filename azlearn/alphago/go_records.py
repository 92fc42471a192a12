"""Real Go records, from files in the Smart Game Format (SGF)."""

import re
from collections import Counter
from pathlib import Path
from typing import Literal, NamedTuple

from sgfmill import boards

from azlearn.alphago.game_records import GameRecord
from azlearn.games import Go
from azlearn.games.go.sgf_text import Point, Text, read_texts
from azlearn.whole_file import in_words


class GoMove(NamedTuple):
    """A move of a Go record."""

    color: Literal["b", "w"]
    point: Point | None  # None is a pass


class GoRecord(NamedTuple):
    """A game of Go: the main line of a record."""

    source: str  # the file's path in its folder, and the game's number if the file has several
    size: int  # of the board
    moves: list[GoMove]  # in handicap games White begins; colours need not alternate
    result: int | None  # for BLACK, who is the first player: 1, 0, -1; None: not known
    komi: float | None  # points for White; None: not stated
    handicap_stones: list[Point]  # Black's, on the board before the first move, in reading order
    ranks: tuple[str | None, str | None]  # Black's and White's, such as "6d", as written


class GoRecords(NamedTuple):
    """What a folder holds."""

    games: list[GoRecord]
    unread: dict[str, str]  # the files, or games of a file, that were left out, with the reason


def read_sgf(folder: str | Path) -> GoRecords:
    """Every game in the ``.sgf`` files of ``folder`` and of the folders in it, by name.

    A record is left out when its text is broken, when it is of another game, has no moves, starts
    from a problem, changes stones by hand or plays onto a stone. Ko and suicide are not judged:
    rules differ.

    Raises:
        FileNotFoundError: the folder holds no ``.sgf`` file.
    """
    folder, games, unread = Path(folder), [], {}
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() == ".sgf")
    if not paths:
        raise FileNotFoundError(f"{folder} holds no .sgf file.")
    for path in paths:
        name = str(path.relative_to(folder))
        try:
            texts = read_texts(path.read_bytes())
        except OSError as error:
            unread[name] = in_words(error)
            continue
        for number, text in enumerate(texts, start=1):
            source = name if len(texts) == 1 else f"{name}, game {number}"
            if isinstance(text, str):
                unread[source] = text
                continue
            try:
                games.append(_read_game(source, text))
            except ValueError as error:
                unread[source] = str(error)
    return GoRecords(games, unread)


def records_of(game: Go, folder: str | Path) -> tuple[list[GameRecord], dict[str, int]]:
    """The records of ``folder`` as games of ``game``, numbered, and how many were left out, by why.

    Komi is not compared: the result is what the record says, for its own.

    Raises:
        FileNotFoundError: the folder holds no ``.sgf`` file.
        ValueError: no record is of use.
    """
    read, games = read_sgf(folder), []
    reasons = (re.sub(r"\d+", "…", why) for why in read.unread.values())  # one for all moves
    skipped = Counter(f"unreadable ({why})" for why in reasons)
    for record in read.games:
        actions, why = _actions(game, record)
        if why:
            skipped[why] += 1
        else:
            moves = game.moves_text(actions)
            games.append(GameRecord(len(games), moves, record.result, (0, 0), 0))
    skipped = {why: n for why, n in skipped.items() if n}
    if not games:
        counts = ", ".join(f"{n} {why}" for why, n in skipped.items())
        raise ValueError(f"No record in {folder} is of use on {game.size}x{game.size}: {counts}.")
    return games, skipped


def _actions(game: Go, record: GoRecord) -> tuple[list[int], str]:
    """A record as actions, up to two passes; or why it is no game of ``game`` from the start on."""
    if record.size != game.size:
        return [], "of another size"
    if record.handicap_stones or any(
        move.color != "bw"[ply % 2] for ply, move in enumerate(record.moves)
    ):
        return [], "with handicap, or moves out of turn"
    if record.result is None:
        return [], "without a result"
    state, actions = game.initial_state(), []
    for action in (_action(game, move) for move in record.moves):
        if game.outcome(state) is not None:
            break
        if action not in game.legal_actions(state):
            return [], "with a move that is illegal here"
        state = game.next_state(state, action)
        actions.append(action)
    return actions, ""


def _action(game: Go, move: GoMove) -> int:
    if move.point is None:
        return game.num_actions - 1
    row, col = move.point
    return game.size * row + col


def _read_game(source: str, text: Text) -> GoRecord:
    line = text.main_line()
    first, *others = (node.setup for node in line)
    if first.get("AW"):
        raise ValueError("White has stones before the first move: a problem, not a game")
    if any(any(setup.values()) for setup in others):
        raise ValueError("it sets up stones later on")
    moves = [GoMove(*move) for node in line for move in node.moves]
    if not moves:
        raise ValueError("it has no moves")
    board = boards.Board(text.size)
    handicap_stones = first.get("AB", set()) - first.get("AE", set())
    for point in handicap_stones:
        board.play(*point, "b")
    for number, (color, point) in enumerate(moves, start=1):
        if point is not None:
            if board.get(*point) is not None:
                raise ValueError(f"move {number} is onto a stone")
            board.play(*point, color)
    return GoRecord(
        source,
        text.size,
        moves,
        _result(text.value("RE")),
        text.komi(),
        sorted(handicap_stones),
        (text.value("BR") or None, text.value("WR") or None),
    )


def _result(stated: str) -> int | None:
    """RE is "B+…" or "W+…", "0" or "Draw" for a draw, else not known (SGF FF[4], property RE)."""
    if winner := re.match(r"(b|w)(lack|hite)?\s*\+", stated, re.IGNORECASE):
        return 1 if winner[1].lower() == "b" else -1
    return 0 if stated.lower() in ("0", "draw", "jigo") else None
