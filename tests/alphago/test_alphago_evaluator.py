"""AlphaGo's search for many games at once: beside the readable one, by hand, what it refuses."""

import numpy as np
import pytest

from azlearn.alphago import compiled_patterns, mixed_evaluator, tempered_policy
from azlearn.alphago.evaluator import AlphaGoEvaluator, _scrambled
from azlearn.games import ConnectFour, State, TicTacToe
from azlearn.learning import NetworkEvaluator
from azlearn.search import (
    MCTS,
    BatchedSearch,
    Evaluation,
    batch_evaluator,
    puct,
    uniform_rollout,
)
from tests.alphago.test_rollout_policy import policy_of
from tests.engines import assert_same_tree, evaluators, random_positions, run, stacked
from tests.learning.networks import fresh

TIC_TAC_TOE, CONNECT_FOUR = TicTacToe(), ConnectFour()
UNIFORM = uniform_rollout(CONNECT_FOUR.rules)
KINDS = pytest.mark.parametrize(
    ("game", "rollout"),
    [
        (TIC_TAC_TOE, uniform_rollout(TIC_TAC_TOE.rules)),
        (CONNECT_FOUR, UNIFORM),
        (CONNECT_FOUR, compiled_patterns(policy_of(0))),
    ],
    ids=["tic_tac_toe", "connect_four", "patterns"],
)
RNG = np.random.default_rng(0)  # for evaluators that draw nothing


def answers(game):
    """Arbitrary answers in float32, as networks give them, for one position and for many."""
    pair = evaluators(game, "rough")
    return batch_evaluator(lambda states: [x.astype(np.float32) for x in pair.batch(states)])


def says(prior=None, value=None):
    """The same answer about everything; None: nonsense that nobody may look at."""

    def batch(states):
        rows = (len(states.me), 1)
        return (
            np.full(rows, np.nan) if prior is None else np.tile(prior, rows),
            np.full(rows, np.nan) if value is None else np.full(rows[0], value),
        )

    return batch_evaluator(batch)


# --- rollouts once more, in plain Python ---------------------------------------------------------


def scrambled(bits):
    """SplitMix64 by Python's integers."""
    cut = 2**64 - 1
    bits = (bits + 0x9E3779B97F4A7C15) & cut
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & cut
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & cut
    return bits ^ (bits >> 31)


def seeded(rollout, seed):
    """The rollouts of ``AlphaGoEvaluator``, move by move by the rules of the game."""
    key = int(np.random.default_rng(seed).integers(2**64, dtype=np.uint64))

    def evaluate(game, state, rng):
        bits = scrambled(scrambled(key ^ state.me) ^ state.opp) | 1
        generator = np.array([bits], dtype=np.uint64)
        now, last = state, -1
        while (outcome := game.outcome(now)) is None:
            last = rollout.choose(now, last, rollout.parameters, generator)
            now = game.play(now, last)
        return Evaluation(None, outcome if game.to_play(now) == game.to_play(state) else -outcome)

    return evaluate


def test_the_scrambling_is_the_published_one():
    # The first two numbers of SplitMix64 from 1234567, as Rosetta Code lists them.
    step = 0x9E3779B97F4A7C15
    for scramble in (scrambled, lambda bits: int(_scrambled(np.uint64(bits)))):
        assert scramble(1234567) == 6457827717110365317
        assert scramble(1234567 + step) == 3203168211198807973


# --- the search ----------------------------------------------------------------------------------


@KINDS
@pytest.mark.parametrize("mixing_lambda", [0, 0.3, 1])
def test_the_tree_is_the_readable_search_s_visit_for_visit(game, rollout, mixing_lambda):
    network, seed = answers(game), 5
    readable = MCTS(
        game,
        puct(1.5),
        mixed_evaluator(network, seeded(rollout, seed), mixing_lambda),
        policy=tempered_policy(network, 0.67),
    )
    at_once = AlphaGoEvaluator(network, network, rollout, mixing_lambda, seed=seed, game=game)
    states = random_positions(game, 5, seed=21)
    for num_simulations in (1, 2, 17, 60):
        engine = BatchedSearch(game, len(states), num_simulations, puct(1.5))
        engine.start(stacked(states), num_simulations)
        run(engine, at_once.batch)
        one_by_one = MCTS(game, puct(1.5), at_once)
        for row, state in enumerate(states):
            assert_same_tree(readable.run(state, num_simulations).root, engine, row)
            if num_simulations == 17:
                assert_same_tree(one_by_one.run(state, num_simulations).root, engine, row)


