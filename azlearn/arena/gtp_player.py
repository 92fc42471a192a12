"""Any program that speaks the Go Text Protocol (GTP, version 2) as a player."""

import queue
import shlex
import shutil
import subprocess
import threading
import warnings
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic

import numpy as np

from azlearn.arena.players import Forfeit
from azlearn.games import Go, State

COLOURS = "black", "white"
_GAMES = "/usr/games"  # where Debian has GNU Go, and root's PATH does not lead
_PATIENCE = 60.0  # seconds for an answer


class ProgramFault(Exception):
    """A program that did not start, ended, fell silent or refused a command; says which."""


class GTPProgram:
    """A program that is asked and answers.

    Args:
        command: as typed in a shell, such as ``"gnugo --mode gtp --level 1"``; no shell reads it.
        patience: seconds to wait for an answer; then the program is ended.

    Raises:
        ProgramFault: it cannot be started.
    """

    def __init__(self, command: str, patience: float = _PATIENCE) -> None:
        self.command, self._patience = command, patience
        try:
            words = shlex.split(command)
            if not words:
                raise ValueError("it is no command")
            found = shutil.which(words[0]) or shutil.which(words[0], path=_GAMES) or words[0]
            self._process = subprocess.Popen(
                [found, *words[1:]],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                text=True, errors="replace", bufsize=1,
            )  # fmt: skip
        except (OSError, ValueError) as error:  # no such program; a quote left open; no word
            raise ProgramFault(f"{command!r} does not start: {error}.") from error
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        reader = threading.Thread(
            target=_pass_on, args=(self._process.stdout, self._lines), daemon=True
        )
        reader.start()
        weakref.finalize(self, self._process.kill)

    def ask(self, command: str) -> str:
        """The answer to one command, without the ``=``.

        Raises:
            ProgramFault: it refuses, has ended, or says nothing for too long (then it is ended).
        """
        try:
            self._process.stdin.write(f"{command}\n")
            self._process.stdin.flush()
        except OSError:
            pass  # it has ended: what it said before tells more, and else reading tells it
        lines = self._answer(command, monotonic() + self._patience)
        if lines[0][0] == "?":
            raise ProgramFault(f"{self.command!r} refuses {command!r}: {lines[0][1:].strip()}.")
        return "\n".join([lines[0][1:].strip(), *lines[1:]]).strip()

    def end(self) -> None:
        self._process.kill()
        self._process.wait()

    def _answer(self, command: str, deadline: float) -> list[str]:
        """The lines up to the empty one; what comes before the ``=`` or ``?`` is passed over."""
        lines: list[str] = []
        while True:
            try:
                line = self._lines.get(timeout=max(deadline - monotonic(), 0.001))
            except queue.Empty:
                self.end()
                raise ProgramFault(
                    f"{self.command!r} did not answer {command!r} in {self._patience:g} s."
                ) from None
            if line is None:
                code = self._process.wait()
                raise ProgramFault(f"{self.command!r} ended (exit code {code}) at {command!r}.")
            line = line.rstrip()
            if lines and not line:
                return lines
            if lines or line[:1] in ("=", "?"):
                lines.append(line)


