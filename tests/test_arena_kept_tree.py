"""Players that keep their tree between moves."""

import numpy as np
import pytest

from azlearn.arena import PUCTPlayer, play_match
from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import batch_evaluator
from tests.engines import evaluators

GAMES = [TicTacToe(), ConnectFour()]


def asked_players(game, num_simulations=40):
    """Two players, one that keeps its tree, and how many positions each has asked about."""
    asked = {}

    def player(keep_tree):
        def batch(states):
            asked[keep_tree] = asked.get(keep_tree, 0) + len(states[0])
            return evaluators(game, "rough").batch(states)

        return PUCTPlayer(game, batch_evaluator(batch), num_simulations, keep_tree=keep_tree)

    return player(True), player(False), asked


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("at_once", [True, False], ids=["batched", "one by one"])
def test_a_search_is_filled_up_and_what_is_known_is_not_asked_again(game, at_once):
    keeps, anew, asked = asked_players(game)
    for player in (keeps, anew):
        rng, state = np.random.default_rng(3), game.initial_state()
        while game.outcome(state) is None:
            if at_once:
                (action,) = player.choose_batch([state], [rng])
            else:
                action = player.choose(state, rng)
                assert player.last_tree.root.num_visits == 40
                assert player.last_tree.root.state == state
            state = game.next_state(state, action)
            if game.outcome(state) is None:  # a reply that the search has looked at
                state = game.next_state(state, game.legal_actions(state)[0])
    assert asked[True] < 0.95 * asked[False]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_in_a_match_every_game_keeps_its_own(game):
    """The same games, move for move, as when each is played by itself."""
    openings, opponent = ["12", "21", "35", "53"], asked_players(game, 10)[1]
    together = play_match(asked_players(game)[0], opponent, games=8, openings=openings)
    for opening in openings:
        alone = play_match(asked_players(game)[0], opponent, games=2, openings=[opening])
        assert set(alone.games) == {one for one in together.games if one.opening == opening}


def test_its_name_says_so():
    keeps, anew, _ = asked_players(GAMES[0])
    assert keeps.name == "PUCT 40, tree kept"
    assert anew.name == "PUCT 40"
