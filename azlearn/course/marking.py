"""Marking: what can be seen of an answer, beside the solution's and beside known wrong ones'.

An exercise says how to *observe* an answer on a case: a dict from what is looked at, in words, to
what was found. The right answer is the solution of solutions/. A known mistake is the solution with
some of its text replaced (``sheets``), so it runs on the cases like any other answer: nobody writes
down twice what a mistake does. Values worked out by hand stand beside the cases, and a test holds
the solution to them. Beside the cases by hand come drawn ones, which reach the edges; of those that
come out wrong the reader sees the smallest.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from azlearn.course.checking import RETURNS_NOTHING, Call, Exercise, NotAttempted, ReaderFailed
from azlearn.course.comparing import Wrong, shortened, show
from azlearn.course.observation import (
    CHANGED,
    KIND,
    Case,
    Observation,
    Observed,
    Raised,
    alike,
    all_alike,
    attempt,
    cause_of,
    lookup,
    quiet,
    returned,
)
from azlearn.course.results import UNRECOGNISED, in_line
from azlearn.course.sheets import Fault, Sheet, load_sheet
from azlearn.course.solutions import run_source, solution_source
from azlearn.course.two_faults import Pairs

__all__ = ["CHANGED", "Case", "Marking", "Observation", "Raised", "attempt", "exercise", "returned"]

NUM_DRAWN = 200
_NOTHING = Fault(RETURNS_NOTHING, "Is a `return` missing?")


class Made(NamedTuple):
    """A fault put into the solution: what is seen of it, and in what it is wrong.

    ``by_hand``: the same on the cases by hand alone.
    """

    fault: Fault
    seen: list[Observation]
    keys: list[str]
    by_hand: list[str]


@dataclass
class Marking:
    """How the answers to one exercise are marked.

    Attributes:
        sheet: hints and faults.
        cases: by hand, in the order in which a reader sees them: a ``Case``, or anything with
            ``words``.
        observe: (answer, case) to what is seen. It must make its own input anew at each call.
        draw: a generator to one more case, at the edges too; None if no cases are drawn.
        num_drawn: how many.
        form: a value as the reader sees it.
    """

    sheet: Sheet
    cases: Sequence[Any]
    observe: Callable[[Callable, Any], Observation]
    draw: Callable[[np.random.Generator], Any] | None = None
    num_drawn: int = NUM_DRAWN
    form: Callable[[Any], str] = show

    @property
    def solution(self) -> str:
        return solution_source(self.sheet.id)

    @cached_property
    def all_cases(self) -> list[Any]:
        """Those by hand, then the drawn ones, always the same."""
        rng = np.random.default_rng(0)
        drawn = [self.draw(rng) for _ in range(self.num_drawn)] if self.draw else []
        return [self._in_words(case) for case in (*self.cases, *drawn)]

    def _in_words(self, case: Any) -> Any:
        if case.words:
            return case
        names = self.sheet.function.split("(")[1].rstrip(")").split(", ")
        pairs = zip(names, case.arguments, strict=False)  # of an `rng` no more is said
        return case._replace(words=", ".join(f"{name} = {show(value)}" for name, value in pairs))

    @cached_property
    def right(self) -> Observed:
        """The solution on all cases."""
        return self.observed(self.function(self.solution))

    @cached_property
    def wrong(self) -> list["Made"]:
        """Each fault that can be made and shows, on all cases."""
        made = (self._made(fault) for fault in self.sheet.faults if fault.can_be_made)
        return [fault for fault in made if fault.keys]

    @cached_property
    def _pairs(self) -> Pairs:
        return Pairs(self)

    def _made(self, fault: Fault) -> "Made":
        try:
            answer = self.function(fault.source(self.solution))
        except Exception as problem:
            where = f"exercise {self.sheet.id}, the fault “{fault.name}”"
            raise ValueError(f"{where} cannot be made: {problem}") from problem
        seen, by_hand = self.observed(answer).seen, range(len(self.cases))
        return Made(fault, seen, self.differing(seen), self.differing(seen, by_hand))

    def function(self, source: str) -> Callable[..., Any]:
        """What a source defines: a function, or one without arguments that gives its value."""
        made = run_source(self.sheet.id, source)[self.sheet.function.split("(")[0]]
        return made if callable(made) else lambda: made

    def observed(self, answer: Callable[..., Any]) -> Observed:
        """``answer`` on all cases; what it raises is kept, and stands for what was not seen."""
        found = Observed()

        def counted(*arguments: Any) -> Any:
            value = answer(*arguments)
            found.num_calls += 1
            found.num_nothing += value is None
            return value

        for number, case in enumerate(self.all_cases):
            is_readers = isinstance(getattr(answer, "__self__", None), Call)
            if is_readers:
                answer.__self__.about(case.words)
            with nullcontext() if is_readers and number < len(self.cases) else quiet():
                seen, problem = self.look(counted, case)
            if problem is not None:
                found.failures[len(found.seen)] = problem
            found.seen.append(seen)
        return found

    def look(self, answer: Callable[..., Any], case: Any) -> tuple[Observation, Exception | None]:
        """What is seen of an answer on a case, or, if it raises, that and the exception."""
        try:
            return self.observe(answer, case), None
        except (NotAttempted, Wrong):
            raise
        except Exception as problem:
            return {"": Raised(type(cause_of(problem)).__name__)}, problem

    # --- the verdict -----------------------------------------------------------------------------

    def verdict(self, given: Observed) -> str:
        """What a right answer is told.

        Raises:
            Wrong: it is not right; named, if a fault explains it.
            ReaderFailed: it raised, and no fault explains that.
        """
        right, keys = self.right.seen, self.differing(given.seen)
        if not keys:
            return self.sheet.right
        if given.num_nothing == given.num_calls > 0 and self.right.num_nothing < given.num_calls:
            words = self.all_cases[0].words
            text = f"On {words}, your function gave back `None`. Is a `return` missing?"
            raise Wrong(RETURNS_NOTHING, f"{text} {self.sheet.read_on}")
        fault, key, opening, closing = self._named(given.seen, keys)
        key = key if key in keys else keys[0]
        if fault is None and given.failures:
            self._raise_failure(given)
        numbers = self._shown([i for i in range(len(right)) if self._differs(given.seen, i, key)])
        rows = [self._row(i, key, given.seen) for i in numbers]
        text = self._difference(numbers[0], key, given.seen)
        parts = (opening, text, fault.says if fault else "", closing, self.sheet.read_on)
        raise Wrong(
            fault.name if fault else UNRECOGNISED, " ".join(part for part in parts if part), rows
        )

    def _raise_failure(self, given: Observed) -> None:
        """Raise what the reader's function raised, on the first case by hand or on the smallest."""
        (number, *_) = self._shown(list(given.failures))
        problem = given.failures[number]
        if isinstance(problem, ReaderFailed):
            raise problem
        words, why = self.all_cases[number].words, str(problem) or type(problem).__name__
        text = f"What your function gave back on {words} cannot be read: {why}."
        raise Wrong(UNRECOGNISED, f"{text} {self.sheet.read_on}")

    def _shown(self, numbers: list[int]) -> list[int]:
        """At most four cases to show: those by hand in their order, else the smallest drawn."""
        by_hand = [i for i in numbers if i < len(self.cases)]
        drawn = sorted(numbers, key=lambda i: len(self.all_cases[i].words))[:1]
        return by_hand[:4] or drawn

    def _named(
        self, given: list[Observation], keys: list[str]
    ) -> tuple[Fault | None, str, str, str]:
        """(fault, the thing looked at, how the message begins, how it ends).

        The closest explanation first: everything agrees; all that a fault changes, by hand; two
        faults together; a symptom; the plainest of what a fault changes.
        """
        by_hand, every = range(len(self.cases)), range(len(given))
        for made in self.wrong:
            if all(map(all_alike, given, made.seen)):
                return made.fault, made.keys[0], f"One way to get this is “{made.fault.name}”.", ""
        for made in self.wrong:
            if made.by_hand and all(all_alike(given[i], made.seen[i]) for i in by_hand):
                return made.fault, made.by_hand[0], f"This looks like “{made.fault.name}”.", ""
        for numbers in (every, by_hand):
            for made in self.wrong:
                own = made.keys if numbers is every else made.by_hand
                if own and all(alike(given, made.seen, i, key) for i in numbers for key in own):
                    closing = "There is another fault besides." if set(keys) - set(own) else ""
                    return made.fault, own[0], f"This looks like “{made.fault.name}”.", closing
        two = self._pairs.first_of_two(given)
        if two:
            closing = "There is another fault besides."
            opening = f"Two faults together; the first is “{two.fault.name}”."
            return two.fault, two.keys[0], opening, closing
        if self._only_nothing(given, keys):
            return _NOTHING, keys[0], "", ""
        for fault in self.sheet.faults:
            if fault.key == keys[0] and self._shows(fault, given, keys[0]):
                return fault, keys[0], "", ""
        for made in self.wrong:
            own = made.by_hand[:1]
            if own and all(alike(given, made.seen, i, own[0]) for i in by_hand):
                return made.fault, own[0], f"This looks like “{made.fault.name}”.", ""
        return None, keys[0], "", ""

    def _only_nothing(self, given: list[Observation], keys: list[str]) -> bool:
        """Whether all that is wrong is None where something should be."""
        pairs = [
            (i, key) for key in keys for i in range(len(given)) if self._differs(given, i, key)
        ]
        return all(lookup(given[i], key) is None for i, key in pairs)

    def _shows(self, fault: Fault, given: list[Observation], key: str) -> bool:
        """Whether a symptom's value is what the reader would see of the first difference.

        An answer that raised before it could be looked at has a symptom only if that is named.
        """
        number = next(i for i in range(len(given)) if self._differs(given, i, key))
        is_raised = list(given[number]) == [""] and isinstance(given[number][""], Raised)
        if is_raised and not fault.value:
            return False
        return fault.value in self._form(lookup(given[number], key))

    def differing(self, seen: list[Observation], numbers: Sequence[int] | None = None) -> list[str]:
        """What differs from the solution's, the plainest first."""
        numbers = range(len(seen)) if numbers is None else numbers
        keys = dict.fromkeys(key for found in self.right.seen for key in found)
        return [key for key in keys if any(self._differs(seen, i, key) for i in numbers)]

    def _differs(self, seen: list[Observation], number: int, key: str) -> bool:
        if key == KIND and isinstance(seen[number].get(""), Raised):
            return False  # nothing came back; what should have come says more
        return not alike(self.right.seen, seen, number, key)

    def _row(self, number: int, key: str, given: list[Observation]) -> tuple[str, str, str]:
        label = f"{shortened(self.all_cases[number].words)}{': ' if key else ''}{key}"
        pair = [lookup(seen[number], key) for seen in (self.right.seen, given)]
        if key == CHANGED:
            pair = [("no", "yes")[value] if isinstance(value, bool) else value for value in pair]
        return label, *map(self._form, pair)

    def _difference(self, number: int, key: str, given: list[Observation]) -> str:
        words = in_line(shortened(self.all_cases[number].words))
        right, yours = map(in_line, self._row(number, key, given)[1:])
        what = f"{key}: " if key else ""
        return f"On {words}, {what}right is {right}, yours is {yours}."

    def _form(self, value: Any) -> str:
        """A value as the reader sees it; one of another kind than the right one as it is."""
        if isinstance(value, Raised):
            return repr(value)
        try:
            return shortened(self.form(value), 300)
        except Exception:  # whatever `form` does with a value that it was not written for
            return f"{show(value):.200}"


