"""Chapter 10: answers as readers could have written them."""

import itertools

import numpy as np
import torch

from tests.course.registry import mutant, right

# --- 10.1 learn_and_play(visit_counts, ply, temperature_plies, temperature, rng) ---


@right("10.1")
def play_by_the_cumulative_sum(visits, ply, plies, temperature, rng):
    if ply < plies:
        ends = np.cumsum([n ** (1 / temperature) for n in visits])
        move = int(np.searchsorted(ends, rng.random() * ends[-1], side="right"))
    else:
        move = visits.index(max(visits))
    return tuple(n / sum(visits) for n in visits), move


@right("10.1")
def play_by_logarithms(visits, ply, plies, temperature, rng):
    n = np.array(visits, float)
    if ply >= plies:
        return n / n.sum(), np.argmax(n)
    logits = np.log(n, out=np.full(len(n), -np.inf), where=n > 0) / temperature
    p = np.exp(logits - logits.max())
    return n / n.sum(), np.flatnonzero(rng.multinomial(1, p / p.sum()))[0]


@mutant("10.1", "not a pair (π, move)")
def play_only(*arguments):
    return play_by_logarithms(*arguments)[1]


@mutant("10.1", "plays a move without visits")
def play_all_alike(visits, ply, plies, temperature, rng):
    move = rng.integers(len(visits)) if ply < plies else np.argmax(visits)
    return np.array(visits) / sum(visits), move


@mutant("10.1", "another generator than the one given")
def play_global(visits, ply, plies, temperature, rng):
    return play_by_logarithms(visits, ply, plies, temperature, np.random)


@mutant("10.1", "the same draw every time")
def play_seeded(visits, ply, plies, temperature, rng):
    rng = np.random.default_rng(0)
    return play_by_logarithms(visits, ply, plies, temperature, rng)


@mutant("10.1", "no named fault")
def play_the_last_of_equals(visits, ply, plies, temperature, rng):
    policy, move = play_by_logarithms(visits, ply, plies, temperature, rng)
    return policy, move if ply < plies else max(range(len(visits)), key=lambda a: (visits[a], a))


# --- 10.2 self_play_game(game, state, ply, search, make_noise, choose) ---


@right("10.2")
def game_by_recursion(game, state, ply, search, make_noise, choose):
    if game.outcome(state) is not None:
        return [], [], state
    policy, action = choose(search(state, make_noise(game.legal_actions(state))), ply)
    after = game.next_state(state, action)
    states, policies, final = game_by_recursion(game, after, ply + 1, search, make_noise, choose)
    return [state, *states], [np.array(policy), *policies], final


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


@mutant("10.2", "searches the finished position")
def game_played_on_after_a_draw(game, state, ply, search, make_noise, choose):
    if game.outcome(state):
        return [], [], state
    policy, action = choose(search(state, make_noise(game.legal_actions(state))), ply)
    after = game.next_state(state, action)
    rest = game_played_on_after_a_draw(game, after, ply + 1, search, make_noise, choose)
    return [state, *rest[0]], [policy, *rest[1]], rest[2]


@mutant("10.2", "not states, policies and the final position")
def game_of_pairs(*arguments):
    return list(zip(*game_by_recursion(*arguments)[:2], strict=True))


@mutant("10.2", "does not play the chosen moves to the end")
def game_of_one_move(game, state, ply, search, make_noise, choose):
    policy, action = choose(search(state, make_noise(game.legal_actions(state))), ply)
    return [state], [policy], game.next_state(state, action)


@mutant("10.2", "no named fault")
def game_with_visits_for_policies(game, state, ply, search, make_noise, choose):
    chosen = lambda visits, ply: (visits, choose(visits, ply)[1])  # noqa: E731
    return game_by_recursion(game, state, ply, search, make_noise, chosen)


# --- 10.3 samples(game, states, policies, final) ---


@right("10.3")
def samples_by_the_winner(game, states, policies, final):
    mover, value = game.to_play(final), game.outcome(final)
    winner = mover if value > 0 else 1 - mover
    z = [abs(value) if game.to_play(state) == winner else -abs(value) for state in states]
    return [list(sample) for sample in zip(states, map(np.array, policies), z, strict=True)]


@mutant("10.3", "not a list of triples")
def samples_in_columns(game, states, policies, final):
    return states, policies, [z for *_, z in samples_by_the_winner(game, states, policies, final)]


@mutant("10.3", "the finished position is a sample")
def samples_and_the_end(game, states, policies, final):
    everything = [*states, final], [*policies, [0] * game.num_actions]
    return samples_by_the_winner(game, *everything, final)


@mutant("10.3", "positions are missing")
def samples_of_the_winner(*arguments):
    return [sample for sample in samples_by_the_winner(*arguments) if sample[2] >= 0]


@mutant("10.3", "another order, or other positions")
def samples_from_the_end(*arguments):
    return samples_by_the_winner(*arguments)[::-1]


@mutant("10.3", "π of another position")
def samples_mixed_up(game, states, policies, final):
    return samples_by_the_winner(game, states, policies[1:] + policies[:1], final)


