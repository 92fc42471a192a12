"""Chapter 7, what a leaf is worth (7.2): λ, and whose result a rollout's is.

The values stand beside the lines of moves, worked out by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from azlearn.course.checking import Call, Exercise
from azlearn.course.comparing import Case, Fault, compare
from azlearn.course.probe_games import P2, P6
from azlearn.course.sections import explained_for
from azlearn.course.your_apv import record_apv, right_apv
from azlearn.course.your_puct import puct_consequence
from azlearn.games import ConnectFour, TicTacToe

_THREE, _FOUR = TicTacToe(), ConnectFour()

# words, game, moves to the leaf, moves of the rollout, v, λ, right
_LINES = (
    # X wins; at the end it is O's turn. z = +1 for X, who moves at the leaf: 0.75·0.2 + 0.25.
    ("X to move at the leaf, v = 0.2, a rollout that X wins, λ = 0.25",
     _THREE, "15", "293", 0.2, 0.25, 0.4),
    # The same end, but O moves at the leaf: z = -1: 0.75·0.2 - 0.25.
    ("O to move at the leaf, v = 0.2, a rollout that X wins, λ = 0.25",
     _THREE, "1", "5293", 0.2, 0.25, -0.1),
    # Yellow wins by column 2: z = +1 for Yellow: 0.25·(-0.6) + 0.75.
    ("Yellow to move at the leaf, v = -0.6, a rollout that Yellow wins, λ = 0.75",
     _FOUR, "1", "2123232", -0.6, 0.75, 0.6),
    ("X to move at the leaf, v = 0.5, a drawn rollout, λ = 0.5",
     _THREE, "132465", "789", 0.5, 0.5, 0.25),
    # O has 2, 5, 8; at the end it is X's turn, as at the leaf.
    ("X to move at the leaf, v = 0.1, a rollout that O wins, λ = 1",
     _THREE, "12", "4598", 0.1, 1.0, -1.0),
    ("X to move at the leaf, v = 0.3, a rollout that X wins, λ = 0",
     _THREE, "15", "293", 0.3, 0.0, 0.3),
    ("a leaf where the game is over, won by X, and v = 0.4 for O, λ = 0.5",
     _THREE, "15293", "", 0.4, 0.5, -1.0),
    ("a leaf where the game is over, drawn, and v = 0.6, λ = 0.5",
     _THREE, "132465789", "", 0.6, 0.5, 0.0),
    ("a leaf where the player to move has won, and v = -0.2, λ = 0.25",
     P2, "1", "", -0.2, 0.25, 1.0),
    # Move 0, and the same player moves again and wins: 0.5·(-0.5) + 0.5.
    ("a leaf reached by a player who moves again and wins the rollout, v = -0.5, λ = 0.5",
     P6, "1", "1", -0.5, 0.5, 0.25),
)  # fmt: skip


def cases() -> list[Case]:
    """Arguments: game, leaf, v, final, λ."""
    made = []
    for words, game, before, rollout, v, mixing_lambda, right in _LINES:
        leaf, final = game.from_moves(before), game.from_moves(before + rollout)
        made.append(Case(words, (game, leaf, v, final, mixing_lambda), right))
    return made


# --- wrong ways ----------------------------------------------------------------------------------


def _wrong(
    *,
    mix: Callable[[float, float, float], float] = lambda v, z, weight: (
        (1 - weight) * v + weight * z
    ),
    result: Callable[[float, bool, int], float] = lambda z, same_mover, mover: (
        z if same_mover else -z
    ),
    over: Callable[[float], float | None] = lambda outcome: outcome,
) -> Callable[..., float]:
    """A value with one part replaced; `over` gives None where the faulty way mixes all the same."""

    def give(game: Any, leaf: Any, v: float, final: Any, mixing_lambda: float) -> float:
        outcome = game.outcome(leaf)
        if outcome is not None and over(outcome) is not None:
            return over(outcome)
        same_mover = game.to_play(final) == game.to_play(leaf)
        z = result(game.outcome(final), same_mover, game.to_play(final))
        return mix(v, z, mixing_lambda)

    return give


_GOT = "for {case}, the leaf is worth {right} to the player to move there; yours is {yours}. "
_FAULTS = (
    Fault("λ upside down", _wrong(mix=lambda v, z, weight: weight * v + (1 - weight) * z),
          _GOT + "λ weighs the *rollout*, 1 − λ the network. At λ = 0.5 nobody would notice; a "
          "tournament over λ would praise the wrong one."),
    Fault("the rollout's result for the player to move at its end",
          _wrong(result=lambda z, same_mover, mover: z),
          _GOT + "`game.outcome(final)` speaks for the player to move in `final`. That may be the "
          "other one than at the leaf: compare `game.to_play` of the two."),
    Fault("the rollout's result always turned over",
          _wrong(result=lambda z, same_mover, mover: -z),
          _GOT + "The sign changes only if another player is to move in `final` than at the leaf."),
    Fault("the rollout's result for the first player",
          _wrong(result=lambda z, same_mover, mover: z if mover == 0 else -z),
          _GOT + "z is for the player to move *at the leaf*, whoever that is."),
    Fault("the network's value turned over too",
          lambda game, leaf, v, final, weight: _wrong()(
              game, leaf, v if game.to_play(final) == game.to_play(leaf) else -v, final, weight),
          _GOT + "v is for the player to move at the leaf already. Only z comes from another place."),
    Fault("the value for the player who has just moved",
          lambda *case: -_wrong()(*case),
          _GOT + "Yours is the same with the other sign. `backup` turns it for the edge above; here it "
          "is for the player to move at the leaf."),
    Fault("a finished game is mixed", _wrong(over=lambda outcome: None),
          _GOT + "Where the game is over at the leaf, the rules have the value. The network never "
          "learnt finished boards, and any part of its guess makes a sure win look like less."),
    Fault("z not turned, and a finished game mixed",
          _wrong(result=lambda z, same_mover, mover: z, over=lambda outcome: None),
          _GOT + "That is the formula with `game.outcome(final)` for z, and two things are missing. "
          "`outcome` speaks for the player to move in `final`: turn it if another one is to move at "
          "the leaf. And where the game is over at the leaf already, its value is the rules' alone."),
    Fault("a draw is taken for no result", _wrong(over=lambda outcome: outcome or None),
          _GOT + "`if outcome:` is false for a draw, 0, too: ask whether it `is not None`."),
    Fault("finished game valued for the wrong player", _wrong(over=lambda outcome: -outcome),
          _GOT + "`game.outcome(leaf)` speaks for the player to move at the leaf, as v does."),
    Fault("λ has no effect", _wrong(mix=lambda v, z, weight: (v + z) / 2),
          _GOT + "Those are the values for λ = 0.5."),
    Fault("the weights do not sum to 1", _wrong(mix=lambda v, z, weight: v + weight * z),
          _GOT + "What λ gives to the rollout the network must lose: 1 − λ. Else the value leaves "
          "[-1, 1]."),
    Fault("two scales in one mix",
          _wrong(mix=lambda v, z, weight: (1 - weight) * v + weight * (z + 1) / 2),
          _GOT + "Your z goes from 0 to 1, and v from -1 to 1: a lost rollout would count as a draw. "
          "Both must be on one scale, here [-1, 1]."),
    Fault("the rollout is not used", _wrong(mix=lambda v, z, weight: v), _GOT + "Only v is left."),
    Fault("the network is not used", _wrong(mix=lambda v, z, weight: z), _GOT + "Only z is left."),
)  # fmt: skip


@explained_for("7.2")
def check_leaf_value(call: Call) -> str:
    given = [call(*case.arguments, shown=case.shown) for case in cases()]
    compare(cases(), given, _FAULTS)
    return "λ weighs the rollout, both speak for the player to move at the leaf, and the rules go first."


EXERCISES = (
    Exercise(
        id="7.2",
        title="Value and rollout, mixed",
        minutes=10,
        difficulty=2,
        function="leaf_value(game, leaf, v, final, mixing_lambda)",
        check=check_leaf_value,
        explore=lambda call, diagnosis: record_apv(leaf_value=call.quietly),
        remark=lambda found: puct_consequence(found, right_apv()),
        diagnoses=tuple(fault.name for fault in _FAULTS),
        hints=(
            "Three numbers could be the value: the rules', the network's, the rollout's. Which go "
            "first? And for whom does each of them speak?",
            "`game.outcome(leaf)` if it is not None. Else z is `game.outcome(final)`, negated where "
            "`game.to_play(final) != game.to_play(leaf)`, and λ stands before z.",
            "In near-code:\n\n"
            "    if the game is over at the leaf: return its outcome\n"
            "    z = outcome of final\n"
            "    if another player is to move in final than at the leaf: z = -z\n"
            "    return (1 - λ) * v + λ * z",
        ),
    ),
)
