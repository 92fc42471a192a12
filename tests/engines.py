"""What the tests of the batched engines share: arbitrary evaluations, positions, one comparison."""

from typing import NamedTuple

import numpy as np

from azlearn.games import State
from azlearn.search import MCTS, BatchedPUCT, Evaluation, compiled_uct, hash_evaluator, puct, uct
from azlearn.search.evaluators import hash_bits, hash_value


def hash_prior(game, states) -> np.ndarray:
    """float64 [n, num_actions]: 1 to 8 shares for a legal move, by the bits of a hash.

    0 on illegal moves, sum 1; all 0 where the game is over.
    """
    states = game.State(*(np.asarray(word, dtype=np.int64) for word in states))
    bits = hash_bits(*states)[:, None] >> (3 * np.arange(game.num_actions) % 48)
    shares = ((bits & 7) + 1) * game.batch_legal_mask(states)
    return shares / np.maximum(shares.sum(axis=1, keepdims=True), 1)


def rough_value(*words) -> np.ndarray:
    """float64 [n] in (-1, 1) that fill all 53 bits: their sums depend on the order of adding."""
    return (hash_bits(*words) % 9973) / 9973 * 1.9 - 0.95


class Evaluators(NamedTuple):
    """The same evaluations for one position (``MCTS``) and for many (the batched engines)."""

    single: object  # (game, state, rng) -> Evaluation
    batch: object  # states -> (prior, value)


def evaluators(game, kind: str) -> Evaluators:
    """The pair called ``kind``.

    Args:
        kind: "hash": arbitrary priors and values, the values exact in binary; "rough": the same
            with values that are not; "uniform": arbitrary values, all moves alike; "constant": all
            moves alike and every position even, so that everything ties.
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
    """Positions of random games, not finished; every other one is up to 3 moves from its end."""
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
    """Searches to the end; how many times the evaluator was asked."""
    calls = 0
    while len((leaves := engine.select())[0]):
        engine.update(*evaluate(leaves))
        calls += 1
    return calls


def assert_same_tree(node, engine, row: int) -> int:
    """Game ``row`` of a batched engine holds the tree below ``node``, every number equal.

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


def assert_engines_agree(game, kind: str, n: int, plain: bool = False) -> None:
    """The engines grow the readable search's trees: node by node, every N, W and prior.

    Args:
        kind: of ``evaluators``.
        n: simulations.
        plain: the batched engine without compiling, too.
    """
    single, batch = evaluators(game, kind)
    states = random_positions(game, 6, seed=3)
    trees = [MCTS(game, puct(1.25), single).run(state, n) for state in states]
    engines = [
        BatchedPUCT(game, len(states), n),
        BatchedPUCT(game, len(states), n, cache_bits=5),
    ]
    if plain:
        engines.append(BatchedPUCT(game, len(states), n, compiled=False))
    for engine in engines:
        engine.start(game.stack(states), n)
        run(engine, batch)
        for row, tree in enumerate(trees):
            assert_same_tree(tree.root, engine, row)


def assert_compiled_uct_agrees(game) -> None:
    """Visit for visit with the readable UCT."""
    for state in random_positions(game, 3, seed=5):
        readable = MCTS(game, uct(1.0), hash_evaluator).run(state, 300).root
        waiting = [(readable, compiled_uct(game, state, 300, 1.0, evaluator="hash").root)]
        for node, compiled in waiting:  # grows on the way
            assert node.state == compiled.state
            assert node.visit_counts == compiled.visit_counts
            assert node.value_sum == compiled.value_sum
            pairs = zip(node.children, compiled.children, strict=True)
            waiting += [pair for pair in pairs if pair[0] is not None]
