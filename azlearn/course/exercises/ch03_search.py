"""Chapter 3, the whole search (3.5).

Visits and values on the probe games are worked out by hand. On tic-tac-toe and Connect Four the
package's own search, which is tested against other engines, says what they should be.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from azlearn.course import faulty_searches as faulty
from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare, form_statistics, show
from azlearn.course.probe_games import P1, P2, P3, P4, P5, P6, P7
from azlearn.course.sections import explained_for
from azlearn.course.your_search import NUM_SIMULATIONS, TWICE, consequence, in_words, where_it_shows
from azlearn.games import ConnectFour, TicTacToe
from azlearn.search import MCTS, Evaluation, Node, Tree, hash_evaluator, random_rollout, uct

TIC_TAC_TOE, CONNECT_FOUR = TicTacToe(), ConnectFour()

# Every position that is not over is worth 0.25 to its player to move. By hand, with c = 1:
_BY_HAND = (
    # The only move wins, and each return to it counts.
    (P1, 5, [5], [5.0]),
    # 0 is a loss, 1 a draw: one visit each, then -1 + sqrt(ln 2) < sqrt(ln 2), and again.
    (P2, 4, [1, 3], [-1.0, 0.0]),
    # The values on the only path: -0.25, +0.25, 0, 0.
    (P4, 4, [4], [0.0]),
    # -0.25, then twice the lost end.
    (P5, 3, [0, 0, 0, 0, 3, 0, 0], [0, 0, 0, 0, -2.25, 0, 0]),
    # +0.25 (the same player moves on), -0.25, then below move 0 a win and a loss.
    (P6, 4, [3, 1], [0.25, -0.25]),
    # Three times the lost end; the second time its score is -1 already.
    (P7, 3, [3], [-3.0]),
)
# (game, moves, simulations, c); the values come from a jumble of the position's bits.
_AGAINST_REFERENCE = (
    (P3, "", 12, 0.7),
    (TIC_TAC_TOE, "152", 60, 0.7),
    (TIC_TAC_TOE, "1527", 90, 1.5),
    (CONNECT_FOUR, "445333", 80, 1.0),
)


class AskedAtTheEnd(Exception):
    """The evaluator was asked about a finished game."""


def quarter(game, state, rng) -> float:
    """Every position is worth 0.25 to its player to move; finished games are not to be asked."""
    if game.outcome(state) is not None:
        raise AskedAtTheEnd
    return 0.25


def jumble(game, state, rng) -> float:
    """A value that depends on the position alone; finished games are not to be asked."""
    if game.outcome(state) is not None:
        raise AskedAtTheEnd
    return hash_evaluator(game, state, rng).value


@cache
def search_cases() -> tuple[Case, ...]:
    """Arguments (game, state, simulations, c, evaluate); right: (visit_counts, value_sum)."""
    cases = []
    for game, simulations, visits, values in _BY_HAND:
        arguments = (game, game.initial_state(), simulations, 1.0, quarter)
        shown = f"{game.name} ({simulations} simulations, c = 1, every leaf worth 0.25)"
        cases.append(Case(shown, arguments, (visits, values)))
    for game, moves, simulations, c in _AGAINST_REFERENCE:
        state = game.from_moves(moves)
        root = MCTS(game, uct(c), lambda *a: Evaluation(None, jumble(*a))).run(state, simulations)
        shown = f"{in_words(game, moves)} ({simulations} simulations, c = {c:g})"
        right = (list(root.root.visit_counts), list(root.root.value_sum))
        cases.append(Case(shown, (game, state, simulations, c, jumble), right))
    return tuple(cases)


def _fault(name: str, message: str, search: type[MCTS]) -> Fault:
    return Fault(name, lambda *arguments: root_statistics(search, *arguments), message)


def root_statistics(
    search: type[MCTS], game, state, num_simulations: int, c: float, evaluate
) -> tuple[list[int], list[float]]:
    """N and W of the root's moves, after that search."""
    found = search(game, uct(c), lambda *asked: Evaluation(None, evaluate(*asked)))
    root = found.run(state, num_simulations).root
    return root.visit_counts, root.value_sum


