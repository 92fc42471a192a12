"""Marks an answer by comparing it with the solution and with known wrong answers.

An exercise defines how to *observe* an answer on a case. An observation is a dict from aspects, in
words, to findings. The solution is in solutions/. A known mistake is the solution with some of its
text replaced (``sheets``), so it runs on the cases like any other answer, and its effects need not
be written down. Handwritten cases have expected findings computed by hand, and a test compares the
solution with them. The other cases are randomly generated to cover edge cases; of those that an
answer gets wrong, the reader sees the smallest.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
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
    attempt,
    cause_of,
    lookup,
    quiet,
    returned,
)
from azlearn.course.relations import Relation, relation
from azlearn.course.results import UNRECOGNISED, in_line
from azlearn.course.sheets import Fault, Sheet, changed, load_sheet
from azlearn.course.slip_kinds import KINDS
from azlearn.course.slips import Codes, Given, Known, Slip, codes_of, keys_of, path_of, read_known
from azlearn.course.solutions import run_source, solution_source

__all__ = ["CHANGED", "Case", "Marking", "Observation", "Raised", "attempt", "exercise", "returned"]

NUM_DRAWN = 200
_NOTHING = Fault(RETURNS_NOTHING, "Is a `return` missing?")


class Made(NamedTuple):
    """A fault applied to the solution: its codes, and the aspects in which it differs.

    ``by_hand``: the aspects in which it differs on handwritten cases.
    """

    fault: Fault
    codes: Codes
    keys: list[str]
    by_hand: list[str]


class Named(NamedTuple):
    """An explanation of an answer: the fault or slip, the aspect, and the parts of the message."""

    name: str
    key: str
    opening: str = ""
    says: str = ""
    closing: str = ""
    place: tuple[str, str] | None = None


@dataclass
class Marking:
    """Marks the answers to one exercise.

    Attributes:
        sheet: the exercise's sheet, with hints and faults.
        cases: the handwritten cases, in the order in which a reader sees them: ``Case`` objects,
            or others with ``words``.
        observe: (answer, case) -> observation. It must make new input in every call.
        draw: (generator) -> a random case, including edge cases; None for no random cases.
        num_drawn: the number of random cases.
        form: formats a value for the reader.
        stored: the file of stored slips and faults; None to run the faults here.
        seed: of the random cases.
    """

    sheet: Sheet
    cases: Sequence[Any]
    observe: Callable[[Callable, Any], Observation]
    draw: Callable[[np.random.Generator], Any] | None = None
    num_drawn: int = NUM_DRAWN
    form: Callable[[Any], str] = show
    stored: Path | None = None
    seed: int = 0

    def with_seed(self, seed: int) -> "Marking":
        """The same exercise with other random cases, for which no slips are stored."""
        return replace(self, seed=seed, stored=None)

    @property
    def solution(self) -> str:
        return solution_source(self.sheet.id)

    @cached_property
    def all_cases(self) -> list[Any]:
        """The handwritten cases, then the random ones, which depend only on the seed."""
        rng = np.random.default_rng(self.seed)
        drawn = [self.draw(rng) for _ in range(self.num_drawn)] if self.draw else []
        return [self._in_words(case) for case in (*self.cases, *drawn)]

    def _in_words(self, case: Any) -> Any:
        if case.words:
            return case
        names = self.sheet.function.split("(")[1].rstrip(")").split(", ")
        pairs = zip(names, case.arguments, strict=False)  # leaves out an `rng`
        return case._replace(words=", ".join(f"{name} = {show(value)}" for name, value in pairs))

    @cached_property
    def right(self) -> Observed:
        """The observations of the solution on all cases."""
        return self.observed(self.function(self.solution))

    @cached_property
    def known(self) -> Known:
        """The slips, faults and pairs of faults, with the codes of their findings."""
        return (self.stored and read_known(self.stored, self.right.seen)) or self.made_known()

    @property
    def faults(self) -> list[Fault]:
        """The faults of the sheet that have a wrong answer to run."""
        return [fault for fault in self.sheet.faults if fault.can_be_made]

    @property
    def wrong_sources(self) -> dict[int | tuple[int, int], str]:
        """The source of the wrong answer for each fault and pair of faults with changes, by number;
        "" if both faults change the same line.

        Raises:
            ValueError: a fault's text is not in the solution.
        """
        found: dict[int | tuple[int, int], str] = {
            number: fault.source(self.solution) for number, fault in enumerate(self.faults)
        }
        for pair in combinations((i for i in found if self.faults[i].changes), 2):
            try:
                one, other = (self.faults[i].changes for i in pair)
                found[pair] = changed(self.solution, one + other)
            except ValueError:
                found[pair] = ""
        return found

    def made_known(self) -> Known:
        """Runs faults and pairs of faults on all cases, but no slips.

        Raises:
            ValueError: a fault cannot be applied.
        """
        made = {}
        for which, source in self.wrong_sources.items():
            try:
                made[which] = self._codes(source)
            except ValueError:
                if not isinstance(which, tuple):
                    raise
        alone = [*made.values()]
        pairs = {which: codes for which, codes in made.items() if isinstance(which, tuple)}
        return Known(
            tuple(range(len(self.all_cases))),
            (),
            tuple((which, codes) for which, codes in made.items() if which not in pairs),
            tuple((which, codes) for which, codes in pairs.items() if alone.count(codes) == 1),
        )

    def _codes(self, source: str) -> Codes:
        try:
            answer = self.function(source)
        except Exception as problem:
            raise ValueError(
                f"exercise {self.sheet.id}: this fault cannot be applied to the solution: {problem}"
            ) from problem
        seen = self.observed(answer).seen
        return codes_of(seen, self.right.seen, range(len(seen)))

    @cached_property
    def wrong(self) -> list[Made]:
        """The faults with a wrong answer that differs from the solution on some case."""
        return [self._made(self.faults[i], codes) for i, codes in self.known.faults if codes]

    def _made(self, fault: Fault, codes: Codes) -> Made:
        all_keys = keys_of(self.right.seen)
        keys = [key for key in all_keys if any(spot[1] == key for spot in codes)]
        by_hand = {key for i, key in codes if i < len(self.cases)}
        return Made(fault, codes, keys, [key for key in keys if key in by_hand])

    def function(self, source: str) -> Callable[..., Any]:
        """The function that a source defines; a value becomes a function without arguments."""
        made = run_source(self.sheet.id, source)[self.sheet.function.split("(")[0]]
        return made if callable(made) else lambda: made

    def observed(self, answer: Callable[..., Any]) -> Observed:
        """Observes ``answer`` on all cases and stores the exceptions that it raises."""
        found = Observed()

        def counted(*arguments: Any) -> Any:
            try:
                value = answer(*arguments)
            except ReaderFailed as problem:
                if type(problem.cause) is NameError and found.misspelled is None:
                    found.misspelled = problem
                raise
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
        """Returns (observation, None) for a case, or (``Raised``, exception) if it raises."""
        try:
            return self.observe(answer, case), None
        except (NotAttempted, Wrong):
            raise
        except Exception as problem:
            return {"": Raised(type(cause_of(problem)).__name__)}, problem

    # --- the verdict -----------------------------------------------------------------------------

    def verdict(self, given: Observed) -> str:
        """Returns the message for a right answer.

        Raises:
            Wrong: the answer is wrong; names a fault that explains it, if there is one.
            ReaderFailed: a name is not defined, or no fault explains the answer's exception.
        """
        right, keys = self.right.seen, self.differing(given.seen)
        if not keys:
            return self.sheet.right
        if given.misspelled is not None:  # even if ``observe`` treats an error as a finding
            raise given.misspelled
        if given.num_nothing == given.num_calls > 0 == self.right.num_nothing:
            words = self.all_cases[0].words
            text = f"For {words}, your function returned `None`. Is a `return` missing?"
            raise Wrong(RETURNS_NOTHING, f"{text} {self.sheet.read_on}")
        found = self._named(given.seen, keys)
        key = found.key if found.key in keys else keys[0]
        if found.name == UNRECOGNISED and given.failures:
            self._raise_failure(given)
        numbers = self._shown([i for i in range(len(right)) if self._differs(given.seen, i, key)])
        first, *others = [self._row(i, key, given.seen) for i in numbers]
        rows = [first, *others] if "\n" in "".join(first[1:]) else others  # a board is shown again
        text = self._difference(numbers[0], key, given.seen)
        parts = (found.opening, text, found.says, found.closing, self.sheet.read_on)
        raise Wrong(found.name, " ".join(filter(None, parts)), rows, found.place)

    def _raise_failure(self, given: Observed) -> None:
        """Raises the answer's exception on the first handwritten or the smallest random case."""
        (number, *_) = self._shown(list(given.failures))
        problem = given.failures[number]
        if isinstance(problem, ReaderFailed):
            raise problem
        words, why = self.all_cases[number].words, str(problem) or type(problem).__name__
        text = f"The check could not interpret what your function returned for {words}: {why}."
        raise Wrong(UNRECOGNISED, f"{text} {self.sheet.read_on}")

    def _shown(self, numbers: list[int]) -> list[int]:
        """Up to four handwritten cases to show, in order; without any, the smallest random case."""
        by_hand = [i for i in numbers if i < len(self.cases)]
        drawn = sorted(numbers, key=lambda i: len(self.all_cases[i].words))[:1]
        return by_hand[:4] or drawn

    def _named(self, seen: list[Observation], keys: list[str]) -> Named:
        """The closest explanation.

        In this order: a fault, slip or pair of faults that agrees in all findings; a fault that
        agrees on the handwritten cases, or in all aspects that it changes; a symptom; a fault that
        agrees in its most obvious aspect. A symptom on the sheet replaces the message of a slip.
        """
        given = Given(seen, self.right.seen, self.known.numbers)
        by_hand = range(len(self.cases))
        for made in self.wrong:
            if given.fits(made.codes):
                return _told(made.fault, made.keys[0], "One way to get this is “{}”.")
        symptom = next((f for f in self.sheet.faults if self._shows(f, seen, keys[0])), None)
        # Two answers that only raise errors look alike, whatever their mistakes.
        differing = (
            lookup(seen[i], k) for k in keys for i in range(len(seen)) if self._differs(seen, i, k)
        )
        slips = [] if all(isinstance(one, Raised) for one in differing) else self.known.slips
        slip = next((slip for slip, codes in slips if given.fits(codes)), None)
        if slip is not None:
            return _told(symptom, keys[0], "") if symptom else _told_slip(slip, keys[0])
        raises = any(isinstance(found.get(""), Raised) for found in seen)  # all errors look alike
        for (one, other), codes in self.known.pairs:
            if not raises and given.fits(codes):
                first, second = self.faults[one], self.faults[other]
                both = f"There are two mistakes here: “{first.name}” and “{second.name}”."
                return _told(first, keys[0], both)
        two = None if raises or symptom else self._two(given, keys[0])
        if two is not None:
            return two
        for made in self.wrong:
            if made.by_hand and given.fits_in(made.codes, keys_of(self.right.seen), by_hand):
                return _told(made.fault, made.by_hand[0], _LIKE)
        for numbers in (self.known.numbers, by_hand):
            for made in self.wrong:
                own = made.keys if numbers is self.known.numbers else made.by_hand
                if own and given.fits_in(made.codes, own, numbers):
                    more = "There is also a second mistake." if set(keys) - set(own) else ""
                    return _told(made.fault, own[0], _LIKE, more)
        if self._only_nothing(seen, keys):
            return _told(_NOTHING, keys[0], "")
        if symptom is not None:
            return _told(symptom, keys[0], "")
        for made in self.wrong:
            own = made.by_hand[:1]
            if own and given.fits_in(made.codes, own, by_hand):
                return _told(made.fault, own[0], _LIKE)
        found = self._related(seen, keys[0])
        if found is not None:
            return Named(found.name, keys[0], found.says, found.asks)
        return Named(UNRECOGNISED, keys[0])

    def _two(self, given: Given, key: str) -> Named | None:
        """A fault or slip and another, which act on different cases or things."""
        rank = [*KINDS].index
        slips = sorted(self.known.slips, key=lambda known: rank(known[0].kinds[0]))
        known = [(made.fault, made.codes) for made in self.wrong] + slips
        parts = [(what, codes) for what, codes in known if given.explained(codes)]
        for j, (second, codes) in enumerate(parts):
            for first, others in parts[:j]:
                if given.fits_one_of(codes, others):
                    both = " and another that ".join(map(_does, (first, second)))
                    opening = f"Your results fit two mistakes at once: one that {both}."
                    return _told_part(first, key)._replace(opening=opening, place=None)
        return None

    def _related(self, seen: list[Observation], key: str) -> Relation | None:
        """How all that is wrong relates to what is right."""
        numbers = [i for i in range(len(seen)) if self._differs(seen, i, key)]
        pairs = [(lookup(self.right.seen[i], key), lookup(seen[i], key)) for i in numbers]
        if any(isinstance(value, Raised) for pair in pairs for value in pair):
            return None
        return relation(pairs)

    def _only_nothing(self, given: list[Observation], keys: list[str]) -> bool:
        """Whether the only mistake is None in place of other values, where None is never right."""
        if any(lookup(found, key) is None for key in keys for found in self.right.seen):
            return False
        pairs = [
            (i, key) for key in keys for i in range(len(given)) if self._differs(given, i, key)
        ]
        return all(lookup(given[i], key) is None for i, key in pairs)

    def _shows(self, fault: Fault, given: list[Observation], key: str) -> bool:
        """Whether a symptom's value is part of the first difference that the reader sees.

        If the answer raised an error, the symptom must name that error.
        """
        if fault.key != key:
            return False
        number = next(i for i in range(len(given)) if self._differs(given, i, key))
        is_raised = list(given[number]) == [""] and isinstance(given[number][""], Raised)
        if is_raised and not fault.value:
            return False
        return fault.value in self._form(lookup(given[number], key))

    def differing(self, seen: list[Observation], numbers: Sequence[int] | None = None) -> list[str]:
        """The aspects that differ from the solution's, the most obvious first."""
        numbers = range(len(seen)) if numbers is None else numbers
        keys = dict.fromkeys(key for found in self.right.seen for key in found)
        return [key for key in keys if any(self._differs(seen, i, key) for i in numbers)]

    def _differs(self, seen: list[Observation], number: int, key: str) -> bool:
        if key == KIND and isinstance(seen[number].get(""), Raised):
            return False  # no value was returned; the expected value says more
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
        what, got = (f"{key}: ", "yours is") if key else ("", "you returned")
        if isinstance(lookup(given[number], key), Raised):
            got = "your function raised"
        return f"For {words}, {what}the expected result is {right}; {got} {yours}."

    def _form(self, value: Any) -> str:
        """Formats a value for the reader, with ``show`` if ``form`` cannot format it."""
        if isinstance(value, Raised):
            return repr(value)
        try:
            return shortened(self.form(value), 300)
        except Exception:  # `form` may raise anything for a value of the wrong type
            return f"{show(value):.200}"


