"""Slips: small mistakes in a solution, whose effects are stored so that a check recognizes them.

``tools/build_slips.py`` makes every slip by changing one operator, sign or step, and runs it on the
exercise's cases. Its findings, and those of the sheet's faults, are stored beside the sheet, in
``NAME.slips.json``. Therefore a reader's check runs only the answer and the solution, and looks up
the rest.

A finding is stored as a *code* of two letters. It is made from numbers rounded to four digits, so
that other processors and other versions of PyTorch give the same code.
"""

import json
import math
import re
from base64 import urlsafe_b64encode
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from azlearn.course.comparing import About, as_list
from azlearn.course.observation import Observation, Raised, alike, lookup

AS_SOLUTION = "--"  # the code of a finding that agrees with the solution's
NUDGE = 3e-7  # the relative difference between the results of two processors
_STEP = 1e-4  # values are rounded to a multiple of this; above 1, relative to their size

Spot = tuple[int, str]  # the number of a case, and an aspect
Codes = Mapping[Spot, str]  # for the findings that differ from the solution's


class Slip(NamedTuple):
    """A slip, or several with the same findings.

    ``kinds``: names in ``slip_kinds.KINDS``, the most obvious first. ``line``, ``before``,
    ``after``: a place in the solution where the slip can be made: the line number, counted from 1,
    the text there, and the text with the slip.
    """

    kinds: tuple[str, ...]
    line: int
    before: str
    after: str


class Tries(NamedTuple):
    """What became of an exercise's slips, for its authors: how many were made, only raised, or
    ended their process; and those that pass every case: kind, line, text, text with the slip."""

    made: int
    raised: int
    ended: int
    passing: tuple[tuple[str, int, str, str], ...]


class Known(NamedTuple):
    """An exercise's slips and faults, with their codes on ``numbers``, the most telling cases.

    ``slips``, ``faults`` and ``pairs`` have entries (slip, codes), (number, codes) and
    ((number, number), codes), with the numbers of faults in ``Marking.faults``.
    """

    numbers: tuple[int, ...]
    slips: tuple[tuple[Slip, Codes], ...]
    faults: tuple[tuple[int, Codes], ...]
    pairs: tuple[tuple[tuple[int, int], Codes], ...]


def code(value: Any, nudge: float = 0.0) -> str:
    """Returns two letters for a value; values that are equal by ``same`` have the same letters.

    Args:
        nudge: added to each number before rounding, relative to its size. A small nudge changes
            the letters of a number that lies between two roundings.
    """
    try:
        text = code_text(value, nudge)
    except OverflowError:  # an integer too large for a float
        text = "too large"
    digest = blake2b(text.encode(), digest_size=3).digest()
    letters = urlsafe_b64encode(digest)[:2].decode()
    return letters if letters != AS_SOLUTION else "-."


def code_text(value: Any, nudge: float) -> str:
    """The text from which the letters are computed."""
    if isinstance(value, Raised):
        return f"!{value.name}"
    if isinstance(value, About):  # measured, so equal values may differ
        return "~" + code_text(
            np.round(np.asarray(value.values, float) / (2 * value.within)), nudge
        )
    if value is None or isinstance(value, str):
        return re.sub(r"0x[0-9a-fA-F]+", "0x", f"{value!r}")  # addresses change from run to run
    entries = as_list(value)
    if entries is not None:
        return "[" + ",".join(code_text(entry, nudge) for entry in entries) + "]"
    try:
        number = float(value)
    except (TypeError, ValueError):
        return type(value).__name__
    if not math.isfinite(number):
        return str(number)
    if abs(number - round(number)) <= 1e-6 * max(1.0, abs(number)):
        return str(round(number))
    size = max(1.0, 10.0 ** math.floor(math.log10(abs(number))))
    # The offset moves exact results such as 1/16 away from the edge between two roundings.
    return f"{math.floor((number / size + nudge) / _STEP + 0.4142)}e{size:g}"


def codes_of(
    seen: Sequence[Observation], right: Sequence[Observation], numbers: Sequence[int]
) -> dict[Spot, str]:
    """The codes of the findings that differ from the solution's, by case and aspect."""
    return {spot: code(lookup(seen[spot[0]], spot[1])) for spot in _differing(seen, right, numbers)}