_GOT = "for {case}, the root should hold {right}; yours holds {yours}. "
_FAULTS = (
    _fault(
        "value not negated at backup",
        _GOT + "What is good for one player is bad for the other (exercise 3.3).",
        faulty.WrongSign,
    ),
    _fault(
        "the sign starts on the wrong side",
        _GOT + "Already the last edge belongs to the other player than the leaf (exercise 3.3).",
        faulty.FlipsLate,
    ),
    _fault(
        TWICE,
        _GOT + "Negate only where `to_play` changes (exercise 3.3).",
        faulty.FlipsAlways,
    ),
    _fault(
        "finished game valued for the wrong player",
        _GOT + "`outcome` speaks for the player to move at the leaf, like every other value.",
        faulty.EndingForTheOther,
    ),
    _fault(
        "finished game counted as 0",
        _GOT + "A finished leaf is worth what the rules say, not 0.",
        faulty.EndingIsZero,
    ),
    _fault(
        "one simulation goes to the root",
        _GOT + "The root is in the tree from the start; each simulation adds one visit to it.",
        faulty.with_simulations(-1),
    ),
    _fault(
        "one simulation too many",
        _GOT + "num_simulations = n means n visits at the root.",
        faulty.with_simulations(1),
    ),
    _fault(
        "never goes below the first move",
        _GOT + "Go on selecting while there is a node behind the chosen move.",
        faulty.StaysShallow,
    ),
    _fault(
        "finished leaves are not backed up",
        _GOT + "A simulation that ends in a finished game is a visit like any other.",
        faulty.ForgetsEndings,
    ),
    _fault(
        "c is ignored",
        _GOT + "Those are the visits of c = 1, which the search below is run with.",
        faulty.with_c(1.0),
    ),
    _fault("no exploration", _GOT + "Those are the visits of c = 0.", faulty.with_c(0.0)),
    _fault(
        "evaluates the parent, not the new node",
        _GOT + "Evaluate the state of the node that was just added.",
        faulty.EvaluatesTheParent,
    ),
    _fault(
        "only the root's edge is updated",
        _GOT + "Every edge on the path gets the visit and the value.",
        faulty.BooksTheRootOnly,
    ),
    _fault(
        "of equal scores the last is taken",
        _GOT + "Both are fair; here, of equal scores take the first, so that searches can be "
        "compared (`>`, not `>=`).",
        faulty.TakesTheLast,
    ),
)


@explained_for("3.5")
def check_search(call: Call) -> str:
    cases, given = list(search_cases()), []
    for case in cases:
        game, state = case.arguments[:2]
        value, problem = call.attempt(*case.arguments, np.random.default_rng(0), shown=case.shown)
        if isinstance(problem, AskedAtTheEnd):
            raise Wrong(
                "evaluator asked about a finished game",
                f"On {case.shown}, your search called `evaluate` on a position whose game is over. "
                "If `leaf.outcome` is not None, that is the value: the rules decide. "
                "(A rollout from there plays nothing and returns the outcome; other evaluators guess.)",
            )
        if isinstance(problem, KeyError) and game is P5:
            raise Wrong(
                "an illegal move",
                f"On {case.shown}, your search followed the move {problem}; the only legal one is "
                "4. Choose among `node.legal_actions`.",
            )
        root = _root(call.settle(value, problem), state, case.shown)
        given.append((list(root.visit_counts), list(root.value_sum)))
    compare(cases, given, _FAULTS, form=form_statistics)
    return "Visit for visit the search of the package: by hand on the probes, by engine beyond."


def _root(value: Any, state: Any, shown: str) -> Node:
    root = getattr(value, "root", value)
    if not isinstance(root, Node):
        raise Wrong(
            "not the root",
            f"On {shown}, you gave back {show(value)} (a {type(value).__name__}). Give back the "
            "root node: it holds the visits, and the tree hangs below it.",
        )
    if root.state != state:
        raise Wrong(
            "a node below the root",
            f"On {shown}, the node you gave back is not the one of the position to search. "
            "Keep the root in a variable of its own while you walk down.",
        )
    return root


def explore_search(call: Call, diagnosis: str) -> Tree:
    """The reader's search with random rollouts, on a position where its fault shows."""
    rollout = random_rollout()
    game, start = where_it_shows(diagnosis)
    root = call.quietly(
        game,
        start,
        NUM_SIMULATIONS,
        1.0,
        lambda *arguments: rollout(*arguments).value,
        np.random.default_rng(0),
    )
    return Tree(game, _root(root, start, "the position below"))


EXERCISES = (
    Exercise(
        id="3.5",
        title="The whole search",
        minutes=25,
        difficulty=3,
        function="uct_search(game, state, num_simulations, c, evaluate, rng)",
        check=check_search,
        explore=explore_search,
        remark=consequence,
        diagnoses=(
            *(fault.name for fault in _FAULTS),
            "evaluator asked about a finished game",
            "an illegal move",
            "not the root",
            "a node below the root",
        ),
        hints=(
            "One simulation is one walk: select down to an edge with no node behind it (or to a "
            "finished game), expand, evaluate, back up. Do it num_simulations times.",
            "Walk with `while node is not None and node.outcome is None`. After it, a missing "
            "node is expanded; then the value is `leaf.outcome` if that is not None, else "
            "`evaluate(game, leaf.state, rng)`.",
            "In near-code:\n\n"
            "    root = Node(game, state)\n"
            "    num_simulations times:\n"
            "        path, node = [], root\n"
            "        while node is not None and node.outcome is None:\n"
            "            action = the highest UCT score (3.1)\n"
            "            path.append((node, action)); node = node.children[action]\n"
            "        leaf = node, or a new child behind path[-1] (3.2)\n"
            "        value = leaf.outcome, or evaluate(...) if that is None\n"
            "        back value up along path (3.3)\n"
            "    return root",
        ),
    ),
)
