"""The record of a search says all that happened in it, right or wrong."""

import json

import pytest

from azlearn.games import ConnectFour, State, TicTacToe
from azlearn.search import (
    MCTS,
    MCTSSolver,
    Recorder,
    forced_puct,
    gumbel,
    random_rollout,
    record_search,
    uct,
)
from tests.faulty_searches import CountsTwice, WrongSign

CONNECT_FOUR, TIC_TAC_TOE = ConnectFour(), TicTacToe()


def statistics(record):
    """N and W of the edge into every node, from the columns of a record alone."""
    parent, to_play = record["nodes"]["parent"], record["nodes"]["to_play"]
    steps, base = record["steps"], record["totals"]
    visits = list(base["visit_counts"]) if base else [0] * len(parent)
    value_sum = list(base["value_sum"]) if base else [0.0] * len(parent)
    for row, leaf in enumerate(steps["leaf"]):
        edges = []  # from the leaf up
        while parent[leaf] >= 0:
            edges.append(leaf)
            leaf = parent[leaf]
        for depth, node in enumerate(reversed(edges)):
            mover, leaf_mover = to_play[parent[node]], to_play[steps["leaf"][row]]
            value = steps["value"][row] * (1 if mover == leaf_mover else -1)
            visits[node] += steps["visits"][row][depth] if steps["visits"] else 1
            value_sum[node] += steps["change"][row][depth] if steps["change"] else value
    return visits[1:], value_sum[1:]


def expected(recording):
    edges = [(recording.nodes[parent], action) for parent, action in recording.parents[1:]]
    return [n.visit_counts[a] for n, a in edges], [n.value_sum[a] for n, a in edges]


@pytest.mark.parametrize("game", [CONNECT_FOUR, TIC_TAC_TOE], ids=lambda game: game.name)
@pytest.mark.parametrize("expand", ["one", "all"])
@pytest.mark.parametrize("search", [MCTS, WrongSign, CountsTwice])
def test_a_record_replays_to_the_statistics_of_its_tree(game, expand, search):
    recorder = Recorder()
    mcts = search(game, uct(1.0), random_rollout(), expand=expand, recorder=recorder)
    mcts.run(game.initial_state(), 120, 4)
    recording = recorder.recording()
    record = json.loads(json.dumps(recording.to_dict(), allow_nan=False))
    assert statistics(record) == expected(recording)
    assert (record["steps"]["change"] is None) == (search is not WrongSign)
    assert (record["steps"]["visits"] is None) == (search is not CountsTwice)
    assert record["steps"]["simulation"][-1] == 120


def test_a_kept_tree_is_recorded_from_where_it_stands():
    plain = MCTS(CONNECT_FOUR, uct(1.0), random_rollout())
    tree = plain.run(State(0, 0), 200, 1).advance(3)
    recorder = Recorder()
    mcts = MCTS(CONNECT_FOUR, uct(1.0), random_rollout(), recorder=recorder)
    mcts.run(tree.root.state, 50, 2, tree=tree)
    recording = recorder.recording()
    record = recording.to_dict()
    assert sum(record["totals"]["visit_counts"][1:]) > 0
    assert statistics(record) == expected(recording)


def test_scores_of_a_rule_that_the_viewer_does_not_know_are_written_down():
    rule = uct(0.7)
    known = record_search(TIC_TAC_TOE, State(0, 0), rule, random_rollout(), 40, 1)
    unknown = record_search(
        TIC_TAC_TOE, State(0, 0), lambda node: rule(node), random_rollout(), 40, 1
    )
    assert known.to_dict()["steps"]["scores"] is None
    assert known.to_dict()["rule"] == {"name": "uct", "c": 0.7}
    record = unknown.to_dict()
    assert record["rule"] == {"name": "custom"}
    assert record["steps"]["leaf"] == known.to_dict()["steps"]["leaf"]
    for row in unknown.rows:
        path = [row.leaf]  # from the leaf up to the move at the root
        while unknown.parents[path[-1]][0]:
            path.append(unknown.parents[path[-1]][0])
        assert len(row.scores) == len(row.change) == len(path)
        legal = unknown.nodes[0].legal_actions
        assert max(legal, key=row.scores[0].__getitem__) == unknown.parents[path[-1]][1]
    assert record["steps"]["scores"][0][0] == [None] * 9  # no visits yet: all infinite


@pytest.mark.parametrize("rule", [gumbel(4), forced_puct(1.5)], ids=lambda rule: rule.name)
@pytest.mark.parametrize(("game", "moves"), [(TIC_TAC_TOE, "152"), (CONNECT_FOUR, "4444332")])
def test_a_search_with_a_solver_records_the_scores_that_it_compared(game, moves, rule):
    """They change when a move of the root is proven, which happens in each of these searches."""
    compared = []

    class Noted(MCTSSolver):
        def choose(self, node):
            compared.append([*map(float, self.scores(node))])
            return super().choose(node)

    recorder = Recorder()
    search = Noted(game, rule, random_rollout(), recorder=recorder)
    tree = search.run(game.from_moves(moves), 100, 0)
    assert any(child and child.proven is not None for child in tree.root.children)
    assert [scores for row in recorder.recording().rows for scores in row.scores] == compared
