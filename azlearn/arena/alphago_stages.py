"""The stages of AlphaGo's pipeline that measure what the other stages have trained.

| stage                 | what it measures                                    | from               |
|-----------------------|-----------------------------------------------------|--------------------|
| policy_gradient_match | p_ρ, with and without opponent pool, against p_σ    | p_σ, p_ρ           |
| accuracy              | policies without search on solved positions (1)     | p_σ, p_ρ           |
| value_truth           | both value networks against the solver's values (1) | v_θ                |
| tournament            | λ, priors and parts, at equal simulations           | p_σ, p_ρ, p_π, v_θ |
| tournament_equal_time | the same at equal time per move                     | p_σ, p_ρ, p_π, v_θ |
| zero                  | AlphaGo against AlphaGo Zero; predicting experts    | all                |

(1) This runs only in Connect Four, which is solved. AlphaGo Zero plays only if it has a network.
"""

from pathlib import Path
from typing import Any

import numpy as np

from azlearn.alphago import pipeline
from azlearn.alphago.networks import load_stage_network
from azlearn.alphago.pipeline_settings import PipelineSettings
from azlearn.alphago.policies import policy_of, value_of
from azlearn.alphago.positions import Positions, read_positions
from azlearn.alphago.rollout_policy import RolloutPolicy
from azlearn.alphago.stages import Stage
from azlearn.alphago.supervised import accuracy_of
from azlearn.alphago.value_network import mse
from azlearn.arena.alphago_players import alphago_player, policy_player, rollout_player
from azlearn.arena.match import play_match
from azlearn.arena.measuring import accuracy
from azlearn.arena.network_players import PUCTPlayer
from azlearn.arena.players import Player
from azlearn.arena.positions import load_positions
from azlearn.arena.tournament import equal_time, round_robin
from azlearn.games import ConnectFour, State
from azlearn.learning import LoadedNetwork, load_network

GAME = ConnectFour()
ONLY_SOLVED = ("accuracy", "value_truth")


def _load(folder: Path, name: str) -> LoadedNetwork:
    return load_stage_network(folder / f"{name}.safetensors")


def _policy_gradient_match(folder: Path, settings: PipelineSettings) -> dict[str, Any]:
    game = settings.make_game()
    sampled = {
        name: policy_player(_load(folder, name), name, sampled=True, game=game)
        for name in ("supervised", "policy_gradient", "policy_gradient_without_pool")
    }
    return {
        name: play_match(
            sampled[name], sampled["supervised"], settings.policy_games, settings.seed
        ).table()
        for name in ("policy_gradient", "policy_gradient_without_pool")
    }


def _accuracy(folder: Path, settings: PipelineSettings) -> dict[str, Any]:
    names = (
        "supervised", "supervised_raw_board", "policy_gradient", "policy_gradient_without_pool",
    )  # fmt: skip
    zero = load_network(settings.zero_network())
    networks = {name: _load(folder, name) for name in names} | {"zero": zero}
    positions = load_positions()
    return {
        name: accuracy(policy_player(network, name), positions)
        for name, network in networks.items()
    }


def _value_truth(folder: Path, settings: PipelineSettings) -> dict[str, Any]:
    truth = solved_moves()
    return {
        name: mse(value_of(_load(folder, name)), truth)._asdict()
        for name in ("value", "value_all_positions")
    }


def solved_moves() -> Positions:
    """Returns the positions after each move in the labeled positions, with the solver's value as z.

    All three values occur. The moves of one position share a game number: they are not independent.
    """
    rows = []
    for number, position in enumerate(load_positions()):
        for action in position.legal_actions:
            state = GAME.next_state(position.state, action)
            if GAME.outcome(state) is None:
                rows.append(
                    (*state, 0, -np.sign(position.scores[action]), number, position.ply + 1)
                )
    me, opp, action, z, number, ply = (np.array(column) for column in zip(*rows, strict=True))
    return Positions(me, opp, action, z.astype(np.float32), number, ply)


