"""Games of a match as records that other programs read."""

from azlearn.arena.gtp_player import action_of
from azlearn.arena.match import PlayedGame
from azlearn.games import Go
from azlearn.games.go.records import to_sgf


def as_sgf(game: Go, played: PlayedGame, a: str, b: str) -> str:
    """A game between ``a`` and ``b`` in the Smart Game Format.

    Of one that was given up the result says whether by a word (``B+R``) or otherwise (``B+F``), and
    a comment why.
    """
    black, white = (a, b) if played.a_first else (b, a)
    actions = [action_of(game, word) for word in played.moves.split()]
    result = None
    if played.remark:
        winner = "B" if played.a_first == (played.score == 1) else "W"
        result = f"{winner}+{'R' if played.remark.endswith('resigns.') else 'F'}"
    return to_sgf(game, actions, black, white, result, played.remark)
