"""A player of this package as an engine of the Go Text Protocol (GTP, version 2).

The protocol is Farnebäck's "Specification of the Go Text Protocol, version 2, draft 2" (2002).
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import replace
from importlib.metadata import version
from inspect import signature
from math import isfinite
from pathlib import Path
from typing import TextIO

import numpy as np

from azlearn.arena.gtp_player import action_of
from azlearn.arena.players import Player
from azlearn.games import Forfeit, Go, State
from azlearn.games.game import Fault
from azlearn.games.go.records import from_sgf

SIZES = range(2, 10)  # the board sizes of ``Go``
_EDGE = 2  # lines between a handicap stone and the edge
_COLORS = {"b": 0, "black": 0, "w": 1, "white": 1}


class Refused(Exception):
    """Raised if a command cannot be carried out; its text follows the ``?`` of the answer."""


class GTPEngine:
    """Answers a client's commands.

    If a client lets one player move twice in a row, the engine adds a pass between the moves. If
    the client continues after two passes, the engine ignores them.

    Args:
        player: a player of Go.
        seed: determines the player's random numbers.

    Raises:
        ValueError: a player of another game.
    """

    def __init__(self, player: Player, seed: int = 0) -> None:
        if not isinstance(player.game, Go):
            raise ValueError(f"GTP is only for Go, but {player.name} plays {player.game.name}.")
        self._player, self._rng = player, np.random.default_rng(seed)
        self._states: list[State] = []
        self._komi_more = 0.0  # the client's komi minus the player's, for the score
        self._clear()
        self._commands: dict[str, Callable[..., str]] = {
            "boardsize": self._boardsize,
            "clear_board": self._clear,
            "final_score": self._final_score,
            "fixed_handicap": lambda number: self._handicap(fixed_handicap(self.game, number)),
            "genmove": self._genmove,
            "kgs-time_settings": self._time_settings,
            "known_command": lambda name="": str(name in self._commands).lower(),
            "komi": self._komi,
            "list_commands": lambda: "\n".join(sorted(self._commands)),
            "loadsgf": self._loadsgf,
            "name": lambda: f"azlearn {self._player.name}",
            "place_free_handicap": lambda number: self._handicap(free_handicap(self.game, number)),
            "play": self._play,
            "protocol_version": lambda: "2",
            "quit": lambda: "",
            "reg_genmove": lambda color="": self._chosen(_color(color))[1],
            "set_free_handicap": lambda *vertices: self._handicap(points_of(self.game, vertices))[
                :0
            ],
            "showboard": self._showboard,
            "time_left": lambda *given: "",
            "time_settings": self._time_settings,
            "undo": self._undo,
            "version": lambda: version("azlearn"),
        }

    @property
    def game(self) -> Go:
        return self._player.game

    def serve(self, lines: Iterable[str], out: TextIO) -> None:
        """Compiles everything, then answers each line until ``quit`` or the end of the input."""
        self._compile()
        for line in lines:
            if answer := self.answer(line):
                out.write(answer)
                out.flush()
            if _words(line)[1:2] == ["quit"]:
                return

    def answer(self, line: str) -> str:
        """Returns the answer to a line, ending in an empty line; "" if there is no command."""
        number, *words = _words(line)
        if not words:
            return ""
        command = self._commands.get(words[0])
        try:
            if command is None:
                raise Refused("unknown command")
            try:
                arguments = signature(command).bind(*words[1:]).args
            except TypeError:
                raise Refused("syntax error") from None
            said = command(*arguments)
        except Refused as why:
            return f"?{number} {why}\n\n"
        return f"={number} {said}".rstrip(" ") + "\n\n"

    def _clear(self) -> str:
        self._states = [self.game.initial_state()]
        return ""

    def _boardsize(self, size: str) -> str:
        number, asked = int(size) if size.isdecimal() else 0, self.game.komi + self._komi_more
        if number != self.game.size:
            fits = abs(self.game.komi) <= number**2
            if not self._become(size=number, komi=self.game.komi if fits else None):
                is_bound = number in SIZES or hasattr(self._player, "evaluator")  # a network
                known = f"{self.game.size}x{self.game.size}" if is_bound else "2x2 to 9x9"
                raise Refused(f"unacceptable size: {self._player.name} plays {known}")
            self._komi(f"{asked:g}")
        return self._clear()

    def _komi(self, komi: str) -> str:
        try:
            number = float(komi)
        except ValueError:
            raise Refused("komi must be a number") from None
        if not isfinite(number):
            raise Refused("unacceptable komi")
        if not self._become(komi=number):
            own = self.game.komi  # a client may set any komi, and the score must use it
            _tell(f"{self._player.name} plays as if komi were {own:g}; the score uses {number:g}.")
        self._komi_more = number - self.game.komi
        return ""

    def _become(self, **changes) -> bool:
        """Changes the player's game and returns True, or False if its network cannot play it."""
        try:
            game = replace(self.game, **changes)
            if game != self.game:
                self._player = replace(self._player, game=game)
                self._compile()
        except (ValueError, TypeError):
            return False
        return True

    def _compile(self) -> None:
        """Compiles a player's search before a clock is running."""
        if not hasattr(self._player, "num_simulations"):
            return
        size = f"{self.game.size}x{self.game.size}"
        _tell(f"{self._player.name} compiles its search for {size} before it answers.")
        twin = copy(self._player)
        twin.num_simulations = 1
        twin.choose(self.game.initial_state(), np.random.default_rng(0))
        _tell("It is ready.")

    def _time_settings(self, *given: str) -> str:
        if hasattr(self._player, "num_simulations"):
            _tell(
                f"{self._player.name} ignores the clock: it runs the same number of simulations"
                " for every move."
            )
        return ""

    def _handicap(self, points: list[int]) -> str:
        """Places Black's stones on an empty board; returns their vertices. ``undo`` keeps them."""
        state = self._states[-1]
        if any(self.game.cells(state)):
            raise Refused("board not empty")
        for point in points:
            state = self.game.next_state(self._turned_to(0, state), point)
        self._states = [state]
        return " ".join(map(self.game.action_label, points))

    def _loadsgf(self, *words: str) -> str:
        """Loads a record; if the last word is a number, stops just before that move."""
        if not words:
            raise Refused("syntax error")
        numbered = len(words) > 1 and words[-1].isdecimal()
        path = Path(" ".join(words[:-1] if numbered else words))
        try:
            game, actions = from_sgf(path.read_bytes())
        except (OSError, ValueError) as error:
            raise Refused(
                f"cannot load file: {getattr(error, 'strerror', None) or error}"
            ) from None
        self._boardsize(str(game.size))
        self._komi(f"{game.komi:g}")
        for action in actions[: int(words[-1]) - 1] if numbered else actions:
            state = self._turned_to(self.game.to_play(self._states[-1]))
            self._states.append(self.game.next_state(state, action))
        return ""

    def _play(self, color: str, vertex: str) -> str:
        state = self._turned_to(_color(color))
        action = action_of(self.game, vertex)
        if action is None or action not in self.game.legal_actions(state):
            raise Refused("illegal move")
        self._states.append(self.game.next_state(state, action))
        return ""

    def _genmove(self, color: str) -> str:
        state, said = self._chosen(_color(color))
        if said != "resign":
            self._states.append(self.game.next_state(state, action_of(self.game, said)))
        return said

    def _chosen(self, color: int) -> tuple[State, str]:
        """Returns the position in which the player moves, and its move."""
        state = self._turned_to(color)
        try:
            action = self._player.choose(state, self._rng)
        except Fault as fault:
            raise Refused(str(fault)) from fault
        except Forfeit:
            return state, "resign"
        return state, self.game.action_label(action)

    def _turned_to(self, color: int, state: State | None = None) -> State:
        """Changes a position (None: the last one) so that ``color`` is to move and it is not over.

        A client may set up a position with several moves of one player in a row, and may continue
        after two passes or beyond the length of our games. The added passes are not counted.
        """
        state = self._states[-1] if state is None else state
        if self.game.to_play(state) != color:
            passed = self.game.next_state(state._replace(passes=0), self.game.num_actions - 1)
            state = passed._replace(passes=0, ply=max(state.ply - 1, color))
        if self.game.outcome(state) is not None:
            state = state._replace(passes=0, ply=color)
        return state

    def _undo(self) -> str:
        if len(self._states) == 1:
            raise Refused("cannot undo")
        self._states.pop()
        return ""

    def _final_score(self) -> str:
        score = self.game.score(self._states[-1]) - self._komi_more
        return f"{'BW'[score < 0]}+{abs(score):g}" if score else "0"

    def _showboard(self) -> str:
        game = self.game
        cells = np.reshape(game.cells(self._states[-1]), (game.size, game.size))
        letters = "   " + " ".join(game.action_label(col)[0] for col in range(game.size))
        rows = [
            f"{game.size - row:2} " + " ".join(".XO"[cell] for cell in cells[row])
            for row in range(game.size)
        ]
        return "\n" + "\n".join([letters, *rows])


