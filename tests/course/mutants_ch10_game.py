"""Chapter 10, from a search to samples: answers as readers could have written them."""

import random

import numpy as np

from tests.course.registry import mutant, right

# --- 10.1 learn_and_play(visit_counts, ply, temperature_plies, temperature, rng) ---


def _shares(weights):
    weights = np.array(weights, float)
    return weights / weights.sum()


def _draw(visits, ply, plies, temperature, rng):
    """The right move."""
    if ply >= plies:
        return int(np.argmax(visits))
    return int(rng.choice(len(visits), p=_shares(np.array(visits) ** (1 / temperature))))


@mutant("10.1", "one-hot targets")
def target_one_hot(visits, ply, plies, temperature, rng):
    target = np.zeros(len(visits))
    target[np.argmax(visits)] = 1
    return target, _draw(visits, ply, plies, temperature, rng)


@mutant("10.1", "one-hot targets after the opening")
def target_of_a_cold_search(visits, ply, plies, temperature, rng):
    target = _shares(visits) if ply < plies else np.eye(len(visits))[np.argmax(visits)]
    return target, _draw(visits, ply, plies, temperature, rng)


@mutant("10.1", "counts, not shares")
def target_counts(visits, ply, plies, temperature, rng):
    return visits, _draw(visits, ply, plies, temperature, rng)


@mutant("10.1", "τ applied, and not normalised again")
def target_powers_of_shares(visits, ply, plies, temperature, rng):
    return _shares(visits) ** (1 / temperature), _draw(visits, ply, plies, temperature, rng)


@mutant("10.1", "τ applied to π")
def target_with_temperature(visits, ply, plies, temperature, rng):
    target = _shares(np.array(visits) ** (1 / temperature))
    return target, _draw(visits, ply, plies, temperature, rng)


@mutant("10.1", "π is the chance to be played")
def target_and_move_from_one(visits, ply, plies, temperature, rng):
    if ply < plies:
        target = _shares(np.array(visits) ** (1 / temperature))
    else:
        target = np.eye(len(visits))[np.argmax(visits)]
    return target, rng.choice(len(visits), p=target)


@mutant("10.1", "moves without visits get a share")
def target_smoothed(visits, ply, plies, temperature, rng):
    return _shares(np.array(visits) + 1), _draw(visits, ply, plies, temperature, rng)


@mutant("10.1", "no named fault")
def target_softmax(visits, ply, plies, temperature, rng):
    return _shares(np.exp(_shares(visits))), _draw(visits, ply, plies, temperature, rng)


@mutant("10.1", "always the most visited move")
def play_greedy(visits, ply, plies, temperature, rng):
    return _shares(visits), int(np.argmax(visits))


@mutant("10.1", "draws to the end of the game")
def play_hot(visits, ply, plies, temperature, rng):
    return _shares(visits), _draw(visits, 0, 1, temperature, rng)


@mutant("10.1", "draws one ply too long")
def play_one_ply_longer(visits, ply, plies, temperature, rng):
    return _shares(visits), _draw(visits, ply, plies + 1, temperature, rng)


@mutant("10.1", "the opening the wrong way round")
def play_upside_down(visits, ply, plies, temperature, rng):
    return _shares(visits), _draw(visits, plies, ply + 1, temperature, rng)


@mutant("10.1", "τ has no effect")
def play_by_shares(visits, ply, plies, temperature, rng):
    return _shares(visits), _draw(visits, ply, plies, 1.0, rng)


@mutant("10.1", "τ instead of 1 / τ")
def play_turned_over(visits, ply, plies, temperature, rng):
    return _shares(visits), _draw(visits, ply, plies, 1 / temperature, rng)


@mutant("10.1", "all visited moves alike")
def play_any(visits, ply, plies, temperature, rng):
    move = rng.choice(np.flatnonzero(visits)) if ply < plies else np.argmax(visits)
    return _shares(visits), move


@mutant("10.1", "draws from numbers that do not sum to 1")
def play_powers(visits, ply, plies, temperature, rng):
    p = _shares(visits) ** (1 / temperature)
    move = rng.choice(len(visits), p=p) if ply < plies else np.argmax(visits)
    return _shares(visits), move


@mutant("10.1", "plays a move without visits")
def play_all_alike(visits, ply, plies, temperature, rng):
    move = rng.integers(len(visits)) if ply < plies else np.argmax(visits)
    return _shares(visits), move


