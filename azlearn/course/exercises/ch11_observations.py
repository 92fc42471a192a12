"""Chapter 11, what a match has observed (11.1): distinct games, and one score an opening.

The games are of tic-tac-toe, written by hand; so are the right answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from azlearn.arena import PlayedGame
from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, as_list, compare, show
from azlearn.course.sections import explained_for

# Two openings of two plies, and games that follow them: X wins, O wins, a draw.
X_51, O_51, DRAW_51 = "5186432", "51679384", "512346987"
X_12, DRAW_12 = "125834697", "127439658"

Games = tuple[PlayedGame, ...]


def _game(moves: str, a_first: bool, score: float) -> PlayedGame:
    return PlayedGame(moves[:2], moves, a_first, score)


def _cases() -> list[Case]:
    pair_51 = _game(X_51, True, 1.0), _game(DRAW_51, False, 0.5)
    pair_12 = _game(DRAW_12, True, 0.5), _game(X_12, False, 0.0)
    twins = _game(X_51, True, 1.0), _game(X_51, False, 0.0)
    loss = _game(O_51, True, 0.0)
    rows = (
        ("two openings, a pair of games each", (*pair_51, *pair_12), (4, [0.25, 0.75])),
        ("the same two pairs, three times over", 3 * (*pair_51, *pair_12), (4, [0.25, 0.75])),
        ("twins: one game, played with both colours", (*twins, *pair_12), (3, [0.25, 0.5])),
        (
            "five games that are not sorted by opening",
            (pair_51[0], pair_12[0], pair_51[1], loss, pair_12[1]),
            (5, [0.25, 0.5]),
        ),
    )
    return [Case(shown, (games,), right) for shown, games, right in rows]


def _distinct(games: Games) -> int:
    return len({game.moves for game in games})


def _by_opening(games: Games) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for game in games:
        found.setdefault(game.opening, []).append(game.score)
    return found


def _means(games: Games) -> list[float]:
    return [sum(scores) / len(scores) for scores in _by_opening(games).values()]


def _neighbours(games: Games) -> list[float]:
    pairs = zip(games[::2], [*games[1::2], games[-1]], strict=False)
    return [(one.score + other.score) / 2 for one, other in pairs]


def _first_of_each(games: Games) -> Games:
    return tuple({game.moves: game for game in reversed(games)}.values())


def _in_view_of_the_first(games: Games) -> Games:
    return tuple(
        PlayedGame(g.opening, g.moves, g.a_first, g.score if g.a_first else 1 - g.score)
        for g in games
    )


def _fault(
    name: str,
    message: str,
    number: Callable[[Games], int] = _distinct,
    scores: Callable[[Games], Sequence[float]] = _means,
) -> Fault:
    return Fault(
        name,
        lambda games: (number(games), sorted(scores(games))),
        "for {case}, the right answer is {right}; yours is {yours}. " + message,
    )


_COPIES = (
    "A game that is played again teaches nothing new. Two games are the same if their `moves` are."
)
_UNIT = (
    "The games of one opening share its luck. They are one observation together: their mean score."
)
_FAULTS = (
    _fault("copies counted", _COPIES, number=len),
    _fault(
        "openings counted, not games",
        "Players can leave one opening by different games: count different `moves`.",
        number=lambda games: len(_by_opening(games)),
    ),
    _fault(
        "colours make two of one game",
        "Two players who think alike play the same moves whoever is first. The moves are the game: "
        "leave `a_first` out.",
        number=lambda games: len({(g.moves, g.a_first) for g in games}),
    ),
    _fault("every game is a unit", _UNIT, scores=lambda games: [g.score for g in games]),
    _fault(
        "neighbours taken for pairs",
        "You pair games that stand side by side. Group them by their `opening`.",
        scores=_neighbours,
    ),
    _fault(
        "sums instead of means",
        "A score lies in [0, 1]: divide by the number of games of that opening.",
        scores=lambda games: [sum(scores) for scores in _by_opening(games).values()],
    ),
    _fault(
        "copies thrown away before the mean",
        "Where both colours play the same moves, the two results belong to different sides: 1 and 0 "
        "make 1/2. Throw nothing away; copies do not change a mean when all are there.",
        scores=lambda games: _means(_first_of_each(games)),
    ),
    _fault(
        "scores of the first player",
        "`score` is a's already, whoever was first. Do not turn it over.",
        scores=lambda games: _means(_in_view_of_the_first(games)),
    ),
)


def _pair(value: Any, shown: str) -> tuple[Any, Any]:
    pair = as_list(value)
    scores = as_list(pair[1]) if pair is not None and len(pair) == 2 else None
    if scores is None or as_list(pair[0]) is not None:
        raise Wrong(
            "not a number and a list",
            f"For {shown}, give a pair: how many distinct games, and a list with one mean score an "
            f"opening. You gave {show(value):.80}.",
        )
    return pair[0], sorted(map(float, scores))


@explained_for("11.1")
def check_observations(call: Call) -> str:
    given = []
    for case in _cases():
        given.append(_pair(call(*case.arguments, shown=case.shown), case.shown))
    compare(_cases(), given, _FAULTS, form=lambda pair: f"{pair[0]} games, scores {show(pair[1])}")
    return "However often a match repeats itself, your count and your scores stay what they were."


EXERCISES = (
    Exercise(
        id="11.1",
        title="What has been observed?",
        minutes=8,
        difficulty=1,
        function="observations(games)",
        check=check_observations,
        diagnoses=(*(fault.name for fault in _FAULTS), "not a number and a list"),
        hints=(
            "Two questions, two groupings: by `moves` for the count, by `opening` for the scores.",
            "`len({game.moves for game in games})`; and a dictionary from opening to a list of scores, "
            "filled with `setdefault(game.opening, []).append(game.score)`.",
            "In near-code:\n\n"
            "    scores = an empty dictionary\n"
            "    for every game: append its score to the list of its opening\n"
            "    return (how many different moves there are, the mean of each list)",
        ),
    ),
)
