"""Chapter 4, two faults of the bug clinic to repair: 4.2 the end of a game, 4.3 the bonus.

The values of the leaves and the scores were worked out by hand.
"""

from __future__ import annotations

import math
from typing import Any

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, Case, Fault, as_list, compare, same, show
from azlearn.course.probe_games import P1, P2, P5
from azlearn.course.sections import explained_for
from azlearn.course.three_moves import LEGAL, THREE_LEFT, TIC_TAC_TOE, node_with, statistics
from azlearn.course.your_search import (
    GAME,
    NUM_SIMULATIONS,
    START,
    SearchWith,
    consequence,
    record_with,
)
from azlearn.search import Evaluation, Node, Recorder, Recording, random_rollout

# --- 4.2 the end of a game -----------------------------------------------------------------------


class _AskedAtTheEnd(Exception):
    """The evaluator was asked about a finished game."""


# (words, game, moves, what the evaluator says, right value)
_LEAVES = (
    ("a board that Red has won, Yellow to move", GAME, "1122334", None, -1.0),
    ("a board that Yellow has won, Red to move", GAME, "12131475", None, -1.0),
    ("a drawn tic-tac-toe board", TIC_TAC_TOE, "132465789", None, 0.0),
    ("a finished game that the player to move has won", P2, "1", None, 1.0),
    ("a finished game that the player to move has lost", P1, "1", None, -1.0),
    ("an unfinished game, the evaluator says 0.25", GAME, "4453", 0.25, 0.25),
    ("an unfinished game, the evaluator says -0.5", GAME, "44531", -0.5, -0.5),
    ("a game with one legal move, the evaluator says 0", P5, "", 0.0, 0.0),
)


def _leaf_cases() -> list[Case]:
    """Arguments: outcome, player to move, what the evaluator says."""
    cases = []
    for words, game, moves, said, value in _LEAVES:
        leaf = Node(game, game.from_moves(moves))
        cases.append(Case(words, (leaf.outcome, leaf.to_play, said), value))
    return cases


def _ended(give) -> Any:
    """A fault that concerns finished games only."""
    return lambda outcome, to_play, said: said if outcome is None else give(outcome, to_play)


_LEAF_FAULTS = (
    Fault(
        "finished game valued for the wrong player",
        _ended(lambda outcome, to_play: -outcome),
        "for {case}, the value is {right}; yours is {yours}. That is still the fault that "
        "was there: `outcome` speaks for the player to move already.",
    ),
    Fault(
        "the other sign was changed",
        lambda outcome, to_play, said: -said if outcome is None else -outcome,
        "for {case}, the value is {right}; yours is {yours}, and the evaluator's value is "
        "negated as well. Both speak for the player to move: no sign changes here.",
    ),
    Fault(
        "the evaluator's value is negated",
        lambda outcome, to_play, said: -said if outcome is None else outcome,
        "for {case}, the value is {right}; yours is {yours}. The end is right now, but "
        "`evaluate` speaks for the player to move too.",
    ),
    Fault(
        "every end is a loss",
        _ended(lambda outcome, to_play: -1.0),
        "for {case}, the value is {right}; yours is {yours}. Most games end with a loss for the "
        "player to move, but not all: there are draws, and in some games the last mover loses.",
    ),
    Fault(
        "every end is a win",
        _ended(lambda outcome, to_play: 1.0),
        "for {case}, the value is {right}; yours is {yours}. `leaf.outcome` says how it ended.",
    ),
    Fault(
        "in the first player's view",
        _ended(lambda outcome, to_play: outcome if to_play == 0 else -outcome),
        "for {case}, the value is {right}; yours is {yours}. You turn the outcome for one of the "
        "players; a value is for the player to move, whoever that is.",
    ),
    Fault(
        "finished game counted as 0",
        _ended(lambda outcome, to_play: 0.0),
        "for {case}, the value is {right}; yours is {yours}. The rules know better than 0.",
    ),
    Fault(
        "draw counted as a loss",
        _ended(lambda outcome, to_play: 1.0 if outcome > 0 else -1.0),
        "for {case}, the value is {right}; yours is {yours}. There are three outcomes.",
    ),
)


