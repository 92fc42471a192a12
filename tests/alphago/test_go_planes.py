"""AlphaGo's planes of Go: worked by hand, and against plain sets of points."""

import numpy as np
import pytest

from azlearn.alphago.planes import GoPlanes
from azlearn.games import Go, assert_conforms
from tests.games.go.plain_go import after_stone, beside, cells_of, groups

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


@pytest.mark.parametrize(("size", "num_games", "every"), [(5, 4, 3), (7, 1, 25)])
def test_planes_of_random_games_are_those_of_a_plain_board(size, num_games, every):
    game, rng, marked = GoPlanes(size), np.random.default_rng(2), 0
    for _ in range(num_games):
        states = [game.initial_state()]
        while legal := game.legal_actions(states[-1]):
            is_pass = len(legal) == 1 or rng.random() < 0.02
            action = legal[-1] if is_pass else int(rng.choice(legal[:-1]))
            states.append(game.next_state(states[-1], action))
        lengths = range(1, len(states), every)
        planes = np.array([plain_planes(game, states[:n]) for n in lengths])
        seen = game.stack([states[n - 1] for n in lengths])
        np.testing.assert_array_equal(game.batch_encode(seen), planes)
        marked = marked + planes.sum((0, 2, 3))
    assert size > 5 or (marked > 0).all()  # every plane is met


def drawn(planes, *numbers):
    """Some planes as a board: the number of the plane where one is marked."""
    board = sum(planes[number] * (number - numbers[0] + 1) for number in numbers).astype(int)
    return "/".join("".join(" 1234567"[cell] for cell in row) for row in board).replace(" ", ".")


def test_planes_by_hand():
    """Black is to move. A5 would be suicide, D4 takes two, a stone on E1 would have one liberty.

    5 . X O X .
    4 X X O . .
    3 O O X . .
    2 . . . . .
    1 . . . O .
      A B C D E
    """
    game = GoPlanes(5)
    planes = game.encode(game.from_moves("B5 C5 A4 C4 B4 A3 C3 B3 D5 D1"))
    assert drawn(planes, 0, 1, 2) == "31213/11233/22133/33333/33323"
    assert planes[3].all()
    assert drawn(planes, *range(4, 11)) == "...2./.67../534../...../...1."  # the rest is older
    assert drawn(planes, *range(11, 15)) == ".112./111../222../...../...3."
    assert drawn(planes, *range(15, 19)) == "...../...2./...../...../....."
    assert drawn(planes, *range(19, 23)) == "...../...../...../...../....1"
    assert drawn(planes, *range(23, 27)) == "....2/...43/...43/23433/232.1"
    assert drawn(planes, SENSIBLE) == "....1/...11/...11/11111/111.1"
    assert planes[BLACK].all()


def test_it_is_a_game_like_any_other_and_begins_with_the_stones():
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
