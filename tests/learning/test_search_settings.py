"""Other searches in self-play: Gumbel's tree policy, proofs, and moves that are searched less."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from azlearn.arena import network_players
from azlearn.arena.player_specs import as_player
from azlearn.cli import main
from azlearn.games import TicTacToe, minimax_actions, minimax_value
from azlearn.learning import load_network
from azlearn.learning.self_play import Statistics
from azlearn.search import MCTS, BatchedSearch, gumbel
from azlearn.search.tree_policy import NodeStats
from tests.engines import evaluators
from tests.learning.readable_self_play import ActiveGame, ReadableSelfPlay, Record
from tests.learning.self_played import TIC_TAC_TOE, Watched, plain_python
from tests.learning.tiny_runs import SETTINGS, run

__all__ = ["plain_python"]
pytestmark = pytest.mark.usefixtures("plain_python")
GAME = TicTacToe()


def played(settings, num_moves, **changes):
    watched = Watched(replace(settings, **changes))
    samples, statistics = watched.play(evaluators(watched.game, "hash").batch, num_moves)
    return watched, samples, statistics


# Gumbel's tree policy.


def test_the_target_and_the_move_by_hand():
    """Two visits with Q = 0.5, one with Q = -1, an untried move: see the tree policy's own test for
    the mixed value, 0.125. The noise decides the move between equally visited ones, not the
    target."""
    settings = replace(TIC_TAC_TOE, search="gumbel", c_scale=0.02, value_target_mix=1.0)
    self_play = ReadableSelfPlay(settings)
    five = [0.0] * 5

    def edges(visits, values, noise=(0.0, 0.0, 0.0)):
        columns = ([*five, n[0], 0.0, n[1], n[2]] for n in (visits, values, (0.5, 0.25, 0.25)))
        visits, values, prior = (np.array(column) for column in columns)
        return NodeStats(visits, values, prior, 0.5, np.array([*five, noise[0], 0.0, *noise[1:]]))

    statistics = Statistics()
    position = GAME.from_moves("142573")  # 6, 8 and 9 are left
    self_play.games[0] = game = ActiveGame(0, position, ply=6)
    self_play._move(0, edges((2, 0, 1), (1.0, 0.0, -1.0)), statistics, [])
    weights = np.array([0.5, 0.25, 0.25]) * np.exp(52 * 0.02 * np.array([0.5, 0.125, -1.0]))
    improved = weights / weights.sum()
    np.testing.assert_allclose(game.records[0].policy[[5, 7, 8]], improved, rtol=1e-6)
    assert game.records[0].root_value == pytest.approx(improved @ [0.5, 0.125, -1.0])
    for noise, taken in (((0.0, 0.0, 0.0), 6), ((0.0, 0.0, 3.0), 9)):
        self_play.games[0] = game = ActiveGame(0, position, ply=6)
        self_play._move(0, edges((1, 0, 1), (0.0, 0.0, 0.0), noise), statistics, [])
        assert game.state == GAME.from_moves(f"142573{taken}")


def test_a_player_by_its_run_s_folder_has_the_run_s_plan(tmp_path, monkeypatch):
    """And chooses alike one by one and side by side."""
    monkeypatch.setattr(network_players, "BatchedSearch", partial(BatchedSearch, compiled=False))
    changes = {"search": "gumbel", "max_considered_actions": 5, "c_scale": 0.5}
    run(tmp_path, settings=SETTINGS.with_changes(changes), iterations=2)
    for player in (as_player(str(tmp_path)), as_player(load_network(tmp_path))):
        player.num_simulations = 20
        assert player.tree_policy == gumbel(5, c_scale=0.5)
        states = [GAME.from_moves(moves) for moves in ("", "5", "51", "1425", "15937")]
        rngs = [np.random.default_rng(0) for _ in states]
        one_by_one = [player.choose(s, g) for s, g in zip(states, rngs, strict=True)]
        assert player.choose_batch(states, rngs) == one_by_one
        network = player.evaluator
        trees = [MCTS(GAME, gumbel(5, c_scale=0.5), network).run(state, 20) for state in states]
        assert one_by_one == [tree.best_action() for tree in trees]
    page = tmp_path / "page.html"
    assert main(["explore", str(tmp_path), "--simulations", "20", "--out", str(page)]) == 0
    assert '"rule":{"name":"custom","label":"Gumbel"' in page.read_text()
    assert as_player(load_network("tictactoe")).tree_policy is None


# Proofs.


@pytest.mark.parametrize("search", ["puct", "gumbel"])
@pytest.mark.parametrize("played_out", [0.1, 1.0])
def test_what_is_proven_is_what_minimax_finds(search, played_out):
    """Root for root, and z of every position before it: what the first proof behind it says."""
    watched, _, statistics = played(
        TIC_TAC_TOE, 250, use_solver=True, search=search, simulations=40, first_simulations=40,
        played_out_fraction=played_out,
    )  # fmt: skip
    known, num_proven, cut = {}, 0, 0
    results_of = ReadableSelfPlay(watched.settings)._results
    for game, outcome in watched.ended.values():
        value = {record.state: minimax_value(GAME, record.state, known) for record in game.records}
        for record, z in zip(game.records, results_of(game, outcome), strict=True):
            if record.proven:
                num_proven += 1
                assert record.root_value == z == value[record.state]
                best = minimax_actions(GAME, record.state, known)
                assert set(np.flatnonzero(record.policy)) <= set(best)
        first = next((i for i, record in enumerate(game.records) if record.proven), None)
        if GAME.outcome(game.state) is None:
            cut += 1
            assert first == len(game.records) - 1
            assert played_out < 1
        if first is not None:
            at = game.records[first]
            for record, z in zip(game.records, results_of(game, outcome), strict=False):
                same = GAME.to_play(record.state) == GAME.to_play(at.state)
                if record is at:
                    break
                assert z == (at.root_value if same else -at.root_value)
    assert num_proven > 30
    assert cut == statistics.decided
    assert (cut > 4) == (played_out < 1)


def test_the_targets_of_a_decided_game_by_hand():
    """X has proven a win, then plays on, proves nothing more and loses."""
    settings = replace(TIC_TAC_TOE, use_solver=True, value_target_mix=0.5, num_games=1)
    self_play, pi = ReadableSelfPlay(settings), np.eye(9, dtype=np.float32)[0]
    moves = ["1", "15", "152", "1528", "15287"]  # to play: O, X, O, X, O
    states = [GAME.from_moves(text) for text in moves]
    values, proven = [0.4, 1.0, -0.2, 0.6, 0.0], [False, True, False, False, False]
    records = [Record(s, pi, v, p) for s, v, p in zip(states, values, proven, strict=True)]
    game = ActiveGame(0, GAME.from_moves("152873"), 6, records)  # X to play, and to lose: -1
    samples = self_play._samples([(game, -1)])
    z = [-1, 1, 1, -1, 1]  # up to the proof what it says, behind it how the game went on
    expected = [(a + b) / 2 for a, b in zip(z, values, strict=True)]
    assert samples.value_target.tolist() == pytest.approx(expected[::-1])


# Moves that are searched less.


@pytest.mark.parametrize("search", ["puct", "gumbel"])
def test_only_full_searches_are_learnt_and_the_others_are_small_and_without_noise(search):
    changes = {"full_search_prob": 0.25, "fast_simulations": 3, "num_games": 8}
    watched = Watched(replace(TIC_TAC_TOE, search=search, **changes))
    begun = Watched(replace(watched.settings, num_games=400))  # their first searches
    budgets, noise = begun.trees.remaining, begun.trees.noise
    assert set(budgets.tolist()) == {3, 12}
    assert ((budgets == 12) == noise.any(1)).all()
    assert 0.17 < np.mean(budgets == 12) < 0.33
    samples, statistics = watched.play(evaluators(GAME, "hash").batch, 500)
    assert 0.1 < len(samples.words) / statistics.plies < 0.33
    for game, _ in watched.ended.values():
        assert len(game.records) < game.ply or game.ply <= 2
    if search == "puct":  # π are the shares of so many visits
        visits = samples.policy_target * 12
        np.testing.assert_allclose(visits, visits.round(), atol=1e-5)
    alone = Watched(replace(TIC_TAC_TOE, search=search, **changes | {"num_games": 1}))
    alone.play(evaluators(GAME, "hash").batch, 60)
    for number, (game, _) in alone.ended.items():
        assert game.state == watched.ended[number][0].state
