"""Finds moves that lead to a position, for games that only add stones."""

from azlearn.games import Drawing, Game, State

MOST_POSITIONS = 20_000


def opening(game: Game, state: State) -> list[int] | None:
    """A sequence of moves from the start of the game to a position, in one possible order.

    A position does not tell in which order its stones were played; any order that the rules allow
    gives the same position. Returns None if there is no such sequence, if 20,000 positions were
    tried without finding one, or if the game does more than add stones to a ``State``.
    """
    start = game.initial_state()
    if start == state:
        return []
    only_adds = getattr(game, "drawing", Drawing(fills=True)).fills
    if not only_adds or not isinstance(state, State):
        return None
    first, second = _stones(game, state)
    seen, stack = {start}, [(start, [])]
    while stack and len(seen) < MOST_POSITIONS:
        here, moves = stack.pop()
        for action in game.legal_actions(here):
            after = game.next_state(here, action)
            if after == state:
                return [*moves, action]
            one, other = _stones(game, after)
            if after not in seen and not (one & ~first or other & ~second):
                seen.add(after)
                stack.append((after, [*moves, action]))
    return None


def _stones(game: Game, state: State) -> tuple[int, int]:
    """The stones of the first and of the second player."""
    return (state.me, state.opp) if game.to_play(state) == 0 else (state.opp, state.me)
