"""A league's players: run folders, networks, and Python files in processes of their own."""

import base64
import json
import pickle
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from azlearn.arena.player_specs import make_player
from azlearn.arena.players import Player
from azlearn.atomic_io import in_words
from azlearn.games import Forfeit, State
from azlearn.games.named import make_game, stored_name
from azlearn.games.notation import named
from azlearn.games.rules_game import RulesGame
from azlearn.json_validation import CorruptFileError, read_json
from azlearn.sandbox import Limits, Sandbox, Stopped

LOADING = 60.0  # seconds for a Python file's imports and for what it compiles
_REPLY = {"action?": int, "problem?": str}


@dataclass
class AgentPlayer:
    """A Python file that defines ``choose(state, rng)``, run in a process with limits.

    The file may use the global name ``game``. A late or illegal move, or an error, loses the
    game (``Forfeit``).

    Args:
        word: names the game, as in ``make_game``.
        path: the file.
        limits: ``seconds`` is the time per move.
    """

    word: str
    path: Path
    limits: Limits
    _process: Sandbox | None = field(default=None, repr=False)
    _never: str = ""  # why it can never move

    @property
    def game(self) -> RulesGame:
        return make_game(self.word)

    @property
    def name(self) -> str:
        return self.path.stem

    def choose(self, state: State, rng: np.random.Generator) -> int:
        """Returns the move.

        Raises:
            Forfeit: the file cannot be loaded or raises an error, or the move is late or illegal.
            ValueError: the game is over.
        """
        legal = self.game.legal_actions(state)
        if not legal:
            raise ValueError("The game is over: there is no move to choose.")
        if self._process is None:
            self._start()
        position = base64.b64encode(pickle.dumps(state)).decode()
        reply = self._ask({"state": position, "seed": int(rng.integers(2**63))}, None)
        if "action" not in reply:
            raise Forfeit(f"{self.name} raised {reply.get('problem', 'an error')}.")
        if reply["action"] not in legal:
            move = named(self.game, reply["action"])
            raise Forfeit(f"{self.name} chose {move}, an illegal move.")
        return reply["action"]

    def _start(self) -> None:
        if self._never:
            raise Forfeit(self._never)
        # Full paths, because the process has its own working directory.
        asked = {"path": str(self.path.resolve()), "game": stored_name(self.word)}
        self._process = Sandbox("azlearn.arena.one_agent", self.limits)
        try:
            problem = self._ask(asked, LOADING).get("problem")
        except Forfeit as late:
            problem = str(late)
        if problem:
            self.close()
            self._never = f"{self.name} cannot be loaded: {problem.rstrip('.')}."
            raise Forfeit(self._never)

    def _ask(self, what: dict, seconds: float | None) -> dict:
        try:
            self._process.send(json.dumps(what))
            return read_json(self._process.receive(seconds), _REPLY)
        except Stopped as stopped:
            self.close()
            raise Forfeit(f"{self.name} {stopped}.") from None
        except CorruptFileError:
            self.close()
            raise Forfeit(f"{self.name} gave an answer that cannot be read.") from None
        except BaseException:  # the process may still be thinking about this position
            self.close()
            raise

    def close(self) -> None:
        """Ends the process; the next move starts another."""
        if self._process is not None:
            self._process.close()
            self._process = None


def find_agents(
    folder: Path, word: str, simulations: int, limits: Limits
) -> tuple[list[Player], list[str]]:
    """Returns the players in a folder, sorted by name, and one sentence for each other file.

    A subfolder is a run, a ``.safetensors`` file a network, and a ``.py`` file an ``AgentPlayer``.

    Args:
        word: names the game, as in ``make_game``.
        simulations: per move, for networks.

    Raises:
        OSError: there is no such folder.
    """
    found: list[Player] = []
    skipped = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", "__")):
            continue
        try:
            found.append(_agent(path, word, simulations, limits))
        except (OSError, ValueError) as problem:
            skipped.append(in_words(problem))
    return found, skipped


def _agent(path: Path, word: str, simulations: int, limits: Limits) -> Player:
    if path.suffix == ".py":
        return AgentPlayer(word, path, limits)
    if path.is_dir() or path.suffix == ".safetensors":
        _check_game(path, word)
        player = make_player(str(path), make_game(word), simulations)
        player.label = path.stem
        return player
    raise ValueError(f"{path} is neither a run's folder, a .safetensors file nor a .py file.")


def _check_game(path: Path, word: str) -> None:
    """Raises ValueError if a network's game is a Python file, which loading it would run here."""
    from azlearn.learning import game_of_network  # PyTorch takes seconds to import

    own = game_of_network(path)
    if ".py" in own and not stored_name(word).startswith(own):  # earlier versions stored less
        raise ValueError(f"{path} needs the Python file {own}, which is not run here.")
