"""Chapter 10: answers as readers could have written them."""

import itertools

import numpy as np
import torch

from tests.course.registry import right


@right("10.1")
def play_by_the_cumulative_sum(visits, ply, plies, temperature, rng):
    if ply < plies:
        ends = np.cumsum([n ** (1 / temperature) for n in visits])
        move = int(np.searchsorted(ends, rng.random() * ends[-1], side="right"))
    else:
        move = visits.index(max(visits))
    return tuple(n / sum(visits) for n in visits), move


@right("10.2")
def game_by_recursion(game, state, ply, search, make_noise, choose):
    if game.outcome(state) is not None:
        return [], [], state
    policy, action = choose(search(state, make_noise(game.legal_actions(state))), ply)
    after = game.next_state(state, action)
    states, policies, final = game_by_recursion(game, after, ply + 1, search, make_noise, choose)
    return [state, *states], [np.array(policy), *policies], final


@right("10.3")
def samples_by_the_winner(game, states, policies, final):
    mover, value = game.to_play(final), game.outcome(final)
    winner = mover if value > 0 else 1 - mover
    z = [abs(value) if game.to_play(state) == winner else -abs(value) for state in states]
    return [list(sample) for sample in zip(states, map(np.array, policies), z, strict=True)]


@right("10.4")
def window_as_a_queue(window, new, size, num, rng):
    both = list(itertools.chain(window, new))
    while len(both) > size:
        both.pop(0)
    return tuple(both), [both[i] for i in rng.choice(len(both), size=num)]


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


@right("10.6")
def stop_by_text(unbeaten, patience):
    place = "".join("x" if holds else "." for holds in unbeaten).find("x" * patience)
    return place + patience if place >= 0 else None


@right("10.7")
def image_with_the_way_back_sorted(game, planes, evaluate, rng):
    boards, actions = zip(*game.symmetries(planes, np.arange(game.num_actions)), strict=True)
    number = int(rng.random() * len(boards))
    p, v = evaluate(boards[number])
    return np.asarray(p)[np.argsort(actions[number])], v
