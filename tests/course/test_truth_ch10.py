"""What the checks of chapter 10 take for the truth is true."""

from dataclasses import replace

import numpy as np
import pytest

from azlearn.course.comparing import same
from azlearn.course.exercises import (
    ch10_choosing,
    ch10_game,
    ch10_iteration,
    ch10_replay,
    ch10_samples,
    ch10_stopping,
)
from azlearn.course.exercises.ch10_game import Stand
from azlearn.games import TicTacToe
from azlearn.learning import preset
from azlearn.learning.self_play import GameUnderWay, Record, SelfPlay
from azlearn.search import Node, Tree


def test_results_are_those_of_the_rules_and_of_the_package():
    """The package's own self-play turns the same games into the same z."""
    game = TicTacToe()
    play = SelfPlay(replace(preset("tictactoe", "cpu"), root_value_share=0, num_games=1))
    compared = 0
    for case in ch10_samples.cases():
        _, states, policies, final = case.arguments
        assert case.arguments[0].outcome(final) is not None, case.shown
        if case.arguments[0].name != game.name:
            continue
        for player, mark in enumerate("XO"):
            if f"{mark} wins" in case.shown:
                assert game.highlights(final)
                assert game.to_play(final) != player
        if "draw" in case.shown:
            assert not game.highlights(final)
        records = [
            Record(state, np.array(policy, np.float32), 0.0)
            for state, policy in zip(states, policies, strict=True)
        ]
        samples = play._samples([(GameUnderWay(0, final, 9, records), game.outcome(final))])
        # Oldest last, there.
        assert samples.value_target.tolist()[::-1] == case.right
        compared += 1
    assert compared == 5


@pytest.mark.parametrize("case", ch10_choosing._CASES)
def test_policies_and_chances_are_those_of_the_package(case):
    visits, ply, plies, temperature, target = case
    game = TicTacToe()
    tree = Tree(game, Node(game, game.initial_state()))
    tree.root.visit_counts[: len(visits)] = visits
    assert tree.policy(1.0)[: len(visits)] == pytest.approx(target)
    wanted = tree.policy(temperature if ply < plies else 0.0)[: len(visits)]
    assert ch10_choosing._chances(visits, ply, plies, temperature) == pytest.approx(wanted)


def test_the_shares_of_moves_tell_every_two_faults_apart():
    """Else a verdict could name the wrong one."""
    gives = [ch10_choosing._chances, *(fault.give for fault in ch10_choosing._MOVES)]
    for give in gives:
        played = [np.array(give(*case[:4])) for case in ch10_choosing._CASES]
        others = [max(ch10_choosing._distances(other, played)) for other in gives]
        assert sum(distance < 2 * ch10_choosing._CLOSE for distance in others) == 1


def test_draws_from_the_window_tell_every_two_faults_apart():
    chances = [ch10_replay._alike, *(chances for _, chances, _ in ch10_replay._DRAW_FAULTS)]
    cases = [(right, new) for _, new, _, right in ch10_replay._CASES]
    for one in chances:
        others = [
            max(np.abs(one(*case) - other(*case)).max() for case in cases) for other in chances
        ]
        assert sum(distance < 2 * ch10_replay._CLOSE for distance in others) == 1


def test_the_games_that_are_played_end():
    for case in ch10_game._CASES:
        stand = Stand(*case[1:])
        states, policies, final = ch10_game.RIGHT(*ch10_game._arguments(stand))
        assert final == stand.game.from_moves(stand.before + stand.moves)
        assert stand.game.outcome(final) is not None
        assert len(states) == len(policies) == len(stand.moves)
        for number, state in enumerate(states):
            assert state == stand.game.from_moves(stand.before + stand.moves[:number])


def test_every_fault_of_a_game_and_of_an_iteration_leaves_other_traces():
    faults = [ch10_game.RIGHT, *(play for _, play, _ in ch10_game._FAULTS)]
    traces = [[ch10_game._run(play, case) for case in ch10_game._CASES] for play in faults]
    assert sum(same(one, other) for one in traces for other in traces) == len(faults)
    faults = [ch10_iteration.RIGHT, *(wheel for _, wheel, _ in ch10_iteration._FAULTS)]
    traces = [[ch10_iteration._run(wheel, n) for n in (3, 1)] for wheel in faults]
    assert sum(same(one, other, 1e-4) for one in traces for other in traces) == len(faults)


def test_an_iteration_learns_as_torch_does():
    """The optimizer of the check is torch's SGD."""
    import torch

    stand, other = ch10_iteration.Stand(), ch10_iteration.Stand()
    other.optimizer = torch.optim.SGD(other.network.parameters(), lr=0.1)
    found = [one.left(ch10_iteration.RIGHT(*one.given(3))) for one in (stand, other)]
    assert same(*found)
    assert found[0][1][0] != found[0][1][2]


def test_streaks_by_hand():
    for unbeaten, patience, right in ch10_stopping._CASES:
        text = "".join("x" if holds else "." for holds in unbeaten)
        place = text.find("x" * patience)
        assert right == (place + patience if place >= 0 else None)
