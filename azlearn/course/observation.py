"""Cases, observations of an answer on a case, and comparisons of two answers."""

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

Observation = dict[str, Any]  # from aspect to finding, the most obvious aspect first
KIND = "what comes back"  # the form of a value, in words
CHANGED = "whether the input was changed"
AT_ONCE = "asked about several positions at once, in arrays"
_OF_A_NODE = ("visit_counts", "value_sum", "prior", "raw_value", "legal_actions", "children")


class Case(NamedTuple):
    """One input, its description (made from the arguments if "") and the expected findings.

    ``right`` was computed by hand: the expected finding for the first aspect (``KIND`` excepted),
    or a dict of several. It is None if nothing was computed by hand.
    """

    words: str
    arguments: tuple[Any, ...]
    right: Any = None


class Raised(NamedTuple):
    """Replaces the findings if an answer raised an error or returned an unreadable value."""

    name: str

    def __repr__(self) -> str:
        return f"`{self.name}`"


@dataclass
class Observed:
    """The observations of an answer on all cases, its errors, and how many calls returned None.

    ``misspelled`` is its first error about a name that is not defined, or None.
    """

    seen: list[Observation] = field(default_factory=list)
    failures: dict[int, Exception] = field(default_factory=dict)
    misspelled: ReaderFailed | None = None
    num_calls: int = 0
    num_nothing: int = 0


def attempt(answer: Callable[..., Any], *arguments: Any) -> Any:
    """Returns the answer's value, or ``Raised`` for observations in which an error is a finding."""
    try:
        return answer(*arguments)
    except NotAttempted:
        raise
    except Exception as problem:
        return Raised(type(cause_of(problem)).__name__)


def cause_of(problem: Exception) -> BaseException:
    """The exception from the reader's function, or else the one from reading its value."""
    return problem.cause if isinstance(problem, ReaderFailed) else problem


def vectorised_result(answer: Callable[..., Any], *rows: tuple) -> str:
    """Says whether ``answer`` returns the same for arrays of positions as for each one alone.

    Engines call it with arrays. A branch then raises, because an array is neither true nor false.

    Args:
        rows: the arguments for each position: ints, or named tuples of ints.
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
    """One argument of all rows, as a read-only array [rows] or a tuple of such arrays."""
    if isinstance(values[0], tuple):
        return type(values[0])(*map(_in_arrays, zip(*values, strict=True)))
    array = np.array(values)
    array.flags.writeable = False
    return array


def returned(answer: Callable[..., Any], case: Case) -> Observation:
    """The usual observation: the returned value, and whether the call changed an argument."""
    arguments = copy.deepcopy(case.arguments)
    value = answer(*arguments)
    changed = not all(
        _equal(one, other) for one, other in zip(arguments, case.arguments, strict=True)
    )
    return {"": value, CHANGED: changed}


@contextmanager
def quiet() -> Iterator[None]:
    """Suppresses output and warnings inside the block."""
    with redirect_stdout(io.StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def lookup(seen: Observation, key: str) -> Any:
    """The finding for one aspect; ``Raised`` if the answer could not be observed."""
    failed = seen.get("")
    return failed if isinstance(failed, Raised) else seen.get(key)


def alike(one: list[Observation], other: list[Observation], number: int, key: str) -> bool:
    """Whether two answers give the same finding for one aspect of a case."""
    return _same(lookup(one[number], key), lookup(other[number], key))


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, Raised) or isinstance(other, Raised):
        return type(one) is type(other) and one == other
    try:
        return same(one, other)
    except Exception:  # values that cannot be compared are different
        return False


def _equal(one: Any, other: Any) -> bool:
    """Whether an argument is unchanged; looks into arrays and trees, but not into other objects."""
    if isinstance(one, Node):
        return all(_equal(getattr(one, name), getattr(other, name)) for name in _OF_A_NODE)
    if isinstance(one, np.ndarray) or hasattr(one, "detach"):
        return one.shape == other.shape and bool((one == other).all() or _same(one, other))
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_equal(one[k], other[k]) for k in one)
    return inspect.isroutine(one) or not isinstance(one, (int, float, str)) or one == other
