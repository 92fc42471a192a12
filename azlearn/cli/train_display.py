"""What `azlearn train` shows while it runs."""

from math import inf
from time import monotonic
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

_SECONDS_BETWEEN_LINES = 30  # where the output is a file: a line now and then


class Display:
    """The latest figures, redrawn in place in a terminal, as lines elsewhere."""

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}
        self._last_line, self._warned = -inf, set()
        self._console = Console()
        self._live = Live(console=self._console, auto_refresh=False, transient=False)

    def __enter__(self) -> "Display":
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def update(self, row: dict[str, Any]) -> None:
        """Shows an iteration's figures; those it does not hold keep their last value."""
        measured = any(name.startswith(("kept", "unbeaten", "score")) for name in row)
        self._known |= row
        self._warn()
        if self._console.is_terminal:
            self._live.update(self._text(), refresh=True)
        elif measured or monotonic() - self._last_line > _SECONDS_BETWEEN_LINES:
            self._last_line = monotonic()
            figures = (f"{title} {text}" for pairs in self._figures() for title, text in pairs)
            print("; ".join(figures), flush=True)

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

    def _text(self) -> Text:
        """A line for each kind of figure, none longer than 80 characters."""
        lines = ("  ".join(f"[dim]{title}[/] {text}" for title, text in p) for p in self._figures())
        return Text.from_markup("\n".join(lines))

    def _figures(self) -> list[list[tuple[str, str]]]:
        row = self._known
        minutes, left = row["minutes"], row["minutes"] / row["spent"] - row["minutes"]
        lines = [
            [
                ("minute", f"{minutes:.1f}"),
                ("to go", f"{max(left, 0):.1f}"),
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
                ("target entropy", f"{row['target_entropy']:.4f}"),
            ],
        ]
        if row["resigned"]:
            lines[-1].insert(3, ("falsely", f"{row['false_resignations']:.0%}"))
        if "value_loss" in row:
            names = ["value_loss", "policy_loss", "l2_loss", "learning_rate"]
            if not row["l2_loss"]:
                names.remove("l2_loss")
            lines.append([(name.replace("_", " "), f"{row[name]:.4f}") for name in names])
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