# Handicap stones, as in section 4.1 of the protocol.


def fixed_handicap(game: Go, number: str) -> list[int]:
    """Returns the points that the protocol fixes for this many handicap stones.

    Raises:
        Refused: fewer than two, or more than the protocol fixes for this size.
    """
    return _fixed(game.size, _counted(number, _most(game.size)))


def free_handicap(game: Go, number: str) -> list[int]:
    """Returns points for this many handicap stones: the fixed ones, then others, spread out.

    Raises:
        Refused: fewer than two, or no point would be left.
    """
    size, count = game.size, _counted(number, game.size**2 - 1)
    points = _fixed(size, min(count, _most(size))) if _most(size) else []

    def rank(point: int) -> tuple[int, float]:
        row, col = divmod(point, size)
        return (row + col) % 2, abs(row - (size - 1) / 2) + abs(col - (size - 1) / 2)

    others = sorted({*range(size**2)} - {*points}, key=rank)
    return [*points, *others][:count]


def points_of(game: Go, vertices: Sequence[str]) -> list[int]:
    """Returns the points that a client has chosen.

    Raises:
        Refused: fewer than two points, all points, a point twice, a pass, or not a point.
    """
    points = [action_of(game, vertex) for vertex in vertices]
    are_points = all(point in range(game.num_actions - 1) for point in points)
    if not are_points or len({*points}) < len(points) or not 2 <= len(points) < game.size**2:
        raise Refused("bad vertex list")
    return points


