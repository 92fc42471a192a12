"""Games between policies, many in lockstep: every move is drawn from a policy's probabilities.

A network answers for many positions at once in far less time than one after the other. So the
games are played side by side, a ply of all of them at a time.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from azlearn.alphago.policies import Policy
from azlearn.alphago.positions import Positions
from azlearn.games import State
from azlearn.games.rules_game import RulesGame
from azlearn.search.selection import check_count

GAMES_AT_ONCE = 1024  # for the memory a network takes; the random numbers do not depend on it


class PolicyGames(NamedTuple):
    """Finished games; the rows are those of ``positions``."""

    positions: Positions  # where a policy chose, in the order of the games and of their plies
    by_first: np.ndarray  # bool [n]: the policy ``first`` made the move
    result: np.ndarray  # int64 [num_games], for the FIRST player: 1 a win, 0 a draw, -1 a loss


def play_policy_games(
    game: RulesGame,
    first: Policy,
    second: Policy,
    num_games: int,
    rng: np.random.Generator | int = 0,
    *,
    opening_plies: int = 0,
) -> PolicyGames:
    """Plays games to the end; ``first`` plays the first player, ``second`` the other.

    Args:
        rng: a generator, or the seed of one.
        opening_plies: at most so many uniformly random moves begin a game, as in
            ``ExpertSettings``; how many is drawn for each game. They never end it, and they are not
            among the positions: no policy chose them.

    Raises:
        ValueError: an impossible number, or a policy's answer is not a distribution over
            legal moves.
    """
    if opening_plies not in range(game.max_plies // 2 + 1):
        raise ValueError(
            f"opening_plies must be 0 to {game.max_plies // 2}, not {opening_plies!r}."
        )
    check_count(num_games, "num_games")
    rng = np.random.default_rng(rng)
    lengths = rng.integers(opening_plies + 1, size=num_games)

    def quiet(states: State) -> np.ndarray:
        mask = _quiet_moves(game, states)
        return mask / mask.sum(axis=1, keepdims=True)

    def ask(ply: int, games: np.ndarray, states: State) -> np.ndarray:
        opening = lengths[games] > ply
        if opening.any():  # it stops where every move would end the game
            opening &= _quiet_moves(game, states).any(axis=1)
            lengths[games] = np.where(opening, lengths[games], np.minimum(lengths[games], ply))
        policy = first if ply % 2 == 0 else second
        return answered(game, states, [(quiet, opening), (policy, ~opening)])

    positions, result = play_in_step(game, num_games, ask, rng)
    positions = positions.take(positions.ply >= lengths[positions.game_number])
    return PolicyGames(positions, positions.ply % 2 == 0, result)


def play_in_step(
    game: RulesGame,
    num_games: int,
    ask: Callable[[int, np.ndarray, State], np.ndarray],
    rng: np.random.Generator,
) -> tuple[Positions, np.ndarray]:
    """Plays games from the empty board, all moves drawn from what ``ask`` answers.

    A game draws from a row of random numbers of its own, one for each ply.

    Args:
        ask: takes the ply, the numbers of the games that go on, int64 [B], and their states, int64
            arrays [B]; gives p, float64 [B, num_actions], see ``answered``.

    Returns:
        ``(positions, result)``: every position that was not over, in the order of the games and of
        their plies; int64 [num_games], for the first player.

    Raises:
        ValueError: p is not a probability of legal moves.
    """
    pieces, results = [], []
    for start in range(0, num_games, GAMES_AT_ONCE):
        size = min(GAMES_AT_ONCE, num_games - start)
        chances = rng.random((size, game.max_plies))
        states = State(np.zeros(size, np.int64), np.zeros(size, np.int64))
        rows, columns = np.arange(size), []
        for ply in range(game.max_plies):
            is_over, _ = game.batch_outcome(_rows(states, rows))
            rows = rows[~is_over]
            if not len(rows):
                break
            here = _rows(states, rows)
            p = ask(ply, start + rows, here)
            _check(game, ply, here, p)
            action = _drawn(p, chances[rows, ply])
            columns.append((*here, action, rows, np.full(len(rows), ply)))
            states.me[rows], states.opp[rows] = game.batch_play(here, action)
        _, value = game.batch_outcome(states)  # for the player to move there …
        result = value * (1 - 2 * game.batch_to_play(states))  # … and for the first player
        me, opp, action, row, ply = (np.concatenate(parts) for parts in zip(*columns, strict=True))
        z = (result[row] * (1 - 2 * (ply % 2))).astype(np.float32)
        positions = Positions(me, opp, action, z, start + row, ply)
        pieces.append(positions.take(np.argsort(row, kind="stable")))
        results.append(result)
    return joined(pieces), np.concatenate(results)


def answered(game: RulesGame, states: State, parts: list[tuple[Policy, np.ndarray]]) -> np.ndarray:
    """p of all states, each policy asked about its own rows: float64 [B, num_actions].

    Args:
        parts: policies with their rows, bool [B].

    Raises:
        ValueError: an answer of another shape.
    """
    p = np.zeros((len(states.me), game.num_actions))
    for policy, rows in parts:
        if rows.any():
            answer, wanted = np.asarray(policy(_rows(states, rows))), p[rows].shape
            if answer.shape != wanted:
                raise ValueError(
                    f"A policy must answer with p of shape {wanted}, not {answer.shape}."
                )
            p[rows] = answer
    return p


def joined(pieces: list[Positions]) -> Positions:
    """One after the other."""
    return Positions(*(np.concatenate(columns) for columns in zip(*pieces, strict=True)))


def _rows(states: State, rows: np.ndarray) -> State:
    return State(states.me[rows], states.opp[rows])


def _drawn(p: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """int64 [B]: the first action whose cumulative p exceeds its row's chance, in [0, 1)."""
    cumulative = p.cumsum(axis=1)
    return (cumulative <= chances[:, None] * cumulative[:, -1:]).sum(axis=1)


def _check(game: RulesGame, ply: int, states: State, p: np.ndarray) -> None:
    legal_sums = np.where(game.batch_legal_mask(states), p, 0).sum(axis=1)
    is_p = (p >= 0).all(axis=1) & (np.abs(legal_sums - 1) < 1e-3) & (p.sum(axis=1) == legal_sums)
    if not is_p.all():
        raise ValueError(
            f"At ply {ply} a policy's p is not a distribution over legal moves: it must be 0 on"
            " illegal moves and sum to 1."
        )


def _quiet_moves(game: RulesGame, states: State) -> np.ndarray:
    """bool [B, num_actions]: legal, and the game goes on after it."""
    quiet = game.batch_legal_mask(states)
    for action in range(game.num_actions):
        rows = np.flatnonzero(quiet[:, action])
        after = game.batch_play(_rows(states, rows), np.full(len(rows), action))
        quiet[rows, action] = ~game.batch_outcome(after)[0]
    return quiet
