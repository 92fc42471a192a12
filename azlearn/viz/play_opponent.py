"""The opponent at the play table: asks it for a move, and keeps its reasons."""

import math
import operator
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol
from weakref import WeakValueDictionary

import numpy as np

from azlearn.games import Game, State
from azlearn.games.notation import named
from azlearn.search import MCTS, Recording, Tree, puct
from azlearn.viz.background import Progress, Stop, Worker

MOST_SIMULATIONS = 1_000_000  # the slider's maximum: a compiled search's tree takes 120 MB

_TURNS: WeakValueDictionary[int, Any] = WeakValueDictionary()  # a lock for each opponent, by id


class Opponent(Protocol):
    """Anything that can choose a move.

    The table also uses these attributes, if the opponent has them: ``last_tree``, the search behind
    its last move; ``last_recording``, the same search to step through; ``exact_value(state)``, for
    the player to move; ``num_simulations``, its level; and ``stop(tree, simulations_left)``, which
    is called after every simulation as in ``MCTS.run``.
    """

    name: str

    def choose(self, state: State, rng: np.random.Generator) -> int:
        """Returns a legal action in ``state``. Raises ``Forfeit`` to resign; you then win."""


@dataclass
class MoveReport:
    """An opponent's move and the known reasons for it.

    Attributes:
        name: the opponent's name at that time.
        state: the position in which it moved.
        action: the move it chose.
        value: the value it expects, from -1 to +1 for the *first* player; None if unknown.
        exact: whether the value is exact.
        visits: [num_actions], the visits of its search; None if it did not search.
        search: its search, for an Explorer; None if there was none or it is no longer kept.
    """

    name: str
    state: State
    action: int
    value: float | None = None
    exact: bool = False
    visits: list[int] | None = None
    search: Recording | Tree | None = None


class NetworkOpponent:
    """PUCT with 200 simulations and a network, in any form ``learning.resolve_evaluator`` accepts.

    Raises:
        ValueError, FileNotFoundError: as ``resolve_evaluator``.
    """

    name = "network"

    def __init__(self, game: Game, network: Any) -> None:
        from azlearn.learning import resolve_evaluator  # imports torch, which few tables need

        self.num_simulations, self.stop, self.last_tree = 200, None, None
        self.network = resolve_evaluator(network, game)
        self._mcts = MCTS(game, puct(1.5), self.network)

    def choose(self, state: State, rng: np.random.Generator) -> int:
        """Returns the most visited move."""
        self.last_tree = self._mcts.run(state, self.num_simulations, rng, stop=self.stop)
        return self.last_tree.best_action()


def make_opponent(game: Game, opponent: Opponent | Any) -> Opponent | None:
    """Returns the opponent itself, or a search with the given network; None for a person.

    Raises:
        ValueError: ``opponent`` cannot choose a move and is not a network of this game either.
    """
    if opponent is None or (isinstance(opponent, str) and opponent == "human"):
        return None
    if callable(getattr(opponent, "choose", None)):
        return opponent
    from azlearn.learning import LoadedNetwork  # imports torch, which few tables need

    try:
        return NetworkOpponent(game, opponent)
    except FileNotFoundError as error:
        why = f"{error} "
    except ValueError:
        if isinstance(opponent, str | Path | LoadedNetwork) or callable(opponent):
            raise  # it is a network, or names one, and the error says what is wrong with it
        why = ""
    raise ValueError(
        f"{why}The opponent must have a method choose(state, rng) that returns a move, or be a"
        " network or a run's folder. None or 'human' lets you play both sides."
    )


