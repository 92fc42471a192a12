"""Expert games: what a strong but fallible player does, for a network to imitate.

AlphaGo learnt from 30 million positions of games on the KGS Go server (Silver et al. 2016,
"Supervised learning of policy networks"). Small boards have no such server, so the course plays its
own games: UCT with a few hundred to a few thousand rollouts a move, or, in Go, a program at several
levels; of mixed strength as people are.
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
    """Which games are played. A game depends on these settings and its number, on nothing else.

    Raises:
        ValueError: an impossible value; names the setting.
    """

    game: str = "connect4"  # a word for it, see games/named.py
    experts: Annotated[str, one_of(EXPERTS)] = "uct"  # or GNU Go, see arena/alphago_experts.py
    num_games: PositiveInt = 20_000
    seed: NonNegativeInt = 0
    levels: tuple[int, ...] = (400, 1200, 4000)  # rollouts a move, or GNU Go's levels; one is drawn
    # for each player of a game
    c: NonNegative = 2 * 2**0.5  # UCB1's sqrt(2) for [0, 1] (Auer et al. 2002), for [-1, 1]
    temperature: NonNegative = 0.5  # of the first plies' draw by visits, then the most visited; UCT
    temperature_plies: NonNegativeInt = 10  # counted from the empty board
    opening_plies: NonNegativeInt = (
        4  # at most so many random moves first; how many is drawn for each game
    )

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
        """The game that ``game`` names."""
        return make_game(self.game)

    def as_json(self) -> dict:
        """As JSON gives it back: a list for the tuple."""
        return {**asdict(self), "levels": list(self.levels)}


class GameRecord(NamedTuple):
    """A finished game."""

    number: int  # with the seed of the settings it decides every random draw of the game
    moves: str  # as ``moves_text`` writes them: in Connect Four columns, 1 on the left
    result: int  # for the FIRST player: 1 a win, 0 a draw, -1 a loss
    levels: tuple[int, int]  # how strong the first and the second player are; UCT: rollouts a move
    random_plies: int  # so many first moves are uniformly random: no expert chose them


def uct_move(
    settings: ExpertSettings, game: RulesGame, level: int, state, rng: np.random.Generator
) -> int:
    """A move by UCT with ``level`` rollouts."""
    tree = compiled_uct(game, state, level, settings.c, rng)
    if game.num_plies(state) < settings.temperature_plies:
        return int(rng.choice(game.num_actions, p=tree.policy(settings.temperature)))
    return tree.best_action()


# The settings, the game, the level, the state and the game's own generator, to an action.
Expert = Callable[[ExpertSettings, RulesGame, int, Any, np.random.Generator], int]


def play_expert_game(
    settings: ExpertSettings, number: int, expert: Expert = uct_move
) -> GameRecord:
    """Game ``number``: its draws come from a generator of its own, by ``[seed, number]``."""
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
    """Plays the games, or those that ``out`` does not hold yet, and reads them all.

    They are written in parts of ``GAMES_PER_PART``. A kill at any instant loses the part under
    way, and the next call goes on; Ctrl-C waits for the game that each process plays. The games are
    the same whatever the number of processes. The 20,000 games of the default settings take about
    four minutes on two cores.

    Args:
        out: a folder for these settings alone; made if it is not there.
        processes: None: one a core, as far as memory goes. With more than one, a script must guard
            its start by ``if __name__ == "__main__":``, as for everything in ``multiprocessing``.
        progress: shows a bar.
        expert: a function at the top of a module, so that other processes find it; by name in the
            settings' ``experts``.

    Returns:
        The games by number.

    Raises:
        ValueError: ``out`` holds games of other settings or is in use; no process.
        CorruptFileError: a file in ``out`` cannot be read; the message names it.
        OSError: no space, no permission, with the file's name; the parts written so far are whole.
        ChildProcessError: a process was killed; the parts written so far are whole.
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
    """The games that ``play_expert_games`` has written, by number.

    Raises:
        FileNotFoundError: no such games there, or not all of them yet.
        CorruptFileError: a file is cut short, changed or foreign; the message names it.
    """
    folder = Path(folder)
    settings, records = read_settings(folder), []
    for part in _parts(settings):
        path = _path(folder, part)
        if not path.is_file():
            raise FileNotFoundError(
                f"{path} is not there yet: play_expert_games with the same settings goes on."
            )
        try:
            records += _read_part(path, settings.as_json(), part)
        except CorruptFileError as error:
            raise CorruptFileError(f"{error} Delete it: its games are then played again.") from None
    return records


