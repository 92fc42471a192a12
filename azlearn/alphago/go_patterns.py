"""The fast rollout policy's seven features of a move in Go, on boards up to 7x7.

They follow Silver et al. 2016, Extended Data Table 4, with patterns of 3 x 3 cells:

| feature    | # of values | description                                                          |
|------------|-------------|----------------------------------------------------------------------|
| capture    | 2           | the move captures stones                                             |
| save       | 2           | a group in atari gets two liberties or more                          |
| self_atari | 2           | the stone's group has one liberty afterward                          |
| neighbour  | 3           | of the last stone: 0 no, 1 diagonal to it, 2 adjacent to it          |
| place      | 11          | the distances from the nearer edges; 0 is a pass                     |
| response   | 2,491       | the 3 x 3 cells around the last stone, and which of them is played   |
| pattern    | 7,456       | the 3 x 3 cells around the move, and which adjacent stones are in    |
|            |             | atari                                                                |

A group with one liberty is in atari. The eight symmetric images of a pattern share a weight; value
0 of ``response`` is a move elsewhere. AlphaGo also had nakade patterns, diamonds of 12 cells around
the last stone instead of 3 x 3 cells, and liberty counts above one; they are left out here.

A pattern is encoded as a number with two bits per cell: 0 empty, 1 mine, 2 the opponent's, 3 off
the board. Its bits 16 to 19 mark adjacent stones in atari. ``pattern_ids`` and ``response_ids`` map
such numbers to weights.
"""

from functools import cache
from types import FunctionType, ModuleType
from typing import NamedTuple

import numba
import numpy as np

from azlearn.games.specialize import specialize
from azlearn.games.state_codec import state_reader

# The cells around a cell, as steps of row and column: the adjacent cells first.
AROUND = ((-1, 0), (0, 1), (1, 0), (0, -1), (-1, 1), (1, 1), (1, -1), (-1, -1))
ELSEWHERE = 8 << 16  # the number of a move that is not a response


class Features(NamedTuple):
    """The features of one move: integers from 0 to one less than the feature's number of values."""

    capture: int
    save: int
    self_atari: int
    neighbour: int
    place: int
    response: int
    pattern: int


class Compiled(NamedTuple):
    """The compiled functions for one board size."""

    # Positions, int64 [B, W], to features, int64 [B, num_actions, 7], with patterns as numbers.
    features: FunctionType
    seen: FunctionType  # (state, last) -> everything that all moves have in common
    features_of: FunctionType  # (state, the result of ``seen``, action) -> seven int64
    offsets: np.ndarray  # int64 [7]: where each feature starts in the ``strengths_of`` weights


@cache
def pattern_ids() -> np.ndarray:
    """Returns the ``pattern`` value of every number, int16 [2**20]; 0 for impossible patterns."""
    codes, atari = _codes(np.arange(1 << 20)), np.arange(1 << 20) >> 16
    is_stone = [(code == 1) | (code == 2) for code in codes[:4]]
    fits = _on_a_board(codes)
    for k in range(4):
        fits &= is_stone[k] | ((atari >> k) & 1 == 0)

    def image(moved: list[int]) -> np.ndarray:
        number = _number(codes, moved)
        for k in range(4):
            number += ((atari >> k) & 1) << (16 + moved[k])
        return number

    return _ids([image(moved) for moved in _symmetries()], fits)


@cache
def response_ids() -> np.ndarray:
    """Returns the ``response`` value of every number, int16 [2**19 + 1]; 0 for ``ELSEWHERE``.

    A number is ``where * 2**16`` plus the surroundings of the last stone; ``where`` is the index
    of the move in ``AROUND``."""
    numbers = np.arange(8 << 16)
    codes, where = _codes(numbers), numbers >> 16
    played = np.stack(codes)[where, numbers]
    images = [_number(codes, moved) + (np.array(moved)[where] << 16) for moved in _symmetries()]
    return np.append(_ids(images, _on_a_board(codes) & (played == 0)), np.int16(0))


