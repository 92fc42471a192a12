"""The training with the reader's own six functions (chapter 10)."""

import numpy as np
import pytest
import torch

from azlearn.arena import MinimaxPlayer, PUCTPlayer, find_losing_line, play_match
from azlearn.course.exercises import EXERCISES
from azlearn.course.your_training import EXERCISES as NUMBERS
from azlearn.course.your_training import GAME, NotRightYet, YourTraining, train_with
from azlearn.learning import load_network, save_network
from azlearn.minimal import AlphaZero

MARKINGS = {name: EXERCISES[number].marking for name, number in NUMBERS.items()}
RIGHT = {name: marking.function(marking.solution) for name, marking in MARKINGS.items()}


@pytest.fixture(scope="module")
def mine():
    """A network of the solutions, after one proof, and the lines that were said."""
    lines = []
    return train_with(**RIGHT, seed=3, patience=1, say=lines.append), lines


@pytest.mark.slow
def test_the_solutions_train_a_network_that_nobody_beats(mine, tmp_path):
    found, lines = mine
    rows = found.info["rows"]
    assert [row["line"] is None for row in rows] == [False] * (len(rows) - 1) + [True]
    assert lines[-1].endswith("nobody beats it")
    assert len(lines) == len(rows)
    assert find_losing_line(PUCTPlayer(GAME, found, 25), GAME) is None
    both = PUCTPlayer(GAME, found, 25), MinimaxPlayer(GAME)
    assert play_match(*both, games=20, openings=[""]).score == 0.5  # nobody beats minimax either
    save_network(tmp_path / "mine.safetensors", "tictactoe", found.network, found.info)
    assert load_network(tmp_path / "mine.safetensors").info["rows"] == rows


def test_the_numbers_of_a_seed_are_always_the_same():
    runs = [YourTraining(RIGHT, seed=5) for _ in range(2)]
    losses = [[training.train_iteration() for _ in range(2)] for training in runs]
    assert losses[0] == losses[1]
    assert len(losses[0][0]) == AlphaZero.num_steps
    assert len(runs[0].replay) <= AlphaZero.window


def test_the_loss_is_that_of_the_minimal_training():
    training, rng = YourTraining(RIGHT, seed=0), np.random.default_rng(0)
    new = []
    for _ in range(20):
        state = GAME.initial_state()
        for _ in range(rng.integers(5)):
            state = GAME.next_state(state, int(rng.choice(GAME.legal_actions(state))))
        policy = GAME.legal_mask(state) * rng.random(9)
        new.append((state, policy / policy.sum(), float(rng.integers(-1, 2))))
    training.network.eval()
    wanted = sum(training.losses(new, turned=False))
    states, policy, z = zip(*new, strict=True)
    planes = GAME.batch_encode(GAME.State(*torch.tensor(states).T))
    rows = torch.tensor(np.array(policy)).float(), torch.tensor(z).float()
    assert training.loss_of(training.network, planes, *rows).item() == pytest.approx(wanted.item())


@pytest.mark.parametrize("name", NUMBERS)
def test_a_wrong_function_is_named_before_anything_is_trained(name):
    marking = MARKINGS[name]
    fault = next(fault for fault in marking.sheet.faults if fault.can_be_made)
    wrong = marking.function(fault.source(marking.solution))
    with pytest.raises(NotRightYet, match=rf"^{name} \(exercise {NUMBERS[name]}\)") as caught:
        train_with(**RIGHT | {name: wrong})
    assert fault.name in str(caught.value)
    assert caught.value._render_traceback_() == [str(caught.value)]


def test_one_that_is_not_written_yet_is_named():
    def samples(game, states, policies, final):
        raise NotImplementedError

    with pytest.raises(NotRightYet, match=r"^samples \(exercise 10\.3\) is not ready for training"):
        train_with(**RIGHT | {"samples": samples})
