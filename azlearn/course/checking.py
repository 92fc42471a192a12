"""Runs a check: calls the reader's function and classifies the result as one of four outcomes.

A check never raises for a reader's mistake. It calls the answer through ``Call``, which remembers
the input for the error message. For a wrong answer the exercise's code raises ``Wrong`` with one
of the exercise's diagnoses.
"""

import dis
import inspect
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from azlearn.course.comparing import Wrong
from azlearn.course.results import UNRECOGNISED, Result

if TYPE_CHECKING:
    from azlearn.course.marking import Marking

TIME_LIMIT_SECONDS = 20.0

RETURNS_NOTHING = "returns nothing"
NOT_A_FUNCTION = "not a function"
COMMON_DIAGNOSES = (RETURNS_NOTHING, NOT_A_FUNCTION, UNRECOGNISED)

_AS_RIGHT = (
    "\n\nA search that uses your function gives the same visits as a correct one, because it never "
    "reaches this mistake, so no tree is shown."
)

# An answer may `yield` its values; at most this many of them are read and compared.
_MOST_YIELDED = 100_000


@dataclass(frozen=True)
class Exercise:
    """One exercise: its text for the reader and its check.

    Attributes:
        id: for example "3.3".
        title, minutes, difficulty (1 easy to 3 hard): shown with the statement.
        function: the name and arguments the reader writes, for example "backup(path, leaf, value)".
        check: takes a Call; returns the message for a right answer, or raises Wrong. None if
            ``marking`` checks the answer, case by case.
        diagnoses: the names of the faults that this check can find.
        hints: the idea, the line, pseudocode.
        explore: takes a Call and the diagnosis ("" if right); returns the search that uses the
            reader's function, as a Recording or a Tree.
        remark: takes the result of ``explore``; returns a sentence on a wrong answer's consequence,
            or None if that search looks like a correct one (it is then not shown).
        notice: a sentence above the reader's own search that explains its numbers.
        takes_value: the answer is a value, not a function; ``check`` calls it without arguments.
        marking: the cases, the observations, and the known mistakes.
    """

    id: str
    title: str
    minutes: int
    difficulty: int
    function: str
    check: Callable[["Call"], str] | None
    diagnoses: tuple[str, ...]
    hints: tuple[str, str, str]
    explore: Callable[["Call", str], Any] | None = None
    remark: Callable[[Any], str | None] | None = None
    notice: str = ""
    takes_value: bool = False
    marking: "Marking | None" = None

    @property
    def chapter(self) -> int:
        return self.number[0]

    @property
    def number(self) -> tuple[int, int]:
        """(chapter, exercise): "3.10" comes after "3.9"."""
        chapter, exercise = self.id.split(".")
        return int(chapter), int(exercise)

    @property
    def num_arguments(self) -> int:
        return 0 if self.takes_value else self.function.count(",") + 1


class NotAttempted(Exception):
    """The stub raised NotImplementedError."""


class ReaderFailed(Exception):
    """The reader's function raised ``cause`` on the input that ``shown`` describes."""

    def __init__(self, cause: BaseException, shown: str) -> None:
        super().__init__(str(cause))
        self.cause = cause
        self.shown = shown


class _TooSlow(BaseException):
    """The time is up. Not an Exception, so a reader's ``except Exception`` cannot catch it."""


class Call:
    """Calls the answer and remembers a description of the input.

    For a direct call, use ``call(*args, shown="...")``. In a search that calls the answer many
    times, describe the search with ``call.about("...")``, then use ``call.quietly(*args)``.
    """

    def __init__(self, answer: Callable[..., Any]) -> None:
        self.answer = answer
        self.shown = ""

    def about(self, shown: str) -> None:
        """Sets the description of the input for the next calls."""
        self.shown = shown

    def __call__(self, *args: Any, shown: str) -> Any:
        self.about(shown)
        value = self.quietly(*args)
        if value is None:
            raise Wrong(
                RETURNS_NOTHING,
                f"For {shown}, your function returned `None`. Is a `return` missing?",
            )
        return value

    def quietly(self, *args: Any) -> Any:
        """Calls the answer and reads a returned iterator, so its errors count as the reader's."""
        try:
            value = self.answer(*args)
            return list(islice(value, _MOST_YIELDED)) if isinstance(value, Iterator) else value
        except (KeyboardInterrupt, _TooSlow):
            raise
        except BaseException as problem:
            if isinstance(problem, NotImplementedError) and _is_raised_in_python(problem):
                raise NotAttempted from problem
            raise ReaderFailed(problem, self.shown) from problem


def _is_raised_in_python(problem: BaseException) -> bool:
    """Whether a ``raise`` raised it, as in a stub, and not PyTorch's or NumPy's compiled code."""
    where = problem.__traceback__
    while where.tb_next is not None:
        where = where.tb_next
    return where.tb_frame.f_code.co_code[where.tb_lasti] == dis.opmap["RAISE_VARARGS"]


def run_check(exercise: Exercise, answer: Any, seconds: float = TIME_LIMIT_SECONDS) -> Result:
    """Checks ``answer``; a reader's mistake becomes a Result, never an exception."""
    if exercise.takes_value and not (callable(answer) or _is_missing(answer)):
        value = answer
        answer = lambda: value  # noqa: E731
    unsuitable = _unsuitable(exercise, answer)
    if unsuitable is not None:
        return unsuitable
    call = Call(answer)
    result = _verdict(exercise, call, seconds)
    if exercise.explore is None or result.outcome not in ("right", "wrong"):
        return result
    return _with_search(exercise, call, result, seconds)


