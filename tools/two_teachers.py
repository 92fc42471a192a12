"""Trains one network twice, on experts' games and by self-play, and stores the results as JSON.

This repeats figure 3 of AlphaGo Zero (Silver et al., Nature 550, 2017) on Connect Four. Both
networks have the same architecture, initial weights and training time. We measure how well they
predict experts' moves and results, and how well they play. ``python -m tools.two_teachers`` plays
the experts' games, trains again (14 minutes per seed on one idle core) and writes
``two_teachers.json``. Another processor gives other results.
"""

import json
from collections.abc import Sequence
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F

from azlearn.alphago import ExpertSettings, Positions, play_expert_games
from azlearn.alphago.positions import Split, positions_of, split_by_game
from azlearn.arena import CompiledUCTPlayer, PUCTPlayer, round_robin
from azlearn.course import stored_runs
from azlearn.course.stored_runs import MINUTES
from azlearn.games import ConnectFour, State
from azlearn.learning import (
    Budget,
    Hooks,
    NetworkEvaluator,
    ResNet,
    Training,
    augment,
    loss,
    preset,
)
from azlearn.learning.budget import CoreClock
from azlearn.learning.network import seeded_network
from azlearn.learning.optimizers import learning_rate, make_optimizer

FILE = Path(stored_runs.__file__).with_name("two_teachers.json")
# Far weaker than the pipeline's experts, so that a small network overtakes them in minutes.
GAME, EXPERTS = ConnectFour(), ExpertSettings(levels=(25, 100, 400))
SEEDS = range(5)
SETTINGS = preset("connect4", "cpu").with_changes({
    "network": "tiny", "precision": "float32", "snapshots_per_doubling": 0,
    "first_simulations": 16, "simulations": 32,
})  # fmt: skip
SIMULATIONS, MATCH_GAMES = 50, 20  # simulations per move; games per pair of players
ANCHOR = max(EXPERTS.levels)  # rollouts per move of the strongest expert, whose Elo is 0


class Taught(NamedTuple):
    """A network at a moment of its training."""

    minutes: float
    network: ResNet


def first_network(seed: int) -> ResNet:
    """The initial network, the same as ``Training`` starts with at this seed."""
    return seeded_network(GAME, SETTINGS.network, seed, **SETTINGS.heads())


def by_experts(data: Positions, seed: int, minutes: Sequence[float] = MINUTES) -> list[Taught]:
    """Trains on the moves and results in ``data``; returns the network after each of ``minutes``.

    The loss is that of self-play. The paper weights the value loss by 0.01 so that the network does
    not memorize results; this network is too small for that.

    Args:
        minutes: in ascending order.
    """
    network, rng, taught = first_network(seed), np.random.default_rng(seed), []
    network.to(memory_format=torch.channels_last).train()
    rates, clock = (SETTINGS.learning_rate, SETTINGS.weight_decay), CoreClock(0)
    optimizer = make_optimizer(network.parameters(), SETTINGS.optimizer, *rates)
    while len(taught) < len(minutes):
        batch = data.take(rng.integers(len(data.me), size=SETTINGS.batch_size))
        states = State(torch.from_numpy(batch.me), torch.from_numpy(batch.opp))
        moves = F.one_hot(torch.from_numpy(batch.action), GAME.num_actions).float()
        rows = torch.stack([moves, GAME.batch_legal_mask(states).float()], 1)
        planes, rows = augment(GAME, GAME.batch_encode(states), rows, rng)
        z = torch.from_numpy(batch.z)
        parts = loss(network, planes, rows[:, 1].bool(), rows[:, 0], z, SETTINGS.l2)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(SETTINGS, min(clock.minutes / minutes[-1], 1.0))
        optimizer.zero_grad()
        parts.total.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), SETTINGS.gradient_norm)
        optimizer.step()
        if clock.minutes >= minutes[len(taught)]:
            taught.append(Taught(clock.minutes, deepcopy(network).eval()))
    return taught


def by_itself(seed: int, minutes: Sequence[float] = MINUTES) -> list[Taught]:
    """Trains AlphaZero; returns the network at the first iteration past each of ``minutes``.

    Args:
        minutes: in ascending order.
    """
    taught: list[Taught] = []

    def report(row: dict[str, Any]) -> None:
        if len(taught) < len(minutes) and row["minutes"] >= minutes[len(taught)]:
            taught.append(Taught(row["minutes"], deepcopy(run.network).eval()))

    with TemporaryDirectory() as out:
        settings, budget = SETTINGS.with_changes({"seed": seed}), Budget(minutes=minutes[-1])
        run = Training(settings, budget, Path(out), hooks=Hooks(report), clock=CoreClock)
        run.run()
    return taught


def predictions(network: ResNet, held_out: Positions) -> dict[str, float]:
    """How well a network predicts experts' games.

    Returns:
        ``accuracy``, the fraction of the experts' moves that have the highest p; ``value_error``,
        the mean of (z - v)².
    """
    p, v = NetworkEvaluator(GAME, network).batch(State(held_out.me, held_out.opp))
    found = {
        "accuracy": p.argmax(1) == held_out.action,
        "value_error": (held_out.z - v) ** 2,
    }
    return {name: round(float(each.mean()), 4) for name, each in found.items()}


def measured(
    start: ResNet, teachers: dict[str, list[Taught]], held_out: Positions, games: int = MATCH_GAMES
) -> dict[str, list[dict[str, float]]]:
    """Measures all networks.

    Args:
        start: the network that both started with.
        games: games per pair of players, an even number.

    Returns:
        For each teacher a row per moment, the start first: ``minutes``, the ``predictions``, and
        ``elo`` relative to the strongest expert, from a tournament of all networks.
    """
    players = [CompiledUCTPlayer(GAME, ANCHOR)]
    anchor, rows = players[0].name, {}
    for name, taught in {"start": [Taught(0.0, start.eval())], **teachers}.items():
        rows[name] = []
        for minutes, network in taught:
            label = f"{name} {len(rows[name])}"
            evaluator = NetworkEvaluator(GAME, network)
            players.append(PUCTPlayer(GAME, evaluator, SIMULATIONS, c=SETTINGS.c, label=label))
            rows[name].append({"minutes": round(minutes, 2), **predictions(network, held_out)})
            rows[name][-1]["player"] = players[-1].name
    elo = {rating.name: rating.elo for rating in round_robin(players, games).ratings(anchor)}
    for row in (row for found in rows.values() for row in found):
        row["elo"] = round(elo[row.pop("player")])
    return {name: rows["start"] + rows[name] for name in teachers}


def experts(folder: str | Path) -> Split:
    """The positions of experts' games, with a tenth held out; ``folder`` stores the games."""
    records = play_expert_games(EXPERTS, folder, processes=1)
    return split_by_game(GAME, positions_of(GAME, records))


def train(data: Split, seed: int) -> dict[str, list[dict[str, float]]]:
    """The rows of ``measured`` for both teachers."""
    teachers = {"experts": by_experts(data.train, seed), "itself": by_itself(seed)}
    return measured(first_network(seed), teachers, data.held_out)


def main() -> None:
    """Plays, trains and measures in turn, and writes the file."""
    data, found = experts("runs/expert_games"), []
    by_itself(0, MINUTES[:1])  # compiles self-play before any time is measured
    for seed in SEEDS:
        found.append(train(data, seed))
        print(seed, {name: rows[-1] for name, rows in found[-1].items()}, flush=True)
    FILE.write_text(json.dumps(found, indent=0).replace("\n", "") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
