"""AlphaGo's search beside a plain one, visit for visit; its priors, threads, records, settings."""

import json
from collections import Counter
from fractions import Fraction

import pytest

from azlearn.alphago import alphago_search, mixed_evaluator, tempered_policy
from azlearn.games import ConnectFour, State, TicTacToe
from azlearn.search import MCTS, Evaluation, constant, puct, random_rollout, record_search
from azlearn.search.evaluators import hash_value
from azlearn.viz.replaying import replay
from tests.alphago.plain_apv import PlainAPV
from tests.engines import evaluators, random_positions

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


def both(game, state, simulations, *, mix, n_thr, threads=1, n_vl=3, **plain):
    """The root of the package's search, and the plain one after the same simulations."""
    hashed = evaluators(game, "hash").single
    evaluate = mixed_evaluator(hashed, Rollouts(), float(mix))
    options = {"policy": hashed, "expand_threshold": n_thr}
    if threads == 1:
        search = MCTS(game, puct(5.0), evaluate, **options)
    else:
        search = MCTS(game, puct(5.0), evaluate, batch_size=threads, virtual_loss=n_vl, **options)
    written_anew = PlainAPV(
        game,
        lambda at: hash_value(*at),
        Rollouts().z,
        lambda at: hashed(game, at, None).prior,
        c=5.0, mix=mix, n_thr=n_thr, n_vl=n_vl, threads=threads, **plain,
    )  # fmt: skip
    return search.run(state, simulations).root, written_anew.run(state, simulations)


def assert_equal(node, plain, line=()):
    """N and Q of every edge below ``line`` are the plain search's; and so is what is expanded."""
    assert (node.prior is None or node.outcome is not None) == (line not in plain.prior)
    for action in node.legal_actions:
        assert node.visit_counts[action] == plain.n_r[line, action], (line, action)
        assert node.q_values[action] == float(plain.q(line, action)), (line, action)
        if node.children[action] is not None:
            assert_equal(node.children[action], plain, (*line, action))


@GAMES
@pytest.mark.parametrize("n_thr", [0, 1, 4])
@pytest.mark.parametrize("mix", [Fraction(0), Fraction(1, 4), Fraction(1)])
def test_visit_for_visit_beside_the_formulas_of_the_paper(game, n_thr, mix):
    for state in random_positions(game, 2, seed=11):
        root, plain = both(game, state, 100, mix=mix, n_thr=n_thr)
        assert_equal(root, plain)
        most = max(plain.n_r[(), action] for action in root.legal_actions)
        assert plain.n_r[(), root.best_action()] == most


@GAMES
def test_two_means_kept_apart_are_the_mix_where_every_leaf_is_expanded_at_once(game):
    for state in random_positions(game, 4, seed=12):
        root, plain = both(game, state, 200, mix=Fraction(1, 4), n_thr=0, v_once=True)
        assert_equal(root, plain)


@GAMES
@pytest.mark.parametrize(("n_thr", "n_vl"), [(0, 3), (4, 3), (4, 0), (2, 1)])
def test_eight_threads_visit_for_visit(game, n_thr, n_vl):
    for state in random_positions(game, 2, seed=13):
        root, plain = both(game, state, 100, mix=Fraction(1, 2), n_thr=n_thr, threads=8, n_vl=n_vl)
        assert_equal(root, plain)


def test_two_threads_and_their_virtual_loss_by_hand():
    """The four simulations of the λ-mix by hand, two at a time; values and prior as there."""
    values = {"1": (0.4, -1), "2": (-0.2, 1), "11": (0.2, 1)}
    table = {CONNECT_FOUR.from_moves(moves): pair for moves, pair in values.items()}

    def told(which):
        return lambda game, state, rng: Evaluation(None, table.get(state, (0, 0))[which])

    def policy(game, state, rng):
        return Evaluation([0.5, 0.3, 0.04, 0.04, 0.04, 0.04, 0.04], 0.0)

    def root(threads):
        evaluate = mixed_evaluator(told(0), told(1), 0.25)
        search = MCTS(CONNECT_FOUR, puct(1.0), evaluate, policy=policy, batch_size=threads)
        return search.run(EMPTY, 4).root

    # One after the other: 1, 2, 11. Then, with √3, move 1 scores 0.35/2 + √3·0.5/3 = 0.46 and
    # move 2 scores -0.1 + √3·0.3/2 = 0.16: move 1 again.
    assert root(1).visit_counts == [3, 1, 0, 0, 0, 0, 0]
    # Two at once: 1 and 2. Then 11, and while its answer is on its way move 1 scores
    # (-0.05 - 3)/4 + √5·0.5/5 = -0.54, move 2 scores -0.1 + √5·0.3/2 = 0.24: 21, which is even.
    two = root(2)
    assert two.visit_counts == [2, 2, 0, 0, 0, 0, 0]
    assert two.value_sum == pytest.approx([0.35, -0.1, 0, 0, 0, 0, 0])


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


