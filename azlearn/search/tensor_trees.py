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
- ``line``: the nodes from here to the root, the deepest first; in front of it the node itself is
  repeated.

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

        trees.set_budget(num_simulations)
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
        noise_fraction: the share of the noise given to ``begin`` in the prior of a root, if the
            plan has it mixed in there.
        dtype: of priors, values and scores. float32 is enough to play, not to be equal to MCTS.

    Attributes:
        visit_counts: int32 [B, nodes, num_actions]; node 0 is the root.
        value_sum: dtype [B, nodes, num_actions], for the player to move at the node.
        prior: dtype [B, nodes, num_actions].
        child: int32 [B, nodes, num_actions], the node behind every move; 0 = none. Simulation ``i``
            owns node ``i`` of every game; where it ended in a finished game nothing leads there.
        raw_value: dtype [B, nodes], the evaluator's value for the player to move.
        words: int64 [B, nodes, W], the positions, a word for each field of the game's ``State``.
        noise: dtype [B, num_actions], of the roots; 0 where it is mixed into their priors.
        best, end: int64 [B, nodes], as above.
        line: int16 or int32 [B, nodes, levels], as above.
        leaf_is_over: bool [B], where the game is over at the position that ``select`` gave.
        leaf_is_legal: bool [B, num_actions], the legal moves there.
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
        columns = _columns(game.game, num_nodes, dtype)
        self._columns = {
            name: torch.zeros(num_games * num_nodes, *shape, dtype=kind, device=game.device)
            for name, (shape, kind) in columns.items()
        }
        for name, column in self._columns.items():
            setattr(self, name, column.view(num_games, num_nodes, *column.shape[1:]))
        self._root = torch.arange(num_games, device=game.device) * num_nodes
        self._roots = self._root[:, None]
        self._new = torch.zeros((), dtype=torch.int64, device=game.device)  # the next node
        self._places = torch.arange(levels + 1, device=game.device)
        self._levels = torch.arange(levels - 1, -1, -1, device=game.device)  # of a line's places
        self.noise = torch.zeros(num_games, game.game.num_actions, dtype=dtype, device=game.device)
        self._by_root = type(plan).tensor_root_scores is not Plan.tensor_root_scores
        self._schedule = torch.zeros(
            game.game.num_actions + 1, num_nodes, dtype=torch.int64, device=game.device
        )
        self.leaf_is_over = torch.zeros_like(self._root, dtype=torch.bool)
        self._depth = torch.ones_like(self._root)  # of the paths that select has followed

    def set_budget(self, num_simulations: int) -> None:
        """How many simulations the next searches have. A plan without a root form of its own need
        not be told; the device of another waits for a table."""
        if not self._by_root:
            return
        table = torch.from_numpy(self.plan.schedule(self.game.game.num_actions, num_simulations))
        self._schedule.zero_()
        self._schedule[: len(table), : table.shape[1]] = table.to(self._schedule)

    @torch.no_grad()
    def begin(self, states, prior: Tensor, value: Tensor, noise: Tensor | None = None) -> None:
        """New searches, from positions that are not over and their evaluations.

        Args:
            states: a state of int64 [B].
            prior: [B, num_actions], 0 on illegal moves, sum 1.
            value: [B], for the player to move.
            noise: [B, num_actions], a Dirichlet draw for each root, or what else the plan needs;
                None for none. A row of zeros: none.
        """
        column, root = self._columns, self._root
        for name in ("visit_counts", "value_sum", "child"):
            column[name].zero_()
        self._new.zero_()
        if not self.plan.mixes_noise:
            self.noise.copy_(torch.zeros_like(self.noise) if noise is None else noise)
        elif noise is not None:
            share = self.noise_fraction * noise.any(dim=1, keepdim=True).to(self.dtype)
            prior = (1 - share) * prior + share * noise
        zero = torch.zeros_like(root)
        self._leaf, self._player = states, self.game.to_play(states)
        self.leaf_is_legal = self.game.legal_mask(states)
        self._write(prior, value, zero, zero[:, None].expand(-1, len(self._levels)))
        self._refresh(zero[:, None], zero[:, None])
        self._new += 1

    @torch.no_grad()
    def select(self):
        """*Select*: the position to be evaluated next in every game, a state of int64 [B]."""
        column = self._columns
        self._parent = self._root + column["end"].take(self._root)
        self._action = column["best"].take(self._parent)
        self._depth = column["depth"].take(self._parent) + 1
        here = self.game.game.State(*column["words"].index_select(0, self._parent).unbind(1))
        self._leaf = self.game.play(here, self._action)
        self._player = self.game.to_play(self._leaf)
        self.leaf_is_over, self._result = self.game.outcome(self._leaf)
        self.leaf_is_legal = self.game.legal_mask(self._leaf, self.leaf_is_over)
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
        edge = parent * self.game.num_actions + self._action
        column["child"].put_(edge, torch.where(self.leaf_is_over, 0, new).int())
        line = column["line"].index_select(0, parent)
        way = torch.where(self._levels < self._depth[:, None], line, new)
        result = torch.where(self.leaf_is_over, self._result.to(self.dtype), value.to(self.dtype))
        self._write(prior, result, self._depth, way)
        if levels is not None:
            line = line[:, -levels:]
        self._backup((self._roots + line).flatten(), result[:, None])
        # What lies one level deeper; behind the new node nothing does, which is not itself.
        line = torch.cat([new.expand(len(line), 2), line], dim=1)
        self._refresh(line[:, 1:], line[:, :-1])
        self._new += 1

    def roots(self) -> tuple[Tensor, ...]:
        """What ``tensor_best_action`` and its like are asked with: of all roots N, W, P
        [B, num_actions], the evaluator's value [B, 1] and the noise [B, num_actions]."""
        columns = (self.visit_counts, self.value_sum, self.prior)
        return *(column[:, 0] for column in columns), self.raw_value[:, :1], self.noise

    def num_levels(self) -> int:
        """How many levels the deepest path of the games has: a look at the device."""
        return int(self._depth.max())

    def _write(self, prior, value, depth, line) -> None:
        """The leaves, to the next row of every game."""
        column, row = self._columns, self._root + self._new
        column["mover"].put_(row, self._player)
        column["depth"].put_(row, depth)
        column["raw_value"].put_(row, value.to(self.dtype))
        column["end"].put_(row, self._new.expand_as(row))
        column["words"].index_copy_(0, row, torch.stack(tuple(self._leaf), dim=1))
        column["prior"].index_copy_(0, row, prior.to(self.dtype))
        column["is_legal"].index_copy_(0, row, self.leaf_is_legal)
        column["line"].index_copy_(0, row, line.to(self.line.dtype))

    def _backup(self, rows: Tensor, value: Tensor) -> None:
        """*Backup*: adds ``value`` [B, 1], for the player to move at the leaf, along the paths.

        The engine's only change of sign.
        """
        column = self._columns
        edge = rows * self.game.num_actions + column["best"].index_select(0, rows)
        mover = column["mover"].index_select(0, rows).view(len(value), -1)
        added = torch.where(mover == self._player[:, None], value, -value).flatten()
        visits, value_sum = column["visit_counts"].view(-1), column["value_sum"].view(-1)
        visits.index_copy_(0, edge, visits.index_select(0, edge) + 1)
        value_sum.index_copy_(0, edge, value_sum.index_select(0, edge) + added)

    def _refresh(self, line: Tensor, deeper: Tensor) -> None:
        """Finds anew the best moves of the nodes ``line`` [B, levels], and where descents end.

        Before each of them in its row stands ``deeper`` [B, levels], where the path leads.
        """
        column, rows = self._columns, (self._roots + line).flatten()

        def of_nodes(name: str) -> Tensor:  # column[rows], in a third of the time
            column = self._columns[name].index_select(0, rows)
            return column.view(*line.shape, *column.shape[1:])

        edges = of_nodes("visit_counts"), of_nodes("value_sum"), of_nodes("prior")
        raw_value = of_nodes("raw_value")[..., None]
        score = self.plan.tensor_scores(*edges, raw_value)
        if self._by_root:
            of_root = self.plan.tensor_root_scores(*self.roots(), self._schedule)
            score = torch.where((line == 0)[..., None], of_root[:, None], score)
        score = torch.where(of_nodes("is_legal"), score, -torch.inf)
        best = score.argmax(dim=-1)  # the first of equals
        edge = rows * self.game.num_actions + best.flatten()
        behind = column["child"].view(-1).index_select(0, edge).view(line.shape).long()
        end = column["end"].index_select(0, (self._roots + behind).flatten()).view(line.shape)
        end = torch.where(behind > 0, end, line)
        # Where a descent leaves the path: its own place, unless it stays; then one before it.
        place = (self._places[: line.shape[1]] * (behind != deeper)).cummax(1).values
        column["best"].index_copy_(0, rows, best.flatten())
        column["end"].index_copy_(0, rows, end.gather(1, place).flatten())


def longest_path(game: RulesGame, max_simulations: int) -> int:
    """How many nodes a path from the root to a leaf's parent can have."""
    return min(max_simulations, game.max_plies)


def bytes_per_game(game: RulesGame, max_simulations: int, dtype: torch.dtype) -> int:
    """The memory that the tree of one game takes."""
    columns = _columns(game, max_simulations + 1, dtype).values()
    a_node = sum(torch.Size(shape).numel() * kind.itemsize for shape, kind in columns)
    return a_node * (max_simulations + 1)


def _columns(game: RulesGame, num_nodes: int, dtype: torch.dtype) -> dict[str, tuple]:
    """By name, what a node has: shape and dtype."""
    moves, levels = (game.num_actions,), longest_path(game, num_nodes - 1)
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
        "line": ((levels,), torch.int16 if num_nodes < 2**15 else torch.int32),
    }