@explained_for("4.2")
def check_leaf_value(call: Call) -> str:
    cases, given, asked = _leaf_cases(), [], []
    for case, (words, game, moves, said, _) in zip(cases, _LEAVES, strict=True):
        leaf = Node(game, game.from_moves(moves))

        def evaluate(game, state, rng, said: float | None = said) -> float:
            if said is None:
                raise _AskedAtTheEnd
            return said

        value, problem = call.attempt(game, leaf, evaluate, None, shown=words)
        if isinstance(problem, _AskedAtTheEnd):
            asked.append(case)
            value, problem = math.nan, None
        given.append(call.settle(value, problem))
    if asked:
        drawn = [case.right for case in asked] == [0.0]
        raise Wrong(
            "a draw is taken for no result" if drawn else "evaluator asked about a finished game",
            f"For {asked[0].shown}, your function asked `evaluate`. "
            + (
                "`if leaf.outcome:` is false for a draw, 0, too: ask whether it `is not None`."
                if drawn
                else "If `leaf.outcome` is not None, the rules have decided: that is the value."
            ),
        )
    compare(cases, given, _LEAF_FAULTS)
    return "The rules decide at the end, the evaluator before it, both for the player to move."


class _WithLeafValue(SearchWith):
    """UCT whose leaves are valued by the reader's function."""

    def __init__(self, leaf_value, **options) -> None:
        super().__init__(**options)
        self.leaf_value = leaf_value

    def evaluate_leaf(self, leaf, rng):
        rollout, moves = random_rollout(), []

        def evaluate(game, state, rng) -> float:
            evaluation = rollout(game, state, rng)
            moves.extend(evaluation.moves)
            return evaluation.value

        value = float(self.leaf_value(self.game, leaf, evaluate, rng))
        leaf.raw_value = value
        return Evaluation(None, value, moves)


def explore_leaf_value(call: Call, diagnosis: str) -> Recording:
    recorder = Recorder()
    search = _WithLeafValue(call.quietly, game=GAME, recorder=recorder)
    search.run(START, NUM_SIMULATIONS, 0)
    return recorder.recording()


# --- 4.3 the bonus -------------------------------------------------------------------------------

# N, W, c on the actions 2, 6, 8; ΣN = 16, 100, 4, 9; the scores of the three by hand.
_NODES = (
    ((10, 5, 1), (4, -1, 0), 1.0, (0.926554, 0.544659, 1.665109)),
    ((90, 8, 2), (9, 4, -2), 1.0, (0.326205, 1.258714, 0.517427)),
    ((90, 8, 2), (9, 4, -2), 0.5, (0.213102, 0.879357, -0.241286)),
    ((4, 0, 0), (2, 0, 0), 1.0, (1.088705, math.inf, math.inf)),
    ((3, 3, 3), (-3, 0, 3), 2.0, (0.711617, 1.711617, 2.711617)),
)


def _scores(visits, sums, bonus) -> list[float]:
    """W / N + bonus(N), infinite without visits."""
    pairs = zip(visits, sums, strict=True)
    return [w / n + bonus(n) if n else math.inf for n, w in pairs]


def _total_fault(name: str, message: str, total) -> Fault:
    """UCT with total(visits, N) for ΣN."""

    def give(visits, sums, c: float) -> list[float]:
        def bonus(n: int) -> float:
            return c * math.sqrt(math.log(max(total(visits, n), 1)) / n)

        return _scores(visits, sums, bonus)

    return Fault(name, give, message)


_SCORES = "at {case}, the scores of 2, 6 and 8 are {right}; yours are {yours}. "
_SCORE_FAULTS = (
    _total_fault(
        "counts the moves, not their visits",
        _SCORES + "The total is still the number of moves that have been tried.",
        lambda visits, n: sum(x > 0 for x in visits),
    ),
    _total_fault(
        "counts the legal moves",
        _SCORES + "The total does not grow: three moves are three moves at every visit.",
        lambda visits, n: len(visits),
    ),
    _total_fault(
        "the largest N for the total",
        _SCORES + "ΣN is the sum of all visits, not the largest of them.",
        lambda visits, n: max(visits),
    ),
    _total_fault(
        "the other moves' visits only",
        _SCORES + "ΣN counts the move itself too.",
        lambda visits, n: sum(visits) - n,
    ),
    _total_fault(
        "one visit too many",
        _SCORES
        + "Those are the scores with ln(ΣN + 1). The edges of this node have ΣN visits; the "
        "one that made the node is the parent's.",
        lambda visits, n: sum(visits) + 1,
    ),
    Fault(
        "c inside the square root",
        lambda n, w, c: _scores(n, w, lambda x: math.sqrt(c * math.log(sum(n)) / x)),
        _SCORES + "c stands before the root: inside, c = 4 would count as 2.",
    ),
    Fault(
        "N and ΣN swapped in the bonus",
        lambda n, w, c: _scores(n, w, lambda x: c * math.sqrt(math.log(x) / sum(n))),
        _SCORES + "Your root is √(ln N / ΣN): ΣN belongs under the logarithm, N below the line. So "
        "the bonus falls with every visit to the move, and grows with those to the others.",
    ),
    Fault(
        "logarithm to base 10",
        lambda n, w, c: _scores(n, w, lambda x: c * math.sqrt(math.log10(sum(n)) / x)),
        _SCORES + "ln is the natural logarithm, `math.log`: ln 100 = 4.605, log₁₀ 100 = 2.",
    ),
    Fault(
        "unvisited move scores 0",
        lambda n, w, c: [
            x if x < math.inf else 0.0
            for x in _scores(n, w, lambda x: c * math.sqrt(math.log(sum(n)) / x))
        ],
        _SCORES + "An untried move goes first: its score is infinite.",
    ),
)


