"""Hints from a solver, as text: the best moves in a position, and how soon they decide the game."""

from collections.abc import Sequence
from dataclasses import dataclass

from azlearn.games import Game, State
from azlearn.games.line_game import LineGame
from azlearn.games.notation import label
from azlearn.games.solver import move_scores


@dataclass
class Truth:
    """The result of each move with perfect play.

    Attributes:
        scores: [num_actions], for the player to move; above 0 = a win, None = illegal.
        best: the actions with the highest score, ascending.
        signs: [num_actions], "W3" for a win in 3 moves, "D" for a draw, "L5" for a loss in 5;
            "" = illegal. There is no number if the game's scores do not tell how soon it ends.
        text: a sentence on the best moves.
    """

    scores: list[int | None]
    best: list[int]
    signs: list[str]
    text: str


def truth(game: Game, state: State) -> Truth:
    """Solves ``state``.

    Raises:
        ValueError: the game is over, or too large to solve from this position.
        ImportError: the game's solver is not installed; the message says how to install it.
    """
    scores = move_scores(game, state)
    legal = [action for action, score in enumerate(scores) if score is not None]
    if not legal:
        raise ValueError("The game is over: there is no best move.")
    highest = max(scores[action] for action in legal)
    best = [action for action in legal if scores[action] == highest]
    signs = ["" if score is None else _sign(game, state, score) for score in scores]
    if len(best) == len(legal) > 1:
        text = f"Every move {result_of(game, state, highest)}."
    else:
        names = _listed([label(game, action) for action in best])
        text = f"Best: {names} ({result_of(game, state, highest)})."
    return Truth(scores, best, signs, text)


def moves_to_end(game: Game, state: State, score: int) -> int | None:
    """The number of moves the winner still makes; None for a draw or if the scores do not show it.

    Solver scores count from the end of the game: 1 plus the stones the winner has left.
    """
    if score == 0 or not isinstance(game, LineGame):
        return None
    left = game.max_plies - (state.me | state.opp).bit_count()
    return 1 + (left + (score > 0)) // 2 - abs(score)


def _sign(game: Game, state: State, score: int) -> str:
    if score == 0:
        return "D"
    return f"{'W' if score > 0 else 'L'}{moves_to_end(game, state, score) or ''}"


def result_of(game: Game, state: State, score: int) -> str:
    """The result of a move with this score, as in "loses in 3 moves"."""
    if score == 0:
        return "draws"
    verb, moves = "wins" if score > 0 else "loses", moves_to_end(game, state, score)
    if moves is None:
        return verb
    if moves == 1:
        return f"{verb} at once" if score > 0 else f"{verb} to the next move"
    return f"{verb} in {moves} moves"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
