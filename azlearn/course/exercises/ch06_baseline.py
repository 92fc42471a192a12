"""Chapter 6, a baseline that has not seen the games (6.4). The numbers were worked out by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, as_list, compare, show
from azlearn.course.numbers import numbers
from azlearn.course.sections import explained_for

X, O = True, False  # noqa: E741  (the learner moves first, or not)

# baseline, z, learner_first, memory; advantage, new baseline by hand
_CASES = (
    # the means of the two sides are 0 and 1
    ((0.0, 0.0), (1, -1, 1, 1), (X, X, O, O), 0.9, (1, -1, 1, 1), (0.0, 0.1)),
    # 0.5 and 0
    ((0.5, -0.25), (1, -1, 0, 1), (X, O, X, O), 0.8, (0.5, -0.75, -0.5, 1.25), (0.5, -0.2)),
    # 2/3 and -1
    ((0.2, 0.4), (1, 0, 1, -1), (X, X, X, O), 0.5, (0.8, -0.2, 0.8, -1.4), (0.433333, -0.3)),
    # no game with the first move; the other mean is 0
    ((0.3, -0.1), (1, -1), (O, O), 0.9, (1.1, -0.9), (0.3, -0.09)),
)


def cases() -> list[Case]:
    """Arguments: baseline, z, learner_first, memory; right: [advantage, new baseline]."""
    made = []
    for baseline, z, first, memory, advantage, new in _CASES:
        words = (
            f"baseline = {show(list(baseline))}, z = {show(list(z))}, learner_first = "
            f"{show(list(first))}, memory = {memory:g}"
        )
        arguments = np.array(baseline), np.array(z, dtype=float), np.array(first), memory
        made.append(Case(words, arguments, [list(advantage), list(new)]))
    return made


def _means(baseline, z, first, *, empty=None, of=np.mean) -> np.ndarray:
    """Of the games of each side; a side without games keeps its baseline, or gets `empty`."""
    sides = (z[first], z[~first])
    return np.array(
        [
            of(side) if len(side) else (old if empty is None else empty)
            for side, old in zip(sides, baseline, strict=True)
        ]
    )


def _side(pair, first) -> np.ndarray:
    """The pair's number for each game."""
    return np.where(first, pair[0], pair[1])


def _new(baseline, z, first, memory, **options) -> np.ndarray:
    return memory * baseline + (1 - memory) * _means(baseline, z, first, **options)


def _right(baseline, z, first, memory) -> list:
    return [z - _side(baseline, first), _new(baseline, z, first, memory)]


def _updated_first(baseline, z, first, memory) -> list:
    new = _new(baseline, z, first, memory)
    return [z - _side(new, first), new]


def _these_means(baseline, z, first, memory) -> list:
    own = _means(baseline, z, first)
    return [z - _side(own, first), _new(baseline, z, first, memory)]


def _game_by_game(baseline, z, first, memory) -> list:
    new = baseline.copy()
    for result, is_first in zip(z, first, strict=True):
        side = 0 if is_first else 1
        new[side] = memory * new[side] + (1 - memory) * result
    return [z - _side(baseline, first), new]


def _all_together(baseline, z, first, memory) -> list:
    new = memory * baseline + (1 - memory) * z.mean()
    return [z - _side(baseline, first), new]


def _one_for_both(baseline, z, first, memory) -> list:
    return [z - baseline.mean(), _new(baseline, z, first, memory)]


def _standardised(baseline, z, first, memory) -> list:
    advantage, new = _right(baseline, z, first, memory)
    return [advantage / z.std(), new]


