"""The games under way on a device: columns of tensors, and the form in which they are stored."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from azlearn.games import RulesGame


@dataclass
class Games:
    """The games under way in n slots: columns of tensors, one row a slot.

    A game has room for ``max_plies`` records, one for each searched position.
    """

    state: Tensor  # int64 [n, W]
    number: Tensor  # int64 [n]
    ply: Tensor  # int64 [n]; including the random opening
    num_records: Tensor  # int64 [n]
    lowest: Tensor  # float64 [n, 2], of every player's root values; infinite before the first
    entropy: Tensor  # float64 [n], of the π of all its records together, in nats
    past_state: Tensor  # int64 [n, max_plies, W]
    past_mover: Tensor  # int64 [n, max_plies]
    past_policy: Tensor  # float32 [n, max_plies, num_actions]
    past_value: Tensor  # float64 [n, max_plies]; the root's, for the player to move


def columns(game) -> list[tuple[tuple[int, ...], torch.dtype]]:
    """Shape and dtype of what ``Games`` holds of one game."""
    words, plies = len(game.State._fields), game.max_plies
    whole, real = torch.int64, torch.float64
    return [
        ((words,), whole), ((), whole), ((), whole), ((), whole), ((2,), real), ((), real),
        ((plies, words), whole), ((plies,), whole), ((plies, game.num_actions), torch.float32),
        ((plies,), real),
    ]  # fmt: skip


def new_games(game: RulesGame, num_games: int, device: str | torch.device) -> Games:
    """Memory for so many games."""
    return Games(
        *(
            torch.zeros(num_games, *shape, dtype=dtype, device=device)
            for shape, dtype in columns(game)
        )
    )


def pack(games: Games) -> dict[str, Any]:
    """As ``SelfPlay.state_dict`` has them: the records of all games, one game after the other."""
    count = games.num_records.cpu()
    is_record = torch.arange(games.past_mover.shape[1]) < count[:, None]
    return {
        "games.state": games.state.cpu(),
        "games.number": games.number.cpu(),
        "games.ply": games.ply.cpu(),
        "games.num_records": count,
        "records.state": games.past_state.cpu()[is_record],
        "records.policy": games.past_policy.cpu()[is_record],
        "records.root_value": games.past_value.cpu()[is_record],
        # Trees here prove nothing, and nobody asks how surprising a move was.
        "records.proven": torch.zeros(int(count.sum())).bool(),
        "records.surprise": torch.zeros(int(count.sum()), dtype=torch.float64),
    }


def unpack(state: dict[str, Any], games: Games, game: RulesGame) -> None:
    """Writes stored games to the first slots.

    Raises:
        RuntimeError, IndexError: shapes do not fit.
    """
    n, count = len(state["games.number"]), state["games.num_records"]
    games.state[:n].copy_(state["games.state"])
    games.number[:n].copy_(state["games.number"])
    games.ply[:n].copy_(state["games.ply"])
    games.num_records[:n].copy_(count)
    is_record = torch.arange(games.past_mover.shape[1]) < count[:, None]
    records = state["records.state"]
    mover = game.batch_to_play(game.State(*records.unbind(-1)))
    parts = (records, mover, state["records.policy"], state["records.root_value"])
    columns = (games.past_state, games.past_mover, games.past_policy, games.past_value)
    for column, part in zip(columns, parts, strict=True):
        whole = torch.zeros(n, *column.shape[1:], dtype=column.dtype)
        whole[is_record] = part
        column[:n].copy_(whole)
    whole = torch.zeros(is_record.shape, dtype=torch.float64)
    whole[is_record] = entropies(state["records.policy"])
    games.entropy[:n].copy_(whole.sum(1))
    movers, values = (x[:n].cpu() for x in (games.past_mover, games.past_value))
    for player in (0, 1):
        of_player = is_record & (movers == player)
        lowest = values.masked_fill(~of_player, torch.inf).amin(1)
        games.lowest[:n, player].copy_(lowest)


def entropies(policy: Tensor) -> Tensor:
    """float64 [n], of the distributions ``policy`` [n, num_actions], in nats."""
    p = policy.double()
    return -(p * p.clamp(min=1e-300).log()).sum(1)
