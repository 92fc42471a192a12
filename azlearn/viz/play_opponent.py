"""The other side of the table: one move asked of an opponent, and what it thought of it."""

import copy
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from azlearn.games import Game, State
from azlearn.games.notation import named
from azlearn.search import MCTS, Recording, Tree, puct
from azlearn.viz.background import Worker

MOST_SIMULATIONS = 1_000_000  # that a slider offers: the compiled search's tree then takes 120 MB


class Opponent(Protocol):
    """Anything that can choose a move.

    What else it has, the table uses: ``last_tree``, the search behind its last answer, or
    ``last_recording``, the same to step through; ``exact_value(state)`` for the player to move;
    ``num_simulations``, its level; ``stop(tree, num_left)``, asked after every simulation as in
    ``MCTS.run``.
    """

    name: str

    def choose(self, state: State, rng: np.random.Generator) -> int:
        """A legal action in ``state``. ``Forfeit`` if it gives the game up, and you have won."""


@dataclass
class Thought:
    """An opponent's answer and what is known of its reasons.

    Attributes:
        name: the opponent's, when it chose.
        state: where it chose.
        action: what it chose.
        value: what it expects, from -1 to +1 for the *first* player; None if it does not say.
        exact: whether the value is the true one.
        visits: [num_actions], visits of its search; None if it has none.
        search: what an Explorer shows; None if there is none or it is no longer kept.
    """

    name: str
    state: State
    action: int
    value: float | None = None
    exact: bool = False
    visits: list[int] | None = None
    search: Recording | Tree | None = None


class NetworkOpponent:
    """PUCT with a network, in any form that ``learning.evaluator_of`` takes; 200 simulations.

    Raises:
        ValueError, FileNotFoundError: as ``evaluator_of``.
    """

    name = "network"

    def __init__(self, game: Game, network: Any) -> None:
        from azlearn.learning import evaluator_of  # torch, which few tables need

        self.num_simulations, self.stop, self.last_tree = 200, None, None
        self._mcts = MCTS(game, puct(1.5), evaluator_of(network, game))

    def choose(self, state: State, rng: np.random.Generator) -> int:
        """The most visited move."""
        self.last_tree = self._mcts.run(state, self.num_simulations, rng, stop=self.stop)
        return self.last_tree.best_action()


class Chair:
    """Holds the opponent and asks it for its moves, now or in the background.

    Attributes:
        opponent: whoever sits there.
        levels: the simulations that a slider offers: 1, 2, 5, 10, … to 100 times what it came
            with, a million at most.
    """

    def __init__(self, game: Game, opponent: Opponent, seed: int | np.random.Generator) -> None:
        self.game, self.opponent = game, opponent
        self.rng = np.random.default_rng(seed)
        self.levels = [] if self.level is None else _steps(self.level)
        self.worker, self._preparer = Worker(), Worker()

    @property
    def name(self) -> str:
        return getattr(self.opponent, "name", type(self.opponent).__name__)

    @property
    def level(self) -> int | None:
        """Simulations a move; None if the opponent has no such number."""
        return getattr(self.opponent, "num_simulations", None)

    @property
    def may_search(self) -> bool:
        """Whether there may be a search to show."""
        return any(hasattr(self.opponent, name) for name in ("last_tree", "last_recording"))

    @property
    def may_expect(self) -> bool:
        """Whether there may be a value to show."""
        return self.may_search or hasattr(self.opponent, "exact_value")

    @property
    def can_stop(self) -> bool:
        """Whether it can be asked to move with what it has."""
        return hasattr(self.opponent, "stop")

    @property
    def may_prepare(self) -> bool:
        """Whether its first move may take longer than others: a search compiles what it needs."""
        return self.level is not None

    def prepare_later(self, done: Callable[[], None]) -> None:
        """Lets it search a little in the background, so that its first move finds all compiled."""
        twin = copy.copy(self.opponent)  # the opponent itself remembers nothing of it

        def job(*_) -> None:
            twin.num_simulations = 1
            twin.choose(self.game.initial_state(), np.random.default_rng(0))

        # What goes wrong here goes wrong in its first move, and is told then.
        self._preparer.start(job, lambda _: done(), lambda _: done())

    def answer(self, state: State) -> Thought:
        """Its move in ``state``. Errors as ``ask``."""
        self._preparer.wait_for_end()
        self.worker.wait_for_end()  # a move that was given up: the opponent may still be at it
        return ask(self.opponent, self.game, state, self._rng())

    def answer_later(self, state: State, chosen, failed, progress) -> None:
        """Its move in ``state``, told to one of the callbacks; see ``Worker.start``."""
        rng = self._rng()

        def job(stop: Callable[[], bool], progress: Callable[[float], None]) -> Thought:
            self._preparer.wait_for_end()
            return ask(self.opponent, self.game, state, rng, stop, progress)

        self.worker.start(job, chosen, failed, progress)

    def _rng(self) -> np.random.Generator:
        return self.rng.spawn(1)[0]  # its own: a thread that was given up may still be drawing


