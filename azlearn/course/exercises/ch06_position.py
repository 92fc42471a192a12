"""Chapter 6, one position a game (6.6): p_σ, one random move, p_ρ; which position, and whose z."""

from __future__ import annotations

from typing import Any

import numpy as np

from azlearn.course.checking import RETURNS_NOTHING, Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, as_list, show
from azlearn.course.numbers import numbers
from azlearn.course.one_position_cases import (
    FAULTS,
    GAME,
    RL,
    SL,
    THREE_MOVES,
    Chooser,
    high_cell,
    low_cell,
    possible,
    right,
    three_rl,
    three_sl,
)
from azlearn.course.sections import explained_for
from azlearn.games import State

_U = (5, 3, 1, 6, 7, 8)
_RUNS = 25  # of each U
_DRAWS, _CLOSE = 1200, 0.06  # the shares of 1,200 draws come within a quarter of it


@explained_for("6.6")
def check_position(call: Call) -> str:
    found = {u: [_asked(call, u, np.random.default_rng(seed)) for seed in range(_RUNS)] for u in _U}
    everything = [value for values in found.values() for value in values]
    if set(everything) == {None}:
        raise Wrong(
            RETURNS_NOTHING,
            "Your function always gave back `None`. That is for games that are over after move U "
            "or sooner. Is a `return` missing?",
        )
    if any(not set(values) <= right(u) for u, values in found.items()):
        raise _wrong(found)
    _check_random_move(call, found)
    _check_shares(call)
    return "One position, reached in many ways, and what p_ρ makes of it, for its own mover."


def _asked(call: Call, u: int, rng: np.random.Generator) -> tuple | None:
    """(me, opp, z) or None, if it has the form."""
    shown = f"tic-tac-toe, U = {u}, p_σ takes the first empty cell and p_ρ the last"
    value, problem = call.attempt(GAME, SL, RL, u, rng, shown=shown)
    if problem is not None and None in right(u):
        raise Wrong(
            "plays on after the end",
            f"With {shown}, the game can be over by move U, and your function raised "
            f"`{type(problem).__name__}` ({problem}). Ask `game.outcome(state)` before every move.",
        )
    if call.settle(value, problem, may_return_none=True) is None:
        return None
    pair = numbers(as_list(value))
    if not _is_pair(pair):
        raise Wrong(
            "not a pair (state, z)",
            f"With {shown}, (state, z) is asked for, or None; you gave {show(value):.80}.",
        )
    state = State(*map(int, pair[0]))
    if state.me & state.opp or state.opp.bit_count() - state.me.bit_count() not in (0, 1):
        raise Wrong(
            "an illegal move",
            f"With {shown}, your game came to a position that cannot be: a cell was taken twice. "
            "Move U is drawn among the *legal* moves.",
        )
    return *state, float(pair[1])


def _is_pair(pair: Any) -> bool:
    return (
        isinstance(pair, list)
        and len(pair) == 2
        and isinstance(pair[0], list)
        and len(pair[0]) == 2
        and all(isinstance(number, (int, float)) for number in (*pair[0], pair[1]))
    )


def _wrong(found: dict[int, list]) -> Wrong:
    """The fault that could have given all this."""
    for u, values in found.items():
        for value in filter(None, values):
            if GAME.outcome(State(*value[:2])) is not None:
                return _told(u, value, "a finished game is kept", (
                    "There the game is over. It came to its end with move U or sooner: give `None`. "
                    "The value of a finished position is known from the rules."
                ))  # fmt: skip
    for name, changes, message in FAULTS:
        for change in changes:
            if all(set(values) <= possible(u, **change) for u, values in found.items()):
                return _told(*_first_wrong(found), name, message)
    u, value = _first_wrong(found)
    if value is None:
        return _told(u, value, "a game that goes on is dropped", (
            "After move U that game is not over: its position is wanted."
        ))  # fmt: skip
    boards = {entry[:2] for entry in right(u) if entry}
    if value[:2] not in boards and _stones(value) == u:
        return _told(u, value, "the first U − 1 moves are not p_σ's", (
            "In every game p_σ plays the same moves up to there, cell after cell. Draw each of them "
            "from `sl_policy(state)`."
        ))  # fmt: skip
    if any(_contradicts_itself(values) for values in found.values()):
        return _told(u, value, "the rest is not played by p_ρ", (
            "After the same random move your games end in different ways, and this p_ρ knows only "
            "one. Draw every move from `rl_policy(state)`, to the end."
        ))  # fmt: skip
    return _told(u, value, UNRECOGNISED, "")


def _first_wrong(found: dict[int, list]) -> tuple[int, tuple | None]:
    return next((u, v) for u, values in found.items() for v in values if v not in right(u))


def _contradicts_itself(values: list) -> bool:
    """The same position with two results."""
    kept = set(filter(None, values))
    return len({entry[:2] for entry in kept}) < len(kept)


def _stones(value: tuple) -> int:
    return (value[0] | value[1]).bit_count()


