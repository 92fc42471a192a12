"""What the engine remembers: tables of columns, from which memory, its size and checkpoints come.

A table is a NamedTuple of arrays with one row for each of its games, slots or samples. So a
compiled function takes a whole table, and a table has the same columns on every processor. In the
place of defaults stand the columns: the dtype, then the shape of one row, in numbers or in sizes of
a game.
"""

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple, TypeVar

import numpy as np

from azlearn.games import RulesGame

Table = TypeVar("Table", bound=tuple)
Columns = dict[str, tuple[tuple[int, ...], Any]]  # by name: the shape of one row, the dtype


class Trees(NamedTuple):
    """The trees of many games. Row 0 of a game's nodes is its root."""

    words: Any = "int64 nodes words"  # the states
    mover: Any = "int8 nodes"  # who is to move there
    raw_value: Any = "float64 nodes"  # the evaluator's, for the player to move
    is_legal: Any = "bool nodes actions"
    prior: Any = "float64 nodes actions"
    visit_counts: Any = "int32 nodes actions"
    value_sum: Any = "float64 nodes actions"  # for the player to move at the node
    child: Any = "int32 nodes actions"  # the row behind every move, 0 = none
    proven: Any = "int8 nodes actions"  # a move's worth to its mover, or UNKNOWN; see proofs.py
    moved_to: Any = "int32 nodes"  # for ``lift``: where a node goes
    num_nodes: Any = "int32"  # 0 = the root has not been evaluated yet
    remaining: Any = "int64"  # simulations that have not begun
    noise: Any = "float64 actions"  # of the root: mixed into its prior, or for its tree policy
    open_prior: Any = "float64 actions"  # for ``choose_by_root_form``: where nothing decides
    path: Any = "int32 plies 2"  # (node, action) of the current simulation
    depth: Any = "int32"  # its length
    leaf: Any = "int64 words"  # where it ended
    leaf_mover: Any = "int8"
    leaf_is_legal: Any = "bool actions"
    waiting: Any = "bool"  # for an evaluation of that leaf


class Cache(NamedTuple):
    """Evaluations by position, the last one in each of 2**k slots; no slots = no cache."""

    words: Any = "int64 words"
    filled: Any = "bool"
    is_legal: Any = "bool actions"
    prior: Any = "float64 actions"
    value: Any = "float64"
    claim: Any = "int32"  # 1 + the last game that wants to write there; 0 = none


class Games(NamedTuple):
    """The games of self-play. A game has room for ``max_plies`` records, one for each position that
    is learnt from."""

    words: Any = "int64 words"  # where it stands
    number: Any = "int64"  # it and the seed of the run decide every draw
    ply: Any = "int64"  # including the random opening
    is_full: Any = "bool"  # the move that is searched for is one to learn from
    is_over: Any = "bool"  # and waits to be collected
    outcome: Any = "int8"  # for the player to move at the end
    num_records: Any = "int64"
    num_rows: Any = "int64"  # samples that the game gives when it is over
    calm: Any = "float64"  # of a game played out: how bad it looked to one who did not lose it
    past_words: Any = "int64 plies words"
    past_mover: Any = "int8 plies"
    past_policy: Any = "float32 plies actions"  # what the tree policy would have a network learn
    past_value: Any = "float64 plies"  # what it takes the root to be worth, for its mover
    past_proven: Any = "bool plies"  # that is no estimate
    past_surprise: Any = "float64 plies"  # see ``surprise_of`` in play.py
    past_copies: Any = "int32 plies"  # how often it is learnt from
    visits: Any = "float64 actions"  # of the root that a move is chosen at; for ``move``
    value_sum: Any = "float64 actions"
    prior: Any = "float64 actions"
    target: Any = "float64 actions"  # its policy
    counts: Any = "int64 counts"  # what has happened in this slot, see ``COUNTS``
    entropy: Any = "float64"  # of the policies of finished games, in nats


COUNTS = (
    "games", "moves", "evaluations", "cached", "wins", "draws", "plies", "resigned", "decided",
    "played_out", "false_resignations", "samples",
)  # fmt: skip


class Ring(NamedTuple):
    """The newest samples: number ``i`` stands in row ``i % window``."""

    words: Any = "int64 words"  # or twice as many, with the last position of the game
    policy_target: Any = "float32 actions"
    value_target: Any = "float32"


def tree_columns(game: RulesGame, max_simulations: int, use_solver: bool) -> Columns:
    """Of one game's tree; see ``Trees``."""
    nodes = max_simulations + 1
    columns = _columns(Trees, game, nodes=nodes, plies=min(game.max_plies, nodes))
    return columns if use_solver else columns | {"proven": ((0, 0), np.int8)}


def cache_columns(game: RulesGame) -> Columns:
    """Of one slot; see ``Cache``."""
    return _columns(Cache, game)


def game_columns(game: RulesGame) -> Columns:
    """Of one game of self-play; see ``Games``."""
    return _columns(Games, game, plies=game.max_plies, counts=len(COUNTS))


def ring_columns(game: RulesGame, with_ends: bool) -> Columns:
    """Of one sample; see ``Ring``."""
    return _columns(Ring, game, words=len(game.State._fields) * (1 + with_ends))


def _columns(table: type[tuple], game: RulesGame, **sizes: int) -> Columns:
    """The columns of a table, with the sizes that its class has names for."""
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
        zeros: ``(shape, dtype)`` to an array; on a GPU another than NumPy's.
    """
    return kind(
        **{name: zeros((num_rows, *shape), dtype) for name, (shape, dtype) in columns.items()}
    )


def bytes_per_row(columns: Columns) -> int:
    """The memory that one row takes."""
    return sum(prod(shape) * np.dtype(dtype).itemsize for shape, dtype in columns.values())
