"""The samples of a finished game (10.3): whose result is z? Who won was seen by hand."""

from azlearn.course.drawing import drawn_game
from azlearn.course.kit import CHANGED, FOUR, THREE, Case, gives, row, same
from azlearn.course.probe_games import P5, P6, chain

# Dots and Boxes ends like this: who closes the last box keeps the turn.
LAST = chain("a game in which the second player moves last and keeps the turn", [0, 1, 1], 1)

# Arguments: the game, moves before the first search, moves searched, to the end of the game.
CASES = [
    Case(f"the game {words}", (game, before, moves), {"z": [*z]})
    for words, game, before, moves, z in (
        ('"14253", which X wins', THREE, "", "14253", (1, -1, 1, -1, 1)),
        ('"142596", which O wins', THREE, "", "142596", (-1, 1, -1, 1, -1, 1)),
        ('"512837469", a draw', THREE, "", "512837469", (0,) * 9),
        ('"15283", searched from "152" on, O to move; X wins', THREE, "152", "83", (-1, 1)),
        ('"152397", searched from "1" on, O to move; O wins', THREE, "1", "52397", (1, -1, 1, -1, 1)),
        (f'"11" of {P6.name}: the first player wins', P6, "", "11", (1, 1)),
        (f'"12" of {P6.name}: the first player loses', P6, "", "12", (-1, -1)),
        (f'"11" of {LAST.name}, and wins', LAST, "", "11", (-1, 1)),
    )
]  # fmt: skip


def draw(rng):
    """Searched from its start, from somewhere, or only its last position."""
    game = (THREE, FOUR, P5, P6, LAST)[rng.integers(5)]
    moves = drawn_game(rng, game, game.max_plies)
    start = int(rng.choice([0, rng.integers(len(moves)), len(moves) - 1]))
    words = f'the game "{moves}" of {game.name}, searched from ply {start} on'
    return Case(words, (game, moves[:start], moves[start:]))


@gives("a list of triples")
def observe(samples, case):
    game, before, moves = case.arguments
    *states, final = (game.from_moves(before + moves[:ply]) for ply in range(len(moves) + 1))
    policies = [
        [ply + action / 16 for action in range(game.num_actions)] for ply in range(len(states))
    ]
    given = list(states), [list(one) for one in policies]
    rows = [row(one, 3) for one in row(samples(game, *given, final))]
    plies = [place(one[0], [*states, final]) for one in rows]
    return {
        "whether the final position is a sample": len(states) in plies,
        "number of samples": len(rows),
        "which of `states` each has": plies,
        "which of `policies` each has": [place(one[1], policies) for one in rows],
        "z": [one[2] for one in rows],
        CHANGED: given != (states, policies),
    }


def place(one, among: list) -> int | None:
    return next((number for number, other in enumerate(among) if same(one, other)), None)
