"""Search trees of many games as tensors in fixed memory, on any device: no loop, and no wait.

A GPU works through a queue of operations. It stands idle when the host must look at a number before
it can say what comes next. So a simulation here is always the same operations, on the same memory,
whatever the trees look like: it can even be recorded once and replayed by the device.

**The descent is one look-up.** The textbook scores the moves of a node, follows the best and scores
again, level by level, until it stands before a move with no node behind it. But the scores of a
node depend on its own statistics alone, and a simulation changes those along its path only. So
every node keeps three answers:

- ``best``: its best move;
- ``end``: the node at which a descent from here arrives;
- ``line``: the nodes from the root to here; behind the node itself it is repeated.

A descent in all games is ``end[root]``, and ``line`` of that node is the path for the backup.

**The refresh is one go.** After the backup the scores along the paths, the new nodes included, are
computed by one set of operations on ``[games, levels, actions]``. A node whose best move stays on
the path ends where the next one ends; where the path is left, nothing behind has changed, and the
end known there still holds. Writing to one place twice is harmless if both write the same number,
and here they do.

Node ``i`` of game ``g`` is row ``g * nodes + i`` of every column.
"""

import torch
from torch import Tensor

from azlearn.games.rules_game import RulesGame
from azlearn.games.tensor_game import TensorGame
from azlearn.search.plans import Plan


