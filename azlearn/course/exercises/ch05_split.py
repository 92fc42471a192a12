"""Chapter 5, whole games held out (5.2): what leaks when a split tears games apart.

A split is drawn at random, so it is judged by many draws: which games, how many, how often each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, as_list, show
from azlearn.course.numbers import numbers
from azlearn.course.sections import explained_for

_DRAWS = (400, 25, 25, 25, 25, 25)  # of each case
_CLOSE = 0.12  # of a share; 400 draws come within a third of it
_GAPS, _MIXED = 1, 2  # the cases with numbers left out, and with rows in no order


class Games(NamedTuple):
    """A case."""

    shown: str
    number: np.ndarray  # int64 [n], the game of each position
    share: float
    right: int  # how many games are to be held out, by hand


_CASES = (
    Games("six games of 1, 2, 3, 6, 9 and 15 positions, share = 0.34",
          np.repeat(np.arange(6), (1, 2, 3, 6, 9, 15)), 0.34, 2),  # 2.04
    Games("five games of 4 positions each, numbered 3, 7, 20, 21 and 50, share = 0.4",
          np.repeat((3, 7, 20, 21, 50), 4), 0.4, 2),
    Games("four games of 3 positions each, their rows mixed, share = 0.25",
          np.array((2, 0, 3, 1, 1, 0, 3, 2, 0, 3, 1, 2)), 0.25, 1),
    Games("ten games of 2 positions each, share = 0.27", np.repeat(np.arange(10), 2), 0.27, 3),
    Games("four games of 3 positions each, share = 0.05", np.repeat(np.arange(4), 3), 0.05, 1),
    Games("four games of 3 positions each, share = 0.95", np.repeat(np.arange(4), 3), 0.95, 3),
)  # fmt: skip


def games_of(case: Games) -> np.ndarray:
    return np.unique(case.number)


def _wanted(games: int, share: float) -> int:
    """How many games are held out."""
    return min(max(1, round(share * games)), games - 1)


_EMPTY = "At least one game is to be held out, or there is no test at all. (0.05 · 4 rounded is 0.)"
_DOWN = "You round down, where the nearest whole number is asked for (and at least one)."
_UP = _DOWN.replace("down", "up")
_SIDES = "True is to mean *held out*: most games are there to learn from."
# How many games a wrong rule holds out, always; the first whose numbers all agree is named.
_Rule = Callable[[int, float], int]
_COUNTS: tuple[tuple[str, _Rule, str], ...] = (
    ("nothing is held out", lambda n, share: round(share * n), _EMPTY),
    ("nothing is held out", lambda n, share: min(round(share * n), n - 1), _EMPTY),
    ("nothing is held out", lambda n, share: 0, _EMPTY),
    ("rounded down", lambda n, share: int(share * n), _DOWN),
    ("rounded down", lambda n, share: max(1, int(share * n)), _DOWN),
    ("rounded up", lambda n, share: math.ceil(share * n), _UP),
    ("rounded up", lambda n, share: min(math.ceil(share * n), n - 1), _UP),
    ("nothing stays for training", lambda n, share: max(1, round(share * n)),
     "At least one game is to stay for training. (0.95 · 4 rounded is 4.)"),
    ("training and held out exchanged", lambda n, share: n - _wanted(n, share), _SIDES),
    ("training and held out exchanged", lambda n, share: n - max(1, round(share * n)), _SIDES),
    ("everything is held out", lambda n, share: n, "Nothing is left to learn from."),
)  # fmt: skip


# --- the check -----------------------------------------------------------------------------------


@explained_for("5.2")
def check_split(call: Call) -> str:
    masks = [
        np.array([_draw(call, case, seed) for seed in range(draws)])
        for case, draws in zip(_CASES, _DRAWS, strict=True)
    ]
    _check_generator(call)
    _check_whole(masks)
    _check_counts(masks)
    _check_chances(masks[0])
    return "Every game lies on one side, and every game is as likely as any other to be the test."


def _draw(call: Call, case: Games, seed: int) -> np.ndarray:
    """The reader's mask, bool [n]."""
    copy = case.number.copy()
    given = call(copy, case.share, np.random.default_rng(seed), shown=case.shown)
    if not np.array_equal(copy, case.number):
        raise Wrong(
            "changes what it was given",
            f"With {case.shown}, `game_number` is another afterwards: the positions now belong to "
            "other games. (`rng.shuffle` works in place; `rng.permutation` gives a new array.)",
        )
    mask = as_list(numbers(given))
    if mask is None or len(mask) != len(copy) or not all(map(_is_bit, mask)):
        raise Wrong(
            "not a mask of the positions",
            f"With {case.shown}, {len(copy)} answers are asked for, one a position, True = held out. "
            f"You gave {show(given):.80}. `np.isin(game_number, games)` turns games into a mask.",
        )
    return np.array(mask, dtype=bool)


