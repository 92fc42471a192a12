"""A proof by exhaustion that a player never loses, for games as small as tic-tac-toe."""

import numpy as np

from azlearn.arena.players import Player, choose_all
from azlearn.games import Game, State
from azlearn.games.notation import named

MOST_POSITIONS = 50_000  # in which a player must choose; tic-tac-toe takes a few hundred


def find_losing_line(player: Player, game: Game) -> str | None:
    """Plays ``player``, on both sides, against every possible sequence of replies.

    Goes ply by ply and visits each position only once. The player chooses in all positions of a
    ply at once if it can.

    Returns:
        None if no sequence beats it, which is the proof. Else the moves of a game that it loses,
        such as "15923".

    Raises:
        ValueError: the player uses random numbers (so nothing would be proven) or chooses an
            illegal action, or there are too many positions.
    """
    num_asked = 0
    for side in (0, 1):
        lines = {game.initial_state(): ""}  # each position of a ply, with moves that lead to it
        while lines:
            turn = [state for state in lines if game.to_play(state) == side]
            num_asked += len(turn)
            if num_asked > MOST_POSITIONS:
                raise ValueError(
                    f"{game.name} is too large for a proof: more than {MOST_POSITIONS:,} positions."
                )
            chosen = _choices(player, game, {state: lines[state] for state in turn})
            following: dict[State, str] = {}
            for state, moves in lines.items():
                for action in [chosen[state]] if state in chosen else game.legal_actions(state):
                    after = game.next_state(state, action)
                    line, outcome = moves + game.action_label(action), game.outcome(after)
                    if outcome is None:
                        following.setdefault(after, line)
                    elif (outcome if game.to_play(after) == side else -outcome) == -1:
                        return line
            lines = following
    return None


def _choices(player: Player, game: Game, lines: dict[State, str]) -> dict[State, int]:
    """Returns the player's action in each of these positions."""
    rngs = [np.random.default_rng(0) for _ in lines]
    actions = choose_all(player, list(lines), rngs) if lines else []
    untouched = np.random.default_rng(0).bit_generator.state
    if any(rng.bit_generator.state != untouched for rng in rngs):
        raise ValueError(
            f"{player.name} makes random choices, so a single proof cannot cover them all."
        )
    for (state, moves), action in zip(lines.items(), actions, strict=True):
        if action not in game.legal_actions(state):
            chosen = named(game, action)
            raise ValueError(f"{player.name} chose {chosen}, which is illegal after {moves!r}.")
    return {state: int(action) for state, action in zip(lines, actions, strict=True)}
