"""The progress display of `azlearn train`; see TensorBoard for curves."""

import sys
from time import monotonic
from typing import Any

from azlearn.cli.output import number
from azlearn.progress_bar import progress_bar

_MEASURED = ("kept", "unbeaten", "score")  # the prefixes of strength measurements
_SECONDS_BETWEEN_LINES = 30  # if the output is a file
_FIGURES = {  # name in a row: (title, format)
    "minutes": ("minute", ".1f"), "iteration": ("iteration", ","), "games": ("games", ","),
    "replay": ("positions", ","), "games_per_second": ("games/s", ".1f"),
    "moves_per_second": ("moves/s", ",.0f"), "evaluations_per_second": ("evaluations/s", ",.0f"),
    "cached_share": ("from cache", ".0%"), "plies": ("plies", ".1f"), "draws": ("draws", ".0%"),
    "resigned": ("resigned", ".0%"), "false_resignations": ("false resignations", ".0%"),
    "decided": ("proven", ".0%"), "target_entropy": ("target entropy", ".4f"),
    "value_loss": ("value loss", ".4f"), "policy_loss": ("policy loss", ".4f"),
    "l2_loss": ("l2 loss", ".4f"), "learning_rate": ("learning rate", ".4f"),
    "living_filters": ("living filters", ".0%"), "living_units": ("living units", ".0%"),
    "kept_alone": ("value-preserving moves: without search", ".1%"),
    "kept_at_50": ("with 50 simulations", ".1%"),
    "unbeaten_alone": ("unbeatable: without search", ".1%"),
    "unbeaten_at_25": ("with 25 simulations", ".1%"),
    "score_at_50": ("against UCT, 50 simulations each", ".1%"),
}  # fmt: skip
_IF_ANY = ("resigned", "false_resignations", "decided", "l2_loss")  # left out if 0
_BAR = "{percentage:3.0f}%|{bar}| [{elapsed}<{remaining}{postfix}]"


class Display:
    """Shows a progress bar for the run's budget in a terminal, and prints lines of numbers.

    A line is printed for the first iteration and whenever strength was measured. If no bar can be
    drawn, a line is also printed every 30 seconds.
    """

    def __init__(self) -> None:
        self._known: dict[str, Any] = {}
        self._last_line, self._warned = monotonic(), set()
        self._bar = progress_bar(
            total=1.0, bar_format=_BAR, disable=None, dynamic_ncols=True,
            smoothing=0, mininterval=0.25, miniters=0,
        )  # fmt: skip

    def __enter__(self) -> "Display":
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def progress(self, doing: str, share: float) -> None:
        """Shows the iteration's current step and the fraction of it that is done."""
        said = f"iteration {self._known.get('iteration', 0) + 1:,} {doing}: {share:.0%}"
        self._bar.set_postfix_str(said, refresh=False)
        self._bar.update(0)
        if self._bar.disable and self._is_time():
            self._print(said)

    def update(self, row: dict[str, Any]) -> None:
        """Shows an iteration's numbers; those missing from ``row`` keep their last value."""
        is_first = not self._known
        self._known |= row
        if is_first:  # the first iteration compiles, so later ones give the estimate
            self._bar.reset()
            self._bar.initial = self._bar.n = row["spent"]
        self._bar.update(row["spent"] - self._bar.n)
        self._warn()
        is_news = is_first or any(name.startswith(_MEASURED) for name in row)
        if is_news or (self._bar.disable and self._is_time()):
            self._print(self.line())

    def line(self) -> str:
        """All current numbers in one line."""
        known = {name: value for name, value in self._known.items() if value or name not in _IF_ANY}
        return "; ".join(
            f"{title} {number(known[name], form)}"
            for name, (title, form) in _FIGURES.items()
            if name in known
        )

    def _print(self, line: str) -> None:
        self._bar.write(line, file=sys.stdout)
        sys.stdout.flush()

    def _is_time(self) -> bool:
        """Whether it is time for another line; if so, restarts the clock."""
        if monotonic() - self._last_line < _SECONDS_BETWEEN_LINES:
            return False
        self._last_line = monotonic()
        return True

    def _warn(self) -> None:
        """Warns once about dead filters, and once about dead units."""
        from azlearn.learning import living_filters as living

        for name, enough, sentence in (
            ("living_filters", living.ENOUGH, living.FEW_ALIVE),
            ("living_units", living.ENOUGH_UNITS, living.FEW_UNITS),
        ):
            if self._known.get(name, 1.0) < enough and name not in self._warned:
                self._warned.add(name)
                self._print(sentence.format(self._known[name]))
