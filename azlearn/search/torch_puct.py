"""PUCT for many games at once as operations on tensors, on any device: no loop over the games.

What an operation on tensors costs is the call, far more than the numbers in it: nearly the same for
one game as for hundreds. So the searches of all games go in lockstep, and the fewer operations a
step takes, the better.

**The descent is look-ups.** The textbook scores the moves of a node, follows the best, and scores
again, at every level of every simulation. But the scores of a node depend on the statistics of its
own moves alone, and a simulation changes those only along its path. So every node keeps the answer:
its best move, and the node behind that move (``_next``; itself, if there is none yet). A descent is

    node = next[node]

for all games together, until none of them moves on. Those that arrived early stay where they are.

**The refresh is one go.** After the backup the scores along the paths of all games, the new nodes
included, are computed by one set of operations on ``[games, levels, actions]``, and with them the
new best moves. A path shorter than the longest repeats its last node. Writing to the same place
twice is harmless as long as both write the same number, and here they do.
"""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from azlearn.games import RulesGame
from azlearn.search.evaluators import Evaluation, checked
from azlearn.search.plans import Edges, Plan, check_plan
from azlearn.search.selection import check_budget, check_count, puct


class TorchPUCT:
    """One search for each of B games, all in lockstep::

        engine = TorchPUCT(game, num_games=256, max_simulations=64)
        engine.start(states, num_simulations=64)
        while len((leaves := engine.select())[0]):
            engine.update(*evaluate(leaves))

    Given the same evaluations, the tree of a game is that of ``MCTS(game, plan, …)``: on the CPU
    and in float64 every N and every W is equal, since the arithmetic has the same order.

    Args:
        game: the rules.
        num_games: B.
        max_simulations: room for the root and for one node a simulation.
        plan: what is scored; None for ``puct()``.
        noise_fraction: the share of the noise given to ``start`` in the prior of a root.
        device: where the trees live; the positions to evaluate are tensors there.
        dtype: of priors, values and scores. float32 is enough to play, not to be equal to MCTS.

    Attributes:
        visit_counts: int32 [B, nodes, num_actions]; node 0 is the root.
        value_sum: dtype [B, nodes, num_actions], for the player to move at the node.
        prior: dtype [B, nodes, num_actions].
        child: int64 [B, nodes, num_actions], the node behind every move; 0 = none. Simulation ``i``
            owns node ``i`` of every game; where it ended in a finished game nothing leads there.
        raw_value: dtype [B, nodes], the evaluator's value for the player to move.
        words: int64 [B, nodes, W], the positions, a word for each field of the game's ``State``.

    Raises:
        ValueError: an impossible size or noise_fraction, or a plan that has no form for tensors.
    """

    def __init__(
        self,
        game: RulesGame,
        num_games: int,
        max_simulations: int,
        plan: Plan | None = None,
        *,
        noise_fraction: float = 0.25,
        device: str | torch.device = "cpu",
        dtype: torch.dtype = torch.float64,
    ) -> None:
        check_count(num_games, "num_games")
        check_count(max_simulations, "max_simulations")
        if not 0 <= noise_fraction <= 1:
            raise ValueError(f"noise_fraction must be in [0, 1], not {noise_fraction}.")
        self.game, self.plan = game, check_plan(puct() if plan is None else plan, "tensor_scores")
        self.num_games, self.noise_fraction, self.num_cached = num_games, noise_fraction, 0
        self.device, self.dtype = torch.device(device), dtype

        def zeros(*shape: int, dtype: torch.dtype) -> Tensor:
            return torch.zeros(num_games, max_simulations + 1, *shape, dtype=dtype, device=device)

        self.words = zeros(len(game.State._fields), dtype=torch.int64)
        self.raw_value = zeros(dtype=dtype)
        self.visit_counts = zeros(game.num_actions, dtype=torch.int32)
        self.value_sum, self.prior = (zeros(game.num_actions, dtype=dtype) for _ in range(2))
        self.child = zeros(game.num_actions, dtype=torch.int64)
        self._is_legal = zeros(game.num_actions, dtype=torch.bool)
        self._mover = zeros(dtype=torch.int64)  # 0 or 1, the player to move
        self._best, self._next = zeros(dtype=torch.int64), zeros(dtype=torch.int64)
        self._games = torch.arange(num_games, device=device)
        self._first_row = self._games[:, None] * (max_simulations + 1)  # nodes of all, counted on
        self._leaves, self._num_left = None, 0  # positions handed out; simulations to begin

    def start(self, states, num_simulations: int, noise=None, rows=None) -> None:
        """New searches. The first positions to evaluate are the roots themselves.

        Args:
            states: a state of int64 [B], NumPy or torch.
            num_simulations: how many, for every game.
            noise: [B, num_actions], a Dirichlet draw for each root: 0 on illegal moves, sum 1. The
                prior becomes ``(1 - noise_fraction) * P + noise_fraction * noise``. A row of zeros:
                no noise there.
            rows: int [B], the games in their order, or None: all begin at once, in lockstep.

        Raises:
            ValueError: not all rows; a game is over; a wrong shape; more simulations than there is
                room for; or noise that is not a distribution over legal moves.
        """
        num_nodes = self.raw_value.shape[1]
        check_budget(num_simulations)
        if rows is not None and list(rows) != list(range(self.num_games)):
            raise ValueError(
                "The games of TorchPUCT go in lockstep: start all of them, in their order."
            )
        if num_simulations >= num_nodes:
            raise ValueError(
                f"num_simulations must be at most max_simulations, {num_nodes - 1},"
                f" not {num_simulations}."
            )
        roots = self.game.State(
            *(self._tensor("states", word, (), torch.int64).clone() for word in states)
        )
        is_over, _ = self.game.batch_outcome(roots)
        if is_over.any():
            raise ValueError(f"Row {_first(is_over)}: the game is over here: nothing to search.")
        if noise is not None:
            noise = self._tensor("noise", noise, (self.game.num_actions,))
            odd = noise.any(dim=1) & ~_are_probabilities(noise, self.game.batch_legal_mask(roots))
            if odd.any():
                raise ValueError(
                    f"Row {_first(odd)}: noise must be probabilities of the legal moves: 0 or more,"
                    " summing to 1."
                )
        for statistics in (self.visit_counts, self.value_sum, self.child):
            statistics.zero_()
        self._noise, self._num_left = noise, num_simulations
        self._leaves, self._is_over, self._path = roots, is_over, None
        self._player = self.game.batch_to_play(roots)
        self._num_nodes = 0

    def select(self):
        """The positions that wait for an evaluation: the roots, then a leaf of every game.

        Returns:
            A state of int64 [B]; [0] when all simulations are done. Where the game is over at a
            leaf its evaluation will be ignored. Without an ``update`` between, the same ones again.
        """
        if self._leaves is None and self._num_left:
            self._num_left -= 1
            self._descend()
        return self._leaves or self.game.State(*self.words[:0, 0].unbind(-1))

    @torch.no_grad()
    def update(self, prior, value) -> None:
        """*Expand* and *backup* with the evaluations of what ``select`` gave.

        Args:
            prior: [B, num_actions], NumPy or torch: 0 on illegal moves, sum 1.
            value: [B], in [-1, 1], for the player to move.

        Raises:
            ValueError: nothing waits for an evaluation; a wrong shape; or an evaluation that is
                none, by the row of the first.
        """
        if self._leaves is None:
            raise ValueError("No position waits for an evaluation: call select first.")
        prior = self._tensor("prior", prior, (self.game.num_actions,))
        value = self._tensor("value", value, ())
        legal = self.game.batch_legal_mask(self._leaves)
        self._check(prior, value, legal)
        if self._path is None:  # these are the roots
            if self._noise is not None:
                share = self.noise_fraction * self._noise.any(dim=1, keepdim=True)
                prior = (1 - share) * prior + share * self._noise
            self._path = self._expand(prior, value, legal)
        else:
            new = self._expand(prior, value, legal)
            self._backup(torch.where(self._is_over, self._result, value))
            self._path = torch.cat([self._path, new], dim=1)
        self._refresh(self._path)
        self._leaves = None

    def roots(self, rows: Sequence[int]) -> list[Edges]:
        """The roots of these games, for the plan to make a move of and to learn from."""
        columns = (self.visit_counts, self.value_sum, self.prior, self.raw_value)
        columns = [column[:, 0].numpy(force=True) for column in columns]
        return [Edges(*(column[row] for column in columns)) for row in rows]

    def forget(self) -> None:
        """Does nothing: no evaluation is kept."""

    @property
    def idle(self) -> np.ndarray:
        """int64 [B] or [0]: all games when all searches are complete, else none."""
        is_done = self._leaves is None and not self._num_left
        return np.arange(self.num_games if is_done else 0)

    def _descend(self) -> None:
        """*Select*: follows the best moves to where every tree ends, and plays one move more."""
        node, levels = torch.zeros_like(self._first_row), []
        while True:
            levels.append(node)
            node = self._next.gather(1, node)
            if torch.equal(node, levels[-1]):  # a look at the device: a GPU is waited for here
                break
        self._path = torch.cat(levels, dim=1)  # [B, levels]
        here = self.game.State(*self.words[self._games, node[:, 0]].unbind(-1))
        self._leaves = self.game.rules.play(here, self._best.gather(1, node)[:, 0])
        self._player = self.game.batch_to_play(self._leaves)
        self._is_over, result = self.game.batch_outcome(self._leaves)
        self._result = result.to(self.dtype)

    def _expand(self, prior: Tensor, value: Tensor, legal: Tensor) -> Tensor:
        """*Expand*: writes every leaf to the next row of its tree; gives that row, int64 [B, 1].

        A finished game is written too, so that no game is an exception, but nothing leads there.
        """
        new = self._num_nodes
        if self._path is not None:
            parent = self._games, self._path[:, -1]
            self.child[(*parent, self._best[parent])] = torch.where(self._is_over, 0, new)
        self.words[:, new] = torch.stack(self._leaves, dim=-1)
        self._mover[:, new] = self._player
        self.prior[:, new], self.raw_value[:, new], self._is_legal[:, new] = prior, value, legal
        self._num_nodes += 1
        return torch.full_like(self._games, new)[:, None]

    def _backup(self, value: Tensor) -> None:
        """*Backup*: adds ``value`` [B], for the player to move at the leaf, to the whole path.

        The engine's only change of sign.
        """
        best = self._best.gather(1, self._path)
        edge = (self._first_row + self._path) * self.game.num_actions + best
        is_same = self._mover.gather(1, self._path) == self._player[:, None]
        self.visit_counts.view(-1)[edge] += 1
        self.value_sum.view(-1)[edge] += torch.where(is_same, value[:, None], -value[:, None])

    def _refresh(self, nodes: Tensor) -> None:
        """Finds the best moves of these nodes [B, levels] anew, and where they lead."""
        rows = (self._first_row + nodes).flatten()

        def of_moves(column: Tensor) -> Tensor:  # column[games, nodes], in a third of the time
            return column.view(-1, column.shape[-1]).index_select(0, rows).view(*nodes.shape, -1)

        raw_value = self.raw_value.gather(1, nodes)[..., None]
        edges = *map(of_moves, (self.visit_counts, self.value_sum, self.prior)), raw_value
        score = self.plan.tensor_scores(*edges)
        if type(self.plan).tensor_root_scores is not Plan.tensor_root_scores:
            is_root = (nodes == 0)[..., None]
            score = torch.where(is_root, self.plan.tensor_root_scores(*edges), score)
        score = torch.where(of_moves(self._is_legal), score, -torch.inf)
        best = score.argmax(dim=-1)  # the first of equals
        behind = of_moves(self.child).gather(-1, best[..., None])[..., 0]
        self._best.scatter_(1, nodes, best)
        self._next.scatter_(1, nodes, torch.where(behind > 0, behind, nodes))

    def _check(self, prior: Tensor, value: Tensor, legal: Tensor) -> None:
        """ValueError, naming the row, unless these are evaluations of the leaves."""
        odd = ~(_are_probabilities(prior, legal) & (value.abs() <= 1)) & ~self._is_over
        if odd.any():
            row = _first(odd)
            state = self.game.state_of([word[row] for word in self._leaves])
            try:  # in the words of the readable search
                evaluation = Evaluation(prior[row].tolist(), float(value[row]))
                checked(evaluation, self.game, self.game.legal_actions(state))
            except ValueError as error:
                raise ValueError(f"Row {row}: {error}") from None

    def _tensor(self, name: str, array, shape: tuple[int, ...], dtype=None) -> Tensor:
        """``array`` as a tensor [B, *shape] of the engine."""
        tensor = torch.as_tensor(array, device=self.device)
        shape = (len(self._games), *shape)
        if tensor.shape != shape:
            raise ValueError(f"{name} must have shape {shape}, not {tuple(tensor.shape)}.")
        return tensor.to(dtype or self.dtype)


def _are_probabilities(prior: Tensor, legal: Tensor) -> Tensor:
    """bool [B]: 0 or more, 0 on illegal moves, summing to 1."""
    placed = torch.where(legal, prior >= 0, prior == 0).all(dim=1)
    return placed & ((prior.sum(dim=1) - 1).abs() <= 1e-3)


def _first(rows: Tensor) -> int:
    """The first row [B] that is true."""
    return int(rows.int().argmax())
