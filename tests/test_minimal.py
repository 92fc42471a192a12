"""AlphaZero in one file: its search beside `MCTS`, its samples by hand, its player by proof."""

from pathlib import Path

import numpy as np
import pytest

from azlearn import minimal
from azlearn.arena import PUCTPlayer, find_losing_line
from azlearn.games import ConnectFour, DotsAndBoxes, Othello, State, TicTacToe
from azlearn.minimal import AlphaZero, PlayedGame
from azlearn.search import MCTS, puct


# In Dots and Boxes a player may move twice in a row; Othello has passes.
@pytest.mark.parametrize("game", [TicTacToe(), ConnectFour(), Othello(6), DotsAndBoxes(2, 2)])
def test_all_trees_are_those_of_the_readable_search(game):
    training = AlphaZero(game)

    def evaluate(game, state, rng):
        prior, value = training.evaluate(game.stack([state]))
        return prior[0], float(value[0])

    rng, states = np.random.default_rng(0), [game.initial_state()]
    for _ in range(game.max_plies - 4):  # the last ones end within the search
        if legal := game.legal_actions(states[-1]):
            states.append(game.next_state(states[-1], int(rng.choice(legal))))
    states = [state for state in states if game.outcome(state) is None]
    for state, visits in zip(
        states, training.search(game.stack(states), 30, with_noise=False), strict=True
    ):
        searched = MCTS(game, puct(training.c_puct), evaluate)
        searched.run(state, 30)
        assert visits.tolist() == searched.root.visit_counts


def test_the_samples_of_a_game():
    game = TicTacToe()
    training, moves = AlphaZero(game), "14253"  # the first player has the top row
    states = [game.from_moves(moves[:ply]) for ply in range(len(moves))]
    visits = [np.arange(9)] * len(states)
    found = training.samples([PlayedGame(states, visits, game.from_moves(moves))])
    assert [state for state, _, _ in found] == states
    assert [z for _, _, z in found] == [1, -1, 1, -1, 1]
    assert found[0][1].tolist() == [n / 36 for n in range(9)]


def test_what_it_trains_loses_to_nobody():
    training = AlphaZero(TicTacToe())
    network = training.train(25)
    player = PUCTPlayer(training.game, network, training.simulations, c=training.c_puct)
    assert find_losing_line(player, training.game) is None
    assert training.evaluate(State(np.array([0]), np.array([0])))[1] == pytest.approx(0, abs=0.4)


def test_it_can_be_read_at_one_sitting():
    assert len(Path(minimal.__file__).read_text(encoding="utf-8").splitlines()) < 250