_LIKE = "This looks like “{}”."


def _told(fault: Fault, key: str, opening: str, closing: str = "") -> Named:
    return Named(fault.name, key, opening.format(fault.name), fault.says, closing)


def _told_slip(slip: Slip, key: str) -> Named:
    plainest, *others = sorted(slip.kinds, key=[*KINDS].index)
    does, asks = KINDS[plainest]
    others = [f", or that {KINDS[kind][0]}" for kind in others[:1]]
    opening = f"Your results are exactly those of a solution that {does}{''.join(others)}."
    return Named(plainest, key, opening, asks, place=(slip.before, slip.after))


def _told_part(part: Fault | Slip, key: str) -> Named:
    return _told(part, key, "") if isinstance(part, Fault) else _told_slip(part, key)


def _does(part: Fault | Slip) -> str:
    if isinstance(part, Fault):
        return f"is called “{part.name}”"
    return KINDS[min(part.kinds, key=[*KINDS].index)][0]


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
    """Makes the exercise of a module and its sheet.

    Args:
        module: the module's ``__file__``; its sheet has the same name and ends in .md.
        cases, observe, draw, num_drawn, form: as in ``Marking``.
        check: (call, sheet) -> the message for a right answer. Use it instead of the arguments
            above for answers that cannot be compared case by case.
        more: ``explore``, ``remark`` and ``takes_value``, as in ``Exercise``.
    """
    sheet = load_sheet(Path(module).with_suffix(".md"))
    stored = path_of(module)
    marking = None if check else Marking(sheet, cases, observe, draw, num_drawn, form, stored)

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
