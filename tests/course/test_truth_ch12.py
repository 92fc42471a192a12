"""What the checks of chapter 12 take for the truth is true: rules, NumPy and engines agree."""

import numpy as np
import pytest

from azlearn.course.comparing import show
from azlearn.course.exercises import EXERCISES
from azlearn.course.exercises.ch12_batching import ask_all, collect, edge_index, step
from azlearn.games import State, TicTacToe
from azlearn.search import MCTS, BatchedPUCT, constant, puct


@pytest.mark.parametrize("case", ask_all.CASES, ids=lambda case: case.words)
def test_the_answers_of_the_check_fit_their_positions_and_differ(case):
    game, slots = case.arguments
    answers = {slot: ask_all.answer(game, slot) for slot in slots if slot is not None}
    for state, (prior, _) in answers.items():
        assert not np.array(prior)[~game.legal_mask(state)].any()
        assert sum(prior) == pytest.approx(1)
    assert len({value for _, value in answers.values()}) == len(answers)


@pytest.mark.parametrize("number", range(5))
def test_a_tree_of_the_step_is_that_of_the_compiled_engine(number):
    moves, left = (part[number] for part in step.CASES[0].arguments)
    state, budget = step.GAME.from_moves(moves), left or 5
    engine = BatchedPUCT(step.GAME, 1, budget)
    engine.start(State(*(np.array([stones]) for stones in state)), budget)
    while len((leaves := engine.select()).me):
        states = [State(*map(int, key)) for key in zip(*leaves, strict=True)]
        answers = [ask_all.answer(step.GAME, state) for state in states]
        engine.update(*(np.array(part) for part in zip(*answers, strict=True)))
    seen = EXERCISES["12.2"].marking.right.seen[0]
    tree = [(seen[f"N of root {number}"], seen[f"W of root {number}"])]
    tree += [pair for pair in seen[f"N and W below root {number}"] if any(pair[0])]
    tables = (engine.visit_counts[0].tolist(), engine.value_sum[0].tolist())
    found = [(n, w) for n, w in zip(*tables, strict=True) if any(n)]
    assert sorted(tree) == sorted(found)


def test_one_game_of_the_step_can_be_won_and_one_be_drawn():
    ends = [step.GAME.outcome(step.GAME.from_moves(moves)) for moves in ("14253", "132465789")]
    assert ends == [-1, 0]


@pytest.mark.parametrize("case", edge_index.CASES, ids=lambda case: case.words)
def test_indices_are_those_of_numpy(case):
    *edges, num_nodes, num_actions = case.arguments
    shape = (max(edges[0]) + 1, num_nodes, num_actions)
    assert str(np.ravel_multi_index(edges, shape).tolist()) == case.right[""]


@pytest.mark.parametrize("case", collect.CASES, ids=lambda case: case.words)
def test_virtual_losses_are_those_of_the_package(case):
    class Scripted(MCTS):
        def descend(self, root):
            return answer_descend(root), root  # a leaf that is there

    def by_the_package(root, descend, num_leaves, virtual_loss):
        nonlocal answer_descend
        answer_descend = descend
        search = Scripted(TicTacToe(), puct(), constant(), virtual_loss=virtual_loss)
        search.collect(root, num_leaves)

    answer_descend = None
    seen = collect.observe(by_the_package, case)
    for key, value in case.right.items():
        assert key == "the paths" or show(seen[key]) == show(value)
