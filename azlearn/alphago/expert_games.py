"""Expert games: games of strong but fallible players, for a network to imitate.

AlphaGo learned from 30 million positions of games on the KGS Go server (Silver et al. 2016,
"Supervised learning of policy networks"). Small boards have no such server, so the course plays its
own games. The players are UCT with a few hundred to a few thousand rollouts per move or, in Go, a
program at several levels. Like people, they differ in strength.
"""

import json
import multiprocessing
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np

from azlearn.atomic_io import atomic_write
from azlearn.games.named import make_game, stored_name
from azlearn.games.rules_game import RulesGame
from azlearn.json_validation import CorruptFileError, read_json
from azlearn.learning.files import claim_folder, exclusive_lock
from azlearn.learning.launch import exit_with_first_rank, ignore_sigint, num_processes
from azlearn.learning.settings import NonNegative, NonNegativeInt, PositiveInt, Settings, one_of
from azlearn.progress_bar import shown
from azlearn.search import compiled_uct
from azlearn.search.selection import check_count

GAMES_PER_PART = 100
FORMAT = "azlearn games 1"
_GAME = {"number": int, "moves": str, "result": int, "levels": [int], "random_plies": int}
SETTINGS_FILE = "settings.json"
EXPERTS = ("uct", "gnugo")


