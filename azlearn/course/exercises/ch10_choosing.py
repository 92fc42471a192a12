"""Chapter 10, what to learn and what to play (10.1): π, and a move drawn at a temperature.

π is worked out by hand; the moves are drawn thousands of times and their shares compared with what
the rule, and each known fault, would give.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, Case, Fault, as_list, compare, show
from azlearn.course.sections import explained_for

_DRAWS = 3000
_CLOSE = 0.04  # of a share; 3,000 draws come within four standard errors of it

# N, ply, temperature_plies, τ, π. At the third and fourth the opening is over.
_CASES = (
    ((2, 3, 5), 0, 4, 1.0, (0.2, 0.3, 0.5)),
    ((0, 5, 20), 3, 4, 0.5, (0.0, 0.2, 0.8)),
    ((30, 10, 60), 4, 4, 1.0, (0.3, 0.1, 0.6)),
    ((7, 7, 2), 8, 4, 1.0, (0.4375, 0.4375, 0.125)),
    ((6, 1, 1, 2), 1, 2, 2.0, (0.6, 0.1, 0.1, 0.2)),
)

Give = Callable[..., Sequence[float]]  # (N, ply, temperature_plies, τ) -> [num_actions]


def _shares(weights: Sequence[float]) -> list[float]:
    return (np.array(weights, float) / np.sum(weights)).tolist()


def _powers(visits: Sequence[int], temperature: float) -> list[float]:
    return _shares([n ** (1 / temperature) for n in visits])


def _first_best(visits: Sequence[int]) -> list[float]:
    return np.eye(len(visits))[int(np.argmax(visits))].tolist()


def _chances(visits: Sequence[int], ply: int, plies: int, temperature: float) -> list[float]:
    """The right one: how likely each move is to be played."""
    return _powers(visits, temperature) if ply < plies else _first_best(visits)


_GOT = "with {case}, π is {right}; yours is {yours}. "
_TARGETS = (
    Fault(
        "one-hot targets",
        lambda n, *_: _first_best(n),
        _GOT
        + "All on the most visited move: that throws away what the search knows about the others, "
        "and tells the network to be certain.",
    ),
    Fault(
        "one-hot targets after the opening",
        lambda n, ply, plies, t: _shares(n) if ply < plies else _first_best(n),
        _GOT
        + "After the opening the *move* is the most visited one. π stays what the search found.",
    ),
    Fault(
        "counts, not shares",
        lambda n, *_: list(n),
        _GOT + "Divide by ΣN: the loss would be ΣN times too large.",
    ),
    Fault(
        "τ applied, and not normalised again",
        lambda n, ply, plies, t: [share ** (1 / t) for share in _shares(n)],
        _GOT + "Shares raised to 1 / τ do not sum to 1 any more, and no loss complains.",
    ),
    Fault(
        "τ applied to π",
        lambda n, ply, plies, t: _powers(n, t),
        _GOT + "τ decides which move is *played*. What is learnt are the plain shares.",
    ),
    Fault(
        "π is the chance to be played",
        lambda n, ply, plies, t: _chances(n, ply, plies, t),
        _GOT + "That is how the move is drawn. What is learnt are the plain shares, at every ply.",
    ),
    Fault(
        "moves without visits get a share",
        lambda n, *_: _shares([1 + count for count in n]),
        _GOT + "The 1 + N belongs to PUCT's bonus. Here a move without visits gets 0.",
    ),
)


@dataclass(frozen=True)
class _MoveFault:
    name: str
    give: Give
    message: str


_MOVES = (
    _MoveFault(
        "always the most visited move",
        lambda n, *_: _first_best(n),
        "Without a draw every game of the same network is the same game.",
    ),
    _MoveFault(
        "draws to the end of the game",
        lambda n, ply, plies, t: _powers(n, t),
        "From ply `temperature_plies` on play the most visited move, of equals the first: a slip "
        "late in a game spoils z for every position before it.",
    ),
    _MoveFault(
        "draws one ply too long",
        lambda n, ply, plies, t: _powers(n, t) if ply <= plies else _first_best(n),
        "Plies are counted from 0: the first `temperature_plies` of them are those with "
        "`ply < temperature_plies`.",
    ),
    _MoveFault(
        "the opening the wrong way round",
        lambda n, ply, plies, t: _powers(n, t) if ply >= plies else _first_best(n),
        "Draw in the opening, and play the most visited move afterwards.",
    ),
    _MoveFault(
        "τ has no effect",
        lambda n, ply, plies, t: _shares(n) if ply < plies else _first_best(n),
        "In the opening a move is drawn in proportion to N^(1 / τ).",
    ),
    _MoveFault(
        "τ instead of 1 / τ",
        lambda n, ply, plies, t: _powers(n, 1 / t) if ply < plies else _first_best(n),
        "The exponent is 1 / τ: a *small* τ makes the largest count stand out.",
    ),
    _MoveFault(
        "all visited moves alike",
        lambda n, ply, plies, t: _shares(np.sign(n)) if ply < plies else _first_best(n),
        "In the opening a move is drawn in proportion to N^(1 / τ).",
    ),
)


@explained_for("10.1")
def check_choosing(call: Call) -> str:
    cases, targets, played = [], [], []
    for *arguments, target in _CASES:
        shown, rng = _in_words(*arguments), np.random.default_rng(0)
        pairs = [_pair(call, arguments, rng, shown) for _ in range(_DRAWS)]
        cases.append(Case(shown, tuple(arguments), target))
        targets.append(pairs[0][0])
        played.append(np.bincount([move for _, move in pairs], minlength=len(target)) / _DRAWS)
    compare(cases, targets, _TARGETS, tolerance=1e-5)
    for case in cases:
        _check_generator(call, case.arguments, case.shown)
    _compare_moves(cases, played)
    return (
        f"π is N / ΣN at every ply, and {_DRAWS:,} draws at each temperature have the shares "
        "that the rule asks for."
    )


def _pair(
    call: Call, arguments: Sequence, rng: np.random.Generator, shown: str
) -> tuple[list, int]:
    visits, ply, plies, temperature = arguments
    value, problem = call.attempt(list(visits), ply, plies, temperature, rng, shown=shown)
    if isinstance(problem, ValueError) and "sum to 1" in str(problem):
        raise Wrong(
            "draws from numbers that do not sum to 1",
            f"With {shown}, your function raised `ValueError`: {problem}. `rng.choice` wants "
            "probabilities: normalise *after* the power.",
        )
    pair = as_list(call.settle(value, problem)) or []
    target = as_list(pair[0]) if len(pair) == 2 else None
    if target is None or len(target) != len(visits) or as_list(pair[1]) is not None:
        raise Wrong(
            "not a pair (π, move)",
            f"With {shown}, (π, move) is asked for, π with {len(visits)} shares; you gave "
            f"{show(value):.80}.",
        )
    move = pair[1]
    if float(move) != int(move) or not 0 <= move < len(visits) or not visits[int(move)]:
        raise Wrong(
            "plays a move without visits",
            f"With {shown}, you play {show(move)}. Only moves with visits can be played.",
        )
    return target, int(move)


def _check_generator(call: Call, arguments: tuple, shown: str) -> None:
    """The same generator, seeded alike, draws the same moves."""
    ones, twos = (
        [_pair(call, arguments, rng, shown)[1] for _ in range(40)]
        for rng in (np.random.default_rng(5), np.random.default_rng(5))
    )
    if ones != twos:
        raise Wrong(
            "another generator than the one given",
            f"With {shown}, two generators with the same seed gave other moves. Draw from `rng`, "
            "or no run can be repeated.",
        )


def _distances(give: Give, played: list[np.ndarray]) -> list[float]:
    """How far the moves' shares are from what ``give`` would give, for each case."""
    pairs = zip(_CASES, played, strict=True)
    return [float(np.abs(np.array(give(*case[:4])) - shares).max()) for case, shares in pairs]


