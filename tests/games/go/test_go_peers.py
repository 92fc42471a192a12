"""Go against programs that nobody here wrote: OpenSpiel, and GNU Go over GTP."""

import shutil
from collections import Counter

import numpy as np
import pytest

from azlearn.arena.gtp_program import GTPProgram
from azlearn.games.go import Go


def play_in_lock_step(game: Go, num_games: int, seed: int) -> Counter:
    """Compares legal actions, player and stones after every move, and the results.

    The one difference: where a stone brings back an earlier board of the game, OpenSpiel ends it as
    a draw. Those games are counted and end there.
    """
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game(f"go(board_size={game.size},komi={game.komi})")
    assert theirs.max_game_length() == game.max_plies
    rng, found, last = np.random.default_rng(seed), Counter(), game.num_actions - 1
    for _ in range(num_games):
        state, peer = game.initial_state(), theirs.new_initial_state()
        boards, came_back, pass_rate = set(), False, rng.choice([0.0, 0.05, 0.3])
        while not peer.is_terminal():
            assert game.outcome(state) is None
            assert game.to_play(state) == peer.current_player()
            legal = game.legal_actions(state)
            assert legal == sorted(peer.legal_actions())
            boards.add(tuple(game.cells(state)))
            is_pass = len(legal) == 1 or rng.random() < pass_rate
            action = last if is_pass else int(rng.choice(legal[:-1]))
            state = game.play(state, action)
            peer.apply_action(action)
            cells = game.cells(state)
            seen = peer.observation_tensor(0)
            for owner in (1, 2):
                shown = seen[(owner - 1) * last : owner * last]
                assert [cell == owner for cell in cells] == [x == 1 for x in shown]
            came_back = not is_pass and tuple(cells) in boards
            found["plies"] += 1
        found["games"] += 1
        if came_back:
            found["drawn by OpenSpiel, a board came back"] += 1
            assert peer.returns() == [0, 0]
        else:
            assert game.outcome(state) == peer.returns()[game.to_play(state)]
            found["ended by length" if state.passes < 2 else "ended by two passes"] += 1
    return found


@pytest.mark.parametrize(("size", "komi"), [(2, 0), (3, 1), (5, 0.5), (7, 8.5), (8, 0), (9, 7.5)])
def test_random_games_in_lock_step_with_openspiel(size, komi):
    found = play_in_lock_step(Go(size, komi=komi), 150 if size < 4 else 25, seed=size)
    drawn = found["drawn by OpenSpiel, a board came back"]
    assert found["ended by two passes"] > 5
    assert drawn < 0.5 * found["games"]
    if size == 2:
        assert drawn > 10  # the difference is met


def gnu_go(game: Go) -> GTPProgram:
    """By the rules of the game; its superko does not see what suicides repeat."""
    program = shutil.which("gnugo") or shutil.which("/usr/games/gnugo")
    if program is None:
        pytest.skip("GNU Go is not installed (Debian: apt-get install gnugo).")
    ko = "--positional-superko" if game.superko else "--simple-ko"
    suicide = "--allow-all-suicide" if game.suicide else "--forbid-suicide"
    return GTPProgram(f"{program} --mode gtp --chinese-rules {suicide} {ko}")


@pytest.mark.parametrize(
    ("game", "num_games"),
    [
        (Go(7), 4), (Go(9), 2), (Go(2, superko=True), 40), (Go(3, superko=True), 40),
        (Go(3, suicide=True), 40), (Go(5, suicide=True), 10), (Go(9, suicide=True), 2),
    ],
    ids=str,
)  # fmt: skip
def test_every_point_is_as_legal_as_gnu_go_says(game, num_games):
    peer = gnu_go(game)
    forbidden = compare(lambda command: peer.ask(command, 60), game, num_games)
    assert forbidden > (1 if game.suicide else 20)


def compare(ask, game, num_games: int) -> int:
    """Random games: every point asked, every stone listed; how many empty points were forbidden."""
    rng, forbidden = np.random.default_rng(game.size), 0
    names = [game.action_label(action) for action in range(game.num_actions)]
    for _ in range(num_games):
        ask(f"boardsize {game.size}")
        ask("clear_board")
        state = game.initial_state()
        while legal := game.legal_actions(state):
            mover = ("black", "white")[game.to_play(state)]
            answers = [ask(f"is_legal {mover} {name}") for name in names[:-1]]
            assert [a for a, answer in enumerate(answers) if answer == "1"] == legal[:-1]
            forbidden += game.cells(state).count(0) - len(legal) + 1
            action = int(rng.choice(legal[:-1])) if len(legal) > 1 else legal[-1]
            state = game.play(state, action)
            ask(f"play {mover} {names[action]}")
            for owner, color in enumerate(("black", "white"), start=1):
                listed = ask(f"list_stones {color}")
                ours = [names[i] for i, cell in enumerate(game.cells(state)) if cell == owner]
                assert sorted(listed.split()) == sorted(ours)
    return forbidden