@mutant("10.3", "the sign changes although the same player moves again")
def samples_backwards(game, states, policies, final):
    z, found = game.outcome(final), []
    for pair in zip(reversed(states), reversed(policies), strict=True):
        z = -z
        found.insert(0, (*pair, z))
    return found


# --- 10.4 replay_step(window, new, size, num, rng) ---


@right("10.4")
def window_as_a_queue(window, new, size, num, rng):
    both = list(itertools.chain(window, new))
    while len(both) > size:
        both.pop(0)
    return tuple(both), rng.choice(both, size=num)


def _with_draw(draw):
    def replay_step(window, new, size, num, rng):
        after = (window + new)[max(0, len(window) + len(new) - size) :]
        return after, list(draw(after, num, rng))

    return replay_step


right("10.4")(_with_draw(lambda w, num, rng: [w[int(rng.random() * len(w))] for _ in range(num)]))
mutant("10.4", "another number of samples than asked for")(
    _with_draw(lambda w, num, rng: rng.permutation(w)[:num])
)
mutant("10.4", "draws what is no sample")(
    _with_draw(lambda w, num, rng: rng.integers(1000, 2000, num))
)
mutant("10.4", "another generator than the one given")(
    _with_draw(lambda w, num, rng: np.random.choice(w, num))  # noqa: NPY002
)
mutant("10.4", "the same batch every time")(
    _with_draw(lambda w, num, rng: np.random.default_rng(0).choice(w, num))
)
mutant("10.4", "no named fault")(  # neighbours
    _with_draw(lambda w, num, rng: np.resize(np.roll(w, rng.integers(len(w))), num))
)
mutant("10.4", "not a pair (window, batch)")(lambda *arguments: window_as_a_queue(*arguments)[1])


@mutant("10.4", "the window never slides")
def window_with_a_lid(window, new, size, num, rng):
    return window_as_a_queue(window, new[: size - len(window)], size, num, rng)


@mutant("10.4", "changes the lists that it was given")
def window_in_place(window, new, size, num, rng):
    window += new
    del window[:-size]
    return window, [window[i] for i in rng.integers(len(window), size=num)]


# --- 10.5 iteration(network, optimizer, play, draw, turn, loss, num_steps) ---


def _learn(network, optimizer, draw, turn, loss, num_steps):
    for _ in range(num_steps):
        planes, policy, z = draw()
        total = loss(network, *turn(planes, policy), z)
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        yield total.item()


@right("10.5")
def iteration_with_batches_first(network, optimizer, play, draw, turn, loss, num_steps):
    with torch.no_grad():
        play(network.train(False))
    network.train(True)
    batches = [draw() for _ in range(num_steps)]
    losses = torch.zeros(num_steps)
    for number, (planes, policy, z) in enumerate(batches):
        total = loss(network, *turn(planes, policy), z)
        total.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses[number] = total.detach()
    network.eval()
    return losses


@mutant("10.5", "evaluation in train mode")
def iteration_without_modes(network, optimizer, play, draw, turn, loss, num_steps):
    play(network)
    return list(_learn(network, optimizer, draw, turn, loss, num_steps))


@mutant("10.5", "not one loss a step")
def iteration_with_the_mean(network, optimizer, play, *rest):
    play(network.eval())
    return np.mean(list(_learn(network.train(), optimizer, *rest)))


@mutant("10.5", "the network never changes")
def iteration_zeroed_too_late(network, optimizer, play, draw, turn, loss, num_steps):
    play(network.eval())
    network.train()
    losses = []
    for _ in range(num_steps):
        planes, policy, z = draw()
        losses.append(loss(network, *turn(planes, policy), z))
        losses[-1].backward()
        optimizer.zero_grad()
        optimizer.step()
    return torch.stack(losses).detach()


@mutant("10.5", "no named fault")
def iteration_turned_twice(network, optimizer, play, draw, turn, loss, num_steps):
    play(network.eval())
    twice = lambda *pair: turn(*turn(*pair))  # noqa: E731
    return list(_learn(network.train(), optimizer, draw, twice, loss, num_steps))


# --- 10.6 stop_at(unbeaten, patience) ---


@right("10.6")
def stop_by_text(unbeaten, patience):
    place = "".join("x" if holds else "." for holds in unbeaten).find("x" * patience)
    return place + patience if place >= 0 else None


@mutant("10.6", "not a number or None")
def stop_with_both(unbeaten, patience):
    return [stop_by_text(unbeaten, patience)]


@mutant("10.6", "proofs that are not in a row")
def stop_at_a_count(unbeaten, patience):
    held = [number for number, holds in enumerate(unbeaten, 1) if holds]
    return held[patience - 1] if len(held) >= patience else None


@mutant("10.6", "returns nothing")
def stop_never(unbeaten, patience):
    return None


@mutant("10.6", "no named fault")
def stop_before_the_last(unbeaten, patience):
    return stop_by_text(unbeaten[:-1], patience)
