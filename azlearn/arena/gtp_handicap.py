"""Handicap stones as the Go Text Protocol has them (section 4.1), on boards up to 9x9."""

from collections.abc import Sequence

from azlearn.arena.gtp_player import action_of
from azlearn.games import Go

_EDGE = 2  # lines between a stone and the edge


class Refused(Exception):
    """What a command asks for cannot be done; the text follows the ``?``."""


def fixed_handicap(game: Go, number: str) -> list[int]:
    """The points of so many handicap stones, as the protocol fixes them.

    Raises:
        Refused: fewer than two, or more than boards of this size have.
    """
    return _fixed(game.size, _counted(number, _most(game.size)))


def free_handicap(game: Go, number: str) -> list[int]:
    """Points for so many handicap stones: the fixed ones, then others in the middle and apart.

    Raises:
        Refused: fewer than two, or no point would be left.
    """
    size, count = game.size, _counted(number, game.size**2 - 1)
    points = _fixed(size, min(count, _most(size))) if _most(size) else []

    def rank(point: int) -> tuple[int, float]:
        row, col = divmod(point, size)
        return (row + col) % 2, abs(row - (size - 1) / 2) + abs(col - (size - 1) / 2)

    others = sorted({*range(size**2)} - {*points}, key=rank)
    return [*points, *others][:count]


def points_of(game: Go, vertices: Sequence[str]) -> list[int]:
    """The points that a client has chosen.

    Raises:
        Refused: fewer than two or all of them, one twice, a pass, or what is no point.
    """
    points = [action_of(game, vertex) for vertex in vertices]
    are_points = all(point in range(game.num_actions - 1) for point in points)
    if not are_points or len({*points}) < len(points) or not 2 <= len(points) < game.size**2:
        raise Refused("bad vertex list")
    return points


def _most(size: int) -> int:
    return 0 if size < 7 else 9 if size == 9 else 4


def _fixed(size: int, number: int) -> list[int]:
    low, middle, high = _EDGE, size // 2, size - 1 - _EDGE  # rows are counted from below
    places = [(high, high), (low, low), (high, low), (low, high)][:number]
    if number >= 6:
        places += [(middle, low), (middle, high)]
    if number >= 8:
        places += [(high, middle), (low, middle)]
    if number >= 5 and number % 2:
        places.append((middle, middle))
    return [size * (size - 1 - row) + col for row, col in places]


def _counted(number: str, most: int) -> int:
    if not number.isdecimal():
        raise Refused("syntax error")
    if not 2 <= int(number) <= most:
        raise Refused("invalid number of stones")
    return int(number)