def _is_bit(value: Any) -> bool:
    return isinstance(value, (bool, int, float)) and value in (0, 1)


def _check_generator(call: Call) -> None:
    """Seeded alike, the generator draws the same games."""
    for seed in range(5):
        one, two = (_draw(call, _CASES[0], seed) for _ in range(2))
        if (one != two).any():
            raise Wrong(
                "another generator than the one given",
                f"With {_CASES[0].shown}, two generators with the same seed held out the games "
                f"{_held(_CASES[0], one)} and {_held(_CASES[0], two)}. Draw from `rng`, or nobody "
                "can repeat your split, and the test leaks when training goes on tomorrow.",
            )


def _held(case: Games, mask: np.ndarray) -> list[int]:
    """The games of which a position is held out."""
    return np.unique(case.number[mask]).tolist()


def _is_torn(case: Games, mask: np.ndarray) -> bool:
    return bool(np.isin(case.number[~mask], case.number[mask]).any())


def _changes(mask: np.ndarray) -> int:
    """How often True and False follow one another."""
    return int((mask[1:] != mask[:-1]).sum())


def _check_whole(masks: Sequence[np.ndarray]) -> None:
    torn = [
        any(_is_torn(case, mask) for mask in drawn)
        for case, drawn in zip(_CASES, masks, strict=True)
    ]
    if not any(torn):
        return
    case = _CASES[torn.index(True)]
    found = masks[torn.index(True)]
    mask = next(mask for mask in found if _is_torn(case, mask))
    game = next(g for g in games_of(case) if 0 < mask[case.number == g].mean() < 1)
    own = mask[case.number == game]
    seen = (
        f"With {case.shown}, game {game} is torn: of its {len(own)} positions you hold out "
        f"{own.sum()}, the rest is in training. "
    )
    if torn == [i == _MIXED for i in range(len(torn))]:
        raise Wrong(
            "counts on rows that stand together",
            seen + "It happens only where the rows are mixed: a mask that is built game by game, "
            "such as `np.repeat(chosen, sizes)`, fits sorted rows alone. Use `np.isin`.",
        )
    if all((drawn == drawn[0]).all() and _changes(drawn[0]) <= 1 for drawn in masks):
        raise Wrong(
            "a block of rows",
            seen
            + "You cut the list of positions at one place, which lies in the middle of a game; "
            "and nothing is drawn: were the games sorted, by strength say, the test would be of one "
            "kind only.",
        )
    long_games = [masks[0][0][_CASES[0].number == game] for game in (3, 4, 5)]
    if all(_changes(part) == 1 for part in long_games):
        raise Wrong(
            "a part of every game",
            seen + "You hold out the end (or the beginning) of each game. All its positions share "
            "its result, and neighbours differ by a stone: training has seen the answer.",
        )
    raise Wrong(
        "positions are drawn, not games",
        seen + "Its neighbours differ by one stone and share its result, so a network that has "
        "learnt training by heart does well in the test. Draw *games*.",
    )


def _check_counts(masks: Sequence[np.ndarray]) -> None:
    counts = [
        [len(_held(case, mask)) for mask in drawn]
        for case, drawn in zip(_CASES, masks, strict=True)
    ]
    wrong = [set(found) != {case.right} for case, found in zip(_CASES, counts, strict=True)]
    if not any(wrong):
        return
    case = _CASES[wrong.index(True)]
    least, most = min(counts[wrong.index(True)]), max(counts[wrong.index(True)])
    found = f"{least}" if least == most else f"{least} to {most}, as it falls"
    seen = (
        f"With {case.shown}, {case.right} of {len(games_of(case))} games should be held out; you hold "
        f"out {found}. "
    )
    rows = [
        (case.shown, case.right, sorted(set(found)))
        for case, found, off in zip(_CASES, counts, wrong, strict=True)
        if off
    ]
    name, message = _name_of_counts(masks, counts, wrong)
    raise Wrong(name, (seen + message).rstrip(), rows[:4])


