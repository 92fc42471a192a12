"""Chapter 10, a step of the replay window (10.4): the oldest go, and all that stay are drawn alike.

Samples are stand-ins here, numbered in the order in which they were played.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, Case, Fault, as_list, compare, show
from azlearn.course.sections import explained_for

_DRAWS = 6000
_CLOSE = 0.035  # of a share; 6,000 draws come within a third of it

# window, new, size, window afterwards
_CASES = (
    ([], [1, 2, 3], 8, [1, 2, 3]),
    ([1, 2, 3], [4, 5, 6], 8, [1, 2, 3, 4, 5, 6]),
    ([1, 2, 3, 4, 5, 6], [7, 8, 9], 8, [2, 3, 4, 5, 6, 7, 8, 9]),
    ([2, 3, 4, 5, 6, 7, 8, 9], [10, 11, 12], 8, [5, 6, 7, 8, 9, 10, 11, 12]),
    ([5, 6, 7, 8], [9, 10, 11, 12, 13, 14], 4, [11, 12, 13, 14]),
)

_GOT = "with {case}, the window afterwards is {right}; yours is {yours}. "
_FAULTS = (
    Fault(
        "the window never slides",
        lambda window, new, size: (window + new)[:size],
        _GOT + "Once it is full, nothing new gets in: the network learns the games of its own "
        "beginnings by heart.",
    ),
    Fault(
        "the window grows for ever",
        lambda window, new, size: window + new,
        _GOT + "Games of networks long gone stay, and outnumber the new ones.",
    ),
    Fault(
        "only the newest games stay",
        lambda window, new, size: new[-size:],
        _GOT + "What was played before is thrown away, room or no room: the network forgets, and "
        "learns from positions of few games that resemble each other.",
    ),
    Fault(
        "emptied when it is full",
        lambda window, new, size: (window + new if len(window + new) <= size else new)[-size:],
        _GOT + "Only the *oldest* go, as many as are too many.",
    ),
    Fault(
        "one sample too few",
        lambda window, new, size: (window + new)[-(size - 1) :],
        _GOT + "`size` samples may stay.",
    ),
    Fault(
        "the new ones before the old ones",
        lambda window, new, size: (new + window)[:size],
        _GOT + "The oldest stand first, and the oldest go first.",
    ),
    Fault(
        "the new ones before the old ones",
        lambda window, new, size: (new + window)[-size:],
        _GOT + "The oldest stand first, and the oldest go first: yours throws the newest away.",
    ),
)

Chances = Callable[[list, list], np.ndarray]  # (window afterwards, new) -> a share for each sample


def _alike(window: list, new: list) -> np.ndarray:
    """The right one."""
    return np.full(len(window), 1 / len(window))


def _of_the_new(window: list, new: list) -> np.ndarray:
    is_new = np.isin(window, new)
    return is_new / is_new.sum()


def _of_the_old(window: list, new: list) -> np.ndarray:
    is_old = ~np.isin(window, new)
    return is_old / is_old.sum() if is_old.any() else _alike(window, new)


def _all_but_last(window: list, new: list) -> np.ndarray:
    shares = np.ones(len(window))
    shares[-1] = 0
    return shares / shares.sum()


def _favours_the_new(window: list, new: list) -> np.ndarray:
    weights = np.arange(1, len(window) + 1)
    return weights / weights.sum()


_DRAW_FAULTS: tuple[tuple[str, Chances, str], ...] = (
    (
        "draws from the newest games only",
        _of_the_new,
        "What the window keeps is never looked at again. Positions of few games are alike: the "
        "network fits them and forgets the rest.",
    ),
    (
        "draws before the new samples are in",
        _of_the_old,
        "Add first, then draw: the newest samples are the ones from the best player so far.",
    ),
    (
        "the last sample is never drawn",
        _all_but_last,
        "`rng.integers(n)` gives 0 to n - 1 already.",
    ),
    (
        "the newer, the likelier",
        _favours_the_new,
        "Every sample in the window is as likely as every other.",
    ),
)


@explained_for("10.4")
def check_replay(call: Call) -> str:
    cases, windows, found = [], [], []
    for window, new, size, right in _CASES:
        shown, rng, num = _in_words(window, new, size), np.random.default_rng(0), 3
        batch: list = []
        while len(batch) < _DRAWS:
            after, drawn = _step(call, (window, new, size, num, rng), shown)
            batch += drawn
        cases.append(Case(shown, (window, new, size), right))
        windows.append(after)
        found.append(np.array([batch.count(sample) for sample in right]) / len(batch))
    compare(cases, windows, _FAULTS)
    _check_generator(call)
    _compare_draws(cases, found)
    return (
        "The oldest go when there is no room, and every sample that stays is drawn as often as any "
        "other."
    )


def _step(call: Call, arguments: tuple, shown: str) -> tuple[list, list]:
    window, new, size, num, rng = arguments
    copies = list(window), list(new)
    value = call(*copies, size, num, rng, shown=shown)
    if copies != (window, new):
        raise Wrong(
            "changes the lists that it was given",
            f"With {shown}, a list that you were given is another afterwards. Make a new one: "
            "whoever passed it may still need it.",
        )
    pair = as_list(value) or []
    if len(pair) != 2 or as_list(pair[0]) is None or as_list(pair[1]) is None:
        raise Wrong(
            "not a pair (window, batch)",
            f"With {shown}, (window, batch) is asked for; you gave {show(value):.80}.",
        )
    after, batch = as_list(pair[0]), as_list(pair[1])
    if len(batch) != num:
        raise Wrong(
            "another number of samples than asked for",
            f"With {shown}, a batch of {num} is asked for; yours has {len(batch)}.",
        )
    if not set(batch) <= {*window, *new}:
        raise Wrong(
            "draws what is no sample",
            f"With {shown}, your batch is {show(batch)}: numbers that are not among the samples. "
            "Places in the window, perhaps?",
        )
    return after, batch


def _check_generator(call: Call) -> None:
    """The same generator, seeded alike, draws the same batch; and not always the same."""
    window, new, size, _ = _CASES[2]
    shown = _in_words(window, new, size)
    one, two, three = (
        _step(call, (window, new, size, 8, np.random.default_rng(seed)), shown)[1]
        for seed in (5, 5, 6)
    )
    if one != two:
        raise Wrong(
            "another generator than the one given",
            f"With {shown}, two generators with the same seed drew {show(one)} and {show(two)}. "
            "Draw from `rng`, or no run can be repeated.",
        )
    if one == three:
        raise Wrong(
            "the same batch every time",
            f"With {shown}, generators with different seeds both drew {show(one)}. A batch is "
            "drawn at random, from `rng`.",
        )


def _compare_draws(cases: list[Case], found: list[np.ndarray]) -> None:
    def off(chances: Chances) -> list[float]:
        pairs = zip(cases, found, strict=True)
        return [
            float(np.abs(chances(case.right, case.arguments[1]) - shares).max())
            for case, shares in pairs
        ]

    if max(off(_alike)) < _CLOSE:
        return
    worst = int(np.argmax(off(_alike)))
    name, message = UNRECOGNISED, ""
    for fault, chances, said in _DRAW_FAULTS:
        if max(off(chances)) < _CLOSE:
            name, message = fault, said
    window, shares = cases[worst].right, show(found[worst].round(2))
    raise Wrong(
        name,
        f"With {cases[worst].shown}, the samples {show(window)} were drawn with the shares "
        f"{shares}; each should have {1 / len(window):.2f}. {message}".rstrip(),
        [(f"shares of {_DRAWS:,} draws", _alike(window, []).round(3), found[worst].round(3))],
    )


def _in_words(window: list, new: list, size: int) -> str:
    return f"window = {window}, new = {new}, size = {size}"


EXERCISES = (
    Exercise(
        id="10.4",
        title="A step of the replay window",
        minutes=8,
        difficulty=1,
        function="replay_step(window, new, size, num, rng)",
        check=check_replay,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _FAULTS),
            *(name for name, _, _ in _DRAW_FAULTS),
            "changes the lists that it was given",
            "not a pair (window, batch)",
            "another number of samples than asked for",
            "draws what is no sample",
            "another generator than the one given",
            "the same batch every time",
        ),
        hints=(
            "Put the new ones behind the old ones. Which end is too long?",
            "`(window + new)[-size:]` keeps the newest. Then `rng.integers(len(window), "
            "size=num)` are places in it.",
            "In near-code:\n\n"
            "    window = the last `size` of window + new\n"
            "    places = num random whole numbers below len(window)\n"
            "    return window, the samples at these places",
        ),
    ),
)
