"""Small branch-free functions of 64-bit words, for rules modules to share.

Like the rules they use no branches, so the same source runs on Python ints, on int64 arrays of
NumPy and torch, and compiled. They use nothing but each other.
"""


def one_like(word):
    """1 in the kind of ``word``: int64 where that is int64; a bare 1 is int32 in some compilers."""
    return word * 0 + 1


def popcount(word):
    """How many of the 64 bits are 1: counts of 2, 4 and 8 bits side by side, then their sum."""
    word = word - ((word >> 1) & 0x5555555555555555)
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    word = word + (word >> 8)
    word = word + (word >> 16)
    return (word + (word >> 32)) & 127


def parity(word):
    """1 where an odd number of the 64 bits are 1, else 0: halves upon each other, then a table."""
    word = word ^ (word >> 32)
    word = word ^ (word >> 16)
    word = word ^ (word >> 8)
    word = word ^ (word >> 4)
    return (0x6996 >> (word & 15)) & 1


def sign(number):
    """-1, 0 or 1. An arithmetic shift by 63 leaves -1 of a negative number, else 0."""
    return (number >> 63) | (number > 0)
