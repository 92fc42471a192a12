"""Chapter 6, the reward of every move (6.1): the game's result for the player who made it.

Games, and who has won them, are written out by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare, same, show, signed
from azlearn.course.numbers import numbers
from azlearn.course.sections import explained_for

X, O = True, False  # noqa: E741  (the marks of tic-tac-toe: X is the first player)
X_WINS, O_WINS, DRAW = "14253", "142596", "512837469"

# words, games, their results for X, the rows as (game, who made the move), z by hand
GAMES = (
    (f'the game "{X_WINS}", which X wins', (X_WINS,), (1,),
     ((0, X), (0, O), (0, X), (0, O), (0, X)), (1, -1, 1, -1, 1)),
    (f'the game "{O_WINS}", which O wins, from its third move on', (O_WINS,), (-1,),
     ((0, X), (0, O), (0, X), (0, O)), (-1, 1, -1, 1)),
    (f'the game "{O_WINS}", which O wins, from its second move on', (O_WINS,), (-1,),
     ((0, O), (0, X), (0, O), (0, X), (0, O)), (1, -1, 1, -1, 1)),
    ("the learner's own moves in four games: won with X, won with O, drawn with O, lost with O",
     (X_WINS, O_WINS, DRAW, X_WINS), (1, -1, 0, 1),
     ((0, X), (0, X), (0, X), (1, O), (1, O), (1, O), (2, O), (2, O), (2, O), (2, O), (3, O), (3, O)),
     (1, 1, 1, 1, 1, 1, 0, 0, 0, 0, -1, -1)),
    (f'two games played in step, "{X_WINS}" (X wins) and "{O_WINS}" (O wins), ply by ply',
     (X_WINS, O_WINS), (1, -1),
     ((0, X), (1, X), (0, O), (1, O), (0, X), (1, X), (0, O), (1, O), (0, X), (1, X), (1, O)),
     (1, -1, -1, 1, 1, -1, -1, 1, 1, -1, 1)),
)  # fmt: skip


def cases() -> list[Case]:
    """Arguments: result [num_games], game_number [n], by_first [n]; right: z of each row."""
    made = []
    for words, _, result, rows, z in GAMES:
        game_number, by_first = (np.array(column) for column in zip(*rows, strict=True))
        made.append(Case(words, (np.array(result), game_number, by_first), list(z)))
    return made


def _z(result: np.ndarray, game_number: np.ndarray, by_first: np.ndarray) -> np.ndarray:
    """The right one."""
    return result[game_number] * np.where(by_first, 1, -1)


def _place_in_game(game_number: np.ndarray) -> np.ndarray:
    """0 for the first row of its game, 1 for the second, …"""
    seen: dict[int, int] = {}
    places = []
    for number in game_number.tolist():
        places.append(seen.get(number, 0))
        seen[number] = places[-1] + 1
    return np.array(places)


def _is_last(game_number: np.ndarray) -> np.ndarray:
    rows = {number: row for row, number in enumerate(game_number.tolist())}
    return np.isin(np.arange(len(game_number)), list(rows.values()))


def _fault(name: str, give: Callable[..., np.ndarray], message: str) -> Fault:
    return Fault(name, give, "for {case}, z is {right}; yours is {yours}. " + message)


_FAULTS = (
    _fault(
        "the first player's result for every move",
        lambda result, game, first: result[game],
        "`result` speaks for the first player. The second player's moves are rewarded with the "
        "opposite, or the loser learns to lose.",
    ),
    _fault(
        "the reward of the player who moves next",
        lambda *case: -_z(*case),
        "The sign is the wrong way round everywhere: the moves of the winner are punished. After "
        "a move the *other* player is to move; the reward is for the one who made it.",
    ),
    _fault(
        "a draw counted as a loss",
        lambda *case: np.where(_z(*case) == 0, -1, _z(*case)),
        "A draw is worth 0 to both.",
    ),
    _fault(
        "the sign changes from row to row",
        lambda result, game, first: result[game] * (-1) ** _place_in_game(game),
        "The rows need not be all moves of a game: it may begin later, and of the learner's own "
        "moves each has the same sign. `by_first` says who made the move.",
    ),
    _fault(
        "the sign changes from row to row",
        lambda result, game, first: result[game] * (-1) ** np.arange(len(game)),
        "The rows need not be all moves of one game, one after the other. `by_first` says who "
        "made the move.",
    ),
    _fault(
        "another game's result",
        lambda result, game, first: np.resize(result, len(game)) * np.where(first, 1, -1),
        "Row i is a move of game `game_number[i]`: look its result up there.",
    ),
    _fault(
        "only the last move is rewarded",
        lambda result, game, first: np.where(_is_last(game), _z(result, game, first), 0),
        "The rules reward the last position only, but every move before has helped to reach it: "
        "each gets the result of the whole game.",
    ),
    _fault(
        "only the winner's moves are rewarded",
        lambda *case: np.maximum(_z(*case), 0),
        "A loss is −1. With 0 for it a policy learns from its won games alone, and a move that "
        "always loses is never made rarer by its own games.",
    ),
    _fault(
        "points instead of values",
        lambda *case: (_z(*case) + 1) / 2,
        "A loss is −1, not 0, and a draw 0, not a half.",
    ),
)


@explained_for("6.1")
def check_rewards(call: Call) -> str:
    given = []
    for case in cases():
        copies = [column.copy() for column in case.arguments]
        value = numbers(call(*copies, shown=case.shown))
        if not isinstance(value, list) or len(value) != len(case.right):
            raise Wrong(
                "not one reward a move",
                f"For {case.shown}, {len(case.right)} moves are asked about; one z for each is "
                f"wanted. You gave {show(value):.80}.",
            )
        given.append(value)
    _refuse_fading(given)
    compare(cases(), given, _FAULTS, form=signed)
    return "Every move carries the result of its own game, for the player who made it."


def _refuse_fading(given: list[list[Any]]) -> None:
    """Right signs, but the earlier the move the smaller: discounted, by whatever factor."""
    if not all(isinstance(z, (int, float)) for row in given for z in row):
        return
    signs = [[float(np.sign(z)) for z in row] for row in given]
    if not all(same(case.right, row) for case, row in zip(cases(), signs, strict=True)):
        return
    sizes = [abs(z) for z in given[0]]
    if sizes != sorted(sizes) or sizes[0] == sizes[-1] or not same(sizes[-1], 1):
        return
    case = cases()[0]
    raise Wrong(
        "the reward fades",
        f"For {case.shown}, z is {signed(case.right)}; yours is {signed(given[0])}. Nothing is "
        "discounted: a game won late is won, and its first move has the same share in it.",
        [(case.shown, signed(case.right), signed(given[0]))],
    )


EXERCISES = (
    Exercise(
        id="6.1",
        title="Whose reward?",
        minutes=8,
        difficulty=1,
        function="rewards(result, game_number, by_first)",
        check=check_rewards,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _FAULTS),
            "the reward fades",
            "not one reward a move",
        ),
        hints=(
            "Two things decide a move's reward: how its game ended for the first player, and "
            "whether it was the first player who made it.",
            "`result[game_number]` is the first player's result for every row. Where `by_first` "
            "is False, turn the sign.",
            "In near-code:\n\n"
            "    for every move:\n"
            "        z = the result of its game, for the first player\n"
            "        if the second player made it: z = -z",
        ),
    ),
)
