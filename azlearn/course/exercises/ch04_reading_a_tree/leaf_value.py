"""Repair: the end of a game (4.2). The values are worked out by hand."""

from typing import Any, NamedTuple

import numpy as np

from azlearn.course.checking import Call
from azlearn.course.drawing import drawn_line
from azlearn.course.marking import Seen, exercise
from azlearn.course.probe_games import P1, P2, P4, P5, P6
from azlearn.course.small_trees import CONNECT_FOUR, TIC_TAC_TOE, columns
from azlearn.course.your_search import NUM_SIMULATIONS, START, SearchWith, consequence, in_words
from azlearn.search import Evaluation, Node, Recorder, Recording, random_rollout

ASKED = "whether `evaluate` is asked"


class Leaf(NamedTuple):
    """A leaf, and what the evaluator would say of it."""

    words: str
    game: Any
    moves: str
    said: float
    right: Any = None


CASES = [
    Leaf(words, game, moves, said, {ASKED: said == value, "": value})
    for words, game, moves, said, value in (
        ("a board that Red has won, Yellow to move", CONNECT_FOUR, "1122334", 0.25, -1),
        ("a board that Yellow has won, Red to move", CONNECT_FOUR, "12131475", 0.25, -1),
        ("a drawn tic-tac-toe board", TIC_TAC_TOE, "132465789", 0.25, 0),
        ("a finished game that the player to move has won", P2, "1", 0.25, 1),
        ("a finished game that the player to move has lost", P1, "1", 0.25, -1),
        ("an unfinished game, the evaluator says 0.25", CONNECT_FOUR, "4453", 0.25, 0.25),
        ("an unfinished game, the evaluator says -0.5", CONNECT_FOUR, "44531", -0.5, -0.5),
        ("a game with one legal move, the evaluator says 0", P5, "", 0.0, 0.0),
    )
]  # fmt: skip


def draw(rng: np.random.Generator) -> Leaf:
    game, before, actions = drawn_line(rng, (CONNECT_FOUR, TIC_TAC_TOE, P2, P4, P6), 42)
    moves = before + columns(actions)
    said = float(rng.choice([0.0, 1.0, -1.0, round(rng.uniform(-1, 1), 2)]))
    return Leaf(f"{in_words(game, moves)}, the evaluator would say {said:g}", game, moves, said)


def observe(leaf_value: Any, case: Leaf) -> Seen:
    leaf, rng = Node(case.game, case.game.from_moves(case.moves)), np.random.default_rng(0)
    asked = []

    def evaluate(game: Any, state: Any, rng: Any) -> float:
        asked.append((game, state, rng))
        return case.said

    value = leaf_value(case.game, leaf, evaluate, rng)
    return {
        ASKED: bool(asked),
        "": value,
        "whether it is asked about the leaf": all((case.game, leaf.state) == q[:2] for q in asked),
        "whether it is given `rng`": all(used is rng for *_, used in asked),
    }


class WithLeafValue(SearchWith):
    """UCT whose leaves are valued by the reader's function, ``leaf_value``."""

    leaf_value: Any

    def evaluate_leaf(self, leaf: Node, rng: np.random.Generator) -> Evaluation:
        given = []

        def evaluate(game: Any, state: Any, rng: np.random.Generator) -> float:
            given.append(random_rollout()(game, state, rng))
            return given[-1].value

        leaf.raw_value = float(self.leaf_value(self.game, leaf, evaluate, rng))
        return Evaluation(None, leaf.raw_value, [move for one in given for move in one.moves])


def explore(call: Call, diagnosis: str) -> Recording:
    search = WithLeafValue(recorder=Recorder())
    search.leaf_value = call.quietly
    search.run(START, NUM_SIMULATIONS, 0)
    return search.recorder.recording()


EXERCISE = exercise(__file__, CASES, observe, draw=draw, explore=explore, remark=consequence)