@KINDS
def test_the_answer_is_a_function_of_seed_and_position(game, rollout):
    network = answers(game)
    states = random_positions(game, 60, seed=22)
    evaluate = AlphaGoEvaluator(network, network, rollout, seed=1, game=game)
    prior, value = evaluate.batch(stacked(states))
    assert prior.dtype == value.dtype == np.float64
    turned = evaluate.batch(stacked(states[::-1]))
    np.testing.assert_array_equal(turned[0][::-1], prior)
    np.testing.assert_array_equal(turned[1][::-1], value)
    for state, p, v in zip(states, prior, value, strict=True):
        assert evaluate(game, state, RNG) == Evaluation(p.tolist(), v)
    # A generator in the place of its seed, and another seed: other rollouts, the same networks.
    for seed, same in ((np.random.default_rng(1), True), (2, False)):
        again = AlphaGoEvaluator(network, network, rollout, seed=seed, game=game)
        np.testing.assert_array_equal(again.batch(stacked(states))[0], prior)
        assert np.array_equal(again.batch(stacked(states))[1], value) == same


# --- priors, and what is not asked ---------------------------------------------------------------


def test_priors_are_tempered_or_alike():
    """Column 1 is full; what it got is taken away: 1/2, 1/4, 1/4 for 2, 3, 4; squared for 1/2."""
    p, state = np.array([0.5, 0.25, 0.125, 0.125, 0, 0, 0]), [CONNECT_FOUR.from_moves("111111")]
    evaluate = AlphaGoEvaluator(says(p), says(value=0.0), None, 0, temperature=0.5)
    right = [0, 2 / 3, 1 / 6, 1 / 6, 0, 0, 0]
    np.testing.assert_allclose(evaluate.batch(stacked(state))[0][0], right, atol=1e-12)
    without = AlphaGoEvaluator(None, says(value=0.0), None, 0)
    np.testing.assert_allclose(without.batch(stacked(state))[0][0], [0, *[1 / 6] * 6])


def test_what_has_no_weight_is_not_asked():
    """Of the policy only the prior is looked at, of the value network only the value."""
    p = np.full(7, 1 / 7)
    states = stacked(random_positions(CONNECT_FOUR, 5, seed=25))
    rollout, silent = UNIFORM, batch_evaluator(None)
    np.testing.assert_array_equal(
        AlphaGoEvaluator(says(p), says(value=-0.3), None, 0).batch(states)[1], -0.3
    )
    for value in (None, silent):
        z = AlphaGoEvaluator(says(p), value, rollout, 1).batch(states)[1]
        assert set(z) <= {-1, 0, 1}
    assert AlphaGoEvaluator(None, None, rollout, 1.0).name == "0 value + 1 rollout"


# --- what is refused -----------------------------------------------------------------------------

FAIR = np.full(7, 1 / 7)


@pytest.mark.parametrize(
    ("policy", "value", "said"),
    [
        (says(), says(value=0.0), r"chances \[2, 7\], 0 or more: .* the least of them nan"),
        (says(FAIR[:6]), says(value=0.0), r"those it gave are \[2, 6\]"),
        (says(np.eye(7)[0]), says(value=0.0), r"for the legal moves in row 1 are \[0\.0, 0\.0"),
        (says(FAIR), says(value=np.nan), r"2 values in \[-1, 1\], not \[2\] from nan to nan"),
        (says(FAIR), batch_evaluator(lambda s: (FAIR, np.zeros(3))), r"not \[3\] from"),
    ],
)
def test_nonsense_is_refused(policy, value, said):
    states = stacked([State(0, 0), CONNECT_FOUR.from_moves("111111")])
    evaluate = AlphaGoEvaluator(policy, value, UNIFORM)
    with pytest.raises(ValueError, match=said) as error:
        evaluate.batch(states)
    assert "\n" not in str(error.value)


def test_finished_games_and_other_games_are_refused():
    evaluate = AlphaGoEvaluator(None, None, UNIFORM, 1)
    over = CONNECT_FOUR.from_moves("1212121")
    with pytest.raises(ValueError, match="The game in row 1 is over"):
        evaluate.batch(stacked([State(0, 0), over]))
    with pytest.raises(ValueError, match="This evaluator is for connect_four, not tic_tac_toe"):
        evaluate(TIC_TAC_TOE, State(0, 0), RNG)


def turned() -> NetworkEvaluator:
    return NetworkEvaluator(CONNECT_FOUR, fresh(CONNECT_FOUR), symmetry="random")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((None, None, None, 1), "weighs rollout, and there is none"),
        ((None, None, UNIFORM), "weighs value, and there is none"),
        (
            (None, None, uniform_rollout(TIC_TAC_TOE.rules), 1),
            r"is for .*tic_tac_toe_rules, not connect_four",
        ),
        ((turned(), says(value=0.0), None, 0), "The policy network must"),
        ((None, turned(), None, 0), "The value network must answer"),
    ],
)
def test_an_impossible_evaluator_is_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        AlphaGoEvaluator(*arguments)
