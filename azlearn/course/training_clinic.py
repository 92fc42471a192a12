"""The bug clinic II: trainings with one planted fault each. Look at the curves, name the fault.

As in clinic I, ``ward()`` shows one case at a time. Without buttons: ``case("H")`` shows what there
is to see, ``choices()`` the names to choose from, and ``diagnose("H", 3)`` says whether the name is
right, and then what the fault is in the code.
The runs were made once, by ``training_runs``; nothing is trained here.
"""

import html
from typing import Any

import numpy as np

from azlearn.course.clinic import Score, told_apart
from azlearn.course.clinic_verdicts import Clinic
from azlearn.course.training_cases import PATIENTS, SYMPTOMS
from azlearn.course.training_runs import ITERATIONS, POSITION, runs
from azlearn.learning.living_filters import ALIVE
from azlearn.viz import Explorer, Picture, colors, figure

# Panels: title, (curve, words, of the right runs too).
_PANELS = (
    ("value loss", ("value", "on batches"), ("value_fresh", "on fresh games")),
    ("policy loss", ("policy", "on batches"), ("policy_fresh", "on fresh games")),
    ("value of known positions", ("won", "won"), ("drawn", "drawn"), ("lost", "lost")),
    ("keeps the value", ("at_25", "25 simulations"), ("alone", "network alone")),
    ("self-play", ("entropy", "entropy of N"), ("draws", "share of draws")),
    (
        "value of the empty board",
        ("empty_alone", "asked alone"),
        ("empty_among_others", "asked among others"),
    ),
)
_LAYERS = {
    "stem": "stem",
    "tower.0.first": "block 1, first",
    "tower.0.second": "block 1, second",
    "tower.1.first": "block 2, first",
    "tower.1.second": "block 2, second",
    "policy_conv": "policy head",
    "value_conv": "value head",
}
_STYLES = (("-", colors.LIGHT["N"]), ("--", colors.LIGHT["U"]), (":", colors.LIGHT["P"]))


