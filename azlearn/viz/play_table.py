"""The play table: a board to click, and an opponent that answers from Python."""

from typing import Any, Protocol

import anywidget
import numpy as np
import traitlets

from azlearn.games import Game, State
from azlearn.viz import assets
from azlearn.viz.boards import label, marks, show_board, winning_line


class Opponent(Protocol):
    """Anything that can choose a move."""

    name: str

    def choose(self, state: State, rng: np.random.Generator) -> int:
        """A legal action in ``state``."""


class PlayTable(anywidget.AnyWidget):
    """A game between the reader and an opponent.

    Args:
        game: the rules.
        opponent: chooses the other side's moves.
        you: "first" or "second".
        seed: of the opponent's random numbers.

    Attributes:
        state: the position on the table.
        moves: the actions played so far.
        view: what the browser draws; made new after every move.

    Raises:
        ValueError: ``you`` is neither side, or the opponent cannot choose.
    """

    view = traitlets.Dict().tag(sync=True)

    _esm = assets.module(assets.PLAY)
    _css = assets.styles("play.css")

    def __init__(self, game: Game, opponent: Opponent, you: str = "first", seed: int = 0) -> None:
        if you not in ("first", "second"):
            raise ValueError(f"you must be 'first' or 'second', not {you!r}.")
        if not callable(getattr(opponent, "choose", None)):
            raise ValueError("The opponent needs a method choose(state, rng) that gives a move.")
        super().__init__()
        self.game, self.opponent = game, opponent
        self.you = 0 if you == "first" else 1
        self.rng = np.random.default_rng(seed)
        self._states = [game.initial_state()]
        self.moves: list[int] = []
        self.error = ""
        self.on_msg(self._heard)
        self._answer()

    @property
    def state(self) -> State:
        """The position on the table."""
        return self._states[-1]

    @property
    def result(self) -> int | None:
        """None while the game goes on, else +1, 0 or -1 for you."""
        outcome = self.game.outcome(self.state)
        if outcome is None:
            return None
        return outcome if self.game.to_play(self.state) == self.you else -outcome

    def play(self, action: int) -> None:
        """Plays your move; the opponent answers.

        Raises:
            ValueError: it is not your turn, or the move is illegal.
        """
        if self.game.outcome(self.state) is None and self.game.to_play(self.state) != self.you:
            raise ValueError("It is the opponent's turn.")
        self._push(action)
        self._answer()

    def new_game(self) -> None:
        """Clears the board; if you play second, the opponent opens."""
        self._states, self.moves = self._states[:1], []
        self._answer()

    def swap_sides(self) -> None:
        """You take the other side in the same position."""
        self.you = 1 - self.you
        self._answer()

    def take_back(self) -> None:
        """Takes back your last move and the answer to it."""
        keep = len(self.moves)
        while keep:
            keep -= 1
            if self.game.to_play(self._states[keep]) == self.you:
                break
        else:
            return
        self._states, self.moves = self._states[: keep + 1], self.moves[:keep]
        self._answer()

    def _push(self, action: int) -> None:
        self._states.append(self.game.play(self.state, action))
        self.moves.append(int(action))

    def _answer(self) -> None:
        """The opponent moves if it is its turn. Its errors end up in the widget."""
        self.error = ""
        while self.game.outcome(self.state) is None and self.game.to_play(self.state) != self.you:
            self._show(thinking=True)
            try:
                self._push(int(self.opponent.choose(self.state, self.rng)))
            except Exception as error:
                self._stuck(f"could not move ({type(error).__name__}: {error})")
                return
            except KeyboardInterrupt:
                self._stuck("was interrupted")
                raise
        self._show()

    def _stuck(self, what: str) -> None:
        self.error = (
            f"{self._name()} {what}. Your game is kept: let it try again, take back or swap sides."
        )
        self._show()

    def _heard(self, _widget, content: dict[str, Any], _buffers) -> None:
        """A message from the browser."""
        try:
            match content.get("do"):
                case "play":
                    self.play(int(content["action"]))
                case "new":
                    self.new_game()
                case "swap":
                    self.swap_sides()
                case "back":
                    self.take_back()
                case "retry":
                    self._answer()
        except ValueError as error:
            self.error = str(error)
            self._show()
        except Exception as error:  # a reader's own game may fail in any way
            self.error = f"That did not work ({type(error).__name__}: {error})."
            self._show()

    def _name(self) -> str:
        return getattr(self.opponent, "name", type(self.opponent).__name__)

    def _sentence(self, thinking: bool) -> str:
        mine, theirs = (marks(self.game)[side] for side in (self.you, 1 - self.you))
        if thinking:
            return f"{self._name()} ({theirs}) is thinking …"
        result, plies = self.result, len(self.moves)
        if result is None:
            if self.game.to_play(self.state) != self.you:
                return f"{self._name()} ({theirs}) is to move."
            last = f"{self._name()} played {self._label(self.moves[-1])}. " if self.moves else ""
            return f"{last}Your turn: you are {mine}."
        if result == 0:
            return f"A draw after {plies} moves."
        who = f"You ({mine}) have" if result > 0 else f"{self._name()} ({theirs}) has"
        return f"{who} won after {plies} moves."

    def _label(self, action: int) -> str:
        return label(self.game, action)

    def _show(self, thinking: bool = False) -> None:
        game, state = self.game, self.state
        has_board = hasattr(game, "cells")
        over = game.outcome(state) is not None
        last = -1
        if self.moves and has_board:
            last = game.cell(self._states[-2], self.moves[-1])
        legal = [] if over else game.legal_actions(state)
        yours = not over and not thinking and game.to_play(state) == self.you
        self.view = {
            "game": {
                "name": game.name,
                "rows": game.rows if has_board else 0,
                "cols": game.cols if has_board else 0,
                "num_actions": game.num_actions,
            },
            "cells": game.cells(state) if has_board else [],
            "last": last,
            "line": winning_line(game, state) if has_board else [],
            "legal": legal,
            "lands": [game.cell(state, a) for a in legal] if has_board else [],
            "labels": [self._label(a) for a in range(game.num_actions)],
            "yours": yours,
            "thinking": thinking,
            "over": over,
            "you": self.you,
            "opponent": self._name(),
            "say": self._sentence(thinking),
            "moves": " ".join(self._label(a) for a in self.moves),
            "error": self.error,
            "turn": len(self.moves),
        }

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
        return f"PlayTable({self.game.name} against {self._name()}: {moves})"


def play(game: Game, opponent: Opponent, you: str = "first", seed: int = 0) -> PlayTable:
    """A table to play ``game`` at: click a column or a cell, or use the keyboard.

    Args:
        game: the rules.
        opponent: anything with ``choose(state, rng)``.
        you: the side you take, "first" or "second".
        seed: of the opponent's random numbers.
    """
    return PlayTable(game, opponent, you, seed)
