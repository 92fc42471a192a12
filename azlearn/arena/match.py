"""Matches: many openings, each played twice with colors swapped, and their statistics."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress, count, islice
from math import isinf
from pathlib import Path
from typing import Any

import numpy as np

from azlearn.arena.openings import different_openings
from azlearn.arena.player_specs import as_player
from azlearn.arena.players import Player, choose_all
from azlearn.arena.rating import elo_difference
from azlearn.games import Forfeit, State
from azlearn.games.game import OtherRules
from azlearn.games.notation import named, read_moves
from azlearn.games.rules_game import RulesGame
from azlearn.intervals import score_interval
from azlearn.progress_bar import Progress, shown
from azlearn.search import random_moves
from azlearn.search.selection import check_count

AT_ONCE = 512  # games in lockstep; when one ends, the next starts
_RANDOM_GAMES = 4  # played to estimate how long a game will be
AT_ONCE_BY_TURNS = 64  # if a player chooses one move at a time; games then end one by one


@dataclass(frozen=True)
class PlayedGame:
    """One game of a match.

    Attributes:
        opening: the moves it started with, such as "4453".
        moves: all its moves, including the opening.
        a_first: whether the match's player ``a`` was the first player.
        score: of ``a``: 1 for a win, 0.5 for a draw, 0 for a loss; None for a void game.
        remark: a sentence that says who gave up the game and why; "" for a game played to its end.
    """

    opening: str
    moves: str
    a_first: bool
    score: float | None
    remark: str = ""


@dataclass(frozen=True)
class Match:
    """The games between the players named ``a`` and ``b``. Every score is the score of ``a``.

    Attributes:
        games: the games with a score.
        void: the games without one, because a program's rules were not those of the match.
    """

    a: str
    b: str
    games: tuple[PlayedGame, ...]
    void: tuple[PlayedGame, ...] = ()

    @classmethod
    def of(cls, a: str, b: str, played: Iterable[PlayedGame]) -> "Match":
        """Returns the match of all the games that were ``played``.

        Raises:
            ValueError: no game has a score; the message says why.
        """
        kinds: tuple[list[PlayedGame], ...] = [], []
        for game in played:
            kinds[game.score is None].append(game)
        if not kinds[0]:
            raise ValueError(f"All games are void, so there is no score. {kinds[1][0].remark}")
        return cls(a, b, *map(tuple, kinds))

    @property
    def distinct_games(self) -> int:
        """The number of different games. Copies of one game add no evidence."""
        return len({game.moves for game in self.games})

    @property
    def score(self) -> float:
        """The mean points per game, in [0, 1]."""
        return float(np.mean([game.score for game in self.games]))

    @cached_property
    def opening_scores(self) -> list[float]:
        """The mean score in the games of each opening; intervals treat it as one observation.

        Games of one opening share its luck; two deterministic players even repeat their games.
        """
        by_opening: dict[str, list[float]] = {}
        for game in self.games:
            by_opening.setdefault(game.opening, []).append(game.score)
        return [float(np.mean(scores)) for scores in by_opening.values()]

    def table(self, confidence: float = 0.95) -> dict[str, Any]:
        """Returns everything to print about the match, ready for JSON.

        Returns:
            ``a``, ``b``, ``games``, ``distinct_games``, ``openings``; ``wins``, ``draws``,
            ``losses`` of a; the same three in ``as_first`` and ``as_second``; ``score`` and ``elo``
            (the difference), each with its ``…_interval``. None stands for an infinite Elo.
            ``given_up``: how many games ended with each of the remarks; ``void``: the same for
            games without a score, which are counted nowhere else.
        """
        interval = score_interval(self.opening_scores, confidence)
        return {
            "a": self.a,
            "b": self.b,
            "games": len(self.games),
            "distinct_games": self.distinct_games,
            "openings": len(self.opening_scores),
            **_counts(self.games),
            "as_first": _counts([game for game in self.games if game.a_first]),
            "as_second": _counts([game for game in self.games if not game.a_first]),
            "score": self.score,
            "score_interval": interval,
            "elo": _finite(elo_difference(self.score)),
            "elo_interval": tuple(_finite(elo_difference(bound)) for bound in interval),
            "given_up": dict(Counter(game.remark for game in self.games if game.remark)),
            "void": dict(Counter(game.remark for game in self.void)),
        }


def play_match(
    a: Player | str | Path,
    b: Player | str | Path,
    games: int = 400,
    seed: int = 0,
    openings: Sequence[str] | None = None,
    progress: bool | Progress = False,
    done: Callable[[PlayedGame], None] | None = None,
) -> Match:
    """Plays ``games`` games, many in lockstep if the players can choose many moves at once.

    Every opening is played twice, with colors swapped. A player that gives up a game (``Forfeit``)
    loses it, and the match continues; if its program's rules forbid a move of the match, the
    game is void. If there are fewer openings than pairs of games, all are played equally often, so
    there may be fewer games than you asked for.

    Args:
        a, b: players, or anything that ``as_player`` accepts: a word, a loaded network, a run's
            folder.
        games: an even number.
        seed: determines the openings, and each player's generator in each game: the result depends
            neither on how many games are in lockstep nor on the opponent's random numbers.
        openings: as strings of moves, such as "4453"; None: random openings of four plies (see
            ``random_openings``), or as many of them as the game has.
        progress: True shows a progress bar; a function is called with the fraction of moves made.
        done: called with every finished game, for instance to save it. Of games in lockstep, the
            short ones finish first.

    Raises:
        ValueError: an odd number of games or none, players of different games, a finished or
            illegal opening, an illegal move, or all games are void.
    """
    check_count(games, "games", least=2)
    check_count(seed, "seed", least=0, most=2**63)
    if games % 2:
        raise ValueError(f"games must be an even number, not {games}.")
    a, b = (as_player(given) for given in (a, b))
    if a.game != b.game:
        raise ValueError(f"{a.name} plays {a.game.name}, but {b.name} plays {b.game.name}.")
    if openings is None:
        openings = different_openings(a.game, 4, np.random.default_rng(seed))
    elif isinstance(openings, str) or not isinstance(openings, Sequence):
        raise ValueError(f"openings must be a list, such as ['4453', '44'], not {openings!r:.80}.")
    else:
        openings = [_checked(a.game, moves) for moves in openings[: games // 2]]
    with shown(progress, f"{a.name} – {b.name}") as report:
        pace = _Pace(a.game, games, report if progress else None)
        played: dict[int, PlayedGame] = {}
        for board in _play_in_step(a.game, (a, b), _boards(openings, seed, pace), pace):
            played[board.number] = game = _result(a.game, board)
            if done is not None:
                done(game)
    return Match.of(a.name, b.name, (played[number] for number in range(len(played))))


@dataclass
class _Board:
    """A game being played; side 0 is a, side 1 is b."""

    number: int
    state: State
    opening: str
    moves: str
    a_first: bool
    rngs: Sequence[np.random.Generator]
    given_up_by: int | None = None  # a side
    forfeit: Forfeit | None = None
    num_moves: int = 0  # of both players; giving up is counted as a move

    def side_to_move(self, game: RulesGame) -> int:
        return game.to_play(self.state) ^ (not self.a_first)


@dataclass
class _Pace:
    """The progress of a match, in moves, since games in lockstep all end late.

    A game's expected length is max(u, moves so far + u/4); u is the mean length of random games.
    """

    game: RulesGame
    games: int
    report: Progress | None
    num_moves: int = 0
    num_over: int = 0
    moves_over: int = 0  # in the games that are over

    @cached_property
    def usual(self) -> float:
        """The mean number of moves in random games."""
        game, rng = self.game, np.random.default_rng(0)
        games = [random_moves(game, game.initial_state(), rng) for _ in range(_RANDOM_GAMES)]
        return float(np.mean([len(moves) for moves, _ in games]))

    def tell(self, running: list[_Board]) -> None:
        """Reports the progress after a round."""
        if self.report is None:
            return
        begun = self.num_over + len(running)
        expected = sum(max(self.usual, board.num_moves + self.usual / 4) for board in running)
        self.report(self.num_moves * begun / (self.games * (self.moves_over + expected)))


def _boards(openings: Iterable[str], seed: int, pace: _Pace) -> Iterator[_Board]:
    """Yields two games per opening, then repeats all openings in whole rounds."""
    numbers, game, pairs = count(), pace.game, pace.games // 2

    def pair(opening: str) -> Iterator[_Board]:
        for a_first in (True, False):
            number = next(numbers)
            rngs = [np.random.default_rng([seed, number, side]) for side in (0, 1)]
            yield _Board(number, game.from_moves(opening), opening, opening, a_first, rngs)

    known = []
    for opening in islice(openings, pairs):
        known.append(opening)
        yield from pair(opening)
    if not known:
        raise ValueError("A match needs at least one opening.")
    rounds = pairs // len(known)
    pace.games = 2 * rounds * len(known)
    for _ in range(rounds - 1):
        for opening in known:
            yield from pair(opening)


def _play_in_step(
    game: RulesGame, players: tuple[Player, Player], boards: Iterator[_Board], pace: _Pace
) -> Iterator[_Board]:
    """Yields boards as their games end; each player chooses its moves on all boards at once."""
    running: list[_Board] = []
    at_once = all(hasattr(player, "choose_batch") for player in players)
    size = AT_ONCE if at_once else AT_ONCE_BY_TURNS
    while running := [*running, *islice(boards, size - len(running))]:
        for side, player in enumerate(players):
            turn = [board for board in running if board.side_to_move(game) == side]
            rngs = [board.rngs[side] for board in turn]
            chosen = _chosen(player, turn, rngs) if turn else []
            pace.num_moves += len(turn)
            for board, action in zip(turn, chosen, strict=True):
                board.num_moves += 1
                if isinstance(action, Forfeit):
                    board.given_up_by, board.forfeit = side, action
                    continue
                if action not in game.legal_actions(board.state):
                    raise ValueError(
                        f"{player.name} chose {named(game, action)}, which is illegal after"
                        f" {board.moves!r}."
                    )
                board.state = game.next_state(board.state, int(action))
                joint = game.separator if board.moves else ""
                board.moves += joint + game.action_label(int(action))
            over = [_is_over(game, board) for board in running]
            pace.num_over += sum(over)
            pace.moves_over += sum(board.num_moves for board in compress(running, over))
            yield from compress(running, over)
            running = [board for board, is_over in zip(running, over, strict=True) if not is_over]
        pace.tell(running)


def _chosen(player: Player, boards: list[_Board], rngs) -> list[int | Forfeit]:
    """Returns the player's action on each board, or the ``Forfeit`` with which it gives up."""
    if hasattr(player, "choose_batch"):
        return choose_all(player, [board.state for board in boards], rngs)
    chosen: list[int | Forfeit] = []
    for board, rng in zip(boards, rngs, strict=True):
        try:
            chosen.append(player.choose(board.state, rng))
        except Forfeit as forfeit:
            chosen.append(forfeit)
    return chosen


