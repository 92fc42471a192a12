"""AlphaGo's search beside a plain one, visit for visit, and by hand: mix, threshold, threads."""

import json
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from azlearn.alphago import alphago_search, mixed_evaluator, tempered_policy
from azlearn.games import ConnectFour, State, TicTacToe, minimax_actions, minimax_value
from azlearn.learning import NetworkEvaluator
from azlearn.search import MCTS, Evaluation, constant, puct, random_rollout, record_search, uct
from azlearn.search.evaluators import hash_value
from azlearn.viz.replaying import replay
from tests.alphago.plain_apv import PlainAPV
from tests.engines import evaluators, random_positions
from tests.learning.networks import fresh

TIC_TAC_TOE, CONNECT_FOUR = TicTacToe(), ConnectFour()
GAMES = pytest.mark.parametrize("game", [TIC_TAC_TOE, CONNECT_FOUR], ids=lambda game: game.name)
EMPTY = State(0, 0)


def after(moves):
    return CONNECT_FOUR.from_moves(moves)


class Told:
    """An evaluator that answers from a table, 0 where there is nothing, and counts the questions.

    A list is gone through answer by answer.
    """

    def __init__(self, values, prior=None):
        self.values = {after(moves): value for moves, value in values.items()}
        self.prior, self.asked = prior, Counter()

    def __call__(self, game, state, rng):
        value = self.values.get(state, 0.0)
        if isinstance(value, list):
            value = value[self.asked[state]]
        self.asked[state] += 1
        return Evaluation(self.prior, value)


def refused(game, state, rng):
    raise AssertionError("nobody may ask this evaluator")


# --- beside a plain search -----------------------------------------------------------------------


class Rollouts:
    """Arbitrary results that change from one visit of a position to the next, exact in binary."""

    def __init__(self):
        self.visits = Counter()

    def z(self, state):
        self.visits[state] += 1
        return hash_value(state.opp ^ (self.visits[state] * 0x5DEECE66D % 2**49), state.me)

    def __call__(self, game, state, rng):
        return Evaluation(None, self.z(state))


def assert_the_same(game, state, simulations, *, mix, n_thr, threads=1, n_vl=3, v_once=False):
    """N, Q and what is expanded, edge by edge, are those of ``PlainAPV``; and the move is."""
    hashed = evaluators(game, "hash").single
    options = {"policy": hashed, "expand_threshold": n_thr}
    if threads > 1:
        options |= {"batch_size": threads, "virtual_loss": n_vl}
    search = MCTS(game, puct(5.0), mixed_evaluator(hashed, Rollouts(), float(mix)), **options)
    root = search.run(state, simulations).root
    plain = PlainAPV(
        game,
        lambda at: hash_value(*at),
        Rollouts().z,
        lambda at: hashed(game, at, None).prior,
        c=5.0, mix=mix, n_thr=n_thr, n_vl=n_vl, threads=threads, v_once=v_once,
    ).run(state, simulations)  # fmt: skip
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


@GAMES
@pytest.mark.parametrize(
    ("mix", "options"),
    [
        (Fraction(0), {"n_thr": 1}),
        (Fraction(1, 4), {"n_thr": 0}),
        (Fraction(1, 4), {"n_thr": 4}),
        (Fraction(1, 4), {"n_thr": 40}),
        (Fraction(1), {"n_thr": 1}),
        # Two means kept apart are the mix where every leaf is expanded at once.
        (Fraction(1, 4), {"n_thr": 0, "v_once": True}),
        (Fraction(1, 2), {"n_thr": 0, "threads": 8}),
        (Fraction(1, 2), {"n_thr": 4, "threads": 8}),
        (Fraction(1, 2), {"n_thr": 4, "threads": 8, "n_vl": 0}),
    ],
)
def test_visit_for_visit_beside_the_formulas_of_the_paper(game, mix, options):
    for state in random_positions(game, 2, seed=11):
        assert_the_same(game, state, 100, mix=mix, **options)


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


def test_a_search_by_the_truth_plays_perfectly():
    """With one flip too many or too few it would choose the losing moves."""

    def truth(game, state, rng):
        return Evaluation(None, minimax_value(game, state))

    for state in random_positions(TIC_TAC_TOE, 8, seed=3):
        for threads in (1, 4):
            search = alphago_search(
                TIC_TAC_TOE, constant(), truth, random_rollout(),
                mixing_lambda=0.25, c=1.0, expand_threshold=1, num_threads=threads,
            )  # fmt: skip
            assert search.run(state, 300).best_action() in minimax_actions(TIC_TAC_TOE, state)


