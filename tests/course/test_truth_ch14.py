"""What the checks of chapter 14 take for the truth is true.

By the rules of the package, which agree with a plain board and other programs (tests/games/go).
"""

import re

import nbformat
import numpy as np
import pytest

from azlearn.course import small_go
from azlearn.course.exercises import EXERCISES
from azlearn.games import Go
from tests.games.go.plain_go import score
from tools.build_exercises import ROOT

GAMES = [Go(5), Go(5, superko=True)]


def solution(exercise_id):
    marking = EXERCISES[exercise_id].marking
    return marking.function(marking.solution)


def played(game, seed):
    """The positions of a random game, and the actions between them."""
    rng, states, actions = np.random.default_rng(seed), [game.initial_state()], []
    while options := game.rollout_actions(states[-1]):
        actions.append(int(rng.choice(options)))
        states.append(game.next_state(states[-1], actions[-1]))
    return states, actions


@pytest.mark.parametrize("game", GAMES, ids=["ko", "superko"])
def test_captures_and_legal_points_are_those_of_the_rules(game):
    capture, legal_points = solution("14.1"), solution("14.2")
    forbidden = 0
    for seed in range(8):
        states, actions = played(game, seed)
        for ply, action in enumerate(actions):
            state = states[ply]
            seen = [(s.me, s.opp) if s.ply % 2 == ply % 2 else (s.opp, s.me) for s in states]
            past = seen[: ply + 1] if game.superko else seen[ply - 1 : ply] if ply else []
            found = legal_points(state.me, state.opp, past)
            legal = [a for a, point in enumerate(small_go.POINTS) if found & point]
            assert [*legal, small_go.PASS] == game.legal_actions(state)
            forbidden += found != legal_points(state.me, state.opp, [])
            if action != small_go.PASS:
                mine, theirs = capture(state.me, state.opp, small_go.POINTS[action])
                assert (theirs, mine) == tuple(states[ply + 1][:2])
    assert forbidden > 2


def test_areas_are_those_of_a_plain_board():
    area, rng = solution("14.3"), np.random.default_rng(0)
    for _ in range(200):
        x, o = small_go.drawn_board(rng)
        cells = {
            divmod(action, 5): owner
            for action, point in enumerate(small_go.POINTS)
            for owner, stones in ((1, x), (2, o))
            if stones & point
        }
        black, white = area(x, o, 2.5)
        assert black - white == score(cells, 5) - 2.5


@pytest.mark.parametrize("num_boards", [1, 3, 8])
def test_planes_are_those_of_the_package(num_boards):
    game, planes = Go(5, history=num_boards), solution("14.4")
    states, _ = played(game, 1)
    boards = [np.array(game.cells(state)).reshape(5, 5) for state in states]
    for ply in range(0, len(states), 3):
        found = planes(boards[: ply + 1], game.to_play(states[ply]), num_boards)
        assert np.array_equal(found, game.encode(states[ply]))


def test_symmetries_are_those_of_the_package_and_lead_back():
    game, ask = Go(5), solution("14.5")
    states, _ = played(game, 2)
    planes, policy = game.encode(states[9]), np.arange(26) / 325
    images = game.symmetries(planes, policy)
    for number, (image, moved) in enumerate(images):
        known = {image.tobytes(): (moved, 0.5)}
        p, v = ask(planes, lambda x, known=known: known[x.tobytes()], number % 4, number >= 4)
        assert np.array_equal(p, policy)
        assert v == 0.5


def test_games_end_as_those_of_the_package():
    """Games with single passes, some cut by their length, and some drawn by komi."""
    play_out, ends = solution("14.6"), set()
    for seed, komi in enumerate((0.5, 3, 3, 24, -25) * 6):
        game = Go(3, komi=max(min(komi, 9), -9))
        rng, final = np.random.default_rng(seed), None

        def choose(state, game=game, rng=rng):
            points = game.legal_actions(state)[:-1]
            return int(rng.choice(points)) if points and rng.random() < 0.8 else small_go.PASS

        def play(state, action, game=game):
            return game.play(state, game.num_actions - 1 if action == small_go.PASS else action)

        def area(state, game=game):
            nonlocal final
            final = state
            return 9 + game.score(state) + game.komi, 9  # only the difference counts

        found = play_out(game.initial_state(), choose, play, area, game.komi, game.max_plies)
        assert game.num_plies(final) == len(found)
        for state, z in found:
            sign = 1 if game.to_play(state) == game.to_play(final) else -1
            assert z == sign * game.outcome(final)
        ends.add((game.outcome(final) == 0, len(found) == game.max_plies))
    assert {(False, False), (False, True)} <= ends
    assert any(is_draw for is_draw, _ in ends)


def test_the_positions_of_the_chapter_are_what_its_sentences_say():
    cells = nbformat.read(ROOT / "notebooks" / "14_go.ipynb", as_version=4).cells
    source = "\n".join(cell.source for cell in cells if cell.cell_type == "code")

    def text(name):
        return re.search(rf'^ *{name} = (?:game|go)?\S*?"(.*)"', source, re.M)[1]

    game = Go(5)
    last = game.num_actions - 1
    # Sections 3 and 5: a pass loses, a stone on A5 takes eight and wins.
    state = game.from_moves(text("moves"))
    assert (game.to_play(state), state.passes) == (0, 1)
    assert game.score(game.play(state, last)) == -2.5
    taken = game.play(state, 0)
    assert state.opp.bit_count() - taken.me.bit_count() == 8
    assert game.score(taken) > 0
    # Section 2: the same stones, and only one of the two is a ko.
    ko, quiet = (game.from_moves(text(name)) for name in ("taken", "quiet"))
    assert game.cells(ko) == game.cells(quiet)
    assert 11 not in game.legal_actions(ko)
    assert 11 in game.legal_actions(quiet)
    # The clinic: patient one is in a ko, patient two has 13 points against 12 and komi.
    turns = text("turns")
    assert game.from_moves(f"{turns} B3").ko
    state = game.from_moves(f"{turns} pass B3 pass")
    assert (game.to_play(state), game.score(state)) == (0, 13 - 12 - 0.5)
