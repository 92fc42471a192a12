"""What the checks of chapter 10 take for the truth is true."""

from dataclasses import replace

import numpy as np
import pytest

from azlearn.course.exercises import EXERCISES
from azlearn.course.exercises.ch10_self_play import iteration, learn_and_play, samples
from azlearn.games import TicTacToe
from azlearn.learning import preset
from azlearn.search import Node, Tree
from tests.learning.readable_self_play import GameUnderWay, ReadableSelfPlay, Record


def test_results_are_those_of_the_rules_and_of_the_package():
    """The package's own self-play turns the same games into the same z."""
    game = TicTacToe()
    play = ReadableSelfPlay(replace(preset("tictactoe", "cpu"), root_value_share=0, num_games=1))
    compared = 0
    for case, seen in zip(samples.CASES, EXERCISES["10.3"].marking.right.seen, strict=False):
        moves = case.before + case.moves
        final = case.game.from_moves(moves)
        assert case.game.outcome(final) is not None, case.words
        if case.game.name != game.name:
            continue
        for player, mark in enumerate("XO"):
            if f"{mark} wins" in case.words:
                assert game.highlights(final)
                assert game.to_play(final) != player
        if "draw" in case.words:
            assert not game.highlights(final)
        plies = range(len(case.before), len(moves))
        records = [
            Record(game.from_moves(moves[:ply]), np.full(9, 1 / 9, np.float32), 0.0)
            for ply in plies
        ]
        made = play._samples([(GameUnderWay(0, final, 9, records), game.outcome(final))])
        # Oldest last, there.
        assert made.value_target.tolist()[::-1] == seen["z"]
        compared += 1
    assert compared == 5


@pytest.mark.parametrize("case", learn_and_play.CASES)
def test_policies_and_chances_are_those_of_the_package(case):
    visits, ply, plies, temperature = case.arguments
    game = TicTacToe()
    tree = Tree(game, Node(game, game.initial_state()))
    tree.root.visit_counts[: len(visits)] = visits
    assert tree.policy(1.0)[: len(visits)] == pytest.approx(case.right[learn_and_play.PI])
    wanted = tree.policy(temperature if ply < plies else 0.0)[: len(visits)]
    assert wanted == pytest.approx(case.right[learn_and_play.SHARES].values)


@pytest.mark.parametrize(
    ("exercise_id", "key"),
    [("10.1", "shares of the moves"), ("10.4", "shares of the window's samples")],
)
def test_the_shares_tell_every_two_faults_apart(exercise_id, key):
    """Else a verdict could name the wrong one."""
    marking = EXERCISES[exercise_id].marking
    numbers = range(len(marking.cases))
    found = [marking.right.seen]
    for seen in (made.seen for made in marking.wrong):
        differing = marking.differing(seen, numbers)
        if key in differing and not {"π", "the window afterwards"} & {*differing}:
            found.append(seen)
    assert len(found) >= 5
    for seen in found:
        others = [max(_distance(seen[i][key], other[i][key]) for i in numbers) for other in found]
        assert sum(other < 1.2 * seen[0][key].within for other in others) == 1


def _distance(one, other):
    return np.abs(np.subtract(one.values, other.values)).max()


def test_a_tiny_temperature_is_no_overflow():
    play = EXERCISES["10.1"].marking.function(EXERCISES["10.1"].marking.solution)
    assert play([800, 799, 0], 0, 1, 0.002, np.random.default_rng(0))[1] in (0, 1)


def test_an_iteration_learns_as_torch_does():
    """The optimizer of the check is torch's SGD."""
    import torch

    marking = EXERCISES["10.5"].marking
    answer, (case, *_) = marking.function(marking.solution), marking.all_cases
    found = iteration.observe(answer, case, lambda weights: torch.optim.SGD(weights, lr=0.1))
    assert not marking.differing([found], [0])
    assert found["losses"].values[0] != found["losses"].values[2]


def test_answers_through_one_image_average_to_those_of_the_package():
    """``symmetry="mean"`` asks about all images, and knows another way back."""
    import torch

    from azlearn.learning import SIZES, NetworkEvaluator, ResNet

    class Drawn:
        def __init__(self, number):
            self.number = number

        def integers(self, high):
            return self.number % high

    game, marking = TicTacToe(), EXERCISES["10.7"].marking
    one_image = marking.function(marking.solution)
    torch.manual_seed(0)
    network = ResNet(game, **SIZES["tiny"]).eval()
    state = game.from_moves("126")
    legal = game.legal_mask(state)

    def evaluate(planes):
        with torch.no_grad():
            logits, v = network(torch.from_numpy(planes.copy())[None])
        return logits[0].numpy(), v.item()

    answers = [one_image(game, game.encode(state), evaluate, Drawn(k)) for k in range(8)]
    shares = [np.where(legal, np.exp(logits), 0) for logits, _ in answers]
    found = NetworkEvaluator(game, network, symmetry="mean")(game, state, np.random.default_rng(0))
    assert found.prior == pytest.approx(np.mean([p / p.sum() for p in shares], 0), abs=1e-5)
    assert found.value == pytest.approx(np.mean([v for _, v in answers]), abs=1e-5)
    assert np.ptp([v for _, v in answers]) > 1e-3  # an untrained network sees eight boards
