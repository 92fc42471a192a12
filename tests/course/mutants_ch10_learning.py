"""Chapter 10, from samples to a better network: answers as readers could have written them."""

import itertools

import numpy as np
import torch

from tests.course.registry import mutant, right

# --- 10.4 replay_step(window, new, size, num, rng) ---


def _drawn(window, num, rng):
    return [window[i] for i in rng.integers(len(window), size=num)]


def _with_window(make):
    def replay_step(window, new, size, num, rng):
        window = make(window, new, size)
        return window, _drawn(window, num, rng)

    return replay_step


mutant("10.4", "the window never slides")(_with_window(lambda w, new, size: (w + new)[:size]))
mutant("10.4", "the window grows for ever")(_with_window(lambda w, new, size: w + new))
mutant("10.4", "only the newest games stay")(_with_window(lambda w, new, size: new[-size:]))
mutant("10.4", "one sample too few")(_with_window(lambda w, new, size: (w + new)[1 - size :]))
mutant("10.4", "the new ones before the old ones")(
    _with_window(lambda w, new, size: (new + w)[:size])
)
mutant("10.4", "the new ones before the old ones")(
    _with_window(lambda w, new, size: (new + w)[-size:])
)
mutant("10.4", "no named fault")(_with_window(lambda w, new, size: w or new))


@mutant("10.4", "the window never slides")
def window_with_a_lid(window, new, size, num, rng):
    window = list(window)
    for sample in new:
        if len(window) < size:
            window.append(sample)
    return window, _drawn(window, num, rng)


@mutant("10.4", "emptied when it is full")
def window_emptied(window, new, size, num, rng):
    if len(window) + len(new) > size:
        window = []
    window = (window + new)[-size:]
    return window, _drawn(window, num, rng)


def _with_draw(draw):
    def replay_step(window, new, size, num, rng):
        after = (window + new)[-size:]
        return after, draw(window, new, after, num, rng)

    return replay_step


mutant("10.4", "draws from the newest games only")(
    _with_draw(lambda old, new, after, num, rng: _drawn([s for s in after if s in new], num, rng))
)
mutant("10.4", "draws before the new samples are in")(
    _with_draw(
        lambda old, new, after, num, rng: _drawn([s for s in after if s in old] or after, num, rng)
    )
)
mutant("10.4", "the last sample is never drawn")(
    _with_draw(lambda old, new, after, num, rng: _drawn(after[:-1], num, rng))
)
mutant("10.4", "another number of samples than asked for")(
    _with_draw(lambda old, new, after, num, rng: _drawn(after, num + 1, rng))
)
mutant("10.4", "draws what is no sample")(
    _with_draw(lambda old, new, after, num, rng: rng.integers(1000, 2000, size=num))
)
mutant("10.4", "another generator than the one given")(
    _with_draw(lambda old, new, after, num, rng: np.random.choice(after, num).tolist())  # noqa: NPY002
)
mutant("10.4", "the same batch every time")(
    _with_draw(lambda old, new, after, num, rng: _drawn(after, num, np.random.default_rng(0)))
)


@mutant("10.4", "the newer, the likelier")
def draws_by_age(window, new, size, num, rng):
    window = (window + new)[-size:]
    ages = np.arange(len(window)) + 1
    return window, list(rng.choice(window, num, p=ages / ages.sum()))


@mutant("10.4", "changes the lists that it was given")
def window_in_place(window, new, size, num, rng):
    window += new
    del window[:-size]
    return window, _drawn(window, num, rng)


@mutant("10.4", "not a pair (window, batch)")
def batch_alone(window, new, size, num, rng):
    return _drawn((window + new)[-size:], num, rng)


@right("10.4")
def window_as_a_queue(window, new, size, num, rng):
    both = list(itertools.chain(window, new))
    while len(both) > size:
        both.pop(0)
    return tuple(both), rng.choice(both, size=num)


# --- 10.5 iteration(network, optimizer, play, draw, turn, loss, num_steps) ---


def _step(network, optimizer, batch, turn, loss):
    planes, policy, z = batch
    total = loss(network, *turn(planes, policy), z)
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
    return total.item()


@mutant("10.5", "evaluation in train mode")
def iteration_without_modes(network, optimizer, play, draw, turn, loss, num_steps):
    play(network)
    return [_step(network, optimizer, draw(), turn, loss) for _ in range(num_steps)]


@mutant("10.5", "learns in eval mode")
def iteration_left_in_eval(network, optimizer, play, draw, turn, loss, num_steps):
    network.eval()
    play(network)
    return [_step(network, optimizer, draw(), turn, loss) for _ in range(num_steps)]


@mutant("10.5", "train and eval mode swapped")
def iteration_swapped(network, optimizer, play, draw, turn, loss, num_steps):
    network.train()
    play(network)
    network.eval()
    return [_step(network, optimizer, draw(), turn, loss) for _ in range(num_steps)]


@mutant("10.5", "learns before it plays")
def iteration_backwards(network, optimizer, play, draw, turn, loss, num_steps):
    network.train()
    losses = [_step(network, optimizer, draw(), turn, loss) for _ in range(num_steps)]
    network.eval()
    play(network)
    return losses


