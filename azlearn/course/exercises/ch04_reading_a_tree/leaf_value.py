"""Repair: the end of a game (4.2). The values are worked out by hand."""

import numpy as np

from azlearn.course.drawing import drawn_line
from azlearn.course.kit import FOUR, THREE, Answer, Case, Rng, in_words
from azlearn.course.probe_games import P1, P2, P4, P5, P6
from azlearn.course.small_trees import columns
from azlearn.course.your_search import NUM_SIMULATIONS, START, SearchWith, consequence
from azlearn.search import Evaluation, Node, Recorder, random_rollout

ASKED = "whether `evaluate` is asked"

remark = consequence
CASES = [
    Case(words, (game, moves, said), {ASKED: said == value, "": value})
    for words, game, moves, said, value in (
        ("a board that Red has won, Yellow to move", FOUR, "1122334", 0.25, -1),
        ("a board that Yellow has won, Red to move", FOUR, "12131475", 0.25, -1),
        ("a drawn tic-tac-toe board", THREE, "132465789", 0.25, 0),
        ("a finished game that the player to move has won", P2, "1", 0.25, 1),
        ("a finished game that the player to move has lost", P1, "1", 0.25, -1),
        ("an unfinished game, the evaluator says 0.25", FOUR, "4453", 0.25, 0.25),
        ("an unfinished game, the evaluator says -0.5", FOUR, "44531", -0.5, -0.5),
        ("a game with one legal move, the evaluator says 0", P5, "", 0.0, 0.0),
    )
]  # fmt: skip


def draw(rng):
    game, before, actions = drawn_line(rng, (FOUR, THREE, P2, P4, P6), 42)
    moves = before + columns(actions)
    said = float(rng.choice([0.0, 1.0, -1.0, round(rng.uniform(-1, 1), 2)]))
    words = f"{in_words(game, moves)}, the evaluator would say {said:g}"
    return Case(words, (game, moves, said))


def observe(leaf_value, case):
    game, moves, said = case.arguments
    leaf, rng, asked = Node(game, game.from_moves(moves)), np.random.default_rng(0), []

    def evaluate(game, state, rng) -> float:
        asked.append((game, state, rng))
        return said

    value = leaf_value(game, leaf, evaluate, rng)
    return {
        ASKED: bool(asked),
        "": value,
        "whether it is asked about the leaf": all((game, leaf.state) == q[:2] for q in asked),
        "whether it is given `rng`": all(used is rng for *_, used in asked),
    }


class WithLeafValue(SearchWith):
    """UCT whose leaves are valued by the reader's function, ``leaf_value``."""

    leaf_value: Answer

    def evaluate_leaf(self, leaf: Node, rng: Rng) -> Evaluation:
        given = []

        def evaluate(game, state, rng) -> float:
            given.append(random_rollout()(game, state, rng))
            return given[-1].value

        leaf.raw_value = float(self.leaf_value(self.game, leaf, evaluate, rng))
        return Evaluation(None, leaf.raw_value, [move for one in given for move in one.moves])


def explore(call, diagnosis):
    search = WithLeafValue(recorder=Recorder())
    search.leaf_value = call.quietly
    search.run(START, NUM_SIMULATIONS, 0)
    return search.recorder.recording()
