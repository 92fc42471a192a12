"""The λ-mix and the expansion threshold, by hand and by what must hold in every tree."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from azlearn.alphago import alphago_search, mixed_evaluator
from azlearn.games import ConnectFour, State, TicTacToe, minimax_actions, minimax_value
from azlearn.learning import NetworkEvaluator
from azlearn.search import (
    MCTS,
    Evaluation,
    batch_evaluator,
    constant,
    puct,
    random_rollout,
    uct,
)
from tests.alphago.plain_apv import PlainAPV
from tests.engines import assert_alike, evaluators, random_positions
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


# --- the mix -------------------------------------------------------------------------------------


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


def test_what_has_no_weight_is_not_asked():
    v, z = Told({"1": 0.4}), Told({"1": -1})
    for value, rollout, mixing_lambda, expected in (
        (v, refused, 0, 0.4), (v, None, 0.0, 0.4), (refused, z, 1, -1), (None, z, 1.0, -1)
    ):  # fmt: skip
        evaluate = mixed_evaluator(value, rollout, mixing_lambda)
        assert evaluate(CONNECT_FOUR, after("1"), np.random.default_rng(0)).value == expected


def test_a_value_is_asked_for_once_and_a_rollout_every_time():
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


def test_a_search_by_the_truth_plays_perfectly():
    """With one flip too many or too few it would choose the losing moves."""

    def truth(game, state, rng):
        return Evaluation(None, minimax_value(game, state))

    for state in random_positions(TIC_TAC_TOE, 12, seed=3):
        for threads in (1, 4):
            search = alphago_search(
                TIC_TAC_TOE, constant(), truth, random_rollout(),
                mixing_lambda=0.25, c=1.0, expand_threshold=1, num_threads=threads,
            )  # fmt: skip
            assert search.run(state, 300).best_action() in minimax_actions(TIC_TAC_TOE, state)


@pytest.mark.parametrize("mixing_lambda", [1.1, float("nan"), "0.5"])
def test_an_impossible_mix_is_refused(mixing_lambda):
    with pytest.raises(ValueError, match=r"mixing_lambda must be a number in \[0, 1\]"):
        mixed_evaluator(constant(), constant(), mixing_lambda)


def test_a_weight_for_nothing_and_a_nonsense_answer_are_refused():
    with pytest.raises(ValueError, match="weighs value, and there is none"):
        mixed_evaluator(None, constant(), 0.5)
    with pytest.raises(ValueError, match="weighs rollout, and there is none"):
        mixed_evaluator(constant(), None, 0.5)
    with pytest.raises(ValueError, match=r"Pass random_rollout\(\)"):
        mixed_evaluator(constant(), random_rollout)
    for value, rollout in ((1.5, -1.0), (-1.0, 1.5)):  # the mix of the two would pass
        with pytest.raises(ValueError, match=r"must lie in \[-1, 1\], not 1.5"):
            mixed_evaluator(constant(value), constant(rollout))(CONNECT_FOUR, EMPTY, None)


# --- the threshold -------------------------------------------------------------------------------


def first_move_only(v, z):
    """Every simulation goes to move 1, and below it to move 1 again; λ = 1/2."""
    policy = Told({}, [1.0, 0, 0, 0, 0, 0, 0])
    evaluate = mixed_evaluator(v, z, 0.5)
    return policy, MCTS(CONNECT_FOUR, puct(10), evaluate, policy=policy, expand_threshold=2)


def test_a_threshold_of_two_by_hand():
    v, z = Told({"1": 0.4, "11": -0.6}), Told({"1": [1, -1, 1], "11": 1})
    policy, mcts = first_move_only(v, z)
    tree = mcts.run(EMPTY, 2)
    leaf = tree.root.children[0]
    # 0.2 + 0.5 and 0.2 - 0.5, for the second player. N = 2 does not exceed 2.
    assert (tree.root.visit_counts[0], leaf.prior, any(leaf.children)) == (2, None, False)
    assert tree.root.value_sum[0] == pytest.approx(-0.4)
    assert leaf.raw_value == pytest.approx(0.7)  # its first evaluation, as an explorer takes it
    assert policy.asked == {EMPTY: 1}
    # The third visit ends there too, 0.2 + 0.5, and expands: N = 3.
    mcts.run(EMPTY, 1, tree=tree)
    assert tree.root.value_sum[0] == pytest.approx(-1.1)
    assert (policy.asked, any(leaf.children)) == ({EMPTY: 1, after("1"): 1}, False)
    # The fourth goes on to 11: -0.3 + 0.5 = 0.2 for the first player.
    mcts.run(EMPTY, 1, tree=tree)
    assert (tree.root.visit_counts[0], leaf.visit_counts[0]) == (4, 1)
    assert tree.root.value_sum[0] == pytest.approx(-0.9)
    assert leaf.value_sum[0] == pytest.approx(-0.2)
    assert v.asked == {EMPTY: 1, after("1"): 1, after("11"): 1}
    assert z.asked == {EMPTY: 1, after("1"): 3, after("11"): 1}


def test_two_means_kept_apart_count_a_position_once_and_so_differ_below_a_threshold():
    """The example above with W_v / N_v and W_r / N_r kept apart, v going up once a position.

    After three visits both say -1.1/3: v has the mean -0.4, z the mean -1/3. The fourth brings
    v = -0.6 and z = 1: the means are -1.0/2 and 0/4, so Q = -0.25, where the mix has -0.9/4.
    """
    v = {after("1"): Fraction(2, 5), after("11"): Fraction(-3, 5)}

    def plain(v_once, simulations):
        z = {after("1"): iter([1, -1, 1]), after("11"): iter([1])}
        search = PlainAPV(
            CONNECT_FOUR, v.__getitem__, lambda state: next(z[state]), lambda state: [1] + [0] * 6,
            c=10, mix=Fraction(1, 2), n_thr=2, v_once=v_once,
        )  # fmt: skip
        return search.run(EMPTY, simulations).q((), 0)

    assert plain(True, 3) == plain(False, 3) == Fraction(-11, 30)
    assert (plain(True, 4), plain(False, 4)) == (Fraction(-1, 4), Fraction(-9, 40))
    _, mcts = first_move_only(Told({"1": 0.4, "11": -0.6}), Told({"1": [1, -1, 1], "11": 1}))
    assert mcts.run(EMPTY, 4).root.q_values[0] == pytest.approx(-9 / 40)


def assert_counted_on_the_edge(node, threshold, late=0) -> int:
    """Visits of an edge: threshold + 1 that end at its node, then those that go on from there.

    ``late``: how many more may end there. Returns the number of expanded nodes.
    """
    expanded = 1
    assert node.prior is not None
    for action in node.legal_actions:
        n, child = node.visit_counts[action], node.children[action]
        if child is None:
            assert n == 0
        elif child.outcome is None and n <= threshold:
            assert (child.prior, sum(child.visit_counts)) == (None, 0)
        elif child.outcome is None:
            ended = n - child.num_visits
            assert threshold + 1 <= ended <= threshold + 1 + late
            expanded += assert_counted_on_the_edge(child, threshold, late)
    return expanded


@GAMES
@pytest.mark.parametrize("threshold", [0, 1, 3, 40])
def test_the_threshold_counts_visits_of_the_edge(game, threshold):
    hashed = evaluators(game, "hash").single
    for state in random_positions(game, 6, seed=7):
        asked = []

        def policy(game, state, rng, asked=asked):
            asked.append(state)
            return hashed(game, state, rng)

        search = MCTS(game, puct(1.5), hashed, policy=policy, expand_threshold=threshold)
        root = search.run(state, 300).root
        assert root.num_visits == 300
        assert assert_counted_on_the_edge(root, threshold) == len(asked)
        threads = MCTS(
            game, puct(1.5), hashed, policy=policy, expand_threshold=threshold, batch_size=8
        )
        asked.clear()
        root = threads.run(state, 300).root
        assert root.num_visits == 300
        # Seven more in the batch that takes N over the threshold, seven in the one that notices.
        assert assert_counted_on_the_edge(root, threshold, late=14) == len(asked)


def test_a_threshold_of_zero_and_a_policy_apart_are_the_search_without():
    single, batch = evaluators(CONNECT_FOUR, "rough")
    plain = MCTS(CONNECT_FOUR, puct(1.5), single)
    for state in random_positions(CONNECT_FOUR, 4, seed=2):
        tree = plain.run(state, 150)
        apart = MCTS(CONNECT_FOUR, puct(1.5), single, policy=single).run(state, 150)
        assert_alike(tree.root, apart.root)
        batched = MCTS(CONNECT_FOUR, puct(1.5), batch_evaluator(batch), policy=single)
        batched.grow = batched.grow_in_batches
        assert_alike(tree.root, batched.run(state, 150).root)


def test_a_search_goes_on_from_a_position_that_was_not_expanded():
    search = alphago_search(CONNECT_FOUR, constant(), constant(), random_rollout())
    tree = search.run(EMPTY, 60)
    kept = tree.advance(tree.best_action())
    assert kept.root.prior is None
    again = search.run(kept.root.state, 60, tree=kept)
    assert again.root.num_visits == 60
    assert_counted_on_the_edge(again.root, 40)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"expand_threshold": -1}, "expand_threshold must be a whole number, at least 0, not -1"),
        ({"expand_threshold": 2.5}, "expand_threshold must be a whole number, at least 0, not 2.5"),
        ({"expand_threshold": 1}, "expand_threshold above 0 needs a policy"),
        ({"policy": constant(), "expand": "all"}, "needs expand='one'"),
    ],
)
def test_impossible_thresholds_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        MCTS(CONNECT_FOUR, uct(1.0), constant(), **options)
