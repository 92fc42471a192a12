"""Makes a player from any program that speaks the Go Text Protocol (GTP, version 2)."""

import threading
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from azlearn.arena.gtp_program import PATIENCE, GTPProgram, ProgramFault, Refusal
from azlearn.games import Forfeit, Go, State
from azlearn.games.game import Fault, OtherRules

COLORS = "black", "white"


@dataclass
class GTPPlayer:
    """A program that plays Go. One program plays all games of a match.

    If a position does not continue the last one, it is set up from scratch: first the stones of an
    earlier position, then the moves since, so that the program knows about a ko. The program may
    assume other rules. Here area is counted, and nobody removes dead stones, so ask it to capture
    them, as in ``gnugo --mode gtp --chinese-rules --capture-all-dead``.

    Args:
        command: see ``GTPProgram``.
        patience: seconds to wait for an answer, or two numbers: for an answer, and for the first
            answer, before which some programs tune themselves for minutes.

    Raises:
        ValueError: the game is not Go, or the program does not start or does not play that board.
    """

    game: Go
    command: str
    patience: float | Sequence[float] = PATIENCE

    def __post_init__(self) -> None:
        if not isinstance(self.game, Go):
            raise ValueError(f"GTP is only for Go: {self.command!r} cannot play {self.game.name}.")
        given = self.patience if isinstance(self.patience, Sequence) else (self.patience,)
        if len(given) not in (1, 2) or not all(0 < seconds < inf for seconds in given):
            raise ValueError(
                f"patience must be one or two numbers of seconds above 0, not {self.patience!r}."
            )
        self._seconds, self._seconds_first = given[0], given[-1]
        if "gnugo" in self.command and "--capture-all-dead" not in self.command:
            warnings.warn(
                "GNU Go leaves dead stones on the board. azlearn does not remove them, so GNU Go"
                " may lose a won game. Add --chinese-rules --capture-all-dead to its command.",
                stacklevel=3,
            )
        self._commands: frozenset[str] = frozenset()
        self._at: State | None = None  # the position on its board, if it is known
        self._lock = threading.Lock()  # two boards may share one opponent
        try:
            self._program: GTPProgram | None = self._started()
        except ProgramFault as fault:
            raise ValueError(str(fault)) from fault

    @property
    def name(self) -> str:
        return f"gtp:{self.command}"

    def choose(self, state: State, rng: np.random.Generator) -> int:
        """Returns the program's move.

        Raises:
            Forfeit: the program resigns, or plays an illegal move.
            Fault: it exits, or does not answer. It is restarted when the next move is needed.
            OtherRules: it refuses a move that led to this position.
            ValueError: the game is over.
        """
        legal = self.game.legal_actions(state)
        if not legal:
            raise ValueError("The game is over: there is no move to choose.")
        with self._lock:
            answer = self._answer(state, rng)
            word = "".join(answer.split(maxsplit=1)[:1])  # what follows is a comment
            if word.lower() == "resign":
                raise Forfeit(f"{self.command!r} resigns.")
            action = action_of(self.game, word)
            if action not in legal:
                why = self._why_not(state, action)
                raise Forfeit(f"{self.command!r} plays {answer!r:.80}, which is not legal{why}.")
            self._at = self.game.next_state(state, action)
            return action

    def _answer(self, state: State, rng: np.random.Generator) -> str:
        """Asks the program for a move and returns its answer."""
        try:
            if self._program is None:
                self._program = self._started()
            self._set_up(state)
            if "set_random_seed" in self._commands:
                self._ask(f"set_random_seed {rng.integers(1 << 30)}")
            return self._ask(f"genmove {COLORS[self.game.to_play(state)]}")
        except Refusal as refusal:
            raise Fault(str(refusal)) from refusal
        except ProgramFault as fault:
            self._program = None
            raise Fault(str(fault)) from fault
        except KeyboardInterrupt:  # the program may still be thinking
            self._program = None
            raise

    def _started(self) -> GTPProgram:
        """Starts the program with an empty board."""
        program = GTPProgram(self.command)
        try:
            self._commands = frozenset(program.ask("list_commands", self._seconds_first).split())
        except Refusal:
            self._commands = frozenset({"komi"})  # every program should know this command
        program.ask(f"boardsize {self.game.size}", self._seconds)
        if "komi" in self._commands:
            program.ask(f"komi {self.game.komi:g}", self._seconds)
        self._at = None
        return program

    def _ask(self, command: str) -> str:
        return self._program.ask(command, self._seconds)

    def _set_up(self, state: State) -> None:
        """Sets up the position on the program's board; OtherRules if the program refuses a move."""
        way, self._at = list(self._way_to(state)), None
        for command in way:
            try:
                self._ask(command)
            except Refusal as refusal:
                others = [{"suicide": False}] if self.game.superko else [{}, {"suicide": True}]
                hint = self._hint(
                    ". Play by its rules, as in", *({"superko": True, **o} for o in others)
                )
                raise OtherRules(f"{refusal} Its rules ban a move ours allow{hint}.") from refusal

    def _way_to(self, state: State) -> Iterator[str]:
        """Yields the commands that set up the position on the program's board."""
        if self._at is not None:
            for action in self.game.legal_actions(self._at):
                if self.game.next_state(self._at, action) == state:
                    yield self._play(self.game.to_play(self._at), action)
                    return
        yield "clear_board"
        before, moves = recent_moves(self.game, state)
        for color, stones in enumerate(before):
            for action in np.flatnonzero(stones):
                yield self._play(color, int(action))
        first = self.game.num_plies(state) - len(moves)
        for ply, action in enumerate(moves, start=first):
            yield self._play(ply % 2, action)

    def _play(self, color: int, action: int) -> str:
        return f"play {COLORS[color]} {self.game.action_label(action)}"

    def _why_not(self, state: State, action: int | None) -> str:
        """Explains why the program's move is illegal, and names a game in which it is legal."""
        if action is None:
            return ""
        if self.game.cells(state)[action]:
            return ": there is a stone already"
        if not self.game.suicide:
            hint = self._hint("; to allow suicide, use", {"suicide": True})
            return f", because of ko or suicide{hint}"
        return ", because of ko" + self._hint("; to play without superko, use", {"superko": False})

    def _hint(self, how: str, *changes: dict[str, bool]) -> str:
        """Names the games with these rules, if they differ from this player's game."""
        words = [word for one in changes if (word := self._word(**one)) != self._word()]
        return f"{how} {', or '.join(f'--game {word}' for word in words)}" if words else ""

    def _word(self, **changes: bool) -> str:
        """Returns the name of the player's game, with ``changes``, for ``make_game``."""
        game = self.game
        told = [f"komi={game.komi:g}"] if game.komi != Go(game.size).komi else []
        told += [rule for rule in ("superko", "suicide") if changes.get(rule, getattr(game, rule))]
        return f"go{game.size}" + ":" * bool(told) + ",".join(told)


def action_of(game: Go, vertex: str) -> int | None:
    """Returns the action written ``vertex``, in upper or lower case; None if there is none."""
    labels = {game.action_label(action).lower(): action for action in range(game.num_actions)}
    return labels.get(vertex.strip().lower())


def recent_moves(game: Go, state: State) -> tuple[np.ndarray, list[int]]:
    """Returns the last moves, as far as the position contains them, and the stones before them.

    Returns:
        bool [2, size * size], Black's stones and White's before the first of the moves; the moves,
        at most ``game.history - 1``, passes included.
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
