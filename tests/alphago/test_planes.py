"""The planes: drawn by hand, by brute force with the rules, mirrored, and what lives on them."""

import numpy as np

from azlearn.alphago.planes import AllPlanes
from azlearn.games import ConnectFour, assert_conforms
from tests.alphago.positions import played_positions

GAME, RAW = AllPlanes(), ConnectFour()
NONE, ALL = "......./" * 6, "xxxxxxx/" * 6
ODD = "......./xxxxxxx/" * 3


def drawn(plane):
    return "".join("".join(".x"[int(cell)] for cell in row) + "/" for row in plane)


def test_planes_by_hand():
    """X to move; a stone of X in column 4 of the second row would win, but nothing lies below.

    X X X . . . O
    O X O . . . O
    """
    shown = [drawn(plane) for plane in GAME.encode(GAME.from_moves("21133727"))]
    above = "......./" * 4
    threat = above + "...x.../" + "......./"
    assert shown == [
        above + "xxx..../.x...../",
        above + "......x/x.x...x/",
        "xxxxxxx/" * 4 + "...xxx./...xxx./",
        ALL,
        "......./" * 3 + "xxx...x/" + "......./" + "...xxx./",
        threat,
        NONE,
        NONE,
        NONE,
        ODD,
        ALL,
    ]


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
        assert planes[10].all() == (GAME.to_play(state) == 0)


def test_it_is_a_game_like_any_other_and_begins_with_the_raw_board():
    assert_conforms(GAME, num_games=4)  # one position, many, tensors, mirror images
    for state in played_positions(5, seed=21)[0]:
        planes = GAME.encode(state)
        assert planes.shape == (11, 6, 7)
        np.testing.assert_array_equal(planes[:2], RAW.encode(state))
        assert GAME.to_text(state) == RAW.to_text(state)
