"""Chapter 10, when to stop (10.6): one lucky proof is not enough."""

from __future__ import annotations

from typing import Any

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, as_list, compare
from azlearn.course.sections import explained_for

_T, _F = True, False
# unbeaten, patience, when to stop
_CASES = (
    ([_F, _F, _T, _T, _T, _F, _T], 3, 5),
    ([_T, _F, _T, _T], 2, 4),
    ([_F, _T, _F, _T, _F, _T], 2, None),
    ([_T, _T], 2, 2),
    ([_F, _T, _F], 1, 2),
    ([_T, _T, _F, _T, _T, _T, _T], 3, 6),
    ([_F, _F], 1, None),
    ([], 1, None),
)


def _first_streak(unbeaten: list[bool], patience: int) -> int | None:
    """The right one: after which iteration the last ``patience`` proofs first all held."""
    ends = range(patience, len(unbeaten) + 1)
    return next((end for end in ends if all(unbeaten[end - patience : end])), None)


def _first(unbeaten: list[bool], patience: int) -> int | None:
    return _first_streak(unbeaten, 1)


def _in_all(unbeaten: list[bool], patience: int) -> int | None:
    """The ``patience``-th proof, in a row or not."""
    held = [number for number, holds in enumerate(unbeaten, 1) if holds]
    return held[patience - 1] if len(held) >= patience else None


def _shifted(change: Any) -> Any:
    """The right iteration, changed by ``change(end, patience)``."""

    def give(unbeaten: list[bool], patience: int) -> int | None:
        end = _first_streak(unbeaten, patience)
        return end if end is None else change(end, patience)

    return give


def _last_streak(unbeaten: list[bool], patience: int) -> int | None:
    ends = range(len(unbeaten), patience - 1, -1)
    return next((end for end in ends if all(unbeaten[end - patience : end])), None)


_GOT = "with {case}, {right} is right; yours is {yours}. "
_FAULTS = (
    Fault(
        "stops at the first proof",
        _first,
        _GOT + "The next step may spoil it: ask for `patience` of them in a row.",
    ),
    Fault(
        "proofs that are not in a row",
        _in_all,
        _GOT + "A failure in between starts the count anew.",
    ),
    Fault(
        "one proof too many",
        lambda unbeaten, patience: _first_streak(unbeaten, patience + 1),
        _GOT + "`patience` in a row are enough.",
    ),
    Fault(
        "counted from 0",
        _shifted(lambda end, patience: end - 1),
        _GOT + "The first iteration is number 1.",
    ),
    Fault(
        "the beginning of the streak",
        _shifted(lambda end, patience: end - patience + 1),
        _GOT + "There you could not know yet that the streak would hold.",
    ),
    Fault(
        "the last streak instead of the first",
        _last_streak,
        _GOT + "Whoever runs the training would have stopped before.",
    ),
    Fault(
        "stops at the end in any case",
        lambda unbeaten, patience: _first_streak(unbeaten, patience) or len(unbeaten),
        _GOT + "If it has not come so far, say None: train on.",
    ),
    Fault(
        "says whether, not when",
        lambda unbeaten, patience: _first_streak(unbeaten, patience) is not None,
        _GOT + "The number of the iteration is asked for.",
    ),
)


@explained_for("10.6")
def check_stopping(call: Call) -> str:
    cases, given = [], []
    for unbeaten, patience, right in _CASES:
        shown = f"unbeaten = {unbeaten}, patience = {patience}"
        value = call(list(unbeaten), patience, shown=shown, may_return_none=True)
        if as_list(value) is not None or isinstance(value, str):
            raise Wrong(
                "not a number or None",
                f"With {shown}, one number or None is asked for; you gave {value!r:.80}.",
            )
        cases.append(Case(shown, (unbeaten, patience), right))
        given.append(value)
    compare(cases, given, _FAULTS)
    return "It waits for a streak, says when it is there, and trains on while it is not."


EXERCISES = (
    Exercise(
        id="10.6",
        title="When to stop",
        minutes=8,
        difficulty=1,
        function="stop_at(unbeaten, patience)",
        check=check_stopping,
        diagnoses=(*(fault.name for fault in _FAULTS), "not a number or None"),
        hints=(
            "Go through the iterations and count how many proofs in a row you have behind you.",
            "`streak = streak + 1 if holds else 0`; at `streak == patience` you have the answer.",
            "In near-code:\n\n"
            "    streak = 0\n"
            "    for each number from 1 and its proof:\n"
            "        streak + 1 if it holds, else 0\n"
            "        if streak is patience: return the number\n"
            "    return None",
        ),
    ),
)