@mutant("10.1", "another generator than the one given")
def play_global(visits, ply, plies, temperature, rng):
    return _shares(visits), _draw(visits, ply, plies, temperature, np.random)


@mutant("10.1", "the same draw every time")
def play_seeded(visits, ply, plies, temperature, rng):
    return _shares(visits), _draw(visits, ply, plies, temperature, np.random.default_rng(0))


@mutant("10.1", "not a pair (π, move)")
def play_only(visits, ply, plies, temperature, rng):
    return _draw(visits, ply, plies, temperature, rng)


@mutant("10.1", "returns nothing")
def learn_and_forget(visits, ply, plies, temperature, rng):
    _draw(visits, ply, plies, temperature, rng)


@right("10.1")
def by_the_cumulative_sum(visits, ply, plies, temperature, rng):
    total = sum(visits)
    if ply < plies:
        ends = np.cumsum([n ** (1 / temperature) for n in visits])
        move = int(np.searchsorted(ends, rng.random() * ends[-1], side="right"))
    else:
        move = visits.index(max(visits))
    return tuple(n / total for n in visits), move


# --- 10.2 self_play_game(game, state, ply, search, make_noise, choose) ---


@mutant("10.2", "no noise")
def game_without_noise(game, state, ply, search, make_noise, choose):
    states, policies = [], []
    while game.outcome(state) is None:
        policy, action = choose(search(state, None), ply)
        states, policies, ply = [*states, state], [*policies, policy], ply + 1
        state = game.next_state(state, action)
    return states, policies, state


@mutant("10.2", "one draw of noise for the whole game")
def game_with_one_noise(game, state, ply, search, make_noise, choose):
    noise = make_noise(game.legal_actions(state))
    return game_with_one_noise.play(game, state, ply, search, lambda legal: noise, choose)


def _play(game, state, ply, search, make_noise, choose):
    """The right one, recursively."""
    if game.outcome(state) is not None:
        return [], [], state
    policy, action = choose(search(state, make_noise(game.legal_actions(state))), ply)
    after = game.next_state(state, action)
    states, policies, final = _play(game, after, ply + 1, search, make_noise, choose)
    return [state, *states], [policy, *policies], final


game_with_one_noise.play = _play
right("10.2")(_play)


@mutant("10.2", "plies counted from the first search")
def game_from_ply_0(game, state, ply, search, make_noise, choose):
    return _play(game, state, 0, search, make_noise, choose)


@mutant("10.2", "the position after the move beside its π")
def game_shifted(game, state, ply, search, make_noise, choose):
    states, policies, final = _play(game, state, ply, search, make_noise, choose)
    return [*states[1:], final], policies, final


@mutant("10.2", "two searches a move")
def game_searched_twice(game, state, ply, search, make_noise, choose):
    def twice(state, noise):
        search(state, noise)
        return search(state, make_noise(game.legal_actions(state)))

    return _play(game, state, ply, twice, make_noise, choose)


@mutant("10.2", "the finished position among the states")
def game_with_its_end(game, state, ply, search, make_noise, choose):
    states, policies, final = _play(game, state, ply, search, make_noise, choose)
    return [*states, final], policies, final


@mutant("10.2", "searches the finished position")
def game_until_nothing_is_legal(game, state, ply, search, make_noise, choose):
    states, policies = [], []
    while True:
        visits = search(state, make_noise(game.legal_actions(state)))
        if game.outcome(state) is not None:
            return states, policies, state
        policy, action = choose(visits, ply)
        states.append(state)
        policies.append(policy)
        state, ply = game.next_state(state, action), ply + 1


@mutant("10.2", "not states, policies and the final position")
def game_of_pairs(game, state, ply, search, make_noise, choose):
    states, policies, _ = _play(game, state, ply, search, make_noise, choose)
    return list(zip(states, policies, strict=True))


@mutant("10.2", "does not play the chosen moves to the end")
def game_by_the_best(game, state, ply, search, make_noise, choose):
    def first_legal(visits, ply):
        return choose(visits, ply)[0], game.legal_actions(current[-1])[-1]

    current = []

    def noted(state, noise):
        current.append(state)
        return search(state, noise)

    return _play(game, state, ply, noted, make_noise, first_legal)


@mutant("10.2", "does not play the chosen moves to the end")
def game_of_one_move(game, state, ply, search, make_noise, choose):
    policy, action = choose(search(state, make_noise(game.legal_actions(state))), ply)
    return [state], [policy], game.next_state(state, action)


