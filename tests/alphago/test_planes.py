"""The planes of Connect Four by brute force with its rules, of Go against plain sets of points."""

import numpy as np

from azlearn.alphago.networks import planes_game
from azlearn.alphago.planes import AllPlanes, GoPlanes
from azlearn.games import ConnectFour, Go, assert_conforms
from tests.alphago.positions import played_positions
from tests.games.go.plain_go import after_stone, beside, cells_of, groups

GAME, RAW = AllPlanes(), ConnectFour()


def test_the_planes_say_what_the_rules_say():
    rng = np.random.default_rng(0)
    states = played_positions(60, seed=20)[0]
    for number in rng.choice(len(states), size=200, replace=False):
        me, opp = state = states[number]
        planes = GAME.encode(state).astype(bool)
        landing = {GAME.cell(state, action): action for action in GAME.legal_actions(state)}
        bit_of = [GAME.rules.cell_bit(*divmod(cell, 7)) for cell in range(42)]
        empty = [cell for cell, owner in enumerate(GAME.cells(state)) if not owner]
        mine = {cell for cell in empty if GAME.rules.has_won(me | 1 << bit_of[cell])}
        theirs = {cell for cell in empty if GAME.rules.has_won(opp | 1 << bit_of[cell])}
        wins = {cell for cell, a in landing.items() if GAME.outcome(GAME.play(state, a)) == -1}
        expected = {2: empty, 4: landing, 5: mine, 6: theirs, 7: wins, 8: theirs & set(landing)}
        for plane, cells in expected.items():
            assert set(np.flatnonzero(planes[plane])) == set(cells), plane
        assert planes[3].all()
        assert (planes[9] == [[False], [True]] * 3).all()  # rows 5, 3 and 1 from below
        assert planes[10].all() == (GAME.to_play(state) == 0)


def test_it_is_a_game_like_any_other_and_begins_with_the_raw_board():
    assert_conforms(GAME, num_games=4)  # one position, many, tensors, mirror images
    for state in played_positions(5, seed=21)[0]:
        planes = GAME.encode(state)
        assert planes.shape == (11, 6, 7)
        np.testing.assert_array_equal(planes[:2], RAW.encode(state))
        assert GAME.to_text(state) == RAW.to_text(state)


# Go

LIBERTIES, CAPTURES, ATARI, AFTER, SENSIBLE, BLACK = 11, 15, 19, 23, 27, 28


def plain_planes(game, states):
    """The planes of the last of ``states``, which are the whole game so far."""
    size, state = game.size, states[-1]
    cells, me = cells_of(game, state), game.to_play(state) + 1
    planes = np.zeros((29, size, size))
    planes[3], planes[BLACK] = 1, me == 1
    for point in np.ndindex(size, size):
        planes[(2, 0, 1)[(cells[point] != me) + 1 if point in cells else 0]][point] = 1
    for point in cells:
        kept = 0
        for before in reversed(states[:-1]):
            if cells_of(game, before).get(point) != cells[point]:
                break
            kept += 1
        if kept < 7:
            planes[4 + kept][point] = 1
    for _, points, liberties in groups(cells, size):
        for point in points:
            planes[LIBERTIES + min(len(liberties), 4) - 1][point] = 1
    for action in game.legal_actions(state)[:-1]:
        point = divmod(action, size)
        after = after_stone(cells, point, me, size)
        taken = len(cells) + 1 - len(after)
        _, own, free = next(group for group in groups(after, size) if point in group[1])
        if taken:
            planes[CAPTURES + min(taken, 4) - 1][point] = 1
        if len(free) == 1:
            planes[ATARI + min(len(own), 4) - 1][point] = 1
        planes[AFTER + min(len(free), 4) - 1][point] = 1
        planes[SENSIBLE][point] = not is_eye(cells, point, me, size)
    return planes


def is_eye(cells, point, me, size):
    corners = [(point[0] + r, point[1] + c) for r in (-1, 1) for c in (-1, 1)]
    on_board = [(r, c) for r, c in corners if 0 <= r < size and 0 <= c < size]
    others = [corner for corner in on_board if cells.get(corner) == 3 - me]
    walled = all(cells.get(near) == me for near in beside(point, size))
    return walled and len(others) <= (1 if len(on_board) == 4 else 0)


def test_planes_of_go_are_those_of_a_plain_board():
    game, rng, marked = GoPlanes(5), np.random.default_rng(2), 0
    for _ in range(4):
        states = [game.initial_state()]
        while legal := game.legal_actions(states[-1]):
            is_pass = len(legal) == 1 or rng.random() < 0.02
            action = legal[-1] if is_pass else int(rng.choice(legal[:-1]))
            states.append(game.next_state(states[-1], action))
        lengths = range(1, len(states), 3)
        planes = np.array([plain_planes(game, states[:n]) for n in lengths])
        seen = game.stack([states[n - 1] for n in lengths])
        np.testing.assert_array_equal(game.batch_encode(seen), planes)
        marked = marked + planes.sum((0, 2, 3))
    assert (marked > 0).all()  # every plane is met


def test_planes_of_go_begin_with_the_stones():
    assert_conforms(GoPlanes(5), num_games=1)  # one position, many, tensors
    game, raw, rng = GoPlanes(7, komi=0.5, history=3), Go(7, komi=0.5), np.random.default_rng(0)
    states = [game.initial_state()]
    while legal := game.legal_actions(states[-1]):
        states.append(game.next_state(states[-1], int(rng.choice(legal))))
    batch = game.stack(states)
    planes, stones = game.batch_encode(batch), raw.batch_encode(batch)
    assert planes.shape == (len(states), 24, 7, 7)
    np.testing.assert_array_equal(planes[:, [0, 1, -1]], stones[:, [0, 1, -1]])
    assert not planes[-1, CAPTURES - 5 :][:-1].any()  # nothing is legal in a finished game


def test_the_planes_are_those_of_the_games_own_rules():
    own = Go(5, komi=3.5, history=4, suicide=True)
    game = planes_game("all", own)
    assert (game.komi, game.history, game.suicide) == (3.5, 4, True)
    assert game.rules is own.rules
