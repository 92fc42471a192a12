"""What the checks of chapter 4 take for the truth is true."""

import itertools
import math
import re

import nbformat
import pytest

from azlearn.arena import load_positions
from azlearn.course.exercises import SHEETS
from azlearn.course.exercises.ch04_reading_a_tree import leaf_value, path, scores
from azlearn.course.exercises.ch04_reading_a_tree.principal_variation import EXERCISE as LINES
from azlearn.course.small_trees import TreeCase, columns, three_moves
from azlearn.course.solutions import run_source, solution_source
from azlearn.games import ConnectFour
from azlearn.search import MCTS, Node, Tree, random_rollout, uct
from tools.build_exercises import ROOT

GAME, OPEN = ConnectFour(), (0, 3, 6)


def table():
    """The statement's: moves to the N and the W of columns 1, 4 and 7."""
    cells = nbformat.read(ROOT / "solutions" / "04_solutions.ipynb", as_version=4).cells
    (text,) = [cell.source for cell in cells if "| after | chooses |" in cell.source]
    rows = re.findall(r"^\| (\(root\)|[147 ]+) \| \S+ \S+ \| (.+) \| (.+) \|$", text, flags=re.M)
    numbers = [[eval(f"[{part}]".replace("−", "-")) for part in row[1:]] for row in rows]
    lines = [re.sub(r"\D", "", row[0]) for row in rows]
    return dict(zip(lines, numbers, strict=True))


def searched():
    state = GAME.from_moves(path.MOVES)
    assert tuple(GAME.legal_actions(state)) == OPEN
    return MCTS(GAME, uct(1.0), random_rollout()).run(state, path.NUM_SIMULATIONS, path.SEED).root


def test_the_table_is_a_search_of_the_package_and_the_path_its_next_simulation():
    def lines(node, moves=""):
        if node is not None and node.num_visits:
            edges = node.visit_counts, node.value_sum
            yield moves, [[values[action] for action in OPEN] for values in edges]
            for action, child in enumerate(node.children):
                yield from lines(child, moves + str(action + 1))

    assert dict(lines(searched())) == table()
    found = path.explore(None, "").to_dict()
    node, moves = found["steps"]["leaf"][-1], ""
    while node:
        moves = str(found["nodes"]["action"][node] + 1) + moves
        node = found["nodes"]["parent"][node]
    assert moves == path.RIGHT


def traced(score, untried=math.inf):
    """The columns that the highest score(node, N, Q, bonus(ΣN)) leads through."""
    actions, node = [], searched()
    while node is not None and (node.num_visits or not actions or untried > 0):

        def value(action, node=node):
            n = node.visit_counts[action]
            if not n:
                return untried
            bonus = lambda total: math.sqrt(math.log(total) / n)  # noqa: E731
            return score(node, n, node.value_sum[action] / n, bonus)

        actions.append(max(node.legal_actions, key=value))
        node = node.children[actions[-1]]
    return columns(actions if untried > 0 else [*actions, 0])


def test_wrong_paths_are_those_of_the_wrong_scores():
    wrong = {fault.name: fault.value for fault in SHEETS["4.1"].faults if fault.value}
    base_10 = math.sqrt(1 / math.log(10))
    assert wrong == {
        "best mean at every node": traced(lambda node, n, q, bonus: q, -math.inf),
        "most visits at every node": traced(lambda node, n, q, bonus: n, -math.inf),
        "Yellow's W read as Red's": traced(
            lambda node, n, q, bonus: (-q if node.to_play else q) + bonus(node.num_visits)
        ),
        "ΣN of the root at every node": traced(lambda node, n, q, bonus: q + bonus(36)),
        "logarithm to base 10": traced(
            lambda node, n, q, bonus: q + bonus(node.num_visits) * base_10
        ),
        "bonus only": traced(lambda node, n, q, bonus: bonus(node.num_visits)),
        "stops at the last node of the tree": path.RIGHT[:-1],
        "first move only": path.RIGHT[:1],
        "from the leaf to the root": path.RIGHT[::-1],
        "counted from 0": "".join(str(int(digit) - 1) for digit in path.RIGHT),
    }
    assert traced(lambda node, n, q, bonus: q + bonus(node.num_visits)) == path.RIGHT
    assert len({*wrong.values(), path.RIGHT}) == len(wrong) + 1


def test_leaves_are_worth_what_the_rules_say():
    for case in leaf_value.CASES:
        outcome = case.game.outcome(case.game.from_moves(case.moves))
        assert case.right == {
            leaf_value.ASKED: outcome is None,
            "": case.said if outcome is None else outcome,
        }
    assert {case.right[""] for case in leaf_value.CASES} >= {-1, 0, 1}


def test_scores_are_those_of_the_rule():
    for case in scores.CASES:
        node = case.root()
        found = [uct(case.given)(node)[action] for action in node.legal_actions]
        assert found == pytest.approx(case.right[scores.LEGAL], abs=1e-6)


def test_lines_are_those_of_the_tree():
    for case in LINES.marking.all_cases:
        root = case.root()
        line = Tree(case.game, root).principal_variation()
        assert case.right is None or line == case.right[""]
        assert solved("4.4")(root) == line


def solved(exercise_id):
    function = {"4.4": "principal_variation", "4.6": "decided"}[exercise_id]
    return run_source(exercise_id, solution_source(exercise_id))[function]


def node_with(visits, sums) -> Node:
    game, before, edges = three_moves(visits, sums)
    return TreeCase("", game, before, {"": edges}).root()


def _can_change(counts, left):
    """Whether some way to spend what is left, with some Q, changes the move: tried out."""
    if left == 0:
        return False
    sums = [(0, 0, 0), *itertools.permutations((-1, 0, 1))]
    now = (2, 6, 8)[max(zip(counts, (0, 1, 2), strict=True))[1]]
    for first, second in itertools.product(range(left + 1), repeat=2):
        if first + second > left:
            continue
        spent = [n + x for n, x in zip(counts, (first, second, left - first - second), strict=True)]
        if {node_with(spent, q).best_action() for q in sums} != {now}:
            return True
    return False


def test_decided_by_trying_out_every_way_to_spend_the_rest():
    decided = solved("4.6")
    for counts in itertools.product(range(5), repeat=3):
        for left in range(4):
            root = node_with(counts, (0, 0, 0))
            assert decided(root, left) == (not _can_change(counts, left)), (counts, left)


def test_the_rule_saves_what_its_verdict_says_and_changes_no_move():
    decided, search, run = solved("4.6"), MCTS(GAME, uct(1.0), random_rollout()), 0
    positions = [position.state for position in load_positions()[10::50]]
    for state in positions:
        stop = lambda tree, left: decided(tree.root, left)  # noqa: E731
        tree = search.run(state, 200, 0, stop=stop)
        assert tree.best_action() == search.run(state, 200, 0).best_action()
        run += tree.root.num_visits
    assert len(positions) == 20
    assert 1 - run / (20 * 200) == pytest.approx(0.27, abs=0.02)
