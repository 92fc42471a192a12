"""One simulation of AlphaGo (7.5). N and W at the roots of the probe games are worked out by hand."""

from collections import Counter

import numpy as np

from azlearn.course.drawing import drawn_moves
from azlearn.course.kit import FOUR, THREE, Case, in_words
from azlearn.course.probe_games import P2, P4, P5, P6, PROBE_GAMES
from azlearn.course.your_alphago import search_with
from azlearn.games import State
from azlearn.search import Node, puct
from azlearn.search.evaluators import hash_value

SCORES = puct(1.0)
# A legal move's weight in the prior, from its place among them and the position behind it.
PRIORS = {
    "leaning": lambda place, child: 1 if place else 9,
    "even": lambda place, child: 1,
    "jumbled": lambda place, child: 1.5 + hash_value(*child),
    "0 for the first move": lambda place, child: place,
}
# A leaf's value, from the position and the number of its visits before; exact in binary.
VALUES = {
    "0.5 and -0.25 in turn": lambda state, visit: (0.5, -0.25)[visit % 2],
    "jumbled": lambda state, visit: ((hash_value(*state) * 32 + 32 + 23 * visit) % 64 - 32) / 32,
    "0": lambda state, visit: 0.0,
}
BY_HAND, JUMBLED = ("leaning", "0.5 and -0.25 in turn"), ("jumbled", "jumbled")


def case(game, moves: str, n: int, threshold: int, how: tuple[str, str], *right) -> Case:
    kinds = "" if how == BY_HAND else f", priors: {how[0]}, values: {how[1]}"
    words = f"{n} simulations of {in_words(game, moves)}, threshold {threshold}{kinds}"
    seen = dict(zip(("N", "W"), right, strict=True)) if right else None
    return Case(words, (game, moves, n, threshold, *how), seen)


NUM_DRAWN = 60
explore, remark = search_with("simulate")
CASES = [
    case(P4, "", 3, 1, BY_HAND, [3], [0.25]),  # -0.5, then 0.25 and expanded; then 0.5 two plies down, for the root's player
    case(P2, "", 4, 0, BY_HAND, [1, 3], [-1, 0]),  # 0 loses: -1 + 0.9/2 against 0.1, then -1 + 0.45·√2 against 0.05·√2, …
    case(P6, "", 4, 1, BY_HAND, [4, 0], [2.25, 0]),  # 0.5 and -0.25 for the player who moves again; then his win, twice
    case(P5, "", 4, 1, BY_HAND, [0, 0, 0, 0, 4, 0, 0], [0, 0, 0, 0, -2.25, 0, 0]),  # -0.5, 0.25, then twice the lost end
    case(THREE, "152", 60, 0, JUMBLED),
    case(THREE, "1527", 90, 2, JUMBLED),
    case(FOUR, "445333", 80, 3, JUMBLED),
    case(FOUR, "44", 40, 1, ("even", "jumbled")),
]  # fmt: skip


def prior(weight: str, game, state: State) -> list[float]:
    """The last legal move always has a part."""
    weights, legal = [0.0] * game.num_actions, game.legal_actions(state)
    for place, action in enumerate(legal):
        weights[action] = PRIORS[weight](place, game.next_state(state, action))
    weights[legal[-1]] = weights[legal[-1]] or 1.0
    return [one / sum(weights) for one in weights]


def draw(rng):
    game = (THREE, THREE, FOUR, *PROBE_GAMES)[rng.integers(3 + len(PROBE_GAMES))]
    moves, n, threshold = drawn_moves(rng, game), rng.integers(1, 30), rng.choice([0, 1, 2, 5])
    how = str(rng.choice(list(PRIORS))), str(rng.choice(list(VALUES)))
    return case(game, moves, int(n), int(threshold), how)


def observe(simulate, case):
    game, moves, num_simulations, threshold, weight, value = case.arguments
    root, visits, asked, refused = Node(game, game.from_moves(moves)), Counter(), [], []

    def refuse(question: str) -> None:
        refused.append(question)
        raise ValueError

    def select(node: Node) -> np.ndarray:
        if node.prior is None:
            refuse("the scores of a node without a prior")
        legal = np.isin(range(game.num_actions), node.legal_actions)
        return np.where(legal, SCORES(node), 9.0 if game.rows else -9.0)  # tables only raise there

    def policy(game, state: State) -> list[float]:
        if game.outcome(state) is not None:
            refuse("the policy about a finished game")
        asked.append(state)
        return prior(weight, game, state)

    def evaluate(game, state: State) -> float:
        if game.outcome(state) is not None:
            refuse(f"`evaluate` about a {'won' if game.outcome(state) else 'drawn'} game")
        visits[state] += 1
        return VALUES[value](state, visits[state] - 1)

    root.prior = prior(weight, game, root.state)
    for _ in range(num_simulations):
        try:
            simulate(game, root, select, policy, evaluate, threshold)
        except Exception:
            if not refused:
                raise
            break
    return {
        "a question that may not be asked": refused[0] if refused else "none",
        "whether a node hangs below the root": any(root.children),
        "N": root.visit_counts,
        "W": root.value_sum,
        "N one ply down": [child and child.visit_counts for child in root.children],
        "questions to the policy": len(asked),
    }
