"""Reads and writes Go games in the Smart Game Format (SGF, FF[4]), which every Go program supports.

The format itself is handled by ``sgfmill`` (M. Woodcraft, license MIT).
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
    """Writes a game as SGF text.

    Args:
        actions: starting with the first move; the game need not be over.
        black, white: the players' names.
        result: in SGF notation, such as ``"W+R"`` if White won because Black resigned; None: the
            score, if the game is over.
        comment: a comment on the whole game.

    Raises:
        ValueError: an action is illegal.
    """
    record = sgf.Sgf_game(size=game.size)
    root, state = record.get_root(), game.initial_state()
    root.set("KM", game.komi)
    root.set("RU", "Chinese")  # means area scoring; FF[4] has no word for the Tromp–Taylor rules
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
    """A game from an SGF file, played by this package's rules."""

    game: Go
    actions: list[int]
    result: str  # as stated in the file, such as "B+R"; "" if it is not stated
    remark: str  # sentences on how the file differs from this package; "" if it does not


def from_sgf(record: str | bytes) -> tuple[Go, list[int]]:
    """Returns the game of an SGF file, with its size and komi, and the actions of its main line.

    Moves after the end (two passes) are left out. A komi that cannot be read is replaced by the
    default.

    Raises:
        ValueError: as ``read_record``.
    """
    return read_record(record)[:2]


def read_record(record: str | bytes) -> Record:
    """Reads the first game of an SGF file, with its stated result.

    Raises:
        ValueError: the text is not a Go game in SGF, its board size is not supported, it sets up
            stones, or it has a move that is illegal here. The message is one
            sentence.
    """
    return played(read_texts(record)[0])


def played(text: Text | str) -> Record:
    """``read_record`` for one of the games that ``read_texts`` returns."""
    if isinstance(text, str):
        if text == NOT_GO:
            raise ValueError("This record is not a game of Go.")
        raise ValueError(f"This is not a valid SGF record: {text}.")
    if text.size not in range(2, 10):
        size = f"{text.size}x{text.size}"
        raise ValueError(f"This record is on a {size} board, but azlearn supports only 2x2 to 9x9.")
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
        when = "starts with stones on the board" if has_stones[0] else "sets up stones later on"
        raise ValueError(f"This record {when}, which azlearn does not support.")
    moves = [move for node in line for move in node.moves]
    state, actions = game.initial_state(), []
    for number, (color, point) in enumerate(moves, start=1):
        if game.outcome(state) is not None:
            break
        if color != "bw"[game.to_play(state)]:
            raise ValueError(f"Move {number} of this record was made by the wrong player.")
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
    """Explains how the SGF file and this package differ."""
    said, stated, ours = [], text.value("RE"), _result(game, state)
    if left_off:
        moves = "1 move" if len(left_off) == 1 else f"{len(left_off)} moves"
        verb = "is" if len(left_off) == 1 else "are"
        said.append(f"Here the game is already over, so the record's last {moves} {verb} left out.")
    if text.value("KM") and text.komi() != game.komi:
        komi = repr(text.value("KM")[:20])
        said.append(f"The record's komi, {komi}, is not possible here; {game.komi:g} is used.")
    plain = plain_result(stated)
    if plain in ("", "?", ours) or (plain in ("B+", "W+") and plain == ours[:2]):
        return " ".join(said)
    if plain[:2] in ("B+", "W+") and plain[2:] in GIVEN_UP:
        why = f"{'White' if plain[0] == 'B' else 'Black'} {GIVEN_UP[plain[2:]]}"
    elif plain[:2] not in ("B+", "W+", "0"):
        why = f"here it is {ours}" if ours else "here the game is not over"
    elif left_off:
        why = "it was counted after those moves"
    elif not ours:
        why = "its moves do not end with two passes, so there is nothing to count yet"
    else:
        why = (
            f"here it is {ours}, because dead stones are not removed: all stones left on the board"
            " count as alive"
        )
        if text.value("RU").lower()[:2] in ("ja", "jp", "ko"):
            why += ", and area counts, not territory"
        if not text.value("KM"):
            why += f", and no komi is stated, so {game.komi:g} is used"
    said.append(f"The record's own result is {stated[:40]}: {why}.")
    return " ".join(said)


def plain_result(result: str) -> str:
    """Normalizes a result, such as ``"Black+9.50"`` to ``"B+9.5"``.

    Similarly ``"b+Resign"`` becomes ``"B+R"``, and ``"Draw"`` becomes ``"0"``. A text that is not
    a result is returned unchanged.
    """
    if result.lower() in ("0", "draw", "jigo"):
        return "0"
    found = re.match(r"([BW])[a-z]*\s*\+\s*(\d+[.,]?\d*|[A-Z]?)", result, re.IGNORECASE)
    if not found:
        return result
    how = found[2].upper()
    how = f"{float(how.replace(',', '.')):g}" if how[:1].isdigit() else how
    return f"{found[1].upper()}+{how}"


def _result(game: Go, state) -> str:
    """The result, such as ``"B+2.5"``; "" while the game is not over."""
    if game.outcome(state) is None:
        return ""
    score = game.score(state)
    return f"{'BW'[score < 0]}+{abs(score):g}" if score else "0"


def _point(game: Go, action: int) -> tuple[int, int] | None:
    """Row and column as sgfmill counts them, from the bottom; None for a pass."""
    if action == game.num_actions - 1:
        return None
    row, col = divmod(action, game.size)
    return game.size - 1 - row, col