def _most(size: int) -> int:
    return 0 if size < 7 else 9 if size == 9 else 4


def _fixed(size: int, number: int) -> list[int]:
    low, middle, high = _EDGE, size // 2, size - 1 - _EDGE  # rows are counted from the bottom
    places = [(high, high), (low, low), (high, low), (low, high)][:number]
    if number >= 6:
        places += [(middle, low), (middle, high)]
    if number >= 8:
        places += [(high, middle), (low, middle)]
    if number >= 5 and number % 2:
        places.append((middle, middle))
    return [size * (size - 1 - row) + col for row, col in places]


def _counted(number: str, most: int) -> int:
    if not number.isdecimal():
        raise Refused("syntax error")
    if not 2 <= int(number) <= most:
        raise Refused("invalid number of stones")
    return int(number)


def _words(line: str) -> list[str]:
    """Splits a line into number or "", command and arguments; drops comments and control codes."""
    text = "".join(" " if char == "\t" else char for char in line if char == "\t" or char >= " ")
    words = text.partition("#")[0].split()
    number = words.pop(0) if words and words[0].isdecimal() else ""
    return [number, *words]


def _tell(sentence: str) -> None:
    """Prints a sentence that is not part of the protocol."""
    print(sentence, file=sys.stderr, flush=True)


def _color(word: str) -> int:
    color = _COLORS.get(word.lower())
    if color is None:
        raise Refused("syntax error")
    return color
