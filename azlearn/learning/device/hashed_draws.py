"""Random numbers without a generator: a hash of what they are for, the same on every device.

A draw is decided by the seed of the run, its purpose and its place (the game, the ply, the move),
not by the draws before it. So a checkpoint has no generator to keep, a recorded step may draw anew
each time it is replayed, and a game is the same whatever slot it is played in.

The mixing is that of splitmix64 (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number
generators"), in int64 that wraps around.
"""

import math

import torch
from torch import Tensor

GOLDEN = 0x9E3779B97F4A7C15 - 2**64  # 2**64 over the golden ratio
FIRST, SECOND = 0xBF58476D1CE4E5B9 - 2**64, 0x94D049BB133111EB - 2**64
START, NOISE, MOVE, SAMPLE, TURN, IMAGE = range(6)  # what a draw is for
TRIES = 8  # of the rejection sampling below; all fail about once in 10**10 draws


def mixed(bits):
    """A hash of every number: int64 to int64, one to one; tensors, NumPy arrays, or an int, whose
    lowest 64 bits count."""
    bits = (bits ^ ((bits >> 30) & (2**34 - 1))) * FIRST
    bits = (bits ^ ((bits >> 27) & (2**37 - 1))) * SECOND
    return bits ^ ((bits >> 31) & (2**33 - 1))


def uniform(seed: int, purpose: int, *place: Tensor) -> Tensor:
    """float64 in (0, 1), of the shape that the tensors of ``place`` broadcast to.

    Args:
        seed: of the run, below 2**63.
        purpose: ``START``, ``NOISE``, ….
        place: int64; the number of the game, the ply, ….
    """
    bits = (mixed(mixed(seed + GOLDEN) + GOLDEN + purpose) + 2**63) % 2**64 - 2**63
    for number in place:
        bits = mixed((number ^ bits) + GOLDEN)
    return (((bits >> 12) & (2**52 - 1)).double() + 0.5) * 2.0**-52


def gamma(alpha: Tensor, seed: int, purpose: int, *place: Tensor) -> Tensor:
    """Draws of the gamma distribution of shape ``alpha`` and scale 1: float64, as ``alpha``.

    Rejection sampling (Marsaglia, Tsang 2000, "A simple method for generating gamma variables")
    repeats until a try is accepted, which a device would have to be asked. Here all tries are made,
    and the first accepted one counts.
    """
    tries = torch.arange(TRIES, device=alpha.device)
    place, alpha = [number[..., None] for number in place], alpha[..., None]
    u, v, w, boost = (uniform(seed, purpose, *place, tries + k * TRIES) for k in range(4))
    normal = (-2 * u.log()).sqrt() * (2 * math.pi * v).cos()  # Box and Muller 1958
    d = alpha + 2 / 3  # the method wants a shape of 1 or more: alpha + 1; see the last line
    cubed = (1 + normal / (9 * d).sqrt()) ** 3
    accepted = w.log() < normal**2 / 2 + d * (1 - cubed + cubed.clamp(min=1e-300).log())
    first = ((cubed > 0) & accepted).int().argmax(dim=-1, keepdim=True)
    draw = (d * cubed.clamp(min=0)).gather(-1, first)[..., 0]
    return draw * boost[..., 0] ** (1 / alpha[..., 0])


def gumbel(legal_mask: Tensor, seed: int, *place: Tensor) -> Tensor:
    """float64 [B, num_actions]: a draw of the standard Gumbel distribution for every legal move, 0
    for the others.

    Args:
        legal_mask: bool [B, num_actions].
        place: int64 [B] each.
    """
    actions = torch.arange(legal_mask.shape[1], device=legal_mask.device)
    u = uniform(seed, NOISE, *(number[:, None] for number in place), actions)
    return (-(-u.log()).log()).masked_fill(~legal_mask, 0.0)


def dirichlet(total: float, legal_mask: Tensor, seed: int, *place: Tensor) -> Tensor:
    """float64 [B, num_actions]: a draw over the legal moves, 0 on the others, sum 1.

    Args:
        total: the sum of all alpha; each legal move has its even share.
        legal_mask: bool [B, num_actions].
        place: int64 [B] each.
    """
    alpha = total / legal_mask.sum(dim=1, keepdim=True).clamp(min=1).double()
    actions = torch.arange(legal_mask.shape[1], device=legal_mask.device)
    place = [number[:, None] for number in place]
    draws = gamma(alpha.expand(legal_mask.shape), seed, NOISE, *place, actions)
    draws = draws.masked_fill(~legal_mask, 0.0)
    return draws / draws.sum(dim=1, keepdim=True).clamp(min=1e-300)
