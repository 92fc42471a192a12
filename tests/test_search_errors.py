"""Bad input to a search is one clear sentence each."""

import numpy as np
import pytest
import torch

from azlearn.games import ConnectFour, State
from azlearn.search import MCTS, Node, Recorder, compiled_uct, constant, random_rollout, uct

CONNECT_FOUR = ConnectFour()
FINISHED = CONNECT_FOUR.from_moves("1212121")


@pytest.mark.parametrize(
    ("evaluate", "words"),
    [
        (lambda g, s, r: (None, float("nan")), r"value must lie in \[-1, 1\], not nan"),
        (lambda g, s, r: (None, 1.5), r"value must lie in \[-1, 1\], not 1.5"),
        (lambda g, s, r: 0.5, r"must return \(prior, value\)"),
        (lambda g, s, r: None, r"must return \(prior, value\)"),
        (lambda g, s, r: (None, np.zeros(7)), r"must return \(prior, value\)"),
        (lambda g, s, r: (None, 0.0, (), ()), r"must return \(prior, value\)"),
        (lambda g, s, r: ("abcdefg", 0.0), r"must return \(prior, value\)"),
        (lambda g, s, r: ([[0.5], [0.2, 0.3]], 0.0), r"must return \(prior, value\)"),
        (lambda g, s, r: (torch.ones(7, requires_grad=True) / 7, 0.0), r"must return \(prior"),
        (lambda g, s, r: (np.ones(6) / 6, 0.0), r"prior must have shape \(7,\), not \(6,\)"),
        (lambda g, s, r: (np.full(7, np.nan), 0.0), "prior must be probabilities"),
        (lambda g, s, r: (np.ones(7), 0.0), "prior must be probabilities"),
        (lambda g, s, r: ([2, -1, 0, 0, 0, 0, 0], 0.0), "prior must be probabilities"),
        (lambda g, s, r: (np.eye(7)[3], 0.0), r"prior to illegal moves: 4 \(action 3\)"),
    ],
)
def test_an_evaluator_that_answers_nonsense_is_one_clear_sentence(evaluate, words):
    with pytest.raises(ValueError, match=words) as error:
        MCTS(CONNECT_FOUR, uct(1.0), evaluate).run(CONNECT_FOUR.from_moves("444444"), 10)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda node: [float("nan")] * 7, r"gives NaN for the actions \[0, 1, 2, 4, 5, 6\]"),
        (lambda node: np.full(7, np.nan), "gives NaN for the actions"),
        (lambda node: [1.0, 2.0], r"must give a number for every action, not \[1.0, 2.0\]"),
        (lambda node: None, "must give a number for every action, not None"),
        (lambda node: "abcdefg", "must give a number for every action, not 'abcdefg'"),
        (None, "select must be a plan, such as uct"),
    ],
)
def test_a_rule_that_gives_nonsense_is_one_clear_sentence(rule, words):
    with pytest.raises(ValueError, match=words) as error:
        MCTS(CONNECT_FOUR, rule, constant()).run(CONNECT_FOUR.from_moves("444444"), 10)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "state",
    [
        None, (0, 0), [0, 0], "44", State(None, 0), State(0.5, 1), State(-1, 0), State(3, 3),
        State(2**70, 0), State(1 << 6, 0), State(*np.zeros((2, 2), int)),
    ],
)  # fmt: skip
def test_what_is_no_position_is_one_clear_sentence(state):
    """A hole in the board above a column would let a compiled search go on for ever."""
    for ask in (
        lambda: MCTS(CONNECT_FOUR, uct(), random_rollout()).run(state, 3),
        lambda: compiled_uct(CONNECT_FOUR, state, 3),
        lambda: CONNECT_FOUR.stack([state]),
        lambda: CONNECT_FOUR.encode(state),
        lambda: CONNECT_FOUR.cells(state),
    ):
        with pytest.raises(ValueError, match="A position of connect_four is wanted") as error:
            ask()
        assert "\n" not in str(error.value)


@pytest.mark.parametrize("search", ["readable", "compiled"])
@pytest.mark.parametrize(
    ("state", "num_simulations", "c", "words"),
    [
        (State(0, 0), 0, 1.0, "num_simulations must be a whole number, at least 1, not 0"),
        (State(0, 0), -5, 1.0, "num_simulations must be a whole number, at least 1, not -5"),
        (State(0, 0), 2.5, 1.0, "num_simulations must be a whole number, at least 1, not 2.5"),
        (State(0, 0), "5", 1.0, "num_simulations must be a whole number, at least 1, not '5'"),
        (FINISHED, 10, 1.0, "The game is over here"),
        (State(0, 0), 10, -1.0, "c must be a finite number, 0 or more"),
        (State(0, 0), 10, float("nan"), "c must be a finite number, 0 or more"),
        (State(0, 0), 10, float("inf"), "c must be a finite number, 0 or more"),
    ],
)
def test_bad_input_is_one_clear_sentence(search, state, num_simulations, c, words):
    run = {
        "compiled": lambda: compiled_uct(CONNECT_FOUR, state, num_simulations, c),
        "readable": lambda: MCTS(CONNECT_FOUR, uct(c), constant()).run(state, num_simulations),
    }[search]
    with pytest.raises(ValueError, match=words):
        run()


def test_other_bad_input():
    mcts = MCTS(CONNECT_FOUR, uct(1.0), random_rollout())
    with pytest.raises(ValueError, match="root is another position"):
        mcts.run(CONNECT_FOUR.from_moves("4"), 10, tree=mcts.run(State(0, 0), 5))
    with pytest.raises(ValueError, match="expand must be 'one' or 'all'"):
        MCTS(CONNECT_FOUR, uct(1.0), random_rollout(), expand="some")
    with pytest.raises(ValueError, match=r"pass uct\(\), not uct"):
        MCTS(CONNECT_FOUR, uct, random_rollout())
    with pytest.raises(ValueError, match=r"pass random_rollout\(\), not random_rollout"):
        MCTS(CONNECT_FOUR, uct(1.0), random_rollout)
    with pytest.raises(ValueError, match="The game is over here"):
        Node(CONNECT_FOUR, FINISHED).best_action()
    for number in ("nan", "inf"):
        said = f"temperature must be a finite number, 0 or more, not {number}"
        with pytest.raises(ValueError, match=said):
            mcts.run(State(0, 0), 5).policy(float(number))
    with pytest.raises(ValueError, match="ties must be"):
        MCTS(CONNECT_FOUR, uct(1.0), random_rollout(), ties="last")
    with pytest.raises(ValueError, match="num_rollouts must be at least 1"):
        random_rollout(0)
    with pytest.raises(ValueError, match="evaluator must be 'rollout' or 'hash'"):
        compiled_uct(CONNECT_FOUR, State(0, 0), 10, evaluator="network")
    with pytest.raises(ValueError, match="Nothing is recorded yet"):
        Recorder().recording()
