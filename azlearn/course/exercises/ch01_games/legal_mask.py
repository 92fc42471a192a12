"""Which columns of Connect Four can be played (1.1); the masks are by hand, from the moves beside."""

from azlearn.course.drawing import drawn_game
from azlearn.course.kit import FOUR, Case, as_list, same, show


def position(moves: str, right=None) -> Case:
    words = f'the Connect Four position after "{moves}"' if moves else "the empty board"
    return Case(words, (FOUR.from_moves(moves),), right)


CASES = [
    position("", [1, 1, 1, 1, 1, 1, 1]),
    position("111111", [0, 1, 1, 1, 1, 1, 1]),  # its top stone is the other player's
    position("1111112", [0, 1, 1, 1, 1, 1, 1]),  # its top stone is the mover's
    position("11111", [1, 1, 1, 1, 1, 1, 1]),
    position("7777774444442", [1, 1, 1, 0, 1, 1, 0]),
    position("1122334", [0, 0, 0, 0, 0, 0, 0]),  # 1, 2, 3, 4 on the bottom row: won
    position("547125662261271266215743771576315353334444", [0, 0, 0, 0, 0, 0, 0]),  # drawn
]


def form(mask):
    """[1 1 0 1 1 1 1]: easier to compare by eye than seven words."""
    of_bits = all(same(entry, 0) or same(entry, 1) for entry in as_list(mask))
    return "[" + " ".join(str(int(entry)) for entry in mask) + "]" if of_bits else show(mask)


def draw(rng):
    return position(drawn_game(rng, FOUR))
