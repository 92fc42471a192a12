"""What a leaf is worth (7.2): λ, and whose result a rollout's is. The values are worked out by hand."""

from azlearn.course.kit import FOUR, THREE, Case
from azlearn.course.probe_games import P2, P6
from azlearn.course.your_alphago import search_with
from azlearn.search.evaluators import random_moves

# words, game, moves to the leaf, moves of the rollout, v, λ, right
LINES = (
    # X wins; at the end it is O's turn. z = +1 for X, who moves at the leaf: 0.75·0.2 + 0.25. Then the same end for O.
    ("X to move at the leaf, v = 0.2, a rollout that X wins, λ = 0.25", THREE, "15", "293", 0.2, 0.25, 0.4),
    ("O to move at the leaf, v = 0.2, a rollout that X wins, λ = 0.25", THREE, "1", "5293", 0.2, 0.25, -0.1),
    # Yellow wins by column 2: z = +1 for Yellow: 0.25·(-0.6) + 0.75.
    ("Yellow to move at the leaf, v = -0.6, a rollout that Yellow wins, λ = 0.75", FOUR, "1", "2123232", -0.6, 0.75, 0.6),
    ("X to move at the leaf, v = 0.5, a drawn rollout, λ = 0.5", THREE, "132465", "789", 0.5, 0.5, 0.25),
    # O has 2, 5, 8; at the end it is X's turn, as at the leaf.
    ("X to move at the leaf, v = 0.1, a rollout that O wins, λ = 1", THREE, "12", "4598", 0.1, 1.0, -1.0),
    ("X to move at the leaf, v = 0.3, a rollout that X wins, λ = 0", THREE, "15", "293", 0.3, 0.0, 0.3),
    ("a leaf where the game is over, won by X, and v = 0.4 for O, λ = 0.5", THREE, "15293", "", 0.4, 0.5, -1.0),
    ("a leaf where the game is over, drawn, and v = 0.6, λ = 0.5", THREE, "132465789", "", 0.6, 0.5, 0.0),
    ("a leaf where the player to move has won, and v = -0.2, λ = 0.25", P2, "1", "", -0.2, 0.25, 1.0),
    # Move 0, and the same player moves again and wins: 0.5·(-0.5) + 0.5.
    ("a leaf reached by a player who moves again and wins the rollout, v = -0.5, λ = 0.5", P6, "1", "1", -0.5, 0.5, 0.25),
)  # fmt: skip
explore, remark = search_with("leaf_value")
CASES = [
    Case(
        words, (game, game.from_moves(before), v, game.from_moves(before + rollout), weight), right
    )
    for words, game, before, rollout, v, weight, right in LINES
]


def draw(rng):
    """A random game; the leaf is somewhere in it, now and then at its end."""
    game = (THREE, THREE, FOUR, P2, P6)[rng.integers(5)]
    actions, final = random_moves(game, game.initial_state(), rng)
    moves = "".join(str(action + 1) for action in actions)
    before = moves[: rng.integers(len(moves) + 1)]
    v, weight = (float(rng.choice([0, 1, x, x])) for x in rng.random(2).round(2))
    v = v * int(rng.choice([-1, 1])) + 0.0  # no -0
    words = f'{game.name}, leaf after "{before}", rollout to "{moves}", v = {v:g}, λ = {weight:g}'
    return Case(words, (game, game.from_moves(before), v, final, weight))


def observe(leaf_value, case):
    return {"": leaf_value(*case.arguments)}
