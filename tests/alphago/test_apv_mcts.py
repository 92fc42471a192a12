"""AlphaGo's search beside a plain one, visit for visit; and for many games at once, beside that."""

import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from azlearn.alphago import alphago_search, compiled_patterns, mixed_evaluator, tempered_policy
from azlearn.alphago.evaluator import AlphaGoEvaluator, _scrambled
from azlearn.games import ConnectFour, State, TicTacToe
from azlearn.learning import NetworkEvaluator
from azlearn.search import (
    MCTS,
    BatchedSearch,
    Evaluation,
    batch_evaluator,
    constant,
    puct,
    random_rollout,
    record_search,
    uct,
    uniform_rollout,
)
from azlearn.search.evaluators import hash_value
from azlearn.viz.replaying import replay
from tests.alphago.plain_apv import PlainAPV
from tests.alphago.test_rollout_policy import policy_of
from tests.engines import assert_same_tree, evaluators, random_positions, run, stacked
from tests.learning.networks import fresh

TIC_TAC_TOE, CONNECT_FOUR = TicTacToe(), ConnectFour()
GAMES = pytest.mark.parametrize("game", [TIC_TAC_TOE, CONNECT_FOUR], ids=lambda game: game.name)
EMPTY = State(0, 0)


class Rollouts:
    """Arbitrary results that change from one visit of a position to the next, exact in binary."""

    def __init__(self):
        self.visits = Counter()

    def z(self, state):
        self.visits[state] += 1
        return hash_value(state.opp ^ (self.visits[state] * 0x5DEECE66D % 2**49), state.me)

    def __call__(self, game, state, rng):
        return Evaluation(None, self.z(state))


@GAMES
@pytest.mark.parametrize(
    ("mix", "options"),
    [
        (Fraction(0), {"n_thr": 1}),
        (Fraction(1, 4), {"n_thr": 0}),
        (Fraction(1, 4), {"n_thr": 4}),
        (Fraction(1), {"n_thr": 40}),
        (Fraction(1, 2), {"n_thr": 0, "threads": 8, "n_vl": 3}),
        (Fraction(1, 2), {"n_thr": 4, "threads": 8, "n_vl": 3}),
        (Fraction(1, 2), {"n_thr": 4, "threads": 8, "n_vl": 0}),
    ],
)
def test_visit_for_visit_beside_the_formulas_of_the_paper(game, mix, options):
    """N, Q and what is expanded, edge by edge, are those of ``PlainAPV``; and the move is."""
    hashed, given = evaluators(game, "hash").single, {"expand_threshold": options["n_thr"]}
    if "threads" in options:
        given |= {"batch_size": options["threads"], "virtual_loss": options["n_vl"]}
    for state in random_positions(game, 2, seed=11):
        evaluate = mixed_evaluator(hashed, Rollouts(), float(mix))
        root = MCTS(game, puct(5.0), evaluate, policy=hashed, **given).run(state, 100).root
        plain = PlainAPV(
            game, lambda at: hash_value(*at), Rollouts().z, lambda at: hashed(game, at, None).prior,
            c=5.0, mix=mix, **options,
        ).run(state, 100)  # fmt: skip
        waiting = [(root, ())]
        for node, line in waiting:  # grows on the way
            assert (node.prior is None or node.outcome is not None) == (line not in plain.prior)
            for action in node.legal_actions:
                assert node.visit_counts[action] == plain.n_r[line, action], (line, action)
                assert node.q_values[action] == float(plain.q(line, action)), (line, action)
                if node.children[action] is not None:
                    waiting.append((node.children[action], (*line, action)))
        most = max(plain.n_r[(), action] for action in root.legal_actions)
        assert plain.n_r[(), root.best_action()] == most