@dataclass(frozen=True)
class ExpertSettings(Settings):
    """The settings of expert games. A game depends only on these settings and its number.

    Raises:
        ValueError: a value is invalid; the message names the setting.
    """

    game: str = "connect4"  # the name of the game, see games/named.py
    experts: Annotated[str, one_of(EXPERTS)] = "uct"  # or GNU Go, see arena/alphago_experts.py
    num_games: PositiveInt = 20_000
    seed: NonNegativeInt = 0
    # Rollouts per move, or GNU Go's levels; one is sampled for each player of a game.
    levels: tuple[int, ...] = (400, 1200, 4000)
    # UCB1's sqrt(2) is for results in [0, 1] (Auer et al. 2002); in [-1, 1] it is twice as large.
    c: NonNegative = 2 * 2**0.5
    # UCT samples the first moves by visits with this temperature, then plays the most visited.
    temperature: NonNegative = 0.5
    temperature_plies: NonNegativeInt = 10  # counted from the empty board
    opening_plies: NonNegativeInt = 4  # at most this many random first moves; sampled per game

    def __post_init__(self) -> None:
        if not isinstance(self.levels, tuple | list) or not self.levels:
            raise ValueError(f"levels must be one or more whole numbers, not {self.levels!r}.")
        for level in self.levels:
            if type(level) is not int or level < 1:
                raise ValueError(f"levels must be whole numbers, 1 or more, not {level!r}.")
        object.__setattr__(self, "levels", tuple(self.levels))
        super().__post_init__()
        object.__setattr__(self, "game", stored_name(self.game))
        if self.opening_plies > (most := self.make_game().max_plies // 2):
            raise ValueError(
                f"opening_plies must be at most {most} in {self.game}, half of the longest game,"
                f" not {self.opening_plies}."
            )

    def make_game(self) -> RulesGame:
        """Makes the game with the name ``game``."""
        return make_game(self.game)

    def as_json(self) -> dict:
        """Returns the settings as they come back from JSON, with a list for the tuple."""
        return {**asdict(self), "levels": list(self.levels)}


class GameRecord(NamedTuple):
    """A finished game."""

    number: int  # together with the settings' seed, this determines all random choices of the game
    moves: str  # in the form of ``moves_text``: columns in Connect Four, 1 on the left
    result: int  # for the FIRST player: 1 a win, 0 a draw, -1 a loss
    levels: tuple[int, int]  # of the first and the second player; UCT: rollouts per move
    random_plies: int  # the number of uniformly random first moves, which no expert chose


def uct_move(
    settings: ExpertSettings, game: RulesGame, level: int, state, rng: np.random.Generator
) -> int:
    """Chooses a move by UCT with ``level`` rollouts."""
    tree = compiled_uct(game, state, level, settings.c, rng)
    if game.num_plies(state) < settings.temperature_plies:
        return int(rng.choice(game.num_actions, p=tree.policy(settings.temperature)))
    return tree.best_action()


# Called with the settings, the game, the level, the state and the game's generator; returns an
# action.
Expert = Callable[[ExpertSettings, RulesGame, int, Any, np.random.Generator], int]


def play_expert_game(
    settings: ExpertSettings, number: int, expert: Expert = uct_move
) -> GameRecord:
    """Plays game ``number``, with its own generator, seeded by ``[seed, number]``."""
    game, rng = settings.make_game(), np.random.default_rng([settings.seed, number])
    levels = tuple(int(level) for level in rng.choice(settings.levels, size=2))
    state, actions = _opening(game, int(rng.integers(settings.opening_plies + 1)), rng)
    random_plies = len(actions)
    while game.outcome(state) is None:
        actions.append(expert(settings, game, levels[game.to_play(state)], state, rng))
        state = game.next_state(state, actions[-1])
    value = game.outcome(state)  # for the player to move, as always
    result = value if game.to_play(state) == 0 else -value
    return GameRecord(number, game.moves_text(actions), result, levels, random_plies)


def play_expert_games(
    settings: ExpertSettings,
    out: str | Path,
    *,
    processes: int | None = None,
    progress: bool = True,
    expert: Expert = uct_move,
) -> list[GameRecord]:
    """Plays the games that ``out`` does not contain yet, and reads all of them.

    The games are written in parts of ``GAMES_PER_PART``. If a process is killed, only the current
    part is lost, and the next call continues; Ctrl-C waits for the current game of each process.
    The games do not depend on the number of processes. The 20,000 games of the default settings
    take about four minutes on two cores.

    Args:
        out: the folder of the games, which must all have these settings; created if missing.
        processes: the number of processes; None: one per core, as far as memory allows. With more
            than one, a script must guard its code with ``if __name__ == "__main__":``, as always
            with ``multiprocessing``.
        progress: show a progress bar.
        expert: the function that chooses moves. It must be at the top level of a module, so that
            other processes can import it; the setting ``experts`` is its name.

    Returns:
        The games, ordered by number.

    Raises:
        ValueError: ``out`` contains games with other settings or is in use, or ``processes`` is
            below 1.
        CorruptFileError: a file in ``out`` cannot be read; the message names it.
        OSError: no space or no permission; all parts written are complete.
        ChildProcessError: a process was killed; all parts written are complete.
    """
    processes = num_processes() if processes is None else processes
    check_count(processes, "processes")
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    with exclusive_lock(out):
        claim_folder(out / SETTINGS_FILE, settings.as_json(), lambda: read_settings(out).as_json())
        missing = [part for part in _parts(settings) if not _path(out, part).exists()]
        num_done = settings.num_games - sum(len(part) for part in missing)
        with (
            shown(progress, "expert games") as report,
            closing(_played(settings, missing, processes, expert)) as played,
        ):
            for part, records in played:
                _write_part(_path(out, part), settings.as_json(), records)
                num_done += len(part)
                report(num_done / settings.num_games)
        return read_expert_games(out)


def read_expert_games(folder: str | Path) -> list[GameRecord]:
    """Reads the games that ``play_expert_games`` has written, ordered by number.

    Raises:
        FileNotFoundError: the folder does not contain expert games, or not all of them.
        CorruptFileError: a file is truncated, modified or from another program; the message names
            it.
    """
    folder = Path(folder)
    settings, records = read_settings(folder), []
    for part in _parts(settings):
        path = _path(folder, part)
        if not path.is_file():
            raise FileNotFoundError(
                f"{path} does not exist yet. Call play_expert_games with the same settings to"
                " continue."
            )
        try:
            records += _read_part(path, settings.as_json(), part)
        except CorruptFileError as error:
            raise CorruptFileError(f"{error} Delete it to play its games again.") from None
    return records


def read_settings(folder: str | Path) -> ExpertSettings:
    """Reads the settings of the games in ``folder``.

    Raises:
        FileNotFoundError: the folder contains no expert games.
        CorruptFileError: the file is truncated or from another program.
    """
    path = Path(folder) / SETTINGS_FILE
    if not path.is_file():
        raise FileNotFoundError(f"{folder} contains no expert games: it has no {SETTINGS_FILE}.")
    return settings_in(path, ExpertSettings, {"experts": "uct"})


def settings_in(path: Path, kind: type[Settings], later: dict[str, Any]) -> Any:
    """Reads settings of a ``kind``; ``later`` has values for settings that an old file lacks.

    Raises:
        CorruptFileError: the file is truncated or from another program.
    """
    try:
        values = later | read_json(path, {})
        if missing := {field.name for field in fields(kind)} - set(values):
            raise ValueError(f"missing: {', '.join(sorted(missing))}")
        return kind(**values)
    except CorruptFileError:
        raise
    except (ValueError, TypeError) as error:
        raise CorruptFileError(f"{path} is damaged or from another program ({error}).") from None


def _parts(settings: ExpertSettings) -> list[range]:
    """Returns the numbers of the games in each part."""
    starts = range(0, settings.num_games, GAMES_PER_PART)
    return [range(n, min(n + GAMES_PER_PART, settings.num_games)) for n in starts]


def _path(folder: Path, part: range) -> Path:
    return folder / f"games_{part.start:07d}.jsonl"


def _write_part(path: Path, settings: dict[str, Any], records: list[GameRecord]) -> None:
    """Writes games as JSON lines; if the process is killed, the file is complete or missing.

    The first line has the format, the settings and the SHA-256 of the other lines. Each other line
    is a game::

        {"number": 7, "moves": "4453...", "result": 1, "levels": [600, 200], "random_plies": 2}

    Args:
        settings: the settings of the games, JSON-serializable; they are stored in the file.

    Raises:
        OSError: no space or no permission; ``path`` is unchanged.
    """
    lines = "".join(json.dumps(record._asdict()) + "\n" for record in records).encode()
    about = {"format": FORMAT, "settings": settings, "sha256": sha256(lines).hexdigest()}
    atomic_write(path, json.dumps(about).encode() + b"\n" + lines)


def _read_part(path: Path, settings: dict[str, Any], numbers: range) -> list[GameRecord]:
    """Reads a file written by ``_write_part``.

    Raises:
        CorruptFileError: the file is truncated, modified or from another program, or its games have
            other settings or ``numbers``.
    """
    first, _, lines = path.read_bytes().partition(b"\n")
    about = read_json(first, {"format": str, "sha256": str, "settings": {}}, path)
    if about["format"] != FORMAT:
        raise CorruptFileError(f"{path} has the format {about['format']!r}, not {FORMAT!r}.")
    if about["sha256"] != sha256(lines).hexdigest():
        raise CorruptFileError(f"{path} is damaged: its games are truncated or modified.")
    games = [read_json(line, _GAME, path) for line in lines.splitlines()]
    records = [GameRecord(*(game[name] for name in GameRecord._fields)) for game in games]
    if about["settings"] != settings or [record.number for record in records] != list(numbers):
        raise CorruptFileError(
            f"{path} contains games that do not match its name or the settings of its folder."
        )
    return [record._replace(levels=tuple(record.levels)) for record in records]


def _played(
    settings: ExpertSettings, parts: list[range], processes: int, expert: Expert
) -> Iterator[tuple[range, list[GameRecord]]]:
    """Yields the games of each part when they are finished; closing it ends the processes."""
    play = partial(play_expert_game, settings, expert=expert)
    if processes == 1:
        yield from ((part, list(map(play, part))) for part in parts)
        return
    spawn = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes, spawn, exit_with_first_rank)
    try:
        for part in parts:
            with ignore_sigint():
                games = pool.map(play, part)
            yield part, list(games)
    except BrokenProcessPool:
        raise ChildProcessError(
            "A process that played games was killed. All parts written so far are complete."
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _opening(
    game: RulesGame, plies: int, rng: np.random.Generator
) -> tuple[tuple[int, int], list[int]]:
    """Plays ``plies`` random moves that do not end the game; returns the state and the moves."""
    while True:
        state, actions = game.initial_state(), []
        while len(actions) < plies and game.outcome(state) is None:
            actions.append(int(rng.choice(game.legal_actions(state))))
            state = game.next_state(state, actions[-1])
        if game.outcome(state) is None:
            return state, actions
