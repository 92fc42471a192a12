"""AlphaGo's training in stages (Silver et al. 2016, figure 1), from expert games to values.

| stage                        | result                                         | from            |
|------------------------------|------------------------------------------------|-----------------|
| positions                    | positions of expert games, split by game       | games/, or SGF  |
| supervised                   | p_σ, with all planes                           | positions       |
| supervised_raw_board         | the same with the raw board, to compare        | positions       |
| learning_curve               | the accuracy of p_σ with fewer games           | positions       |
| leak                         | the error that a split by position would hide  | positions       |
| rollout                      | p_π, the fast policy                           | positions       |
| policy_gradient              | p_ρ, trained against earlier versions          | p_σ             |
| policy_gradient_without_pool | the same against its newest version            | p_σ             |
| value_positions              | p_ρ's games: one position of each, and all     | p_σ, p_ρ        |
| value                        | v_θ, from one position per game                | value_positions |
| value_all_positions          | the same from whole games                      | value_positions |
| speed                        | the time per move of p_π and of p_σ            | p_σ, p_π        |

A stage's network is in ``STAGE.safetensors``, its results in ``STAGE.json`` (see ``stages.py``).
"""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from azlearn.alphago.compiled_rollouts import microseconds_per_move
from azlearn.alphago.expert_games import (
    Expert,
    play_expert_games,
    read_expert_games,
    uct_move,
)
from azlearn.alphago.fitting import FitRow, fit
from azlearn.alphago.go_records import records_of
from azlearn.alphago.networks import (
    load_stage_network,
    new_network,
    planes_game,
    save_stage_network,
)
from azlearn.alphago.pipeline_settings import SETTINGS_FILE, PipelineSettings, read_settings
from azlearn.alphago.policies import evaluate_batched, network_policy, policy_of, value_of
from azlearn.alphago.policy_gradient import GradientRow, train_policy_gradient
from azlearn.alphago.positions import (
    Positions,
    Split,
    last_columns,
    positions_of,
    read_positions,
    shared_boards,
    split_by_game,
    write_positions,
)
from azlearn.alphago.rollout_policy import RolloutPolicy, train_rollout_policy
from azlearn.alphago.stages import Stage, read_stage, run_stages
from azlearn.alphago.supervised import learning_curve, score_of, train_supervised
from azlearn.alphago.value_network import all_positions, leak, mse, one_position_a_game
from azlearn.games.rules_game import RulesGame
from azlearn.learning import NetworkEvaluator
from azlearn.learning.files import claim_folder, exclusive_lock
from azlearn.learning.launch import keep_freed_memory
from azlearn.search.selection import check_count

CURVE = (1 / 64, 1 / 16, 1 / 4)  # of the training games; the stage "supervised" uses all of them
TEST_SHARE = 0.1  # of the games for the value network
HISTORY_ROWS = 50  # rows of the policy gradient's history, each a mean over several steps


def make_alphago(
    folder: str | Path,
    settings: PipelineSettings,
    processes: int,
    stages: dict[str, Stage] | None = None,
    expert: Expert = uct_move,
    **callbacks: Callable,
) -> None:
    """Runs the stages that ``folder`` does not contain yet; after a crash, call it again.

    Args:
        folder: the folder of the run, which must have these settings; created if missing.
        processes: the number of processes that play expert games.
        stages: the stages to run, by name; None: ``STAGES``.
        expert: plays the expert games, see ``play_expert_games``.
        callbacks: ``started`` and ``finished`` of ``run_stages``.

    Raises:
        ValueError: the folder has other settings or is in use, or ``processes`` is below 1.
        CorruptFileError, OSError: as in ``run_stages`` and ``play_expert_games``.
    """
    check_count(processes, "processes")
    keep_freed_memory()
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with exclusive_lock(folder):
        path = folder / SETTINGS_FILE
        claim_folder(path, asdict(settings), lambda: asdict(read_settings(folder)))
        if not settings.records:
            games = folder / "games"
            play_expert_games(settings.expert_games(), games, processes=processes, expert=expert)
        run_stages(stages or STAGES, folder, settings, **callbacks)