def ask(
    opponent: Opponent,
    game: Game,
    state: State,
    rng: np.random.Generator,
    stop: Callable[[], bool] | None = None,
    progress: Callable[[float], None] | None = None,
) -> Thought:
    """The opponent's answer in ``state``.

    Args:
        stop: asked after every simulation of an opponent that can stop; True = answer now.
        progress: told the share of the simulations done.

    Raises:
        ValueError: the answer is not a legal action.
        Exception: whatever the opponent raises.
    """
    name = getattr(opponent, "name", type(opponent).__name__)
    asked = opponent
    if stop is not None and hasattr(opponent, "stop"):
        asked = copy.copy(opponent)  # another table may be asking the same opponent
        asked.stop = _hook(opponent, stop, progress)
    before = dict(_attributes(asked))
    try:
        answer = asked.choose(state, rng)
    finally:
        if asked is not opponent:
            _remember(opponent, asked, before)
    try:
        action = operator.index(answer)
    except TypeError:
        raise ValueError(f"it answered {answer!r}, which is not an action") from None
    if action not in game.legal_actions(state):
        raise ValueError(f"it answered {named(game, action)}, which is illegal here")
    return _with_reasons(asked, game, Thought(name, state, action))


def _hook(opponent: Opponent, stop: Callable[[], bool], progress) -> Callable[[Tree, int], bool]:
    total, own = getattr(opponent, "num_simulations", None), opponent.stop

    def ask_stop(tree: Tree, num_left: int) -> bool:
        if progress is not None and total:
            progress(1 - num_left / total)
        return stop() or (own is not None and own(tree, num_left))

    return ask_stop


def _attributes(opponent: Opponent) -> dict[str, Any]:
    return getattr(opponent, "__dict__", {})


def _remember(opponent: Opponent, asked: Opponent, before: dict[str, Any]) -> None:
    """Gives the opponent what its copy has set while it chose: its search, say."""
    for name, value in _attributes(asked).items():
        if name != "stop" and (name not in before or before[name] is not value):
            setattr(opponent, name, value)


def _with_reasons(opponent: Opponent, game: Game, thought: Thought) -> Thought:
    state, value = thought.state, None
    for name in ("last_recording", "last_tree"):
        search = getattr(opponent, name, None)
        root = getattr(getattr(search, "tree", search), "root", None)
        if root is not None and root.state == state:  # else it is the search of another move
            thought.search, thought.visits = search, [int(n) for n in root.visit_counts]
            if thought.visits[thought.action]:
                value = float(root.q_values[thought.action])
            break
    if hasattr(opponent, "exact_value"):
        value, thought.exact = float(opponent.exact_value(state)), True
    if value is not None and math.isfinite(value):
        thought.value = value if game.to_play(state) == 0 else -value
    return thought


def _steps(num_simulations: int) -> list[int]:
    top = min(100 * max(10, num_simulations), MOST_SIMULATIONS)
    steps = {m * 10**e for e in range(len(str(top))) for m in (1, 2, 5) if m * 10**e <= top}
    return sorted(steps | {num_simulations})
