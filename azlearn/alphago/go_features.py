"""Computes the Go features behind the planes of ``GoPlanes``, in compiled code.

It loops over points and groups, for any board size. A position takes a few microseconds.
"""

from functools import cache

import numba
import numpy as np

COUNTS = 4  # planes per count: 1, 2, 3, and 4 or more
MINE, THEIRS, EMPTY, ONES, AGES = range(5)  # from AGES on, one plane per remembered move


def go_features(history: np.ndarray, legal: np.ndarray) -> np.ndarray:
    """Returns the planes of ``GoPlanes``.

    Args:
        history: int64 [..., 2h + 1, size, size], the planes of ``Go``.
        legal: bool [B, size² + 1], the legal moves of the B positions.

    Returns:
        float32 [..., 21 + h, size, size].
    """
    *batch, _, size, _ = history.shape
    points = np.ascontiguousarray(history).reshape(len(legal), -1, size * size)
    return _features(points, legal, *_neighbours(size)).reshape(*batch, -1, size, size)


@cache
def _neighbours(size: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns the adjacent and the diagonal points of each point, int64 [size², 4]; -1 = off."""
    numbers = np.pad(np.arange(size * size).reshape(size, size), 1, constant_values=-1)
    steps = ((0, 1), (2, 1), (1, 0), (1, 2)), ((0, 0), (0, 2), (2, 0), (2, 2))
    return tuple(
        np.stack([numbers[r : r + size, c : c + size].ravel() for r, c in four], axis=1)
        for four in steps
    )


@numba.njit(nogil=True)
def _features(history, legal, beside, across):
    num, num_boards, num_points = history.shape
    num_ages = (num_boards - 1) // 2 - 1
    liberties = AGES + num_ages
    captures, atari, after = liberties + COUNTS, liberties + 2 * COUNTS, liberties + 3 * COUNTS
    planes = np.zeros((num, liberties + 4 * COUNTS + 2, num_points), np.float32)
    for i in range(num):
        shown, now = planes[i], history[i]
        owner = now[0] + 2 * now[1]  # 1: of the player to move, 2: of the other
        groups = _groups(owner, beside)
        group, _, _, num_liberties = groups
        seen, met = np.full(num_points, -1), np.full(num_points, -1)
        shown[ONES] = 1
        shown[-1] = now[-1]
        for point in range(num_points):
            if owner[point]:
                shown[owner[point] - 1, point] = 1
                _count(shown, liberties, num_liberties[group[point]], point)
                for ago in range(1, num_ages + 1):
                    if not now[2 * ago + owner[point] - 1, point]:
                        shown[AGES + ago - 1, point] = 1
                        break
                continue
            shown[EMPTY, point] = 1
            if not legal[i, point]:
                continue
            taken, size, free = _after(point, owner, beside, groups, seen, met)
            _count(shown, captures, taken, point)
            if free == 1:
                _count(shown, atari, size, point)
            _count(shown, after, free, point)
            shown[-2, point] = not _is_eye(point, owner, beside, across)
    return planes


@numba.njit
def _count(shown, plane, count, point):
    """Marks ``point`` in the plane of ``count``; does nothing if the count is 0."""
    if count:
        shown[plane + min(count, COUNTS) - 1, point] = 1


@numba.njit
def _groups(owner, beside):
    """Returns ``(group, members, first, num_liberties)``: the group of each point, the points
    ordered by group, the index where each group starts in that order, and its liberties."""
    num_points = len(owner)
    group, members = np.full(num_points, -1), np.empty(num_points, np.int64)
    first, num_liberties = np.zeros(num_points + 1, np.int64), np.zeros(num_points, np.int64)
    seen = np.full(num_points, -1)
    number = end = 0
    for start in range(num_points):
        if owner[start] == 0 or group[start] >= 0:
            continue
        group[start], members[end] = number, start
        at, end = end, end + 1
        while at < end:
            for near in beside[members[at]]:
                if near < 0 or seen[near] == number:
                    continue
                seen[near] = number
                if owner[near] == 0:
                    num_liberties[number] += 1
                elif owner[near] == owner[start] and group[near] < 0:
                    group[near], members[end] = number, near
                    end += 1
            at += 1
        number += 1
        first[number] = end
    return group, members, first, num_liberties


@numba.njit
def _after(point, owner, beside, groups, seen, met):
    """Returns ``(taken, size, free)`` of a move on ``point``: the stones it captures, and the
    stones and liberties of its group afterward. ``seen`` and ``met`` store the last move for which
    each point and each group was visited."""
    group, members, first, num_liberties = groups
    taken, size, free, mine = 0, 1, 0, np.empty(len(owner), np.int64)
    mine[0] = point
    for near in beside[point]:
        if near < 0 or owner[near] == 0 or met[group[near]] == point:
            continue
        number = group[near]
        met[number] = point
        stones = members[first[number] : first[number + 1]]
        if owner[near] == 1:
            mine[size : size + len(stones)] = stones
            size += len(stones)
        elif num_liberties[number] == 1:
            taken += len(stones)
    for stone in mine[:size]:
        for near in beside[stone]:
            if near < 0 or near == point or seen[near] == point:
                continue
            seen[near], number = point, group[near]
            is_taken = owner[near] == 2 and met[number] == point and num_liberties[number] == 1
            free += owner[near] == 0 or is_taken
    return taken, size, free


@numba.njit
def _is_eye(point, owner, beside, across):
    """Whether all adjacent points have stones of the player to move, and the opponent has at most
    one of the diagonal points, or none if the point is at the edge of the board."""
    for near in beside[point]:
        if near >= 0 and owner[near] != 1:
            return False
    others = is_edge = 0
    for corner in across[point]:
        is_edge |= corner < 0
        others += corner >= 0 and owner[corner] == 2
    return others + is_edge < 2