def _players(folder: Path, settings: PipelineSettings) -> list[Player]:
    """Returns AlphaGo's search, complete and with parts left out, and AlphaGo Zero's search."""
    supervised, gradient, value = (
        _load(folder, name) for name in ("supervised", "policy_gradient", "value")
    )
    rollout, _ = RolloutPolicy.load(folder / "rollout.safetensors")
    searches = [
        alphago_player(
            policy, value, rollout, settings.simulations,
            mixing_lambda=mixing_lambda, c=settings.c, seed=settings.seed, label=label,
            game=settings.make_game(),
        )
        for label, policy, mixing_lambda in (
            ("λ = 0.5", supervised, 0.5),
            ("λ = 0", supervised, 0.0),
            ("λ = 1", supervised, 1.0),
            ("λ = 0.5, p_ρ's priors", gradient, 0.5),
            ("value network only", None, 0.0),
        )
    ]  # fmt: skip
    rollouts = rollout_player(rollout, settings.simulations, label="rollouts only")
    zero = [_zero_player(settings)] if has_zero(settings) else []
    return [*searches, rollouts, *zero]


def has_zero(settings: PipelineSettings) -> bool:
    """Returns whether AlphaGo Zero's network, as named in the settings, exists.

    Raises:
        CorruptFileError: the network cannot be read.
    """
    try:
        load_network(settings.zero_network())
    except FileNotFoundError:
        return False
    return True


def _zero_player(settings: PipelineSettings) -> PUCTPlayer:
    game, network = settings.make_game(), settings.zero_network()
    return PUCTPlayer(game, network, settings.simulations, settings.c, label="AlphaGo Zero")


def _policies(folder: Path, settings: PipelineSettings) -> list[Player]:
    return [
        policy_player(_load(folder, name), label, game=settings.make_game())
        for name, label in (("supervised", "p_σ only"), ("policy_gradient", "p_ρ only"))
    ]


def _tournament(folder: Path, settings: PipelineSettings) -> dict[str, Any]:
    players = [*_players(folder, settings), *_policies(folder, settings)]
    positions = load_positions() if settings.make_game() == GAME else []
    return {
        **round_robin(players, settings.match_games, settings.seed).table(),
        "accuracy": {player.name: accuracy(player, positions) for player in players if positions},
    }


def _tournament_equal_time(folder: Path, settings: PipelineSettings) -> dict[str, Any]:
    timed = equal_time(
        _players(folder, settings), settings.milliseconds, _some_states(folder, settings),
        settings.rng(9),
    )  # fmt: skip
    players = [*(one.player for one in timed), *_policies(folder, settings)]
    return {
        **round_robin(players, settings.match_games, settings.seed).table(),
        "milliseconds": {one.player.name: 1000 * one.seconds for one in timed},
    }


def _zero(folder: Path, settings: PipelineSettings) -> dict[str, Any]:
    alphago, zero = _players(folder, settings)[0], _zero_player(settings)
    timed = equal_time(
        [alphago, zero], settings.milliseconds, _some_states(folder, settings), settings.rng(10)
    )
    game, held_out = settings.make_game(), _held_out(folder, settings)
    networks = {
        "supervised": _load(folder, "supervised"), "zero": load_network(settings.zero_network()),
    }  # fmt: skip
    games, seed = settings.zero_games, settings.seed
    return {
        "equal_simulations": play_match(alphago, zero, games, seed).table(),
        "equal_time": play_match(*(one.player for one in timed), games, seed).table(),
        "milliseconds": {one.player.name: 1000 * one.seconds for one in timed},
        "predicts_experts": {
            name: accuracy_of(game, policy_of(network), held_out).table()
            for name, network in networks.items()
        },
    }


def _held_out(folder: Path, settings: PipelineSettings) -> Positions:
    path = folder / "positions.safetensors"
    return read_positions(path, settings.make_game())["held_out"]


def _some_states(folder: Path, settings: PipelineSettings) -> list[State]:
    """Returns early and late positions for timing moves: labeled ones, or else held-out ones."""
    game = settings.make_game()
    if game == GAME:
        return [position.state for position in load_positions()[::20]]
    held_out = _held_out(folder, settings)
    rows = settings.rng(11).choice(len(held_out.me), min(60, len(held_out.me)), replace=False)
    return [game.state_of(words) for words in np.stack(held_out.states, axis=1)[np.sort(rows)]]


def stages_of(settings: PipelineSettings) -> dict[str, Stage]:
    """Returns the stages of a run with these settings, by name and in order."""
    left_out = () if settings.make_game() == GAME else ONLY_SOLVED
    left_out = left_out if has_zero(settings) else (*left_out, "zero")
    return {name: stage for name, stage in STAGES.items() if name not in left_out}


STAGES = {
    **pipeline.STAGES,
    "policy_gradient_match": _policy_gradient_match,
    "accuracy": _accuracy,
    "value_truth": _value_truth,
    "tournament": _tournament,
    "tournament_equal_time": _tournament_equal_time,
    "zero": _zero,
}