class TensorTrees:
    """One tree for each of B games, grown in lockstep by a plan; nothing is checked::

        trees.begin(states, *evaluate(states))
        for _ in range(num_simulations):
            trees.update(*evaluate(trees.select()))

    Given the same evaluations, the tree of a game is that of ``MCTS(game, plan, …)``: on the CPU
    and in float64 every N and every W is equal, since the arithmetic has the same order.

    Args:
        game: the rules, on the device where the trees shall live.
        num_games: B.
        max_simulations: room for the root and for one node a simulation.
        plan: what is scored.
        noise_fraction: the share of the noise given to ``begin`` in the prior of a root.
        dtype: of priors, values and scores. float32 is enough to play, not to be equal to MCTS.

    Attributes:
        visit_counts: int32 [B, nodes, num_actions]; node 0 is the root.
        value_sum: dtype [B, nodes, num_actions], for the player to move at the node.
        prior: dtype [B, nodes, num_actions].
        child: int32 [B, nodes, num_actions], the node behind every move; 0 = none. Simulation ``i``
            owns node ``i`` of every game; where it ended in a finished game nothing leads there.
        raw_value: dtype [B, nodes], the evaluator's value for the player to move.
        words: int64 [B, nodes, W], the positions, a word for each field of the game's ``State``.
        best, end: int64 [B, nodes], as above.
        line: int32 [B, nodes, levels], as above.
        leaf_is_over: bool [B], where the game is over at the position that ``select`` gave.
    """

    def __init__(
        self,
        game: TensorGame,
        num_games: int,
        max_simulations: int,
        plan: Plan,
        *,
        noise_fraction: float = 0.25,
        dtype: torch.dtype = torch.float64,
    ) -> None:
        self.game, self.plan, self.noise_fraction, self.dtype = game, plan, noise_fraction, dtype
        num_nodes, levels = max_simulations + 1, longest_path(game.game, max_simulations)
        columns = _columns(game.game, levels, dtype)
        self._columns = {
            name: torch.zeros(num_games * num_nodes, *shape, dtype=kind, device=game.device)
            for name, (shape, kind) in columns.items()
        }
        for name, column in self._columns.items():
            setattr(self, name, column.view(num_games, num_nodes, *column.shape[1:]))
        self._root = torch.arange(num_games, device=game.device) * num_nodes
        self._new = torch.zeros((), dtype=torch.int64, device=game.device)  # the next node
        self._levels = torch.arange(levels + 1, device=game.device)
        self._by_root = type(plan).tensor_root_scores is not Plan.tensor_root_scores
        self.leaf_is_over = torch.zeros_like(self._root, dtype=torch.bool)

    @torch.no_grad()
    def begin(self, states, prior: Tensor, value: Tensor, noise: Tensor | None = None) -> None:
        """New searches, from positions that are not over and their evaluations.

        Args:
            states: a state of int64 [B].
            prior: [B, num_actions], 0 on illegal moves, sum 1.
            value: [B], for the player to move.
            noise: [B, num_actions], a Dirichlet draw for each root, or None. A row of zeros: none.
        """
        column, root = self._columns, self._root
        for name in ("visit_counts", "value_sum", "child"):
            column[name].zero_()
        self._new.zero_()
        if noise is not None:
            share = self.noise_fraction * noise.any(dim=1, keepdim=True)
            prior = (1 - share) * prior + share * noise
        zero = torch.zeros_like(root)
        self._write(root, states, self.game.to_play(states), prior, value, zero, zero[:, None])
        self._refresh(zero[:, None])
        self._new += 1

    @torch.no_grad()
    def select(self):
        """*Select*: the position to be evaluated next in every game, a state of int64 [B]."""
        column = self._columns
        self._parent = self._root + column["end"][self._root]
        self._action = column["best"][self._parent]
        here = self.game.game.State(*column["words"][self._parent].unbind(1))
        self._leaf = self.game.play(here, self._action)
        self._player = self.game.to_play(self._leaf)
        self.leaf_is_over, self._result = self.game.outcome(self._leaf)
        return self._leaf

    @torch.no_grad()
    def update(self, prior: Tensor, value: Tensor, levels: int | None = None) -> None:
        """*Expand* and *backup* with the evaluations of what ``select`` gave.

        A finished game is written too, so that no game is an exception, but nothing leads there.

        Args:
            prior, value: as for ``begin``. Of finished games they are not looked at.
            levels: how many levels the paths have at most, if the host knows; see ``num_levels``.
        """
        column, new, parent = self._columns, self._new, self._parent
        column["child"][parent, self._action] = torch.where(self.leaf_is_over, 0, new).int()
        line, depth = column["line"][parent], column["depth"][parent] + 1
        on_the_way = self._levels[:-1] < depth[:, None]
        way = torch.where(on_the_way, line, new.int())
        result = torch.where(self.leaf_is_over, self._result.to(self.dtype), value.to(self.dtype))
        self._write(self._root + new, self._leaf, self._player, prior, result, depth, way)
        line = line[:, :levels].long()
        self._backup(line, result[:, None])
        self._refresh(torch.cat([line, new.expand(len(line), 1)], dim=1))
        self._new += 1

    def num_levels(self) -> int:
        """How many levels the deepest path of the games has: a look at the device."""
        return int(self._columns["depth"][self._root + self._columns["end"][self._root]].max()) + 1

    def _write(self, row, states, player, prior, value, depth, line) -> None:
        column = self._columns
        column["words"][row] = torch.stack(tuple(states), dim=1)
        column["mover"][row], column["depth"][row] = player, depth
        column["prior"][row], column["raw_value"][row] = prior.to(self.dtype), value.to(self.dtype)
        column["is_legal"][row] = self.game.legal_mask(states)
        column["line"][row] = line.int()
        column["end"][row] = self._new.expand_as(row)

    def _backup(self, line: Tensor, value: Tensor) -> None:
        """*Backup*: adds ``value`` [B, 1], for the player to move at the leaf, along ``line``.

        The engine's only change of sign.
        """
        column, rows = self._columns, self._root[:, None] + line
        edge = rows * self.game.num_actions + column["best"][rows]
        is_same = column["mover"][rows] == self._player[:, None]
        visits, value_sum = column["visit_counts"].view(-1), column["value_sum"].view(-1)
        visits[edge] = visits[edge] + 1
        value_sum[edge] = value_sum[edge] + torch.where(is_same, value, -value)

    def _refresh(self, line: Tensor) -> None:
        """Finds anew the best moves of these nodes [B, levels], and where descents end."""
        column, rows = self._columns, self._root[:, None] + line
        flat = rows.flatten()

        def of_moves(name: str) -> Tensor:  # column[rows], in a third of the time
            return column[name].index_select(0, flat).view(*line.shape, -1)

        edges = of_moves("visit_counts"), of_moves("value_sum"), of_moves("prior")
        raw_value = column["raw_value"][rows][..., None]
        score = self.plan.tensor_scores(*edges, raw_value)
        if self._by_root:
            of_root = self.plan.tensor_root_scores(*edges, raw_value)
            score = torch.where((line == 0)[..., None], of_root, score)
        best = torch.where(of_moves("is_legal"), score, -torch.inf).argmax(
            dim=-1
        )  # first of equals
        behind = of_moves("child").gather(-1, best[..., None])[..., 0].long()
        end = torch.where(behind > 0, column["end"][self._root[:, None] + behind], line)
        stays = (behind[:, :-1] == line[:, 1:]) & (behind[:, :-1] > 0)
        place = self._levels[: line.shape[1]].expand(line.shape)
        # The level at which a descent leaves the path: its own, unless it stays; then look ahead.
        leaves = torch.where(stays, line.shape[1], place[:, :-1])
        leaves = torch.cat([leaves, place[:, -1:]], dim=1).flip(1).cummin(1).values.flip(1)
        column["best"][rows], column["end"][rows] = best, end.gather(1, leaves)


def longest_path(game: RulesGame, max_simulations: int) -> int:
    """How many nodes a path from the root to a leaf's parent can have."""
    return min(max_simulations, game.max_plies)


def bytes_per_game(game: RulesGame, max_simulations: int, dtype: torch.dtype) -> int:
    """The memory that the tree of one game takes."""
    columns = _columns(game, longest_path(game, max_simulations), dtype).values()
    a_node = sum(torch.Size(shape).numel() * kind.itemsize for shape, kind in columns)
    return a_node * (max_simulations + 1)


def _columns(game: RulesGame, levels: int, dtype: torch.dtype) -> dict[str, tuple]:
    """By name, what a node has: shape and dtype."""
    moves = (game.num_actions,)
    return {
        "words": ((len(game.State._fields),), torch.int64),
        "visit_counts": (moves, torch.int32),
        "value_sum": (moves, dtype),
        "prior": (moves, dtype),
        "child": (moves, torch.int32),
        "is_legal": (moves, torch.bool),
        "raw_value": ((), dtype),
        "mover": ((), torch.int64),
        "depth": ((), torch.int64),
        "best": ((), torch.int64),
        "end": ((), torch.int64),
        "line": ((levels,), torch.int32),
    }
