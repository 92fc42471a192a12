"""The play table: a board to click, and an opponent that answers from Python."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from azlearn.games import Game
from azlearn.games.notation import from_file, is_record
from azlearn.viz import assets, play_view
from azlearn.viz.boards import show_board
from azlearn.viz.explorer import Explorer
from azlearn.viz.play_opponent import Opponent
from azlearn.viz.play_session import Session
from azlearn.viz.widget import PageWidget, not_known, whole_number


class PlayTable(Session, PageWidget):
    """A game between the reader and an opponent, or between two people.

    What is clicked is answered in the background, so that Stop and Take back are heard while the
    opponent thinks. The methods answer before they return.

    Args:
        game: the rules.
        opponent: chooses the other side's moves; see ``Opponent``. None or "human": you play both.
        you: "first" or "second".
        seed: of the opponent's random numbers.
        moves: played before you sit down, as in ``load``.

    Attributes:
        game: the rules.
        you: your side, 0 = first, 1 = second.
        error: what went wrong last, in a sentence; "" if nothing did.
        line: the game so far: ``line.actions``, ``line.states``, ``line.text``.
        chair: who sits opposite, and its level; None between two people.
        truth: what the solver says of the position, or a sentence on why it says nothing; None if
            it was not asked.
        is_thinking: whether the opponent is choosing.
        is_stopping: whether it was asked to move with what it has.
        is_preparing: whether the opponent's search is being compiled.
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
        Session.__init__(self, game, opponent, you, seed, moves)
        self._num_heard = 0
        PageWidget.__init__(self)
        self._shown_search: Any = None
        self._answer()

    def thinking(self) -> Explorer:
        """The search that chose the opponent's last move, in an Explorer of its own.

        Raises:
            ValueError: the opponent has not moved, or did not keep a search.
        """
        if self.last_search is None:
            raise ValueError("There is no search to show: the opponent's last move left none.")
        return Explorer(self.last_search)

    def close(self) -> None:
        """Takes the table off the page; a move that is being chosen is given up."""
        self._cancel()
        if self.explorer is not None:
            self.explorer.close()
        super().close()

    def _show(self) -> None:
        self.view = play_view.view(self)
        if self.explorer is None or self.is_thinking or self._shown_search is self.last_search:
            return
        self._open_explorer(self.last_search is not None)

    # What the browser asks for.

    def _obey(self, content: dict[str, Any]) -> None:
        games = {
            "play": lambda: self._play(whole_number(content, "action")),
            "load": lambda: self._load(str(content.get("moves"))),
            "new": lambda: self._load(""),
            "swap": self._swap,
            "back": self._take_back,
            "retry": self._go_on,
            "go": lambda: self._go_to(whole_number(content, "at")),
        }
        others = {
            "open": self._prepare,
            "stop": self._stop,
            "best": self._toggle_best,
            "think": lambda: self._open_explorer(self.explorer is None),
            "level": lambda: setattr(self, "level", whole_number(content, "value")),
        }
        what, self._num_heard = str(content.get("do")), self._num_heard + 1
        if what in games:
            games[what]()
            self._answer(background=True)
        elif what in others:
            others[what]()
        else:
            raise not_known(content)

    def _tell(self, sentence: str) -> None:
        self.error = sentence
        self._show()

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
        sides = "two people" if self.chair is None else f"against {self.chair.name}"
        return f"PlayTable({self.game.name} {sides}: {moves})"


def play(
    game: Game,
    opponent: Opponent | str | None = None,
    you: str = "first",
    seed: int = 0,
    moves: str | Sequence[int] = "",
) -> PlayTable:
    """A table to play ``game`` at: click a column or a cell, or use the keyboard.

    Args:
        game: the rules.
        opponent: anything with ``choose(state, rng)``; a network, a loaded network, its name or a
            run's folder, for PUCT with 200 simulations; None or "human" for two people.
        you: the side you take, "first" or "second".
        seed: of the opponent's random numbers.
        moves: played before you sit down, such as "4453", or a list of actions.
    """
    return PlayTable(game, opponent, you, seed, moves)


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
