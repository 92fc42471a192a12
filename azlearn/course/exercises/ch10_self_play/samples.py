"""The samples of a finished game (10.3): whose result is z? Who won was seen by hand."""

from typing import Any, NamedTuple

import numpy as np

from azlearn.course.comparing import as_list, same, show
from azlearn.course.drawing import drawn_game
from azlearn.course.marking import CHANGED, Seen, exercise
from azlearn.course.probe_games import P5, P6
from azlearn.games import ConnectFour, TicTacToe


class Game(NamedTuple):
    """A game, and from where on it was searched."""

    words: str
    game: Any
    before: str  # moves before the first search
    moves: str  # moves searched, to the end of the game
    right: Any = None


THREE, FOUR = TicTacToe(), ConnectFour()
CASES = [
    Game(f"the game {words}", game, before, moves, {"z": [*z]})
    for words, game, before, moves, z in (
        ('"14253", which X wins', THREE, "", "14253", (1, -1, 1, -1, 1)),
        ('"142596", which O wins', THREE, "", "142596", (-1, 1, -1, 1, -1, 1)),
        ('"512837469", a draw', THREE, "", "512837469", (0,) * 9),
        ('"15283", searched from "152" on, O to move; X wins', THREE, "152", "83", (-1, 1)),
        ('"152397", searched from "1" on, O to move; O wins', THREE, "1", "52397", (1, -1, 1, -1, 1)),
        (f'"11" of {P6.name}: the first player wins', P6, "", "11", (1, 1)),
        (f'"12" of {P6.name}: the first player loses', P6, "", "12", (-1, -1)),
    )
]  # fmt: skip


def draw(rng: np.random.Generator) -> Game:
    """Searched from its start, from somewhere, or only its last position."""
    game = (THREE, FOUR, P5, P6)[rng.integers(4)]
    moves = drawn_game(rng, game, game.max_plies)
    start = int(rng.choice([0, rng.integers(len(moves)), len(moves) - 1]))
    words = f'the game "{moves}" of {game.name}, searched from ply {start} on'
    return Game(words, game, moves[:start], moves[start:])


def observe(samples: Any, case: Game) -> Seen:
    game = case.game
    after = [f"{case.before}{case.moves[:ply]}" for ply in range(len(case.moves) + 1)]
    *states, final = map(game.from_moves, after)
    policies = [[float(ply)] * game.num_actions for ply in range(len(states))]
    given = list(states), [list(one) for one in policies]
    value = samples(game, *given, final)
    rows = [as_list(row) for row in as_list(value) or []]
    if as_list(value) is None or any(row is None or len(row) != 3 for row in rows):
        return {"what comes back": f"{show(value):.80}, no list of triples"}
    plies = [place(row[0], [*states, final]) for row in rows]
    return {
        "what comes back": "a list of triples",
        "whether the final position is a sample": len(states) in plies,
        "number of samples": len(rows),
        "which of `states` each has": plies,
        "which of `policies` each has": [place(row[1], policies) for row in rows],
        "z": [row[2] for row in rows],
        CHANGED: given != (states, policies),
    }


def place(one: Any, among: list) -> int | None:
    return next((number for number, other in enumerate(among) if same(one, other)), None)


EXERCISE = exercise(__file__, CASES, observe, draw=draw)
