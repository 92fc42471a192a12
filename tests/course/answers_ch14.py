"""Chapter 14: answers as readers could have written them."""

import numpy as np

from azlearn.course.small_go import BOARD, PASS, SIZE, STRIDE, around
from tests.course.registry import right


def groups(stones):
    """The groups of some stones, one after the other."""
    while stones:
        group, wider = 0, stones & -stones
        while wider != group:
            group = wider
            wider |= around(group) & stones
        stones &= ~group
        yield group


@right("14.1")
def capture_group_by_group(mine, theirs, point):
    mine += point
    for group in groups(theirs):
        if not around(group) & BOARD & ~mine & ~theirs:
            theirs -= group
    return [mine, theirs]


@right("14.2")
def legal_points_by_three_rules(me, opp, past):
    empty, found = BOARD & ~(me | opp), []
    for point in (1 << bit for bit in range(STRIDE * SIZE)):
        if not point & empty:
            continue
        mine, theirs = capture_group_by_group(me, opp, point)
        own = next(group for group in groups(mine) if group & point)
        if around(own) & ~(mine | theirs) and [mine, theirs] not in [list(one) for one in past]:
            found.append(point)
    return sum(found)


@right("14.3")
def area_region_by_region(black, white, komi):
    points = [black.bit_count(), white.bit_count()]
    for region in groups(BOARD & ~(black | white)):
        owners = [bool(around(region) & stones) for stones in (black, white)]
        if sum(owners) == 1:
            points[owners.index(True)] += region.bit_count()
    return np.array(points) + np.array([0, komi])


@right("14.4")
def planes_by_stacking(boards, to_play, num_boards):
    empty = [np.zeros_like(boards[0])] * num_boards
    newest = [*empty, *boards][: -num_boards - 1 : -1]
    owners = (2, 1) if to_play else (1, 2)
    planes = [board == owner for board in newest for owner in owners]
    return np.stack([*planes, np.full(boards[0].shape, 1 - to_play)]).astype("float32")


@right("14.5")
def turned_by_places(planes, evaluate, turns, mirror):
    places = np.rot90(np.arange(planes[0].size).reshape(planes.shape[1:]), turns)
    places = (np.fliplr(places) if mirror else places).ravel()
    p, v = evaluate(planes.reshape(len(planes), -1)[:, places].reshape(planes.shape))
    back = np.zeros_like(p)
    back[[*places, -1]] = p
    return back, v


@right("14.6")
def game_by_a_list_of_moves(state, choose, play, area, komi, max_plies):
    states, actions = [state], []
    while actions[-2:] != [PASS, PASS] and len(actions) != max_plies:
        actions.append(choose(states[-1]))
        states.append(play(states[-1], actions[-1]))
    black, white = area(states.pop())
    z = int(np.sign(black - komi - white))
    return [[one, z * (-1) ** ply] for ply, one in enumerate(states)]
