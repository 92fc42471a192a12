"""What the checks of chapter 4 take for the truth is true."""

import itertools

import pytest

from azlearn.course.api import solution_sources
from azlearn.course.exercises import ch04_decided, ch04_path, ch04_repairs, ch04_variation
from azlearn.course.three_moves import LEGAL, node_with
from azlearn.search import MCTS, Tree, random_rollout, uct


def test_the_table_is_a_search_of_the_package_and_the_path_its_next_simulation():
    game, state = ch04_path.GAME, ch04_path.GAME.from_moves(ch04_path.MOVES)
    assert game.legal_actions(state) == [0, 3, 6]
    root = MCTS(game, uct(1.0), random_rollout()).run(state, 36, 0).root

    def lines(node, moves=""):
        if node is not None and node.num_visits:
            yield moves, tuple((node.visit_counts[a], node.value_sum[a]) for a in (0, 3, 6))
            for action, child in enumerate(node.children):
                yield from lines(child, moves + str(action + 1))

    assert dict(lines(root)) == ch04_path._TABLE
    found = ch04_path.explore_path(None, "").to_dict()
    node, moves = found["steps"]["leaf"][-1], ""
    while node:
        moves = str(found["nodes"]["action"][node] + 1) + moves
        node = found["nodes"]["parent"][node]
    assert moves == ch04_path.RIGHT


def test_the_wrong_paths_differ():
    wrong = [path for path, _ in ch04_path._FAULTS.values()]
    assert len({*wrong, ch04_path.RIGHT}) == len(wrong) + 1


def test_leaves_are_worth_what_the_rules_say():
    for case, (_, game, moves, said, _) in zip(
        ch04_repairs._leaf_cases(), ch04_repairs._LEAVES, strict=True
    ):
        outcome = game.outcome(game.from_moves(moves))
        assert (outcome is None) == (said is not None)
        assert case.right == (said if outcome is None else outcome)
    assert {case.right for case in ch04_repairs._leaf_cases()} >= {-1, 0, 1}


def test_scores_are_those_of_the_rule():
    for visits, sums, c, right in ch04_repairs._NODES:
        found = uct(c)(node_with(visits, sums))
        assert [found[action] for action in LEGAL] == pytest.approx(right, abs=1e-6)


def test_lines_are_those_of_the_tree():
    for case in ch04_variation._tree_cases():
        (root,) = case.arguments
        assert Tree(ch04_variation.GAME, root).principal_variation() == case.right


def _can_change(counts, left):
    """Whether some way to spend what is left, with some Q, changes the move: tried out."""
    if left == 0:
        return False
    sums = [(0, 0, 0), *itertools.permutations((-1, 0, 1))]
    now = max(zip(counts, (0, 1, 2), strict=True))[1]
    for first, second in itertools.product(range(left + 1), repeat=2):
        if first + second > left:
            continue
        spent = [n + x for n, x in zip(counts, (first, second, left - first - second), strict=True)]
        moves = {node_with(spent, q).best_action() for q in sums}
        if moves != {LEGAL[now]}:
            return True
    return False


def test_decided_by_trying_out_every_way_to_spend_the_rest():
    namespace = {"Node": object}
    exec(solution_sources()["4.6"], namespace)
    decided = namespace["decided"]
    for counts in itertools.product(range(6), repeat=3):
        for left in range(4):
            root = node_with(counts, (0, 0, 0))
            assert decided(root, left) == (not _can_change(counts, left)), (counts, left)


def test_the_counts_by_hand_agree_with_the_solution():
    namespace = {"Node": object}
    exec(solution_sources()["4.6"], namespace)
    for case in ch04_decided._cases():
        visits, sums, left = case.arguments
        assert namespace["decided"](node_with(visits, sums), left) == case.right, case.shown
