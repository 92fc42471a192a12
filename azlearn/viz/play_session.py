"""The game at a play table: moves, the opponent's answers, and what a solver knows of them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from azlearn.games import Forfeit, Game, State
from azlearn.games.game import Fault
from azlearn.search import check_budget
from azlearn.viz.background import Worker
from azlearn.viz.play_moves import Line
from azlearn.viz.play_opponent import Chair, NetworkOpponent, Opponent, Thought
from azlearn.viz.play_truth import Truth, truth


class Session:
    """What a PlayTable does, without its picture. ``_show`` is called after every change.

    Args and attributes: see ``PlayTable``.
    """

    progress = -1.0
    chair: Chair | None = None

    def __init__(
        self,
        game: Game,
        opponent: Opponent | str | None,
        you: str,
        seed: int,
        moves: str | Sequence[int],
    ) -> None:
        self._solver = Worker()
        if you not in ("first", "second"):
            raise ValueError(f"you must be 'first' or 'second', not {you!r}.")
        self.game, self._rng = game, np.random.default_rng(seed)
        chair, self.line = self._chair(opponent), Line(game, moves)
        self.chair = chair
        self.you = 0 if you == "first" else 1
        self.error = ""
        self.truth: Truth | str | None = None
        self.is_thinking = self.is_stopping = self.is_preparing = self.is_waiting = False
        self._prepared: Chair | None = None
        self._forfeit: tuple[State, Forfeit] | None = None

    def _chair(self, opponent: Opponent | str | None) -> Chair | None:
        if opponent is None or (isinstance(opponent, str) and opponent == "human"):
            return None
        if not callable(getattr(opponent, "choose", None)):
            try:
                opponent = NetworkOpponent(self.game, opponent)
            except (ValueError, FileNotFoundError):
                raise ValueError(
                    "The opponent needs a method choose(state, rng) that gives a move, or be a"
                    " network or a run's folder; None or 'human' lets you play both sides."
                ) from None
        return Chair(self.game, opponent, self._rng)

    def _show(self) -> None:
        """Something has changed."""
        raise NotImplementedError

    # The game as it stands.

    @property
    def state(self) -> State:
        """The position on the table."""
        return self.line.states[-1]

    @property
    def moves(self) -> list[int]:
        """The actions played so far."""
        return self.line.actions

    @property
    def moves_text(self) -> str:
        """The moves so far as a string that ``load`` takes."""
        return self.line.text

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.given_up) or self.game.outcome(self.state) is not None

    @property
    def given_up(self) -> str:
        """What the opponent said as it gave up the game in this position; "" if it did not."""
        where, forfeit = self._forfeit or (None, "")
        return str(forfeit) if where is self.state else ""

    @property
    def is_your_turn(self) -> bool:
        """Whether you are to move; between two people, always."""
        return self.chair is None or self.game.to_play(self.state) == self.you

    @property
    def result(self) -> int | None:
        """None while the game goes on, else +1, 0 or -1 for you."""
        if self.given_up:
            return 1
        outcome = self.game.outcome(self.state)
        if outcome is None:
            return None
        return outcome if self.game.to_play(self.state) == self.you else -outcome

    @property
    def opponent(self) -> Opponent | None:
        """Who sits opposite; None between two people.

        Another may take the seat, and moves if it is the opponent's turn.

        Raises:
            ValueError: set to something that cannot choose; the seat and the game are as before.
        """
        return None if self.chair is None else self.chair.opponent

    @opponent.setter
    def opponent(self, opponent: Opponent | str | None) -> None:
        chair = self._chair(opponent)
        self._cancel()
        self.chair, self._forfeit = chair, None
        if self._prepared is not None:  # there is a page where somebody may wait
            self._prepare()
        self._answer()

    @property
    def last_search(self) -> Any:
        """The Tree or Recording behind the opponent's last answer, or None."""
        return self.line.last_thought and self.line.last_thought.search

    @property
    def level(self) -> int | None:
        """The opponent's simulations a move; None if it has no such number.

        Raises:
            ValueError: set to no whole number or less than 1, or on an opponent without
                simulations.
        """
        return None if self.chair is None else self.chair.level

    @level.setter
    def level(self, num_simulations: int) -> None:
        if self.level is None:
            raise ValueError("There is no number of simulations to set: this is not a search.")
        check_budget(num_simulations)
        self.chair.opponent.num_simulations = int(num_simulations)
        self._show()

    # What you can do. Each change of the game is followed by the opponent's answer.

    def play(self, action: int) -> None:
        """Plays your move; the opponent answers.

        Raises:
            ValueError: it is not your turn, or the move is illegal.
        """
        self._play(action)
        self._answer()

    def new_game(self) -> None:
        """Clears the board; if you play second, the opponent opens."""
        self._load("")
        self._answer()

    def swap_sides(self) -> None:
        """You take the other side in the same position."""
        self._swap()
        self._answer()

    def take_back(self) -> None:
        """Takes back your last move and the answer to it; between two people, one move."""
        self._take_back()
        self._answer()

    def go_to(self, ply: int) -> None:
        """Looks at the position after so many moves of the game, 0 for its start.

        The moves that follow stay until another one is played here. The opponent waits until you
        play, or ``go_on``.
        """
        self._go_to(ply)
        self._answer()

    def go_on(self) -> None:
        """Lets the opponent move if it is its turn, and it waits or could not."""
        self._go_on()
        self._answer()

    def load(self, moves: str | Sequence[int]) -> None:
        """Puts another game on the table: "4453", as ``moves_text`` writes it, a list of actions,
        or the text of an SGF record, of Go.

        Raises:
            ValueError: a move is unknown or impossible; the game on the table is kept.
        """
        self._load(moves)
        self._answer()

    def show_best(self) -> list[int]:
        """Marks the best moves on the board, and gives them.

        Raises:
            ValueError: the game is over, or too large to be solved from here.
            ImportError: the game's solver is not installed; says how to get it.
        """
        self.truth = truth(self.game, self.state)
        self._show()
        return list(self.truth.best)

    def _play(self, action: int) -> None:
        if self.given_up:
            raise ValueError("The game is over. Take back, swap sides or begin a new one.")
        if not self.is_over and not self.is_your_turn:
            raise ValueError("It is the opponent's turn.")
        self.line.push(action)
        self.is_waiting = False
        self._forget_truth()

    def _go_to(self, ply: int) -> None:
        self._cancel()
        self.line.go(ply)
        self.is_waiting = True

    def _go_on(self) -> None:
        self._cancel()
        self.is_waiting = False

    def _load(self, moves: str | Sequence[int]) -> None:
        line = Line(self.game, moves)
        self._go_on()
        self.line = line

    def _swap(self) -> None:
        self._cancel()
        self.you, self._forfeit = 1 - self.you, None

    def _take_back(self) -> None:
        self._go_on()
        for keep in range(len(self.line) - 1, -1, -1):
            if self.chair is None or self.game.to_play(self.line.states[keep]) == self.you:
                self.line.cut(keep)
                return

    # The opponent's turn.

    def _prepare(self) -> None:
        """The table is on a page: the opponent compiles its search while you think."""
        chair = self.chair
        if chair is None or chair is self._prepared or not chair.may_prepare:
            return

        def done() -> None:
            if chair is self.chair:
                self.is_preparing = False
                self._show()

        self._prepared, self.is_preparing = chair, True
        self._show()
        chair.prepare_later(done)

    def _answer(self, background: bool = False) -> None:
        """The opponent moves if it is its turn. Its errors end up in the widget."""
        self.error = ""
        while not (self.is_over or self.is_your_turn or self.is_waiting):
            self.is_thinking, self.is_stopping, self.progress = True, False, -1.0
            self._show()
            if background:
                calls = (self._chosen, self._could_not_move, self._advance)
                self.chair.answer_later(self.state, *calls)
                return
            try:
                self._take(self.chair.answer(self.state))
            except Exception as error:
                self._could_not_move(error)
                return
            except KeyboardInterrupt:
                self._stuck(f"{self.chair.name} was interrupted.")
                raise
        self._rest()

    def _take(self, thought: Thought) -> None:
        self.line.push(thought.action, thought)
        self._forget_truth()

    def _chosen(self, thought: Thought) -> None:
        try:
            self._take(thought)
        except Exception as error:  # a reader's own game may fail in any way
            self._could_not_move(error)
            return
        self._answer(background=True)

    def _advance(self, share: float) -> None:
        self.progress = min(1.0, max(0.0, share))

    def _could_not_move(self, error: BaseException) -> None:
        if isinstance(error, Fault):
            self._stuck(str(error))
        elif isinstance(error, Forfeit):
            self._forfeit = self.state, error
            self._rest()
        else:
            self._stuck(f"{self.chair.name} could not move ({type(error).__name__}: {error}).")

    def _stuck(self, why: str) -> None:
        self.error = f"{why} Your game is kept: let it try again, take back or swap sides."
        self._rest()

    def _rest(self) -> None:
        """Nobody is thinking (any more)."""
        self.is_thinking, self.is_stopping, self.progress = False, False, -1.0
        self._show()

    def _stop(self) -> None:
        """A searching opponent plays what it has; asked again, or compiling, it is given up."""
        has_moves = self.chair is not None and self.chair.can_stop and not self.is_preparing
        if self.is_thinking and has_moves and not self.is_stopping:
            self.is_stopping = True
            self.chair.worker.stop()
        elif self.is_thinking:
            self._cancel()
            self._stuck(f"{self.chair.name} was interrupted.")
        self._show()

    def _cancel(self) -> None:
        if self.chair is not None:
            self.chair.worker.cancel()
        self.is_thinking, self.is_stopping, self.progress = False, False, -1.0
        self._forget_truth()

    def _toggle_best(self) -> None:
        state, asked = self.state, self.truth is not None
        self._forget_truth()
        if not asked:
            self.truth = "Working out the best move …"
            self._solver.start(lambda *_: truth(self.game, state), self._know, self._not_known)
        self._show()

    def _know(self, found: Truth | str) -> None:
        self.truth = found
        self._show()

    def _not_known(self, error: BaseException) -> None:
        plain = isinstance(error, ValueError | ImportError)
        self._know(str(error) if plain else f"The solver failed ({type(error).__name__}: {error}).")

    def _forget_truth(self) -> None:
        self._solver.cancel()
        self.truth = None