def _told(u: int, value: tuple | None, name: str, message: str) -> Wrong:
    if value is None:
        got, rows = "you gave `None`", []
    else:
        board = GAME.to_text(State(*value[:2])).split("\n")
        z = f"{value[2]:+g}" if value[2] else "0"
        stones = f"{_stones(value)} stone{'s' * (_stones(value) != 1)}"
        got = f"you gave a position of {stones} with z = {z}"
        wanted_z = [entry[2] for entry in right(u) if entry and entry[:2] == value[:2]]
        wanted = f"another position, after move {u}"
        if wanted_z:
            wanted = f"{wanted_z[0]:+d}" if wanted_z[0] else "0"
        rows = [(f"z of {' / '.join(board[:3])}", wanted, z)]
    return Wrong(
        name,
        f"In tic-tac-toe with U = {u}, where p_σ takes the first empty cell and p_ρ the last, {got}, "
        f"and that cannot be. {message}".rstrip(),
        rows,
    )


def _check_random_move(call: Call, found: dict[int, list]) -> None:
    """With U = 5, 3 and 1 the position is not always the same one; a seed decides which."""
    many = _U[:3]
    if all(len(set(found[u])) == 1 for u in many):
        single = [found[u][0] for u in many]
        for whose, at in (("p_σ", low_cell), ("p_ρ", high_cell)):
            if all(_is_after(value, at, u) for value, u in zip(single, many, strict=True)):
                raise Wrong(
                    "no random move",
                    f"With U = 5, 3 and 1 your position was the same in {_RUNS} games: move U was "
                    f"{whose}'s. Draw it among all legal moves. Without it the value network never "
                    "sees what happens after a move that nobody would make.",
                )
    again = [_asked(call, u, np.random.default_rng(seed)) for u in many for seed in range(_RUNS)]
    if again != [value for u in many for value in found[u]]:
        raise Wrong(
            "another generator than the one given",
            "Two generators with the same seed came to different positions. Draw from `rng`, or no "
            "data set can be made again.",
        )
    if all(len(set(found[u])) == 1 for u in many):
        raise Wrong(
            "the same draw every time",
            f"With U = 5, 3 and 1 generators with {_RUNS} seeds all came to the same position. Draw "
            "from `rng`, and make no generator of your own.",
        )


def _is_after(value: tuple | None, at: Chooser, u: int) -> bool:
    """Whether it is the position after U - 1 moves of p_σ and the one that `at` chooses."""
    state = GAME.initial_state()
    for ply in range(u):
        choose = at if ply == u - 1 else low_cell
        state = GAME.next_state(state, choose(GAME.legal_actions(state))[0])
    return value is not None and value[:2] == tuple(state)


def _check_shares(call: Call) -> None:
    shown, rng = f"{THREE_MOVES.name}, U = 2, many times", np.random.default_rng(0)
    arguments = THREE_MOVES, three_sl, three_rl, 2, rng
    kept = [numbers(as_list(call(*arguments, shown=shown))) for _ in range(_DRAWS)]
    places = np.array([int(pair[0][0]) for pair in kept])
    won = np.array([float(pair[1]) == 1 for pair in kept])
    found = np.isin(places, (3, 4)).mean(), np.isin(places, (3, 5)).mean(), won.mean()
    wanted, whose = (0.75, 0.5, 0.7), ("p_σ's first move", "the random move", "p_ρ's move")
    wrong = [i for i in range(3) if abs(found[i] - wanted[i]) > _CLOSE]
    if not wrong:
        return
    i = wrong[0]
    name, message = (
        "the moves are not drawn with the policy's probabilities",
        ("`rng.choice(game.num_actions, p=p)` draws a move with the chances p."),
    )
    if i == 1:
        name, message = "the random move is not uniform", "All legal moves are alike at move U."
    elif found[i] > 1 - _CLOSE:
        name, message = (
            "the likeliest move instead of a draw",
            (
                "Always the likeliest move would make every game nearly the same. Draw it: "
                "`rng.choice(game.num_actions, p=p)`."
            ),
        )
    rows = [(f"share of move 1, {whose[k]}", wanted[k], round(found[k], 3)) for k in range(3)]
    raise Wrong(
        name,
        f"In {shown}, {whose[i]} was move 1 of 2 with a share of {found[i]:.2f}; it should be "
        f"{wanted[i]:.2f}. {message}",
        rows,
    )


EXERCISES = (
    Exercise(
        id="6.6",
        title="One position a game",
        minutes=15,
        difficulty=3,
        function="one_position(game, sl_policy, rl_policy, u, rng)",
        check=check_position,
        diagnoses=(
            *(name for name, _, _ in FAULTS),
            "not a pair (state, z)",
            "an illegal move",
            "plays on after the end",
            "a finished game is kept",
            "a game that goes on is dropped",
            "the first U − 1 moves are not p_σ's",
            "the rest is not played by p_ρ",
            "no random move",
            "another generator than the one given",
            "the same draw every time",
            "the random move is not uniform",
            "the moves are not drawn with the policy's probabilities",
            "the likeliest move instead of a draw",
        ),
        hints=(
            "Three ways to choose a move, one after the other. Where in between do you keep the "
            "position, and for whom does the outcome at the end speak?",
            "`rng.choice(game.num_actions, p=p)` draws from p, `rng.choice(legal_actions)` draws "
            "move U. `z = result if game.to_play(kept) == game.to_play(final) else -result`.",
            "In near-code:\n\n"
            "    U - 1 times: if the game is over, return None; a move drawn from sl_policy(state)\n"
            "    if the game is over, return None; a move drawn among the legal ones\n"
            "    if the game is over, return None; keep the state\n"
            "    until the game is over: a move drawn from rl_policy(state)\n"
            "    z = the outcome, turned if another player is to move than in the kept state\n"
            "    return the kept state, z",
        ),
    ),
)
