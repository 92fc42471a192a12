"""What timelines are drawn from: counted operations, bytes, arithmetic; the clinic's patients."""

import numpy as np
import pytest
import torch

from azlearn.course.device_timeline import Operation, Span, durations, recorded, shares
from azlearn.course.slow_self_play import PATIENTS, healthy
from azlearn.games import ConnectFour
from azlearn.games.tensor_game import TensorGame
from azlearn.search import puct
from azlearn.search.tensor_trees import TensorTrees


def test_arithmetic_and_bytes_are_those_of_a_product_of_matrices():
    a, b = torch.zeros(3, 5), torch.zeros(5, 7)
    (one,) = recorded(lambda: a @ b)
    assert (one.name, one.flops) == ("mm", 2 * 3 * 5 * 7)
    assert one.num_bytes == 4 * (3 * 5 + 5 * 7 + 3 * 7)


def test_a_view_is_no_operation_and_a_look_up_moves_only_its_rows():
    table, rows = torch.zeros(1000, 2), torch.tensor([3, 4, 5])
    assert recorded(lambda: table.view(500, 4)[1:]) == []
    (found,) = recorded(lambda: table[rows])
    assert found.num_bytes == 3 * 8 + 3 * 2 * 4  # the indices, read; the rows, written
    (written,) = recorded(lambda: table.index_put_((rows,), torch.ones(3, 2)))[1:]
    assert written.num_bytes == 3 * 8 + 3 * 2 * 4


def test_a_wait_is_at_its_operation_and_names_its_line():
    def step():
        x = torch.zeros(4) + 1
        return x * int(x.sum())

    operations = recorded(step, within="test_device_timeline")
    waits = [(one.wait, one.line) for one in operations if one.wait]
    assert [kind for kind, _ in waits] == ["read"]
    assert waits[0][1].endswith("return x * int(x.sum())")
    assert [one.name for one in operations][-3:] == ["sum", "_local_scalar_dense", "mul"]


def test_an_operation_takes_what_takes_longest():
    operations = [Operation("a", 0, 0), Operation("b", 8_000, 0), Operation("c", 8_000, 30_000)]
    # At 10**9 of either a second: 2 µs at least; 8 µs for the bytes; 30 µs for the arithmetic.
    assert durations(operations, 2.0, 1e9, 1e9) == pytest.approx([2, 8, 30])


def test_shares_are_what_the_spans_cover():
    spans = [Span(0, 1), Span(1.5, 4), Span(9, 10)]
    assert shares(spans, np.array([0, 2, 4, 8, 10])).tolist() == [0.75, 1, 0, 0.5]
    assert shares([], np.array([0, 1])).tolist() == [0]


def grown(step):
    """Twelve games of 20 simulations by ``step``, and what the last one made the host wait for."""
    game = TensorGame(ConnectFour())
    trees = TensorTrees(game, 12, 20, puct())

    def evaluate(states, legal_mask):
        legal = legal_mask.double()
        value = (states[0] * 37 ^ states[1]) % 13 / 13 - 0.4
        return legal / legal.sum(1, keepdim=True).clamp(min=1), value.double()

    start = game.initial_states(12)
    trees.begin(start, *evaluate(start, game.legal_mask(start)))
    for _ in range(19):
        step(trees, evaluate)
    operations = recorded(lambda: step(trees, evaluate))
    return trees, operations


@pytest.mark.parametrize(
    ("name", "kinds"), [("one", {"upload"}), ("two", {"shape"}), ("three", set())]
)
def test_a_patient_grows_the_healthy_tree_and_waits_where_it_is_said(name, kinds):
    (right, usual), (trees, operations) = grown(healthy), grown(PATIENTS[name])
    assert torch.equal(trees.visit_counts, right.visit_counts)
    assert torch.equal(trees.value_sum, right.value_sum)
    assert {one.wait for one in operations if one.wait} == kinds
    assert not any(one.wait for one in usual)
    if name == "three":
        assert len(operations) >= len(usual) + 12  # one for each game
