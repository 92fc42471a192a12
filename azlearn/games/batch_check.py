"""Checks that a game's batch methods and compiled rules agree with its single methods.

Part of the conformance suite.
"""

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from azlearn.games.game import Game
from azlearn.games.specialize import NO_FILE, specialize

BATCH_METHODS = (
    "stack", "batch_play", "batch_legal_mask", "batch_outcome", "batch_to_play", "batch_encode",
)  # fmt: skip
BRANCH_FREE = (
    "Rules must be arithmetic on words: do not use if, and, or or not on values of a position,"
    " or methods of Python ints."
)
PLAIN = (
    "Rules may use plain functions, integers and tuples of these, but no lists, dicts, decorators"
    " or **."
)


def batch_fault(game: Game, states: list, rng: np.random.Generator, compiled: bool = True) -> str:
    """Describes where batch and single methods disagree; "" if they agree.

    Args:
        states: positions, some of them finished.
        rng: draws a legal action in each unfinished position.
        compiled: whether to check the compiled rules as well.
    """
    if not hasattr(game, "batch_play"):
        return ""
    going_on = [state for state in states if game.outcome(state) is None]
    actions = np.array([rng.choice(game.legal_actions(state)) for state in going_on])
    singles = [game.play(s, int(a)) for s, a in zip(going_on, actions, strict=True)]
    outcomes = [game.outcome(state) for state in states]
    right = {
        "batch_outcome": [[o is not None for o in outcomes], [o or 0 for o in outcomes]],
        "batch_to_play": [game.to_play(state) for state in states],
        "batch_legal_mask": [game.legal_mask(state) for state in states],
        "batch_encode": [game.encode(state) for state in states],
        "batch_play": np.array([tuple(state) for state in singles]).T,
    }
    for kind, convert in {"NumPy arrays": np.asarray, "torch tensors": _tensor()}.items():
        batch, moving = (
            type(stacked)(*map(convert, stacked))
            for stacked in (game.stack(states), game.stack(going_on))
        )
        for method, answer in right.items():
            given = (moving, convert(actions)) if method == "batch_play" else (batch,)
            try:
                found = getattr(game, method)(*given)
                if method in ("batch_outcome", "batch_play"):
                    found = [part.tolist() for part in found]
                found = np.asarray(found)
            except Exception as error:
                why = " ".join(f"{type(error).__name__}: {error}".split())[:200].rstrip(".")
                return f"{method} fails on {kind} ({why}). {BRANCH_FREE}"
            if not np.array_equal(found, np.asarray(answer)):
                return (
                    f"{method} on {kind} disagrees with the game's methods for one position at a"
                    " time."
                )
    if not compiled or not hasattr(game, "rules"):
        return ""
    return _compiled_fault(game.rules, going_on, actions.tolist())


def _tensor() -> Callable[[np.ndarray], Any]:
    import torch

    return torch.from_numpy


def _compiled_fault(rules, states: list, actions: list[int]) -> str:
    """Describes a fault in the compiled rules; "" if there is none.

    Args:
        states: positions of unfinished games.
        actions: a legal action for each.
    """
    if not hasattr(rules, "__file__"):
        return NO_FILE
    import numba  # imported here because it takes a second

    # The results of one form of the rules, as plain numbers.
    questions = {
        "play": lambda form, state, action: tuple(map(int, form.play(state, action))),
        "is_legal": lambda form, state, action: [
            bool(form.is_legal(form.options(state), a)) for a in range(rules.NUM_ACTIONS)
        ],
        "outcome": lambda form, state, action: tuple(map(float, form.outcome(state))),
        "to_play": lambda form, state, action: int(form.to_play(state)),
    }
    try:
        compiled = specialize(rules, numba.njit)
        for ask in questions.values():
            ask(compiled, states[0], actions[0])
    except Exception as error:  # numba's own exceptions, or an AssertionError inside numba
        why = re.sub(r"Failed in nopython mode pipeline \(step: [^)]*\)", "", str(error))
        why = " ".join(why.split())
        return f"Numba cannot compile the rules: {why or type(error).__name__:.300}. {PLAIN}"
    for state, action in zip(states, actions, strict=True):
        for question, ask in questions.items():
            plain, found = (ask(form, state, action) for form in (rules, compiled))
            if plain != found:
                return (
                    f"For {state!r}, the compiled rules' {question} returns {found}, but {plain} on"
                    " Python ints. Check that numbers stay within 64 bits, and shifts below 64."
                )
    return ""
