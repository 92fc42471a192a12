"""The play table: a board to click, and an opponent that answers from Python."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from azlearn.games import Forfeit, Game, State
from azlearn.games.game import Fault
from azlearn.games.notation import from_file, is_record
from azlearn.search import check_budget
from azlearn.viz import assets, play_view
from azlearn.viz.background import Worker
from azlearn.viz.boards import show_board
from azlearn.viz.explorer import Explorer
from azlearn.viz.play_moves import Line
from azlearn.viz.play_opponent import MoveReport, Opponent, OpponentWorker, make_opponent
from azlearn.viz.solver_hints import Truth, truth
from azlearn.viz.widget import PageWidget, not_known, whole_number


class PlayTable(PageWidget):
    """A board to play on, against an opponent or between two people.

    Click a column or a cell, or use the keyboard.

    What is clicked is answered in the background, so that Stop and Take back are heard while the
    opponent thinks. The methods answer before they return.

    Args:
        game: the rules.
        opponent: anything with ``choose(state, rng)``, see ``Opponent``; a network, a loaded
            network, its name or a run's folder, for PUCT with 200 simulations; None or "human" for
            two people.
        you: the side you take, "first" or "second".
        seed: of the opponent's random numbers.
        moves: played before you sit down, as in ``load``.

    Attributes:
        game: the rules.
        you: your side, 0 = first, 1 = second.
        error: what went wrong last, in a sentence; "" if nothing did.
        line: the game so far: ``line.actions``, ``line.states``, ``line.text``.
        truth: what the solver says of the position, or a sentence on why it says nothing; None if
            it was not asked.
        is_thinking: whether the opponent is choosing.
        is_stopping: whether it was asked to move with what it has.
        is_waiting: whether the opponent waits while you look through the game.
        view: what the browser draws; made new after every move.
        progress: of the move being chosen, 0 to 1; -1 if the opponent does not say.
        explorer: the Explorer open below the board, or None.

    Raises:
        ValueError: ``you`` is neither side, the opponent cannot choose, or ``moves`` is no game.
    """

    view = traitlets.Dict().tag(sync=True)
    progress = traitlets.Float(-1.0).tag(sync=True)
    explorer = anywidget.WidgetTrait().tag(sync=True)

    _esm = assets.module(assets.PLAY)
    _css = assets.styles("play.css")

    def __init__(
        self,
        game: Game,
        opponent: Opponent | str | None = None,
        you: str = "first",
        seed: int = 0,
        moves: str | Sequence[int] = "",
    ) -> None:
        # First: close() is called even if this raises.
        self.is_thinking = self.is_stopping = self.is_waiting = False
        self._solver, self._worker = Worker(), None
        if you not in ("first", "second"):
            raise ValueError(f"you must be 'first' or 'second', not {you!r}.")
        self.game, self._rng = game, np.random.default_rng(seed)
        self.line, self._worker = Line(game, moves), self._worker_of(opponent)
        self.you = 0 if you == "first" else 1
        self.error, self.truth = "", None
        self._forfeit: tuple[State, Forfeit] | None = None
        self._is_clicked, self._num_heard = False, 0
        self._shown_search: Any = None
        super().__init__()
        self._proceed()

    def _worker_of(self, opponent: Opponent | str | None) -> OpponentWorker | None:
        made = make_opponent(self.game, opponent)
        return None if made is None else OpponentWorker(self.game, made, self._rng)

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
        return self.result is not None

    @property
    def given_up(self) -> str:
        """What the opponent said as it gave up the game in this position; "" if it did not."""
        where, forfeit = self._forfeit or (None, "")
        return str(forfeit) if where is self.state else ""

    @property
    def is_preparing(self) -> bool:
        """Whether the opponent's search is being compiled."""
        return self._worker is not None and self._worker.is_preparing

    @property
    def is_your_turn(self) -> bool:
        """Whether you are to move; between two people, always."""
        return self._worker is None or self.game.to_play(self.state) == self.you

    @property
    def result(self) -> int | None:
        """None while the game goes on, else +1, 0 or -1 for you."""
        if self.given_up:
            return 1
        if (outcome := self.game.outcome(self.state)) is None:
            return None
        return outcome if self.game.to_play(self.state) == self.you else -outcome

    @property
    def opponent(self) -> Opponent | None:
        """Who sits opposite; None between two people.

        Another may take the seat, and moves if it is the opponent's turn.

        Raises:
            ValueError: set to something that cannot choose; the seat and the game are as before.
        """
        return None if self._worker is None else self._worker.opponent

    @opponent.setter
    def opponent(self, opponent: Opponent | str | None) -> None:
        worker = self._worker_of(opponent)
        self._cancel()
        self._worker, self._forfeit = worker, None
        if self._num_heard:  # there is a page where somebody may wait
            self._prepare()
        self._proceed()

    @property
    def last_search(self) -> Any:
        """The Tree or Recording behind the opponent's last answer, or None."""
        return self.line.last_report and self.line.last_report.search

    @property
    def level(self) -> int | None:
        """The opponent's simulations per move; None if it has no such number.

        Raises:
            ValueError: set to no whole number or less than 1, or on an opponent without
                simulations.
        """
        return None if self._worker is None else self._worker.level

    @level.setter
    def level(self, num_simulations: int) -> None:
        if self.level is None:
            raise ValueError("There is no number of simulations to set: this is not a search.")
        check_budget(num_simulations)
        self.opponent.num_simulations = int(num_simulations)
        self._show()

    # What you can do. Each change of the game is followed by the opponent's answer.

    def play(self, action: int) -> None:
        """Plays your move; the opponent answers.

        Raises:
            ValueError: it is not your turn, or the move is illegal.
        """
        if self.given_up:
            raise ValueError("The game is over. Take back, swap sides or begin a new one.")
        if not self.is_over and not self.is_your_turn:
            raise ValueError("It is the opponent's turn.")
        self._push(action)
        self.is_waiting = False
        self._proceed()

    def new_game(self) -> None:
        """Clears the board; if you play second, the opponent opens."""
        self.load("")

    def swap_sides(self) -> None:
        """You take the other side in the same position."""
        self._cancel()
        self.you, self._forfeit = 1 - self.you, None
        self._proceed()

    def take_back(self) -> None:
        """Takes back your last move and the answer to it; between two people, one move."""
        for keep in range(len(self.line) - 1, -1, -1):
            if self._worker is None or self.game.to_play(self.line.states[keep]) == self.you:
                self.line.cut(keep)
                break
        self.go_on()

    def go_to(self, ply: int) -> None:
        """Looks at the position after so many moves of the game, 0 for its start.

        The moves that follow stay until another one is played here. The opponent waits until you
        play, or ``go_on``.
        """
        self._cancel()
        self.line.go(ply)
        self.is_waiting = True
        self._proceed()

    def go_on(self) -> None:
        """Lets the opponent move if it is its turn, and it waits or could not."""
        self._cancel()
        self.is_waiting = False
        self._proceed()

    def load(self, moves: str | Sequence[int]) -> None:
        """Puts another game on the table.

        Args:
            moves: "4453", as ``moves_text`` writes it, a list of actions, or for Go the text of an
                SGF record.

        Raises:
            ValueError: a move is unknown or impossible; the game on the table is kept.
        """
        self.line = Line(self.game, moves)
        self.go_on()

    def show_best(self) -> list[int]:
        """Marks the best moves on the board, and gives them.

        Raises:
            ValueError: the game is over, or too large to be solved from here.
            ImportError: the game's solver is not installed; says how to get it.
        """
        self._know(truth(self.game, self.state))
        return list(self.truth.best)

    def thinking(self) -> Explorer:
        """The search that chose the opponent's last move, in an Explorer of its own.

        Raises:
            ValueError: the opponent has not moved, or did not keep a search.
        """
        if self.last_search is None:
            raise ValueError("There is no search to show: the opponent's last move left none.")
        return Explorer(self.last_search)

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for what a click has started; whether it is over in time (seconds)."""
        return all(worker.wait(timeout) for worker in (self._worker, self._solver) if worker)

    def close(self) -> None:
        """Takes the table off the page; a move that is being chosen is given up."""
        self._cancel()
        if self.explorer is not None:
            self.explorer.close()
        super().close()

    # The opponent's turn.

    def _proceed(self) -> None:
        """Lets the opponent answer. Unless the page asked for it, the answer is waited for."""
        try:
            if self._answer() and not self._is_clicked:
                self._worker.wait()
        except KeyboardInterrupt:
            if self.is_thinking:
                self._give_up()
            raise

    def _answer(self) -> bool:
        """The opponent begins to think if it is its turn; whether it does. Its errors end up in
        the widget."""
        self.error = ""
        if self.is_over or self.is_your_turn or self.is_waiting:
            self._rest()
            return False
        self.is_thinking, self.is_stopping, self.progress = True, False, -1.0
        self._show()
        self._worker.move(self.state, self._chosen, self._could_not_move, self._advance)
        return True

    def _push(self, action: int, report: MoveReport | None = None) -> None:
        self.line.push(action, report)
        self._forget_truth()

    def _chosen(self, report: MoveReport) -> None:
        try:
            self._push(report.action, report)
            self._answer()
        except Exception as error:  # a reader's own game may fail in any way
            self._could_not_move(error)

    def _advance(self, share: float) -> None:
        self.progress = min(1.0, max(0.0, share))
        if self.view["preparing"] and not self.is_preparing:
            self._show()

    def _could_not_move(self, error: BaseException) -> None:
        if isinstance(error, Fault):
            self._stuck(str(error))
        elif isinstance(error, Forfeit):
            self._forfeit = self.state, error
            self._rest()
        else:
            self._stuck(f"{self._worker.name} could not move ({type(error).__name__}: {error}).")

    def _stuck(self, why: str) -> None:
        self.error = f"{why} Your game is kept: let it try again, take back or swap sides."
        self._rest()

    def _rest(self) -> None:
        """Nobody is thinking (any more)."""
        self.is_thinking = self.is_stopping = False
        self.progress = -1.0
        self._show()

    def _cancel(self) -> None:
        """Nobody is to think any more of the position as it was."""
        if self.is_thinking:
            self._worker.cancel()
            self.is_thinking = False
        self._forget_truth()

    def _stop(self) -> None:
        """A searching opponent plays what it has; asked again, or compiling, it is given up."""
        if not self.is_thinking:
            self._show()
        elif self._worker.can_stop and not self.is_preparing and not self.is_stopping:
            self.is_stopping = True
            self._worker.stop()
            self._show()
        else:
            self._give_up()

    def _give_up(self) -> None:
        self._cancel()
        self._stuck(f"{self._worker.name} was interrupted.")

    def _prepare(self) -> None:
        """The table is on a page: the opponent compiles its search while you think."""
        if self._worker is not None:
            self._worker.prepare(lambda _: self._show())
        self._show()

    # The truth of the position, and the search behind the last move.

    def _toggle_best(self) -> None:
        was_asked, state = self.truth is not None, self.state

        def solve(*_: Any) -> Truth | str:
            try:
                return truth(self.game, state)
            except (ValueError, ImportError) as error:
                return str(error)
            except Exception as error:  # a reader's own game may fail in any way
                return f"The solver failed ({type(error).__name__}: {error})."

        self._forget_truth()
        if not was_asked:
            self.truth = "Working out the best move …"
            self._solver.start(solve, self._know)
        self._show()

    def _know(self, found: Truth | str) -> None:
        self.truth = found
        self._show()

    def _forget_truth(self) -> None:
        self._solver.cancel()
        self.truth = None

    def _open_explorer(self, on: bool) -> None:
        old, self._shown_search = self.explorer, self.last_search if on else None
        try:
            self.explorer = self.thinking() if on else None
        except Exception as error:  # a search of a reader's own making
            self.explorer = self._shown_search = None
            self.error = (
                f"Its search cannot be shown here ({type(error).__name__}: {error}). "
                "Try table.thinking() in a cell of its own."
            )
            self._show()
        if old is not None:
            old.close()

    # The page.

    def _show(self) -> None:
        """Something has changed."""
        self.view = play_view.view(self)
        if self.explorer is None or self.is_thinking or self._shown_search is self.last_search:
            return
        self._open_explorer(self.last_search is not None)

    def _handle_message(self, content: dict[str, Any]) -> None:
        tasks = {
            "play": lambda: self.play(whole_number(content, "action")),
            "load": lambda: self.load(str(content.get("moves"))),
            "new": self.new_game,
            "swap": self.swap_sides,
            "back": self.take_back,
            "retry": self.go_on,
            "go": lambda: self.go_to(whole_number(content, "at")),
            "open": self._prepare,
            "stop": self._stop,
            "best": self._toggle_best,
            "think": lambda: self._open_explorer(self.explorer is None),
            "level": lambda: setattr(self, "level", whole_number(content, "value")),
        }
        self._num_heard += 1
        if (task := tasks.get(str(content.get("do")))) is None:
            raise not_known(content)
        self._is_clicked = True  # then nothing waits for the opponent's answer
        try:
            task()
        finally:
            self._is_clicked = False

    def _tell(self, sentence: str) -> None:
        self.error = sentence
        self._show()

    def _repr_mimebundle_(self, **kwargs) -> tuple[dict, dict]:
        data, metadata = super()._repr_mimebundle_(**kwargs)
        if hasattr(self.game, "cells"):
            caption = f"{self.view['say']} (Run the cell to play.)"
            data.update(show_board(self.game, self.state, caption=caption).bundle())
        else:
            data["text/html"] = "<p>A table to play at: run the cell.</p>"
        data["text/plain"] = repr(self)
        return data, metadata

    def __repr__(self) -> str:
        moves = self.view["moves"] or "no moves yet"
        sides = "two people" if self._worker is None else f"against {self._worker.name}"
        return f"PlayTable({self.game.name} {sides}: {moves})"


play = PlayTable  # ``PlayTable`` by the name that cells use: ``play(game, opponent)``.


def review(
    moves: str | Path | Sequence[int],
    game: Game | None = None,
    opponent: Opponent | str | None = None,
    you: str = "first",
) -> PlayTable:
    """A table with a game on it to step through from its start; you may play on from anywhere.

    Args:
        moves: the path of an SGF record, of Go, that ends in .sgf; or a game as ``PlayTable.load``
            takes it.
        game: the rules; None for those of the SGF record.
        opponent, you: as in ``play``. Where it is the opponent's turn it waits for "Let it move".

    Raises:
        ValueError: no such record or game, an impossible move, or no ``game`` where one is needed;
            one sentence.
        OSError: the file cannot be read.
    """
    moves = from_file(moves)
    if game is None:
        if not is_record(moves):
            raise ValueError("Moves alone do not say of what game they are: review(moves, game).")
        from azlearn.games.go.records import from_sgf  # sgfmill, which few tables need

        game, _ = from_sgf(moves)
    table = PlayTable(game, None, you, moves=moves)
    table.go_to(0)
    table.opponent = opponent
    return table
