"""Chapter 10, the samples of a finished game (10.3): whose result is z?

Games, and who has won them, are written out by hand.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, as_list, compare, same, show, signed
from azlearn.course.probe_games import P6
from azlearn.course.sections import explained_for
from azlearn.games import TicTacToe

_GAME = TicTacToe()

# words, game, moves before the first search, moves searched, z of every position searched
_GAMES = (
    ('"14253", which X wins', _GAME, "", "14253", (1, -1, 1, -1, 1)),
    ('"142596", which O wins', _GAME, "", "142596", (-1, 1, -1, 1, -1, 1)),
    ('"512837469", a draw', _GAME, "", "512837469", (0,) * 9),
    ('"15283", searched from "152" on, O to move; X wins', _GAME, "152", "83", (-1, 1)),
    ('"152397", searched from "1" on, O to move; O wins', _GAME, "1", "52397", (1, -1, 1, -1, 1)),
    (f'{P6.name}, "11": the first player wins', P6, "", "11", (1, 1)),
    (f'{P6.name}, "12": the first player loses', P6, "", "12", (-1, -1)),
)


@cache
def cases() -> tuple[Case, ...]:
    """Arguments: game, states, policies [num_actions] each, final; right: z of every state."""
    made = []
    for words, game, before, moves, z in _GAMES:
        states = [game.from_moves(before)]
        for move in moves:
            states.append(game.play(states[-1], int(move) - 1))
        policies = [_policy(game, *pair) for pair in zip(states, moves, strict=False)]
        made.append(Case(words, (game, states[:-1], policies, states[-1]), list(z)))
    return tuple(made)


def _policy(game: Any, state: Any, move: str) -> list[float]:
    """Two shares for the move that was played, one for every other legal one."""
    shares = np.zeros(game.num_actions)
    shares[game.legal_actions(state)] = 1
    shares[int(move) - 1] += 1
    return (shares / shares.sum()).tolist()


def _z(game: Any, states: list, _: list, final: Any) -> list[int]:
    """The right one: the result for the player to move in each state."""
    result, mover = game.outcome(final), game.to_play(final)
    return [result if game.to_play(state) == mover else -result for state in states]


def _first_players(game: Any, states: list, _: list, final: Any) -> list[int]:
    result = game.outcome(final)
    return [result if game.to_play(final) == 0 else -result for _ in states]


def _backwards(game: Any, states: list, _: list, final: Any) -> list[int]:
    """Every ply changes the sign, whoever moves."""
    return [game.outcome(final) * (-1) ** (len(states) - ply) for ply in range(len(states))]


def _as_if_first(game: Any, states: list, policies: list, final: Any) -> list[int]:
    """The first player's result at the first state, then turned at every ply."""
    results = _first_players(game, states, policies, final)
    return [result * (-1) ** ply for ply, result in enumerate(results)]


_FAULTS = (
    Fault(
        "z for the wrong player",
        lambda *case: [-z for z in _z(*case)],
        "after {case}, z is {right}; yours is {yours}. The sign is the wrong way round everywhere: "
        "the winner's own positions say −1. `outcome(final)` speaks for the player to move at the "
        "*end*, who has not made the last move.",
    ),
    Fault(
        "z of the first player",
        _first_players,
        "after {case}, z is {right}; yours is {yours}. That is the first player's result at every "
        "position. The network is asked by whoever is to move, and must answer for that player.",
    ),
    Fault(
        "the same z for every position",
        lambda game, states, _, final: [game.outcome(final)] * len(states),
        "after {case}, z is {right}; yours is {yours}. `outcome(final)` is the result for one of "
        "the two players. At the other's positions its sign must change.",
    ),
    Fault(
        "a draw counted as a loss",
        lambda *case: [z or -1 for z in _z(*case)],
        "after {case}, z is {right}; yours is {yours}. A draw is worth 0 to both.",
    ),
    Fault(
        "the sign changes although the same player moves again",
        _backwards,
        "after {case}, z is {right}; yours is {yours}. You count plies. Ask `game.to_play` who "
        "moves: in some games a player moves twice.",
    ),
    Fault(
        "counted from the first position as if the first player moved there",
        _as_if_first,
        "after {case}, z is {right}; yours is {yours}. A game may begin with a random opening: the "
        "first position searched can be the second player's.",
    ),
    Fault(
        "points instead of values",
        lambda *case: [(z + 1) / 2 for z in _z(*case)],
        "after {case}, z is {right}; yours is {yours}. A loss is −1, not 0.",
    ),
    Fault(
        "z fades with the distance to the end",
        lambda game, states, *rest: [
            z * (ply + 1) / len(states) for ply, z in enumerate(_z(game, states, *rest))
        ],
        "after {case}, z is {right}; yours is {yours}. Nothing is discounted: a game won late is "
        "won.",
    ),
)


@explained_for("10.3")
def check_samples(call: Call) -> str:
    given = []
    for case in cases():
        game, states, policies, final = case.arguments
        copies = list(states), [list(policy) for policy in policies]
        value = call(game, *copies, final, shown=f"the game {case.shown}")
        given.append(_results(value, case))
    compare(cases(), given, _FAULTS, form=signed)
    return "Every position carries the result of its own mover, with the π that was searched there."


def _results(value: Any, case: Case) -> list:
    """The z of the samples, once their positions and policies are right."""
    _, states, policies, final = case.arguments
    samples = [as_list(sample) for sample in as_list(value) or []]
    if any(sample is None or len(sample) != 3 for sample in samples) or as_list(value) is None:
        raise Wrong(
            "not a list of triples",
            f"For the game {case.shown}, a list of (state, π, z) is asked for; you gave "
            f"{show(value):.80}.",
        )
    if len(samples) == len(states) + 1 and same(samples[-1][0], final):
        raise Wrong(
            "the finished position is a sample",
            f"For the game {case.shown}, your last sample is the final position. Nothing was "
            "searched there: it has no π, and the rules know its value.",
        )
    if len(samples) != len(states):
        raise Wrong(
            "positions are missing",
            f"For the game {case.shown}, {len(states)} positions were searched; you gave "
            f"{len(samples)} samples. Every one of them is learnt from.",
        )
    if not all(same(sample[0], state) for sample, state in zip(samples, states, strict=True)):
        raise Wrong(
            "another order, or other positions",
            f"For the game {case.shown}, your samples' states are not `states`, in their order.",
        )
    if not all(same(sample[1], policy) for sample, policy in zip(samples, policies, strict=True)):
        raise Wrong(
            "π of another position",
            f"For the game {case.shown}, a sample's π is not the one searched in its state: "
            "`policies[i]` belongs to `states[i]`.",
        )
    return [sample[2] for sample in samples]


EXERCISES = (
    Exercise(
        id="10.3",
        title="The samples of a game",
        minutes=10,
        difficulty=2,
        function="samples(game, states, policies, final)",
        check=check_samples,
        diagnoses=(
            *(fault.name for fault in _FAULTS),
            "not a list of triples",
            "the finished position is a sample",
            "positions are missing",
            "another order, or other positions",
            "π of another position",
        ),
        hints=(
            "One result, two players. For whom does `outcome(final)` speak, and who is to move "
            "in each state?",
            "`z = result if game.to_play(state) == game.to_play(final) else -result`.",
            "In near-code:\n\n"
            "    result = outcome of the final position\n"
            "    for each state and its policy:\n"
            "        z = result, turned if another player is to move there than at the end\n"
            "        one sample (state, policy, z)",
        ),
    ),
)
