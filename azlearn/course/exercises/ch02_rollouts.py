"""Chapter 2, rollouts: whose value they are (2.1), flat Monte Carlo (2.2).

The truth comes from games with one forced line, from a scripted rollout whose sums are done by
hand, and from the exact odds of random tic-tac-toe (X wins 58.5 %, O 28.8 %, 12.7 % are drawn).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, Case, Fault, as_list, compare, same, show
from azlearn.course.probe_games import P1, P2, P4, P5, P6, Row, TableGame
from azlearn.games import TicTacToe
from azlearn.search import MCTS, Evaluation, Recorder, uct

TIC_TAC_TOE = TicTacToe()
EMPTY_BOARD_MEAN = 0.297  # 0.585 - 0.288, for the first player, under random play

# --- 2.1 rollout ---------------------------------------------------------------------------------

_TWICE = TableGame(
    "a player moves twice, then has won",
    1,
    (Row(0, ((0, 1),)), Row(0, ((0, 2),)), Row(1, value=-1)),
)
_SECOND_MOVES = TableGame(
    "the second player's forced win",
    1,
    (Row(1, ((0, 1),)), Row(0, ((0, 2),)), Row(1, value=+1)),
)

# One forced line each, so that even a random rollout has one result.
_FORCED = (
    (P1, "one move, and it wins", +1),
    (P5, "one legal move of seven, then a reply that wins", -1),
    (_SECOND_MOVES, "the second player moves, the first must let it win", +1),
    (_TWICE, "the same player moves twice and wins", +1),
    (P4, "three forced moves to a draw", 0),
)


def _rollout_cases() -> list[Case]:
    cases = [Case(words, (game, game.initial_state()), value) for game, words, value in _FORCED]
    lost = TIC_TAC_TOE.from_moves("15243")
    return [*cases, Case("a finished game: X has a line, O to move", (TIC_TAC_TOE, lost), -1)]


def _forced_line(game, state) -> tuple[Any, int]:
    plies = 0
    while game.outcome(state) is None:
        state, plies = game.next_state(state, game.legal_actions(state)[0]), plies + 1
    return state, plies


def _final_value(game, state) -> int:
    return game.outcome(_forced_line(game, state)[0])


def _rollout_value(game, state, draw: Any = 0) -> Any:
    final, _ = _forced_line(game, state)
    value = game.outcome(final)
    if value == 0:
        return draw
    return value if game.to_play(final) == game.to_play(state) else -value


def _by_plies(game, state) -> int:
    final, plies = _forced_line(game, state)
    return game.outcome(final) * (-1) ** plies


_ROLLOUT_FAULTS = (
    Fault(
        "value of the last position's player",
        _final_value,
        "in the game “{case}” the rollout is worth {right} to the player who starts it; yours is "
        "{yours}. `game.outcome` speaks for the player to move at the *end*; compare "
        "`game.to_play` there and at the start.",
    ),
    Fault(
        "first player's view",
        lambda g, s: _rollout_value(g, s) * (1 if g.to_play(s) == 0 else -1),
        "in the game “{case}” the rollout is worth {right} to the player to move; yours is "
        "{yours}, which is what it is worth to the first player.",
    ),
    Fault(
        "flips every ply, whoever moves",
        _by_plies,
        "in the game “{case}” the rollout is worth {right}; yours is {yours}. Counting plies "
        "works only while the players alternate; compare `game.to_play` at both ends.",
    ),
    Fault(
        "value of the player who moved last",
        lambda g, s: -_final_value(g, s),
        "in the game “{case}” the rollout is worth {right} to the player to move at the start; "
        "yours is {yours}, as seen by whoever made the last move.",
    ),
    Fault(
        "draw counted as a loss",
        lambda g, s: _rollout_value(g, s, draw=-1),
        "in the game “{case}” the rollout is worth {right}; yours is {yours}. A draw is 0.",
    ),
    Fault(
        "draw counted as half a point",
        lambda g, s: _rollout_value(g, s, draw=0.5),
        "in the game “{case}” the rollout is worth {right}; yours is {yours}. Half a point is the "
        "draw of a scale from 0 to 1; here values run from -1 to 1.",
    ),
)


def check_rollout(call: Call) -> str:
    cases = _rollout_cases()
    given = []
    for case in cases:
        value, problem = call.attempt(*case.arguments, _seeded(0), shown=f"the game “{case.shown}”")
        if problem is not None and case.arguments[0] is P5 and given:
            raise Wrong(
                "draws from all moves, not from the legal ones",
                f"With one legal move of seven your rollout raised `{type(problem).__name__}`: "
                f"{problem}. Draw from `game.legal_actions(state)`. See 2.1.",
            )
        given.append(call.settle(value, problem))
    compare(cases, given, _ROLLOUT_FAULTS, form=lambda value: f"{float(value):+g}", see="See 2.1.")
    _check_randomness(call)
    return (
        "Random moves to the end, the rules' verdict, and the result handed back to the player "
        "who asked."
    )


def _check_randomness(call: Call) -> None:
    start, shown = P2.initial_state(), "two moves: 0 loses, 1 draws"
    rng = _seeded(1)
    results = [call(P2, start, rng, shown=shown) for _ in range(1000)]
    losses = sum(same(value, -1) for value in results)
    if losses in (0, len(results)):
        raise Wrong(
            "always the same move",
            f"In the game “{shown}”, 1,000 rollouts all gave {show(results[0])}. Each move should "
            "be drawn from `rng`, so about half of them lose. See 2.1.",
        )
    if not 420 <= losses <= 580:
        raise Wrong(
            "moves are not equally likely",
            f"In the game “{shown}”, {losses} of 1,000 rollouts took move 0; a fair draw takes it "
            "about 500 times, and hardly ever outside 420 to 580. See 2.1.",
        )
    empty, shown = TIC_TAC_TOE.initial_state(), "the empty tic-tac-toe board"
    rows = []
    for _ in range(2):
        rng = _seeded(7)
        rows.append([call(TIC_TAC_TOE, empty, rng, shown=shown) for _ in range(40)])
    if not same(rows[0], rows[1]):
        raise Wrong(
            "does not use rng",
            "The same generator, seeded alike, gave two different series of results. Draw every "
            "move from the `rng` that is passed in, so that a search can be repeated. See 2.1.",
        )
    rng = _seeded(3)
    mean = float(np.mean([call(TIC_TAC_TOE, empty, rng, shown=shown) for _ in range(2000)]))
    if abs(mean - EMPTY_BOARD_MEAN) > 0.1:
        raise Wrong(
            UNRECOGNISED,
            f"On {shown}, 2,000 rollouts average {mean:+.3f}; the exact mean under random play is "
            f"{EMPTY_BOARD_MEAN:+.3f}.",
        )


def _seeded(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


def explore_rollout(call: Call):
    """UCT on tic-tac-toe with the reader's rollout as the evaluator; X threatens the top row."""

    def evaluate(game, state, rng) -> Evaluation:
        return Evaluation(None, float(call.quietly(game, state, rng)))

    recorder = Recorder()
    search = MCTS(TIC_TAC_TOE, uct(1.0), evaluate, recorder=recorder)
    search.run(TIC_TAC_TOE.from_moves("152"), 200, 0)
    return recorder.recording()


