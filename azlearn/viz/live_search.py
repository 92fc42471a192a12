"""A search that can be run again with other settings, from the sliders of an explorer."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

from azlearn.games import Game, State
from azlearn.games.notation import read_moves
from azlearn.search import (
    MCTS,
    RULES,
    Evaluator,
    GumbelNoise,
    MCTSSolver,
    Recorder,
    Recording,
    RootNoise,
    SelectionRule,
    Tree,
    check_budget,
)

# The ends of the sliders. The reader may type a number beyond them, if the rule allows it.
LARGEST_C, SMALLEST_C, LARGEST_BUDGET = 10.0, 0.01, 10_000


@dataclass(frozen=True)
class Search:
    """The settings of a search in ``explore``; the knobs change some of them."""

    game: Game
    state: State
    select: SelectionRule
    evaluate: Evaluator
    num_simulations: int
    expand: str = "one"
    root_noise: RootNoise | GumbelNoise | None = None
    seed: int = 0
    use_solver: bool = False
    moves: tuple[int, ...] | None = None  # from the start of the game to ``state``, if known

    def __post_init__(self) -> None:
        check_budget(self.num_simulations)
        if not isinstance(self.seed, Integral) or self.seed < 0:
            raise ValueError(f"seed must be a whole number, 0 or more, not {self.seed!r}.")

    @property
    def _parameters(self) -> dict[str, Any]:
        """The c and fpu of a built-in rule; empty for a custom rule."""
        name = getattr(self.select, "name", None)
        return dict(getattr(self.select, "parameters", {})) if name in RULES else {}

    def knobs(self) -> dict[str, dict[str, Any]]:
        """For each knob: value, ends of the slider, and whether its scale is logarithmic."""
        rule, knobs, noise = self._parameters, {}, self.root_noise
        if "c" in rule:
            knobs["c"] = _knob(rule["c"], SMALLEST_C, max(LARGEST_C, rule["c"]), log=True)
        if "fpu" in rule:
            knobs["fpu"] = _knob(rule["fpu"], -1, 1)
        if "fpu" in rule or isinstance(noise, RootNoise):
            knobs["noise"] = _knob(noise.fraction if isinstance(noise, RootNoise) else 0, 0, 1)
        budget = int(self.num_simulations)
        knobs["num_simulations"] = _knob(budget, 1, max(LARGEST_BUDGET, budget), log=True)
        knobs["seed"] = {"value": int(self.seed)}
        if self.moves is not None:
            knobs["moves"] = {"value": [*self.moves]}
        return knobs

    def turned(self, **changes: Any) -> "Search":
        """Returns a copy with new values for the named knobs.

        Raises:
            ValueError: this search has no such knob, or the value is invalid.
        """
        unknown = [name for name in changes if name not in self.knobs()]
        if unknown:
            names = ", ".join(self.knobs())
            raise ValueError(f"This search has no knob {unknown[0]!r}; its knobs are {names}.")
        rule = {**self._parameters, **{n: changes[n] for n in ("c", "fpu") if n in changes}}
        fields = {name: changes[name] for name in ("num_simulations", "seed") if name in changes}
        if "noise" in changes:
            alpha = self.root_noise.alpha if self.root_noise else self._usual_alpha()
            fields["root_noise"] = RootNoise(alpha, changes["noise"])
        if "moves" in changes:
            moves, states = read_moves(self.game, changes["moves"])
            if self.game.outcome(states[-1]) is not None:
                raise ValueError(
                    "The game is over after these moves, so there is nothing to search."
                )
            fields |= {"moves": tuple(moves), "state": states[-1]}
        if rule:
            fields["select"] = RULES[self.select.name](**rule)
        return replace(self, **fields)

    def _usual_alpha(self) -> float:
        """AlphaZero's alpha: about 10 / (number of legal moves) (Silver et al. 2018, Methods)."""
        return 10 / max(1, len(self.game.legal_actions(self.state)))

    def run(
        self,
        stop: Callable[[], bool] = lambda: False,
        progress: Callable[[float], None] = lambda share: None,
    ) -> Recording:
        """Runs the search until it is done or ``stop()`` returns True.

        Raises:
            ValueError: as in ``MCTS.run``. Errors in the evaluator are passed on, too.
        """
        recorder, noise = Recorder(), self.root_noise
        if isinstance(noise, RootNoise) and not noise.fraction:
            noise = None  # with fraction 0, noise would still need priors and random numbers
        kind, given = (
            MCTSSolver if self.use_solver else MCTS,
            (self.game, self.select, self.evaluate),
        )
        mcts = kind(*given, expand=self.expand, root_noise=noise, recorder=recorder)

        def ask(tree: Tree, simulations_left: int) -> bool:
            progress(1 - simulations_left / self.num_simulations)
            return stop()

        mcts.run(self.state, int(self.num_simulations), self.seed, stop=ask)
        return recorder.recording()


def _knob(value: Any, low: float, high: float, log: bool = False) -> dict[str, Any]:
    return {"value": value, "low": low, "high": high, "log": log}