@explained_for("4.3")
def check_scores(call: Call) -> str:
    cases, given = [], []
    for visits, sums, c, right in _NODES:
        shown = f"{statistics(visits, sums)}, c = {c:g}"
        value, problem = call.attempt(node_with(visits, sums), c, shown=shown)
        if isinstance(problem, ZeroDivisionError):
            raise Wrong(
                "unvisited move divides by zero",
                f"At {shown}, your function divides by the N of an action that has none (illegal ones "
                "have none either). Its score is infinite.",
            )
        given.append(_of_legal(call.settle(value, problem), shown))
        cases.append(Case(shown, (visits, sums, c), right))
    compare(cases, given, _SCORE_FAULTS, tolerance=1e-5)
    value, problem = call.attempt(Node(TIC_TAC_TOE, THREE_LEFT), 1.0, shown="a fresh node")
    if isinstance(problem, ValueError):
        raise Wrong(
            "a fresh node has no logarithm",
            f"At a node without visits your function raised `ValueError`: {problem}. ln(0) does not "
            "exist; every score is infinite there.",
        )
    fresh = _of_legal(call.settle(value, problem), "a fresh node")
    if not same(fresh, [math.inf] * len(LEGAL)):
        raise Wrong(
            UNRECOGNISED, f"At a fresh node every score is infinite; yours are {show(fresh)}."
        )
    return "The total grows with every visit, and with it the bonus of whatever is left alone."


def _of_legal(value: Any, shown: str) -> list[Any]:
    scores = as_list(value)
    if scores is None or len(scores) != TIC_TAC_TOE.num_actions:
        raise Wrong(
            "not one score an action",
            f"At {shown}, a list of {TIC_TAC_TOE.num_actions} scores is asked for, one an action, "
            f"legal or not; you gave {show(value):.80}.",
        )
    return [scores[action] for action in LEGAL]


def explore_scores(call: Call, diagnosis: str) -> Recording:
    def select(node: Node, c: float) -> int:
        return max(node.legal_actions, key=call.quietly(node, c).__getitem__)

    return record_with(select=select)


EXERCISES = (
    Exercise(
        id="4.2",
        title="Repair: the end of a game",
        minutes=8,
        difficulty=1,
        function="leaf_value(game, leaf, evaluate, rng)",
        check=check_leaf_value,
        explore=explore_leaf_value,
        remark=consequence,
        diagnoses=(
            *(fault.name for fault in _LEAF_FAULTS),
            "a draw is taken for no result",
            "evaluator asked about a finished game",
        ),
        hints=(
            "For whom does `leaf.outcome` speak? Read the docstring of `Node`, then the line again.",
            "The outcome is for the player to move at the leaf, who did not make the last move. "
            "Backup does the flip.",
            "In near-code:\n\n"
            "    if the outcome is not None: return the outcome\n"
            "    otherwise: what evaluate says of leaf.state",
        ),
    ),
    Exercise(
        id="4.3",
        title="Repair: the bonus",
        minutes=8,
        difficulty=2,
        function="scores(node, c)",
        check=check_scores,
        explore=explore_scores,
        remark=consequence,
        diagnoses=(
            *(fault.name for fault in _SCORE_FAULTS),
            "unvisited move divides by zero",
            "a fresh node has no logarithm",
            "not one score an action",
        ),
        hints=(
            "A move that is left alone should get a larger bonus with every visit to the others. Which "
            "number in it has to grow for that?",
            "`sum(n > 0 for n in visits)` counts moves. ΣN counts visits. Mind a node without any: "
            "ln(0) does not exist.",
            "In near-code:\n\n"
            "    log_total = ln(sum of visits, or 1 if there are none)\n"
            "    for every action: W / N + c * sqrt(log_total / N), infinity if N is 0",
        ),
    ),
)
