"""The truth about a position: the exact score of every move.

Connect Four is solved by ``bitbully`` (by M. Thill, licence AGPL-3, with its opening book on your
disk). It is optional: ``pip install bitbully``, or the extra ``solver`` of this package. It is
imported here and nowhere else, when a Connect Four position is first asked about. Small games are
solved by visiting every position below the one you ask about.

A score is for the player who makes the move: positive wins, 0 draws, negative loses. In games of
stones it says how soon: a win with your last possible stone scores 1, one stone sooner 2, and so
on; a loss is the winner's score with a minus. The columns s1 to s7 of
``azlearn/data/connect_four_positions.csv`` are these scores.
"""

import threading
from functools import cache

from azlearn.games.connect_four import ConnectFour
from azlearn.games.game import Game, State
from azlearn.games.line_game import LineGame

MAX_POSITIONS = 50_000  # tic-tac-toe has 5,478; one second, about

_one_at_a_time = threading.Lock()  # bitbully keeps one table of known positions


class SolverMissing(ImportError):
    """Connect Four was asked about and ``bitbully`` is not installed."""


def move_scores(game: Game, state: State) -> list[int | None]:
    """The exact score of each move, for the player to move in ``state``.

    Connect Four takes up to about a second where the book ends (12 to 15 stones), and loading the
    book a quarter of a second, once.

    Returns:
        [num_actions]; None where the move is illegal, everywhere when the game is over.

    Raises:
        SolverMissing: the game is Connect Four and ``bitbully`` is not installed.
        ValueError: another game with more than ``MAX_POSITIONS`` positions below ``state``, or
            one that can go in circles.
    """
    legal = game.legal_actions(state)
    if isinstance(game, ConnectFour):
        score_of = _connect_four_scores(game, state) if legal else {}
    else:
        known: dict[State, int] = {}
        try:
            score_of = {action: _move_score(game, state, action, known) for action in legal}
        except RecursionError:
            raise ValueError(f"{_name(game)} cannot be solved here: it may never end.") from None
    return [score_of.get(action) for action in range(game.num_actions)]


def optimal_actions(game: Game, state: State) -> list[int]:
    """The moves with the highest score, ascending; empty when the game is over.

    In a game of stones that is the soonest win, or the latest loss.

    Raises:
        SolverMissing, ValueError: as ``move_scores``.
    """
    scores = move_scores(game, state)
    best = max((score for score in scores if score is not None), default=None)
    return [action for action, score in enumerate(scores) if score is not None and score == best]


def _move_score(game: Game, state: State, action: int, known: dict[State, int]) -> int:
    """The score of ``action`` for the player who makes it; ``known`` is filled on the way."""
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
                f"{_name(game)} is too large to be solved from here: more than "
                f"{MAX_POSITIONS:,} positions."
            )
    return known[child] if game.to_play(child) == game.to_play(state) else -known[child]


def _final_score(game: Game, state: State, outcome: int) -> int:
    """``outcome`` times one plus the stones that the winner has left."""
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
            "Exact play in Connect Four comes from the solver bitbully, which is not installed: "
            "pip install bitbully"
        ) from error
    return BitBully(), Board.from_array
