"""Chapter 11, the games of a match (11.2): every opening twice, colours swapped, none twice over.

The right schedules are written by hand, on tic-tac-toe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, as_list, compare, show
from azlearn.course.sections import explained_for
from azlearn.games import Game, TicTacToe

GAME = TicTacToe()

# words, openings, the openings that are to be played
CASES = (
    ("three openings", ("51", "15", "52"), ("51", "15", "52")),
    ("three openings, one of them twice", ("51", "52", "51"), ("51", "52")),
    ("two ways to one position", ("159", "152", "951"), ("159", "152")),
    ("an opening in which X has won", ("51", "14253", "52"), ("51", "52")),
    ("all of it at once", ("951", "53", "14253", "35", "159", "53"), ("951", "53", "35")),
)

Schedule = list[tuple[str, bool]]


def _cases() -> list[Case]:
    return [
        Case(f"{words}: {list(openings)}", (GAME, list(openings)), _pairs(right))
        for words, openings, right in CASES
    ]


def _pairs(openings: Iterable[str]) -> Schedule:
    """Sorted, as the check compares: the order of a schedule does not matter."""
    return sorted((opening, first) for opening in openings for first in (True, False))


def _kept(
    key: Callable[[str], Any] = GAME.from_moves,
    order: Callable[[list[str]], Iterable[str]] = list,
    finished: bool = False,
) -> Callable[[list[str]], list[str]]:
    """The openings left when the first of each key stays, in this order, finished ones or not."""

    def keep(openings: list[str]) -> list[str]:
        by_key: dict[Any, str] = {}
        for opening in order(openings):
            by_key.setdefault(key(opening), opening)
        over = (GAME.outcome(GAME.from_moves(opening)) is not None for opening in by_key.values())
        return [o for o, done in zip(by_key.values(), over, strict=True) if finished or not done]

    return keep


_RIGHT = _kept()


def _all(openings: list[str]) -> list[str]:
    return [o for o in openings if GAME.outcome(GAME.from_moves(o)) is None]


def _fault(
    name: str,
    message: str,
    keep: Callable[[list[str]], list[str]] = _RIGHT,
    sides: Callable[[int], tuple[bool, ...]] = lambda place: (True, False),
) -> Fault:
    def give(game: Game, openings: list[str]) -> Schedule:
        kept = enumerate(keep(openings))
        return sorted((opening, first) for place, opening in kept for first in sides(place))

    text = "with {case}, the games are {right}; yours are {yours}. " + message
    return Fault(name, give, text)


_FAULTS = (
    _fault(
        "colours not swapped",
        "You play each opening twice with the same player first. If the opening is good for one side, "
        "so is your match.",
        sides=lambda place: (True, True),
    ),
    _fault(
        "one game an opening",
        "Each opening is played once, a always first: a gets the first player's advantage in every "
        "game.",
        sides=lambda place: (True,),
    ),
    _fault(
        "colours alternate from opening to opening",
        "Both are first equally often, but never from the same opening. The luck of an opening only "
        "cancels out if both play both of its sides.",
        sides=lambda place: (place % 2 == 0,),
    ),
    _fault(
        "copies kept",
        "An opening that comes twice is played twice as often, and deterministic players repeat "
        "themselves.",
        keep=_all,
    ),
    _fault(
        "another way to the same position kept",
        "The moves differ, the positions do not: compare `game.from_moves(opening)`, not strings.",
        keep=_kept(key=str),
    ),
    _fault(
        "different positions thrown together",
        "Sorted, the moves forget whose they are: X 5, O 3 and X 3, O 5 are two positions. Compare "
        "`game.from_moves(opening)`.",
        keep=_kept(key=lambda opening: "".join(sorted(opening))),
    ),
    _fault(
        "finished openings kept",
        "`game.outcome` of that opening is not None: there is nothing left to play, and the result is "
        "nobody's merit.",
        keep=_kept(finished=True),
    ),
    _fault(
        "the last of equals kept",
        "Of openings that lead to the same position, keep the first: a dictionary keeps the last value "
        "that is put under a key.",
        keep=_kept(order=reversed),
    ),
)


def _games(value: Any, shown: str) -> Schedule:
    rows = as_list(value)
    if rows is None or not all(_is_game(row) for row in rows):
        raise Wrong(
            "not a list of (opening, a_first)",
            f"With {shown}, give a list of pairs such as ('51', True). You gave {show(value):.80}.",
        )
    return sorted((opening, bool(first)) for opening, first in rows)


def _is_game(row: Any) -> bool:
    return (
        isinstance(row, (tuple, list))
        and len(row) == 2
        and isinstance(row[0], str)
        and row[1] in (True, False)
    )


def _same_words(schedule: Schedule) -> list[tuple[Any, ...]]:
    """A schedule that `compare` can take: strings as tuples of numbers."""
    return [(*map(int, opening), first) for opening, first in schedule]


@explained_for("11.2")
def check_schedule(call: Call) -> str:
    cases, given, faults = [], [], []
    for case in _cases():
        given.append(_same_words(_games(call(*case.arguments, shown=case.shown), case.shown)))
        cases.append(Case(case.shown, case.arguments, _same_words(case.right)))
    for fault in _FAULTS:
        give = lambda game, openings, fault=fault: _same_words(fault.give(game, openings))  # noqa: E731
        faults.append(Fault(fault.name, give, fault.message))
    compare(cases, given, faults, form=_form)
    return (
        "Every position is met from both sides, once each. What is left between a and b is a and b."
    )


def _form(games: list[tuple[Any, ...]]) -> str:
    """Each opening, and who is first: 51 a–b, 51 b–a."""
    return ", ".join(
        f"{''.join(map(str, row[:-1]))} {'a–b' if row[-1] else 'b–a'}" for row in games
    )


EXERCISES = (
    Exercise(
        id="11.2",
        title="The games of a match",
        minutes=10,
        difficulty=2,
        function="schedule(game, openings)",
        check=check_schedule,
        diagnoses=(*(fault.name for fault in _FAULTS), "not a list of (opening, a_first)"),
        hints=(
            "Different strings can lead to one position. What tells you that two positions are equal?",
            "A `State` can be put into a set: skip an opening if `game.from_moves(opening)` is in the "
            "set already, or if its `game.outcome` is not None. Then two rows, True and False.",
            "In near-code:\n\n"
            "    seen = an empty set\n"
            "    for every opening, in order:\n"
            "        state = game.from_moves(opening)\n"
            "        skip it if state is in seen, or if game.outcome(state) is not None\n"
            "        put state into seen; append (opening, True) and (opening, False)",
        ),
    ),
)
