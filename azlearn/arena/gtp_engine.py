"""A player of this package as an engine of the Go Text Protocol (GTP, version 2).

The protocol is Farnebäck's "Specification of the Go Text Protocol, version 2, draft 2" (2002).
"""

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from importlib.metadata import version
from inspect import signature
from math import isfinite
from typing import TextIO

import numpy as np

from azlearn.arena.gtp_player import action_of
from azlearn.arena.players import Player
from azlearn.games import Forfeit, Go, State
from azlearn.games.game import Fault

_COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}


class Refused(Exception):
    """What a command asks for cannot be done; the text follows the ``?``."""


class GTPEngine:
    """Answers a client's commands.

    A client may let one player move twice, and play on after two passes: the engine then passes in
    between, and takes the passes back.

    Args:
        player: a player of Go.
        seed: of the player's draws.

    Raises:
        ValueError: a player of another game.
    """

    def __init__(self, player: Player, seed: int = 0) -> None:
        if not isinstance(player.game, Go):
            raise ValueError(f"GTP is a language of Go: {player.name} plays {player.game.name}.")
        self._player, self._rng = player, np.random.default_rng(seed)
        self._states: list[State] = []
        self._komi_more = 0.0  # than the player knows of
        self._clear()
        self._commands: dict[str, Callable[..., str]] = {
            "boardsize": self._boardsize,
            "clear_board": self._clear,
            "final_score": self._final_score,
            "genmove": self._genmove,
            "known_command": lambda name="": str(name in self._commands).lower(),
            "komi": self._komi,
            "list_commands": lambda: "\n".join(sorted(self._commands)),
            "name": lambda: f"azlearn {self._player.name}",
            "play": self._play,
            "protocol_version": lambda: "2",
            "quit": lambda: "",
            "reg_genmove": lambda colour="": self._chosen(_colour(colour))[1],
            "showboard": self._showboard,
            "time_left": lambda *given: "",  # a search has its number of simulations, and no clock
            "time_settings": lambda *given: "",
            "undo": self._undo,
            "version": lambda: version("azlearn"),
        }

    @property
    def game(self) -> Go:
        return self._player.game

    def serve(self, lines: Iterable[str], out: TextIO) -> None:
        """Answers every line, until ``quit`` or the last one."""
        for line in lines:
            if answer := self.answer(line):
                out.write(answer)
                out.flush()
            if _words(line)[1:2] == ["quit"]:
                return

    def answer(self, line: str) -> str:
        """What a client reads, its empty line included; "" for a line without a command."""
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
        if size != str(self.game.size):
            number = int(size) if size.isdecimal() else 0
            self._become(size=number, why="unacceptable size")
        return self._clear()

    def _komi(self, komi: str) -> str:
        try:
            number = float(komi)
        except ValueError:
            raise Refused("komi is no number") from None
        if not isfinite(number):
            raise Refused("unacceptable komi")
        try:
            self._become(komi=number, why="")
        except Refused:  # a controller may ask for any komi: it is counted, if not understood
            own = self.game.komi
            said = f"{self._player.name} plays as with komi {own:g}; the score counts {number:g}."
            print(said, file=sys.stderr)
        self._komi_more = number - self.game.komi
        return ""

    def _become(self, *, why: str, **changes) -> None:
        """Another game for the player; a network knows but one size and one komi."""
        try:
            self._player = replace(self._player, game=replace(self.game, **changes))
        except (ValueError, TypeError) as error:
            raise Refused(f"{why}: {error}") from None

    def _play(self, colour: str, vertex: str) -> str:
        state = self._turned_to(_colour(colour))
        action = action_of(self.game, vertex)
        if action is None or action not in self.game.legal_actions(state):
            raise Refused("illegal move")
        self._states.append(self.game.next_state(state, action))
        return ""

    def _genmove(self, colour: str) -> str:
        state, said = self._chosen(_colour(colour))
        if said != "resign":
            self._states.append(self.game.next_state(state, action_of(self.game, said)))
        return said

    def _chosen(self, colour: int) -> tuple[State, str]:
        """The position in which the player moves, and its move."""
        state = self._turned_to(colour)
        try:
            action = self._player.choose(state, self._rng)
        except Fault as fault:
            raise Refused(str(fault)) from fault
        except Forfeit:
            return state, "resign"
        return state, self.game.action_label(action)

    def _turned_to(self, colour: int) -> State:
        """The position with ``colour`` to move, in a game that goes on.

        A client sets up positions by moves of one player after the other, and plays on after two
        passes, or for longer than a game of ours: the passes in between are not counted.
        """
        state = self._states[-1]
        if self.game.to_play(state) != colour:
            passed = self.game.next_state(state._replace(passes=0), self.game.num_actions - 1)
            state = passed._replace(passes=0, ply=max(state.ply - 1, colour))
        if self.game.outcome(state) is not None:
            state = state._replace(passes=0, ply=colour)
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


def _words(line: str) -> list[str]:
    """The number or "", the command, its arguments; no comments and control characters."""
    text = "".join(" " if char == "\t" else char for char in line if char == "\t" or char >= " ")
    words = text.partition("#")[0].split()
    number = words.pop(0) if words and words[0].isdecimal() else ""
    return [number, *words]


def _colour(word: str) -> int:
    colour = _COLOURS.get(word.lower())
    if colour is None:
        raise Refused("syntax error")
    return colour
