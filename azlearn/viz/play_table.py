"""The play table: a board to click, and an opponent that runs in Python."""

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
from azlearn.viz.background import Stop, Worker
from azlearn.viz.boards import show_board
from azlearn.viz.explorer import Explorer, explore
from azlearn.viz.game_review import GameReview, review_game
from azlearn.viz.play_moves import Line
from azlearn.viz.play_opponent import (
    Judge,
    MoveReport,
    Opponent,
    OpponentWorker,
    make_opponent,
    side,
)
from azlearn.viz.solver_hints import Truth, truth
from azlearn.viz.widget import PageWidget, not_known, whole_number


class PlayTable(PageWidget):
    """A board to play on, against an opponent or between two people.

    Click a column or a cell, or use the keyboard.

    After a click the opponent moves in the background, so that Stop and Take back work while it
    thinks. The methods wait for its move before they return.

    Args:
        game: the rules.
        opponent: anything with ``choose(state, rng)``, see ``Opponent``; a network, a loaded
            network, its name or a run's folder, for PUCT with 200 simulations; None or "human" for
            two people.
        you: the side you take, "first" or "second".
        seed: the seed of the opponent's random numbers.
        moves: moves that have already been played, as in ``load``.

    Attributes:
        game: the rules.
        you: your side, 0 = first, 1 = second.
        error: the last error message; "" if there is none.
        line: the game so far: ``line.actions``, ``line.states``, ``line.text``.
        truth: the solver's result for the position, or a message on why there is none; None if the
            solver was not asked.
        reviewed: the ``GameReview`` of the whole game, or a message while it is in progress or if
            it failed; None if nobody asked for it.
        is_thinking: whether the opponent is choosing a move.
        is_stopping: whether it was asked to move now.
        is_waiting: whether the opponent waits while you look through the game.
        view: the data that the browser draws; updated after every move.
        progress: the progress of the move being chosen, 0 to 1; -1 if unknown.
        explorer: the Explorer open below the board, or None.

    Raises:
        ValueError: ``you`` is not a side, the opponent cannot choose a move, or ``moves`` is not a
            valid game.
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
        # First, because close() is called even if the rest raises.
        self.is_thinking = self.is_stopping = self.is_waiting = False
        self._solver, self._reviewer, self._worker = Worker(), Worker(), None
        self.you = side(you)
        self.game, self._rng = game, np.random.default_rng(seed)
        self.line, self._worker = Line(game, moves), self._worker_of(opponent)
        self.error, self.truth, self.reviewed = "", None, None
        self._forfeit: tuple[State, Forfeit] | None = None
        self._is_clicked, self._num_messages = False, 0
        self._shown_search: Any = None
        super().__init__()
        self._proceed()

    def _worker_of(self, opponent: Opponent | str | None) -> OpponentWorker | None:
        made = make_opponent(self.game, opponent)
        return None if made is None else OpponentWorker(self.game, made, self._rng)

    # The current game.

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
        """The opponent's message if it resigned in this position; else ""."""
        where, forfeit = self._forfeit or (None, "")
        return str(forfeit) if where is self.state else ""

    @property
    def is_preparing(self) -> bool:
        """Whether the opponent's search is being compiled."""
        return self._worker is not None and self._worker.is_preparing

    @property
    def is_your_turn(self) -> bool:
        """Whether you are to move; always True for two people."""
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
        """The opponent; None for two people.

        If you set another opponent, it moves at once if it is the opponent's turn.

        Raises:
            ValueError: the new opponent cannot choose a move; the old one and the game are kept.
        """
        return None if self._worker is None else self._worker.opponent

    @opponent.setter
    def opponent(self, opponent: Opponent | str | None) -> None:
        worker = self._worker_of(opponent)
        self._cancel()
        self._worker, self._forfeit = worker, None
        if self._num_messages:  # the table is on a page, where a player may be waiting
            self._prepare()
        self._proceed()

    @property
    def last_search(self) -> Any:
        """The Tree or Recording of the search for the opponent's last move, or None."""
        return self.line.last_report and self.line.last_report.search

    @property
    def level(self) -> int | None:
        """The opponent's simulations per move; None if it has no such number.

        Raises:
            ValueError: the new value is not a whole number of at least 1, or the opponent has no
                number of simulations.
        """
        return None if self._worker is None else self._worker.level

    @level.setter
    def level(self, num_simulations: int) -> None:
        if self.level is None:
            raise ValueError("This opponent has no number of simulations to set.")
        check_budget(num_simulations)
        self.opponent.num_simulations = int(num_simulations)
        self._show()

    # The player's actions. After each change of the game the opponent moves if it is its turn.

    def play(self, action: int) -> None:
        """Plays your move; then the opponent moves.

        Raises:
            ValueError: it is not your turn, or the move is illegal.
        """
        if self.given_up:
            raise ValueError("The game is over. Take back a move, swap sides or start a new game.")
        if not self.is_over and not self.is_your_turn:
            raise ValueError("It is the opponent's turn.")
        self._push(action)
        self.is_waiting = False
        self._proceed()

    def new_game(self) -> None:
        """Clears the board; if you play second, the opponent opens."""
        self.load("")

    def swap_sides(self) -> None:
        """Gives you the other side in the same position."""
        self._cancel()
        self.you, self._forfeit = 1 - self.you, None
        self._proceed()

    def take_back(self) -> None:
        """Takes back your last move and the opponent's reply; for two people, one move."""
        for keep in range(len(self.line) - 1, -1, -1):
            if self._worker is None or self.game.to_play(self.line.states[keep]) == self.you:
                self.line.cut(keep)
                self._forget_review()
                break
        self.go_on()

    def go_to(self, ply: int) -> None:
        """Goes to the position after ``ply`` moves of the game; 0 is its start.

        The later moves are kept until a different move is played here. The opponent waits until you
        play or call ``go_on``.
        """
        self._cancel()
        self.line.go(ply)
        self.is_waiting = True
        self._proceed()

    def go_on(self) -> None:
        """Lets the opponent move, if it is its turn, after it has waited or failed to move."""
        self._cancel()
        self.is_waiting = False
        self._proceed()

    def load(self, moves: str | Sequence[int]) -> None:
        """Puts another game on the table.

        Args:
            moves: "4453", as ``moves_text`` writes it, a list of actions, or for Go the text of an
                SGF record.

        Raises:
            ValueError: a move is unknown or illegal; the game on the table is kept.
        """
        self.line = Line(self.game, moves)
        self._forget_review()
        self.go_on()

    def show_best(self) -> list[int]:
        """Marks the best moves on the board, and returns them.

        Raises:
            ValueError: the game is over, or too large to solve from this position.
            ImportError: the game's solver is not installed; the message says how to install it.
        """
        self._know(truth(self.game, self.state))
        return list(self.truth.best)

    def review(self) -> GameReview:
        """Judges all moves of the game, shows the worst ones, and returns the judgment.

        The judge is the game's solver, or else the opponent's search, or else UCT.

        Raises:
            ValueError: no move has been played.
        """
        self._tell_review(self._judged())
        return self.reviewed

    def _judged(self, stop: Stop = lambda: False, _progress: Any = None) -> GameReview:
        judge = Judge(self._worker, stop) if hasattr(self.opponent, "last_tree") else None
        return review_game(self.game, self.line.record, judge, stop=stop)

    def thinking(self) -> Explorer:
        """Returns a new Explorer of the search that chose the opponent's last move.

        Raises:
            ValueError: the opponent has not moved, or did not keep a search.
        """
        if self.last_search is None:
            raise ValueError(
                "There is no search to show: the opponent has not moved or kept no search."
            )
        return Explorer(self.last_search)

    def wait(self, timeout: float | None = None) -> bool:
        """Waits up to ``timeout`` seconds for background work; returns whether it ended."""
        return all(
            worker.wait(timeout)
            for worker in (self._worker, self._solver, self._reviewer)
            if worker
        )

    def close(self) -> None:
        """Removes the table from the page and cancels all background work."""
        self._cancel()
        self._forget_review()
        if self.explorer is not None:
            self.explorer.close()
        super().close()

    # The opponent's turn.

    def _proceed(self) -> None:
        """Lets the opponent move, and waits for its move unless the page asked for it."""
        try:
            if self._answer() and not self._is_clicked:
                self._worker.wait()
        except KeyboardInterrupt:
            if self.is_thinking:
                self._give_up()
            raise

    def _answer(self) -> bool:
        """Asks the opponent for a move if it is its turn; returns whether it was asked. If the
        opponent fails, the widget shows the error."""
        self.error = ""
        if self.is_over or self.is_your_turn or self.is_waiting:
            self._rest()
            return False
        self.is_thinking, self.is_stopping, self.progress = True, False, -1.0
        self._show()
        self._worker.move(self.state, self._chosen, self._could_not_move, self._advance)
        return True

    def _push(self, action: int, report: MoveReport | None = None) -> None:
        is_new = action not in self.line.record[self.line.at : self.line.at + 1]
        self.line.push(action, report)
        if is_new:
            self._forget_review()
        self._forget_truth()

    def _chosen(self, report: MoveReport) -> None:
        try:
            self._push(report.action, report)
            self._answer()
        except Exception as error:  # a custom game may raise anything
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
        self.error = f"{why} Your game is kept: let it try again, take back a move or swap sides."
        self._rest()

    def _rest(self) -> None:
        """Updates the view when nobody is thinking."""
        self.is_thinking = self.is_stopping = False
        self.progress = -1.0
        self._show()

    def _cancel(self) -> None:
        """Cancels the opponent's move and the solver, because the position changes."""
        if self.is_thinking:
            self._worker.cancel()
            self.is_thinking = False
        self._forget_truth()

    def _stop(self) -> None:
        """Makes the opponent move now; while it compiles, or on a second call, cancels its move."""
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
        """Once the table is on a page, lets the opponent compile its search while you think."""
        if self._worker is not None:
            self._worker.prepare(lambda _: self._show())
        self._show()

    # The solver's result for the position, and the search for the last move.

    def _toggle_best(self) -> None:
        was_asked, state = self.truth is not None, self.state

        def solve(*_: Any) -> Truth | str:
            try:
                return truth(self.game, state)
            except (ValueError, ImportError) as error:
                return str(error)
            except Exception as error:  # a custom game may raise anything
                return f"The solver failed ({type(error).__name__}: {error})."

        self._forget_truth()
        if not was_asked:
            self.truth = "Solving the position …"
            self._solver.start(solve, self._know)
        self._show()

    def _know(self, found: Truth | str) -> None:
        self.truth = found
        self._show()

    def _toggle_review(self) -> None:
        was_asked = self.reviewed is not None

        def judge(*hooks: Any) -> GameReview | str:
            try:
                return self._judged(*hooks)
            except Exception as error:  # a custom game or player may raise anything
                return f"The game could not be reviewed ({type(error).__name__}: {error})."

        self._forget_review()
        if not was_asked:
            self.reviewed = "Reviewing the game …"
            self._reviewer.start(judge, self._tell_review)
        self._show()

    def _tell_review(self, found: GameReview | str) -> None:
        self.reviewed = found
        self._show()

    def _forget_review(self) -> None:
        self._reviewer.cancel()
        self.reviewed = None

    def _examine(self, ply: int) -> None:
        """Goes to a position and opens an explorer with a new search of it."""
        self.go_to(ply)
        if self.is_over:
            return
        old, self._shown_search = self.explorer, self.last_search
        self.explorer = explore(self.game, self.line.actions, evaluate=self._evaluator())
        if old is not None:
            old.close()

    def _evaluator(self) -> Any:
        """The opponent's network, or None."""
        found = getattr(self.opponent, "network", getattr(self.opponent, "evaluator", None))
        return found if callable(found) else None

    def _forget_truth(self) -> None:
        self._solver.cancel()
        self.truth = None

    def _open_explorer(self, on: bool) -> None:
        old, self._shown_search = self.explorer, self.last_search if on else None
        try:
            self.explorer = self.thinking() if on else None
        except Exception as error:  # a custom search may raise anything
            self.explorer = self._shown_search = None
            self.error = (
                f"The search cannot be shown here ({type(error).__name__}: {error}). "
                "Try table.thinking() in a separate cell."
            )
            self._show()
        if old is not None:
            old.close()

    # The page.

    def _show(self) -> None:
        """Updates the view after a change."""
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
            "review": self._toggle_review,
            "examine": lambda: self._examine(whole_number(content, "at")),
            "think": lambda: self._open_explorer(self.explorer is None),
            "level": lambda: setattr(self, "level", whole_number(content, "value")),
        }
        self._num_messages += 1
        if (task := tasks.get(str(content.get("do")))) is None:
            raise not_known(content)
        self._is_clicked = True  # so that nothing waits for the opponent's move
        try:
            task()
        finally:
            self._is_clicked = False

    def _show_message(self, sentence: str) -> None:
        self.error = sentence
        self._show()

    def _repr_mimebundle_(self, **kwargs) -> tuple[dict, dict]:
        data, metadata = super()._repr_mimebundle_(**kwargs)
        if hasattr(self.game, "cells"):
            say = play_view.by_name(self.game, self.view["say"])
            caption = f"{say} (Run the cell to play.)"
            data.update(show_board(self.game, self.state, caption=caption).bundle())
        else:
            data["text/html"] = "<p>A play table. Run the cell to play.</p>"
        data["text/plain"] = repr(self)
        return data, metadata

    def __repr__(self) -> str:
        moves = self.view["moves"] or "no moves yet"
        sides = "two people" if self._worker is None else f"against {self._worker.name}"
        return f"PlayTable({self.game.name} {sides}: {moves})"


play = PlayTable  # a short name for notebook cells: ``play(game, opponent)``


def review(
    moves: str | Path | Sequence[int],
    game: Game | None = None,
    opponent: Opponent | str | None = None,
    you: str = "first",
) -> PlayTable:
    """A play table with a game to step through from its start; you can continue from any position.

    Args:
        moves: the path of an SGF record (Go only) that ends in .sgf, or a game in a form that
            ``PlayTable.load`` accepts.
        game: the rules; None for those of the SGF record.
        opponent, you: as in ``play``. On its turn the opponent waits for "Let it move".

    Raises:
        ValueError: the record or game is invalid, a move is illegal, or ``game`` is missing.
        OSError: the file cannot be read.
    """
    moves = from_file(moves)
    if game is None:
        if not is_record(moves):
            raise ValueError(
                "Cannot tell which game these moves belong to. Pass the game too:"
                " review(moves, game)."
            )
        from azlearn.games.go.records import from_sgf  # imports sgfmill, which few tables need

        game, _ = from_sgf(moves)
    table = PlayTable(game, None, you, moves=moves)
    table.go_to(0)
    table.opponent = opponent
    return table
