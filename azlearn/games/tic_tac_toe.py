"""Tic-tac-toe, small enough to check every answer against the truth."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from azlearn.games import tic_tac_toe_rules
from azlearn.games.bitboard import BitboardGame


@dataclass(frozen=True)
class TicTacToe(BitboardGame):
    """Tic-tac-toe. Action ``a`` takes cell ``a`` in reading order, 0 at the top left."""

    name = "tic_tac_toe"
    rules = tic_tac_toe_rules

    @cached_property
    def _symmetries(self) -> list[tuple[np.ndarray, np.ndarray]]:
        board = np.arange(9).reshape(3, 3)
        turned = [np.rot90(board, turns) for turns in range(4)]
        cells = [seen.ravel() for seen in (*turned, *(np.fliplr(seen) for seen in turned))]
        return [(permutation, permutation) for permutation in cells]
