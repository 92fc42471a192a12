"""Boards of games with other rules: what the record tells is enough to draw every position."""

import json

import numpy as np
import pytest

from azlearn.games import ConnectFour, DotsAndBoxes, Hex, Othello, TicTacToe
from azlearn.search import random_rollout, record_search, uct
from azlearn.viz import explore
from azlearn.viz.boards import board_svg, describe
from azlearn.viz.replaying import cells_at, line_at

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
