"""Bug clinic II: training runs with one planted fault each. Read the curves, and name the fault.

As in clinic I, ``show()`` shows one case at a time. You can do the same without buttons:
``case("H")`` shows the evidence, ``choices()`` lists the names, and ``diagnose("H", 3)`` says
whether the name is right; if it is, it shows the fault in the code.
``tools/training_runs.py`` made the runs once and stored them; nothing is trained here.
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
POSITION = "15"  # X in a corner, O in the center: the root of the recorded search

# Panels: the title, then (name of the curve, its label).
_PANELS = (
    ("value loss", ("value", "on batches"), ("value_fresh", "on fresh games")),
    ("policy loss", ("policy", "on batches"), ("policy_fresh", "on fresh games")),
    ("value of known positions", ("won", "won"), ("drawn", "drawn"), ("lost", "lost")),
    ("value preserved", ("at_25", "25 simulations"), ("alone", "without search")),
    ("self-play", ("entropy", "entropy of N"), ("draws", "fraction of draws")),
    (
        "value of the empty board",
        ("empty_alone", "evaluated alone"),
        ("empty_among_others", "in a batch with others"),
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
    """The curves of a training run, and a search with its network.

    Attributes:
        run: the stored run.
        right: the stored run of a correct training.
        curves: for each name, one number per iteration.
    """

    kind = "training"

    def __init__(self, letter: str, case: Case) -> None:
        super().__init__(letter, case)
        self.run, self.right = training_runs()[case.evidence], training_runs()["right"]
        self.curves: dict[str, list[float]] = self.run["curves"]

    def picture(self) -> Picture:
        """Draws six panels of curves and one of filters, with two correct runs in gray."""
        import matplotlib.pyplot as plt

        fig, axes = plt.subplot_mosaic("abc;def;ggg", figsize=(9.6, 7.6), layout="constrained")
        numbers = np.arange(1, ITERATIONS + 1)
        for ax, (title, *names) in zip([axes[name] for name in "abcdef"], _PANELS, strict=True):
            for (name, words), (style, color) in zip(names, _STYLES, strict=False):
                for healthy in ("right", "right again"):
                    curve = training_runs()[healthy]["curves"][name]
                    ax.plot(numbers, curve, style, color="#b5bbc2", lw=1)
                ax.plot(numbers, self.curves[name], style, color=color, label=words)
            ax.set_title(title, pad=20)
            ax.set(xticks=[1, ITERATIONS // 2, ITERATIONS])
            above = {"loc": "lower left", "bbox_to_anchor": (-0.03, 0.97), "ncols": len(names)}
            ax.legend(fontsize=8, handlelength=1.4, columnspacing=1, **above)
        for name in "def":
            axes[name].set_xlabel("iteration")
        self._draw_filters(axes["g"])
        alt = f"Case {self.letter} at the last iteration (and a correct run): {self._in_numbers()}"
        return figure(
            fig,
            alt,
            f"azlearn/minimal.py with one fault, seed {self.run['seed']}, {ITERATIONS} iterations "
            "of 64 games, made by tools/training_runs.py. Gray: two correct runs. Losses on fresh "
            "games are measured before the network learns from them.",
        )

    def _draw_filters(self, ax) -> None:
        """Draws a dot for each filter at the last iteration, layer by layer."""
        lowest = ALIVE / 10  # smaller norms are drawn at this height
        for run, color, shift in (
            (training_runs()["right again"], "#b5bbc2", -0.16),
            (self.right, "#b5bbc2", -0.08),
            (self.run, colors.LIGHT["N"], 0.08),
        ):
            for x, norms in enumerate(run["filters"].values()):
                sizes = np.maximum(norms, lowest)
                ax.plot(np.full(len(sizes), x + shift), sizes, "o", ms=4, alpha=0.5, color=color)
        ax.axhline(ALIVE, color=colors.LIGHT["z"], ls=":", label="dead below")
        title = "norm of each filter, as a fraction of the largest in its layer"
        ax.set(title=title, yscale="log", ylim=(lowest / 2, 2))
        names = [f"{name}\n{living} of {n} alive" for name, (living, n) in self.living().items()]
        ax.set_xticks(range(len(names)), names, fontsize=9)
        ax.legend(fontsize=8, loc="lower left")

    def living(self) -> dict[str, tuple[int, int]]:
        """Counts each layer's live filters at the last iteration: (live, all) by layer."""
        return {
            _LAYERS[layer]: (sum(norm > ALIVE for norm in norms), len(norms))
            for layer, norms in self.run["filters"].items()
        }

    def explorer(self) -> Explorer:
        """Returns an explorer of 50 simulations with the trained network, without noise."""
        return Explorer(self.run["record"])

    def healthy(self) -> dict[str, Any]:
        """Returns the record of the same search with the network of a correct training."""
        return self.right["record"]

    @property
    def scores(self) -> tuple[Score, Score]:
        """Value-preserving moves with 25 simulations: of this training, and of a correct one."""
        runs = {"this training": self.run, "a correct training": self.right}
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
        """Yields the facts shown with the search; a terminal gets numbers instead of curves."""
        mine, right = self.scores
        difference = (
            "This difference is larger than chance."
            if describe_difference(mine, right)
            else "This difference may be chance."
        )
        yield paragraphs(
            f"With 25 simulations its moves preserve the value in {mine.kept} of {mine.n} "
            f"positions; those of a correct training in {right.kept}. {difference}"
        )
        yield paragraphs(
            f'The visits of a search after "{POSITION}", as in a match, and of the same search '
            "repeated with the same network:"
        )
        yield code("\n".join(f"   N = {visits}" for visits in self.run["visits"]))
        start, due = (run["curves"]["policy_fresh"][0] for run in (self.run, self.right))
        yield paragraphs(
            f"Policy loss on the very first games: {start:.2f}; in a correct training: {due:.2f}."
        )
        numbers = f"At the last iteration (and in a correct training): {self._in_numbers()}"
        yield Block(numbers, "")

    def _repr_html_(self) -> str:
        return super()._repr_html_() + self.picture().html()


CLINIC = Clinic(CASES, SYMPTOMS, TrainingEvidence)
show, cases, choices = CLINIC.show, CLINIC.cases, CLINIC.choices
ward = show  # the old name, in notebooks of the previous edition
case, diagnose = CLINIC.case, CLINIC.diagnose