def _learn(network, play):
    network.eval()
    play(network)
    network.train()


@mutant("10.5", "one batch for every step")
def iteration_of_one_batch(network, optimizer, play, draw, turn, loss, num_steps):
    _learn(network, play)
    batch = draw()
    return [_step(network, optimizer, batch, turn, loss) for _ in range(num_steps)]


def _with_turn(turned):
    def iteration(network, optimizer, play, draw, turn, loss, num_steps):
        _learn(network, play)

        def wrong(planes, policy):
            return turned(turn, planes, policy)

        return [_step(network, optimizer, draw(), wrong, loss) for _ in range(num_steps)]

    return iteration


mutant("10.5", "π not mirrored")(_with_turn(lambda turn, x, pi: (turn(x, pi)[0], pi)))
mutant("10.5", "the board not mirrored")(_with_turn(lambda turn, x, pi: (x, turn(x, pi)[1])))
mutant("10.5", "nothing is turned")(_with_turn(lambda turn, x, pi: (x, pi)))
mutant("10.5", "board and π turned apart")(
    _with_turn(lambda turn, x, pi: (turn(x, pi)[0], turn(x, pi)[1]))
)
mutant("10.5", "no named fault")(_with_turn(lambda turn, x, pi: turn(*turn(x, pi))))


@mutant("10.5", "the gradient is never set to zero")
def iteration_adding_up(network, optimizer, play, draw, turn, loss, num_steps):
    _learn(network, play)
    losses = []
    for _ in range(num_steps):
        planes, policy, z = draw()
        total = loss(network, *turn(planes, policy), z)
        total.backward()
        optimizer.step()
        losses.append(total.item())
    return losses


@mutant("10.5", "the network never changes")
def iteration_without_steps(network, optimizer, play, draw, turn, loss, num_steps):
    _learn(network, play)
    losses = []
    for _ in range(num_steps):
        planes, policy, z = draw()
        total = loss(network, *turn(planes, policy), z)
        optimizer.zero_grad()
        total.backward()
        losses.append(total.item())
    return losses


@mutant("10.5", "the network never changes")
def iteration_zeroed_too_late(network, optimizer, play, draw, turn, loss, num_steps):
    _learn(network, play)
    losses = []
    for _ in range(num_steps):
        planes, policy, z = draw()
        total = loss(network, *turn(planes, policy), z)
        total.backward()
        optimizer.zero_grad()
        optimizer.step()
        losses.append(total.item())
    return losses


@mutant("10.5", "not one loss a step")
def iteration_with_the_mean(network, optimizer, play, draw, turn, loss, num_steps):
    _learn(network, play)
    return np.mean([_step(network, optimizer, draw(), turn, loss) for _ in range(num_steps)])


@mutant("10.5", "losses that keep their gradients")
def iteration_of_tensors(network, optimizer, play, draw, turn, loss, num_steps):
    _learn(network, play)
    losses = []
    for _ in range(num_steps):
        planes, policy, z = draw()
        losses.append(loss(network, *turn(planes, policy), z))
        optimizer.zero_grad()
        losses[-1].backward()
        optimizer.step()
    return losses


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


# --- 10.6 stop_at(unbeaten, patience) ---


def _stop(unbeaten, patience):
    for end in range(1, len(unbeaten) + 1):
        if end >= patience and sum(unbeaten[end - patience : end]) == patience:
            return end


right("10.6")(_stop)


@mutant("10.6", "stops at the first proof")
def stop_at_once(unbeaten, patience):
    return unbeaten.index(True) + 1 if True in unbeaten else None


@mutant("10.6", "proofs that are not in a row")
def stop_at_a_count(unbeaten, patience):
    count = 0
    for number, holds in enumerate(unbeaten, 1):
        count += holds
        if count == patience:
            return number


@mutant("10.6", "one proof too many")
def stop_late(unbeaten, patience):
    streak = 0
    for number, holds in enumerate(unbeaten, 1):
        streak = streak + 1 if holds else 0
        if streak > patience:
            return number


@mutant("10.6", "counted from 0")
def stop_from_zero(unbeaten, patience):
    streak = 0
    for number, holds in enumerate(unbeaten):
        streak = streak + 1 if holds else 0
        if streak == patience:
            return number


@mutant("10.6", "the beginning of the streak")
def stop_where_it_begins(unbeaten, patience):
    end = _stop(unbeaten, patience)
    return end and end - patience + 1


@mutant("10.6", "the last streak instead of the first")
def stop_at_the_last(unbeaten, patience):
    end, streak = None, 0
    for number, holds in enumerate(unbeaten, 1):
        streak = streak + 1 if holds else 0
        if streak >= patience:
            end = number
    return end


@mutant("10.6", "stops at the end in any case")
def stop_anyway(unbeaten, patience):
    return _stop(unbeaten, patience) or len(unbeaten)


@mutant("10.6", "says whether, not when")
def stop_yes_or_no(unbeaten, patience):
    return _stop(unbeaten, patience) is not None


@mutant("10.6", "not a number or None")
def stop_with_both(unbeaten, patience):
    return [_stop(unbeaten, patience)]


@mutant("10.6", "no named fault")
def stop_never(unbeaten, patience):
    return None