def test_a_record_follows_leaves_that_are_visited_again():
    hashed = evaluators(CONNECT_FOUR, "hash").single
    recording = record_search(
        CONNECT_FOUR, EMPTY, puct(5.0), mixed_evaluator(hashed, random_rollout()), 200,
        policy=hashed, expand_threshold=3,
    )  # fmt: skip
    record = json.loads(json.dumps(recording.to_dict()))
    assert record["info"]["evaluator"] == "0.5 value + 0.5 rollout"
    assert max(Counter(record["steps"]["leaf"]).values()) == 4
    assert all(record["steps"]["rollout"])
    visits, value_sum = replay(record, 200)
    for i, (parent, action) in enumerate(recording.parents[1:], 1):
        assert visits[i] == recording.nodes[parent].visit_counts[action]
        assert value_sum[i] == pytest.approx(recording.nodes[parent].value_sum[action])


def test_a_search_goes_on_from_a_position_that_was_not_expanded():
    search = alphago_search(CONNECT_FOUR, constant(), constant(), random_rollout())
    kept = search.run(EMPTY, 60).advance(3)
    assert kept.root.prior is None
    assert search.run(kept.root.state, 60, tree=kept).root.num_visits == 60


def test_the_constants_of_the_paper():
    """Silver et al. 2016, Extended Data Table 5: λ 0.5, n_vl 3, n_thr 40, c_puct 5, β 0.67."""
    policy = constant_prior([0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
    search = alphago_search(CONNECT_FOUR, policy, constant(1.0), constant(0.5), num_threads=8)
    assert search.select.parameters["c"] == 5
    assert (search.expand_threshold, search.virtual_loss, search.batch_size) == (40, 3, 8)
    root = search.run(EMPTY, 41).root
    assert root.raw_value == 0.75
    assert root.prior[0] / root.prior[1] == pytest.approx(4 ** (1 / 0.67))


def test_what_has_no_weight_is_not_asked_and_a_value_only_once():
    v, z, silent = constant(0.5), constant(-1.0), lambda *_: pytest.fail("it was asked")
    for value, rollout, mixing_lambda, expected in (
        (v, silent, 0, 0.5), (v, None, 0.0, 0.5), (silent, z, 1, -1), (None, z, 1.0, -1)
    ):  # fmt: skip
        evaluate = mixed_evaluator(value, rollout, mixing_lambda)
        assert evaluate(CONNECT_FOUR, EMPTY, np.random.default_rng(0)).value == expected
    vs, zs = iter([0.5]), iter([1, -1, 0])  # a second value there is not
    evaluate = mixed_evaluator(
        lambda *_: Evaluation(None, next(vs)), lambda *_: Evaluation(None, next(zs)), 0.5
    )
    assert [evaluate(CONNECT_FOUR, EMPTY, None).value for _ in range(3)] == [0.75, -0.25, 0.25]


def test_a_value_that_draws_a_mirror_image_is_asked_anew():
    network, rng = fresh(CONNECT_FOUR), np.random.default_rng(0)
    position, mirrored = (CONNECT_FOUR.from_moves(move) for move in "17")
    plain = NetworkEvaluator(CONNECT_FOUR, network)
    images = [plain(CONNECT_FOUR, image, rng).value for image in (position, mirrored)]
    assert abs(images[0] - images[1]) > 1e-3
    evaluate = mixed_evaluator(NetworkEvaluator(CONNECT_FOUR, network, symmetry="random"), None, 0)
    found = {round(evaluate(CONNECT_FOUR, position, rng).value, 4) for _ in range(20)}
    assert sorted(found) == pytest.approx(sorted(images), abs=1e-3)


def constant_prior(prior):
    return lambda game, state, rng: Evaluation(prior, 0.25)


def test_a_temperature_by_hand():
    """β = 1/2 squares: 36, 9 and 1 of 46. The first column is full, and its chance goes."""
    policy = tempered_policy(constant_prior([0.5, 0.3, 0.15, 0.05, 0, 0, 0]), 0.5)
    answer = policy(CONNECT_FOUR, CONNECT_FOUR.from_moves("111111"), None)
    assert answer.prior == pytest.approx([0, 36 / 46, 9 / 46, 1 / 46, 0, 0, 0])
    assert answer.value == 0.25
    assert tempered_policy(constant(0.5))(CONNECT_FOUR, EMPTY, None) == (None, 0.5, ())


def test_impossible_settings_are_refused():
    for options, told in (
        ({"mixing_lambda": 2}, r"mixing_lambda must be a number in \[0, 1\]"),
        ({"temperature": 0}, "temperature must be a finite number above 0"),
        ({"num_threads": 0}, "num_threads must be a whole number, at least 1, not 0"),
        ({"num_threads": 2, "recorder": object()}, "one thread"),
    ):
        with pytest.raises(ValueError, match=told):
            alphago_search(CONNECT_FOUR, constant(), constant(), constant(), **options)
    for arguments, told in (
        ((None, constant(), 0.5), "needs value, which is missing"),
        ((constant(), None, 0.5), "needs rollout, which is missing"),
        ((constant(), random_rollout), r"Pass random_rollout\(\)"),
    ):
        with pytest.raises(ValueError, match=told):
            mixed_evaluator(*arguments)
    with pytest.raises(ValueError, match="expand_threshold above 0 needs a policy"):
        MCTS(CONNECT_FOUR, uct(1.0), constant(), expand_threshold=1)


def test_nonsense_answers_are_refused():
    for value, rollout in ((1.5, -1.0), (-1.0, 1.5)):  # the mix of the two would pass
        with pytest.raises(ValueError, match=r"must be in \[-1, 1\], not 1.5"):
            mixed_evaluator(constant(value), constant(rollout))(CONNECT_FOUR, EMPTY, None)
    for answer, told in (
        (None, r"must return \(prior, value\)"),
        (([1 / 6] * 6, 0.0), r"in shape \[1, 7\]; it returned shape \[1, 6\]"),
        (([float("inf")] * 7, 0.0), "The legal moves in row 0 need a positive, finite probability"),
    ):
        policy = tempered_policy(lambda game, state, rng, answer=answer: answer)
        with pytest.raises(ValueError, match=told) as error:
            policy(CONNECT_FOUR, CONNECT_FOUR.from_moves("111111"), None)
        assert "\n" not in str(error.value)


# Many games at once.

UNIFORM = uniform_rollout(CONNECT_FOUR.rules)
KINDS = pytest.mark.parametrize(
    ("game", "rollout", "mixing_lambda"),
    [
        (TIC_TAC_TOE, uniform_rollout(TIC_TAC_TOE.rules), 0.3),
        (CONNECT_FOUR, compiled_patterns(policy_of(0)), 0.5),
    ],
    ids=["tic_tac_toe", "patterns"],
)


def answers(game):
    """Arbitrary answers in float32, as networks give them, for one position and for many."""
    pair = evaluators(game, "rough")
    return batch_evaluator(lambda states: [x.astype(np.float32) for x in pair.batch(states)])


def says(prior=np.nan, value=np.nan):
    """The same answer about everything; or nonsense that nobody may look at."""
    return batch_evaluator(lambda s: (np.tile(prior, (len(s.me), 1)), np.full(len(s.me), value)))


def seeded(rollout, seed):
    """The rollouts of ``AlphaGoEvaluator``, move by move by the rules of the game."""
    key = np.random.default_rng(seed).integers(2**64, dtype=np.uint64)

    def evaluate(game, state, rng):
        bits = np.uint64(key)
        for word in state:
            bits = np.uint64(_scrambled(bits ^ np.uint64(word)))
        generator = np.array([bits | np.uint64(1)])
        now, last = state, -1
        while (outcome := game.outcome(now)) is None:
            last = rollout.choose(now, last, rollout.parameters, generator)
            now = game.play(now, last)
        return Evaluation(None, outcome if game.to_play(now) == game.to_play(state) else -outcome)

    return evaluate


def test_the_scrambling_is_the_published_one():
    # The first two numbers of SplitMix64 from 1234567, as Rosetta Code lists them.
    found = [_scrambled(np.uint64(1234567 + n * 0x9E3779B97F4A7C15)) for n in (0, 1)]
    assert found == [6457827717110365317, 3203168211198807973]


@KINDS
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
def test_the_answer_is_a_function_of_seed_and_position(game, rollout, mixing_lambda):
    network = answers(game)
    states = random_positions(game, 60, seed=22)
    evaluate = AlphaGoEvaluator(network, network, rollout, mixing_lambda, seed=1, game=game)
    prior, value = evaluate.batch(stacked(states))
    assert prior.dtype == value.dtype == np.float64
    for state, p, v in zip(states, prior, value, strict=True):
        assert evaluate(game, state, None) == Evaluation(p.tolist(), v)
    # A generator in the place of its seed, and another seed: other rollouts, the same networks.
    for seed, same in ((np.random.default_rng(1), True), (2, False)):
        again = AlphaGoEvaluator(network, network, rollout, mixing_lambda, seed=seed, game=game)
        np.testing.assert_array_equal(again.batch(stacked(states))[0], prior)
        assert np.array_equal(again.batch(stacked(states))[1], value) == same


def test_what_has_no_weight_is_not_asked():
    """Of the policy only the prior is looked at, of the value network only the value."""
    p = np.full(7, 1 / 7)
    states = stacked(random_positions(CONNECT_FOUR, 5, seed=25))
    v = AlphaGoEvaluator(says(p), says(value=-0.3), None, 0).batch(states)[1]
    np.testing.assert_array_equal(v, -0.3)
    full = stacked([CONNECT_FOUR.from_moves("111111")])  # without a policy all moves are alike
    alike = AlphaGoEvaluator(None, says(value=0.0), None, 0).batch(full)[0][0]
    np.testing.assert_allclose(alike, [0, *[1 / 6] * 6])
    for value in (None, batch_evaluator(None)):
        z = AlphaGoEvaluator(says(p), value, UNIFORM, 1).batch(states)[1]
        assert set(z) <= {-1, 0, 1}
    assert AlphaGoEvaluator(None, None, UNIFORM, 1.0).name == "0 value + 1 rollout"


def test_an_impossible_evaluator_and_nonsense_answers_are_refused():
    drawn = NetworkEvaluator(CONNECT_FOUR, fresh(CONNECT_FOUR), symmetry="random")
    for arguments, said in (
        ((None, None, uniform_rollout(TIC_TAC_TOE.rules), 1), "tic_tac_toe_rules, not connect_f"),
        ((drawn, says(value=0.0), None, 0), "The policy network must"),
        ((None, drawn, None, 0), "The value network must always give"),
    ):
        with pytest.raises(ValueError, match=said):
            AlphaGoEvaluator(*arguments)
    states = stacked([State(0, 0), CONNECT_FOUR.from_moves("111111")])
    for policy, value, said in (
        (says(), says(value=0.0), r"in shape \[2, 7\]; .* with minimum nan"),
        (says(np.eye(7)[0]), says(value=0.0), r"legal moves in row 1 .* returned \[0\.0, 0\.0"),
        (None, says(value=np.nan), r"2 values in \[-1, 1\], not shape \[2\] .* from nan to nan"),
        (None, batch_evaluator(lambda s: (None, np.zeros(3))), r"not shape \[3\] with"),
    ):
        with pytest.raises(ValueError, match=said):
            AlphaGoEvaluator(policy, value, UNIFORM).batch(states)
    over = stacked([State(0, 0), CONNECT_FOUR.from_moves("1212121")])
    evaluate = AlphaGoEvaluator(None, None, UNIFORM, 1)
    with pytest.raises(ValueError, match="The game in row 1 is over"):
        evaluate.batch(over)
    with pytest.raises(ValueError, match="This evaluator is for connect_four, not tic_tac_toe"):
        evaluate(TIC_TAC_TOE, State(0, 0), None)