# --- 2.2 flat Monte Carlo ------------------------------------------------------------------------

# The scripted rollout: the k-th rollout from a position gives the k-th of these, for the player to
# move there. (P2, P5 and P6 by position number; see probe_games.)
_SCRIPT = {
    (P2, 1): (1, 1, 1, 1),
    (P2, 2): (1, 0, -1, 1),
    (P5, 1): (1, 0, 1, 1),
    (P6, 1): (1, 1, 0, 1),
    (P6, 2): (0, 1, 0, 0),
}
# With four rollouts a move, by hand: the sum of the script, negated where the other player moves.
_FLAT_RIGHT = (
    (P2, ([4, 4], [-4, -1])),
    (P5, ([0, 0, 0, 0, 4, 0, 0], [0, 0, 0, 0, -3, 0, 0])),
    (P6, ([4, 4], [3, -1])),
)


class _ScriptedRollout:
    """A rollout without chance; remembers which positions it was asked about."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def __call__(self, game, state, rng) -> int:
        values = _SCRIPT.get((game, state.me), (0, 0, 0, 0))
        number = self.asked.count(state.me)
        self.asked.append(state.me)
        return values[number % 4]


def _flat_fault(game, *, flip="turn", entry=sum, visits=4, count=4) -> tuple[list, list]:
    """Flat Monte Carlo with one knob turned."""
    start = game.initial_state()
    counts, sums = [0] * game.num_actions, [0] * game.num_actions
    for action in game.legal_actions(start):
        child = game.next_state(start, action)
        values = _SCRIPT[game, child.me][:count]
        other = game.to_play(child) != game.to_play(start)
        sign = {"turn": -1 if other else 1, "never": 1, "always": -1}[flip]
        counts[action], sums[action] = visits, sign * entry(values)
    return counts, sums


def _by_position_in_list(game) -> tuple[list, list]:
    counts, sums = _flat_fault(game)
    legal = game.legal_actions(game.initial_state())
    filled = len(legal)
    empty = [0] * (game.num_actions - filled)
    return [counts[a] for a in legal] + empty, [sums[a] for a in legal] + empty


def _shared_budget(game) -> tuple[list, list]:
    share = 4 // len(game.legal_actions(game.initial_state()))
    return _flat_fault(game, visits=share, count=share)


_FLAT_FAULTS = (
    Fault(
        "value not negated",
        lambda g: _flat_fault(g, flip="never"),
        "for {case} you gave {yours} instead of {right}. A rollout from the child is worth its "
        "value to the player to move *there*; if that is the opponent, you get the negative.",
    ),
    Fault(
        "negated although the same player moves again",
        lambda g: _flat_fault(g, flip="always"),
        "for {case} you gave {yours} instead of {right}. After move 0 of P6 the same player is to "
        "move: nothing changes hands, so nothing changes sign. Compare `game.to_play`.",
    ),
    Fault(
        "means instead of sums",
        lambda g: _flat_fault(g, entry=lambda values: sum(values) / 4),
        "for {case} you gave {yours} instead of {right}. Keep sums: the mean is "
        "value_sum / visit_counts, and sums can be added to later.",
    ),
    Fault(
        "keeps the last rollout only",
        lambda g: _flat_fault(g, entry=lambda values: values[-1]),
        "for {case} you gave {yours} instead of {right}. Add to the entry (`+=`), do not replace "
        "it (`=`).",
    ),
    Fault(
        "indexed by position in the list",
        _by_position_in_list,
        "for {case} you gave {yours} instead of {right}. The entry's index is the *action*, not "
        "its place among the legal ones.",
    ),
    Fault(
        "one rollout a move",
        lambda g: _flat_fault(g, visits=1, count=1),
        "for {case} you gave {yours} instead of {right}: one rollout a move where "
        "num_rollouts = 4 were asked for.",
    ),
    Fault(
        "budget shared among the moves",
        _shared_budget,
        "for {case} you gave {yours} instead of {right}. num_rollouts is the number for *each* "
        "legal move.",
    ),
    Fault(
        "visits not counted",
        lambda g: ([0] * g.num_actions, _flat_fault(g)[1]),
        "for {case} you gave {yours} instead of {right}. Every rollout adds 1 to visit_counts.",
    ),
    Fault(
        "the two lists are swapped",
        lambda g: _flat_fault(g)[::-1],
        "for {case} you gave {yours} instead of {right}: first visit_counts, then value_sum.",
    ),
)


def check_flat_monte_carlo(call: Call) -> str:
    cases, given = [], []
    for game, right in _FLAT_RIGHT:
        rollout = _ScriptedRollout()
        shown = f"{game.name}, 4 rollouts a move"
        value = call(game, game.initial_state(), 4, rollout, _seeded(0), shown=shown)
        if rollout.asked and set(rollout.asked) == {0}:
            raise Wrong(
                "rollouts from the parent",
                "Every rollout started at the position before the move, so that all moves look "
                "alike. Play the move first, then roll out from the child. See 2.2.",
            )
        pair = as_list(value)
        if pair is None or len(pair) != 2:
            raise Wrong(
                UNRECOGNISED,
                f"On {shown}, a pair (visit_counts, value_sum) is asked for; yours is "
                f"`{show(value)}`.",
            )
        if len(as_list(pair[0]) or []) == len(game.legal_actions(game.initial_state())) == 1:
            if game.num_actions > 1:
                raise Wrong(
                    "one entry per legal move",
                    f"On {shown}, your lists have 1 entry; they need num_actions = "
                    f"{game.num_actions}, with 0 for the illegal moves, so that the index is the "
                    "action. See 2.2.",
                )
        cases.append(Case(shown, (game,), right))
        given.append(pair)
    compare(cases, given, _FLAT_FAULTS, see="See 2.2.")
    return "Equal effort for every move, each seen from the side of the player who chooses."


EXERCISES = (
    Exercise(
        id="2.1",
        title="A random rollout, and whose value it is",
        minutes=12,
        difficulty=2,
        function="rollout(game, state, rng)",
        check=check_rollout,
        explore=explore_rollout,
        diagnoses=(
            *(fault.name for fault in _ROLLOUT_FAULTS),
            "draws from all moves, not from the legal ones",
            "always the same move",
            "moves are not equally likely",
            "does not use rng",
        ),
        hints=(
            "Note who is to move before you start. At the end the rules speak for whoever is to "
            "move *there*: the same player, or the other one.",
            "Loop while `game.outcome(current) is None`; draw with "
            "`rng.integers(len(legal))`; compare `game.to_play(current)` with "
            "`game.to_play(state)`.",
            "In near-code:\n\n"
            "    current = state\n"
            "    while the game goes on:\n"
            "        current = game.next_state(current, a random legal action)\n"
            "    value = game.outcome(current)\n"
            "    return value, negated if another player is to move than at the start",
        ),
    ),
    Exercise(
        id="2.2",
        title="Flat Monte Carlo",
        minutes=12,
        difficulty=2,
        function="flat_monte_carlo(game, state, num_rollouts, rollout, rng)",
        check=check_flat_monte_carlo,
        diagnoses=(
            *(fault.name for fault in _FLAT_FAULTS),
            "rollouts from the parent",
            "one entry per legal move",
        ),
        hints=(
            "Play each legal move, roll out from the position behind it, and book the result "
            "with the player who *chose* the move.",
            "`rollout(game, child, rng)` speaks for the player to move at the child. Negate it "
            "if `game.to_play(child) != game.to_play(state)`.",
            "In near-code:\n\n"
            "    two lists of num_actions zeros\n"
            "    for each legal action, num_rollouts times:\n"
            "        value = rollout from the child, negated if the other player moves there\n"
            "        visit_counts[action] += 1\n"
            "        value_sum[action] += value",
        ),
    ),
)