def exercise(
    module: str,
    cases: Sequence[Any] = (),
    observe: Callable[[Callable, Any], Observation] = returned,
    *,
    draw: Callable[[np.random.Generator], Any] | None = None,
    num_drawn: int = NUM_DRAWN,
    form: Callable[[Any], str] = show,
    check: Callable[[Call, Sheet], str] | None = None,
    **more: Any,
) -> Exercise:
    """The exercise of a module and of the sheet beside it.

    Args:
        module: its ``__file__``; the sheet has the same name and ends in .md.
        cases, observe, draw, num_drawn, form: as in ``Marking``.
        check: (call, sheet) to what is said of a right answer, instead of all these: for what
            cannot be compared case by case.
        more: ``explore``, ``remark`` and ``takes_value``, as in ``Exercise``.
    """
    sheet = load_sheet(Path(module).with_suffix(".md"))
    marking = None if check else Marking(sheet, cases, observe, draw, num_drawn, form)

    def by_hand(call: Call) -> str:
        try:
            return check(call, sheet)
        except Wrong as fault:
            fault.message = f"{fault.message.rstrip()} {sheet.read_on}"
            raise

    return Exercise(
        id=sheet.id,
        title=sheet.title,
        minutes=sheet.minutes,
        difficulty=sheet.difficulty,
        function=sheet.function,
        check=by_hand if check else None,
        diagnoses=sheet.names,
        hints=sheet.hints,
        marking=marking,
        **more,
    )