def _compare_moves(cases: list[Case], played: list[np.ndarray]) -> None:
    off = _distances(_chances, played)
    if max(off) < _CLOSE:
        return
    nearest = min(_MOVES, key=lambda fault: max(_distances(fault.give, played)))
    name, message = nearest.name, nearest.message
    if max(_distances(nearest.give, played)) >= _CLOSE:
        name, message = UNRECOGNISED, ""
        if all(shares.max() == 1 for shares in played):
            name = "the same draw every time"
            message = (
                "A generator made anew in the function, with a seed, starts over at each call."
            )
    worst = int(np.argmax(off))
    wanted, found = np.round(_chances(*_CASES[worst][:4]), 3), played[worst].round(3)
    raise Wrong(
        name,
        f"With {cases[worst].shown}, the shares of your moves are {show(found)}; {show(wanted)} is "
        f"asked for. {message}".rstrip(),
        [(f"shares of {_DRAWS:,} moves", wanted, found)],
    )


def _in_words(visits: Sequence[int], ply: int, plies: int, temperature: float) -> str:
    return (
        f"N = {list(visits)}, ply = {ply}, temperature_plies = {plies}, "
        f"temperature = {temperature:g}"
    )


EXERCISES = (
    Exercise(
        id="10.1",
        title="What to learn, what to play",
        minutes=12,
        difficulty=2,
        function="learn_and_play(visit_counts, ply, temperature_plies, temperature, rng)",
        check=check_choosing,
        diagnoses=(
            *(fault.name for fault in _TARGETS),
            *(fault.name for fault in _MOVES),
            "draws from numbers that do not sum to 1",
            "not a pair (π, move)",
            "plays a move without visits",
            "another generator than the one given",
            "the same draw every time",
        ),
        hints=(
            "Two things leave a search: π, from which the network learns, and a move. Only one "
            "of them knows a temperature.",
            "π = N / ΣN, always. For the draw: `weights = N ** (1 / temperature)`, divided by "
            "their sum, and `rng.choice(len(N), p=…)`.",
            "In near-code:\n\n"
            "    pi = N / sum of N\n"
            "    if ply < temperature_plies:\n"
            "        weights = N ** (1 / temperature)\n"
            "        move = one drawn from rng, by weights / sum of weights\n"
            "    else:\n"
            "        move = the first of the most visited\n"
            "    return pi, move",
        ),
    ),
)