def strengths_of(weights: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Returns ``exp`` of the weights for rollouts; patterns are looked up by their numbers."""
    small = weights[: offsets[5]]
    response, pattern = weights[offsets[5] : offsets[6]], weights[offsets[6] :]
    return np.exp(np.concatenate([small, response[response_ids()], pattern[pattern_ids()]]))


@cache
def num_values(size: int) -> Features:
    """Returns the number of values of each feature."""
    half = (size + 1) // 2
    patterns = (int(ids().max()) + 1 for ids in (response_ids, pattern_ids))
    return Features(2, 2, 2, 3, half * (half + 1) // 2 + 1, *patterns)


@cache
def compiled(rules_module: ModuleType) -> Compiled:
    """Compiles the features for the rules of one board size."""
    rules, size = specialize(rules_module, numba.njit), rules_module.SIZE
    stride, board, pass_ = rules_module.STRIDE, rules_module.BOARD, rules_module.PASS
    around, flood, popcount = rules.around, rules.flood, rules.popcount
    two_liberties, read = rules.two_liberties, state_reader(rules_module, numba.njit)
    num_actions, place, points = rules_module.NUM_ACTIONS, _places(size), np.arange(size * size)
    bits = points + points // size
    beside = np.stack([points // size, points % size], 1)[:, None] + np.array(AROUND)
    off = ((beside < 0) | (beside >= size)).any(axis=2)  # [points, 8]
    neighbours = np.where(off, 63, stride * beside[..., 0] + beside[..., 1])  # bit 63 is always 0
    edges = (off * (3 << 2 * np.arange(8))).sum(axis=1)  # off the board, as part of a number
    where = np.full(2 * stride + 3, 8)
    where[[stride + 1 + stride * row + col for row, col in AROUND]] = np.arange(8)
    begins = np.cumsum([0, *num_values(size)[:5], ELSEWHERE + 1])

    @numba.njit
    def surroundings(me, opp, point):
        number = edges[point]
        for k in range(8):
            bit = neighbours[point, k]
            number += (((me >> bit) & 1) + 2 * ((opp >> bit) & 1)) << (2 * k)
        return number

    @numba.njit
    def seen(state, last):
        """Returns the groups in atari, the point of the last stone, and its surroundings."""
        me, opp = state.me, state.opp
        last = state.change_1 & opp  # 0 after a pass, or if the state has no history
        at = popcount((last & -last) - 1) if last else -1
        beside_it = surroundings(me, opp, at - at // stride) if last else 0
        return (me | opp) & ~two_liberties(me, opp), at, beside_it

    @numba.njit
    def features_of(state, known, action):
        if action == pass_:
            return 0, 0, 0, 0, 0, ELSEWHERE, 1 << 16  # an impossible pattern
        me, opp, (weak, last, beside_last) = state.me, state.opp, known
        bit = bits[action]
        point = np.int64(1) << bit
        near = around(point) & board
        taken = near & opp & weak
        room = near & ~(me | opp)
        lone = False
        if (room & (room - 1)) == 0:  # a stone with two empty adjacent cells is not in atari
            group = flood(point, me | point)
            free = (board & ~(me | opp | point)) | flood(taken, opp)
            liberties = around(group) & free
            lone = (liberties & (liberties - 1)) == 0
        response, step = ELSEWHERE, bit - last + stride + 1
        neighbour = 0
        if last >= 0 and 0 <= step <= 2 * stride + 2 and where[step] < 8:
            response = (where[step] << 16) + beside_last
            neighbour = 2 if where[step] < 4 else 1
        pattern = surroundings(me, opp, action)
        for k in range(4):
            pattern += ((weak >> neighbours[action, k]) & 1) << (16 + k)
        return (
            int(taken != 0), int((near & me & weak) != 0 and not lone), int(lone), neighbour,
            place[action], response, pattern,
        )  # fmt: skip

    @numba.njit(nogil=True)
    def features(words):
        found = np.empty((len(words), num_actions, 7), np.int64)
        for i in range(len(words)):
            state = read(words[i])
            known = seen(state, -1)
            for action in range(num_actions):
                values = features_of(state, known, action)
                for j in range(7):
                    found[i, action, j] = values[j]
        return found

    return Compiled(features, seen, features_of, begins)


def _places(size: int) -> np.ndarray:
    """Numbers the points 1, 2, … by their distances from the nearer edges: int64 [points]."""
    row, col = np.divmod(np.arange(size * size), size)
    row, col = (np.minimum(line, size - 1 - line) for line in (row, col))
    larger, smaller = np.maximum(row, col), np.minimum(row, col)
    return 1 + larger * (larger + 1) // 2 + smaller


def _codes(numbers: np.ndarray) -> list[np.ndarray]:
    return [(numbers >> 2 * k) & 3 for k in range(8)]


def _number(codes: list[np.ndarray], moved: list[int]) -> np.ndarray:
    """Encodes the eight cells as a number, with cell ``k`` in the place ``moved[k]``."""
    return sum(code << 2 * moved[k] for k, code in enumerate(codes))


def _symmetries() -> list[list[int]]:
    """Returns the new places of the eight cells under each rotation and reflection."""
    moves = []
    for flip in (1, -1):
        for _ in range(4):
            images, turned = [(row, flip * col) for row, col in AROUND], len(moves) % 4
            for _ in range(turned):
                images = [(col, -row) for row, col in images]
            moves.append([AROUND.index(image) for image in images])
    return moves


def _on_a_board(codes: list[np.ndarray]) -> np.ndarray:
    """Whether no cells are off the board, or exactly those beyond one or two edges."""
    north, east, south, west = (code == 3 for code in codes[:4])
    fits = ~(north & south) & ~(east & west)
    for k, (one, other) in enumerate([(north, east), (south, east), (south, west), (north, west)]):
        fits &= (codes[4 + k] == 3) == (one | other)
    return fits


def _ids(images: list[np.ndarray], fits: np.ndarray) -> np.ndarray:
    """Assigns ids 1, 2, … where ``fits`` is True, one per set of symmetric images; 0 elsewhere."""
    smallest = np.minimum.reduce(images)
    ids = np.zeros(len(fits), np.int16)
    ids[fits] = 1 + np.unique(smallest[fits], return_inverse=True)[1]
    return ids
