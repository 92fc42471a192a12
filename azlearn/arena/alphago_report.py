"""The results of a run of AlphaGo's pipeline, by name."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

from azlearn.alphago.networks import load_stage_network
from azlearn.alphago.pipeline_settings import PipelineSettings, read_settings
from azlearn.alphago.stages import is_done, read_stage
from azlearn.arena.alphago_stages import stages_of
from azlearn.games.named import make_game, shipped_name
from azlearn.learning.files import CorruptFileError
from azlearn.learning.living_filters import living_share

NETWORKS = ("supervised", "policy_gradient", "value")  # the stages that train p_σ, p_ρ and v_θ
SHIPPED = Path(str(files("azlearn"))) / "data" / "alphago"  # the run that comes with the package


def shipped(game: str) -> Path:
    """Returns the folder of the run that comes with the package for a game; it may not exist.

    Raises:
        ValueError: there is no such game.
    """
    name = shipped_name(make_game(game)) or game
    return SHIPPED if name == "connect4" else SHIPPED.with_name(f"alphago_{name}")


def report(folder: Path = SHIPPED) -> dict[str, Any]:
    """Returns the measurements from the stages of a run.

    Args:
        folder: the run's folder.

    Returns:
        A JSON-serializable dict. ``supervised``, ``rollout``, ``policy_gradient``, ``value``:
        results, each with its 95% interval as ``…_interval`` and its sample size as ``…_n``
        (positions, or games of a match). ``test_share_known``: the fraction of the boards in the
        value networks' test games that also occur in training, up to symmetry. Each value network
        is tested on games like its training games. ``…_on_one_position_a_game`` tests the network
        trained on whole games with the other's test games. ``truth_…`` tests both on solved
        positions (Connect Four). ``living_filters``: the fraction of live filters in p_σ, p_ρ, v_θ.
        ``search``: the tournaments, at equal simulations and at equal time. ``zero``: AlphaGo
        against AlphaGo Zero, if there was one. ``settings``, with the ``seed``, and ``minutes`` of
        every stage.

    Raises:
        FileNotFoundError: there is no run, or a stage is not done yet.
        CorruptFileError: a file is damaged or not from azlearn.
    """
    settings = read_settings(folder)
    names = list(stages_of(settings))
    if "zero" not in names and is_done(folder, "zero"):
        names.append("zero")  # the network is missing, but the stage's results exist
    stages = {name: read_stage(folder, name) for name in names}
    with complete(folder):
        figures = _assembled(settings, stages)
    for name in NETWORKS:
        network = load_stage_network(folder / f"{name}.safetensors").network
        figures[name]["living_filters"] = living_share(network)
    return figures


@contextmanager
def complete(folder: Path) -> Iterator[None]:
    """Raises CorruptFileError if a result of the run in ``folder`` is missing or malformed."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CorruptFileError(
            f"The results of a stage in {folder} are damaged or not from azlearn"
            f" ({type(error).__name__}: {error})."
        ) from None


# For each part: what is measured, and the stage that has measured each result.
_FIGURES = {
    "supervised": ("accuracy", {
        "accuracy_all_features": "supervised",
        "accuracy_raw_board": "supervised_raw_board",
        "accuracy_all_features_without_passes": "supervised.without_passes",
        "accuracy_raw_board_without_passes": "supervised_raw_board.without_passes",
    }),
    "rollout": ("accuracy", {
        "accuracy": "rollout",
        "accuracy_without_passes": "rollout.without_passes",
    }),
    "policy_gradient": ("score", {
        "win_rate_against_supervised": "policy_gradient_match.policy_gradient",
        "win_rate_against_supervised_without_pool":
            "policy_gradient_match.policy_gradient_without_pool",
    }),
    "value": ("mse", {
        "train_mse_one_position_a_game": "value.train",
        "test_mse_one_position_a_game": "value.test",
        "train_mse_all_positions": "value_all_positions.train",
        "test_mse_all_positions": "value_all_positions.test",
        "test_mse_all_positions_on_one_position_a_game":
            "value_all_positions.test_one_position_a_game",
        "truth_mse_one_position_a_game": "value_truth.value",
        "truth_mse_all_positions": "value_truth.value_all_positions",
    }),
}  # fmt: skip
_NOT_EVERYWHERE = ("value_truth", "without_passes")  # only in a solved game; only if experts passed


def _assembled(settings: PipelineSettings, stages: dict[str, dict[str, Any]]) -> dict[str, Any]:
    figures = {name: stage["figures"] for name, stage in stages.items()}
    parts = {
        part: dict(pair for place in places.items() for pair in _figure(figures, *place, of))
        for part, (of, places) in _FIGURES.items()
    }
    parts["supervised"]["by_ply"] = figures["supervised"]["by_ply"]
    parts["supervised"]["learning_curve"] = figures["learning_curve"]["points"]
    for name, of in (("", "pattern"), ("_uniform", "uniform"), ("_network", "network")):
        parts["rollout"][f"microseconds_per_move{name}"] = figures["speed"][of]
    for name, of in (("one_position_a_game", "value"), ("all_positions", "value_all_positions")):
        parts["value"][f"test_share_known_{name}"] = figures[of]["test_share_known"]
    parts["search"] = {
        "equal_simulations": figures["tournament"],
        "equal_time": figures["tournament_equal_time"],
    }
    if "zero" in figures:
        parts["zero"] = figures["zero"]
    return {
        "settings": asdict(settings),
        "positions": figures["positions"],
        **{part: found | {"seed": settings.seed} for part, found in parts.items()},
        **({"accuracy": figures["accuracy"]} if "accuracy" in figures else {}),
        "minutes": {name: stage["seconds"] / 60 for name, stage in stages.items()},
    }


def _figure(figures: dict, name: str, place: str, of: str) -> Iterator[tuple[str, Any]]:
    """Yields a result, its interval and its sample size under the names of the report."""
    found = figures
    for key in place.split("."):
        if key in _NOT_EVERYWHERE and key not in found:
            return
        found = found[key]
    yield name, found[of]
    yield f"{name}_interval", found.get(f"{of}_interval", found.get("interval"))
    yield f"{name}_n", found.get("games") if of == "score" else found["num_positions"]
