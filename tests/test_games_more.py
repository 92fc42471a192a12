"""Othello, Dots and Boxes, Hex: passes, moves in a row, chains. The rules against the world, and
every engine against the readable search."""

import numba
import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from azlearn.games import assert_conforms, minimax_actions, minimax_value, othello_rules, variant
from azlearn.games.connect_four import ConnectFour
from azlearn.games.dots_and_boxes import DotsAndBoxes
from azlearn.games.go import Go
from azlearn.games.hex import Hex
from azlearn.games.othello import Othello
from tests.engines import (
    assert_compiled_uct_agrees,
    assert_engines_agree,
)

GAMES = {
    "othello": Othello(),
    "dots_and_boxes(num_rows=2,num_cols=2)": DotsAndBoxes(),
    "dots_and_boxes(num_rows=3,num_cols=4)": DotsAndBoxes(3, 4),
    "hex(board_size=3)": Hex(3),
    "hex(board_size=5)": Hex(5),
    "hex(board_size=7)": Hex(7),
}
EACH = pytest.mark.parametrize("game", [*GAMES.values(), Othello(6)], ids=str)


@EACH
def test_it_conforms(game):
    assert_conforms(game, num_games=10)


@pytest.mark.parametrize(("name", "game"), GAMES.items(), ids=GAMES)
def test_random_games_in_lock_step_with_openspiel(name, game):
    """The same legal actions, player, end and result after every move."""
    pyspiel = pytest.importorskip("pyspiel")
    theirs, rng = pyspiel.load_game(name), np.random.default_rng(1)
    assert theirs.num_distinct_actions() == game.num_actions
    for _ in range(200):
        state, peer = game.initial_state(), theirs.new_initial_state()
        while not peer.is_terminal():
            assert game.outcome(state) is None
            assert game.to_play(state) == peer.current_player()
            legal = game.legal_actions(state)
            assert legal == sorted(peer.legal_actions())
            action = int(rng.choice(legal))
            state = game.play(state, action)
            peer.apply_action(action)
        assert game.outcome(state) == peer.returns()[game.to_play(state)]


def test_othello_has_the_published_numbers_of_sequences():
    """Perft to 8 plies, compiled: the published 4, 12, 56, 244, 1,396, 8,200, 55,092, 390,216."""
    rules = variant(othello_rules, numba.njit)
    play, options, is_legal, outcome = rules.play, rules.options, rules.is_legal, rules.outcome

    @numba.njit
    def sequences(state, depth):
        if depth == 0 or outcome(state)[0]:
            return int(depth == 0)
        total, possible = 0, options(state)
        for action in range(65):
            if is_legal(possible, action):
                total += sequences(play(state, action), depth - 1)
        return total

    found = [sequences(othello_rules.INITIAL, depth) for depth in range(1, 9)]
    assert found == [4, 12, 56, 244, 1396, 8200, 55092, 390216]


def test_othello_passes_where_it_must_and_only_there():
    game, rng = Othello(6), np.random.default_rng(0)
    passes = 0
    while passes < 5:
        state = game.initial_state()
        while legal := game.legal_actions(state):
            if game.rules.PASS in legal:
                assert legal == [game.rules.PASS]
                after = game.play(state, game.rules.PASS)
                assert (after.me, after.opp) == (state.opp, state.me)
                assert game.to_play(after) != game.to_play(state)
                passes += 1
            state = game.play(state, int(rng.choice(legal)))


def test_the_second_player_wins_4x4_othello():
    """As perfect play ends on the 4x4 and the 6x6 board, the latter by Feinstein (1993)."""
    game = Othello(4)
    assert minimax_value(game, game.initial_state()) == -1


def test_closing_a_box_moves_again():
    game = DotsAndBoxes()
    state = game.from_moves("b1 a2 c2")  # three sides of the box at the top left
    assert game.to_play(state) == 1
    closed = game.from_moves("b1 a2 c2 b3")
    assert game.to_play(closed) == 1  # the second player has closed it, and moves again
    assert game.cells(closed)[1 * game.cols + 1] == 2
    assert game.num_plies(closed) == 4


@pytest.mark.parametrize(("num_rows", "num_cols"), [(1, 1), (1, 2), (2, 1)])
def test_small_dots_and_boxes_are_worth_what_openspiel_finds(num_rows, num_cols):
    pyspiel = pytest.importorskip("pyspiel")

    def solved(state) -> float:
        """The value for the first player, by trying everything: its moves do not alternate."""
        if state.is_terminal():
            return state.returns()[0]
        values = [solved(state.child(action)) for action in state.legal_actions()]
        return max(values) if state.current_player() == 0 else min(values)

    game = DotsAndBoxes(num_rows, num_cols)
    peer = pyspiel.load_game(f"dots_and_boxes(num_rows={num_rows},num_cols={num_cols})")
    value = solved(peer.new_initial_state())
    assert minimax_value(game, game.initial_state()) == value


