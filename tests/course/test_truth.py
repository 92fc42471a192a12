"""What the checks take for the truth is true: hand-worked values against minimax and search."""

import pytest

from azlearn.course.comparing import same
from azlearn.course.exercises import EXERCISES
from azlearn.course.exercises.ch03_uct import backup_points, search
from azlearn.course.probe_games import P5, P6, PROBE_BEST_MOVES, PROBE_GAMES, PROBE_VALUES
from azlearn.course.your_search import GAME, ONLY_MOVE, START
from azlearn.games import (
    ConnectFour,
    TicTacToe,
    assert_conforms,
    connect_four_rules,
    minimax_actions,
    minimax_value,
)
from azlearn.search import MCTS, constant, hash_evaluator, random_rollout, uct


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
    with pytest.raises(ValueError, match=r"the only legal move is 5 \(action 4\)"):
        P5.play(P5.initial_state(), 0)
    assert P6.from_moves("11").me == 3
    assert "position 0" in P6.to_text(P6.initial_state())


@pytest.mark.parametrize("game", PROBE_GAMES, ids=lambda game: game.name)
def test_the_search_of_the_package_solves_every_probe(game):
    tree = MCTS(game, uct(1.0), random_rollout()).run(game.initial_state(), 400)
    assert tree.best_action() in PROBE_BEST_MOVES[game]


@pytest.mark.parametrize(
    ("exercise_id", "truth"),
    [
        ("1.1", ConnectFour().legal_mask),
        ("1.2", connect_four_rules.has_won),
        ("1.3", TicTacToe().outcome),
        ("1.4", minimax_value),
    ],
)
def test_solutions_agree_with_the_package(exercise_id, truth):
    marking = EXERCISES[exercise_id].marking
    for case, seen in zip(marking.all_cases, marking.right.seen, strict=True):
        assert same(next(iter(seen.values())), truth(*case.arguments)), case.words


def test_the_solution_of_the_whole_search_is_the_search_of_the_package():
    marking = EXERCISES["3.5"].marking
    for case, seen in zip(marking.all_cases, marking.right.seen, strict=True):
        evaluate = hash_evaluator if case.value is None else constant(case.value)
        start = case.game.from_moves(case.moves)
        root = MCTS(case.game, uct(case.c), evaluate).run(start, case.num_simulations).root
        levels = list(search.levels_of(root))
        assert seen["N, level by level"] == [[n.visit_counts for n in nodes] for nodes in levels]
        assert seen["W, level by level"] == [[n.value_sum for n in nodes] for nodes in levels]


def test_the_solution_of_the_move_to_play_is_the_choice_of_the_package():
    marking = EXERCISES["3.4"].marking
    for case, seen in zip(marking.all_cases, marking.right.seen, strict=True):
        assert seen[""] == case.root().best_action(), case.words


def test_points_and_half_the_c_make_the_visits_of_values():
    marking = EXERCISES["3.6"].marking
    seen = zip(marking.all_cases, marking.right.seen, strict=True)
    found = [list(s.values()) for case, s in seen if isinstance(case, backup_points.Search)]
    assert [same_visits for _, same_visits in found] == [True, True]


def test_only_one_move_holds_the_position_that_the_explorer_shows():
    for action in GAME.legal_actions(START):
        after = GAME.play(START, action)
        replies = [GAME.outcome(GAME.play(after, a)) for a in GAME.legal_actions(after)]
        assert (-1 in replies) == (action != ONLY_MOVE)
