"""`azlearn alphago`: a small version of AlphaGo's 2016 pipeline, and a report of its results."""

import json as json_format
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from tyro.conf import arg

from azlearn.cli.output import (
    CommandError,
    Count,
    Flag,
    announce,
    command_errors,
    number,
    read_changes,
    shell_line,
    show_table,
)


def alphago(
    game: Annotated[str, arg(metavar="GAME")] = "connect4",
    preset: Annotated[str, arg(metavar="NAME")] = "cpu",
    out: Annotated[Path | None, arg(metavar="DIR")] = None,
    processes: Count = None,
    records: Annotated[Path | None, arg(metavar="DIR")] = None,
    set: Annotated[tuple[str, ...], arg(metavar="NAME=VALUE [...]")] = (),
    report: Flag = False,
    json: Flag = False,
) -> int:
    """Train AlphaGo in stages (expert games, policies, value network, search), or report on a run.

    Finished stages are kept: after Ctrl-C or a crash, run the same command again to continue.

    Args:
        game: connect4, or Go on boards up to 7x7, such as go7. In Go the expert is GNU Go.
        preset: "cpu", or "small" for a quick trial. Both are defined in
            azlearn/alphago/pipeline_settings.py.
        out: folder of the run. If not given: runs/alphago, or runs/alphago_go7 and so on. With
            --report, if not given: the run that ships with the package.
        processes: number of processes that play expert games. If not given: one per core, or
            fewer if memory is short.
        records: folder of Go games (SGF files) to learn from, instead of expert games.
        set: settings to change, such as seed=1 num_games=2000.
        report: only print the results of a run; train nothing.
        json: with --report, print only JSON.
    """
    if json and not report:
        raise CommandError("--json needs --report.")
    if not json:
        announce("AlphaGo: loading PyTorch …")

    with command_errors(MemoryError):
        if report:
            if set or records:
                raise ValueError("--report cannot be combined with --set or --records.")
            _report(out, json, game)
        else:
            if records and not records.is_dir():
                raise ValueError(f"{records} is not a folder. Name a folder of SGF files.")
            changes = read_changes(set) | ({"records": str(records.resolve())} if records else {})
            _make(preset, out or _folder_of(game), processes, changes, game)
    return 0


def _folder_of(game: str) -> Path:
    from azlearn.games.named import short_name

    return Path("runs") / ("alphago" if game == "connect4" else f"alphago_{short_name(game)}")


def _make(name: str, out: Path, processes: int | None, changes: dict[str, str], game: str) -> None:
    from azlearn.alphago.networks import load_stage_network
    from azlearn.alphago.pipeline import make_alphago
    from azlearn.alphago.pipeline_settings import UCT_EXPERTS, preset
    from azlearn.alphago.stages import read_stage
    from azlearn.arena.alphago_experts import INSTEAD, expert_of, is_installed
    from azlearn.arena.alphago_report import NETWORKS
    from azlearn.arena.alphago_stages import has_zero, stages_of
    from azlearn.learning import load_network
    from azlearn.learning.launch import num_processes
    from azlearn.learning.living_filters import ENOUGH, FEW_ALIVE, living_share

    settings = preset(name, game).with_changes(changes)
    if settings.experts == "gnugo" and not settings.records and not is_installed():
        print(INSTEAD, flush=True)
        settings = settings.with_changes(UCT_EXPERTS)
    if settings.zero and load_network(settings.zero).game != settings.make_game():
        raise ValueError(f"The network {settings.zero} does not play {settings.game}.")
    stages = stages_of(settings)
    if not has_zero(settings):
        print(
            f"azlearn has no AlphaGo Zero network for {settings.game}, so AlphaGo plays no match"
            " against one. To use a run of your own, add --set zero=FOLDER.",
            flush=True,
        )

    def finished(name: str, seconds: float) -> None:
        print(f"{name}: done in {seconds / 60:.1f} minutes", flush=True)
        if name == "positions" and (skipped := read_stage(out, name)["figures"]["skipped"]):
            counts = ", ".join(f"{n} {why}" for why, n in skipped.items())
            print(f"positions: skipped records: {counts}.", flush=True)
        if name in NETWORKS:
            living = living_share(load_stage_network(out / f"{name}.safetensors").network)
            if living < ENOUGH:
                print(f"{name}: {FEW_ALIVE.format(living)}", flush=True)

    print(
        f"AlphaGo in {len(stages) + 1} stages, folder {out}. Press Ctrl-C to stop; finished stages"
        " are kept.",
        flush=True,
    )
    make_alphago(
        out,
        settings,
        num_processes() if processes is None else processes,
        stages,
        expert_of(settings.expert_games()),
        started=lambda name: print(f"{name} …", flush=True),
        finished=finished,
    )
    print(f"To see the results: {shell_line('azlearn', 'alphago', '--report', '--out', out)}")


