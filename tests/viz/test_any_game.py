"""Boards of games with other rules: what the record tells is enough to draw every position."""

import json

import numpy as np
import pytest

from azlearn.games import ConnectFour, DotsAndBoxes, Drawing, Hex, Othello, TicTacToe
from azlearn.search import random_rollout, record_search, uct
from azlearn.viz import PlayTable, explore
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


@BY_GAME
def test_what_a_game_says_of_its_moves_is_true(game, plies):
    """``fills``: a move fills its cell for its mover, nothing else, and players alternate."""
    rng, kept = np.random.default_rng(1), True
    for _ in range(20):
        state = game.initial_state()
        while legal := game.legal_actions(state):
            action = int(rng.choice(legal))
            before, mover, cell = game.cells(state), game.to_play(state), game.cell(state, action)
            state = game.play(state, action)
            if cell is not None:
                before[cell] = mover + 1
            kept &= before == game.cells(state) and game.to_play(state) == 1 - mover
    assert kept == game.drawing.fills


def test_a_plain_game_is_drawn_without_assumptions():
    assert Drawing() == ("squares", ("●", "■"), ("Red", "Yellow"), False, False)


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


def test_a_pass_fills_no_cell_and_can_be_played():
    game = Othello(4)
    rng = np.random.default_rng(0)
    moves, state = [], game.initial_state()
    while game.rules.PASS not in game.legal_actions(state):
        legal = game.legal_actions(state)
        if not legal:
            moves, state, legal = [], game.initial_state(), game.legal_actions(game.initial_state())
        moves.append(int(rng.choice(legal)))
        state = game.play(state, moves[-1])
    table = PlayTable(game, moves=game.moves_text(moves))
    assert table.view["legal"] == [game.rules.PASS]
    assert table.view["lands"] == [-1]
    table.play(game.rules.PASS)
    assert table.view["last"] == -1
    assert table.line.text.endswith("pass")
