"""The figures of a run of AlphaGo's pipeline, by name."""

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
from azlearn.learning.files import DamagedFile
from azlearn.learning.living_filters import living_share

NETWORKS = ("supervised", "policy_gradient", "value")  # the stages that leave p_σ, p_ρ and v_θ
SHIPPED = Path(str(files("azlearn"))) / "data" / "alphago"  # the run that comes with the package


def shipped(game: str) -> Path:
    """The folder of the run that comes with the package for a game; it may not be there."""
    return SHIPPED if game == "connect4" else SHIPPED.with_name(f"alphago_{game}")


def report(folder: Path = SHIPPED) -> dict[str, Any]:
    """What the stages of a run have measured.

    Args:
        folder: of the run.

    Returns:
        JSON-able. ``supervised``, ``rollout``, ``policy_gradient``, ``value``: figures; with each
        its 95 % interval as ``…_interval`` and its sample size as ``…_n`` (positions, or games of a
        match); and ``test_share_known``: of the boards of the value networks' test games, up to
        mirroring, how many training had. Each value network is tested on games like those it
        learnt from; ``…_on_one_position_a_game`` asks the one of whole games about the other's, and
        ``truth_…`` both about solved positions (Connect Four). ``living_filters``: their share in
        p_σ, p_ρ and v_θ, in [0, 1]. ``search``: the tournaments, at equal simulations and at equal
        time. ``zero``: AlphaGo against AlphaGo Zero, if there was one. ``settings``, the ``seed``
        among them, and ``minutes`` of every stage.

    Raises:
        FileNotFoundError: there is no run, or a stage is not done yet.
        DamagedFile: a file is cut short or foreign.
    """
    settings = read_settings(folder)
    names = list(stages_of(settings))
    if "zero" not in names and is_done(folder, "zero"):
        names.append("zero")  # its network is gone, what it has shown is not
    stages = {name: read_stage(folder, name) for name in names}
    with complete(folder):
        figures = _assembled(settings, stages)
    for name in NETWORKS:
        network = load_stage_network(folder / f"{name}.safetensors").network
        figures[name]["living_filters"] = living_share(network)
    return figures


@contextmanager
def complete(folder: Path) -> Iterator[None]:
    """DamagedFile where a figure of the run in ``folder`` is missing, or is of another kind."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DamagedFile(
            f"The figures of a stage in {folder} are damaged or foreign"
            f" ({type(error).__name__}: {error})."
        ) from None


def _assembled(settings: PipelineSettings, stages: dict[str, dict[str, Any]]) -> dict[str, Any]:
    figures = {name: stage["figures"] for name, stage in stages.items()}
    match, truth = figures["policy_gradient_match"], figures.get("value_truth")
    one, whole = figures["value"], figures["value_all_positions"]
    against_truth = (
        {}
        if truth is None
        else {
            **_figure("truth_mse_one_position_a_game", truth["value"], "mse"),
            **_figure("truth_mse_all_positions", truth["value_all_positions"], "mse"),
        }
    )
    seed = {"seed": settings.seed}
    return {
        "settings": asdict(settings),
        "positions": figures["positions"],
        "supervised": {
            **_figure("accuracy_all_features", figures["supervised"], "accuracy"),
            **_figure("accuracy_raw_board", figures["supervised_raw_board"], "accuracy"),
            **_without_passes("accuracy_all_features", figures["supervised"]),
            **_without_passes("accuracy_raw_board", figures["supervised_raw_board"]),
            "by_ply": figures["supervised"]["by_ply"],
            "learning_curve": figures["learning_curve"]["points"],
            **seed,
        },
        "rollout": {
            **_figure("accuracy", figures["rollout"], "accuracy"),
            **_without_passes("accuracy", figures["rollout"]),
            "microseconds_per_move": figures["speed"]["pattern"],
            "microseconds_per_move_uniform": figures["speed"]["uniform"],
            "microseconds_per_move_network": figures["speed"]["network"],
            **seed,
        },
        "policy_gradient": {
            **_figure("win_rate_against_supervised", match["policy_gradient"], "score"),
            **_figure(
                "win_rate_against_supervised_without_pool",
                match["policy_gradient_without_pool"],
                "score",
            ),
            **seed,
        },
        "value": {
            **_figure("train_mse_one_position_a_game", one["train"], "mse"),
            **_figure("test_mse_one_position_a_game", one["test"], "mse"),
            **_figure("train_mse_all_positions", whole["train"], "mse"),
            **_figure("test_mse_all_positions", whole["test"], "mse"),
            **_figure(
                "test_mse_all_positions_on_one_position_a_game",
                whole["test_one_position_a_game"],
                "mse",
            ),
            "test_share_known_one_position_a_game": one["test_share_known"],
            "test_share_known_all_positions": whole["test_share_known"],
            **against_truth,
            **seed,
        },
        "search": {
            "equal_simulations": figures["tournament"],
            "equal_time": figures["tournament_equal_time"],
            **seed,
        },
        **({"accuracy": figures["accuracy"]} if "accuracy" in figures else {}),
        **({"zero": {**figures["zero"], **seed}} if "zero" in figures else {}),
        "minutes": {name: stage["seconds"] / 60 for name, stage in stages.items()},
    }


def _without_passes(name: str, measured: dict[str, Any]) -> dict[str, Any]:
    """The accuracy on moves that are no passes, if experts have passed."""
    stones = measured.get("without_passes")
    return {} if stones is None else _figure(f"{name}_without_passes", stones, "accuracy")


def _figure(name: str, measured: dict[str, Any], key: str) -> dict[str, Any]:
    """A figure with its interval and its sample size, whatever they are called where it stands."""
    interval = measured.get(f"{key}_interval", measured.get("interval"))
    n = measured.get("games") if key == "score" else measured["num_positions"]
    return {name: measured[key], f"{name}_interval": interval, f"{name}_n": n}