@mutant("10.2", "no named fault")
def game_at_one_ply(game, state, ply, search, make_noise, choose):
    return _play(game, state, ply, search, make_noise, lambda visits, _: choose(visits, ply))


# --- 10.3 samples(game, states, policies, final) ---


def _z(game, state, final):
    return game.outcome(final) * (1 if game.to_play(state) == game.to_play(final) else -1)


@mutant("10.3", "z for the wrong player")
def samples_turned(game, states, policies, final):
    winner = -game.outcome(final)
    pairs = zip(states, policies, strict=True)
    return [(s, p, winner if game.to_play(s) == game.to_play(final) else -winner) for s, p in pairs]


@mutant("10.3", "z of the first player")
def samples_of_x(game, states, policies, final):
    z = game.outcome(final) if game.to_play(final) == 0 else -game.outcome(final)
    return [(s, p, z) for s, p in zip(states, policies, strict=True)]


@mutant("10.3", "the same z for every position")
def samples_of_the_loser(game, states, policies, final):
    return [(s, p, game.outcome(final)) for s, p in zip(states, policies, strict=True)]


@mutant("10.3", "a draw counted as a loss")
def samples_without_draws(game, states, policies, final):
    won = [game.outcome(final) == -1 and game.to_play(s) != game.to_play(final) for s in states]
    return [(s, p, 1 if w else -1) for s, p, w in zip(states, policies, won, strict=True)]


@mutant("10.3", "the sign changes although the same player moves again")
def samples_backwards(game, states, policies, final):
    z, found = game.outcome(final), []
    for s, p in zip(reversed(states), reversed(policies), strict=True):
        z = -z
        found.insert(0, (s, p, z))
    return found


@mutant("10.3", "counted from the first position as if the first player moved there")
def samples_by_even_and_odd(game, states, policies, final):
    z = game.outcome(final) if game.to_play(final) == 0 else -game.outcome(final)
    return [
        (s, p, -z if i % 2 else z) for i, (s, p) in enumerate(zip(states, policies, strict=True))
    ]


@mutant("10.3", "points instead of values")
def samples_in_points(game, states, policies, final):
    pairs = zip(states, policies, strict=True)
    return [(s, p, {1: 1, 0: 0.5, -1: 0}[_z(game, s, final)]) for s, p in pairs]


@mutant("10.3", "z fades with the distance to the end")
def samples_fading(game, states, policies, final):
    n = len(states)
    return [
        (s, p, _z(game, s, final) * (1 - (n - 1 - i) / n))
        for i, (s, p) in enumerate(zip(states, policies, strict=True))
    ]


@mutant("10.3", "not a list of triples")
def samples_in_columns(game, states, policies, final):
    return states, policies, [_z(game, s, final) for s in states]


@mutant("10.3", "the finished position is a sample")
def samples_and_the_end(game, states, policies, final):
    rows = zip([*states, final], [*policies, [0] * game.num_actions], strict=True)
    return [(s, p, _z(game, s, final)) for s, p in rows]


@mutant("10.3", "positions are missing")
def samples_of_the_winner(game, states, policies, final):
    rows = [(s, p, _z(game, s, final)) for s, p in zip(states, policies, strict=True)]
    return [row for row in rows if row[2] >= 0]


@mutant("10.3", "another order, or other positions")
def samples_from_the_end(game, states, policies, final):
    pairs = zip(states[::-1], policies[::-1], strict=True)
    return [(s, p, _z(game, s, final)) for s, p in pairs]


@mutant("10.3", "π of another position")
def samples_mixed_up(game, states, policies, final):
    pairs = zip(states, policies[1:] + policies[:1], strict=True)
    return [(s, p, _z(game, s, final)) for s, p in pairs]


@mutant("10.3", "no named fault")
def samples_at_random(game, states, policies, final):
    rng = random.Random(0)
    return [(s, p, rng.choice([-1, 1])) for s, p in zip(states, policies, strict=True)]


@right("10.3")
def samples_by_the_winner(game, states, policies, final):
    value = game.outcome(final)
    if not value:
        return [[s, p, 0.0] for s, p in zip(states, policies, strict=True)]
    mover = game.to_play(final)
    winner = mover if value > 0 else 1 - mover
    return [
        [s, np.array(p), 1.0 if game.to_play(s) == winner else -1.0]
        for s, p in zip(states, policies, strict=True)
    ]
