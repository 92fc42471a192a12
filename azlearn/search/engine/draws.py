"""Random numbers without a generator: hashes of their purpose, equal on every processor.

A random number depends on the seed of the run, its purpose and its place (the game, the ply, the
move), not on earlier draws. So a checkpoint need not store a generator, and a game is the same in
every slot and thread and on every machine.

The mixing function is splitmix64's (Steele, Lea, Flood 2014, "Fast splittable pseudorandom number
generators"). These are plain functions that compiled code can call. In compiled code a 64-bit word
wraps around; in Python it grows, and only its lowest 64 bits count.
"""

from math import cos, log, pi, sqrt

from numba.extending import register_jitable

GOLDEN = 0x9E3779B97F4A7C15 - 2**64  # 2**64 over the golden ratio
FIRST, SECOND = 0xBF58476D1CE4E5B9 - 2**64, 0x94D049BB133111EB - 2**64
OPENING, NOISE, MOVE, FULL, COPIES, IMAGE = range(6)  # purposes of draws
TRIES = 8  # attempts at rejection sampling; all fail about once in 10**10 draws


@register_jitable
def mixed(bits):
    """A one-to-one hash of 64 bits."""
    bits = (bits ^ ((bits >> 30) & 0x3FFFFFFFF)) * FIRST
    bits = (bits ^ ((bits >> 27) & 0x1FFFFFFFFF)) * SECOND
    return bits ^ ((bits >> 31) & 0x1FFFFFFFF)


@register_jitable
def whole(seed, purpose, game, ply, which):
    """A whole number in [0, 2**52); a tensor if the arguments are int64 tensors.

    Args:
        seed: the seed of the run, below 2**63.
        purpose: ``NOISE``, ``MOVE``, ….
        game, ply, which: the number of the game, the ply, and the number of the draw there.
    """
    bits = mixed(mixed(seed + GOLDEN) + GOLDEN + purpose)
    bits = mixed((game ^ bits) + GOLDEN)
    bits = mixed((ply ^ bits) + GOLDEN)
    bits = mixed((which ^ bits) + GOLDEN)
    return (bits >> 12) & 0xFFFFFFFFFFFFF


@register_jitable
def uniform(seed, purpose, game, ply, which):
    """A number in (0, 1); takes the same arguments as ``whole``."""
    return (whole(seed, purpose, game, ply, which) + 0.5) * 2.0**-52


@register_jitable
def gamma(alpha, seed, game, ply, which):
    """A sample from the gamma distribution with shape ``alpha`` and scale 1.

    Marsaglia and Tsang 2000, "A simple method for generating gamma variables". The method needs a
    shape of at least 1, so it samples with shape ``alpha + 1`` and multiplies by a power of another
    uniform number.
    """
    d, draw = alpha + 2 / 3, 0.0
    for attempt in range(TRIES):
        place = 4 * (TRIES * which + attempt)
        u, v = uniform(seed, NOISE, game, ply, place), uniform(seed, NOISE, game, ply, place + 1)
        normal = sqrt(-2 * log(u)) * cos(2 * pi * v)  # Box and Muller 1958
        root = 1 + normal / sqrt(9 * d)
        cubed = root * root * root
        if cubed > 0:
            draw = d * cubed
            w = uniform(seed, NOISE, game, ply, place + 2)
            if log(w) < normal * normal / 2 + d * (1 - cubed + log(cubed)):
                break
    return draw * uniform(seed, NOISE, game, ply, 4 * TRIES * which + 3) ** (1 / alpha)


@register_jitable
def dirichlet(out, total, is_legal, seed, game, ply):
    """Writes a Dirichlet sample over the legal moves to ``out`` [A]: 0 elsewhere, sum 1.

    Args:
        total: the sum of all alpha, divided equally among the legal moves.
        is_legal: bool [A].
    """
    num_legal, weight = 0, 0.0
    for a in range(len(out)):
        num_legal += is_legal[a]
    for a in range(len(out)):
        out[a] = gamma(total / num_legal, seed, game, ply, a) if is_legal[a] else 0.0
        weight += out[a]
    for a in range(len(out)):  # if alpha is tiny, all may be 0: then use equal shares
        out[a] = (out[a] / weight if weight > 0 else 1 / num_legal) if is_legal[a] else 0.0


@register_jitable
def gumbel(out, is_legal, seed, game, ply):
    """Writes a standard Gumbel sample for every legal move to ``out`` [A], 0 elsewhere."""
    for a in range(len(out)):
        out[a] = -log(-log(uniform(seed, NOISE, game, ply, a))) if is_legal[a] else 0.0
