"""Games of Go in the Smart Game Format (SGF, FF[4]), which every Go program reads and writes.

Texts are read and written by ``sgfmill`` (M. Woodcraft, licence MIT).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from sgfmill import sgf

from azlearn.games.go.go import Go


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
    if result is None and game.outcome(state) is not None:
        score = game.score(state)
        result = f"{'BW'[score < 0]}+{abs(score):g}" if score else "0"
    if result is not None:
        root.set("RE", result)
    return record.serialise().decode("utf-8")


def from_sgf(record: str | bytes) -> tuple[Go, list[int]]:
    """The game of a record, of its size and komi, and the actions of its main line.

    Raises:
        ValueError: it is no record of Go, of a board that this package does not play, begins with
            stones, or has a move that is illegal here. The message is one sentence.
    """
    content = record.encode() if isinstance(record, str) else record
    try:
        read = sgf.Sgf_game.from_bytes(content)
    except (ValueError, LookupError) as error:  # LookupError: an encoding that nobody knows
        raise ValueError(f"This is no SGF record: {error}.") from None
    root = read.get_root()
    if root.has_property("GM") and root.get_raw("GM").strip() != b"1":
        raise ValueError("This SGF record is not of Go.")
    if read.get_size() not in range(2, 10):
        size = f"{read.get_size()}x{read.get_size()}"
        raise ValueError(f"This record is of a {size} board; games here are of 2x2 to 9x9.")
    game = Go(read.get_size())
    with _told("komi"):
        if root.has_property("KM"):
            game = replace(game, komi=read.get_komi())
    with _told("line of moves"):
        line = read.get_main_sequence()
        has_stones = [any(node.get_setup_stones()) for node in line]
        moves = [node.get_move() for node in line]
    if any(has_stones):
        when = "begins with stones on the board" if has_stones[0] else "sets up stones later on"
        raise ValueError(f"This record {when}.")
    state, actions = game.initial_state(), []
    for color, point in moves:
        if color is None:
            continue
        number = len(actions) + 1
        if color != "bw"[game.to_play(state)]:
            raise ValueError(f"Move {number} of this record is of the player whose turn it is not.")
        action = game.num_actions - 1
        if point is not None:
            action = game.size * (game.size - 1 - point[0]) + point[1]
        if action not in game.legal_actions(state):
            label = game.action_label(action)
            raise ValueError(f"Move {number} of this record, {label}, is illegal here.")
        state = game.next_state(state, action)
        actions.append(action)
    return game, actions


@contextmanager
def _told(part: str) -> Iterator[None]:
    """A ValueError says which part of the record it is about."""
    try:
        yield
    except ValueError as error:
        said = str(error).rstrip(".") or "a point is not on the board"
        raise ValueError(f"The {part} of this record cannot be read: {said}.") from None


def _point(game: Go, action: int) -> tuple[int, int] | None:
    """Row and column as sgfmill counts them, from below; None for a pass."""
    if action == game.num_actions - 1:
        return None
    row, col = divmod(action, game.size)
    return game.size - 1 - row, col
