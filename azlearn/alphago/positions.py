"""Training positions from games, and how to hold some out for a fair test.

The positions of a game are similar and share their result. If you split a data set by position, a
network sees the neighbors of nearly every held-out position in training, and memorization looks
like understanding. So whole games are held out. That is not enough, because different games start
alike: boards that training has seen, or their mirror images, are also removed from the held-out
set.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from azlearn.alphago.expert_games import GameRecord
from azlearn.games import State
from azlearn.games.notation import named, read_moves
from azlearn.games.rules_game import RulesGame
from azlearn.json_validation import CorruptFileError, shape_fault
from azlearn.learning.files import read_tensors, write_tensors

FORMAT = "azlearn positions 2"


class Positions(NamedTuple):
    """Positions in which an expert chose a move, one per row.

    If a game's state is more than two boards, as in Go, ``whole`` has the complete states.
    """

    me: np.ndarray  # int64 [n], the stones of the player to move
    opp: np.ndarray  # int64 [n], the stones of the other player
    action: np.ndarray  # int64 [n], the expert's move
    z: np.ndarray  # float32 [n], the game's result for the player to move: 1, 0 or -1
    game_number: np.ndarray  # int64 [n]
    ply: np.ndarray  # int64 [n], the number of earlier moves, including random ones
    whole: Any = None  # the game's own states, of int64 arrays [n]; None: ``State(me, opp)``
    last: np.ndarray | None = None  # int64 [n], the previous action; -1, or None: unknown

    @classmethod
    def at(cls, states: Any, action, z, game_number, ply, last=None) -> "Positions":
        """Makes positions from their states, int64 arrays [n] in the game's ``State``."""
        whole = None if type(states) is State else states
        return cls(states.me, states.opp, action, z, game_number, ply, whole, last)

    @property
    def states(self) -> Any:
        """The positions as a batch of the game's states."""
        return State(self.me, self.opp) if self.whole is None else self.whole

    def take(self, rows: np.ndarray) -> "Positions":
        """The positions in some rows: int [m] row numbers, or a bool [n] mask."""
        last = None if self.last is None else self.last[rows]
        columns = (column[rows] for column in self[2:6])
        return Positions.at(rows_of(self.states, rows), *columns, last)


def rows_of(states: Any, rows: np.ndarray) -> Any:
    """Selects rows of a state of arrays, by number or by a mask."""
    return type(states)(*(word[rows] for word in states))


def concatenate(pieces: Sequence[Positions]) -> Positions:
    """Concatenates positions, without ``last``."""
    words = zip(*(piece.states for piece in pieces), strict=True)
    states = type(pieces[0].states)(*map(np.concatenate, words))
    columns = zip(*(piece[2:6] for piece in pieces), strict=True)
    return Positions.at(states, *map(np.concatenate, columns))


class Split(NamedTuple):
    """A data set that is split into training and held-out positions."""

    train: Positions
    held_out: Positions
    num_removed: int  # held-out positions removed because training has seen their boards
    share_removed: float  # ``num_removed`` as a fraction of all held-out positions


def positions_of(
    game: RulesGame, records: Sequence[GameRecord], *, played_out: bool = True
) -> Positions:
    """Returns the positions of games, ordered by game and ply.

    Random opening moves are played, but their positions are left out: no expert chose them.

    Args:
        played_out: True if every game was played to its end. If False, players may have resigned or
            agreed on a score, and the recorded results are not checked.

    Raises:
        ValueError: a move is illegal, a game is unfinished, or its recorded result contradicts the
            rules; the message names the game.
    """
    if not records:
        raise ValueError("There are no games to take positions from.")
    return concatenate([_of_game(game, record, played_out) for record in records])


def _of_game(game: RulesGame, record: GameRecord, played_out: bool) -> Positions:
    try:
        actions, states = read_moves(game, record.moves)
    except ValueError as error:
        raise ValueError(f"Game {record.number} breaks the rules: {error}") from None
    value = game.outcome(states[-1])  # for the player to move there
    result = value if game.to_play(states[-1]) == 0 or value is None else -value
    if played_out and result != record.result:
        ending = "is not over" if value is None else f"ends with {result}"
        raise ValueError(
            f"Game {record.number} ({record.moves}) {ending}, but its record says"
            f" {record.result} for the first player."
        )
    chosen = slice(record.random_plies, len(actions))
    plies, before = np.arange(len(actions))[chosen], game.stack(states[chosen])
    z = record.result * (1 - 2 * game.batch_to_play(before))
    action, number = np.array(actions, np.int64)[chosen], np.full(len(plies), record.number)
    return Positions.at(before, action, z.astype(np.float32), number, plies)


def initial_states(game: RulesGame, n: int) -> Any:
    """Returns the initial position ``n`` times: the game's ``State`` of int64 arrays [n]."""
    return game.State(*(np.full(n, word, np.int64) for word in game.initial_state()))


def play_moves(game: RulesGame, states: Any, rows: np.ndarray, actions: np.ndarray) -> None:
    """Plays legal ``actions`` in some rows of ``states``, in place."""
    after = game.rules.play(rows_of(states, rows), actions)
    for word, new in zip(states, after, strict=True):
        word[rows] = new


