"""The engine's memory: tables of columns, which determine its size and the contents of checkpoints.

A table is a NamedTuple of arrays with one row per game, slot or sample. So a compiled function can
take a whole table, and tables have the same columns on every processor. The default of each field
defines its column: the dtype, then the shape of one row, as numbers or as sizes of a game.
"""

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple, TypeVar

import numpy as np

from azlearn.games import RulesGame

Table = TypeVar("Table", bound=tuple)
Columns = dict[str, tuple[tuple[int, ...], Any]]  # by name, the shape of one row and the dtype


class Trees(NamedTuple):
    """The trees of many games. Row 0 of a game's nodes is its root."""

    words: Any = "int64 nodes words"  # the states
    mover: Any = "int8 nodes"  # the player to move
    raw_value: Any = "float64 nodes"  # the evaluator's value, for the player to move
    is_legal: Any = "bool nodes actions"
    prior: Any = "float64 nodes actions"
    visit_counts: Any = "int32 nodes actions"
    value_sum: Any = "float64 nodes actions"  # for the player to move at the node
    child: Any = "int32 nodes actions"  # the row of each move's child, 0 = none
    proven: Any = "int8 nodes actions"  # a move's value for its mover, or UNKNOWN; see proofs.py
    moved_to: Any = "int32 nodes"  # for ``lift``: the new row of each node
    num_nodes: Any = "int32"  # 0 = the root has not been evaluated yet
    remaining: Any = "int64"  # simulations that have not started
    noise: Any = "float64 actions"  # the root's noise, for its prior or its tree policy
    open_prior: Any = "float64 actions"  # the prior of unproven moves, for ``choose_by_root_form``
    path: Any = "int32 plies 2"  # (node, action) of the current simulation
    depth: Any = "int32"  # the path's length
    leaf: Any = "int64 words"  # the position at the path's end
    leaf_mover: Any = "int8"
    leaf_is_legal: Any = "bool actions"
    waiting: Any = "bool"  # for the leaf's evaluation


class Cache(NamedTuple):
    """Cached evaluations: 2**k slots, each with the latest evaluation; no slots = no cache."""

    words: Any = "int64 words"
    filled: Any = "bool"
    is_legal: Any = "bool actions"
    prior: Any = "float64 actions"
    value: Any = "float64"
    claim: Any = "int32"  # 1 + the last game that claims the slot; 0 = none


class Games(NamedTuple):
    """The games of self-play; each has room for records of ``max_plies`` positions."""

    words: Any = "int64 words"  # the current position
    number: Any = "int64"  # with the seed of the run it determines every random number
    ply: Any = "int64"  # including the random opening
    is_full: Any = "bool"  # the current search is full, so its position is trained on
    is_over: Any = "bool"  # the game is over and waits to be collected
    outcome: Any = "int8"  # for the player to move at the end
    num_records: Any = "int64"
    num_rows: Any = "int64"  # samples that the finished game produces
    calm: Any = "float64"  # if played out: the lowest value for a player who did not lose
    past_words: Any = "int64 plies words"
    past_mover: Any = "int8 plies"
    past_policy: Any = "float32 plies actions"  # the tree policy's policy target
    past_value: Any = "float64 plies"  # the tree policy's value of the root, for its mover
    past_proven: Any = "bool plies"  # whether that value is proven
    past_surprise: Any = "float64 plies"  # see ``surprise_of`` in play.py
    past_copies: Any = "int32 plies"  # the number of samples made from the record
    visits: Any = "float64 actions"  # visits of the root whose move is chosen; for ``move``
    value_sum: Any = "float64 actions"
    prior: Any = "float64 actions"
    target: Any = "float64 actions"  # the root's policy target
    counts: Any = "int64 counts"  # events in this slot, see ``COUNTS``
    entropy: Any = "float64"  # the sum over the policies of finished games, in nats


COUNTS = (
    "games", "moves", "cached", "wins", "draws", "plies", "resigned", "decided", "played_out",
    "false_resignations", "samples",
)  # fmt: skip


class Ring(NamedTuple):
    """The newest samples; number ``i`` is in row ``i % window``."""

    words: Any = "int64 words"  # twice as many words if the game's last position is stored
    policy_target: Any = "float32 actions"
    value_target: Any = "float32"


def tree_columns(game: RulesGame, max_simulations: int, use_solver: bool) -> Columns:
    """The columns of one game's tree; see ``Trees``."""
    nodes = max_simulations + 1
    columns = _columns(Trees, game, nodes=nodes, plies=min(game.max_plies, nodes))
    return columns if use_solver else columns | {"proven": ((0, 0), np.int8)}


def cache_columns(game: RulesGame) -> Columns:
    """The columns of one cache slot; see ``Cache``."""
    return _columns(Cache, game)


def game_columns(game: RulesGame) -> Columns:
    """The columns of one self-play game; see ``Games``."""
    return _columns(Games, game, plies=game.max_plies, counts=len(COUNTS))


def ring_columns(game: RulesGame, with_ends: bool) -> Columns:
    """The columns of one sample; see ``Ring``."""
    return _columns(Ring, game, words=len(game.State._fields) * (1 + with_ends))


def _columns(table: type[tuple], game: RulesGame, **sizes: int) -> Columns:
    """The columns of a table, with a number in place of each named size."""
    sizes = {"words": len(game.State._fields), "actions": game.num_actions} | sizes
    columns = {}
    for name, column in table._field_defaults.items():
        dtype, *shape = column.split()
        shape = tuple(sizes[size] if size in sizes else int(size) for size in shape)
        columns[name] = shape, np.dtype(dtype).type
    return columns


def new_table(
    kind: Callable[..., Table], columns: Columns, num_rows: int, zeros: Callable = np.zeros
) -> Table:
    """A table of zeros.

    Args:
        zeros: a function of ``(shape, dtype)`` that returns an array (on a GPU, a device array).
    """
    return kind(
        **{name: zeros((num_rows, *shape), dtype) for name, (shape, dtype) in columns.items()}
    )


def bytes_per_row(columns: Columns) -> int:
    """The memory of one row in bytes."""
    return sum(prod(shape) * np.dtype(dtype).itemsize for shape, dtype in columns.values())
