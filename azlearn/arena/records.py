"""Games of a match as records that other programs can read."""

from azlearn.arena.gtp_player import action_of
from azlearn.arena.match import PlayedGame
from azlearn.games import Go
from azlearn.games.go.records import to_sgf


def as_sgf(game: Go, played: PlayedGame, a: str, b: str) -> str:
    """Returns a game between ``a`` and ``b`` in the Smart Game Format.

    A comment says why a game was given up or is void.
    """
    black, white = (a, b) if played.a_first else (b, a)
    actions = [action_of(game, word) for word in played.moves.split()]
    result = None
    if played.score is None:
        result = "Void"
    elif played.remark:
        result = result_of("BW"[played.a_first != (played.score == 1)], played.remark)
    return to_sgf(game, actions, black, white, result, played.remark)


def result_of(winner: str, remark: str) -> str:
    """Returns the result in a record if the loser resigned (``B+R``) or forfeited (``B+F``).

    Args:
        winner: "B" or "W".
        remark: the text of a ``Forfeit``.
    """
    return f"{winner}+{'R' if remark.endswith('resigns.') else 'F'}"
