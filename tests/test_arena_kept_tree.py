"""Players that keep their tree between moves, or remember what they have asked."""

from collections import Counter

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

    def player(reuse_tree):
        def batch(states):
            asked[reuse_tree] = asked.get(reuse_tree, 0) + len(states[0])
            return evaluators(game, "rough").batch(states)

        return PUCTPlayer(game, batch_evaluator(batch), num_simulations, reuse_tree=reuse_tree)

    return player(True), player(False), asked


@pytest.mark.slow
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


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_what_is_remembered_from_move_to_move_is_not_asked_again(game):
    """The games are the same, move for move."""
    asked, played = Counter(), {}
    for bits in (0, 4, 16):  # 16 slots: most are soon taken by another position

        def batch(states, bits=bits):
            asked[bits] += len(states[0])
            return evaluators(game, "rough").batch(states)

        player = PUCTPlayer(game, batch_evaluator(batch), 40, cache_bits=bits)
        opponent, openings = asked_players(game, 10)[1], ["12", "21", "35", "53"]
        played[bits] = play_match(player, opponent, games=8, openings=openings).games
    assert played[0] == played[4] == played[16]
    assert asked[16] < asked[4] <= asked[0]
    assert asked[16] < 0.95 * asked[0]


def test_a_player_that_remembers_may_be_asked_about_more_than_before():
    """More positions, more simulations."""
    game = ConnectFour()
    player = PUCTPlayer(game, evaluators(game, "rough"), 40, cache_bits=10)
    anew = PUCTPlayer(game, evaluators(game, "rough"), 40)
    for states, level in ((["1", "2"], 40), (["1", "3", "44", "45"], 40), (["3"], 90), (["1"], 20)):
        player.num_simulations = anew.num_simulations = level
        states = [game.from_moves(moves) for moves in states]
        rngs = [np.random.default_rng(seed) for seed in range(len(states))]
        assert player.choose_batch(states, rngs) == anew.choose_batch(states, rngs)


def test_its_name_says_so():
    keeps, anew, _ = asked_players(GAMES[0])
    assert keeps.name == "PUCT 40, tree kept"
    assert anew.name == "PUCT 40"
