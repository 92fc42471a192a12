"""Chapter 5, the accuracy and the boards seen: answers as readers could have written them."""

import copy
import math

import numpy as np
import torch

from tests.course.registry import mutant, right

# --- 5.3 top1_accuracy(network, planes, legal_mask, action, batch_size) ---


def _parts(batch_size, *columns):
    return zip(*(column.split(batch_size) for column in columns), strict=True)


def _accuracy(
    favourite=lambda logits, legal: logits.masked_fill(~legal, -math.inf).argmax(1),
    result=lambda hits, batch_size: torch.cat(hits).float().mean().item(),
    enter=lambda network: network.eval(),
    leave=lambda network, before: network.train(before),
    without=torch.no_grad,
    size=lambda batch_size: batch_size,
):
    """The right way, with a step replaced."""

    def top1_accuracy(network, planes, legal_mask, action, batch_size):
        before, hits = network.training, []
        enter(network)
        with without():
            for rows, legal, move in _parts(size(batch_size), planes, legal_mask, action):
                hits.append(favourite(network(rows)[0], legal) == move)
        leave(network, before)
        return result(hits, batch_size)

    return top1_accuracy


def _leave_it(network, before=None):
    pass


mutant("5.3", "an illegal move may be the favourite")(
    _accuracy(lambda logits, legal: logits.argmax(1))
)
mutant("5.3", "masked with 0")(_accuracy(lambda logits, legal: (logits * legal).argmax(1)))
mutant("5.3", "mask upside down")(
    _accuracy(lambda logits, legal: logits.masked_fill(legal, -math.inf).argmax(1))
)
mutant("5.3", "all batches weigh alike")(
    _accuracy(result=lambda hits, _: sum(h.float().mean().item() for h in hits) / len(hits))
)
mutant("5.3", "the last batch counted as a full one")(
    _accuracy(result=lambda hits, size: torch.cat(hits).sum() / (len(hits) * size))
)
mutant("5.3", "the last batch alone")(
    _accuracy(result=lambda hits, _: hits[-1].float().mean().item())
)
mutant("5.3", "a number of hits, not a share")(
    _accuracy(result=lambda hits, _: torch.cat(hits).sum().item())
)
mutant("5.3", "percent")(_accuracy(result=lambda hits, _: 100 * torch.cat(hits).float().mean()))
mutant("5.3", "the share of the misses")(
    _accuracy(result=lambda hits, _: 1 - torch.cat(hits).float().mean())
)
mutant("5.3", "not a number")(_accuracy(result=lambda hits, _: torch.cat(hits)))
mutant("5.3", "returns nothing")(_accuracy(result=lambda hits, _: None))
mutant("5.3", "no named fault")(_accuracy(result=lambda hits, _: torch.cat(hits).float().std()))
mutant("5.3", "train mode while measuring")(_accuracy(enter=_leave_it))
mutant("5.3", "train mode while measuring")(_accuracy(enter=lambda network: network.train()))
mutant("5.3", "the network left in another mode")(_accuracy(leave=_leave_it))
mutant("5.3", "the network left in another mode")(
    _accuracy(leave=lambda network, before: network.train())
)
mutant("5.3", "gradients are kept")(_accuracy(without=torch.enable_grad))
mutant("5.3", "more than a batch at once")(_accuracy(size=lambda batch_size: 1000))


@mutant("5.3", "the last batch is left out")
def accuracy_of_full_batches(network, planes, legal_mask, action, batch_size):
    full = len(planes) // batch_size * batch_size
    return _accuracy()(network, planes[:full], legal_mask[:full], action[:full], batch_size)


@mutant("5.3", "the expert's p, not how often it is the largest")
def accuracy_as_probability(network, planes, legal_mask, action, batch_size):
    before, total = network.training, 0.0
    network.eval()
    with torch.no_grad():
        for rows, legal, move in _parts(batch_size, planes, legal_mask, action):
            p = network(rows)[0].masked_fill(~legal, -math.inf).softmax(1)
            total += p.gather(1, move[:, None]).sum().item()
    network.train(before)
    return total / len(planes)


@mutant("5.3", "train mode while measuring")
def accuracy_of_a_copy_in_training(network, planes, legal_mask, action, batch_size):
    made = copy.deepcopy(network).train()
    return _accuracy(enter=_leave_it)(made, planes, legal_mask, action, batch_size)


@mutant("5.3", "more than a batch at once")
def accuracy_of_a_copy_at_once(network, planes, legal_mask, action, batch_size):
    made = copy.deepcopy(network)
    return _accuracy(size=lambda _: 1000)(made, planes, legal_mask, action, batch_size)


