"""What the checks take for the truth is true: hand-worked values against minimax and search."""

import math

import pytest

from azlearn.course.backup_cases import BACKUP_FAULTS, backup_cases
from azlearn.course.exercises import ch01_boards, ch01_values, ch02_ucb1
from azlearn.course.exercises.ch03_search import search_cases
from azlearn.course.probe_games import P5, P6, PROBE_BEST_MOVES, PROBE_GAMES, PROBE_VALUES
from azlearn.course.your_search import GAME, ONLY_MOVE, START
from azlearn.games import assert_conforms, minimax_actions, minimax_value
from azlearn.search import MCTS, constant, random_rollout, uct


@pytest.mark.parametrize("game", PROBE_GAMES, ids=lambda game: game.name)
def test_probe_games_conform_and_have_the_values_they_claim(game):
    assert_conforms(game)
    start = game.initial_state()
    assert minimax_value(game, start) == PROBE_VALUES[game]
    assert minimax_actions(game, start) == PROBE_BEST_MOVES[game]


def test_probe_games_are_what_their_names_say():
    assert P5.num_actions == 7
    assert P5.legal_actions(P5.initial_state()) == [4]
    after = P6.play(P6.initial_state(), 0)
    assert P6.to_play(after) == P6.to_play(P6.initial_state()) == 0
    with pytest.raises(ValueError, match=r"legal: \[4\]"):
        P5.play(P5.initial_state(), 0)
    assert P6.from_moves("11").me == 3
    assert "position 0" in P6.to_text(P6.initial_state())


@pytest.mark.parametrize("game", PROBE_GAMES, ids=lambda game: game.name)
def test_the_search_of_the_package_solves_every_probe(game):
    tree = MCTS(game, uct(1.0), random_rollout()).run(game.initial_state(), 400)
    assert tree.best_action() in PROBE_BEST_MOVES[game]


def test_values_of_boards_agree_with_minimax():
    for case in ch01_values._board_cases():
        assert minimax_value(*case.arguments) == case.right, case.shown


def test_endings_and_masks_agree_with_the_rules():
    for case in ch01_values._outcome_cases():
        assert ch01_values.TIC_TAC_TOE.outcome(*case.arguments) == case.right, case.shown
    for case in ch01_boards._mask_cases():
        assert ch01_boards.CONNECT_FOUR.legal_mask(*case.arguments).tolist() == case.right
    for case in ch01_boards._won_cases():
        assert bool(ch01_boards.rules.has_won(*case.arguments)) == case.right, case.shown


def test_ucb1_scores_are_those_of_the_formula():
    for (n, w, c), right in ch02_ucb1._UCB_CASES:
        total = sum(n)
        for visits, value, score in zip(n, w, right, strict=True):
            exact = value / visits + c * math.sqrt(math.log(total) / visits) if visits else math.inf
            assert score == pytest.approx(exact, abs=1e-4)


def test_searches_by_hand_agree_with_the_package():
    for case in search_cases():
        game, state, simulations, c, evaluate = case.arguments
        if evaluate.__name__ != "quarter":
            continue
        root = MCTS(game, uct(c), constant(0.25)).run(state, simulations).root
        assert (root.visit_counts, root.value_sum) == case.right, case.shown


def test_faults_of_backup_are_told_apart_by_the_cases():
    cases = backup_cases()
    given = [str([fault.give(*case.arguments) for case in cases]) for fault in BACKUP_FAULTS]
    assert len(set(given)) == len(given)
    assert str([case.right for case in cases]) not in given


def test_only_one_move_holds_the_position_that_the_explorer_shows():
    for action in GAME.legal_actions(START):
        after = GAME.play(START, action)
        replies = [GAME.outcome(GAME.play(after, a)) for a in GAME.legal_actions(after)]
        assert (-1 in replies) == (action != ONLY_MOVE)
