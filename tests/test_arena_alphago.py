"""AlphaGo's parts at the board: moves drawn by their chances, and each part in its place."""

import numpy as np
import pytest
from scipy.stats import chisquare

from azlearn.alphago import RolloutPolicy
from azlearn.alphago.evaluator import AlphaGoEvaluator
from azlearn.alphago.patterns import NUM_WEIGHTS
from azlearn.alphago.planes import AllPlanes
from azlearn.arena import (
    CompiledUCTPlayer,
    NetworkPlayer,
    PUCTPlayer,
    SampledPolicyPlayer,
    play_match,
)
from azlearn.arena.alphago_players import alphago_player, policy_player, rollout_player
from azlearn.games import ConnectFour, TicTacToe
from azlearn.learning import LoadedNetwork, NetworkEvaluator
from azlearn.search import compiled_uct, uniform_rollout
from tests.engines import evaluators, hash_prior, random_positions, stacked
from tests.learning.networks import fresh

FOUR, THREE = ConnectFour(), TicTacToe()
UNIFORM = RolloutPolicy(np.zeros(NUM_WEIGHTS))


def loaded(game=FOUR, seed=0):
    return LoadedNetwork(game, fresh(game, seed=seed).eval(), {})


class Both:
    """An evaluator of one position and of many."""

    def __init__(self, game):
        self.pair = evaluators(game, "hash")

    def __call__(self, game, state, rng):
        return self.pair.single(game, state, rng)

    def batch(self, states):
        prior, value = self.pair.batch(states)
        return prior.astype(np.float32), value


def generators(n, seed=12):
    return [np.random.default_rng([seed, number]) for number in range(n)]


# --- moves drawn from a policy -------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("game", [FOUR, THREE])
def test_moves_are_drawn_as_often_as_the_prior_says(game):
    """Chi-square, alone and in a crowd; columns that are full among them."""
    player, draws = SampledPolicyPlayer(game, Both(game)), 4000
    states = [*random_positions(game, 3, seed=31), game.from_moves("112233" * (game is FOUR))]
    for state in states:
        prior = hash_prior(game, stacked([state]))[0]
        for chosen in (
            player.choose_batch([state] * draws, generators(draws)),
            [player.choose(state, rng) for rng in generators(draws // 4, seed=13)],
        ):
            counts = np.bincount(chosen, minlength=game.num_actions)
            assert not counts[prior == 0].any()
            kept = prior > 0
            if kept.sum() > 1:
                assert chisquare(counts[kept], prior[kept] * len(chosen)).pvalue > 1e-4


def test_alone_and_in_a_crowd_a_sampled_move_is_the_same():
    states = random_positions(FOUR, 30, seed=32)
    player = SampledPolicyPlayer(FOUR, Both(FOUR))
    together = player.choose_batch(states, generators(30))
    alone = [player.choose(*asked) for asked in zip(states, generators(30), strict=True)]
    assert together == alone
    assert player.choose_batch(states, generators(30, seed=14)) != together
    # A network that draws a mirror image first takes its numbers from the same generators.
    evaluator = NetworkEvaluator(FOUR, fresh(FOUR), symmetry="random")
    player = SampledPolicyPlayer(FOUR, evaluator)
    together = player.choose_batch(states, generators(30))
    alone = [player.choose(*asked) for asked in zip(states, generators(30), strict=True)]
    assert together == alone


def test_sampled_games_from_one_opening_differ_where_likeliest_moves_repeat_themselves():
    stage = loaded()
    likeliest, drawn = policy_player(stage, "greedy"), policy_player(stage, "drawn", sampled=True)
    assert (type(likeliest), likeliest.name) == (NetworkPlayer, "greedy")
    assert (type(drawn), drawn.name) == (SampledPolicyPlayer, "drawn")
    twin = policy_player(stage, "twin")
    assert play_match(likeliest, twin, games=20, openings=["4"]).distinct_games == 1
    assert play_match(likeliest, drawn, games=20, openings=["4"]).distinct_games > 15


# --- the search ----------------------------------------------------------------------------------


def test_each_network_has_its_own_part_and_its_own_planes():
    policy, value = loaded(AllPlanes(), seed=1), loaded(seed=2)
    player = alphago_player(policy, value, None, 20, mixing_lambda=0, temperature=1.0, label="λ 0")
    assert (type(player), player.game, player.name) == (PUCTPlayer, FOUR, "λ 0 20")
    assert player.c == 5
    states = stacked(random_positions(FOUR, 12, seed=33))
    prior, values = player.evaluator.batch(states)
    right = NetworkEvaluator(policy.game, policy.network).batch(states)[0]
    np.testing.assert_allclose(prior, right, atol=1e-6)
    right = NetworkEvaluator(FOUR, value.network).batch(states)[1]
    np.testing.assert_allclose(values, right, atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("mixing_lambda", [0, 0.5, 1])
def test_every_mix_finds_the_move_that_wins(mixing_lambda):
    player = alphago_player(loaded(), loaded(), UNIFORM, 150, mixing_lambda=mixing_lambda)
    assert player.choose_batch([FOUR.from_moves("112233")], generators(1)) == [3]


def test_searches_with_rollouts_are_the_same_alone_and_in_a_crowd():
    """Whatever the generators: the rollouts' numbers come from the seed and the positions."""
    states = random_positions(FOUR, 12, seed=34)
    chosen = {}
    for seed in (0, 1):
        player = alphago_player(None, None, UNIFORM, 40, mixing_lambda=1, seed=seed)
        chosen[seed] = player.choose_batch(states, generators(12))
        assert [player.choose(state, np.random.default_rng()) for state in states] == chosen[seed]
    assert chosen[0] != chosen[1]


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        ((None, None, None), {}, "weighs value, and there is none"),
        ((None, None, UNIFORM, 0), {"mixing_lambda": 1}, "num_simulations must be a whole number"),
        ((loaded(THREE), None, UNIFORM), {"mixing_lambda": 1}, "plays tic_tac_toe, not connect_f"),
        ((None, loaded(THREE), None), {"mixing_lambda": 0}, "plays tic_tac_toe, not connect_four"),
    ],
)
def test_an_impossible_player_is_refused(arguments, options, said):
    with pytest.raises(ValueError, match=said):
        alphago_player(*arguments, **options)


# --- rollouts in UCT -----------------------------------------------------------------------------


def test_the_compiled_player_searches_with_the_rollouts_that_it_is_given():
    weights, state = np.zeros(NUM_WEIGHTS), FOUR.from_moves("1122")
    weights[1] = 40  # a move that wins is always played
    sharp, plain = rollout_player(RolloutPolicy(weights), 200), CompiledUCTPlayer(FOUR, 200)
    assert (sharp.name, plain.name) == ("UCT by patterns 200", "compiled UCT 200")
    visits = []
    for player in (sharp, plain):
        player.choose(state, np.random.default_rng(3))
        tree = compiled_uct(FOUR, state, 200, player.c, 3, player.evaluator)
        assert player.last_tree.root.visit_counts == tree.root.visit_counts
        visits.append(tree.root.visit_counts)
    assert visits[0] != visits[1]


def test_an_evaluator_of_tic_tac_toe_plays_it():
    """The players here are Connect Four's; the evaluator and ``PUCTPlayer`` are any game's."""
    evaluator = AlphaGoEvaluator(None, None, uniform_rollout(THREE.rules), 1, game=THREE)
    player = PUCTPlayer(THREE, evaluator, 300, c=1.0)
    assert player.choose(THREE.from_moves("1425"), np.random.default_rng(0)) == 2  # 3 wins