def _is_over(game: RulesGame, board: _Board) -> bool:
    return board.forfeit is not None or game.outcome(board.state) is not None


def _result(game: RulesGame, board: _Board) -> PlayedGame:
    if board.forfeit is None:
        value = game.outcome(board.state)  # for the player to move, as always
        value_of_a = value if board.side_to_move(game) == 0 else -value
    else:
        value_of_a = -1 if board.given_up_by == 0 else 1
    score = None if isinstance(board.forfeit, OtherRules) else (1 + value_of_a) / 2
    remark = str(board.forfeit or "")
    return PlayedGame(board.opening, board.moves, board.a_first, score, remark)


def _checked(game: RulesGame, opening: str) -> str:
    if not isinstance(opening, str):
        raise ValueError(f"An opening must be moves as text, such as '4453', not {opening!r:.80}.")
    try:
        actions, states = read_moves(game, opening)
    except ValueError as error:
        raise ValueError(f"The opening {opening!r} cannot be played: {error}") from None
    if game.outcome(states[-1]) is not None:
        raise ValueError(f"The opening {opening!r} is a finished game.")
    return game.moves_text(actions)


def _counts(games: Sequence[PlayedGame]) -> dict[str, int]:
    scores = [game.score for game in games]
    return {"wins": scores.count(1.0), "draws": scores.count(0.5), "losses": scores.count(0.0)}


def _finite(elo: float) -> float | None:
    return None if isinf(elo) else elo