class OpponentWorker(Worker):
    """Asks an opponent for its moves in the background. Tables that share an opponent take turns.

    Attributes:
        opponent: the opponent.
        levels: the numbers of simulations on the slider: 1, 2, 5, 10, … up to 100 times the
            opponent's own number, a million at most.
        may_search: whether there may be a search to show.
        may_expect: whether there may be a value to show.
        can_stop: whether it can be asked to move now.
        is_preparing: whether a search is being compiled before it is needed.
    """

    def __init__(self, game: Game, opponent: Opponent, rng: np.random.Generator) -> None:
        super().__init__()
        self.game, self.opponent, self._rng = game, opponent, rng
        self.levels = [] if self.level is None else steps(self.level)
        self.may_search = any(hasattr(opponent, name) for name in ("last_tree", "last_recording"))
        self.may_expect = self.may_search or hasattr(opponent, "exact_value")
        self.can_stop = hasattr(opponent, "stop")
        self._turn = _TURNS.setdefault(id(opponent), threading.Lock())
        self.is_preparing = self._was_asked = False

    @property
    def name(self) -> str:
        return getattr(self.opponent, "name", type(self.opponent).__name__)

    @property
    def level(self) -> int | None:
        """The opponent's simulations per move; None if it has no such number."""
        return getattr(self.opponent, "num_simulations", None)

    def prepare(self, done: Callable[[Any], None]) -> None:
        """Starts a search in the background, so that everything is compiled before the first move.

        Does nothing if the opponent has been asked before or never searches.
        """
        if self._was_asked or not self.can_stop:
            return
        state, rng = self.game.initial_state(), np.random.default_rng(0)
        self.is_preparing = self._was_asked = True
        # An error here will happen again in its first move, and is reported then.
        self.start(lambda *_: self.ask(state, rng, lambda: True), done, done)

    def move(self, state: State, chosen, failed, progress) -> None:
        """Asks for a move in ``state`` and passes it to the callback ``chosen``; see ``start``.

        ``failed`` gets the opponent's exception, or a ValueError if its move is not legal.
        """
        # A new generator, because a canceled search may still be using the old one.
        self._was_asked, rng = True, self._rng.spawn(1)[0]
        self.start(lambda *hooks: self.ask(state, rng, *hooks), chosen, failed, progress)

    def ask(
        self,
        state: State,
        rng: np.random.Generator,
        stop: Stop,
        progress: Progress = lambda share: None,
    ) -> MoveReport:
        """Returns the opponent's move in ``state``, once no other table is waiting for its move.

        Raises:
            ValueError: its move is not legal.
        """
        with self._turn:
            name, total, own = self.name, self.level, getattr(self.opponent, "stop", None)

            def ask_stop(tree: Tree, simulations_left: int) -> bool:
                if total:
                    progress(1 - simulations_left / total)
                return stop() or (own is not None and own(tree, simulations_left))

            try:
                if self.can_stop:
                    self.opponent.stop = ask_stop
                answer = self.opponent.choose(state, rng)
            finally:
                self.is_preparing = False
                if self.can_stop:
                    self.opponent.stop = own
            try:
                action = operator.index(answer)
            except TypeError:
                raise ValueError(f"it returned {answer!r}, which is not an action") from None
            if action not in self.game.legal_actions(state):
                what = named(self.game, action)
                raise ValueError(f"it returned {what}, which is illegal here")
            return _with_reasons(self.opponent, self.game, MoveReport(name, state, action))


class Judge:
    """The opponent as the player of ``review_game``: it takes its turn for every position."""

    def __init__(self, worker: OpponentWorker, stop: Stop) -> None:
        self.name, self._worker, self._stop = worker.name, worker, stop

    def choose(self, state: State, rng: np.random.Generator) -> int:
        """Returns a legal action; ``stop`` ends its search early."""
        report = self._worker.ask(state, rng, self._stop)
        self.last_tree = getattr(report.search, "tree", report.search)
        return report.action


def _with_reasons(opponent: Opponent, game: Game, report: MoveReport) -> MoveReport:
    state, value = report.state, None
    for name in ("last_recording", "last_tree"):
        search = getattr(opponent, name, None)
        root = getattr(getattr(search, "tree", search), "root", None)
        if root is not None and root.state == state:  # otherwise the search belongs to another move
            report.search, report.visits = search, [int(n) for n in root.visit_counts]
            if report.visits[report.action]:
                value = float(root.q_values[report.action])
            break
    if hasattr(opponent, "exact_value"):
        value, report.exact = float(opponent.exact_value(state)), True
    if value is not None and math.isfinite(value):
        report.value = value if game.to_play(state) == 0 else -value
    return report


def side(you: str) -> int:
    """Returns 0 for "first" and 1 for "second". Raises ValueError for any other text."""
    if you not in ("first", "second"):
        raise ValueError(f"you must be 'first' or 'second', not {you!r}.")
    return 0 if you == "first" else 1


def steps(num_simulations: int) -> list[int]:
    """The numbers of simulations that a slider offers."""
    top = min(100 * max(10, num_simulations), MOST_SIMULATIONS)
    steps = {m * 10**e for e in range(len(str(top))) for m in (1, 2, 5) if m * 10**e <= top}
    return sorted(steps | {num_simulations})
