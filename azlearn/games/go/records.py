"""Games of Go in the Smart Game Format (SGF, FF[4]), which every Go program reads and writes.

Texts are read and written by ``sgfmill`` (M. Woodcraft, licence MIT).
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from sgfmill import sgf

from azlearn.games.go.go import Go
from azlearn.games.go.sgf_text import NOT_GO, Text, read_texts

GIVEN_UP = {"R": "resigned", "T": "ran out of time", "F": "forfeited the game"}


def to_sgf(
    game: Go,
    actions: Sequence[int],
    black: str = "",
    white: str = "",
    result: str | None = None,
    comment: str = "",
) -> str:
    """A game as a record.

    Args:
        actions: from the first move on; the game need not be over.
        black, white: the players' names.
        result: as in ``"W+R"``, White has won because Black gave up; None: the score, if the game
            is over.
        comment: on the whole game.

    Raises:
        ValueError: an action is illegal.
    """
    record = sgf.Sgf_game(size=game.size)
    root, state = record.get_root(), game.initial_state()
    root.set("KM", game.komi)
    root.set("RU", "Chinese")  # area; FF[4] has no word for Tromp and Taylor's
    for name, value in (("PB", black), ("PW", white), ("C", comment)):
        if value:
            root.set(name, value)
    for action in actions:
        color = "bw"[game.to_play(state)]
        state = game.play(state, action)
        record.extend_main_sequence().set_move(color, _point(game, action))
    if result := _result(game, state) if result is None else result:
        root.set("RE", result)
    return record.serialise().decode("utf-8")


class Record(NamedTuple):
    """A game of a record, as it is played here."""

    game: Go
    actions: list[int]
    result: str  # as the record states it, such as "B+R"; "" if it does not
    remark: str  # what the record says otherwise than this package does, in sentences; or ""


def from_sgf(record: str | bytes) -> tuple[Go, list[int]]:
    """The game of a record, of its size and komi, and the actions of its main line.

    Moves after the end, which is two passes, are left off. A komi that cannot be read is the usual
    one.

    Raises:
        ValueError: as ``read_record``.
    """
    return read_record(record)[:2]


def read_record(record: str | bytes) -> Record:
    """The same, with what the record says of its result. Of several games it is the first.

    Raises:
        ValueError: it is no record of Go, of a board that this package does not play, begins with
            stones, or has a move that is illegal here. The message is one sentence.
    """
    return played(read_texts(record)[0])


def played(text: Text | str) -> Record:
    """The same of one of the games that ``read_texts`` gives."""
    if isinstance(text, str):
        if text == NOT_GO:
            raise ValueError("This SGF record is not of Go.")
        raise ValueError(f"This is no SGF record: {text}.")
    if text.size not in range(2, 10):
        size = f"{text.size}x{text.size}"
        raise ValueError(f"This record is of a {size} board; games here are of 2x2 to 9x9.")
    komi = text.komi()
    try:
        game = Go(text.size, komi=komi)
    except ValueError:
        game = Go(text.size)
    try:
        line = text.main_line()
    except ValueError as error:
        raise ValueError(f"The moves of this record cannot be read: {error}.") from None
    has_stones = [any(node.setup.values()) for node in line]
    if any(has_stones):
        when = "begins with stones on the board" if has_stones[0] else "sets up stones later on"
        raise ValueError(f"This record {when}.")
    moves = [move for node in line for move in node.moves]
    state, actions = game.initial_state(), []
    for number, (color, point) in enumerate(moves, start=1):
        if game.outcome(state) is not None:
            break
        if color != "bw"[game.to_play(state)]:
            raise ValueError(f"Move {number} of this record is of the player whose turn it is not.")
        action = game.num_actions - 1 if point is None else game.size * point[0] + point[1]
        if action not in game.legal_actions(state):
            label = game.action_label(action)
            raise ValueError(f"Move {number} of this record, {label}, is illegal here.")
        state = game.next_state(state, action)
        actions.append(action)
    return Record(
        game, actions, text.value("RE"), _remark(text, game, state, moves[len(actions) :])
    )


def _remark(text: Text, game: Go, state, left_off: list) -> str:
    """Where the record and this package differ, and why."""
    said, stated, ours = [], text.value("RE"), _result(game, state)
    if left_off:
        moves = "1 move" if len(left_off) == 1 else f"{len(left_off)} moves"
        said.append(f"The record goes on for {moves}, which are left off: the game is over here.")
    if text.value("KM") and text.komi() != game.komi:
        said.append(f"Its komi, {text.value('KM')[:20]!r}, is none here: {game.komi:g} is taken.")
    plain = plain_result(stated)
    if plain in ("", "?", ours) or (plain in ("B+", "W+") and plain == ours[:2]):
        return " ".join(said)
    if plain[:2] in ("B+", "W+") and plain[2:] in GIVEN_UP:
        why = f"{'White' if plain[0] == 'B' else 'Black'} {GIVEN_UP[plain[2:]]}"
    elif plain[:2] not in ("B+", "W+", "0"):
        why = f"here it is {ours}" if ours else "here the game goes on"
    elif left_off:
        why = "it was counted after those moves"
    elif not ours:
        why = "its moves do not end with two passes, so there is nothing to count yet"
    else:
        why = (
            f"here it is {ours}, since nobody removes dead stones: those left on the board count as"
            " alive"
        )
        if text.value("RU").lower()[:2] in ("ja", "jp", "ko"):
            why += ", and area counts, not territory"
        if not text.value("KM"):
            why += f", and no komi is stated, so that {game.komi:g} is taken"
    said.append(f"The record's own result is {stated[:40]}: {why}.")
    return " ".join(said)


def plain_result(result: str) -> str:
    """``"B+9.5"`` of ``"Black+9.50"``, ``"B+R"`` of ``"b+Resign"``, ``"0"`` of ``"Draw"``; others
    as they are."""
    if result.lower() in ("0", "draw", "jigo"):
        return "0"
    found = re.match(r"([BW])[a-z]*\s*\+\s*(\d+[.,]?\d*|[A-Z]?)", result, re.IGNORECASE)
    if not found:
        return result
    how = found[2].upper()
    how = f"{float(how.replace(',', '.')):g}" if how[:1].isdigit() else how
    return f"{found[1].upper()}+{how}"


def _result(game: Go, state) -> str:
    """``"B+2.5"``; "" while the game goes on."""
    if game.outcome(state) is None:
        return ""
    score = game.score(state)
    return f"{'BW'[score < 0]}+{abs(score):g}" if score else "0"


def _point(game: Go, action: int) -> tuple[int, int] | None:
    """Row and column as sgfmill counts them, from below; None for a pass."""
    if action == game.num_actions - 1:
        return None
    row, col = divmod(action, game.size)
    return game.size - 1 - row, col