# --- by hand -------------------------------------------------------------------------------------


def test_three_simulations_of_the_mix_by_hand():
    prior = [0.5, 0.3, 0.04, 0.04, 0.04, 0.04, 0.04]
    v, z = Told({"1": 0.4, "2": -0.2, "11": 0.2}), Told({"1": -1, "2": 1, "11": 1})
    mcts = MCTS(CONNECT_FOUR, puct(1.0), mixed_evaluator(v, z, 0.25), policy=Told({}, prior))
    # λ = 1/4 weighs the rollout, for the second player, to move after 1 or 2:
    # 1: 3/4·0.4 - 1/4 = 0.05, so W = -0.05 for the first. 2: -3/4·0.2 + 1/4 = 0.1, W = -0.1.
    # First the highest prior, 1; then 1 scores -0.05 + 0.5/2 = 0.2 and 2 scores 0.3.
    root = mcts.run(EMPTY, 2).root
    assert root.visit_counts == [1, 1, 0, 0, 0, 0, 0]
    assert root.value_sum == pytest.approx([-0.05, -0.1, 0, 0, 0, 0, 0])
    # √2: 1 scores -0.05 + √2·0.5/2 = 0.30, 2 scores -0.1 + √2·0.3/2 = 0.11, the others 0.06.
    # Then 11, where the first player moves: 3/4·0.2 + 1/4 = 0.4. W of 1 is -0.05 + 0.4.
    root = mcts.run(EMPTY, 3).root
    assert root.visit_counts == [2, 1, 0, 0, 0, 0, 0]
    assert root.value_sum == pytest.approx([0.35, -0.1, 0, 0, 0, 0, 0])
    assert root.children[0].value_sum == pytest.approx([-0.4, 0, 0, 0, 0, 0, 0])
    assert root.best_action() == 0


def test_a_threshold_of_two_by_hand():
    """Every simulation goes to move 1, and below it to move 1 again; λ = 1/2."""
    v, z = Told({"1": 0.4, "11": -0.6}), Told({"1": [1, -1, 1], "11": 1})
    policy = Told({}, [1.0, 0, 0, 0, 0, 0, 0])
    mcts = MCTS(
        CONNECT_FOUR, puct(10), mixed_evaluator(v, z, 0.5), policy=policy, expand_threshold=2
    )
    tree = mcts.run(EMPTY, 2)
    leaf = tree.root.children[0]
    # 0.2 + 0.5 and 0.2 - 0.5, for the second player. N = 2 does not exceed 2.
    assert (tree.root.visit_counts[0], leaf.prior, any(leaf.children)) == (2, None, False)
    assert tree.root.value_sum[0] == pytest.approx(-0.4)
    assert leaf.raw_value == pytest.approx(0.7)  # its first evaluation, as an explorer takes it
    # The third visit ends there too, 0.2 + 0.5, and expands: N = 3.
    mcts.run(EMPTY, 1, tree=tree)
    assert tree.root.value_sum[0] == pytest.approx(-1.1)
    assert (policy.asked, any(leaf.children)) == ({EMPTY: 1, after("1"): 1}, False)
    # The fourth goes on to 11: -0.3 + 0.5 = 0.2 for the first player.
    mcts.run(EMPTY, 1, tree=tree)
    assert (tree.root.visit_counts[0], leaf.visit_counts[0]) == (4, 1)
    assert tree.root.value_sum[0] == pytest.approx(-0.9)
    assert v.asked == {EMPTY: 1, after("1"): 1, after("11"): 1}
    assert z.asked == {EMPTY: 1, after("1"): 3, after("11"): 1}


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


# --- what is asked -------------------------------------------------------------------------------


def test_what_has_no_weight_is_not_asked_and_a_value_only_once():
    v, z = Told({"1": 0.4}), Told({"1": -1})
    for value, rollout, mixing_lambda, expected in (
        (v, refused, 0, 0.4), (v, None, 0.0, 0.4), (refused, z, 1, -1), (None, z, 1.0, -1)
    ):  # fmt: skip
        evaluate = mixed_evaluator(value, rollout, mixing_lambda)
        assert evaluate(CONNECT_FOUR, after("1"), np.random.default_rng(0)).value == expected
    v, z = Told({"1": 0.4}), Told({"1": [1, -1, 0]})
    evaluate = mixed_evaluator(v, z, 0.5)
    values = [evaluate(CONNECT_FOUR, after("1"), None).value for _ in range(3)]
    assert values == pytest.approx([0.7, -0.3, 0.2])
    assert (v.asked[after("1")], z.asked[after("1")]) == (1, 3)


