"""Shared by the tests of the batched engines: arbitrary evaluations, positions, comparisons."""

from functools import cache
from itertools import compress
from typing import NamedTuple

import numpy as np
from numba import njit

from azlearn.games import State, specialize
from azlearn.search import (
    MCTS,
    BatchedSearch,
    CompiledRollout,
    Evaluation,
    MCTSSolver,
    compiled_uct,
    uct,
)
from azlearn.search.evaluators import hash_bits, hash_value
from azlearn.search.proofs import proof


def hash_prior(game, states) -> np.ndarray:
    """float64 [n, num_actions]: a prior of 1 to 8 shares per legal move, from the bits of a hash.

    Illegal moves have 0 and the sum is 1; a finished game's row is all 0.
    """
    states = game.State(*(np.asarray(word, dtype=np.int64) for word in states))
    bits = hash_bits(*states)[:, None] >> (3 * np.arange(game.num_actions) % 48)
    shares = ((bits & 7) + 1) * game.batch_legal_mask(states)
    return shares / np.maximum(shares.sum(axis=1, keepdims=True), 1)


def rough_value(*words) -> np.ndarray:
    """float64 [n] in (-1, 1) that use all 53 bits, so their sums depend on the order of adding."""
    return (hash_bits(*words) % 9973) / 9973 * 1.9 - 0.95


class Evaluators(NamedTuple):
    """The same evaluations for one position (``MCTS``) and for many (the batched engines)."""

    single: object  # (game, state, rng) -> Evaluation
    batch: object  # states -> (prior, value)


def evaluators(game, kind: str) -> Evaluators:
    """The pair called ``kind``.

    Args:
        kind: "hash": arbitrary priors and values, with values exact in binary; "rough": the same,
            with values that are not exact; "uniform": arbitrary values, equal priors; "constant":
            equal priors and equal values, so that everything ties.
    """

    def batch(states, legal_mask=None):
        states = game.State(*(np.asarray(word, dtype=np.int64) for word in states))
        if kind in ("hash", "rough"):
            prior = hash_prior(game, states)
        else:
            legal = game.batch_legal_mask(states)
            prior = legal / np.maximum(legal.sum(axis=1, keepdims=True), 1)
        values = {"rough": rough_value, "constant": lambda *words: words[0] * 0.0}
        return prior, values.get(kind, hash_value)(*states)

    def single(game, state, rng):
        prior, value = batch(game.stack([state]))
        return Evaluation(prior[0], float(value[0]))

    return Evaluators(single, batch)


def random_positions(game, n: int, seed: int) -> list:
    """Unfinished positions of random games; every other one is at most 3 moves before the end."""
    rng, found = np.random.default_rng(seed), []
    while len(found) < n:
        line = [game.initial_state()]
        while legal := game.legal_actions(line[-1]):
            line.append(game.next_state(line[-1], int(rng.choice(legal))))
        going_on = line[:-1]
        if len(found) % 2:
            going_on = going_on[-3:]
        found.append(going_on[int(rng.integers(len(going_on)))])
    return found


def stacked(states: list[State]) -> State:
    """Positions of stones as one ``State`` of int64 arrays [n]."""
    return State(*np.array(states, np.int64).reshape(-1, 2).T.copy())


def run(engine, evaluate) -> int:
    """Runs the searches to the end; returns the number of calls of the evaluator."""
    calls = 0
    while len((leaves := engine.select())[0]):
        engine.update(*evaluate(leaves))
        calls += 1
    return calls


def assert_same_tree(node, engine, row: int) -> int:
    """Checks that game ``row`` of a batched engine has the tree below ``node``, with equal numbers.

    Returns:
        The number of nodes compared.
    """
    names = ("words", "visit_counts", "value_sum", "prior", "child", "raw_value")
    rows = {name: np.asarray(getattr(engine, name)[row]) for name in names}
    waiting, compared = [(node, 0)], 0
    while waiting:
        node, at = waiting.pop()
        compared += 1
        assert list(node.state) == rows["words"][at].tolist()
        assert node.raw_value == rows["raw_value"][at]
        for name in ("prior", "visit_counts", "value_sum"):
            assert getattr(node, name) == rows[name][at].tolist(), (name, node.state)
        behind = {action: int(child) for action, child in enumerate(rows["child"][at]) if child}
        going_on = {
            action: child
            for action, child in enumerate(node.children)
            if child is not None and child.outcome is None
        }
        assert behind.keys() == going_on.keys()  # a finished game is never a node
        waiting += [(child, behind[action]) for action, child in going_on.items()]
    return compared


class GivenNoise:
    """Root noise that has been drawn before; a quarter of the prior, or for the tree policy."""

    def __init__(self, row: np.ndarray) -> None:
        self.row = row

    def drawn(self, node, rng) -> list[float]:
        return self.row.tolist()

    def mixed(self, node, rng) -> list[float]:
        if not self.row.any():
            return node.prior
        return ((1 - 0.25) * np.array(node.prior) + 0.25 * self.row).tolist()


