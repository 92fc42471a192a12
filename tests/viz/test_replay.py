"""The record, replayed in Python and in JavaScript, must give the tree that the search built."""

import json

import numpy as np
import pytest

from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import MCTS, Recorder, RootNoise, puct, random_rollout, record_search, uct
from azlearn.viz import replay
from azlearn.viz.replaying import cells_at, path_to
from tests.faulty_searches import CountsTwice, WrongSign
from tests.viz.netlike import netlike
from tests.viz.page import recorded


def scores_by_hand(node):
    return [w - n / 7 for n, w in zip(node.visit_counts, node.value_sum, strict=True)]


def continued():
    """A second search in the subtree kept from a first."""
    game, recorder = ConnectFour(), Recorder()
    first = MCTS(game, uct(1.0), random_rollout()).run(game.initial_state(), 200, 1)
    tree = first.advance(3)
    mcts = MCTS(game, uct(1.0), random_rollout(), recorder=recorder)
    mcts.run(tree.root.state, 50, 2, tree=tree)
    return recorder.recording()


RECORDINGS = {
    "uct": recorded,
    "all children at once": lambda: recorded(expand="all", simulations=40),
    "a wrong sign": lambda: recorded(WrongSign),
    "an edge counted twice": lambda: recorded(CountsTwice),
    "a rule of the reader's": lambda: recorded(select=scores_by_hand),
    "a kept tree": continued,
    "jumps over snapshots": lambda: recorded(simulations=900),
    "puct without priors": lambda: recorded(select=puct(0.7, -0.5)),
    "puct, untried moves below the parent": lambda: recorded(
        select=puct(1.5, "parent", fpu_reduction=0.4), evaluate=netlike
    ),
    "puct with noise": lambda: recorded(
        select=puct(1.25), evaluate=netlike, root_noise=RootNoise(1.0, 0.5)
    ),
}


def edge_statistics(recording):
    """N and W of the edge into every node but the root, from the tree itself."""
    edges = [(recording.nodes[parent], action) for parent, action in recording.parents[1:]]
    return [n.visit_counts[a] for n, a in edges], [n.value_sum[a] for n, a in edges]


# What the page makes of a record: N and W after some rows, forwards, backwards and across; and rows
# in which another move than the one taken has a higher score.
LOOK = """text => {
  const record = JSON.parse(text), r = new Replay(record), out = [], beaten = [];
  const part = share => Math.floor(r.rows * share);
  for (const row of [r.rows, 0, part(1 / 3), r.rows - 1, 1, part(1 / 2), r.rows]) {
    r.seek(row);
    out.push({ row, N: [...r.N], W: [...r.W] });
  }
  for (let row = 0; row < r.rows; row++) {
    r.seek(r.opening[row]);
    const path = r.path(record.steps.leaf[row]);
    path.slice(0, record.expand === "all" ? -2 : -1).forEach((i, k) => {
      const moves = r.moves(i, r.scores(row, k)), taken = moves.find(m => m.child === path[k + 1]);
      const first = winner(moves);
      const isTied = record.rule.name === "custom" && taken.score === first.score;
      if (first !== taken && !isTied) beaten.push([row, k, taken.score, first.score]);
    });
  }
  const deepest = [...r.depth.keys()].reduce((a, b) => (r.depth[b] > r.depth[a] ? b : a));
  return { out, deepest, beaten, cells: r.cells(deepest) };
}"""


@pytest.mark.parametrize("name", RECORDINGS)
def test_both_languages_replay_the_tree_that_the_search_built(in_browser, name):
    recording = RECORDINGS[name]()
    record = recording.to_dict()
    visits, values = edge_statistics(recording)
    replayed_visits, replayed_values = replay(record)
    assert replayed_visits[1:].tolist() == visits
    np.testing.assert_allclose(replayed_values[1:], values, atol=1e-9)
    seen = in_browser(LOOK, json.dumps(record))
    for then in seen["out"]:
        visits, values = replay(record, then["row"])
        assert then["N"] == visits.tolist()
        np.testing.assert_allclose(then["W"], values, atol=1e-9)
    assert seen["beaten"] == []  # the viewer's scores choose what the search chose
    assert seen["cells"] == cells_at(record, seen["deepest"])


@pytest.mark.parametrize("row", [0, 1, 40])
def test_half_a_replay_is_a_shorter_search(row):
    """The same seed with fewer simulations is the truth for the middle of a longer record."""
    record = recorded(simulations=100).to_dict()
    visits, values = replay(record, row)
    if row == 0:
        assert not visits.any()
        return
    shorter = recorded(simulations=row)
    expected_visits, expected_values = edge_statistics(shorter)
    size = len(shorter.nodes)
    assert visits[1:size].tolist() == expected_visits
    assert values[1:size].tolist() == expected_values
    assert not visits[size:].any()


def test_replay_refuses_rows_that_do_not_exist():
    record = recorded(simulations=3).to_dict()
    with pytest.raises(ValueError, match="0 to 3, not 4"):
        replay(record, 4)


def test_cells_follow_the_path():
    game = TicTacToe()
    record = record_search(game, game.from_moves("15"), uct(1.0), random_rollout(), 60, 0).to_dict()
    deepest = max(range(len(record["nodes"]["parent"])), key=lambda i: len(path_to(record, i)))
    state = game.from_moves("15")
    for node in path_to(record, deepest)[1:]:
        state = game.play(state, record["nodes"]["action"][node])
    assert cells_at(record, deepest) == game.cells(state)
