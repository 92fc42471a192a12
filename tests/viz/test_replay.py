"""The record, replayed in Python and in JavaScript, must give the tree that the search built, and
the boards of every game.
"""

import json

import numpy as np
import pytest

from azlearn.games import ConnectFour, DotsAndBoxes, Hex, Othello, TicTacToe
from azlearn.search import MCTS, Recorder, RootNoise, puct, random_rollout, record_search, uct
from azlearn.viz import explore, replay
from azlearn.viz.boards import board_svg, describe
from azlearn.viz.replaying import cells_at, line_at
from azlearn.viz.tree_layout import arrange
from tests.faulty_searches import CountsTwice, ForgetsEndings, WrongSign
from tests.viz.page import recorded
from tests.viz.stand_ins import netlike


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
  return { out, beaten };
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


@pytest.mark.parametrize("search", [MCTS, CountsTwice, ForgetsEndings])
def test_the_timeline_ends_at_the_shares_of_the_root(in_browser, search):
    recording = recorded(search, moves="112233")
    ends = in_browser(
        """text => {
          const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
          const line = new Timeline(svg, () => {});
          line.take(new Replay(JSON.parse(text)));
          const last = line.columns[line.columns.length - 1];
          return line.order.map((node, k) => [line.replay.action[node], last[k]]);
        }""",
        json.dumps(recording.to_dict()),
    )
    visits = recording.tree.root.visit_counts
    expected = {a: n / sum(visits) for a, n in enumerate(visits) if n}
    assert {a: share for a, share in ends if share} == pytest.approx(expected)


def test_the_star_is_on_the_move_that_would_be_played(in_browser):
    """At a tie of visits the player goes by Q, and so do the viewer and the still picture."""
    game, ties = ConnectFour(), 0
    for seed in range(40):
        searched = explore(game, game.from_moves("44443"), num_simulations=7, seed=seed)
        starred = in_browser(
            """text => {
              const replay = new Replay(JSON.parse(text));
              replay.seek(replay.rows);
              return replay.action[replay.favorite(0)];
            }""",
            json.dumps(searched.record),
        )
        tree = searched.recording.tree
        assert starred == tree.best_action()
        line = [
            searched.record["nodes"]["action"][i]
            for i in sorted(arrange(searched.record).principal)
        ]
        assert line == tree.principal_variation()
        visits = tree.root.visit_counts
        ties += visits.count(max(visits)) > 1 and starred != visits.index(max(visits))
    assert ties > 0  # some of which the first move would not have won


# Each with plies at random before the search begins, so that it comes to passes, boxes and ends.
GAMES = [
    (ConnectFour(), 24), (TicTacToe(), 3), (Othello(6), 24), (Othello(8), 4),
    (DotsAndBoxes(2, 2), 6), (DotsAndBoxes(1, 3), 2), (Hex(4), 6),
]  # fmt: skip
BY_GAME = pytest.mark.parametrize(("game", "plies"), GAMES, ids=lambda x: getattr(x, "name", x))


def some_position(game, plies):
    rng = np.random.default_rng(plies)
    while True:
        state = game.initial_state()
        for _ in range(plies):
            if legal := game.legal_actions(state):
                state = game.play(state, int(rng.choice(legal)))
        if game.outcome(state) is None:
            return state


@pytest.mark.slow
@BY_GAME
def test_both_languages_rebuild_every_board(in_browser, game, plies):
    recording = record_search(game, some_position(game, plies), uct(1.0), random_rollout(), 300)
    record = json.loads(json.dumps(recording.to_dict()))
    boards = [game.cells(node.state) for node in recording.nodes]
    lines = [game.highlights(node.state) for node in recording.nodes]
    assert [cells_at(record, i) for i in range(len(boards))] == boards
    assert [line_at(record, i) for i in range(len(boards))] == lines
    theirs, ends = in_browser(
        "text => { const r = new Replay(JSON.parse(text));"
        " const ends = r.record.steps.leaf.map((i, row) => {"
        " const cells = r.cells(i).slice();"
        " r.rollout(row).forEach(move => change(cells, move.changes)); return cells; });"
        " return [r.parent.map((_, i) => [r.cells(i), r.line(i)]), ends]; }",
        json.dumps(record),
    )
    assert theirs == [list(pair) for pair in zip(boards, lines, strict=True)]
    assert len(recording.rows) == 300
    for row, end in zip(recording.rows, ends, strict=True):
        state = recording.nodes[row.leaf].state
        for action in row.moves:
            state = game.next_state(state, action)
        assert end == game.cells(state)


@pytest.mark.parametrize("game", [Othello(6), DotsAndBoxes(2, 2), Hex(5)], ids=lambda g: g.name)
def test_still_pictures_and_words(game):
    state = some_position(game, 6)
    picture = board_svg(game, state, heat=game.legal_mask(state) / 3, last=None)
    shares = picture.count("33%")
    assert shares == sum(game.cell(state, a) is not None for a in game.legal_actions(state))
    words = describe(game, state)
    assert ("Red to move" in words) == (game.to_play(state) == 0)
    assert words.count(";") == game.rows - 1
    shown = explore(game, state, num_simulations=30)._repr_mimebundle_()
    assert "Search tree on" in str(shown)