def read_settings(folder: str | Path) -> ExpertSettings:
    """The settings of the games in ``folder``.

    Raises:
        FileNotFoundError: it holds no expert games.
        CorruptFileError: the file is cut short or foreign.
    """
    path = Path(folder) / SETTINGS_FILE
    if not path.is_file():
        raise FileNotFoundError(f"{folder} holds no expert games: there is no {SETTINGS_FILE}.")
    return settings_in(path, ExpertSettings, {"experts": "uct"})


def settings_in(path: Path, kind: type[Settings], later: dict[str, Any]) -> Any:
    """The settings of a ``kind`` in a file, with ``later`` ones where an older file has none.

    Raises:
        CorruptFileError: the file is cut short or foreign.
    """
    try:
        values = later | read_json(path, {})
        if missing := {field.name for field in fields(kind)} - set(values):
            raise ValueError(f"without {', '.join(sorted(missing))}")
        return kind(**values)
    except CorruptFileError:
        raise
    except (ValueError, TypeError) as error:
        raise CorruptFileError(f"{path} is damaged or foreign ({error}).") from None


def _parts(settings: ExpertSettings) -> list[range]:
    """The numbers of the games of each part."""
    starts = range(0, settings.num_games, GAMES_PER_PART)
    return [range(n, min(n + GAMES_PER_PART, settings.num_games)) for n in starts]


def _path(folder: Path, part: range) -> Path:
    return folder / f"games_{part.start:07d}.jsonl"


def _write_part(path: Path, settings: dict[str, Any], records: list[GameRecord]) -> None:
    """Writes some games so that a kill leaves the whole file or none: JSON lines.

    The first says what the file is, and the SHA-256 of the others; each other line is a game::

        {"number": 7, "moves": "4453...", "result": 1, "levels": [600, 200], "random_plies": 2}

    Args:
        settings: of the games, JSON-able; they are kept in the file.

    Raises:
        OSError: no space, no permission; ``path`` is as it was.
    """
    lines = "".join(json.dumps(record._asdict()) + "\n" for record in records).encode()
    about = {"format": FORMAT, "settings": settings, "sha256": sha256(lines).hexdigest()}
    atomic_write(path, json.dumps(about).encode() + b"\n" + lines)


def _read_part(path: Path, settings: dict[str, Any], numbers: range) -> list[GameRecord]:
    """What ``write_part`` wrote.

    Raises:
        CorruptFileError: it is cut short, changed or foreign, or holds games of other settings or
            ``numbers``.
    """
    first, _, lines = path.read_bytes().partition(b"\n")
    about = read_json(first, {"format": str, "sha256": str, "settings": {}}, path)
    if about["format"] != FORMAT:
        raise CorruptFileError(f"{path} is of another kind: {about['format']!r}, not {FORMAT!r}.")
    if about["sha256"] != sha256(lines).hexdigest():
        raise CorruptFileError(f"{path} is damaged: its games are cut short or changed.")
    games = [read_json(line, _GAME, path) for line in lines.splitlines()]
    records = [GameRecord(*(game[name] for name in GameRecord._fields)) for game in games]
    if about["settings"] != settings or [record.number for record in records] != list(numbers):
        raise CorruptFileError(
            f"{path} holds other games than its folder's settings and its name say."
        )
    return [record._replace(levels=tuple(record.levels)) for record in records]


def _played(
    settings: ExpertSettings, parts: list[range], processes: int, expert: Expert
) -> Iterator[tuple[range, list[GameRecord]]]:
    """The games of each part, as they are done. Closing it ends the other processes."""
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
            "A process that played games was killed; the parts written so far are whole."
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _opening(
    game: RulesGame, plies: int, rng: np.random.Generator
) -> tuple[tuple[int, int], list[int]]:
    """``plies`` uniformly random moves that do not end the game: a state and the moves to it."""
    while True:
        state, actions = game.initial_state(), []
        while len(actions) < plies and game.outcome(state) is None:
            actions.append(int(rng.choice(game.legal_actions(state))))
            state = game.next_state(state, actions[-1])
        if game.outcome(state) is None:
            return state, actions
