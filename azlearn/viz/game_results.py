"""Results of finished games: winner, margin, and owner of each cell."""

from typing import Any

from azlearn.games import Game, State
from azlearn.games.game import drawing_of
from azlearn.search import Recording

TITLES = {"gumbel": "Gumbel", "forced_puct": "PUCT, forced"}  # titles of tree policies, by name
_NO_SUMS = ("gumbel",)


def owners(game: Game, state: State) -> str:
    """The owner of each cell at the end: "0" nobody, "1" the first player, "2" the second.

    Returns "" while the game goes on, and for games without owners.
    """
    if not getattr(game, "has_owners", False) or game.outcome(state) is None:
        return ""
    mover = game.to_play(state)
    signs = {0: "0", 1: "12"[mover], -1: "21"[mover]}
    return "".join(signs[int(sign)] for sign in game.batch_owners(game.stack([state])).ravel())


def margin(game: Game, state: State) -> str:
    """ " by 3.5" if a finished game counts points and was not drawn; else ""."""
    count = getattr(game, "score", None)
    if count is None or not game.outcome(state):
        return ""
    return f" by {abs(count(state)):g}"


def result(game: Game, state: State) -> str:
    """The result of a game: "White wins by 3.5" or "a draw"; "" while the game goes on."""
    outcome = game.outcome(state)
    if outcome is None:
        return ""
    if outcome == 0:
        return "a draw"
    winner = game.to_play(state) if outcome > 0 else 1 - game.to_play(state)
    return f"{drawing_of(game).players[winner]} wins{margin(game, state)}"


def record_of(recording: Recording) -> dict[str, Any]:
    """``recording.to_dict()`` with additional entries that only pictures need.

    ``nodes.owners`` and ``nodes.results`` describe the finished games at the nodes, if the game has
    owners of cells. ``rule.label`` is the title of a tree policy that the viewer cannot recompute,
    and ``rule.adds`` is False if its scores are not a sum of Q and a bonus.
    """
    record, game = recording.to_dict(), recording.tree.game
    name = getattr(recording.select, "name", "")
    if title := TITLES.get(name):
        record["rule"] |= {"label": title, **({"adds": False} if name in _NO_SUMS else {})}
    if getattr(game, "has_owners", False):
        over = {str(i): n.state for i, n in enumerate(recording.nodes) if n.outcome is not None}
        record["nodes"]["owners"] = {i: owners(game, state) for i, state in over.items()}
        record["nodes"]["results"] = {i: result(game, state) for i, state in over.items()}
    return record
