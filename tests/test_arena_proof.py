"""The proof of never losing: right about perfect players, and about planted mistakes."""

from types import SimpleNamespace

import numpy as np
import pytest

from azlearn.arena import (
    MinimaxPlayer,
    NetworkPlayer,
    PUCTPlayer,
    RandomPlayer,
    UCTPlayer,
    find_losing_line,
)
from azlearn.games import ConnectFour, TicTacToe, minimax_actions, minimax_value
from azlearn.search import batch_evaluator

FOUR, THREE = ConnectFour(), TicTacToe()
KNOWN = {}


class FirstBest:
    """The first of the moves that minimax keeps, but for the mistakes that it is told to make."""

    name = "first best"

    def __init__(self, mistakes=()):
        self.game, self.mistakes, self.asked = THREE, dict(mistakes), []

    def choose(self, state, rng):
        self.asked.append(state)
        return self.mistakes.get(state) or minimax_actions(THREE, state, KNOWN)[0]


def assert_lost(player, moves):
    """The moves are a game that ``player``, on one of the sides, plays and loses."""
    states = [THREE.from_moves(moves[:n]) for n in range(len(moves) + 1)]
    assert THREE.outcome(states[-1]) == -1
    loser = THREE.to_play(states[-1])
    for state, move in zip(states, moves, strict=False):
        if THREE.to_play(state) == loser:
            assert player.choose(state, np.random.default_rng(0)) == int(move) - 1


def test_perfect_play_is_proven_and_each_position_asked_about_once():
    proven = FirstBest()
    assert find_losing_line(proven, THREE) is None
    assert len(proven.asked) == len(set(proven.asked)) > 100
    assert {THREE.to_play(state) for state in proven.asked} == {0, 1}


def test_one_wrong_reply_among_hundreds_is_found():
    perfect, planted = FirstBest(), 0
    find_losing_line(perfect, THREE)
    for state in perfect.asked[::8]:
        for action in THREE.legal_actions(state):
            if minimax_value(THREE, THREE.play(state, action), KNOWN) == 1 and action:
                wrong = FirstBest({state: action})
                assert_lost(wrong, find_losing_line(wrong, THREE))
                planted += 1
                break
    assert planted > 5


def minimax(states):
    """As an evaluator: a prior on the moves that keep the value, and the value."""
    known = [THREE.state_of(words) for words in zip(*states, strict=True)]
    best = [minimax_actions(THREE, state, KNOWN) for state in known]
    prior = [[(action in moves) / len(moves) for action in range(9)] for moves in best]
    return np.array(prior), np.array([float(minimax_value(THREE, s, KNOWN)) for s in known])


@pytest.mark.parametrize(("kind", "simulations"), [(NetworkPlayer, ()), (PUCTPlayer, (25,))])
def test_a_player_with_a_network_is_proven_ply_by_ply(kind, simulations):
    asked = []
    evaluator = batch_evaluator(lambda states: asked.append(len(states.me)) or minimax(states))
    assert find_losing_line(kind(THREE, evaluator, *simulations), THREE) is None
    assert len(asked) <= 9 * 26  # 5 plies as first, 4 as second; 26 questions a search


@pytest.mark.parametrize("player", [RandomPlayer(THREE), MinimaxPlayer(THREE), UCTPlayer(THREE, 5)])
def test_a_player_that_draws_numbers_has_no_proof(player):
    with pytest.raises(ValueError, match=rf"^{player.name} makes random choices"):
        find_losing_line(player, THREE)


def test_illegal_answers_and_large_games_are_refused(monkeypatch):
    same = SimpleNamespace(name="same", choose=lambda state, rng: 0)
    with pytest.raises(ValueError, match=r"same chose move 1 \(action 0\), which is illegal"):
        find_losing_line(same, THREE)
    monkeypatch.setattr("azlearn.arena.proof.MOST_POSITIONS", 300)
    leftmost = SimpleNamespace(choose=lambda state, rng: FOUR.legal_actions(state)[-1])
    with pytest.raises(ValueError, match="connect_four is too large for a proof: more than 300"):
        find_losing_line(leftmost, FOUR)
