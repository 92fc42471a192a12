"""Search for many games at once: compiled loops over flat arrays, and one network call per step.

A search waits for its evaluator most of the time, and a network evaluates 256 positions in far less
than 256 times the time of one. So B games search together. Each descends until it needs an
evaluation, one call evaluates all their leaves, and each game backs up its own value::

    engine = BatchedSearch(game, num_games=256, max_simulations=64)
    engine.start(states, num_simulations=64)
    while len((leaves := engine.select())[0]):
        engine.update(*evaluate(leaves))

Row ``i`` of a game's arrays is a node; row 0 is its root. Given the same evaluations, a game's tree
matches the tree of ``MCTS(game, tree_policy, …)`` visit for visit, regardless of the other games.
"""

from collections.abc import Sequence

import numpy as np

from azlearn.games import RulesGame
from azlearn.old_names import old_arguments
from azlearn.search.engine.backends import cpu_backend
from azlearn.search.engine.columns import Cache, Trees, cache_columns, new_table, tree_columns
from azlearn.search.engine.loops import search_loops
from azlearn.search.proofs import UNKNOWN, WithProofs
from azlearn.search.selection import check_count, puct
from azlearn.search.tree_policy import NodeStats, TreePolicy, check_tree_policy


class BatchedSearch:
    """One search for each of B games.

    Args:
        game: the rules.
        num_games: the number of games, B.
        max_simulations: the most simulations of a search; the arrays have room for the root and
            one node per simulation.
        tree_policy: the tree policy; None for ``puct()``.
        noise_fraction: the weight of the noise (see ``start``) in a root's prior, if the tree
            policy has ``mixes_noise``.
        cache_bits: cache up to ``2**cache_bits`` evaluations until ``clear_cache`` is called; 0 for
            no cache. Use it only if the evaluator always gives a position the same evaluation.
        use_solver: back up finished games as proofs, as ``MCTSSolver`` does. ``tree_policy`` and
            ``roots`` then use the proofs, too.
        compiled: False runs the same loops in plain Python, so that you can step through them.

    Attributes:
        visit_counts: int32 [B, nodes, num_actions]; the root is node 0.
        value_sum: float64 [B, nodes, num_actions], for the player to move at the node.
        prior: float64 [B, nodes, num_actions].
        child: int32 [B, nodes, num_actions], the row of each move's child, 0 = none. Rows that no
            child leads to may contain data of an earlier search.
        raw_value: float64 [B, nodes], the evaluator's value for the player to move.
        words: int64 [B, nodes, W], the positions, with a word for each field of the game's
            ``State``.
        num_cached: the number of evaluations that came from the cache.

    Raises:
        ValueError: a size, noise_fraction or cache_bits is out of range, or ``check_tree_policy``
            rejects the tree policy.
    """

    @old_arguments(plan="tree_policy", proves="use_solver")
    def __init__(
        self,
        game: RulesGame,
        num_games: int,
        max_simulations: int,
        tree_policy: TreePolicy | None = None,
        *,
        noise_fraction: float = 0.25,
        cache_bits: int = 0,
        use_solver: bool = False,
        compiled: bool = True,
    ) -> None:
        check_count(num_games, "num_games")
        check_count(max_simulations, "max_simulations")
        if not 0 <= noise_fraction <= 1:
            raise ValueError(f"noise_fraction must be in [0, 1], not {noise_fraction}.")
        if cache_bits not in range(31):
            raise ValueError(f"cache_bits must be a whole number from 0 to 30, not {cache_bits}.")
        self.game, self.num_games, self.max_simulations = game, num_games, max_simulations
        self.tree_policy = check_tree_policy(puct() if tree_policy is None else tree_policy)
        self._numbers = self.tree_policy.numbers
        self.noise_fraction = noise_fraction if self.tree_policy.mixes_noise else 0.0
        self.num_cached = 0
        columns = tree_columns(game, max_simulations, use_solver)
        self._trees = new_table(Trees, columns, num_games)
        self._trees.num_nodes[:] = 1  # no search has been started
        self._cache = new_table(Cache, cache_columns(game), (1 << cache_bits) if cache_bits else 0)
        self._rows = np.zeros(0, np.int64)  # the games that wait for update
        backend = cpu_backend(type(self.tree_policy)) if compiled else "python"
        self._loops = search_loops(game.rules, type(self.tree_policy), backend, use_solver)
        self._use_solver = use_solver
        if use_solver:
            self.tree_policy = WithProofs(self.tree_policy)
        self.words, self.raw_value = self._trees.words, self._trees.raw_value
        self.prior, self.visit_counts = self._trees.prior, self._trees.visit_counts
        self.value_sum, self.child = self._trees.value_sum, self._trees.child

    def start(
        self,
        states,
        num_simulations: int | np.ndarray,
        noise: np.ndarray | None = None,
        rows: Sequence[int] | None = None,
        keep: bool = False,
    ) -> None:
        """Starts new searches in all games or in some ``rows``; the other games continue.

        The positions that ``select`` returned before are no longer valid; call it again.

        Args:
            states: a State of int64 [n], the positions to search from.
            num_simulations: a number, or int [n].
            noise: float [n, num_actions], Dirichlet noise for each root (0 on illegal moves, sum
                1), mixed into its prior with weight ``noise_fraction``. For a tree policy that uses
                noise itself, any finite numbers. A row of zeros adds no noise.
            rows: int [n], the games; None = all.
            keep: if a position is one or two plies below the root of its game's last search,
                continue that search's subtree, as ``MCTS.run`` does with a ``tree``. Its visits
                count toward ``num_simulations``; only the rest is added, but at least 1.

        Raises:
            ValueError: a game is finished, a shape is wrong, there are more simulations than fit,
                or the noise does not suit the tree policy. In these cases nothing changes.
        """
        rows = np.asarray(range(self.num_games) if rows is None else rows, np.int64)
        n, budgets = len(rows), np.asarray(num_simulations)
        states = self.game.State(*(np.asarray(word, np.int64) for word in states))
        if any(word.shape != (n,) for word in states):
            raise ValueError(f"states must be int64 [{n}], one position per game.")
        in_range = (budgets >= 1) & (budgets <= self.max_simulations)
        if budgets.dtype.kind != "i" or budgets.shape not in ((), (n,)) or not in_range.all():
            raise ValueError(
                f"num_simulations must be a whole number from 1 to {self.max_simulations}, or"
                f" int [{n}] of such numbers."
            )
        if (over := self.game.batch_outcome(states)[0]).any():
            row = rows[int(over.argmax())]
            raise ValueError(f"The game in row {row} is over, so there is nothing to search.")
        noise = self._checked(noise, states, rows)
        trees, words = self._trees, np.stack(states, axis=1)
        trees.noise[rows], trees.waiting[rows], trees.remaining[rows] = noise, False, budgets
        if keep:
            visits = np.zeros(len(rows), np.int64)
            self._loops.reroot(trees, rows, words, self.noise_fraction, visits)
            trees.remaining[rows] -= np.clip(visits, 0, trees.remaining[rows] - 1)
            rows, words = rows[visits < 0], words[visits < 0]
        trees.words[rows, 0] = words
        trees.visit_counts[rows, 0] = 0  # a game has no visits until its root is evaluated
        trees.num_nodes[rows] = 0
        self._rows = self._rows[:0]

    def select(self):
        """*Select*: every game continues until it needs an evaluation or its search is complete.

        Returns:
            The positions to evaluate for ``update``, a State of int64 [n]; n is 0 when all searches
            are complete.
        """
        trees, more = self._trees, True
        while more:
            num_cached, more = self._loops.search(
                trees, self._cache, self._numbers, self.noise_fraction, 0, self.num_games
            )
            self.num_cached += num_cached
        self._rows = np.flatnonzero(trees.waiting)
        return self._leaves()

    def update(self, prior: np.ndarray, value: np.ndarray) -> None:
        """*Expand* and *backup*: adds the waiting leaves and their evaluations to the trees.

        Args:
            prior: float [n, num_actions], 0 on illegal moves, sum 1.
            value: float [n], in [-1, 1], for the player to move.

        Raises:
            ValueError: a shape is wrong; a value is NaN or outside [-1, 1]; or a prior is negative,
                positive for an illegal move or does not sum to 1. In these cases no tree changes.
        """
        trees, rows = self._trees, self._rows
        prior, value = checked_evaluations(prior, value, trees.leaf_is_legal[rows])
        self._loops.answer(trees, rows, prior, value, self.noise_fraction, 0, len(rows))
        self._loops.keep(trees, self._cache, rows, prior, value)
        self._rows = self._rows[:0]

    def roots(self, rows: Sequence[int]) -> list[NodeStats]:
        """The roots of these games, for the moves and policy targets of ``tree_policy``."""
        columns = (self.visit_counts, self.value_sum, self.prior, self.raw_value)
        trees, rows = self._trees, list(rows)
        known = self._known(rows) if self._use_solver else [None] * len(rows)
        return [
            NodeStats(*(column[row, 0] for column in columns), trees.noise[row], proofs)
            for row, proofs in zip(rows, known, strict=True)
        ]

    def clear_cache(self) -> None:
        """Empties the cache; call it when the evaluator has changed."""
        self._cache.filled[:] = False

    @property
    def finished_games(self) -> np.ndarray:
        """int64 [n], the games whose search is complete or has never been started."""
        trees = self._trees
        return np.flatnonzero((trees.remaining == 0) & (trees.num_nodes > 0) & ~trees.waiting)

    def _known(self, rows: list[int]) -> list[dict[int, int | None]]:
        """The proven values of these roots' moves; see ``NodeStats``."""
        legal, proven = self._trees.is_legal[rows, 0], self._trees.proven[rows, 0].tolist()
        return [
            {int(a): None if q[a] == UNKNOWN else q[a] for a in np.flatnonzero(mask)}
            for mask, q in zip(legal, proven, strict=True)
        ]

    def _leaves(self):
        return self.game.State(*self._trees.leaf[self._rows].T.copy())

    def _checked(self, noise: np.ndarray | None, states, rows: np.ndarray) -> np.ndarray:
        """The noise as float64 [n, num_actions]; zeros for None."""
        shape = (len(rows), self.game.num_actions)
        noise = np.zeros(shape) if noise is None else np.asarray(noise, np.float64)
        if noise.shape != shape:
            raise ValueError(f"noise must be float {list(shape)}, not {list(noise.shape)}.")
        if not self.tree_policy.mixes_noise:
            if not np.isfinite(noise).all():
                raise ValueError("The noise for a tree policy must be finite numbers.")
            return noise
        allowed = (noise >= 0) & (self.game.batch_legal_mask(states) | (noise == 0))
        odd = noise.any(1) & ~(allowed.all(1) & (np.abs(noise.sum(1) - 1) < 1e-3))
        if odd.any():
            raise ValueError(
                f"The noise in row {rows[odd.argmax()]} must be probabilities of the legal moves:"
                " 0 or more, summing to 1."
            )
        return noise


def checked_evaluations(prior, value, legal_mask: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Returns an evaluator's priors and values as float64 [n, num_actions] and [n].

    Args:
        prior, value: the arrays that the evaluator returned.
        legal_mask: bool [n, num_actions], of the positions that it evaluated.

    Raises:
        ValueError: as ``BatchedSearch.update``.
    """
    prior, value = np.asarray(prior, np.float64), np.asarray(value, np.float64)
    n, num_actions = legal_mask.shape
    if prior.shape != (n, num_actions) or value.shape != (n,):
        raise ValueError(
            f"For {n} positions pass a prior [{n}, {num_actions}] and a value [{n}], not"
            f" {list(prior.shape)} and {list(value.shape)}."
        )
    if not (np.abs(value) <= 1).all():
        raise ValueError(
            "The evaluator's values must be in [-1, 1]; at least one is not, or is NaN."
        )
    if not ((prior >= 0).all() and (np.abs(prior.sum(1) - 1) < 1e-3).all()):
        raise ValueError("The evaluator's priors must be 0 or more and sum to 1 in every row.")
    if prior[~legal_mask].any():
        raise ValueError("The evaluator's prior must be 0 for illegal moves.")
    return prior, value