@pytest.mark.parametrize("symmetry", ["none", "random"])
def test_a_value_that_draws_a_mirror_image_is_asked_anew(symmetry):
    network, position, rng = fresh(CONNECT_FOUR), after("1"), np.random.default_rng(0)
    images = [
        NetworkEvaluator(CONNECT_FOUR, network)(CONNECT_FOUR, image, rng).value
        for image in (position, after("7"))
    ]
    assert abs(images[0] - images[1]) > 1e-3
    evaluate = mixed_evaluator(NetworkEvaluator(CONNECT_FOUR, network, symmetry=symmetry), None, 0)
    found = {round(evaluate(CONNECT_FOUR, position, rng).value, 4) for _ in range(20)}
    expected = images if symmetry == "random" else images[:1]
    assert sorted(found) == pytest.approx(sorted(expected), abs=1e-3)


# --- the priors ----------------------------------------------------------------------------------


def constant_prior(prior):
    return lambda game, state, rng: Evaluation(prior, 0.25)


def test_a_temperature_by_hand():
    """β = 1/2 squares: 36, 9 and 1 of 46. The first column is full, and its chance goes."""
    state, policy = after("111111"), constant_prior([0.5, 0.3, 0.15, 0.05, 0, 0, 0])
    answer = tempered_policy(policy, 0.5)(CONNECT_FOUR, state, None)
    assert answer.prior == pytest.approx([0, 36 / 46, 9 / 46, 1 / 46, 0, 0, 0])
    assert answer.value == 0.25
    answer = tempered_policy(policy, 1.0)(CONNECT_FOUR, state, None)
    assert answer.prior == pytest.approx([0, 0.6, 0.3, 0.1, 0, 0, 0])
    assert tempered_policy(constant(0.5))(CONNECT_FOUR, EMPTY, None) == (None, 0.5, ())


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        (None, r"must return \(prior, value\)"),
        (([0.5, 0.5],), r"must return \(prior, value\)"),
        ([1 / 6] * 6, r"must give chances \[1, 7\]"),
        ([float("nan")] * 7, r"must give chances \[1, 7\]"),
        ([float("inf")] * 7, "chances for the legal moves in row 0 are"),
        ([1, 0, 0, 0, 0, 0, 0], "chances for the legal moves in row 0 are"),
    ],
)
def test_a_policy_that_answers_nonsense_is_one_clear_sentence(prior, words):
    policy = constant_prior(prior) if isinstance(prior, list) else lambda game, state, rng: prior
    search = alphago_search(CONNECT_FOUR, policy, constant(), constant())
    with pytest.raises(ValueError, match=words) as error:
        search.run(after("111111"), 10)
    assert "\n" not in str(error.value)


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"c": -1}, "c must be"),
        ({"mixing_lambda": 2}, r"mixing_lambda must be a number in \[0, 1\]"),
        ({"mixing_lambda": "0.5"}, r"mixing_lambda must be a number in \[0, 1\]"),
        ({"temperature": 0}, "temperature must be a finite number above 0"),
        ({"expand_threshold": -1}, "expand_threshold must be a whole number, at least 0, not -1"),
        ({"num_threads": 0}, "num_threads must be a whole number, at least 1, not 0"),
        ({"num_threads": 2, "virtual_loss": -1}, "virtual_loss must be"),
        ({"num_threads": 2, "recorder": object()}, "one thread"),
    ],
)
def test_impossible_settings_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        alphago_search(CONNECT_FOUR, constant(), constant(), constant(), **options)


def test_a_weight_for_nothing_and_a_nonsense_answer_are_refused():
    for arguments, told in (
        ((None, constant(), 0.5), "weighs value, and there is none"),
        ((constant(), None, 0.5), "weighs rollout, and there is none"),
        ((constant(), random_rollout), r"Pass random_rollout\(\)"),
    ):
        with pytest.raises(ValueError, match=told):
            mixed_evaluator(*arguments)
    for value, rollout in ((1.5, -1.0), (-1.0, 1.5)):  # the mix of the two would pass
        with pytest.raises(ValueError, match=r"must lie in \[-1, 1\], not 1.5"):
            mixed_evaluator(constant(value), constant(rollout))(CONNECT_FOUR, EMPTY, None)
    for options, told in (
        ({"expand_threshold": 1}, "expand_threshold above 0 needs a policy"),
        ({"policy": constant(), "expand": "all"}, "needs expand='one'"),
    ):
        with pytest.raises(ValueError, match=told):
            MCTS(CONNECT_FOUR, uct(1.0), constant(), **options)
