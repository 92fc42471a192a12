"""What a verdict of chapter 4 says, word for word where the words have misled."""

import pytest

from azlearn.course.checking import run_check
from azlearn.course.exercises import EXERCISES
from azlearn.search import Node
from tests.course.answers_ch04 import reuse_pops_from_the_front
from tests.course.registry import wrong_answer


def verdict(exercise_id, answer):
    return run_check(EXERCISES[exercise_id], answer)


def told(exercise_id, name):
    """The verdict on a fault's own text."""
    return verdict(exercise_id, wrong_answer(exercise_id, name))


def test_the_name_of_a_fault_is_set_off():
    message = told("4.3", "counts the moves, not their visits").message
    assert "“counts the moves, not their visits”. For moves [2, 6, 8]" in message


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("4", "Your path 4 is wrong from its first move, at the root"),
        ("44", "Your path 44 is wrong from its first move, at the root"),
        ("741", "begins well, with 74. The choice after 74 is not 1"),
        ("725", "column 2, its move 2, is full"),
        ("78", "column 8, its move 2, does not exist"),
        ("0", "column 0, its move 1, does not exist"),
    ],
)
def test_where_a_path_leaves_the_right_one(path, said):
    message = verdict("4.1", path).message
    assert said in message
    assert "right up to" not in message


def test_a_position_is_named_by_its_moves():
    result = verdict("4.5", wrong_answer("4.5", "returns a node of another position"))
    said = "position: the expected result is after 4435; yours is after 4434."
    assert said in result.message
    assert result.rows[0].label.endswith(": position")
    nowhere = verdict("4.5", lambda game, root, moves: Node(game, game.from_moves("7")))
    assert "yours is none that follows from the root." in nowhere.message


def test_a_function_that_empties_its_list_is_right_and_goes_on_searching():
    result = verdict("4.5", reuse_pops_from_the_front)
    assert (result.outcome, result.note) == ("right", "")
    assert result.recording.tree.root.num_visits > 200  # those of the kept subtree too


def test_where_two_moves_share_the_largest_count():
    message = told("4.6", "moves with equal N are counted once").message
    assert "[30, 30, 5]" in message
    assert "the second of them is the runner-up" in message
