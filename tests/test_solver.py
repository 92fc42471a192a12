"""Exact scores: against the labelled positions, against minimax, and by hand."""

import sys

import pytest

from azlearn.arena import load_positions
from azlearn.games import ConnectFour, State, TicTacToe, minimax_actions, minimax_value, solver
from azlearn.games.solver import SolverMissing, move_scores, optimal_actions
from tests.viz.nim import Heap, Nim

FOUR, THREE = ConnectFour(), TicTacToe()


@pytest.fixture
def bitbully():
    return pytest.importorskip("bitbully", reason="the optional solver is not installed")


def positions_of_every_ply(each=3):
    """`each` labelled positions of every ply that has so many, spread over the file's rows."""
    by_ply = {}
    for position in load_positions():
        by_ply.setdefault(position.ply, []).append(position)
    for rows in by_ply.values():
        yield from rows[:: max(1, len(rows) // each)][:each]


def test_connect_four_scores_are_those_of_the_labelled_positions(bitbully):
    asked = list(positions_of_every_ply())
    assert {position.ply for position in asked} == set(range(36))
    for position in asked:
        state = FOUR.from_moves(position.moves)
        scores = move_scores(FOUR, state)
        assert scores == list(position.scores), position.moves
        best = max(score for score in position.scores if score is not None)
        wanted = [action for action, score in enumerate(position.scores) if score == best]
        assert optimal_actions(FOUR, state) == wanted, position.moves


def test_a_full_column_has_no_score_and_a_finished_game_none_at_all(bitbully):
    scores = move_scores(FOUR, FOUR.from_moves("444444"))
    assert scores[3] is None
    assert None not in scores[:3] + scores[4:]
    over = FOUR.from_moves("1212121")
    assert move_scores(FOUR, over) == [None] * 7
    assert optimal_actions(FOUR, over) == []


def test_without_bitbully_connect_four_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "bitbully", None)
    solver._bitbully.cache_clear()
    with pytest.raises(SolverMissing, match="pip install bitbully"):
        move_scores(FOUR, FOUR.initial_state())
    assert issubclass(SolverMissing, ImportError)
    # What needs no solver still answers: a finished game, and other games.
    assert optimal_actions(FOUR, FOUR.from_moves("1212121")) == []
    assert optimal_actions(THREE, THREE.from_moves("1")) == [4]


def reachable(game, state, found):
    if state not in found:
        found.add(state)
        for action in game.legal_actions(state):
            reachable(game, game.next_state(state, action), found)
    return found


def test_tic_tac_toe_scores_have_the_sign_of_minimax_everywhere():
    known = {}
    states = [
        state
        for state in sorted(reachable(THREE, THREE.initial_state(), set()))
        if THREE.outcome(state) is None
    ]
    assert len(states) == 4520
    for state in states[::9]:
        scores = move_scores(THREE, state)
        assert [a for a, score in enumerate(scores) if score is not None] == THREE.legal_actions(
            state
        )
        best = max(score for score in scores if score is not None)
        assert (best > 0) - (best < 0) == minimax_value(THREE, state, known)
        assert set(optimal_actions(THREE, state)) <= set(minimax_actions(THREE, state, known))


@pytest.mark.parametrize(
    ("moves", "scores"),
    [
        # X X . / O O . / . . .  X to move. 3 wins and leaves X two stones: 1 + 2. 6 blocks; O must
        # block at 3, X at 7, and nobody wins. After any other move O wins at 6 and keeps one of
        # its four stones: -(1 + 1).
        ("1425", [None, None, 3, None, None, 0, -2, -2, -2]),
        # X X . / . O . / . . O  X to move. 3 wins at once. 4 and 7 threaten twice and win one stone
        # later. 6: O blocks at 3, X at 7, O at 4, drawn. After 8 it is O who threatens twice, and
        # wins with the last stone.
        ("1529", [None, None, 3, 2, None, 0, 2, -1, None]),
        ("14253", [None] * 9),  # X X X: over
    ],
)
def test_tic_tac_toe_by_hand(moves, scores):
    assert move_scores(THREE, THREE.from_moves(moves)) == scores


def test_a_game_without_stones_is_scored_by_its_outcome():
    # Leave a multiple of three and you win: 5 - 2 = 3.
    assert move_scores(Nim(), Heap(5, 0)) == [-1, 1]
    assert optimal_actions(Nim(), Heap(4, 1)) == [0]
    assert optimal_actions(Nim(), Heap(3, 0)) == [0, 1]  # both lose


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


def test_a_player_who_moves_twice_keeps_the_sign():
    # Two steps, both by player 0: whoever goes right last has won, so the first step is free.
    assert move_scores(Walk(2), State(0, 0)) == [1, 1]
    assert move_scores(Walk(2), State(1, 0)) == [-1, 1]
    # Three steps: the last is player 1's, who goes left.
    assert move_scores(Walk(3), State(0, 0)) == [-1, -1]
    assert move_scores(Walk(3), State(2, 0)) == [1, -1]


def test_a_large_game_and_an_endless_one_are_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"walk is too large .* more than 50,000 positions"):
        move_scores(Walk(20), State(0, 0))
    with pytest.raises(ValueError, match="walk cannot be solved here: it may never end"):
        optimal_actions(Walk(5, forgets=True), State(0, 0))
