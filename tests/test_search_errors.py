"""Bad input to a search is one clear sentence each."""

import re

import numpy as np
import pytest
import torch

from azlearn.games import ConnectFour, State, TicTacToe
from azlearn.search import (
    MCTS,
    BatchedSearch,
    GumbelNoise,
    Node,
    Recorder,
    RootNoise,
    Tree,
    TreePolicy,
    batch_evaluator,
    compiled_uct,
    constant,
    forced_puct,
    gumbel,
    puct,
    random_rollout,
    record_search,
    uct,
    uniform_rollout,
)
from azlearn.search.tree_policy import NodeStats, as_tree_policy

FOUR, THREE = ConnectFour(), TicTacToe()
START, FULL_COLUMN, OVER = (FOUR.from_moves(moves) for moves in ("", "444444", "1212121"))
NAN, INF, EVEN = float("nan"), float("inf"), np.ones(7) / 7


def search(select=None, evaluate=None, n=10, state=START, **options):
    """A search by which something is wrong."""
    return MCTS(FOUR, select or uct(), evaluate or constant(), **options).run(state, n)


def in_batches(*answer):
    return search(puct(), batch_evaluator(lambda states: answer), batch_size=8)


def answers(*given):
    """A search whose evaluator answers this, of a position with a full column."""
    answer = given[0] if len(given) == 1 else given
    return search(uct(), lambda game, state, rng: answer, state=FULL_COLUMN)


def scored(scores):
    return search(lambda node: scores, state=FULL_COLUMN)


def compiled(n=10, c=1.0, state=START, **options):
    return compiled_uct(FOUR, state, n, c, **options)


def other_tree():
    tree = search()
    return MCTS(FOUR, uct(), constant()).run(FOUR.from_moves("4"), 10, tree=tree)


REFUSED = [
    # Evaluators.
    *((lambda value=v: answers(None, value), f"value must be in [-1, 1], not {v}")
      for v in (NAN, 1.5)),
    *((lambda answer=a: answers(*answer), "must return (prior, value)") for a in (
        (0.5,), (None,), (None, np.zeros(7)), (None, 0.0, (), ()), ("abcdefg", 0.0),
        ([[0.5], [0.2, 0.3]], 0.0), (torch.ones(7, requires_grad=True) / 7, 0.0),
    )),
    (lambda: answers(np.ones(6) / 6, 0.0), "prior must have shape (7,), not (6,)"),
    *((lambda prior=p: answers(prior, 0.0), "prior must be probabilities")
      for p in (np.full(7, NAN), np.ones(7), [2, -1, 0, 0, 0, 0, 0])),
    (lambda: answers(np.eye(7)[3], 0.0), "0 for illegal moves, but is not for 4 (action 3)"),
    (lambda: in_batches(EVEN[None, :6], np.zeros(1)), "must return a prior (1, 7) and a value"),
    (lambda: in_batches(EVEN[None], np.full(1, 1.5)), "value must be in [-1, 1], not 1.5"),
    # Rules and tree policies.
    (lambda: scored([NAN] * 7), "returned NaN for the actions [0, 1, 2, 4, 5, 6]"),
    *((lambda given=s: scored(given), f"must return a number for every action, not {s!r}")
      for s in ([1.0, 2.0], None, "abcdefg")),
    (lambda: record_search(FOUR, START, lambda node: [NAN] * 7, constant(), 3), "returned NaN for"),
    (lambda: search(3), "select must be a tree policy, such as uct"),
    (lambda: search(uct), "Pass uct(), not uct: call it"),
    (lambda: search(uct(), random_rollout), "Pass random_rollout(), not random_rollout: call it"),
    *((lambda make=make, c=c: make(c), "c must be a finite number, 0 or more")
      for make in (uct, puct, lambda c: compiled(c=c)) for c in (-1.0, NAN, INF)),
    *((lambda fpu=fpu: puct(1.0, fpu), "fpu must be") for fpu in (1.5, NAN, "mother", None)),
    *((lambda x=x: puct(fpu_reduction=x), "fpu_reduction must be a finite number, 0 or more")
      for x in (-0.1, NAN, "0.25")),
    (lambda: puct()(Node(FOUR, START)), "needs a prior"),
    (lambda: gumbel(0), "num_considered must be a whole number"),
    (lambda: gumbel(c_scale=NAN), "c_scale must be a finite number"),
    (lambda: gumbel(rescale=1), "rescale must be True or False, not 1"),
    (lambda: gumbel()(NodeStats([0], [0.0], None, 0.0)), "needs a prior, and this node has none"),
    (lambda: forced_puct(k=INF), "k must be"),
    *((lambda tree_policy=tree_policy: BatchedSearch(FOUR, 1, 8, tree_policy),
       "define node_terms and score, or search")
      for tree_policy in (TreePolicy(), as_tree_policy(lambda node: [0] * 7))),
    # Noise.
    *((lambda given=given: RootNoise(*given), "must be a") for given in ((0, 0.25), (1, 1.5))),
    (lambda: search(gumbel(), root_noise=RootNoise(0.3)), "needs GumbelNoise() as noise, not R"),
    (lambda: search(puct(), root_noise=GumbelNoise()), "needs RootNoise(alpha) as noise, not Gu"),
    (lambda: BatchedSearch(FOUR, 1, 8, gumbel()).start(FOUR.stack([START]), 8, EVEN[None] * NAN),
     "The noise for a tree policy must be finite numbers"),
    # Searches.
    *((lambda ask=ask, n=n: ask(n=n),
       f"num_simulations must be a whole number, at least 1, not {n!r}")
      for ask in (search, compiled) for n in (0, 2.5, "5")),
    *((lambda ask=ask: ask(state=OVER), "the game is over here") for ask in (search, compiled)),
    (other_tree, "root does not match the state"),
    (lambda: search(expand="some"), "expand must be 'one' or 'all'"),
    (lambda: search(ties="last"), "ties must be"),
    (lambda: search(batch_size=0), "batch_size must be a whole number, at least 1, not 0"),
    (lambda: search(gumbel(), batch_size=2), "Gumbel's sequential halving counts visits, so"),
    (lambda: search(virtual_loss=-1), "virtual_loss must be a whole number, at least 0, not -1"),
    (lambda: search(batch_size=8, expand="all"), "batch_size above 1 needs expand='one', not"),
    (lambda: search(batch_size=8, recorder=Recorder()), "A recorder needs batch_size=1"),
    (lambda: random_rollout(0), "num_rollouts must be a whole number, at least 1, not 0"),
    (lambda: compiled(evaluator="network"), "evaluator must be 'rollout' or a CompiledRollout"),
    (lambda: compiled_uct(THREE, State(0, 0), 10, evaluator=uniform_rollout(FOUR.rules)),
     "for azlearn.games.connect_four_rules, not tic_tac_toe"),
    # What comes of a search.
    (lambda: Node(FOUR, OVER).best_action(), "The game is over here"),
    *((lambda t=t: search().policy(t), f"temperature must be a finite number, 0 or more, not {t}")
      for t in (-1, NAN, INF)),
    (lambda: Tree(FOUR, Node(FOUR, START)).best_action(), "This tree has no visits yet"),
    (lambda: Tree(FOUR, Node(FOUR, START)).policy(), "This tree has no visits yet"),
    (lambda: Recorder().recording(), "Nothing is recorded yet"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("ask", "words"), REFUSED, ids=lambda value: value if isinstance(value, str) else ""
)
def test_bad_input_is_one_clear_sentence(ask, words):
    with pytest.raises(ValueError, match=re.escape(words)) as error:
        ask()
    assert "\n" not in str(error.value)