def test_hex_is_won_by_the_first_player_and_3x3_by_its_centre():
    """A theorem (Nash 1949); on 3x3 the centre wins at once to see."""
    game, known = Hex(3), {}
    assert minimax_value(game, game.initial_state(), known) == 1
    assert 4 in minimax_actions(game, game.initial_state(), known)


@pytest.mark.parametrize("size", [3, 4, 5, 6, 7])
def test_hex_agrees_with_a_walk_over_the_cells(size):
    """Random full boards: exactly one player joins his sides, and the rules know which."""
    game, rng = Hex(size), np.random.default_rng(size)
    for _ in range(300):
        state, owner = game.initial_state(), {}
        for action in rng.permutation(size * size).tolist():
            owner[action] = game.to_play(state)
            state = game.next_state(state, action)
            mover = owner[action]
            seen = [c for c in owner if owner[c] == mover and (c // size, c % size)[mover] == 0]
            for cell in seen:  # grows on the way
                row, col = divmod(cell, size)
                for dr, dc in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)):
                    beside = (row + dr) * size + col + dc
                    if (
                        0 <= row + dr < size
                        and 0 <= col + dc < size
                        and owner.get(beside) == mover
                        and beside not in seen
                    ):
                        seen.append(beside)
            joined = any((c // size, c % size)[mover] == size - 1 for c in seen)
            assert (game.outcome(state) == -1) == joined
            if joined:
                assert set(game.highlights(state)) <= set(seen)
                break
        else:
            pytest.fail("a full board without a winner")


class FromTheHost(TorchDispatchMode):
    """Collects the operations on tensors of another device that are given one of the CPU."""

    def __init__(self):
        super().__init__()
        self.found = []

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        given = [x for x in tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
        self.found += [str(operation) for x in given if x.device.type == "cpu" and x.dim()]
        return operation(*args, **(kwargs or {}))


@pytest.mark.parametrize("game", [*GAMES.values(), ConnectFour(), Go(4), Go(8)], ids=str)
def test_a_device_is_sent_its_tables_once(game):
    """A recorded GPU program can send nothing, and gradients go through what is turned, also when
    the tables were first asked for in inference mode."""
    states = game.State(
        *(torch.zeros(3, dtype=torch.int64, device="meta") for _ in game.State._fields)
    )

    def ask():
        planes = game.batch_encode(states)
        legal = game.batch_legal_mask(states)
        owners = [game.batch_owners(states)] if game.has_owners else []
        return [*owners, *game.symmetries(planes, legal)]

    with torch.inference_mode():
        ask()
    with FromTheHost() as sent:
        ask()
    assert not sent.found
    policy = torch.ones(game.num_actions, requires_grad=True)
    with torch.inference_mode():
        game.symmetries(torch.ones(game.rows, game.cols), policy)
    sum(
        moved.sum() for _, moved in game.symmetries(torch.ones(game.rows, game.cols), policy)
    ).backward()
    assert (policy.grad == len(game.board_symmetries(np.zeros((game.rows, game.cols))))).all()


# The sizes of a game differ in numbers alone, which the suite compares in every form of the rules.
ONE_SIZE = pytest.mark.parametrize("game", [Othello(6), DotsAndBoxes(), Hex(3)], ids=str)


@ONE_SIZE
def test_the_engines_grow_the_readable_search_s_trees(game):
    """The sign changes where the player to move does."""
    assert_engines_agree(game, "rough", 90, plain=True)


@ONE_SIZE
def test_the_compiled_uct_agrees_visit_for_visit(game):
    assert_compiled_uct_agrees(game)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Othello(7), "size must be 4, 6 or 8, not 7"),
        (lambda: Hex(8), "size must be a whole number from 3 to 7, not 8"),
        (lambda: DotsAndBoxes(0, 2), "num_rows must be a whole number from 1 to 7, not 0"),
        (lambda: DotsAndBoxes(2, 9), "num_cols must be a whole number from 1 to 7, not 9"),
        (lambda: variant(othello_rules, SIDE=6), "has no constant SIDE"),
    ],
)
def test_an_impossible_size_is_one_clear_sentence(make, words):
    with pytest.raises(ValueError, match=words):
        make()
