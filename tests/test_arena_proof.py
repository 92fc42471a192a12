"""The proof of never losing: right about perfect players, and about planted mistakes."""

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
from azlearn.search import constant

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


def loses(player, state, side):
    """Whether some sequence of replies beats it: plain recursion, nothing remembered."""
    outcome = THREE.outcome(state)
    if outcome is not None:
        return (outcome if THREE.to_play(state) == side else -outcome) == -1
    if THREE.to_play(state) == side:
        return loses(player, THREE.play(state, player.choose(state, None)), side)
    return any(loses(player, THREE.play(state, a), side) for a in THREE.legal_actions(state))


def assert_lost(player, moves):
    """The moves are a game that ``player``, on one of the sides, plays and loses."""
    states = [THREE.from_moves(moves[:n]) for n in range(len(moves) + 1)]
    assert THREE.outcome(states[-1]) == -1
    loser = THREE.to_play(states[-1])
    for state, move in zip(states, moves, strict=False):
        if THREE.to_play(state) == loser:
            assert player.choose(state, np.random.default_rng(0)) == int(move) - 1


def test_perfect_play_is_proven_and_each_position_asked_about_once():
    player = FirstBest()
    assert find_losing_line(player, THREE) is None
    assert not loses(player, THREE.initial_state(), 0)
    assert not loses(player, THREE.initial_state(), 1)
    proven = FirstBest()
    find_losing_line(proven, THREE)
    assert len(proven.asked) == len(set(proven.asked)) > 100
    assert {THREE.to_play(state) for state in proven.asked} == {0, 1}


@pytest.mark.slow
def test_one_wrong_reply_among_hundreds_is_found():
    perfect = FirstBest()
    find_losing_line(perfect, THREE)
    planted = 0
    for state in perfect.asked:
        for action in THREE.legal_actions(state):
            if minimax_value(THREE, THREE.play(state, action), KNOWN) == 1 and action:
                wrong = FirstBest({state: action})
                moves = find_losing_line(wrong, THREE)
                assert_lost(wrong, moves)
                planted += 1
                break
    assert planted > 50


class Minimax:
    """As an evaluator: the value, and a prior on the moves that keep it."""

    batches = 0

    def __call__(self, game, state, rng):
        best = minimax_actions(game, state, KNOWN)
        return [(a in best) / len(best) for a in range(9)], minimax_value(game, state, KNOWN)

    def batch(self, states):
        self.batches += 1
        pairs = zip(states.me.tolist(), states.opp.tolist(), strict=True)
        answers = [self(THREE, THREE.initial_state()._replace(me=m, opp=o), None) for m, o in pairs]
        return np.array([p for p, _ in answers]), np.array([v for _, v in answers], dtype=float)


@pytest.mark.parametrize(
    "make", [lambda e: NetworkPlayer(THREE, e), lambda e: PUCTPlayer(THREE, e, 25)]
)
def test_a_player_with_a_network_is_proven_ply_by_ply(make):
    evaluator = Minimax()
    player = make(evaluator)
    assert find_losing_line(player, THREE) is None
    assert evaluator.batches <= 9 * 26  # 5 plies as first, 4 as second; 26 questions a search
    ignorant = PUCTPlayer(THREE, constant(), 1)
    assert_lost(ignorant, find_losing_line(ignorant, THREE))


@pytest.mark.parametrize("player", [RandomPlayer(THREE), MinimaxPlayer(THREE), UCTPlayer(THREE, 5)])
def test_a_player_that_draws_numbers_has_no_proof(player):
    with pytest.raises(ValueError, match=rf"^{player.name} draws random numbers"):
        find_losing_line(player, THREE)


def test_illegal_answers_and_large_games_are_refused(monkeypatch):
    class Same:
        name, game = "same", THREE

        def choose(self, state, rng):
            return 0

    with pytest.raises(ValueError, match=r"same chose move 1 \(action 0\), which is illegal"):
        find_losing_line(Same(), THREE)
    monkeypatch.setattr("azlearn.arena.proof.MOST_POSITIONS", 300)
    leftmost = Same()
    leftmost.choose = lambda state, rng: FOUR.legal_actions(state)[-1]
    with pytest.raises(ValueError, match="connect_four is too large for a proof: more than 300"):
        find_losing_line(leftmost, FOUR)
