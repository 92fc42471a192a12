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


# --- 10.2 self_play_game(game, state, ply, search, make_noise, choose) ---


@right("10.2")
def game_by_recursion(game, state, ply, search, make_noise, choose):
    if game.outcome(state) is not None:
        return [], [], state
    policy, action = choose(search(state, make_noise(game.legal_actions(state))), ply)
    after = game.next_state(state, action)
    states, policies, final = game_by_recursion(game, after, ply + 1, search, make_noise, choose)
    return [state, *states], [np.array(policy), *policies], final


# --- 10.3 samples(game, states, policies, final) ---


@right("10.3")
def samples_by_the_winner(game, states, policies, final):
    mover, value = game.to_play(final), game.outcome(final)
    winner = mover if value > 0 else 1 - mover
    z = [abs(value) if game.to_play(state) == winner else -abs(value) for state in states]
    return [list(sample) for sample in zip(states, map(np.array, policies), z, strict=True)]


# --- 10.4 replay_step(window, new, size, num, rng) ---


@right("10.4")
def window_as_a_queue(window, new, size, num, rng):
    both = list(itertools.chain(window, new))
    while len(both) > size:
        both.pop(0)
    return tuple(both), rng.choice(both, size=num)


@right("10.4")
def window_by_its_length(window, new, size, num, rng):
    after = (window + new)[max(0, len(window) + len(new) - size) :]
    return after, [after[int(rng.random() * len(after))] for _ in range(num)]


# --- 10.5 iteration(network, optimizer, play, draw, turn, loss, num_steps) ---


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


# --- 10.6 stop_at(unbeaten, patience) ---


@right("10.6")
def stop_by_text(unbeaten, patience):
    place = "".join("x" if holds else "." for holds in unbeaten).find("x" * patience)
    return place + patience if place >= 0 else None


# --- 10.7 one_image(game, planes, evaluate, rng) ---


@right("10.7")
def image_with_the_way_back_sorted(game, planes, evaluate, rng):
    boards, actions = zip(*game.symmetries(planes, np.arange(game.num_actions)), strict=True)
    number = int(rng.random() * len(boards))
    p, v = evaluate(boards[number])
    return np.asarray(p)[np.argsort(actions[number])], v


@right("10.7")
def image_found_by_one_hot_policies(game, planes, evaluate, rng):
    number = rng.integers(len(list(game.symmetries(planes, np.zeros(game.num_actions)))))
    p, v = evaluate(game.symmetries(planes, np.zeros(game.num_actions))[number][0])
    moved = [game.symmetries(planes, row)[number][1] for row in np.eye(game.num_actions)]
    return [float(np.dot(p, row)) for row in moved], v


@mutant("10.7", "one image is never drawn")
def image_by_a_short_range(game, planes, evaluate, rng):
    images = game.symmetries(planes, np.arange(game.num_actions))
    image, places = images[rng.choice(range(len(images) - 1))]
    p, v = evaluate(image)
    return [p[list(places).index(action)] for action in range(game.num_actions)], v