def last_columns(positions: Positions) -> np.ndarray:
    """Returns each position's previous action, int64 [n]; -1 if the previous position is missing.

    Args:
        positions: ordered by game and ply.
    """
    number, ply = positions.game_number, positions.ply
    follows = np.zeros(len(ply), bool)
    follows[1:] = (number[1:] == number[:-1]) & (ply[1:] == ply[:-1] + 1)
    return np.where(follows, np.roll(positions.action, 1), -1)


def check_moves(game: RulesGame, positions: Positions) -> None:
    """Raises ValueError if there are no positions or an action is illegal (names the first row)."""
    if not len(positions.me):
        raise ValueError("There are no positions.")
    action = positions.action
    in_range = (action >= 0) & (action < game.num_actions)
    legal = game.batch_legal_mask(positions.states)
    good = in_range & legal[np.arange(len(legal)), action * in_range]
    if not good.all():
        row = int(good.argmin())
        raise ValueError(f"Position {row}: {named(game, int(action[row]))} is illegal.")


def write_positions(path: Path, sides: dict[str, Positions]) -> None:
    """Writes positions to a safetensors file, under the names in ``sides``.

    Raises:
        OSError: no space or no permission; ``path`` is unchanged.
    """
    tensors = {
        f"{side}.{name}": torch.from_numpy(column)
        for side, positions in sides.items()
        for name, column in _columns(positions).items()
    }
    write_tensors(path, tensors, {"format": FORMAT, "sides": list(sides)})


def read_positions(path: Path, game: RulesGame) -> dict[str, Positions]:
    """Reads positions of ``game`` that ``write_positions`` wrote.

    Raises:
        FileNotFoundError: there is no such file.
        CorruptFileError: the file is truncated or from another program.
    """
    tensors, about = read_tensors(path)
    if about.get("format") != FORMAT or shape_fault(about, {"sides": [str]}):
        raise CorruptFileError(f"{path} contains no training positions.")
    words = game.State._fields
    try:
        return {
            side: Positions.at(
                game.State(*(tensors[f"{side}.state.{name}"].numpy() for name in words)),
                *(tensors[f"{side}.{name}"].numpy() for name in Positions._fields[2:6]),
            )
            for side in about["sides"]
        }
    except KeyError as error:
        raise CorruptFileError(f"{path} is damaged: {error} is missing.") from None


def _columns(positions: Positions) -> dict[str, np.ndarray]:
    states = {f"state.{name}": word for name, word in positions.states._asdict().items()}
    return states | dict(zip(Positions._fields[2:6], positions[2:6], strict=True))


def split_by_game(
    game: RulesGame,
    positions: Positions,
    held_out_share: float = 0.1,
    rng: np.random.Generator | int = 0,
) -> Split:
    """Holds out whole games, without boards that training has seen in any symmetry.

    Early boards occur in many games, so most of the removed boards are early ones. Compare
    accuracies ply by ply, or on the same held-out positions.

    Args:
        held_out_share: the fraction of the games to hold out, more than 0 and less than 1.
        rng: a generator, or the seed of one.

    Raises:
        ValueError: the fraction is invalid, or no position is left in one of the two sets.
    """
    games = np.unique(positions.game_number)
    is_held_out = np.isin(positions.game_number, _some(games, held_out_share, rng))
    train, held_out = positions.take(~is_held_out), positions.take(is_held_out)
    seen = shared_boards(game, train, held_out)
    if not len(train.me) or seen.all():
        raise ValueError(
            f"{len(games)} games are too few for this split: one of the two sets is empty."
        )
    return Split(train, held_out.take(~seen), int(seen.sum()), float(seen.mean()))


def shared_boards(game: RulesGame, train: Positions, held_out: Positions) -> np.ndarray:
    """Returns which held-out boards occur in training, up to symmetry: bool [n]."""
    known = set(_boards_up_to_symmetry(game, train))
    boards = _boards_up_to_symmetry(game, held_out)
    return np.array([board in known for board in boards], dtype=bool)


def _boards_up_to_symmetry(game: RulesGame, positions: Positions) -> list[tuple[int, int]]:
    """Returns the smallest (me, opp) among the symmetric images of each board."""
    bits = game.cell_bits.ravel()
    cells = np.arange(game.rows * game.cols).reshape(game.rows, game.cols)
    smallest = None
    for moved_cells, _ in game.symmetries(cells, np.arange(game.num_actions)):
        image_me, image_opp = np.zeros_like(positions.me), np.zeros_like(positions.opp)
        for source, target in zip(bits[moved_cells.ravel()], bits, strict=True):
            image_me |= (positions.me >> source & 1) << target
            image_opp |= (positions.opp >> source & 1) << target
        image = list(zip(image_me.tolist(), image_opp.tolist(), strict=True))
        smallest = image if smallest is None else list(map(min, smallest, image))
    return smallest


def _some(numbers: np.ndarray, share: float, rng: np.random.Generator | int) -> np.ndarray:
    """Chooses a random ``share`` of the numbers, at least one."""
    if not 0 < share < 1:
        raise ValueError(f"held_out_share must be more than 0 and less than 1, not {share!r}.")
    size = max(1, round(share * len(numbers)))
    return np.random.default_rng(rng).choice(numbers, size=size, replace=False)
