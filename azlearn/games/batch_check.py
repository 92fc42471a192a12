"""Whether a game says the same of many positions at once: part of the conformance suite."""

from collections.abc import Callable
from typing import Any

import numpy as np

from azlearn.games.compiled_check import compiled_fault
from azlearn.games.game import Game

BATCH_METHODS = (
    "stack", "batch_play", "batch_legal_mask", "batch_outcome", "batch_to_play", "batch_encode",
)  # fmt: skip
BRANCH_FREE = (
    "Rules must be arithmetic on words: no if, and, or, not that asks about a position, and no"
    " method of Python's own ints."
)


def batch_fault(game: Game, states: list, rng: np.random.Generator, compiled: bool = True) -> str:
    """What the batch forms say otherwise than the single forms, in a sentence; "" if nothing.

    Args:
        states: positions, some of them finished.
        rng: draws a legal action in every other.
        compiled: whether to look at the compiled rules, too.
    """
    if not hasattr(game, "batch_play"):
        return ""
    going_on = [state for state in states if game.outcome(state) is None]
    actions = np.array([rng.choice(game.legal_actions(state)) for state in going_on])
    singles = [game.play(s, int(a)) for s, a in zip(going_on, actions, strict=True)]
    outcomes = [game.outcome(state) for state in states]
    right = {
        "batch_legal_mask": np.array([game.legal_mask(state) for state in states]),
        "batch_outcome": [[o is not None for o in outcomes], [o or 0 for o in outcomes]],
        "batch_to_play": [game.to_play(state) for state in states],
        "batch_encode": np.array([game.encode(state) for state in states]),
        "batch_play": np.array([tuple(state) for state in singles]).T,
    }
    for kind, convert in {"NumPy arrays": np.asarray, "torch tensors": _tensor()}.items():
        batch, moving = (
            type(stacked)(*map(convert, stacked))
            for stacked in (game.stack(states), game.stack(going_on))
        )
        given = convert(actions)
        questions = {
            "batch_outcome": lambda batch=batch: [p.tolist() for p in game.batch_outcome(batch)],
            "batch_to_play": lambda batch=batch: game.batch_to_play(batch).tolist(),
            "batch_legal_mask": lambda batch=batch: game.batch_legal_mask(batch),
            "batch_encode": lambda batch=batch: game.batch_encode(batch),
            "batch_play": lambda moving=moving, given=given: [
                word.tolist() for word in game.batch_play(moving, given)
            ],
        }
        for method, ask in questions.items():
            try:
                answer = np.asarray(ask())
            except Exception as error:
                why = " ".join(f"{type(error).__name__}: {error}".split())[:200].rstrip(".")
                return f"{method} fails on {kind} ({why}). {BRANCH_FREE}"
            if not np.array_equal(answer, np.asarray(right[method])):
                return (
                    f"{method} on {kind} disagrees with the same question asked one position at a"
                    " time."
                )
    if not compiled or not hasattr(game, "rules"):
        return ""
    return compiled_fault(game.rules, going_on, actions.tolist())


def _tensor() -> Callable[[np.ndarray], Any]:
    import torch

    return torch.from_numpy
