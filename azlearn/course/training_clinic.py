"""The bug clinic II: trainings with one planted fault each. Look at the curves, name the fault.

As in clinic I, ``show()`` shows one case at a time. Without buttons: ``case("H")`` shows what there
is to see, ``choices()`` the names to choose from, and ``diagnose("H", 3)`` says whether the name is
right, and then what the fault is in the code.
The runs were made once, by ``tools/training_runs.py``; nothing is trained here.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from azlearn.course.bug_clinic import Case, Clinic, Evidence, Score, describe_difference
from azlearn.course.cards import Block, code, paragraphs
from azlearn.course.stored_runs import training_runs
from azlearn.course.training_cases import CASES, SYMPTOMS
from azlearn.learning.living_filters import ALIVE
from azlearn.viz import Explorer, Picture, colors, figure

ITERATIONS = 70
POSITION = "15"  # X in a corner, O in the centre: what the recorded search is asked

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


class TrainingEvidence(Evidence):
    """The curves of a training, and a search of its network.

    Attributes:
        run: its stored run.
        right: that of a right training.
        curves: name to one number an iteration.
    """

    kind = "training"

    def __init__(self, letter: str, case: Case) -> None:
        super().__init__(letter, case)
        self.run, self.right = training_runs()[case.evidence], training_runs()["right"]
        self.curves: dict[str, list[float]] = self.run["curves"]

    def picture(self) -> Picture:
        """Six panels of curves and one of filters; those of two right runs in grey."""
        import matplotlib.pyplot as plt

        fig, axes = plt.subplot_mosaic("abc;def;ggg", figsize=(9.6, 7), layout="constrained")
        numbers = np.arange(1, ITERATIONS + 1)
        for ax, (title, *names) in zip([axes[name] for name in "abcdef"], _PANELS, strict=True):
            for (name, words), (style, color) in zip(names, _STYLES, strict=False):
                for healthy in ("right", "right again"):
                    curve = training_runs()[healthy]["curves"][name]
                    ax.plot(numbers, curve, style, color="#b5bbc2", lw=1)
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
            f"azlearn/minimal.py with one fault, seed {self.run['seed']}, {ITERATIONS} iterations "
            "of 64 games, by tools/training_runs.py. Grey: two right runs. Fresh games are looked "
            "at before they are learnt from.",
        )

    def _draw_filters(self, ax) -> None:
        """A dot for each filter at the last iteration, layer by layer."""
        lowest = ALIVE / 10  # all that is smaller is drawn here
        for run, color, shift in (
            (training_runs()["right again"], "#b5bbc2", -0.16),
            (self.right, "#b5bbc2", -0.08),
            (self.run, colors.LIGHT["N"], 0.08),
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
            for layer, norms in self.run["filters"].items()
        }

    def explorer(self) -> Explorer:
        """Fifty simulations of the trained network, as in a match, one position at a time."""
        return Explorer(self.run["record"])

    def healthy(self) -> dict[str, Any]:
        """The record of the same search with the network of a right training."""
        return self.right["record"]

    @property
    def scores(self) -> tuple[Score, Score]:
        """Positions in which it keeps the value with 25 simulations: this one, a right one."""
        runs = {"this training": self.run, "a right training": self.right}
        return tuple(
            Score(who, tuple(one == "1" for one in run["kept"])) for who, run in runs.items()
        )

    def _in_numbers(self) -> str:
        right = self.right["curves"]
        parts = [
            f"{title}, {words}: {self.curves[name][-1]:.2f} ({right[name][-1]:.2f})"
            for title, *names in _PANELS
            for name, words in names
        ]
        dead = [f"{n - living} of {n} in {name}" for name, (living, n) in self.living().items()
                if living < n]  # fmt: skip
        return "; ".join(parts) + f"; dead filters: {', '.join(dead) or 'none'} (none)."

    def blocks(self) -> Iterator[Block]:
        """The facts beside the search; a terminal gets numbers instead of curves."""
        mine, right = self.scores
        verdict = (
            "differs by more than chance"
            if describe_difference(mine, right)
            else "cannot be told apart by this score"
        )
        yield paragraphs(
            f"Keeps the value with 25 simulations in {mine.kept} of {mine.n} positions; a "
            f"right training in {right.kept}: it {verdict}."
        )
        yield paragraphs(
            f'One search after "{POSITION}", as in a match, and the same again with the same '
            "network:"
        )
        yield code("\n".join(f"   N = {visits}" for visits in self.run["visits"]))
        start, due = (run["curves"]["policy_fresh"][0] for run in (self.run, self.right))
        yield paragraphs(
            f"Policy loss on the very first games: {start:.2f}; in a right training {due:.2f}."
        )
        numbers = f"At the last iteration, and in a right training: {self._in_numbers()}"
        yield Block(numbers, "")

    def _repr_html_(self) -> str:
        return super()._repr_html_() + self.picture().html()


CLINIC = Clinic(CASES, SYMPTOMS, TrainingEvidence)
show, cases, choices = CLINIC.show, CLINIC.cases, CLINIC.choices
ward = show  # its name in notebooks of the edition before
case, diagnose = CLINIC.case, CLINIC.diagnose
