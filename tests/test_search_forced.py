"""Forced playouts: one tree in both engines, and a target that is pruned as the paper says."""

from math import inf, sqrt

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from azlearn.games import ConnectFour
from azlearn.search import forced_puct, puct
from azlearn.search.proofs import WithProofs
from azlearn.search.tree_policy import NodeStats

CONNECT_FOUR = ConnectFour()


def test_a_tried_move_of_the_root_gets_its_visits_and_one_below_does_not():
    tree_policy = forced_puct(1.0, k=2.0)
    edges = NodeStats([90, 5, 0, 5], [45.0, -5.0, 0.0, -5.0], [0.1, 0.3, 0.3, 0.1], 0.0)
    # sqrt(2 * 0.3 * 100) = 7.7 visits are due to the second move, sqrt(2 * 0.1 * 100) = 4.5 to the
    # last one; the third has not been tried.
    scores = tree_policy.root_scores(edges, 0)
    assert scores == [tree_policy(edges)[0], inf, tree_policy(edges)[2], tree_policy(edges)[3]]
    assert tree_policy(edges) == puct(1.0)(edges)


def pruned(tree_policy, edges):
    """The paper's words, a visit at a time."""
    visits, total = list(edges.visit_counts), sum(edges.visit_counts)
    best = tree_policy.best_action(edges)

    def score(a, n):
        q = edges.value_sum[a] / edges.visit_counts[a]
        return q + tree_policy.c * edges.prior[a] * sqrt(total) / (1 + n)

    for a, n in enumerate(edges.visit_counts):
        forced = sqrt(tree_policy.k * edges.prior[a] * total)
        while a != best and visits[a] and n - (visits[a] - 1) <= forced:
            if score(a, visits[a] - 1) >= score(best, edges.visit_counts[best]):
                break
            visits[a] -= 1
        if a != best and visits[a] == 1:
            visits[a] = 0
    return visits


@given(
    st.lists(
        st.tuples(st.integers(0, 60), st.floats(-1, 1), st.integers(1, 50)), min_size=2, max_size=8
    ).filter(lambda moves: any(n for n, *_ in moves)),
    st.sampled_from([0.0, 0.5, 2.0, 8.0]),
)
def test_the_target_is_what_is_left_when_visits_are_taken_one_by_one(moves, k):
    visits, q, weights = (list(column) for column in zip(*moves, strict=True))
    prior = [w / sum(weights) for w in weights]
    edges = NodeStats(visits, [n * x for n, x in zip(visits, q, strict=True)], prior, 0.0)
    tree_policy = forced_puct(1.5, k=k)
    best = tree_policy.best_action(edges)
    for a in range(len(moves)):  # no ties, which two ways of counting round apart
        gap, bonus = tree_policy(edges)[best] - q[a], tree_policy.c * sqrt(sum(visits)) * prior[a]
        assume(a == best or abs(gap * round(bonus / (gap or 1)) - bonus) > 1e-9)
    assert tree_policy.shares(edges) == pruned(tree_policy, edges)


def test_a_root_whose_tried_moves_have_all_lost_is_taught_its_prior():
    """And where visits are beyond what 32 bits hold the square of, they are still compared."""
    edges = NodeStats(
        np.array([1, 0, 0]), np.array([-1.0, 0, 0]), np.array([0.5, 0.3, 0.2]), 0.0,
        known={0: -1, 1: None, 2: None},
    )  # fmt: skip
    np.testing.assert_allclose(WithProofs(forced_puct()).policy(edges), [0, 0.6, 0.4])
    tree_policy, n, p = forced_puct(), np.array([50_000, 100], np.int32), np.array([0.5, 0.5])
    due = tree_policy.root_terms(n, np.zeros(2), p, 0.0, tree_policy.numbers, 1)
    assert [tree_policy.root_score(x, 0.0, 0.5, 0.0, *due) == inf for x in n] == [False, True]
