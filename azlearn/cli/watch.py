"""`azlearn watch`: a training as it goes, from the rows that it logs."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Annotated, Any

from tyro.conf import FlagCreatePairsOff, Positional, arg

from azlearn.cli.output import (
    begin,
    console,
    number,
    refused,
    show,
    told_if_stopped,
)
from azlearn.spelling import did_you_mean, folders_beside

if TYPE_CHECKING:
    from rich.console import RenderableType

_LEVELS = "▁▂▃▄▅▆▇█"
_WIDTH = 40  # characters of a curve
_SECONDS_BETWEEN_LOOKS = 2.0
_CURVES = {
    "kept_alone": "keeps the value, alone", "kept_at_50": "… with 50 simulations",
    "unbeaten_alone": "unbeatable, alone", "unbeaten_at_25": "… with 25 simulations",
    "score_at_50": "score against UCT, 50 each", "value_loss": "value loss",
    "policy_loss": "policy loss", "target_entropy": "target entropy", "draws": "draws",
    "plies": "plies a game", "self_play_games": "games", "games_per_second": "games a second",
}  # fmt: skip
# Of the other columns: shares.
_FORMS = {"iteration": ",", "minutes": ".1f", "self_play_games": ","}
_SHARES = ("kept", "unbeaten", "score", "draws")


def watch(
    run: Annotated[Positional[Path], arg(metavar="DIR")],
    once: Annotated[bool, FlagCreatePairsOff] = False,
    strength: Annotated[bool, FlagCreatePairsOff] = False,
) -> int:
    """Show a training as it goes, or as it went: progress, games, losses, strength. Ctrl-C ends
    this, not the training.

    Args:
        run: the folder of a run, or the name of a shipped network.
        once: print what is known now, and end.
        strength: measure the networks that the run keeps, one after the other, and end.
    """
    begin(f"{run}: loading …")

    from rich.live import Live

    with refused():
        if strength:
            from azlearn.arena import strength_over_time

            rows: list[dict] = []
            with told_if_stopped(rows, lambda: show(_table(run, rows))):
                for row in strength_over_time(run, None):
                    rows.append(row)
                    print(f"iteration {row['iteration']:,}: measured", flush=True)
            show(_table(run, rows))
            return 0
        if once:
            show(_picture(run))
            return 0
        with Live(_picture(run), console=console(), auto_refresh=False) as live:
            try:
                while True:
                    sleep(_SECONDS_BETWEEN_LOOKS)
                    live.update(_picture(run), refresh=True)
            except KeyboardInterrupt:
                return 0


def _table(run: Path, rows: list[dict[str, Any]]) -> "RenderableType":
    """The strengths of a run's networks, drawn."""
    from rich.table import Table

    table = Table(title=f"{run}: its networks")
    for name in rows[0]:
        table.add_column(_CURVES.get(name, name), justify="right")
    for row in rows:
        cells = (f"{row[name]:{_FORMS.get(name, '.1%')}}" for name in rows[0])
        table.add_row(*cells)
    return table


def _picture(run: Path) -> "RenderableType":
    """All that the log says, drawn.

    Raises:
        ValueError: there is no such run.
    """
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    from azlearn.learning import read_log
    from azlearn.learning.files import run_folder, shipped_networks
    from azlearn.learning.run_log import LOG_FILE

    folder = run_folder(run)
    if not folder.is_dir():
        hint = did_you_mean(str(run), [*shipped_networks(), *folders_beside(run)])
        raise ValueError(f"There is no run {str(run)!r}.{hint}")
    rows = [row for row in read_log(run) if row.keys() >= {"minutes", "games", "spent"}]
    if not rows:
        return Text(f"{run}: no iteration is done yet.")
    newest = rows[-1]
    written = datetime.fromtimestamp((folder / LOG_FILE).stat().st_mtime)
    head = (
        f"{run}: iteration {newest['iteration']:,}, {newest['minutes']:.1f} minutes,"
        f" {newest['games']:,} games; last row at {written:%H:%M:%S} on {written:%d %B %Y}"
    )
    progress = Table.grid(padding=(0, 1))
    progress.add_row(
        ProgressBar(completed=100 * newest["spent"], width=_WIDTH),
        f"{newest['spent']:.0%} of its budget",
    )
    curves = Table(box=None, padding=(0, 1))
    for title, justify in (("", "left"), ("first", "right"), ("over games", "left"),
                           ("last", "right")):  # fmt: skip
        curves.add_column(title, justify=justify)
    for name, title in _CURVES.items():
        seen = [(row["games"], row[name]) for row in rows if name in row]
        if seen:
            form = ".1%" if name.startswith(_SHARES) else ".3f" if "loss" in name else ".2f"
            first, last = (number(seen[k][1], form) for k in (0, -1))
            curves.add_row(title, first, curve(seen), last)
    return Group(Text(head), progress, curves)


def curve(points: Sequence[tuple[float, Any]], width: int = _WIDTH) -> str:
    """Values over x as a line of blocks from the lowest to the highest, blank where none is known.

    Args:
        points: ``(x, value)``, x ascending; where several fall together, their mean is drawn.
    """
    start, stop = points[0][0], points[-1][0]
    columns: list[list[float]] = [[] for _ in range(width)]
    for x, value in points:
        share = (x - start) / (stop - start) if stop > start else 1.0
        columns[min(int(share * width), width - 1)].append(float(value))
    means = [sum(column) / len(column) if column else None for column in columns]
    known = [mean for mean in means if mean is not None]
    low, high = min(known), max(known)
    heights = (
        " " if mean is None
        else _LEVELS[round((mean - low) / (high - low) * (len(_LEVELS) - 1)) if high > low else 3]
        for mean in means
    )  # fmt: skip
    return "".join(heights)
