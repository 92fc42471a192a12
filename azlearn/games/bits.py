"""Small branch-free functions of 64-bit words, shared by the rules modules.

Like the rules they do not branch, so the same source runs on Python ints, on int64 arrays of NumPy
and torch, and compiled.
"""


def one_like(word):
    """1, as the same kind of number as ``word``; in some compilers a plain 1 would be int32."""
    return word * 0 + 1


def popcount(word):
    """The number of 1 bits: counts pairs, nibbles and bytes in parallel, then adds them up."""
    word = word - ((word >> 1) & 0x5555555555555555)
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0F
    word = word + (word >> 8)
    word = word + (word >> 16)
    return (word + (word >> 32)) & 127


def parity(word):
    """The parity of the 64 bits: 1 if odd, else 0; folds halves together, then uses a table."""
    word = word ^ (word >> 32)
    word = word ^ (word >> 16)
    word = word ^ (word >> 8)
    word = word ^ (word >> 4)
    return (0x6996 >> (word & 15)) & 1


def sign(number):
    """-1, 0 or 1. An arithmetic shift by 63 turns a negative number into -1, any other into 0."""
    return (number >> 63) | (number > 0)
