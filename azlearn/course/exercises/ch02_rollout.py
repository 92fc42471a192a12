"""Chapter 2, the rollout (2.1), and whose value it is.

The truth comes from games with one forced line and from the exact odds of random tic-tac-toe
(X wins 58.5 %, O 28.8 %, 12.7 % are drawn).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, Case, Fault, compare, same, show
from azlearn.course.probe_games import P1, P2, P4, P5, Row, TableGame
from azlearn.course.sections import explained_for
from azlearn.games import TicTacToe
from azlearn.search import MCTS, Evaluation, Recorder, Recording, uct

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
        "works only while the players alternate; compare `game.to_play` at both ends. In "
        "tic-tac-toe, where the players alternate, this fault never shows.",
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


@explained_for("2.1")
def check_rollout(call: Call) -> str:
    cases = _rollout_cases()
    given = []
    for case in cases:
        value, problem = call.attempt(*case.arguments, _seeded(0), shown=f"the game “{case.shown}”")
        if problem is not None and case.arguments[0] is P5 and given:
            raise Wrong(
                "draws from all moves, not from the legal ones",
                f"With one legal move of seven your rollout raised `{type(problem).__name__}`: "
                f"{problem}. Draw from `game.legal_actions(state)`.",
            )
        given.append(call.settle(value, problem))
    compare(cases, given, _ROLLOUT_FAULTS, form=lambda value: f"{float(value):+g}")
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
            "be drawn from `rng`, so about half of them lose.",
        )
    if not 420 <= losses <= 580:
        raise Wrong(
            "moves are not equally likely",
            f"In the game “{shown}”, {losses} of 1,000 rollouts took move 0; a fair draw takes it "
            "about 500 times, and hardly ever outside 420 to 580.",
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
            "move from the `rng` that is passed in, so that a search can be repeated.",
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


_THREAT = TIC_TAC_TOE.from_moves("152")
_ONLY_MOVE = 2


def explore_rollout(call: Call, diagnosis: str):
    """UCT on tic-tac-toe with the reader's rollout as the evaluator; X threatens the top row."""

    def evaluate(game, state, rng) -> Evaluation:
        return Evaluation(None, float(call.quietly(game, state, rng)))

    recorder = Recorder()
    search = MCTS(TIC_TAC_TOE, uct(1.0), evaluate, recorder=recorder)
    search.run(_THREAT, 200, 0)
    return recorder.recording()


def consequence(recording: Recording) -> str:
    """What the search with a wrong rollout plays, or why it still finds the move."""
    action = recording.tree.best_action()
    if action == _ONLY_MOVE:
        return (
            "\n\nThe search below, UCT with your rollout, still finds cell 3: after any other move "
            "X completes the top row, and that end is valued by the rules, not by your rollout."
        )
    return (
        f"\n\nIn the search below, UCT with your rollout, the root prefers cell {action + 1}; only "
        "cell 3 stops X's top row."
    )


EXERCISES = (
    Exercise(
        id="2.1",
        title="A random rollout, and whose value it is",
        minutes=12,
        difficulty=2,
        function="rollout(game, state, rng)",
        check=check_rollout,
        explore=explore_rollout,
        remark=consequence,
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
)