def _report(out: Path | None, as_json: bool, game: str) -> None:
    from azlearn.arena.alphago_report import complete, report, shipped

    folder = out or shipped(game)
    if out is None and not folder.exists():
        raise ValueError(
            f"azlearn contains no AlphaGo run of {game}. Name the folder of your run with --out."
        )
    figures = report(folder)
    if as_json:
        print(json_format.dumps(figures, indent=2))
        return
    with complete(folder):
        tables = list(_tables(figures))
    for title, columns, rows in tables:
        show_table(title, columns, rows)


# Results from Silver et al. 2016: from the text, and from Extended Data Table 3 for the policy
# network's accuracies. Those are of the network with 192 filters and one evaluation per position,
# as here. (The text's 57.0 % is of a wider network, averaged over eight symmetric images.) The
# rollout policy was trained on games from another server.
_PAPER = (
    ("supervised", "accuracy_all_features", "55.4%"),
    ("supervised", "accuracy_raw_board", "54.7%"),
    ("supervised", "accuracy_all_features_without_passes", ""),
    ("supervised", "accuracy_raw_board_without_passes", ""),
    ("rollout", "accuracy", "24.2%"),
    ("rollout", "accuracy_without_passes", ""),
    ("policy_gradient", "win_rate_against_supervised", "over 80%"),
    ("policy_gradient", "win_rate_against_supervised_without_pool", ""),
    ("value", "train_mse_one_position_a_game", "0.226"),
    ("value", "test_mse_one_position_a_game", "0.234"),
    ("value", "train_mse_all_positions", "0.19"),
    ("value", "test_mse_all_positions", "0.37"),
    ("value", "test_mse_all_positions_on_one_position_a_game", ""),
    ("value", "truth_mse_one_position_a_game", ""),
    ("value", "truth_mse_all_positions", ""),
)


Table = tuple[str, tuple[str, ...], list[tuple[str, ...]]]  # title, columns, rows


def _tables(figures: dict[str, Any]) -> Iterator[Table]:
    yield _beside_the_paper(figures)
    for name, title in (("equal_simulations", "simulations"), ("equal_time", "time")):
        rows = [
            (
                row["player"], number(row["elo"], "+.0f"), _interval(row["elo_interval"], "+.0f"),
                f"{row['score']:.1%}", f"{row['games']:,}",
            )
            for row in figures["search"][name]["ratings"]
        ]  # fmt: skip
        title = f"tournament at equal {title} per move"
        yield title, ("player", "Elo", "95%", "score", "games"), rows
    if "zero" in figures:
        yield _against_zero(figures["zero"])


def _beside_the_paper(figures: dict[str, Any]) -> Table:
    rows = []
    for section, name, paper in _PAPER:
        values = figures[section]
        if name not in values:
            continue  # the experts cannot pass, or no position is solved
        form = ".3f" if "mse" in name else ".1%"
        title, interval = f"{section}: {name.replace('_', ' ')}", values[f"{name}_interval"]
        here, n = number(values[name], form), f"{values[f'{name}_n']:,}"
        rows.append((title, paper, here, _interval(interval, form), n))
    for name in ("one_position_a_game", "all_positions"):
        share = figures["value"][f"test_share_known_{name}"]
        title = f"value: test boards that occur in training, {name.replace('_', ' ')}"
        rows.append((title, "", f"{share:.1%}", "", f"{figures['value'][f'test_mse_{name}_n']:,}"))
    for section in ("supervised", "policy_gradient", "value"):
        living = figures[section]["living_filters"]
        rows.append((f"{section}: living filters", "", f"{living:.1%}", "", ""))
    for name, who, paper in (
        ("", "rollout policy", "2 µs"), ("_network", "network", "3,000 µs"),
    ):  # fmt: skip
        here = f"{figures['rollout'][f'microseconds_per_move{name}']:,.2f} µs"
        rows.append((f"one move of the {who}", paper, here, "", ""))
    settings = figures["settings"]
    title = f"AlphaGo in miniature: {settings['game']}, seed {settings['seed']}"
    return title, ("", "paper", "here", "95%", "n"), rows


def _against_zero(figures: dict[str, Any]) -> Table:
    rows = []
    for name in ("equal_simulations", "equal_time"):
        match = figures[name]
        score, interval = f"{match['score']:.1%}", _interval(match["score_interval"], ".1%")
        counts = f"{match['games']:,}", f"{match['distinct_games']:,}"
        rows.append((f"{match['a']} against {match['b']}: score", score, interval, *counts))
    predicts = figures.get("predicts_experts") or figures["foretells_experts"]  # its older name
    for name, row in predicts.items():
        rate, interval = f"{row['accuracy']:.1%}", _interval(row["interval"], ".1%")
        rows.append((f"{name}: accuracy", rate, interval, f"{row['num_positions']:,}", ""))
    title = "AlphaGo against AlphaGo Zero; accuracy in predicting the experts' moves"
    return title, ("", "here", "95%", "n", "distinct games"), rows


def _interval(bounds: tuple[float, float], form: str) -> str:
    return " to ".join(number(bound, form) for bound in bounds)
