"""Exhaustive search of small games: minimax values, and counts to check rules against."""

from collections import Counter

from azlearn.games.game import Game, State, check_state


def minimax_value(game: Game, state: State, known: dict[State, int] | None = None) -> int:
    """The value of ``state`` under perfect play, for the player to move: +1, 0 or -1.

    Visits every position below ``state`` once, so use it only for tic-tac-toe or for the last dozen
    plies of Connect Four.

    Args:
        known: values found so far, filled as a side effect; pass the same dict to share work.

    Raises:
        ValueError: ``state`` is not a position of the game.
    """
    if known is None:
        check_state(game, state)
        known = {}
    if state not in known:
        value = game.outcome(state)
        if value is None:
            value = max(_move_value(game, state, a, known) for a in game.legal_actions(state))
        known[state] = value
    return known[state]


def minimax_actions(game: Game, state: State, known: dict[State, int] | None = None) -> list[int]:
    """The actions that preserve the value of ``state``; empty when the game is over."""
    if known is None:
        check_state(game, state)
        known = {}
    values = {a: _move_value(game, state, a, known) for a in game.legal_actions(state)}
    return [action for action, value in values.items() if value == max(values.values())]


def _move_value(game: Game, state: State, action: int, known: dict[State, int]) -> int:
    """The value of ``action`` for the player who makes it."""
    child = game.next_state(state, action)
    value = minimax_value(game, child, known)
    return value if game.to_play(child) == game.to_play(state) else -value


def sequences_by_state(game: Game, max_plies: int | None = None):
    """For each ply 0, 1, 2, …, yields a Counter: position → number of move sequences that reach it.

    Finished positions are counted at their ply and not continued.
    """
    layer, ply = Counter({game.initial_state(): 1}), 0
    while layer and (max_plies is None or ply <= max_plies):
        yield layer
        following: Counter[State] = Counter()
        for state, sequences in layer.items():
            for action in game.legal_actions(state):
                following[game.next_state(state, action)] += sequences
        layer, ply = following, ply + 1


def count_games(game: Game) -> int:
    """The number of complete games (255,168 for tic-tac-toe)."""
    return sum(
        sequences
        for layer in sequences_by_state(game)
        for state, sequences in layer.items()
        if game.outcome(state) is not None
    )
