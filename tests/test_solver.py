"""Exact scores: against the labelled positions, against minimax, and by hand."""

import sys

import pytest

from azlearn.arena import load_positions
from azlearn.games import (
    ConnectFour,
    State,
    TicTacToe,
    minimax_actions,
    minimax_value,
    sequences_by_state,
    solver,
)
from azlearn.games.solver import SolverMissing, move_scores, optimal_actions

FOUR, THREE = ConnectFour(), TicTacToe()


def test_connect_four_scores_are_those_of_the_labelled_positions():
    pytest.importorskip("bitbully", reason="the optional solver is not installed")
    by_ply = {}
    for position in load_positions():
        by_ply.setdefault(position.ply, []).append(position)
    assert set(by_ply) >= set(range(36))
    for position in (position for some in by_ply.values() for position in some[:3]):
        assert move_scores(FOUR, position.state) == list(position.scores), position.moves
        wanted = [a for a in position.legal_actions if position.is_optimal(a)]
        assert optimal_actions(FOUR, position.state) == wanted, position.moves

    # A full column has no score, and a finished game none at all.
    scores = move_scores(FOUR, FOUR.from_moves("444444"))
    assert [score is None for score in scores] == [False] * 3 + [True] + [False] * 3
    assert move_scores(FOUR, FOUR.from_moves("1212121")) == [None] * 7


def test_without_bitbully_connect_four_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "bitbully", None)
    solver._bitbully.cache_clear()
    with pytest.raises(SolverMissing, match="pip install bitbully"):
        move_scores(FOUR, FOUR.initial_state())
    assert issubclass(SolverMissing, ImportError)
    # What needs no solver still answers: a finished game, and other games.
    assert optimal_actions(FOUR, FOUR.from_moves("1212121")) == []
    assert optimal_actions(THREE, THREE.from_moves("1")) == [4]


def test_tic_tac_toe_scores_have_the_sign_of_minimax_everywhere():
    known, every = {}, [state for layer in sequences_by_state(THREE) for state in layer]
    states = [state for state in every if THREE.outcome(state) is None]
    assert len(states) == 4520
    for state in states[::9]:
        scores = move_scores(THREE, state)
        legal = [a for a, score in enumerate(scores) if score is not None]
        assert legal == THREE.legal_actions(state)
        best = max(scores[a] for a in legal)
        assert (best > 0) - (best < 0) == minimax_value(THREE, state, known)
        assert set(optimal_actions(THREE, state)) <= set(minimax_actions(THREE, state, known))


def test_tic_tac_toe_by_hand():
    # X X . / O O . / . . .  X to move. 3 wins and leaves X two stones: 1 + 2. 6 blocks; O must
    # block at 3, X at 7, and nobody wins. After any other move O wins at 6 and keeps one of
    # its four stones: -(1 + 1).
    by_hand = [None, None, 3, None, None, 0, -2, -2, -2]
    assert move_scores(THREE, THREE.from_moves("1425")) == by_hand
    assert move_scores(THREE, THREE.from_moves("14253")) == [None] * 9  # X X X: over


class Walk:
    """Left or right, `length` times; player 0 moves twice in a row, then player 1 twice.

    The state is (steps so far, path as bits). Player 0 wins if the last step was to the right.
    """

    name, num_actions = "walk", 2

    def __init__(self, length, forgets=False):
        self.length, self.forgets = length, forgets

    def legal_actions(self, state):
        return [] if self.outcome(state) is not None else [0, 1]

    def next_state(self, state, action):
        steps = state.me + 1
        return State(steps % 4 if self.forgets else steps, 2 * state.opp + action)

    def to_play(self, state):
        return state.me // 2 % 2

    def outcome(self, state):
        if state.me < self.length:
            return None
        return (1 if state.opp % 2 else -1) * (1 if self.to_play(state) == 0 else -1)


def test_a_player_who_moves_twice_keeps_the_sign_and_a_large_or_endless_game_is_refused():
    # Two steps, both by player 0: whoever goes right last has won, so the first step is free.
    assert move_scores(Walk(2), State(0, 0)) == [1, 1]
    assert move_scores(Walk(2), State(1, 0)) == [-1, 1]
    # Three steps: the last is player 1's, who goes left.
    assert move_scores(Walk(3), State(0, 0)) == [-1, -1]
    with pytest.raises(ValueError, match=r"walk is too large .* more than 50,000 positions"):
        move_scores(Walk(20), State(0, 0))
    with pytest.raises(ValueError, match="walk cannot be solved: it may never end"):
        optimal_actions(Walk(5, forgets=True), State(0, 0))