def _positions(folder: Path, settings: PipelineSettings) -> dict[str, Any]:
    game = settings.make_game()
    if settings.records:
        records, skipped = records_of(game, settings.records)
    else:
        records, skipped = read_expert_games(folder / "games"), {}
    positions = positions_of(game, records, played_out=not settings.records)
    split = split_by_game(game, positions, settings.held_out_share, settings.rng(1))
    sides = {"train": split.train, "held_out": split.held_out}
    write_positions(folder / "positions.safetensors", sides)
    return {
        "games": len(records),
        "skipped": skipped,
        "positions": len(positions.me),
        **{name: len(side.me) for name, side in sides.items()},
        "num_removed": split.num_removed,
        "share_removed": split.share_removed,
    }


def _split(folder: Path, settings: PipelineSettings) -> Split:
    sides = read_positions(folder / "positions.safetensors", settings.make_game())
    figures = read_stage(folder, "positions")["figures"]
    return Split(**sides, **{name: figures[name] for name in ("num_removed", "share_removed")})


def _imitate(folder: Path, settings: PipelineSettings, name: str, planes: str) -> dict[str, Any]:
    split, fit_settings = _split(folder, settings), settings.fit(settings.supervised_epochs)
    game = settings.make_game()
    trained = train_supervised(
        split, planes, settings.network, fit_settings, settings.rng(2), game=game
    )
    evaluator = NetworkEvaluator(planes_game(planes, game), trained.network)
    p = evaluate_batched(policy_of(evaluator), split.held_out)
    figures = {**_score(game, p, split.held_out), "history": _rows(trained.history)}
    _save(folder, settings, name, planes, trained.network, figures["accuracy"])
    return figures


def _learning_curve(folder: Path, settings: PipelineSettings) -> dict[str, Any]:
    fit_settings = settings.fit(settings.supervised_epochs)
    points = learning_curve(
        _split(folder, settings), "all", CURVE, settings.network, fit_settings, settings.rng(3),
        game=settings.make_game(),
    )  # fmt: skip
    return {"points": [{**p._asdict(), "score": p.score.table()} for p in points]}


def _leak(folder: Path, settings: PipelineSettings) -> dict[str, Any]:
    train = _split(folder, settings).train
    games = np.unique(train.game_number)[: settings.leak_games]
    few = train.take(np.isin(train.game_number, games))
    fit_settings = settings.fit(settings.value_epochs)
    return leak(
        few, "all", settings.network, fit_settings, rng=settings.rng(8), game=settings.make_game()
    )._asdict()


def _rollout(folder: Path, settings: PipelineSettings) -> dict[str, Any]:
    split, game = _split(folder, settings), settings.make_game()
    train, held_out = (side._replace(last=last_columns(side)) for side in split[:2])
    trained = train_rollout_policy(
        train, held_out, epochs=settings.rollout_epochs, rng=settings.rng(4), game=game
    )
    trained.policy.save(folder / "rollout.safetensors", {"seed": settings.seed}, settings.game)
    p = trained.policy.probabilities(held_out.states, held_out.last)
    names = ("log_likelihood", "accuracy", "num_positions")
    return {
        **_score(game, p, split.held_out),
        "history": [{name: getattr(row, name) for name in names} for row in trained.history],
    }


def _score(game: RulesGame, p: np.ndarray, positions: Positions) -> dict[str, Any]:
    """Scores p; also without passes if there are any, because they are easy to predict."""
    figures, stones = score_of(game, p, positions).table(), positions.action < game.rows * game.cols
    if not stones.all():
        figures["without_passes"] = score_of(game, p[stones], positions.take(stones)).table()
    return figures


