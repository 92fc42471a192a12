"""Random games in lock-step with OpenSpiel's Go.

``python -m tests.games.go.lock_step 10000`` plays so many on each board and says what it found.
"""

import sys
from collections import Counter

import numpy as np

from azlearn.games.go import Go


def play_in_lock_step(game: Go, num_games: int, seed: int) -> Counter:
    """Compares legal actions, player and stones after every move, and the results.

    The one difference: where a stone brings back an earlier board of the game, OpenSpiel ends it as
    a draw. Those games are counted and end there.
    """
    import pyspiel

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


if __name__ == "__main__":
    for size in map(int, sys.argv[2:] or (5, 7)):
        print(
            f"{size}x{size}: {dict(play_in_lock_step(Go(size), int(sys.argv[1]), size))}",
            flush=True,
        )