def _differing(seen, right, numbers) -> Iterator[Spot]:
    for key in keys_of(right):
        yield from ((i, key) for i in numbers if not alike(right, seen, i, key))


def keys_of(right: Sequence[Observation]) -> list[str]:
    """All aspects, the most obvious first."""
    return [*dict.fromkeys(key for found in right for key in found)]


class Given:
    """The codes of an answer's findings, to compare with those of slips and faults."""

    def __init__(self, seen: Sequence[Observation], right: Sequence[Observation], numbers) -> None:
        self._codes = {
            spot: {code(lookup(seen[spot[0]], spot[1]), nudge) for nudge in (0.0, NUDGE, -NUDGE)}
            for spot in _differing(seen, right, numbers)
        }

    def fits(self, codes: Codes) -> bool:
        """Whether all findings agree with these codes."""
        return codes.keys() == self._codes.keys() and all(map(self._is, codes.items()))

    def fits_in(self, codes: Codes, keys: Sequence[str], numbers: Sequence[int]) -> bool:
        """Whether the findings for some aspects of some cases agree with these codes."""
        among = set(numbers)

        def part(spots):
            return {(i, key) for i, key in spots if key in keys and i in among}

        mine = part(codes)
        return mine == part(self._codes) and all(self._is((spot, codes[spot])) for spot in mine)

    def fits_one_of(self, one: Codes, other: Codes) -> bool:
        """Whether each finding agrees with one or the other, and neither alone explains them all.

        Two mistakes that act on different cases or aspects look like this. Where both act, the
        finding must agree with one of them.
        """
        if not (one.keys() - other.keys() and other.keys() - one.keys()):
            return False
        return one.keys() | other.keys() == self._codes.keys() and all(
            (spot in one and one[spot] in seen) or (spot in other and other[spot] in seen)
            for spot, seen in self._codes.items()
        )

    def explained(self, codes: Codes) -> bool:
        """Whether these codes can be part of the findings: they act nowhere else, and one fits."""
        return codes.keys() < self._codes.keys() and any(map(self._is, codes.items()))

    def _is(self, item: tuple[Spot, str]) -> bool:
        return item[1] in self._codes[item[0]]


# --- the file ------------------------------------------------------------------------------------


def path_of(module: str) -> Path:
    """The path of the file that stores the slips of a module's exercise."""
    return Path(module).with_suffix(".slips.json")


def read_known(path: Path, right: Sequence[Observation]) -> Known | None:
    """Reads the slips and faults of an exercise; None if none are stored."""
    if not path.exists():
        return None
    found = json.loads(path.read_text(encoding="utf-8"))
    spots = [(i, key) for i in found["cases"] for key in keys_of(right)]

    def codes(text: str) -> dict[Spot, str]:
        pairs = (text[i : i + 2] for i in range(0, len(text), 2))
        return {s: c for s, c in zip(spots, pairs, strict=True) if c != AS_SOLUTION}

    return Known(
        tuple(found["cases"]),
        tuple((Slip(tuple(kinds), *place), codes(text)) for kinds, *place, text in found["slips"]),
        tuple((number, codes(text)) for number, text in found["faults"]),
        tuple(((one, other), codes(text)) for one, other, text in found["pairs"]),
    )


def written(known: Known, right: Sequence[Observation], sources: str, tries: Tries) -> str:
    """The text of the file; ``sources`` is a hash of its sources."""
    spots = [(i, key) for i in known.numbers for key in keys_of(right)]

    def text(codes: Codes) -> str:
        return "".join(codes.get(spot, AS_SOLUTION) for spot in spots)

    def lines(rows) -> str:
        return "[" + ",".join("\n" + json.dumps(row, ensure_ascii=False) for row in rows) + "\n]"

    slips = ([slip.kinds, *slip[1:], text(codes)] for slip, codes in known.slips)
    faults = ([number, text(codes)] for number, codes in known.faults)
    pairs = ([*numbers, text(codes)] for numbers, codes in known.pairs)
    return (
        f'{{"sources": "{sources}", "cases": {[*known.numbers]},\n'
        f'"made": {tries.made}, "raised": {tries.raised}, "ended": {tries.ended},\n'
        f'"passing": {lines(tries.passing)},\n'
        f'"faults": {lines(faults)},\n"pairs": {lines(pairs)},\n"slips": {lines(slips)}}}\n'
    )
