"""PUCT for many games at once as operations on tensors: ``TensorTrees`` with its input checked."""

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from azlearn.games import RulesGame
from azlearn.games.tensor_game import TensorGame
from azlearn.search.evaluators import Evaluation, checked
from azlearn.search.plans import Edges, Plan, check_plan, checked_finite
from azlearn.search.selection import check_budget, check_count, puct
from azlearn.search.tensor_trees import TensorTrees


class TorchPUCT:
    """One search for each of B games, all in lockstep::

        engine = TorchPUCT(game, num_games=256, max_simulations=64)
        engine.start(states, num_simulations=64)
        while len((leaves := engine.select())[0]):
            engine.update(*evaluate(leaves))

    What an operation on tensors costs is the call, far more than the numbers in it: nearly the same
    for one game as for hundreds. See ``TensorTrees``, which does the work, and whose columns
    (``visit_counts``, ``child``, …) are this engine's, too. On a device that must not be waited for
    that class is asked directly; here every step looks at the numbers.

    Args:
        game: the rules.
        num_games: B.
        max_simulations: room for the root and for one node a simulation.
        plan: what is scored; None for ``puct()``.
        noise_fraction: the share of the noise given to ``start`` in the prior of a root, if the
            plan has it mixed in there.
        device: where the trees live; the positions to evaluate are tensors there.
        dtype: of priors, values and scores. float32 is enough to play, not to be equal to MCTS.

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
        self.num_games, self.max_simulations, self.num_cached = num_games, max_simulations, 0
        self.device, self.dtype = torch.device(device), dtype
        self.trees = TensorTrees(
            TensorGame(game, device), num_games, max_simulations, self.plan,
            noise_fraction=noise_fraction, dtype=dtype,
        )  # fmt: skip
        for name in ("words", "visit_counts", "value_sum", "prior", "child", "raw_value"):
            setattr(self, name, getattr(self.trees, name))
        self._leaves, self._num_left = None, 0  # positions handed out; simulations to begin

    def start(self, states, num_simulations: int, noise=None, rows=None) -> None:
        """New searches. The first positions to evaluate are the roots themselves.

        Args:
            states: a state of int64 [B], NumPy or torch.
            num_simulations: how many, for every game.
            noise: [B, num_actions], a Dirichlet draw for each root: 0 on illegal moves, sum 1. The
                prior becomes ``(1 - noise_fraction) * P + noise_fraction * noise``. For a plan
                that wants its noise itself any finite numbers. A row of zeros: no noise there.
            rows: int [B], the games in their order, or None: all begin at once, in lockstep.

        Raises:
            ValueError: not all rows; a game is over; a wrong shape; more simulations than there is
                room for; or noise that is not what the plan needs.
        """
        check_budget(num_simulations)
        if rows is not None and list(rows) != list(range(self.num_games)):
            raise ValueError(
                "The games of TorchPUCT go in lockstep: start all of them, in their order."
            )
        if num_simulations > self.max_simulations:
            raise ValueError(
                f"num_simulations must be at most max_simulations, {self.max_simulations},"
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
            legal = self.trees.game.legal_mask(roots)
            odd = noise.any(dim=1) & ~_are_probabilities(noise, legal)
            if not self.plan.mixes_noise:
                checked_finite(noise)
            elif odd.any():
                raise ValueError(
                    f"Row {_first(odd)}: noise must be probabilities of the legal moves: 0 or more,"
                    " summing to 1."
                )
        self._noise, self._num_left = noise, num_simulations
        self.trees.set_budget(num_simulations)
        self._leaves, self._is_over, self._are_roots = roots, is_over, True

    def select(self):
        """The positions that wait for an evaluation: the roots, then a leaf of every game.

        Returns:
            A state of int64 [B]; [0] when all simulations are done. Where the game is over at a
            leaf its evaluation will be ignored. Without an ``update`` between, the same ones again.
        """
        if self._leaves is None and self._num_left:
            self._num_left -= 1
            self._leaves, self._is_over = self.trees.select(), self.trees.leaf_is_over
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
        self._check(prior, value)
        if self._are_roots:
            self.trees.begin(self._leaves, prior, value, self._noise)
        else:
            self.trees.update(prior, value, levels=self.trees.num_levels())
        self._leaves, self._are_roots = None, False

    def roots(self, rows: Sequence[int]) -> list[Edges]:
        """The roots of these games, for the plan to make a move of and to learn from."""
        *edges, raw_value, noise = (column.numpy(force=True) for column in self.trees.roots())
        columns = (*edges, raw_value[:, 0], noise)
        return [Edges(*(column[row] for column in columns)) for row in rows]

    def forget(self) -> None:
        """Does nothing: no evaluation is kept."""

    @property
    def idle(self) -> np.ndarray:
        """int64 [B] or [0]: all games when all searches are complete, else none."""
        is_done = self._leaves is None and not self._num_left
        return np.arange(self.num_games if is_done else 0)

    def _check(self, prior: Tensor, value: Tensor) -> None:
        """ValueError, naming the row, unless these are evaluations of the leaves."""
        if self._are_roots:
            legal = self.trees.game.legal_mask(self._leaves, self._is_over)
        else:
            legal = self.trees.leaf_is_legal
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
        shape = (self.num_games, *shape)
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