def _reinforce(folder: Path, settings: PipelineSettings, name: str, pool: bool) -> dict[str, Any]:
    loaded = load_stage_network(folder / "supervised.safetensors")
    network, history = train_policy_gradient(
        loaded.game, loaded.network, settings.gradient(pool), settings.rng(5)
    )
    _save(folder, settings, name, "all", network, history[-1].games)
    parts = np.array_split(np.array(history), min(HISTORY_ROWS, len(history)))
    means = [GradientRow(*part.mean(axis=0).tolist())._asdict() for part in parts]
    return {"games": history[-1].games, "history": means}


def _value_positions(folder: Path, settings: PipelineSettings) -> dict[str, Any]:
    sl_policy, rl_policy = (
        network_policy(loaded.game, loaded.network)
        for loaded in (
            load_stage_network(folder / f"{name}.safetensors")
            for name in ("supervised", "policy_gradient")
        )
    )
    n, rng, game = settings.value_games, settings.rng(6), settings.make_game()
    num_test = max(2, round(TEST_SHARE * n))
    sides = {
        "one": one_position_a_game(game, sl_policy, rl_policy, n, rng),
        "one_test": one_position_a_game(game, sl_policy, rl_policy, num_test, rng),
        "all": all_positions(game, rl_policy, n, rng),
        "all_test": all_positions(game, rl_policy, max(num_test, 2 * game.max_plies), rng),
    }
    write_positions(folder / "value_positions.safetensors", sides)
    return {
        name: {"positions": len(side.me), "games": len(np.unique(side.game_number))}
        for name, side in sides.items()
    }


def _predict(folder: Path, settings: PipelineSettings, name: str, side: str) -> dict[str, Any]:
    rng, path = settings.rng(7), folder / "value_positions.safetensors"
    sides = read_positions(path, settings.make_game())
    game = load_stage_network(folder / "policy_gradient.safetensors").game
    network = new_network(game, settings.network, rng)
    history = fit(
        game, network, sides[side], "value", settings.fit(settings.value_epochs), rng,
        held_out=sides[f"{side}_test"],
    )  # fmt: skip
    value = value_of(NetworkEvaluator(game, network))
    errors = {
        "train": sides[side],
        "test": sides[f"{side}_test"],
        "test_one_position_a_game": sides["one_test"],
    }
    figures = {error: mse(value, positions)._asdict() for error, positions in errors.items()}
    # Unlike in p_σ's test set, boards known from training stay in: the paper tests on whole new
    # games, and without these boards mostly late positions would be left, which are easier.
    known = shared_boards(game, sides[side], sides[f"{side}_test"])
    figures["test_share_known"] = float(known.mean())
    _save(folder, settings, name, "all", network, figures["test"]["mse"])
    return {**figures, "history": _rows(history)}


def _speed(folder: Path, settings: PipelineSettings) -> dict[str, Any]:
    loaded = load_stage_network(folder / "supervised.safetensors")
    policy, _ = RolloutPolicy.load(folder / "rollout.safetensors")
    return microseconds_per_move(policy, NetworkEvaluator(loaded.game, loaded.network))


def _save(
    folder: Path, settings: PipelineSettings, name: str, planes: str, network, figure: float
) -> None:
    info = {"stage": name, "figure": figure, "settings": asdict(settings)}
    save_stage_network(folder / f"{name}.safetensors", planes, network, info, settings.game)


def _rows(history: list[FitRow]) -> list[dict[str, Any]]:
    return [row._asdict() for row in history]


STAGES: dict[str, Stage] = {
    "positions": _positions,
    "supervised": partial(_imitate, name="supervised", planes="all"),
    "supervised_raw_board": partial(_imitate, name="supervised_raw_board", planes="raw"),
    "learning_curve": _learning_curve,
    "leak": _leak,
    "rollout": _rollout,
    "policy_gradient": partial(_reinforce, name="policy_gradient", pool=True),
    "policy_gradient_without_pool": partial(
        _reinforce, name="policy_gradient_without_pool", pool=False
    ),
    "value_positions": _value_positions,
    "value": partial(_predict, name="value", side="one"),
    "value_all_positions": partial(_predict, name="value_all_positions", side="all"),
    "speed": _speed,
}