@dataclass
class GTPPlayer:
    """A program at the board of a game of Go. One program sits at all boards of a match.

    A position is set up anew for each move, unless it follows from the one before: its stones of
    some moves ago, then these moves, so that the program knows of a ko. What the program thinks is
    the rules is its own affair; area is counted here, and nobody removes dead stones: ask it to
    capture them, as in ``gnugo --mode gtp --chinese-rules --capture-all-dead``.

    Raises:
        ValueError: another game than Go, or the program does not start, or plays no such board.
    """

    game: Go
    command: str
    patience: float = _PATIENCE

    def __post_init__(self) -> None:
        if not isinstance(self.game, Go):
            raise ValueError(
                f"GTP is a language of Go: {self.command!r} plays no {self.game.name}."
            )
        if "gnugo" in self.command and "--capture-all-dead" not in self.command:
            warnings.warn(
                "GNU Go leaves dead stones on the board, which nobody removes here, and so loses"
                " games that it has won: add --chinese-rules --capture-all-dead to its command.",
                stacklevel=3,
            )
        self._program: GTPProgram | None = None
        self._commands: frozenset[str] = frozenset()
        self._at: State | None = None  # the position on its board
        try:
            self._start()
        except ProgramFault as fault:
            raise ValueError(str(fault)) from fault

    @property
    def name(self) -> str:
        return f"gtp:{self.command}"

    def choose(self, state: State, rng: np.random.Generator) -> int:
        """Its move.

        Raises:
            Forfeit: it resigns, plays an illegal move, ends, or does not answer. It is started
                again for the next move that it is asked for.
            ValueError: the game is over.
        """
        legal = self.game.legal_actions(state)
        if not legal:
            raise ValueError("The game is over: there is no move to choose.")
        try:
            if self._program is None:
                self._start()
            for command in self._way_to(state):
                self._program.ask(command)
            if "set_random_seed" in self._commands:
                self._program.ask(f"set_random_seed {rng.integers(1 << 30)}")
            answer = self._program.ask(f"genmove {COLOURS[self.game.to_play(state)]}")
        except ProgramFault as fault:
            self._forget()
            raise Forfeit(str(fault)) from fault
        self._at = None  # until the move turns out to be one
        if answer.lower() == "resign":
            raise Forfeit(f"{self.command!r} resigns.")
        action = action_of(self.game, answer)
        if action not in legal:
            raise Forfeit(f"{self.command!r} plays {answer!r}, which is not legal.")
        self._at = self.game.next_state(state, action)
        return action

    def _start(self) -> None:
        self._program = GTPProgram(self.command, self.patience)
        self._commands = frozenset(self._program.ask("list_commands").split())
        self._program.ask(f"boardsize {self.game.size}")
        self._at = None

    def _forget(self) -> None:
        if self._program is not None:
            self._program.end()
        self._program = None

    def _way_to(self, state: State) -> Iterator[str]:
        """Commands that bring the position onto the program's board."""
        if self._at is not None:
            for action in self.game.legal_actions(self._at):
                if self.game.next_state(self._at, action) == state:
                    yield self._play(self.game.to_play(self._at), action)
                    return
        yield "clear_board"
        yield f"komi {self.game.komi:g}"
        before, moves = recent_moves(self.game, state)
        for colour, stones in enumerate(before):
            for action in np.flatnonzero(stones):
                yield self._play(colour, int(action))
        first = self.game.num_plies(state) - len(moves)
        for ply, action in enumerate(moves, start=first):
            yield self._play(ply % 2, action)

    def _play(self, colour: int, action: int) -> str:
        return f"play {COLOURS[colour]} {self.game.action_label(action)}"


def action_of(game: Go, vertex: str) -> int | None:
    """The action that is written ``vertex``, in any case of letters; None if it is none."""
    labels = {game.action_label(action).lower(): action for action in range(game.num_actions)}
    return labels.get(vertex.strip().lower())


def recent_moves(game: Go, state: State) -> tuple[np.ndarray, list[int]]:
    """The last moves, as far as the position remembers them, and the stones before them.

    Returns:
        bool [2, size * size], Black's stones and White's before the first of the moves; the moves,
        at most ``game.history - 1``, passes among them.
    """
    planes = game.encode(state)[:-1].astype(bool).reshape(game.history, 2, -1)
    stones = planes[:, ::-1] if game.to_play(state) else planes  # [moves ago, Black and White]
    known = min(game.history - 1, game.num_plies(state))
    moves = []
    for ago in range(known, 0, -1):
        mover = (game.num_plies(state) - ago) % 2
        placed = np.flatnonzero(stones[ago - 1, mover] & ~stones[ago, mover])
        moves.append(int(placed[0]) if len(placed) else game.num_actions - 1)
    return stones[known], moves


def _pass_on(stream, lines: queue.SimpleQueue) -> None:
    """Every line of a program as it comes; None at its end."""
    for line in stream:
        lines.put(line)
    lines.put(None)