class Case:
    """The evidence of one case: displaying it shows the facts, the curves and a search.

    Attributes:
        letter: "H", "I", …
        curves: name to one number an iteration.
    """

    def __init__(self, letter: str) -> None:
        self.letter = letter
        self._run = runs()[PATIENTS[letter].run]
        self.curves: dict[str, list[float]] = self._run["curves"]

    def picture(self) -> Picture:
        """Six panels of curves and one of filters; those of two right runs in grey."""
        import matplotlib.pyplot as plt

        fig, axes = plt.subplot_mosaic("abc;def;ggg", figsize=(9.6, 7), layout="constrained")
        numbers = np.arange(1, ITERATIONS + 1)
        for ax, (title, *names) in zip([axes[name] for name in "abcdef"], _PANELS, strict=True):
            for (name, words), (style, color) in zip(names, _STYLES, strict=False):
                for healthy in ("right", "right again"):
                    ax.plot(numbers, runs()[healthy]["curves"][name], style, color="#b5bbc2", lw=1)
                ax.plot(numbers, self.curves[name], style, color=color, label=words)
            ax.set(title=title, xticks=[1, ITERATIONS // 2, ITERATIONS])
            ax.legend(fontsize=8, loc="best")
        for name in "def":
            axes[name].set_xlabel("iteration")
        self._draw_filters(axes["g"])
        alt = f"Case {self.letter} at the last iteration, and a right run: " + self._in_numbers()
        return figure(
            fig,
            alt,
            f"SmallTraining with one fault, seed {self._run['seed']}, {ITERATIONS} iterations of "
            "64 games, by python -m azlearn.course.training_runs. Grey: two right runs. Fresh "
            "games are looked at before they are learnt from.",
        )

    def _draw_filters(self, ax) -> None:
        """A dot for each filter at the last iteration, layer by layer."""
        lowest = ALIVE / 10  # all that is smaller is drawn here
        for run, color, shift in (
            (runs()["right again"], "#b5bbc2", -0.16),
            (runs()["right"], "#b5bbc2", -0.08),
            (self._run, colors.LIGHT["N"], 0.08),
        ):
            for x, norms in enumerate(run["filters"].values()):
                sizes = np.maximum(norms, lowest)
                ax.plot(np.full(len(sizes), x + shift), sizes, "o", ms=4, alpha=0.5, color=color)
        ax.axhline(ALIVE, color=colors.LIGHT["z"], ls=":", label="dead below")
        ax.set(title="filters, by layer: norm, the largest = 1", yscale="log", ylim=(lowest / 2, 2))
        names = [f"{name}\n{living} of {n} live" for name, (living, n) in self.living().items()]
        ax.set_xticks(range(len(names)), names, fontsize=9)
        ax.legend(fontsize=8, loc="lower left")

    def living(self) -> dict[str, tuple[int, int]]:
        """By layer, how many filters live at the last iteration, and how many there are."""
        return {
            _LAYERS[layer]: (sum(norm > ALIVE for norm in norms), len(norms))
            for layer, norms in self._run["filters"].items()
        }

    def explorer(self) -> Explorer:
        """Fifty simulations of the trained network, as in a match, one position at a time."""
        return Explorer(self._run["record"])

    def healthy(self) -> dict[str, Any]:
        """The record of the same search with the network of a right training."""
        return runs()["right"]["record"]

    def facts_html(self) -> str:
        """What stands above the tree: the facts, and the curves."""
        words = html.escape("\n".join(str(self).splitlines()[:-1]))
        style = "white-space:pre-wrap;word-break:normal"
        return f'<pre style="{style}">{words}</pre>{self.picture().html()}'

    @property
    def scores(self) -> tuple[Score, Score]:
        """Positions in which it keeps the value with 25 simulations: this one, a right one."""
        kept = (self._run["kept"], runs()["right"]["kept"])
        names = ("this training", "a right training")
        return tuple(
            Score(who, tuple(one == "1" for one in held))
            for who, held in zip(names, kept, strict=True)
        )

    def _in_numbers(self) -> str:
        right = runs()["right"]["curves"]
        parts = [
            f"{title}, {words}: {self.curves[name][-1]:.2f} ({right[name][-1]:.2f})"
            for title, *names in _PANELS
            for name, words in names
        ]
        dead = [f"{n - living} of {n} in {name}" for name, (living, n) in self.living().items()
                if living < n]  # fmt: skip
        return "; ".join(parts) + f"; dead filters: {', '.join(dead) or 'none'} (none)."

    def __str__(self) -> str:
        mine, right = self.scores
        verdict = (
            "differs by more than chance"
            if told_apart(mine, right)
            else "cannot be told apart by this score"
        )
        first, second = self._run["visits"]
        start = self.curves["policy_fresh"][0]
        due = runs()["right"]["curves"]["policy_fresh"][0]
        return "\n".join(
            [
                f"Case {self.letter}: what is wrong with this training?",
                f"Keeps the value with 25 simulations in {mine.kept} of {mine.n} positions; a "
                f"right training in {right.kept}: it {verdict}.",
                f'One search after "{POSITION}", as in a match, and the same again with the same '
                "network:",
                f"   N = {first}",
                f"   N = {second}",
                f"Policy loss on the very first games: {start:.2f}; in a right training {due:.2f}.",
                f"At the last iteration, and in a right training: {self._in_numbers()}",
            ]
        )

    __repr__ = __str__

    def _ipython_display_(self) -> None:
        from IPython.display import display

        print("\n".join(str(self).splitlines()[:-1]))
        display(self.picture())
        display(self.explorer())


_CLINIC = Clinic(
    "training", PATIENTS, PATIENTS, tuple(SYMPTOMS), lambda name, _: SYMPTOMS[name], Case
)
ward, cases, choices = _CLINIC.ward, _CLINIC.cases, _CLINIC.choices
case, diagnose = _CLINIC.case, _CLINIC.diagnose