@right("5.3")
def accuracy_of_a_copy(network, planes, legal_mask, action, batch_size):
    made = copy.deepcopy(network).eval().requires_grad_(False)
    return _accuracy()(made, planes, legal_mask, action, batch_size)


@right("5.3")
def accuracy_one_by_one(network, planes, legal_mask, action, batch_size):
    return _accuracy(size=lambda _: 1)(network, planes, legal_mask, action, batch_size)


@right("5.3")
def accuracy_in_numpy(network, planes, legal_mask, action, batch_size):
    training = network.training
    network.train(False)
    try:
        with torch.inference_mode():
            parts = [network(part)[0].numpy() for part in torch.split(planes, batch_size)]
    finally:
        network.train(training)
    p = np.exp(np.concatenate(parts)) * legal_mask.numpy()
    return np.mean(p.argmax(axis=1) == action.numpy())


# --- 5.5 seen_in_training(train, held_out) ---


def _seen(known, asked, images=lambda board: (board, board[:, ::-1])):
    """For each of the boards asked about: whether an image of it is among the known."""
    known = {board.tobytes() for board in known}
    return np.array([any(b.tobytes() in known for b in images(board)) for board in asked])


@mutant("5.5", "mirror images are missed")
def seen_as_it_is(train, held_out):
    return _seen(train, held_out, lambda board: (board,))


@mutant("5.5", "mirror images are missed")
def seen_upside_down(train, held_out):
    return _seen(train, held_out, lambda board: (board, board[::-1]))


@mutant("5.5", "only mirror images are looked for")
def seen_mirrored(train, held_out):
    return _seen(train, held_out, lambda board: (board[:, ::-1],))


@mutant("5.5", "the answer upside down")
def seen_never(train, held_out):
    return ~_seen(train, held_out)


@mutant("5.5", "whose stones they are is forgotten")
def seen_taken_cells(train, held_out):
    return _seen(train > 0, held_out > 0)


@mutant("5.5", "the colours exchanged count as the same")
def seen_from_both_sides(train, held_out):
    exchanged = (3 - held_out) % 3  # 0 stays, 1 and 2 change places
    return _seen(train, held_out) | _seen(train, exchanged.astype(held_out.dtype))


@mutant("5.5", "duplicates on the held-out side count as seen")
def seen_earlier(train, held_out):
    known, answers = {board.tobytes() for board in train}, []
    for board in held_out:
        answers.append(not known.isdisjoint({board.tobytes(), board[:, ::-1].tobytes()}))
        known.add(board.tobytes())
    return np.array(answers)


@mutant("5.5", "duplicates on the held-out side count as seen")
def seen_more_than_once(train, held_out):
    boards = np.concatenate([train, held_out]).reshape(len(train) + len(held_out), 6, 7)
    keys = [min(board.tobytes(), board[:, ::-1].tobytes()) for board in boards]
    return np.array([keys.count(key) > 1 for key in keys[len(train) :]])


@mutant("5.5", "the mask is training's")
def seen_of_training(train, held_out):
    return _seen(held_out, train)


@mutant("5.5", "compared in pairs")
def seen_in_pairs(train, held_out):
    same = train == held_out, train == held_out[:, :, ::-1]
    return [bool(a.all() or b.all()) for a, b in zip(*same, strict=True)]


@mutant("5.5", "cells are compared, not boards")
def seen_cells(train, held_out):
    return [bool(np.isin(board, train).all()) for board in held_out]


@mutant("5.5", "not one answer for each held-out board")
def seen_count(train, held_out):
    return int(_seen(train, held_out).sum())


@mutant("5.5", "not one answer for each held-out board")
def seen_boards(train, held_out):
    return held_out[_seen(train, held_out)]


@mutant("5.5", "not one answer for each held-out board")
def seen_rows(train, held_out):
    return np.flatnonzero(_seen(train, held_out))


@mutant("5.5", "returns nothing")
def seen_forgotten(train, held_out):
    _seen(train, held_out)


@mutant("5.5", "no named fault")
def seen_always(train, held_out):
    return np.ones(len(held_out), dtype=bool)


@right("5.5")
def seen_by_comparing(train, held_out):
    images = np.stack([train, np.flip(train, axis=2)])
    return (held_out[:, None, None] == images).all(axis=(3, 4)).any(axis=(1, 2))


@right("5.5")
def seen_by_smallest_image(train, held_out):
    def key(board):
        return min(tuple(map(tuple, image)) for image in (board.tolist(), board[:, ::-1].tolist()))

    known = set(map(key, train))
    return [key(board) in known for board in held_out]
