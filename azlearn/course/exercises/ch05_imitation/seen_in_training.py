"""Boards that training has seen (5.5). By hand was decided which of the boards after some moves."""

from collections.abc import Sequence

import numpy as np

from azlearn.course.drawing import drawn_moves
from azlearn.course.kit import FOUR, Case, gives, truths


def board_of(moves: str) -> np.ndarray:
    """int8 [6, 7], row 0 at the top: 0 empty, 1 a stone of the player to move, 2 of the other."""
    mine, theirs = FOUR.encode(FOUR.from_moves(moves))
    return (mine + 2 * theirs).astype(np.int8)


def sides(train: str, held_out: str) -> Case:
    """The boards after these moves; "+" where training has seen one."""
    moves = train.split(), held_out.replace("+", "").split()
    boards = tuple(np.stack([*map(board_of, side)]) for side in moves)
    words = "training's boards after {}, held-out boards after {}".format(*map(", ".join, moves))
    return Case(words, boards, {"": ["+" in entry for entry in held_out.split()]})


CASES = [
    # its own mirror image, 12 mirrored, 12 with colors exchanged, 1234 likewise, as it is, 5544 mirrored, one twice
    sides("4 12 1234 112 5544 3 6 45", "4+ 76+ 21 1324 112+ 3344+ 77 77"),
    sides("1 2", "45 4"),
    sides("77", "11+"),
]


def draw(rng):
    """Boards of games, or any boards; held out are images of training's, and others, some twice."""
    size = (rng.integers(1, 5), *((6, 7), (6, 7), (3, 3), (2, 4))[rng.integers(4)])
    train = rng.integers(3, size=size, dtype=np.int8)
    if rng.random() < 0.3:
        train = np.stack([board_of(drawn_moves(rng, FOUR)) for _ in train])
    held_out: list[np.ndarray] = []
    for _ in range(rng.integers(1, 7)):
        board = train[rng.integers(len(train))]
        other = board.copy()
        other.flat[rng.choice([0, -1, rng.integers(board.size)])] += 1
        half = np.vstack([board[:1, ::-1], board[1:]])
        turned = board[::-1], board[::-1, ::-1], half, rng.permutation(board.T).T
        images = board, board[:, ::-1], other % 3, -board % 3, *turned, *held_out[:1]
        held_out.append(images[rng.integers(len(images))])
    words = f"training's boards {in_digits(train)}, held-out boards {in_digits(held_out)}"
    return Case(words, (train, np.stack(held_out)))


def in_digits(boards: Sequence[np.ndarray]) -> str:
    return " and ".join("/".join("".join(map(str, row)) for row in board) for board in boards)


@gives("an answer for each held-out board")
def observe(seen_in_training, case):
    value = seen_in_training(*(boards.copy() for boards in case.arguments))
    return {"": truths(value, len(case.arguments[1]))}