_GOT = "with {case}, advantages and new baseline are {right}; yours are {yours}. "
_FAULTS = (
    Fault(
        "the baseline knows the games it is subtracted from",
        _updated_first,
        _GOT + "Subtract first, update afterwards. A baseline that holds a part of a game's own z "
        "takes that part of its reward away, and the mean of the gradient moves.",
    ),
    Fault(
        "the baseline knows the games it is subtracted from",
        _these_means,
        _GOT + "You subtract the mean of these very games. Each holds a part of its own z, which "
        "is then taken away from it, and the mean of the gradient moves. Use the old baseline.",
    ),
    Fault(
        "the other side's baseline",
        lambda b, z, first, memory: [z - _side(b, ~first), _new(b, z, first, memory)],
        _GOT
        + "`baseline[0]` is for the games that the learner began, `baseline[1]` for the others.",
    ),
    Fault(
        "the other side's baseline",
        lambda b, z, first, memory: [z - _side(b, ~first), _new(b[::-1], z, first, memory)[::-1]],
        _GOT
        + "`baseline[0]` is for the games that the learner began, `baseline[1]` for the others.",
    ),
    Fault(
        "one mean for both sides",
        _all_together,
        _GOT + "Whoever begins wins more often. Each side gets the mean of its own games.",
    ),
    Fault(
        "one mean for both sides",
        _one_for_both,
        _GOT + "Whoever begins wins more often. From each game goes the baseline of its own side.",
    ),
    Fault(
        "memory the wrong way round",
        lambda b, z, first, memory: [z - _side(b, first), _new(b, z, first, 1 - memory)],
        _GOT + "`memory` is the share of the *old* baseline that stays.",
    ),
    Fault(
        "the old baseline is forgotten",
        lambda b, z, first, memory: [z - _side(b, first), _new(b, z, first, 0.0)],
        _GOT + "The mean of a few games is noisy: only a share of 1 − `memory` of it goes in.",
    ),
    Fault(
        "the baseline stays as it is",
        lambda b, z, first, memory: [z - _side(b, first), b],
        _GOT + "After its use the baseline must learn of these games.",
    ),
    Fault(
        "added instead of subtracted",
        lambda b, z, first, memory: [z + _side(b, first), _new(b, z, first, memory)],
        _GOT + "The advantage is z − b: how much better than expected.",
    ),
    Fault(
        "nothing is subtracted",
        lambda b, z, first, memory: [z, _new(b, z, first, memory)],
        _GOT + "The advantage is z − b: how much better than expected.",
    ),
    Fault(
        "sums instead of means",
        lambda b, z, first, memory: [z - _side(b, first), _new(b, z, first, memory, of=np.sum)],
        _GOT + "The baseline is to predict the z of *one* game.",
    ),
    Fault(
        "once a game",
        _game_by_game,
        _GOT
        + "One update a step: the share 1 − `memory` goes to the mean of the step's games, not "
        "to each of them in turn.",
    ),
    Fault(
        "a side without games is pulled to 0",
        lambda b, z, first, memory: [z - _side(b, first), _new(b, z, first, memory, empty=0.0)],
        _GOT + "Where no game was played nothing is known: that side keeps its baseline.",
    ),
    Fault(
        "the mean of no games",
        lambda b, z, first, memory: [z - _side(b, first), _new(b, z, first, memory, empty=np.nan)],
        _GOT + "The mean of nothing is “not a number”, and so is every loss from then on. A side "
        "without games keeps its baseline.",
    ),
    Fault(
        "divided by the spread",
        _standardised,
        _GOT + "Other methods divide by the standard deviation of z. Here a mean over games is "
        "wanted as it is, and where all games end alike the spread is 0.",
    ),
)


@explained_for("6.4")
def check_baseline(call: Call) -> str:
    given = []
    for case in cases():
        baseline, z, first, memory = case.arguments
        old = baseline.copy()
        value, problem = call.attempt(old, z.copy(), first.copy(), memory, shown=case.shown)
        if isinstance(problem, ZeroDivisionError):
            raise Wrong(
                "the mean of no games",
                f"With {case.shown}, your function divides by the number of games of a side that "
                "has none. Such a side keeps its baseline.",
            )
        given.append(_pair(call.settle(value, problem), len(z), case.shown))
        if old.tolist() != baseline.tolist():
            raise Wrong(
                "changes the baseline that it was given",
                f"With {case.shown}, the baseline that you were given is {show(old)} afterwards. "
                "Make a new one.",
            )
    compare(cases(), given, _FAULTS)
    return (
        "What was expected before the games is subtracted, and only then is it brought up to date."
    )


def _pair(value: Any, num_games: int, shown: str) -> list:
    pair = numbers(as_list(value))
    if not (
        isinstance(pair, list)
        and len(pair) == 2
        and all(isinstance(part, list) for part in pair)
        and [len(part) for part in pair] == [num_games, 2]
    ):
        raise Wrong(
            "not a pair (advantage, baseline)",
            f"With {shown}, (advantage, baseline) is asked for: {num_games} numbers, and two. You "
            f"gave {show(pair):.80}.",
        )
    return pair


EXERCISES = (
    Exercise(
        id="6.4",
        title="A baseline that has not seen the games",
        minutes=10,
        difficulty=2,
        function="subtract_baseline(baseline, z, learner_first, memory)",
        check=check_baseline,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _FAULTS),
            "changes the baseline that it was given",
            "not a pair (advantage, baseline)",
        ),
        hints=(
            "Which baseline does not depend on what was drawn in these games? And which z belong "
            "to which side?",
            "`z - np.where(learner_first, baseline[0], baseline[1])`, with the *old* baseline. "
            "`z[learner_first]` and `z[~learner_first]` are the two sides; one may be empty.",
            "In near-code:\n\n"
            "    advantage = z - the baseline of the game's side\n"
            "    new = a copy of baseline\n"
            "    for both sides, if they have games:\n"
            "        new = memory * new + (1 - memory) * the mean z of their games\n"
            "    return advantage, new",
        ),
    ),
)
