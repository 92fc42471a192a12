"""What the checks of chapter 12 take for the truth is true: rules, NumPy and engines agree."""

from types import SimpleNamespace

import numpy as np
import pytest

from azlearn.course.exercises import (
    ch12_asking,
    ch12_lookups,
    ch12_rows,
    ch12_step,
    ch12_virtual_loss,
)
from azlearn.games import State, TicTacToe
from azlearn.search import MCTS, BatchedPUCT, constant, puct


def test_the_answers_of_the_check_fit_their_positions_and_differ():
    game, answers = TicTacToe(), ch12_asking._ANSWERS
    for position, (prior, _) in answers.items():
        legal = game.legal_mask(position)
        assert not np.array(prior)[~legal].any()
        assert sum(prior) == pytest.approx(1)
    assert len({value for _, value in answers.values()}) == len(answers)


@pytest.mark.parametrize("number", range(len(ch12_step.GAMES)))
def test_a_tree_of_the_step_is_that_of_the_compiled_engine(number):
    _, moves, num_left = ch12_step.GAMES[number]
    state, budget = ch12_step.GAME.from_moves(moves), num_left or 5
    engine = BatchedPUCT(ch12_step.GAME, 1, budget)
    engine.start(State(*(np.array([stones]) for stones in state)), budget)
    while len((leaves := engine.select()).me):
        answers = [ch12_step.answer(State(*map(int, key))) for key in zip(*leaves, strict=True)]
        engine.update(*(np.array(part) for part in zip(*answers, strict=True)))
    visits, values = ch12_step.cases()[number].right
    used = range(len(visits))
    assert sorted(visits) == sorted(engine.visit_counts[0, i].tolist() for i in used)
    assert sorted(values) == sorted(engine.value_sum[0, i].tolist() for i in used)


def test_one_game_wins_one_draws_and_one_is_done():
    games = ch12_step.GAMES
    ends = [ch12_step.GAME.from_moves(moves + last) for (_, moves, _), last in zip(
        games, ("", "3", "", "89", ""), strict=True)]  # fmt: skip
    assert [ch12_step.GAME.outcome(state) for state in ends] == [None, -1, None, 0, None]
    assert [num_left == 0 for *_, num_left in games].count(True) == 1


@pytest.mark.parametrize("case", ch12_rows.edge_cases(), ids=lambda case: case.shown)
def test_indices_are_those_of_numpy(case):
    *edges, num_nodes, num_actions = case.arguments
    shape = (int(edges[0].max()) + 1, num_nodes, num_actions)
    assert np.ravel_multi_index(edges, shape).tolist() == case.right


@pytest.mark.parametrize("case", ch12_rows.row_cases(), ids=lambda case: case.shown)
def test_a_new_row_changes_itself_its_count_and_one_link(case):
    game, node, action, prior = case.arguments
    row, *after = case.right
    before = ch12_rows._plain(row, ch12_rows.before())[1:]
    changed = {
        (table, *place)
        for table, (old, new) in enumerate(zip(before, after, strict=True))
        for place in np.argwhere(np.array(old) != np.array(new)).tolist()
    }
    assert {place for place in changed if place[1:3] != [game, row]} >= {(0, game)}
    outside = {place for place in changed if len(place) == 2 or place[2] != row}
    assert outside == {(0, game), (1, game, node, action)}
    assert row == before[0][game]
    assert after[4][game][row] == prior
    assert not np.array([table[game][row] for table in after[1:4]]).any()


@pytest.mark.parametrize("case", ch12_lookups.cases(), ids=lambda case: case.shown)
def test_best_moves_are_those_of_puct(case):
    node, *tables = case.arguments
    rule, actions, behind = puct(c=1.0), [], []
    for game, row in enumerate(node):
        n, w, p, legal, child = (table[game, row].tolist() for table in tables)
        scores = rule(SimpleNamespace(visit_counts=n, value_sum=w, prior=p, raw_value=0.0))
        actions.append(max((a for a in range(4) if legal[a]), key=scores.__getitem__))
        behind.append(child[actions[-1]] or int(row))
    assert [actions, behind] == case.right


@pytest.mark.parametrize("case", ch12_virtual_loss.cases(), ids=lambda case: case.shown)
def test_virtual_losses_are_those_of_the_package(case):
    virtual_loss, paths = case.arguments
    root, below = ch12_virtual_loss.tree()
    nodes = {"root": root, "below": below}
    edges = [(nodes[name], action) for name, action in ch12_virtual_loss.EDGES]
    found = []

    def look():
        found.append(
            [
                tuple(node.visit_counts[action] for node, action in edges),
                tuple(node.value_sum[action] for node, action in edges),
            ]
        )

    class Scripted(MCTS):
        def descend(self, root):
            look()
            return [edges[edge] for edge in paths[len(found) - 1]], root  # a leaf that is there

    search = Scripted(TicTacToe(), puct(), constant(), virtual_loss=virtual_loss)
    search.collect(root, len(paths))
    look()
    assert [tuple(map(tuple, moment)) for moment in found] == [tuple(r) for r in case.right]
