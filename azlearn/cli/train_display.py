"""What `azlearn train` shows while it runs; TensorBoard has the curves."""

import sys
from time import monotonic
from typing import Any

from azlearn.cli.output import number
from azlearn.progress_bar import progress_bar

_MEASURED = ("kept", "unbeaten", "score")  # how figures of strength begin
_SECONDS_BETWEEN_LINES = 30  # where the output is a file: a line now and then
_FIGURES = {  # of a row: what they are called, and how they are written
    "minutes": ("minute", ".1f"), "iteration": ("iteration", ","), "games": ("games", ","),
    "replay": ("positions", ","), "games_per_second": ("games/s", ".1f"),
    "moves_per_second": ("moves/s", ",.0f"), "evaluations_per_second": ("evaluations/s", ",.0f"),
    "cached_share": ("from cache", ".0%"), "plies": ("plies", ".1f"), "draws": ("draws", ".0%"),
    "resigned": ("resigned", ".0%"), "false_resignations": ("falsely", ".0%"),
    "decided": ("proven", ".0%"), "target_entropy": ("target entropy", ".4f"),
    "value_loss": ("value loss", ".4f"), "policy_loss": ("policy loss", ".4f"),
    "l2_loss": ("l2 loss", ".4f"), "learning_rate": ("learning rate", ".4f"),
    "living_filters": ("living filters", ".0%"), "living_units": ("and units", ".0%"),
    "kept_alone": ("keeps the value: alone", ".1%"),
    "kept_at_50": ("at 50 simulations", ".1%"),
    "unbeaten_alone": ("unbeatable: alone", ".1%"),
    "unbeaten_at_25": ("at 25 simulations", ".1%"),
    "score_at_50": ("against UCT, 50 simulations each", ".1%"),
}  # fmt: skip
_IF_ANY = ("resigned", "false_resignations", "decided", "l2_loss")  # left out where they are 0
_BAR = "{percentage:3.0f}%|{bar}| [{elapsed}<{remaining}{postfix}]"


class Display:
    """In a terminal a bar over the budget of the run; everywhere a line of figures now and then.

    A line is printed for the first iteration and whenever strength was measured; where no bar can
    be drawn, every half a minute as well.
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
        """What the iteration under way is at, and the share of that."""
        said = f"iteration {self._known.get('iteration', 0) + 1:,} {doing}: {share:.0%}"
        self._bar.set_postfix_str(said, refresh=False)
        self._bar.update(0)
        if self._bar.disable and self._is_time():
            self._print(said)

    def update(self, row: dict[str, Any]) -> None:
        """Shows an iteration's figures; those it does not hold keep their last value."""
        is_first = not self._known
        self._known |= row
        if is_first:  # the first one compiles: the time that is left follows from the later ones
            self._bar.reset()
            self._bar.initial = self._bar.n = row["spent"]
        self._bar.update(row["spent"] - self._bar.n)
        self._warn()
        is_news = is_first or any(name.startswith(_MEASURED) for name in row)
        if is_news or (self._bar.disable and self._is_time()):
            self._print(self.line())

    def line(self) -> str:
        """All that is known, in a line."""
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
        """Whether the last line is long ago; it then takes this one for the last."""
        if monotonic() - self._last_line < _SECONDS_BETWEEN_LINES:
            return False
        self._last_line = monotonic()
        return True

    def _warn(self) -> None:
        """Says once that filters die, and once that units do."""
        from azlearn.learning import living_filters as living

        for name, enough, sentence in (
            ("living_filters", living.ENOUGH, living.FEW_ALIVE),
            ("living_units", living.ENOUGH_UNITS, living.FEW_UNITS),
        ):
            if self._known.get(name, 1.0) < enough and name not in self._warned:
                self._warned.add(name)
                self._print(sentence.format(self._known[name]))