def _name_of_counts(masks, counts, wrong) -> tuple[str, str]:
    for name, rule, message in _COUNTS:
        told = [{rule(len(games_of(case)), case.share)} for case in _CASES]
        if told == list(map(set, counts)):
            return name, message
    if wrong == [i == _GAPS for i in range(len(wrong))]:
        return "game numbers taken for 0, 1, 2, …", (
            "It happens only where numbers are left out: you draw from 0, 1, 2, … up to some number, "
            "and not every one of them is a game. `np.unique(game_number)` lists those that are."
        )
    if any(_fills_the_share(_CASES[0], masks[0])):
        return "a share of the positions, not of the games", (
            "You take games until they hold `share` of the *positions*. How many games that are is "
            "left to chance, and a long game near the end tips it. Count games."
        )
    limits = zip(_CASES[:-1], counts[:-1], strict=True)  # the last has a limit of its own
    if all(min(found) >= 1 and max(found) == case.right for case, found in limits):
        return "a game is drawn twice", (
            "You draw often enough, but sometimes the same game again: with replacement "
            "(`rng.choice` does that unless told `replace=False`), or from `game_number`, in which "
            "a game stands once for each of its positions."
        )
    means = [np.mean(found) for found in counts]
    sizes = [case.share * len(games_of(case)) for case in _CASES]
    if np.allclose(means, sizes, atol=0.25, rtol=0.4):
        return "a coin for every game", (
            "Each game falls to one side or the other by itself, so their number varies; with few "
            "games the test may be empty. Draw that many games from all of them, at once."
        )
    return UNRECOGNISED, ""


def _fills_the_share(case: Games, masks: np.ndarray) -> tuple[bool, bool]:
    """Whether the held-out games always reach `share` of the positions with the last of them taken,
    or always stay below."""
    wanted = case.share * len(case.number)
    sizes = np.bincount(case.number)
    reach = [
        mask.sum() >= wanted > mask.sum() - max(sizes[_held(case, mask)], default=0)
        for mask in masks
    ]
    return all(reach), bool((masks.sum(1) <= wanted).all())


def by_length(case: Games) -> np.ndarray:
    """How likely each game is among the first two different ones, if positions are drawn."""
    first = np.bincount(case.number) / len(case.number)
    second = first[:, None] * first / (1 - first[:, None])  # [first, second]
    np.fill_diagonal(second, 0)
    return first + second.sum(0)


def _check_chances(masks: np.ndarray) -> None:
    """Every game of the first case is held out equally often."""
    case = _CASES[0]
    games = games_of(case)
    shares = np.array([masks[:, case.number == game].all(1).mean() for game in games])
    right = case.right / len(games)
    if np.abs(shares - right).max() < _CLOSE:
        return
    seen = (
        f"With {case.shown}, in {len(masks)} draws with as many seeds the games were held out with "
        f"the shares {show(shares.round(2))}; each should have {right:.2f}. "
    )
    rows = [(f"shares of {len(masks)} draws", np.full(len(games), right).round(2), shares.round(2))]
    if set(shares) <= {0, 1}:
        chosen = np.flatnonzero(shares).tolist()
        if chosen in ([0, 1], [4, 5]):
            raise Wrong(
                "the first or the last games, not random ones",
                seen
                + "Records often lie in an order, by strength or by date: the test would be of "
                "one kind, training of another. Draw from `rng`.",
                rows,
            )
        raise Wrong(
            "the same games every time",
            seen + "Another seed should draw other games: use the `rng` that you are given, and no "
            "seed of your own.",
            rows,
        )
    if not shares.all():
        raise Wrong(
            "a game is never held out",
            seen + "One of them is never among the drawn: does your range start or end a step too "
            "late or too early? (`rng.integers(1, n)` leaves 0 out, `range(n - 1)` the last.)",
            rows,
        )
    if np.abs(shares - by_length(case)).max() < _CLOSE:
        raise Wrong(
            "long games are likelier",
            seen + "You draw among the positions, and a long game has more of them. Draw from "
            "`np.unique(game_number)`, in which each game stands once.",
            rows,
        )
    raise Wrong(UNRECOGNISED, seen.rstrip(), rows)


EXERCISES = (
    Exercise(
        id="5.2",
        title="Hold out whole games",
        minutes=10,
        difficulty=2,
        function="held_out_mask(game_number, share, rng)",
        check=check_split,
        diagnoses=(
            *dict.fromkeys(name for name, _, _ in _COUNTS),
            "changes what it was given",
            "not a mask of the positions",
            "another generator than the one given",
            "counts on rows that stand together",
            "a block of rows",
            "a part of every game",
            "positions are drawn, not games",
            "game numbers taken for 0, 1, 2, …",
            "a share of the positions, not of the games",
            "a game is drawn twice",
            "a coin for every game",
            "the first or the last games, not random ones",
            "the same games every time",
            "a game is never held out",
            "long games are likelier",
        ),
        hints=(
            "Which games are there, how many of them go, and which? Only then ask every position for "
            "its game.",
            "`games = np.unique(game_number)`, `rng.choice(games, size=k, replace=False)`, and "
            "`np.isin(game_number, chosen)`.",
            "In near-code:\n\n"
            "    games = every game number once\n"
            "    k = share times their number, rounded, at least 1, at most all but 1\n"
            "    chosen = k different games, drawn from rng\n"
            "    True for the positions whose game is among the chosen",
        ),
    ),
)
