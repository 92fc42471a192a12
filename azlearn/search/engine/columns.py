"""What the engine remembers: tables of columns, from which memory, its size and checkpoints come.

A column has a name, a shape for one row, and a dtype; a table is a NamedTuple of arrays with one
row for each of its games, slots or samples. So a compiled function takes a whole table, and a
table has the same columns on every processor.
"""

from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple, TypeVar

import numpy as np

from azlearn.games import RulesGame

Table = TypeVar("Table", bound=tuple)
Columns = dict[str, tuple[tuple[int, ...], Any]]  # by name: the shape of one row, the dtype


class Trees(NamedTuple):
    """The trees of B games, A actions each. Row 0 of a game's nodes is its root."""

    words: Any  # int64 [B, nodes, W], the states
    mover: Any  # int8 [B, nodes], who is to move there
    raw_value: Any  # float64 [B, nodes], the evaluator's, for the player to move
    is_legal: Any  # bool [B, nodes, A]
    prior: Any  # float64 [B, nodes, A]
    visit_counts: Any  # int32 [B, nodes, A]
    value_sum: Any  # float64 [B, nodes, A], for the player to move at the node
    child: Any  # int32 [B, nodes, A], the row behind every move, 0 = none
    proven: Any  # int8 [B, nodes, A], a move's worth to its mover, or UNKNOWN; see proofs.py
    moved_to: Any  # int32 [B, nodes], for ``lift``: where a node goes
    num_nodes: Any  # int32 [B]; 0 = the root has not been evaluated yet
    remaining: Any  # int64 [B], simulations that have not begun
    noise: Any  # float64 [B, A], of the root: mixed into its prior, or for its plan
    open_prior: Any  # float64 [B, A], for ``choose_by_root_form``: of moves that nothing decides
    path: Any  # int32 [B, plies, 2], (node, action) of the current simulation
    depth: Any  # int32 [B], its length
    leaf: Any  # int64 [B, W], where it ended
    leaf_mover: Any  # int8 [B]
    leaf_is_legal: Any  # bool [B, A]
    waiting: Any  # bool [B], for an evaluation of that leaf


class Cache(NamedTuple):
    """Evaluations by position, the last one in each of 2**k slots; no slots = no cache."""

    words: Any  # int64 [slots, W]
    filled: Any  # bool [slots]
    is_legal: Any  # bool [slots, A]
    prior: Any  # float64 [slots, A]
    value: Any  # float64 [slots]
    claim: Any  # int32 [slots], 1 + the last game that wants to write there; 0 = none


class Games(NamedTuple):
    """The games of self-play in B slots. A game has room for ``max_plies`` records, one for each
    position that is learnt from."""

    words: Any  # int64 [B, W], where it stands
    number: Any  # int64 [B]; it and the seed of the run decide every draw
    ply: Any  # int64 [B], including the random opening
    is_full: Any  # bool [B], the move that is searched for is one to learn from
    is_over: Any  # bool [B], and waits to be collected
    outcome: Any  # int8 [B], for the player to move at the end
    num_records: Any  # int64 [B]
    num_rows: Any  # int64 [B], samples that the game gives when it is over
    calm: Any  # float64 [B], of a game played out: how bad it looked to one who did not lose it
    past_words: Any  # int64 [B, plies, W]
    past_mover: Any  # int8 [B, plies]
    past_policy: Any  # float32 [B, plies, A], what the plan would have a network learn
    past_value: Any  # float64 [B, plies], what it takes the root to be worth, for its mover
    past_proven: Any  # bool [B, plies], that is no estimate
    past_surprise: Any  # float64 [B, plies], see ``surprise_of`` in play.py
    past_copies: Any  # int32 [B, plies], how often it is learnt from
    visits: Any  # float64 [B, A], of the root that a move is chosen at; for ``move``
    value_sum: Any  # float64 [B, A]
    prior: Any  # float64 [B, A]
    target: Any  # float64 [B, A], its policy
    counts: Any  # int64 [B, len(COUNTS)], what has happened in this slot
    entropy: Any  # float64 [B], of the policies of finished games, in nats


COUNTS = (
    "games", "moves", "evaluations", "cached", "wins", "draws", "plies", "resigned", "decided",
    "played_out", "false_resignations", "samples",
)  # fmt: skip


class Ring(NamedTuple):
    """The newest samples: number ``i`` stands in row ``i % window``."""

    words: Any  # int64 [window, W], or [window, 2 W] with the last position of the game
    policy_target: Any  # float32 [window, A]
    value_target: Any  # float32 [window]


def tree_columns(game: RulesGame, max_simulations: int, proves: bool) -> Columns:
    """Of one game's tree; see ``Trees``."""
    words, actions, nodes = len(game.State._fields), game.num_actions, max_simulations + 1
    edges, plies = (nodes, actions), min(game.max_plies, nodes)
    return {
        "words": ((nodes, words), np.int64),
        "mover": ((nodes,), np.int8),
        "raw_value": ((nodes,), np.float64),
        "is_legal": (edges, np.bool_),
        "prior": (edges, np.float64),
        "visit_counts": (edges, np.int32),
        "value_sum": (edges, np.float64),
        "child": (edges, np.int32),
        "proven": (edges if proves else (0, 0), np.int8),
        "moved_to": ((nodes,), np.int32),
        "num_nodes": ((), np.int32),
        "remaining": ((), np.int64),
        "noise": ((actions,), np.float64),
        "open_prior": ((actions,), np.float64),
        "path": ((plies, 2), np.int32),
        "depth": ((), np.int32),
        "leaf": ((words,), np.int64),
        "leaf_mover": ((), np.int8),
        "leaf_is_legal": ((actions,), np.bool_),
        "waiting": ((), np.bool_),
    }


def cache_columns(game: RulesGame) -> Columns:
    """Of one slot; see ``Cache``."""
    return {
        "words": ((len(game.State._fields),), np.int64),
        "filled": ((), np.bool_),
        "is_legal": ((game.num_actions,), np.bool_),
        "prior": ((game.num_actions,), np.float64),
        "value": ((), np.float64),
        "claim": ((), np.int32),
    }


def game_columns(game: RulesGame) -> Columns:
    """Of one game of self-play; see ``Games``."""
    words, actions, plies = len(game.State._fields), game.num_actions, game.max_plies
    return {
        "words": ((words,), np.int64),
        "number": ((), np.int64),
        "ply": ((), np.int64),
        "is_full": ((), np.bool_),
        "is_over": ((), np.bool_),
        "outcome": ((), np.int8),
        "num_records": ((), np.int64),
        "num_rows": ((), np.int64),
        "calm": ((), np.float64),
        "past_words": ((plies, words), np.int64),
        "past_mover": ((plies,), np.int8),
        "past_policy": ((plies, actions), np.float32),
        "past_value": ((plies,), np.float64),
        "past_proven": ((plies,), np.bool_),
        "past_surprise": ((plies,), np.float64),
        "past_copies": ((plies,), np.int32),
        "visits": ((actions,), np.float64),
        "value_sum": ((actions,), np.float64),
        "prior": ((actions,), np.float64),
        "target": ((actions,), np.float64),
        "counts": ((len(COUNTS),), np.int64),
        "entropy": ((), np.float64),
    }


def ring_columns(game: RulesGame, with_ends: bool) -> Columns:
    """Of one sample; see ``Ring``."""
    return {
        "words": ((len(game.State._fields) * (1 + with_ends),), np.int64),
        "policy_target": ((game.num_actions,), np.float32),
        "value_target": ((), np.float32),
    }


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