# --- the priors ----------------------------------------------------------------------------------


def policy_of(prior):
    return lambda game, state, rng: Evaluation(prior, 0.25)


def test_a_temperature_by_hand():
    """β = 1/2 squares: 36, 9 and 1 of 46. The first column is full, and its chance goes."""
    state = CONNECT_FOUR.from_moves("111111")
    policy = policy_of([0.5, 0.3, 0.15, 0.05, 0, 0, 0])
    answer = tempered_policy(policy, 0.5)(CONNECT_FOUR, state, None)
    assert answer.prior == pytest.approx([0, 36 / 46, 9 / 46, 1 / 46, 0, 0, 0])
    assert answer.value == 0.25
    answer = tempered_policy(policy, 1.0)(CONNECT_FOUR, state, None)
    assert answer.prior == pytest.approx([0, 0.6, 0.3, 0.1, 0, 0, 0])


def test_a_policy_without_a_prior_stays_without():
    assert tempered_policy(constant(0.5))(CONNECT_FOUR, EMPTY, None) == (None, 0.5, ())


@pytest.mark.parametrize("temperature", [0, float("nan"), "1"])
def test_an_impossible_temperature_is_refused(temperature):
    with pytest.raises(ValueError, match="temperature must be a finite number above 0"):
        tempered_policy(constant(), temperature)


@pytest.mark.parametrize(
    ("prior", "words"),
    [
        (None, r"must return \(prior, value\)"),
        (([0.5, 0.5],), r"must return \(prior, value\)"),
        ([1 / 6] * 6, r"must give chances \[1, 7\]"),
        ([-1, 2, 0, 0, 0, 0, 0], r"must give chances \[1, 7\]"),
        ([float("nan")] * 7, r"must give chances \[1, 7\]"),
        ([float("inf")] * 7, "chances for the legal moves in row 0 are"),
        ([1, 0, 0, 0, 0, 0, 0], "chances for the legal moves in row 0 are"),
    ],
)
def test_a_policy_that_answers_nonsense_is_one_clear_sentence(prior, words):
    policy = policy_of(prior) if isinstance(prior, list) else lambda game, state, rng: prior
    search = alphago_search(CONNECT_FOUR, policy, constant(), constant())
    with pytest.raises(ValueError, match=words) as error:
        search.run(CONNECT_FOUR.from_moves("111111"), 10)
    assert "\n" not in str(error.value)


# --- the search put together ---------------------------------------------------------------------


def test_the_constants_of_the_paper():
    """Silver et al. 2016, Extended Data Table 5: λ 0.5, n_vl 3, n_thr 40, c_puct 5, β 0.67."""
    policy = policy_of([0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
    search = alphago_search(CONNECT_FOUR, policy, constant(1.0), constant(0.5), num_threads=8)
    assert search.select.parameters["c"] == 5
    assert (search.expand_threshold, search.virtual_loss, search.batch_size) == (40, 3, 8)
    root = search.run(EMPTY, 41).root
    assert root.raw_value == 0.75
    assert root.prior[0] / root.prior[1] == pytest.approx(4 ** (1 / 0.67))


def test_a_recorder_wants_one_thread():
    with pytest.raises(ValueError, match="one thread"):
        alphago_search(
            CONNECT_FOUR, constant(), constant(), constant(), num_threads=2, recorder=object()
        )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"c": -1}, "c must be"),
        ({"mixing_lambda": 2}, "mixing_lambda must be"),
        ({"temperature": 0}, "temperature must be"),
        ({"expand_threshold": -1}, "expand_threshold must be"),
        ({"num_threads": 0}, "num_threads must be a whole number, at least 1, not 0"),
        ({"num_threads": 2, "virtual_loss": -1}, "virtual_loss must be"),
    ],
)
def test_impossible_settings_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        alphago_search(CONNECT_FOUR, constant(), constant(), constant(), **options)
