"""Chapter 6, one position a game: answers as readers could have written them."""

import random

import numpy as np

from tests.course.registry import mutant, right

# --- 6.6 one_position(game, sl_policy, rl_policy, u, rng) ---


def _drawn(game, p, rng):
    return int(rng.choice(game.num_actions, p=p))


def _legal(game, state, rng):
    return int(rng.choice(game.legal_actions(state)))


def _mover(game, states, ply):
    result = game.outcome(states[-1])
    return result if game.to_play(states[ply]) == game.to_play(states[-1]) else -result


def _first(game, states, ply):
    return _mover(game, states, 0)


def _position(
    *,
    opening="sl",
    rest="rl",
    random_move=lambda game, state, sl, rl, rng: _legal(game, state, rng),
    draw=_drawn,
    shift=0,
    keep=0,
    z=_mover,
    own_rng=None,
):
    """A game with one part replaced; `shift` and `keep` are plies too late."""

    def one_position(game, sl_policy, rl_policy, u, rng):
        rng = own_rng() if own_rng else rng
        policies = {"sl": sl_policy, "rl": rl_policy}
        states, number = [game.initial_state()], max(u + shift, 1)
        while game.outcome(states[-1]) is None:
            state, move = states[-1], len(states)
            if move == number:
                action = random_move(game, state, sl_policy, rl_policy, rng)
            else:
                phase = opening if move < number else rest
                if phase == "any":
                    action = _legal(game, state, rng)
                else:
                    action = draw(game, policies[phase](state), rng)
            states.append(game.next_state(state, action))
        kept = number + keep
        if len(states) - 1 <= kept:
            return None
        return states[kept], z(game, states, kept)

    return one_position


def _likeliest(game, p, rng):
    return int(np.argmax(p))


def _any_possible(game, p, rng):
    return int(rng.choice(np.flatnonzero(p)))


mutant("6.6", "z for the wrong player")(_position(z=lambda *case: -_mover(*case)))
mutant("6.6", "z for the first player")(_position(z=_first))
mutant("6.6", "z of the final position")(
    _position(z=lambda game, states, ply: game.outcome(states[-1]))
)
mutant("6.6", "the position before the random move")(_position(keep=-1))
mutant("6.6", "the position before the random move")(
    _position(keep=-1, z=lambda game, states, ply: _mover(game, states, ply + 1))
)
mutant("6.6", "a move of p_ρ too late")(_position(keep=1))
mutant("6.6", "the random move comes too late")(_position(shift=1))
mutant("6.6", "the random move comes too early")(_position(shift=-1))
mutant("6.6", "the random move comes too early")(_position(shift=-1, keep=1))
mutant("6.6", "p_σ plays to the end")(_position(rest="sl"))
mutant("6.6", "p_ρ plays from the start")(_position(opening="rl"))
mutant("6.6", "p_σ and p_ρ have changed places")(_position(opening="rl", rest="sl"))
mutant("6.6", "the first U − 1 moves are not p_σ's")(_position(opening="any"))
mutant("6.6", "the rest is not played by p_ρ")(_position(rest="any"))
mutant("6.6", "no random move")(
    _position(random_move=lambda game, state, sl, rl, rng: _drawn(game, sl(state), rng))
)
mutant("6.6", "no random move")(
    _position(random_move=lambda game, state, sl, rl, rng: _drawn(game, rl(state), rng))
)
mutant("6.6", "an illegal move")(
    _position(random_move=lambda game, state, sl, rl, rng: int(rng.integers(game.num_actions)))
)
mutant("6.6", "the random move is not uniform")(
    _position(random_move=lambda game, state, sl, rl, rng: _not_the_last(game, state, rng))
)
mutant("6.6", "the likeliest move instead of a draw")(_position(draw=_likeliest))
mutant("6.6", "the moves are not drawn with the policy's probabilities")(
    _position(draw=_any_possible)
)
mutant("6.6", "another generator than the one given")(_position(own_rng=np.random.default_rng))
mutant("6.6", "the same draw every time")(_position(own_rng=lambda: np.random.default_rng(1)))
mutant("6.6", "not a pair (state, z)")(_position(z=lambda game, states, ply: states[-1]))
mutant("6.6", "no named fault")(_position(z=lambda *case: _mover(*case) / 2))
mutant("6.6", "returns nothing")(lambda game, sl_policy, rl_policy, u, rng: None)


def _not_the_last(game, state, rng):
    legal = game.legal_actions(state)
    return legal[rng.integers(max(len(legal) - 1, 1))]


@mutant("6.6", "another generator than the one given")
def position_by_the_other_generator(game, sl_policy, rl_policy, u, rng):
    move = lambda game, state, sl, rl, rng: random.choice(game.legal_actions(state))  # noqa: E731
    return _position(random_move=move)(game, sl_policy, rl_policy, u, rng)


@mutant("6.6", "a finished game is kept")
def position_of_a_finished_game(game, sl_policy, rl_policy, u, rng):
    state = game.initial_state()
    for move in range(1, u + 1):
        if game.outcome(state) is not None:
            break
        random_one = move == u
        action = _legal(game, state, rng) if random_one else _drawn(game, sl_policy(state), rng)
        state = game.next_state(state, action)
    final = state
    while game.outcome(final) is None:
        final = game.next_state(final, _drawn(game, rl_policy(final), rng))
    result = game.outcome(final)
    return state, result if game.to_play(state) == game.to_play(final) else -result


@mutant("6.6", "plays on after the end")
def position_without_looking(game, sl_policy, rl_policy, u, rng):
    state = game.initial_state()
    for _ in range(u - 1):
        state = game.next_state(state, _drawn(game, sl_policy(state), rng))
    kept = state = game.next_state(state, _legal(game, state, rng))
    if game.outcome(kept) is not None:
        return None
    while game.outcome(state) is None:
        state = game.next_state(state, _drawn(game, rl_policy(state), rng))
    result = game.outcome(state)
    return kept, result if game.to_play(kept) == game.to_play(state) else -result


@mutant("6.6", "a game that goes on is dropped")
def position_without_draws(game, sl_policy, rl_policy, u, rng):
    sample = _position()(game, sl_policy, rl_policy, u, rng)
    return None if sample is None or sample[1] == 0 else sample


@mutant("6.6", "not a pair (state, z)")
def position_without_z(game, sl_policy, rl_policy, u, rng):
    sample = _position()(game, sl_policy, rl_policy, u, rng)
    return sample and sample[0]


@right("6.6")
def position_by_recursion(game, sl_policy, rl_policy, u, rng):
    def result(state):
        """For the player to move."""
        value = game.outcome(state)
        if value is not None:
            return value
        return -result(game.next_state(state, _drawn(game, rl_policy(state), rng)))

    state = game.initial_state()
    for _ in range(u - 1):
        if game.outcome(state) is not None:
            return None
        p = np.asarray(sl_policy(state))
        state = game.next_state(state, int((p.cumsum() <= rng.random()).sum()))
    if game.outcome(state) is not None:
        return None
    legal = np.flatnonzero(game.legal_mask(state))
    state = game.next_state(state, int(legal[rng.integers(len(legal))]))
    if game.outcome(state) is not None:
        return None
    return [list(state), float(result(state))]


right("6.6")(_position())
