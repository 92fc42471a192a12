"""Other searches in self-play: Gumbel's tree policy, proofs, and moves that are searched less."""

from dataclasses import replace

import numpy as np
import pytest

from azlearn.arena.player_specs import as_player
from azlearn.cli import main
from azlearn.games import TicTacToe, minimax_actions, minimax_value
from azlearn.learning import load_network
from azlearn.search import MCTS, gumbel
from tests.engines import evaluators
from tests.learning.self_played import TIC_TAC_TOE, Watched
from tests.learning.tiny_runs import SETTINGS, run

GAME = TicTacToe()


def test_a_player_by_its_run_s_folder_has_the_run_s_plan(tmp_path):
    changes = {"search": "gumbel", "max_considered_actions": 5, "c_scale": 0.5, "rescale_q": True}
    run(tmp_path, settings=SETTINGS.with_changes(changes), iterations=2)
    for player in (as_player(str(tmp_path)), as_player(load_network(tmp_path))):
        player.num_simulations = 20
        assert player.tree_policy == gumbel(5, c_scale=0.5, rescale=True)
        state, rng = GAME.from_moves("15"), np.random.default_rng(0)
        tree = MCTS(GAME, gumbel(5, c_scale=0.5, rescale=True), player.evaluator).run(state, 20)
        assert player.choose(state, rng) == tree.best_action()
    page = tmp_path / "page.html"
    assert main(["explore", str(tmp_path), "--simulations", "20", "--out", str(page)]) == 0
    assert '"rule":{"name":"custom","label":"Gumbel"' in page.read_text()
    assert as_player(load_network("tictactoe")).tree_policy is None


@pytest.mark.parametrize("search", ["puct", "gumbel"])
@pytest.mark.parametrize("played_out", [0.1, 1.0])
def test_what_is_proven_is_what_minimax_finds(search, played_out):
    changes = {"simulations": 40, "first_simulations": 40, "played_out_fraction": played_out}
    watched = Watched(replace(TIC_TAC_TOE, use_solver=True, search=search, **changes))
    _, statistics = watched.play(evaluators(GAME, "hash").batch, 250)
    known, num_proven, cut = {}, 0, 0
    for game, _ in watched.ended.values():
        for record in game.records:
            if record.proven:
                num_proven += 1
                assert record.root_value == minimax_value(GAME, record.state, known)
                best = minimax_actions(GAME, record.state, known)
                assert set(np.flatnonzero(record.policy)) <= set(best)
        if GAME.outcome(game.state) is None:
            cut += 1
            assert [record.proven for record in game.records].index(True) == len(game.records) - 1
    assert num_proven > 30
    assert cut == statistics.decided
    assert (cut > 4) == (played_out < 1)


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
