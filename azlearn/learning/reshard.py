"""Redistributes games, positions and numbers when a run resumes with another number of ranks."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

# The state of one rank's SelfPlay and ReplayBuffer (its keys start with "replay.").
State = dict[str, Any]
_RECORDS = ("state", "policy", "root_value", "proven", "surprise")
_GAMES = ("number", "state", "ply", "num_records")


def resharded(states: Sequence[State], rank: int, world_size: int, window: int) -> State:
    """Returns the state from which ``rank`` of the new ``world_size`` resumes.

    Every game in progress and every position goes to exactly one rank. If there are more positions
    than fit in a window, the newest are kept.

    Args:
        states: the states of the previous ranks, in rank order.
        window: positions in a rank's replay buffer.
    """
    first = max(state["next_number"] for state in states)  # no number may be used twice
    lowest = torch.cat([state["resignation.lowest"] for state in states])
    return {
        **_games(states, rank, world_size),
        **_replay(states, rank, world_size, window),
        "next_number": first + (rank - first) % world_size,
        "resignation.lowest": lowest[rank::world_size],
        "threshold": sum(state["threshold"] for state in states) / len(states),
    }


def _games(states: Sequence[State], rank: int, world_size: int) -> State:
    """Returns every ``world_size``-th game in progress, by number, with its records."""
    columns = {f"games.{name}": [] for name in _GAMES} | {f"records.{n}": [] for n in _RECORDS}
    for state in states:
        counts = state["games.num_records"].tolist()
        for name, parts in columns.items():
            column = state[name]
            parts += column.split(counts if name.startswith("records.") else 1)
    order = torch.cat(columns["games.number"]).argsort().tolist()[rank::world_size]
    return {name: torch.cat([p[0][:0], *(p[i] for i in order)]) for name, p in columns.items()}


def _replay(states: Sequence[State], rank: int, world_size: int, window: int) -> State:
    """Returns every ``world_size``-th position by age; ages compare, as ranks add equally fast."""
    names = [
        name for name in states[0] if name.startswith("replay.") and name != "replay.num_added"
    ]
    lengths = [len(state[names[0]]) for state in states]
    ages = torch.cat([torch.arange(length, 0, -1) for length in lengths])
    order = ages.argsort(descending=True, stable=True)[rank::world_size][-window:]
    found: dict[str, Tensor] = {name: torch.cat([s[name] for s in states])[order] for name in names}
    # Any larger number would make a buffer count rows that nobody has written.
    return {**found, "replay.num_added": len(order)}
