"""Real Go records, from files in the Smart Game Format (SGF).

They are read by ``sgfmill`` (by M. Woodcraft, licence MIT, plain Python, no dependencies). Its last
release, 1.1.1, is of 2018, the last change to its code of 2023; the format, FF[4], changes no more.
"""

from collections import Counter
from pathlib import Path
from typing import Literal, NamedTuple

from sgfmill import sgf, sgf_grammar, sgf_moves

from azlearn.alphago.game_records import GameRecord
from azlearn.games import Go
from azlearn.whole_file import in_words

Point = tuple[int, int]  # row and column, row 0 at the top


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
            trees = sgf_grammar.parse_sgf_collection(path.read_bytes())
        except (ValueError, OSError) as error:
            unread[name] = in_words(error)
            continue
        for number, tree in enumerate(trees, start=1):
            source = name if len(trees) == 1 else f"{name}, game {number}"
            try:
                games.append(_read_game(source, tree))
            except (ValueError, LookupError) as error:
                unread[source] = str(error) or "a move is off the board or no point at all"
    return GoRecords(games, unread)


def records_of(game: Go, folder: str | Path) -> tuple[list[GameRecord], dict[str, int]]:
    """The records of ``folder`` as games of ``game``, numbered, and how many were left out, by why.

    Komi is not compared: the result is what the record says, for its own.

    Raises:
        FileNotFoundError: the folder holds no ``.sgf`` file.
        ValueError: no record is of use.
    """
    read, games = read_sgf(folder), []
    skipped = Counter({"unreadable": len(read.unread)})
    for record in read.games:
        if why := _fault(game, record):
            skipped[why] += 1
        else:
            moves = game.moves_text(_action(game, move) for move in record.moves)
            games.append(GameRecord(len(games), moves, record.result, (0, 0), 0))
    skipped = {why: n for why, n in skipped.items() if n}
    if not games:
        counts = ", ".join(f"{n} {why}" for why, n in skipped.items())
        raise ValueError(f"No record in {folder} is of use on {game.size}x{game.size}: {counts}.")
    return games, skipped


def _fault(game: Go, record: GoRecord) -> str | None:
    """Why a record is no game of ``game`` from its first position on."""
    if record.size != game.size:
        return "of another size"
    if record.handicap_stones or any(
        move.color != "bw"[ply % 2] for ply, move in enumerate(record.moves)
    ):
        return "with handicap, or moves out of turn"
    if record.result is None:
        return "without a result"
    state = game.initial_state()
    for action in (_action(game, move) for move in record.moves):
        if action not in game.legal_actions(state):
            return "with a move that is illegal here"
        state = game.next_state(state, action)
    return None


def _action(game: Go, move: GoMove) -> int:
    if move.point is None:
        return game.num_actions - 1
    row, col = move.point
    return game.size * row + col


def _read_game(source: str, tree) -> GoRecord:
    game = sgf.Sgf_game.from_coarse_game_tree(tree)
    root, size = game.get_root(), game.get_size()
    if root.has_property("GM") and root.get_raw("GM").strip() != b"1":
        raise ValueError("it is not a game of Go")
    black, white, _ = root.get_setup_stones()
    if white:
        raise ValueError("White has stones before the first move: a problem, not a game")
    board, moves = sgf_moves.get_setup_and_moves(game)
    if not moves:
        raise ValueError("it has no moves")
    for number, (color, point) in enumerate(moves, start=1):
        if point is not None:
            if board.get(*point) is not None:
                raise ValueError(f"move {number} is onto a stone")
            board.play(*point, color)

    def from_top(point: Point) -> Point:
        return size - 1 - point[0], point[1]  # sgfmill counts rows from below

    return GoRecord(
        source,
        size,
        [GoMove(color, None if point is None else from_top(point)) for color, point in moves],
        _result(game),
        float(game.get_komi()) if root.has_property("KM") else None,
        sorted(map(from_top, black)),
        tuple(root.get(rank) if root.has_property(rank) else None for rank in ("BR", "WR")),
    )


def _result(game) -> int | None:
    """RE is "B+…" or "W+…", "0" or "Draw" for a draw, else not known (SGF FF[4], property RE)."""
    if winner := game.get_winner():
        return 1 if winner == "b" else -1
    root = game.get_root()
    is_draw = root.has_property("RE") and root.get("RE").strip().lower() in ("0", "draw", "jigo")
    return 0 if is_draw else None