def _verdict(exercise: Exercise, call: Call, seconds: float) -> Result:
    marking = exercise.marking
    try:
        if marking is None:
            with _time_limit(seconds):
                message = exercise.check(call)
        else:
            _ = marking.right  # outside the time limit, because it may load modules
            with _time_limit(seconds):
                given = marking.observed(call.quietly)
            message = marking.verdict(given)
    except Wrong as fault:
        shown = {"rows": fault.rows, "place": fault.place}
        return Result(exercise.id, exercise.title, "wrong", fault.diagnosis, fault.message, **shown)
    except NotAttempted as stub:
        message = _what_is_missing(exercise, call.answer, stub)
        return Result(exercise.id, exercise.title, "not attempted", message=message)
    except ReaderFailed as failure:
        return _error(exercise, call.answer, failure)
    except _TooSlow:
        fault = f"was still running after {seconds:g} seconds"
        on = f" The input was {call.shown}." if call.shown else ""
        message = f"Is there a loop that never ends?{on}"
        return Result(exercise.id, exercise.title, "error", fault, message)
    except Exception as problem:  # a value of the wrong form may cause any error in the check
        if marking is not None:  # ``observed`` has read the answer's values
            message = (
                f"The check itself failed; this says nothing about your answer: {_words(problem)} "
                f"({type(problem).__name__})."
            )
            return Result(exercise.id, exercise.title, "error", message=message)
        message = (
            f"The check could not interpret what your function returned for {call.shown}:"
            f" {_words(problem)}."
        )
        return Result(exercise.id, exercise.title, "wrong", UNRECOGNISED, message)
    return Result(exercise.id, exercise.title, "right", message=message)


def _with_search(exercise: Exercise, call: Call, result: Result, seconds: float) -> Result:
    """Adds the reader's own search to the verdict, or a note that says why it failed."""
    fields = dict(result.__dict__)
    try:
        with _time_limit(seconds):
            found = exercise.explore(call, result.diagnosis)
            if exercise.remark is not None and result.outcome == "wrong":
                words = exercise.remark(found)
                fields["message"] += _AS_RIGHT if words is None else words
                if words is None:
                    return Result(**fields)
    except _TooSlow:
        fields["note"] = (
            "The search that uses your function did not finish, so there is no tree to show."
        )
    except (ReaderFailed, NotAttempted, Wrong) as failure:
        fields["note"] = (
            f"The search that uses your function stopped, so there is no tree to show: {failure}"
        )
    except Exception as failure:
        # A wrong phase may break the rest of the search; this does not change the verdict.
        fields["note"] = (
            "The search that uses your function failed, so there is no tree to show:"
            f" {_words(failure)}"
        )
    else:
        fields["notice"] = exercise.notice
        fields["recording" if hasattr(found, "to_dict") else "tree"] = found
    return Result(**fields)


def _unsuitable(exercise: Exercise, answer: Any) -> Result | None:
    name = exercise.function.split("(")[0]
    if _is_missing(answer):
        message = _what_is_missing(exercise, answer)
        return Result(exercise.id, exercise.title, "not attempted", message=message)
    if not callable(answer):
        message = (
            f'Pass the function itself, `check("{exercise.id}", {name})`, not what it returned '
            f"(you passed a {type(answer).__name__})."
        )
        return Result(exercise.id, exercise.title, "wrong", NOT_A_FUNCTION, message)
    try:
        signature = inspect.signature(answer)
    except (TypeError, ValueError):
        return None
    try:
        signature.bind(*range(exercise.num_arguments))
    except TypeError:
        message = f"The check calls `{exercise.function}`, but yours takes `{signature}`."
        return Result(exercise.id, exercise.title, "error", message=message)
    return None


def _is_missing(answer: Any) -> bool:
    return answer is None or answer is Ellipsis


def _what_is_missing(exercise: Exercise, answer: Any, stub: NotAttempted | None = None) -> str:
    """Names the function that is still a stub: the answer, or another that it calls."""
    if stub is not None and stub.__cause__ is not None:
        raised_in = traceback.extract_tb(stub.__cause__.__traceback__)[-1].name
        own = getattr(answer, "__name__", raised_in)
        if raised_in != own:
            return (
                f"`{own}` calls `{raised_in}`, which is not written yet. Write `{raised_in}` first."
            )
    return f"Write `{exercise.function}` in the cell above, run that cell, and then run this one."


def _error(exercise: Exercise, answer: Callable[..., Any], failure: ReaderFailed) -> Result:
    cause = failure.cause
    code = getattr(answer, "__code__", None)
    frames = traceback.extract_tb(cause.__traceback__)
    own = [frame for frame in frames if code is not None and frame.filename == code.co_filename]
    line = ""
    if own:
        frame = own[-1]
        line = f"line {frame.lineno}, in {frame.name}:   {frame.line or ''}".rstrip()
    text = str(cause) or "no message"
    message = f"`{type(cause).__name__}`: {text}"
    if failure.shown:
        message += f"\n\nThe input was {failure.shown}."
    return Result(exercise.id, exercise.title, "error", message=message, code=line)


def _words(problem: Exception) -> str:
    return str(problem) or type(problem).__name__


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raises _TooSlow after ``seconds``, but only in the main thread and not on Windows."""
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not in_main_thread or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(_signal: int, _frame: Any) -> None:
        raise _TooSlow

    previous = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
