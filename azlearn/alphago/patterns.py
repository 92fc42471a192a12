"""The fast rollout policy's nine features of a move in Connect Four.

AlphaGo's rollout policy described a move by small patterns of stones and a few rules of thumb
(Silver et al. 2016, Methods, "Rollout policy", and Extended Data Table 4). These are the features
for Connect Four:

| feature   | # of values | description                                                          |
|-----------|-------------|----------------------------------------------------------------------|
| win       | 2           | the move completes four                                              |
| block     | 2           | the opponent would complete four in this cell                        |
| give      | 2           | the opponent will complete four in the cell above                    |
| spend     | 2           | the mover would have completed four in the cell above                |
| force     | 3           | 0, 1, 2 or more new cells that win and can be played at once         |
| threaten  | 3           | 0, 1, 2 or more new cells that win once they can be played           |
| neighbour | 5           | touches the last stone: 0 no, 1 on top of it, or in the next column  |
|           |             | and 2 lower, 3 level, 4 higher                                       |
| cell      | 24          | row (6) and distance from the nearer edge (4)                        |
| pattern   | 16,640      | the 3 x 3 cells around the move; mirror images share a value         |

``win`` and ``block`` replace the paper's "save atari", ``neighbour`` is its "neighbour", and
``pattern`` is its "non-response pattern", of which Go has 69,338. The paper's response patterns
around the last stone are left out. A pattern's index combines the three cells on the left (6 bits,
two per cell), the three on the right, the cell below and the cell above; swapping the two sides
gives the same index. Stones fall, so only 375 patterns can occur; the others keep their weight 0.

Every feature has one value, so a move has nine indices into one vector of weights. ``OFFSETS`` says
where each feature's weights start. ``pattern_bits`` computes the features in a few dozen bit
operations.
"""

from typing import NamedTuple

import numpy as np

from azlearn.alphago import pattern_bits
from azlearn.games import ConnectFour, State
from azlearn.games.connect_four_rules import COLS, is_legal
from azlearn.games.notation import refusal

GAME = ConnectFour()


class Features(NamedTuple):
    """The features of one move: integers from 0 to one less than the feature's number of values."""

    win: int
    block: int
    give: int
    spend: int
    force: int
    threaten: int
    neighbour: int
    cell: int
    pattern: int


FEATURES = Features._fields  # the names of the nine features
NUM_VALUES = Features(2, 2, 2, 2, 3, 3, 5, 24, 16640)
OFFSETS = np.cumsum([0, *NUM_VALUES[:-1]])  # int64 [9]: where each feature's weights begin
NUM_WEIGHTS = sum(NUM_VALUES)  # the length of the vector of weights


def move_features(state: State, last: int, action: int) -> Features:
    """Returns the features of one move.

    Args:
        state: a position in which the game is not over.
        last: the column of the opponent's last stone; -1 if there is none or it is unknown.
        action: a legal move.

    Raises:
        ValueError: the move is illegal, or the top stone of column ``last`` is not the opponent's.
    """
    if action not in (legal := GAME.legal_actions(state)):
        raise ValueError(f"{refusal(GAME, action, legal)} Only legal moves have features.")
    me, opp = state
    top = pattern_bits.height(me | opp, last) - 1 if last >= 0 else -1
    if last >= 0 and not (top >= 0 and opp >> (7 * last + top) & 1):
        raise ValueError(f"last is {last}, but the top stone there is not the opponent's.")
    mine, theirs = (pattern_bits.winning_cells(stones, me | opp) for stones in state)
    return Features(*pattern_bits.features(me, opp, mine, theirs, last, action))


def feature_indices(states: State, last: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns every move's features as indices into the weights, for many positions.

    Args:
        states: int64 arrays [B].
        last: int64 [B], as in ``move_features``.

    Returns:
        ``(indices, legal_mask)``: int64 [B, num_actions, 9], which are in range but meaningless for
        illegal moves; bool [B, num_actions], True = legal.
    """
    me, opp = (np.asarray(stones, dtype=np.int64)[:, None] for stones in states)
    mine, theirs = (pattern_bits.winning_cells(stones, me | opp) for stones in (me, opp))
    actions = np.arange(COLS)
    values = pattern_bits.features(me, opp, mine, theirs, np.asarray(last)[:, None], actions)
    legal_mask = GAME.batch_legal_mask(State(me[:, 0], opp[:, 0]))
    room = is_legal(me | opp, actions)[..., None]
    return np.stack(np.broadcast_arrays(*values), axis=-1) * room + OFFSETS, legal_mask
