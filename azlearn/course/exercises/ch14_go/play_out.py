"""Two passes (14.6): games along a script, and z for each player, by hand.

A position here holds the moves so far, which keeps the arithmetic of Go out of it.
"""

from typing import NamedTuple

from azlearn.course.kit import Case, gives, row
from azlearn.course.small_go import PASS


class Position(NamedTuple):
    """The game so far: letters, and - for a pass."""

    moves: str = ""


FEW = 40  # moves after which nobody waits for the end any longer


def game(moves: str, points: tuple[int, int], komi: float, max_plies: int, *z: int) -> Case:
    """Moves: - for a pass, else any letter. Points: Black's and White's in the end, without komi."""
    words = (
        f"the game {moves} (- is a pass), {points[0]} to {points[1]} points on the board,"
        f" komi = {komi:g}, max_plies = {max_plies}"
    )
    return Case(words, (moves, points, komi, max_plies), {"z": [*z]} if z else None)


CASES = [
    game("ab--", (14, 11), 0.5, 50, 1, -1, 1, -1),
    game("ab--", (12, 12), 0.5, 50, -1, 1, -1, 1),
    game("abc--", (14, 11), 3.5, 50, -1, 1, -1, 1, -1),
    game("a-b-c--", (20, 5), 0.5, 50, 1, -1, 1, -1, 1, -1, 1),
    game("--", (0, 0), 0.5, 50, -1, 1),
    game("--", (1, 0), 0.5, 50, 1, -1),
    game("--", (0, 0), -0.5, 50, 1, -1),
    game("-ab-cd--", (12, 13), 0, 50, -1, 1, -1, 1, -1, 1, -1, 1),  # before that one pass each
    game("a--", (13, 10), 3, 50, 0, 0, 0),
    game("abcdef", (10, 15), 0.5, 6, -1, 1, -1, 1, -1, 1),
    game("abcde-", (15, 10), 0.5, 6, 1, -1, 1, -1, 1, -1),
]


def draw(rng):
    """Single passes between moves; an end by two passes or by the length; ties by komi."""
    moves, limit = "", int(rng.integers(2, 12))
    while not moves.endswith("--") and len(moves) < limit:
        moves += "-" if rng.random() < 0.35 else "abcdefgh"[rng.integers(8)]
    black = int(rng.integers(26))
    white = int(rng.integers(26 - black))
    komi = float(rng.choice([0.5, 0, 3.5, 7, black - white, black - white + 0.5]))
    most = limit if not moves.endswith("--") else int(len(moves) + rng.integers(3))
    return game(moves, (black, white), komi, most)


@gives("a list of (state, z)")
def observe(play_out, case):
    script, points, komi, max_plies = case.arguments
    asked = []

    def choose(state: Position) -> int:
        """The next move of the script; afterwards on and on, and passes in the end."""
        number = len(state.moves)
        asked.append(state)
        if len(asked) > FEW:
            raise RuntimeError("the game does not end")
        move = script[number] if number < len(script) else "x-x--"[(number - len(script)) % 5]
        return PASS if move == "-" else ord(move) - ord("a")

    def play(state: Position, action: int) -> Position:
        return Position(state.moves + ("-" if action == PASS else chr(action + ord("a"))))

    def area(state: Position) -> tuple[int, int]:
        return points if len(state.moves) == len(script) else points[::-1]

    played = row(play_out(Position(), choose, play, area, komi, max_plies))
    found = [row(one, 2) for one in played]
    return {
        "how many moves are asked for": len(asked),
        "the moves before each position": [getattr(state, "moves", "none") for state, _ in found],
        "z": [float(z) for _, z in found],
    }
