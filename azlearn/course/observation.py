"""Looking at an answer: the cases, what is seen on one, and whether two answers look alike."""

import copy
import inspect
import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from azlearn.course.checking import NotAttempted, ReaderFailed
from azlearn.course.comparing import same
from azlearn.search import Node

Observation = dict[str, Any]  # what is looked at, the plainest first, to what was found
KIND = "what comes back"  # its form, in words
CHANGED = "whether the input was changed"
AT_ONCE = "asked about several positions at once, in arrays"
_OF_A_NODE = ("visit_counts", "value_sum", "prior", "raw_value", "legal_actions", "children")


class Case(NamedTuple):
    """One input: in words (made from the arguments if ""), and what is right, worked out by hand.

    ``right`` is what the first thing looked at (beside ``KIND``) should be, or a dict of several;
    None: not by hand.
    """

    words: str
    arguments: tuple[Any, ...]
    right: Any = None


class Raised(NamedTuple):
    """Stands for what an answer would have shown, had it not raised or given the unreadable."""

    name: str

    def __repr__(self) -> str:
        return f"`{self.name}`"


@dataclass
class Observed:
    """An answer on all cases: what was seen, what it raised, how many calls gave None back."""

    seen: list[Observation] = field(default_factory=list)
    failures: dict[int, Exception] = field(default_factory=dict)
    num_calls: int = 0
    num_nothing: int = 0


def attempt(answer: Callable[..., Any], *arguments: Any) -> Any:
    """What ``answer`` gives, or ``Raised``: where raising is one of the things looked at."""
    try:
        return answer(*arguments)
    except NotAttempted:
        raise
    except Exception as problem:
        return Raised(type(cause_of(problem)).__name__)


def cause_of(problem: Exception) -> BaseException:
    """What the reader's function raised, or what was raised about what it returned."""
    return problem.cause if isinstance(problem, ReaderFailed) else problem


def vectorised_result(answer: Callable[..., Any], *rows: tuple) -> str:
    """Whether ``answer`` says of several positions at once, in arrays, what it says of each alone.

    Engines ask so. What branches raises there, as an array is neither true nor false.

    Args:
        rows: for each position the arguments: ints, or named tuples of ints.
    """
    alone = [_parts(answer(*row)) for row in rows]
    together = attempt(answer, *map(_in_arrays, zip(*rows, strict=True)))
    if isinstance(together, Raised):
        return repr(together)
    parts, columns = _parts(together), [*zip(*alone, strict=True)]
    same = len(parts) == len(columns) and all(map(np.array_equal, parts, columns))
    return "the same answers" if same else "other answers"


def _parts(value: Any) -> tuple:
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def _in_arrays(values: tuple) -> Any:
    """One argument of all rows: an array [rows] that cannot be written to, or a tuple of such."""
    if isinstance(values[0], tuple):
        return type(values[0])(*map(_in_arrays, zip(*values, strict=True)))
    array = np.array(values)
    array.flags.writeable = False
    return array


def returned(answer: Callable[..., Any], case: Case) -> Observation:
    """The observation for a function of its arguments: what it gives, and that it changes none."""
    arguments = copy.deepcopy(case.arguments)
    value = answer(*arguments)
    changed = not all(
        _equal(one, other) for one, other in zip(arguments, case.arguments, strict=True)
    )
    return {"": value, CHANGED: changed}


@contextmanager
def quiet() -> Iterator[None]:
    """What is printed or warned of in here is not shown."""
    with redirect_stdout(io.StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def lookup(seen: Observation, key: str) -> Any:
    """What was seen; ``Raised`` if nothing could be."""
    failed = seen.get("")
    return failed if isinstance(failed, Raised) else seen.get(key)


def alike(one: list[Observation], other: list[Observation], number: int, key: str) -> bool:
    """Whether two answers look the same on a case, in one thing."""
    return _same(lookup(one[number], key), lookup(other[number], key))


def all_alike(one: Observation, other: Observation) -> bool:
    """Whether two answers look the same on a case, in all things."""
    return all(_same(lookup(one, key), lookup(other, key)) for key in one.keys() | other.keys())


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Raised) or isinstance(other, Raised):
        return type(one) is type(other) and one == other
    try:
        return same(one, other)
    except Exception:  # a value that cannot be compared is not the same
        return False


def _equal(one: Any, other: Any) -> bool:
    """Whether an argument is what it was: of objects, arrays and trees are looked into."""
    if isinstance(one, Node):
        return all(_equal(getattr(one, name), getattr(other, name)) for name in _OF_A_NODE)
    if isinstance(one, np.ndarray) or hasattr(one, "detach"):
        return one.shape == other.shape and bool((one == other).all() or _same(one, other))
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_equal(one[k], other[k]) for k in one)
    return inspect.isroutine(one) or not isinstance(one, (int, float, str)) or one == other
