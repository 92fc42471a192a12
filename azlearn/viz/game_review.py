"""Looks back at a game: who was ahead in each position, and which moves threw it away."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from azlearn.games import Game, State
from azlearn.games.notation import label, read_moves
from azlearn.games.solver import move_scores
from azlearn.search import compiled_uct
from azlearn.viz.boards import marks
from azlearn.viz.formatting import signed
from azlearn.viz.solver_hints import result_of

SIMULATIONS = 20_000  # of the compiled UCT that judges if there is neither a solver nor a player
_SLOWER = 0.01  # the extra loss for each point by which a move lowers a solver's score
_NOTABLE = 0.1  # the least loss of value, by a search's estimate, that is called a mistake


class JudgedMove(NamedTuple):
    """One move of a game.

    Attributes:
        ply: the number of moves before it.
        action, best: the move, and the best one according to the judge.
        loss: how much value the move lost for its player, 0 to 2; a little more if it also loses
            sooner or wins later.
        text: a sentence on the move and the better one.
    """

    ply: int
    action: int
    best: int
    loss: float
    text: str


@dataclass(frozen=True)
class GameReview:
    """A game with a judge's value of every position.

    Attributes:
        judge: who judged: "the solver", or the name of a search.
        values: [n + 1], from -1 to +1 for the *first* player.
        movers: [n + 1], the player to move in each position, 0 or 1.
        moves: the n moves.
    """

    judge: str
    values: tuple[float, ...]
    movers: tuple[int, ...]
    moves: tuple[JudgedMove, ...]

    def worst(self, n: int = 3, side: int | None = None, first: int = 0) -> list[JudgedMove]:
        """The ``n`` moves that lost the most, the worst first; fewer if fewer lost anything.

        Args:
            side: only the moves of player 0 or 1; None for both.
            first: leave out earlier moves, such as those of an opening.
        """
        least = 0.0 if self.judge == "the solver" else _NOTABLE
        found = [move for move in self.moves if move.loss > least and move.ply >= first]
        if side is not None:
            found = [move for move in found if self.movers[move.ply] == side]
        return sorted(found, key=lambda move: (-move.loss, move.ply))[:n]


def review_game(
    game: Game,
    moves: str | Sequence[int],
    player: Any = None,
    rng: np.random.Generator | int = 0,
    stop: Callable[[], bool] = lambda: False,
) -> GameReview:
    """Judges every move of a game, with the game's solver if it has one, else with searches.

    Args:
        moves: as text or actions, or an SGF record.
        player: searches each position if there is no solver: it has ``choose(state, rng)``,
            ``last_tree`` and a name. None: compiled UCT with 20,000 simulations.
        stop: called before every position. When it returns True, the review ends with the moves
            judged so far.

    Raises:
        ValueError: no moves, or one is illegal.
    """
    actions, states = read_moves(game, moves)
    if not actions:
        raise ValueError("There are no moves to review.")
    rng = np.random.default_rng(rng)
    try:
        move_scores(game, states[0])
        judge, look = "the solver", _by_solver
    except (ImportError, ValueError):
        judge = getattr(player, "name", f"UCT with {SIMULATIONS:,} simulations")
        look = _by_search(player, rng)
    found = []
    for state in states:
        if stop():
            break
        found.append(look(game, state))
    movers = tuple(game.to_play(state) for state in states[: len(found)])
    values = tuple(
        float(one.value if mover == 0 else -one.value)
        for one, mover in zip(found, movers, strict=True)
    )
    judged = []
    for ply, (action, here) in enumerate(zip(actions, found[:-1], strict=False)):
        mark, better = marks(game)[movers[ply]], label(game, here.best)
        if here.scores:
            score, best = here.scores[action], here.scores[here.best]
            loss = _sign(best) - _sign(score) + _SLOWER * (best - score)
            state = states[ply]
            said = f"it {result_of(game, state, score)}, {better} {result_of(game, state, best)}"
        else:
            sign = 1 if movers[ply] == 0 else -1
            before, after = sign * values[ply], sign * values[ply + 1]
            loss = max(0.0, before - after) if action != here.best else 0.0
            said = f"the value for {mark} fell from {signed(before)} to {signed(after)};"
            said += f" the search prefers {better}"
        text = f"Move {ply + 1}, {mark} {label(game, action)}: {said}."
        judged.append(JudgedMove(ply, action, here.best, float(loss), text))
    return GameReview(judge, values, movers, tuple(judged))


class _Look(NamedTuple):
    """A position's value for the player to move, its best move, and a solver's scores."""

    value: float
    best: int = -1
    scores: Sequence[int | None] = ()


def _by_solver(game: Game, state: State) -> _Look:
    if (outcome := game.outcome(state)) is not None:
        return _Look(outcome)
    scores = move_scores(game, state)
    best = max(game.legal_actions(state), key=lambda action: scores[action])
    return _Look(_sign(scores[best]), best, scores)


def _by_search(player: Any, rng: np.random.Generator) -> Callable[[Game, State], _Look]:
    def look(game: Game, state: State) -> _Look:
        if (outcome := game.outcome(state)) is not None:
            return _Look(outcome)
        tree = None
        if player is not None:
            player.choose(state, rng)
            tree = player.last_tree
        if tree is None:  # also if the player moved without a search
            tree = compiled_uct(game, state, SIMULATIONS, rng=rng)
        best = tree.best_action()
        return _Look(float(tree.root.q_values[best]), best)

    return look


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)
