"""Exact solvers: the exact score of every move in a position.

Connect Four is solved by ``bitbully`` (by M. Thill, license AGPL-3, with its opening book on your
disk). It is optional: ``pip install bitbully``, or install this package with the extra ``solver``.
It is imported only in this file, when you first ask about a Connect Four position. Small games are
solved by visiting every position that can follow.

A score is for the player who makes the move: positive wins, 0 draws, negative loses. In line games
it also depends on the speed: a win with your last possible stone scores 1, one stone sooner 2, and
so on; a loss is minus the winner's score. The columns s1 to s7 of
``azlearn/data/connect_four_positions.csv`` are these scores.
"""

import threading
from functools import cache

from azlearn.games.connect_four import ConnectFour
from azlearn.games.game import Game, State
from azlearn.games.line_game import LineGame

MAX_POSITIONS = 50_000  # takes about one second; tic-tac-toe has 5,478

_one_at_a_time = threading.Lock()  # bitbully has one shared table of known positions


class SolverMissing(ImportError):
    """A Connect Four position cannot be solved because ``bitbully`` is not installed."""


def move_scores(game: Game, state: State) -> list[int | None]:
    """The exact score of each move, for the player to move in ``state``.

    In Connect Four this takes up to about a second just after the book ends (12 to 15 stones).
    Loading the book takes a quarter of a second, once.

    Returns:
        [num_actions]; None for illegal moves, and for all moves when the game is over.

    Raises:
        SolverMissing: the game is Connect Four and ``bitbully`` is not installed.
        ValueError: another game has more than ``MAX_POSITIONS`` positions below ``state``, or can
            repeat positions.
    """
    legal = game.legal_actions(state)
    if isinstance(game, ConnectFour):
        score_of = _connect_four_scores(game, state) if legal else {}
    else:
        known: dict[State, int] = {}
        try:
            score_of = {action: _move_score(game, state, action, known) for action in legal}
        except RecursionError:
            raise ValueError(f"{_name(game)} cannot be solved: it may never end.") from None
    return [score_of.get(action) for action in range(game.num_actions)]


def optimal_actions(game: Game, state: State) -> list[int]:
    """The moves with the highest score, in ascending order; empty when the game is over.

    In line games these are the fastest wins, or the slowest losses.

    Raises:
        SolverMissing, ValueError: as ``move_scores``.
    """
    scores = move_scores(game, state)
    best = max((score for score in scores if score is not None), default=None)
    return [action for action, score in enumerate(scores) if score is not None and score == best]


def _move_score(game: Game, state: State, action: int, known: dict[State, int]) -> int:
    """The score of ``action`` for the player who makes it; adds results to ``known``."""
    child = game.next_state(state, action)
    if child not in known:
        outcome = game.outcome(child)
        if outcome is None:
            moves = game.legal_actions(child)
            known[child] = max(_move_score(game, child, move, known) for move in moves)
        else:
            known[child] = _final_score(game, child, outcome)
        if len(known) > MAX_POSITIONS:
            raise ValueError(
                f"{_name(game)} is too large to solve from this position: more than "
                f"{MAX_POSITIONS:,} positions."
            )
    return known[child] if game.to_play(child) == game.to_play(state) else -known[child]


def _final_score(game: Game, state: State, outcome: int) -> int:
    """``outcome`` times (1 + the number of stones that the winner has left)."""
    if not isinstance(game, LineGame):
        return outcome
    empty = game.max_plies - (state.me | state.opp).bit_count()
    return outcome * (1 + empty // 2)


def _name(game: Game) -> str:
    return getattr(game, "name", type(game).__name__)


def _connect_four_scores(game: ConnectFour, state: State) -> dict[int, int]:
    solver, new_board = _bitbully()
    cells = game.cells(state)
    board = new_board([cells[r * game.cols : (r + 1) * game.cols] for r in range(game.rows)])
    with _one_at_a_time:
        return solver.score_all_moves(board)


@cache
def _bitbully() -> tuple:
    """``(solver, Board)``: the solver with its 12-ply book in memory."""
    try:
        from bitbully import BitBully, Board
    except ImportError as error:
        raise SolverMissing(
            "Exact play in Connect Four needs the solver bitbully, which is not installed. Install "
            "it with: pip install bitbully"
        ) from error
    return BitBully(), Board.from_array