def assert_engine_agrees(
    game,
    tree_policy,
    kind: str,
    n,
    states=(),
    *,
    noise=None,
    use_solver=False,
    plies_on=(),
    **options,
) -> BatchedSearch:
    """Checks that the engine grows the readable search's trees, node by node.

    The move to play, the policy target and the value must be equal too.

    Args:
        kind: see ``evaluators``.
        n: simulations, one number or one per state.
        noise: float [states, num_actions], the noise of the roots.
        plies_on: for each further search, the number of moves played before it; both reuse their
            trees.
        options: options of ``BatchedSearch``.
    """
    single, batch = evaluators(game, kind)
    search = MCTSSolver if use_solver else MCTS
    states = list(states) or random_positions(game, 6, seed=3)
    budgets = np.broadcast_to(n, len(states))
    rows = noise if noise is not None else [None] * len(states)
    searches = [
        search(game, tree_policy, single, root_noise=None if row is None else GivenNoise(row))
        for row in rows
    ]
    engine = BatchedSearch(
        game, len(states), int(max(budgets)), tree_policy, use_solver=use_solver, **options
    )
    trees = [
        one.run(*given) for one, *given in zip(searches, states, map(int, budgets), strict=True)
    ]
    engine.start(game.stack(states), budgets, noise)
    run(engine, batch)
    assert_same_results(engine, trees)
    playing = list(range(len(states)))
    for plies in plies_on:
        for _ in range(plies):
            trees = [tree.advance(tree.best_action()) for tree in trees]
            known = [tree.root.num_visits > 1 for tree in trees]
            trees, playing = (list(compress(column, known)) for column in (trees, playing))
        assert trees
        roots, given = game.stack([tree.root.state for tree in trees]), None
        if noise is not None:
            given = noise[playing] * game.batch_legal_mask(roots)
            given /= given.sum(1, keepdims=True) if tree_policy.mixes_noise else 1
        for i, (row, tree) in enumerate(zip(playing, trees, strict=True)):
            searches[row].root_noise = None if given is None else GivenNoise(given[i])
            missing = max(int(budgets[row]) - tree.root.num_visits, 1)
            searches[row].run(tree.root.state, missing, tree=tree)
        engine.start(roots, budgets[playing], given, playing, keep=True)
        run(engine, batch)
        assert_same_results(engine, trees, playing)
    return engine


def assert_same_results(engine: BatchedSearch, trees: list, rows: list[int] | None = None) -> None:
    """Checks that an engine's trees, moves, policies and values in these games equal the trees'."""
    rows = range(len(trees)) if rows is None else rows
    for row, tree, root in zip(rows, trees, engine.roots(rows), strict=True):
        assert_same_tree(tree.root, engine, row)
        assert engine.tree_policy.best_action(root) == tree.best_action()
        assert engine.tree_policy.value(root) == tree.tree_policy.value(tree.root)
        np.testing.assert_array_equal(engine.tree_policy.policy(root), tree.policy())
        assert root.known is None or proof(root.known) == tree.root.proven


@cache
def hashed_rollout(rules) -> CompiledRollout:
    """Deterministic rollouts: each move is chosen by the hash of its position."""
    compiled, hashed, num_actions = specialize(rules, njit), njit(hash_bits), rules.NUM_ACTIONS
    options, is_legal = compiled.options, compiled.is_legal

    @njit
    def choose(state, last, parameters, generator):
        possible, num_legal, action = options(state), 0, -1
        for a in range(num_actions):
            num_legal += is_legal(possible, a)
        left = hashed(*state) % num_legal
        for a in range(num_actions):
            if is_legal(possible, a) and left >= 0:
                action, left = a, left - 1
        return action

    return CompiledRollout(rules, choose, np.empty(0))


def readable_hashed_rollout(game, state, rng) -> Evaluation:
    """The same rollouts for the readable search."""
    mover = game.to_play(state)
    while legal := game.legal_actions(state):
        state = game.next_state(state, legal[hash_bits(*state) % len(legal)])
    value = game.outcome(state)
    return Evaluation(None, value if game.to_play(state) == mover else -value)


def assert_compiled_uct_agrees(game, states=(), budgets=(300,), c: float = 1.0) -> None:
    """Checks that compiled UCT matches the readable UCT, visit for visit."""
    rollout = hashed_rollout(game.rules)
    for state in states or random_positions(game, 3, seed=5):
        for n in budgets:
            readable = MCTS(game, uct(c), readable_hashed_rollout).run(state, n).root
            assert_alike(readable, compiled_uct(game, state, n, c, evaluator=rollout).root)


def assert_alike(one, other) -> None:
    """Checks that two nodes have the same statistics, and so have all nodes below them."""
    waiting = [(one, other)]
    for one, other in waiting:  # grows on the way
        if one is None or other is None:
            assert one is other
            continue
        for name in ("state", "to_play", "outcome", "legal_actions", "visit_counts", "value_sum"):
            assert getattr(one, name) == getattr(other, name), name
        waiting += zip(one.children, other.children, strict=True)
