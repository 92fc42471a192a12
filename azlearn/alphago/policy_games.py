"""Plays games between policies, which sample every move from their probabilities.

A network evaluates many positions in one batch much faster than one after the other. Therefore
games are played in lockstep, one ply of all games at a time.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from azlearn.alphago.policies import Policy
from azlearn.alphago.positions import Positions, concatenate, initial_states, play_moves, rows_of
from azlearn.games.rules_game import RulesGame
from azlearn.search.selection import check_count

GAMES_AT_ONCE = 1024  # limits the network's memory; the random numbers do not depend on it


class PolicyGames(NamedTuple):
    """Finished games, with one row per position."""

    positions: Positions  # where a policy chose a move, ordered by game and ply
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
    """Plays games to the end, with the policy ``first`` moving first and ``second`` second.

    Args:
        rng: a generator, or the seed of one.
        opening_plies: the largest number of uniformly random first moves, as in ``ExpertSettings``;
            each game samples its own number. These moves never end a game, and their positions are
            left out, because no policy chose the moves.

    Raises:
        ValueError: a number is invalid, or a policy did not return a distribution over legal moves.
    """
    if opening_plies not in range(game.max_plies // 2 + 1):
        raise ValueError(
            f"opening_plies must be from 0 to {game.max_plies // 2}, not {opening_plies!r}."
        )
    check_count(num_games, "num_games")
    rng = np.random.default_rng(rng)
    lengths = rng.integers(opening_plies + 1, size=num_games)

    def ask(ply: int, games: np.ndarray, states: Any) -> np.ndarray:
        opening = np.flatnonzero(lengths[games] > ply)
        quiet = _quiet_moves(game, rows_of(states, opening))
        goes_on = quiet.any(axis=1)  # an opening stops if every move would end the game
        lengths[games[opening[~goes_on]]] = ply
        is_opening = np.zeros(len(games), bool)
        is_opening[opening[goes_on]] = True
        policy = first if ply % 2 == 0 else second
        p = answered(game, states, [(policy, ~is_opening)])
        p[is_opening] = quiet[goes_on] / quiet[goes_on].sum(axis=1, keepdims=True)
        return p

    positions, result = play_in_step(game, num_games, ask, rng)
    positions = positions.take(positions.ply >= lengths[positions.game_number])
    return PolicyGames(positions, positions.ply % 2 == 0, result)


def play_in_step(
    game: RulesGame,
    num_games: int,
    ask: Callable[[int, np.ndarray, Any], np.ndarray],
    rng: np.random.Generator,
) -> tuple[Positions, np.ndarray]:
    """Plays games from the empty board and samples all moves from the p that ``ask`` returns.

    Each game has its own row of random numbers, one for each ply.

    Args:
        ask: takes the ply, the numbers of the unfinished games, int64 [B], and their states, int64
            arrays [B] in the game's ``State``; returns p, float64 [B, num_actions], see
            ``answered``.

    Returns:
        ``(positions, result)``: all positions in which the game was not over, ordered by game and
        ply; int64 [num_games], the results for the first player.

    Raises:
        ValueError: p is not a distribution over legal moves.
    """
    pieces, results = [], []
    for start in range(0, num_games, GAMES_AT_ONCE):
        size = min(GAMES_AT_ONCE, num_games - start)
        chances = rng.random((size, game.max_plies))
        states = initial_states(game, size)
        rows, columns = np.arange(size), []
        for ply in range(game.max_plies):
            is_over, _ = game.batch_outcome(rows_of(states, rows))
            rows = rows[~is_over]
            if not len(rows):
                break
            here = rows_of(states, rows)
            p = ask(ply, start + rows, here)
            _check(game, ply, here, p)
            action = _drawn(p, chances[rows, ply])
            of_mover = (1 - 2 * game.batch_to_play(here)).astype(np.float32)
            plies = np.full(len(rows), ply)
            columns.append(Positions.at(here, action, of_mover, rows, plies))
            play_moves(game, states, rows, action)
        _, value = game.batch_outcome(states)  # for the player to move there
        result = value * (1 - 2 * game.batch_to_play(states))  # for the first player
        positions = concatenate(columns)
        row = positions.game_number
        z = result[row].astype(np.float32) * positions.z
        positions = positions._replace(z=z, game_number=start + row)
        pieces.append(positions.take(np.argsort(row, kind="stable")))
        results.append(result)
    return concatenate(pieces), np.concatenate(results)


def answered(game: RulesGame, states: Any, parts: list[tuple[Policy, np.ndarray]]) -> np.ndarray:
    """Returns p of all states, float64 [B, num_actions], with each policy called on its own rows.

    Args:
        parts: policies and their rows, bool [B].

    Raises:
        ValueError: a policy returned another shape.
    """
    p = np.zeros((len(states.me), game.num_actions))
    for policy, rows in parts:
        if rows.any():
            answer, wanted = np.asarray(policy(rows_of(states, rows))), p[rows].shape
            if answer.shape != wanted:
                raise ValueError(f"A policy must return p of shape {wanted}, not {answer.shape}.")
            p[rows] = answer
    return p


def _drawn(p: np.ndarray, chances: np.ndarray) -> np.ndarray:
    """Samples actions, int64 [B]: the first whose cumulative p exceeds the row's random number."""
    cumulative = p.cumsum(axis=1)
    return (cumulative <= chances[:, None] * cumulative[:, -1:]).sum(axis=1)


def _check(game: RulesGame, ply: int, states: Any, p: np.ndarray) -> None:
    legal_sums = np.where(game.batch_legal_mask(states), p, 0).sum(axis=1)
    is_p = (p >= 0).all(axis=1) & (np.abs(legal_sums - 1) < 1e-3) & (p.sum(axis=1) == legal_sums)
    if not is_p.all():
        raise ValueError(
            f"At ply {ply} a policy's p is not a distribution over legal moves. It must be 0 on"
            " illegal moves and sum to 1."
        )


def _quiet_moves(game: RulesGame, states: Any) -> np.ndarray:
    """Returns the legal moves that do not end the game, bool [B, num_actions]."""
    quiet = game.batch_legal_mask(states)
    rows, actions = np.nonzero(quiet)
    after = game.rules.play(rows_of(states, rows), actions)
    quiet[rows, actions] = ~game.batch_outcome(after)[0]
    return quiet
