"""What `azlearn train` shows while it runs."""

from collections import deque
from time import monotonic
from typing import Any

from rich.console import Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from azlearn.cli.output import console, number
from azlearn.learning.interruption import FINISHING

_MEASURED = ("kept", "unbeaten", "score")  # how figures of strength begin
_ROWS_OF_A_PACE = 20
_SECONDS_BETWEEN_LINES = 30  # where the output is a file: a line now and then


class Display:
    """The latest figures, redrawn in place in a terminal, as lines elsewhere.

    In a terminal a bar below them follows the iteration that is under way.
    """

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}
        self._doing, self._share, self._note = "is prepared", 0.0, ""
        self._last_line, self._warned = monotonic(), set()
        self._latest = deque(maxlen=_ROWS_OF_A_PACE)  # (minutes, share of the budget spent)
        self._console, self._spinner = console(), Spinner("dots")
        self._live = Live(console=self._console, get_renderable=self._picture, refresh_per_second=4)

    @property
    def is_redrawn(self) -> bool:
        return self._console.is_terminal

    def __enter__(self) -> "Display":
        if self.is_redrawn:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._doing = ""
        self._live.stop()

    def stopping(self) -> None:
        """Says under the bar that the iteration is finished and what Ctrl-C would do now."""
        self._note = FINISHING

    def progress(self, doing: str, share: float) -> None:
        """What the iteration under way is at, and the share of that."""
        self._doing, self._share = doing, share
        if not self.is_redrawn and self._is_time():
            print(f"iteration {self._iteration:,} {doing}: {share:.0%}", flush=True)

    def update(self, row: dict[str, Any]) -> None:
        """Shows an iteration's figures; those it does not hold keep their last value."""
        is_news = not self._known or any(name.startswith(_MEASURED) for name in row)
        self._known |= row
        if "minutes" in row:
            self._latest.append((row["minutes"], row["spent"]))
        self._warn()
        if not self.is_redrawn and (self._is_time() or is_news):
            figures = (f"{title} {text}" for pairs in self._figures() for title, text in pairs)
            print("; ".join(figures), flush=True)

    def _is_time(self) -> bool:
        """Whether the last line is long ago; it then takes this one for the last."""
        if monotonic() - self._last_line < _SECONDS_BETWEEN_LINES:
            return False
        self._last_line = monotonic()
        return True

    @property
    def _iteration(self) -> int:
        """The one that is under way."""
        return self._known.get("iteration", 0) + 1

    def _warn(self) -> None:
        """Says once that filters die, and once that units do."""
        from azlearn.learning import living_filters as living

        for name, enough, sentence in (
            ("living_filters", living.ENOUGH, living.FEW_ALIVE),
            ("living_units", living.ENOUGH_UNITS, living.FEW_UNITS),
        ):
            if self._known.get(name, 1.0) < enough and name not in self._warned:
                self._warned.add(name)
                self._console.print(sentence.format(self._known[name]), soft_wrap=True)

    def _picture(self) -> Group:
        text = self._text() if self._known else Text("")
        below = (self._bar(), Text(self._note)) if self._doing else ()
        return Group(text, *filter(None, below))

    def _bar(self) -> Table:
        bar = Table.grid(padding=(0, 1))
        what = f"iteration {self._iteration:,} {self._doing}"
        done = ProgressBar(completed=100 * self._share, width=30)
        bar.add_row(self._spinner, what, done, f"{self._share:.0%}")
        return bar

    def _text(self) -> Text:
        """A line for each kind of figure, none longer than 80 characters."""
        lines = (
            Text("  ").join(Text.assemble((title, "dim"), " ", text) for title, text in pairs)
            for pairs in self._figures()
        )
        return Text("\n").join(lines)

    def _to_go(self) -> list[tuple[str, str]]:
        """Minutes, at the pace of the latest iterations; the first one compiles, and tells none."""
        (minutes, spent), (now, spent_now) = self._latest[0], self._latest[-1]
        if spent_now <= spent:
            return []
        left = (1 - spent_now) * (now - minutes) / (spent_now - spent)
        return [("to go", number(max(left, 0), ".1f"))]

    def _figures(self) -> list[list[tuple[str, str]]]:
        row = self._known
        lines = [
            [
                ("minute", f"{row['minutes']:.1f}"),
                *self._to_go(),
                ("iteration", f"{row['iteration']:,}"),
                ("games", f"{row['games']:,}"),
                ("positions", f"{row['replay']:,}"),
            ],
            [
                ("games/s", f"{row['games_per_second']:.1f}"),
                ("moves/s", f"{row['moves_per_second']:,.0f}"),
                ("evaluations/s", f"{row['evaluations_per_second']:,.0f}"),
                ("from cache", f"{row['cached_share']:.0%}"),
            ],
            [
                ("plies", f"{row['plies']:.1f}"),
                ("draws", f"{row['draws']:.0%}"),
                ("resigned", f"{row['resigned']:.0%}"),
                ("target entropy", number(row["target_entropy"], ".4f")),
            ],
        ]
        if row["resigned"]:
            lines[-1].insert(3, ("falsely", f"{row['false_resignations']:.0%}"))
        if row.get("decided"):
            lines[-1].insert(3, ("proven", f"{row['decided']:.0%}"))
        if "value_loss" in row:
            names = ["value_loss", "policy_loss", "l2_loss", "learning_rate"]
            if not row["l2_loss"]:
                names.remove("l2_loss")
            lines.append([(name.replace("_", " "), number(row[name], ".4f")) for name in names])
        measured = {
            "kept_alone": "keeps the value: alone",
            "kept_at_50": "at 50 simulations",
            "unbeaten_alone": "unbeatable: alone",
            "unbeaten_at_25": "at 25 simulations",
            "score_at_50": "against UCT, 50 simulations each",
        }
        found = [(title, f"{row[name]:.1%}") for name, title in measured.items() if name in row]
        living = [("living filters", "living_filters"), ("and units", "living_units")]
        lines.append([(title, f"{row[name]:.0%}") for title, name in living if name in row])
        return [*lines, found] if found else lines
