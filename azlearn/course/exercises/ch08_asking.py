"""Chapter 8, asking a network (8.6): one position in, a prior and a value out.

The network of the check is small enough for its answers to be worked out by hand, and notes how it
was asked.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import Case, Fault, compare, show
from azlearn.course.numbers import has_gradient, numbers, shape, tensor
from azlearn.course.sections import explained_for
from azlearn.games import TicTacToe

GAME = TicTacToe()
# A move's logit is this, plus what its cell adds: -1 if empty, 3 and 1 if there is a stone.
_WEIGHTS = (5, 1, 1, 2, 4, 3, 1, 1, 1)
_LOGITS = [math.log(weight) for weight in _WEIGHTS]

# words, moves, p in parts of the legal moves' weights, the argument of tanh
_CASES = (
    # X has 1 and 9, O has 5 and 3: 2, 4, 6, 7, 8 are left, of weight 8. v: (2·3 - 7)/10 + 0.3·2
    ("X on 1 and 9, O on 5 and 3, X to move", "1593", (0, 1, 0, 2, 0, 3, 1, 1, 0), 0.5),
    # O is to move: 2, 3, 4, 6, 7, 8 are left, of weight 9. v: (3 - 8)/10 + 0.3·2
    ("X on 1 and 9, O on 5, O to move", "159", (0, 1, 1, 2, 0, 3, 1, 1, 0), 0.1),
)


def cases() -> list[Case]:
    """Arguments: moves, whether the network is in training mode; right: [prior, value]."""
    return [
        Case(
            f"{words}, the network in {'training' if training else 'eval'} mode",
            (moves, training),
            [[part / sum(parts) for part in parts], math.tanh(argument)],
        )
        for words, moves, parts, argument in _CASES
        for training in (False, True)
    ]


def probe_network():
    """A network [B, 2, 3, 3] -> ([B, 9], [B]) whose `asked` lists (planes, training) of each call.

    Its batch norm has mean 1/4 and deviation 1/4 in plane 0: a stone becomes 3, an empty cell -1.
    """
    import torch

    class Probe(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.norm = torch.nn.BatchNorm2d(2)
            self.norm.running_mean.copy_(torch.tensor([0.25, 0.0]))
            self.norm.running_var.copy_(torch.tensor([0.0625, 1.0]) - self.norm.eps)
            self.asked: list[tuple[Any, bool]] = []

        def forward(self, planes):
            self.asked.append((numbers(planes), self.training))
            mine, theirs = self.norm(planes).flatten(2).unbind(1)
            logits = mine + 2 * theirs + tensor(_LOGITS)
            return logits, torch.tanh(mine.sum(1) / 10 + 0.3 * theirs.sum(1))

    return Probe()


def _answer(moves: str) -> tuple[np.ndarray, np.ndarray, float]:
    """(legal_mask, logits, value) of the probe, in eval mode."""
    state = GAME.from_moves(moves)
    mine, theirs = GAME.encode(state).reshape(2, -1)
    mine = (mine - 0.25) / 0.25
    return (
        GAME.legal_mask(state),
        mine + 2 * theirs + _LOGITS,
        math.tanh(mine.sum() / 10 + 0.3 * theirs.sum()),
    )


def _softmax(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def _fault(name: str, give, message: str) -> Fault:
    def answer(moves: str, training: bool) -> list:
        legal, logits, value = _answer(moves)
        prior, value = give(legal, logits, value, moves)
        return [prior.tolist(), value]

    return Fault(name, answer, "for {case}, the answer is {right}; yours is {yours}. " + message)


def _right_prior(legal, logits) -> np.ndarray:
    return _softmax(np.where(legal, logits, -np.inf))


_NOT_MASKED = (
    "An illegal move has the prior 0 exactly: mask the logits with −∞ before the soft-max."
)
_FAULTS = (
    _fault(
        "illegal moves keep a prior",
        lambda legal, logits, value, moves: (_softmax(logits), value),
        _NOT_MASKED,
    ),
    _fault(
        "illegal moves keep a prior",
        lambda legal, logits, value, moves: (_softmax(logits * legal), value),
        _NOT_MASKED + " A logit of 0 still means e⁰ = 1.",
    ),
    _fault(
        "masked after the soft-max",
        lambda legal, logits, value, moves: (_softmax(logits) * legal, value),
        "What the illegal moves had is lost, so the prior does not sum to 1. Mask before the "
        "soft-max, or divide by the sum.",
    ),
    _fault(
        "logits instead of probabilities",
        lambda legal, logits, value, moves: (logits, value),
        "The network hands out logits; the soft-max is still to come.",
    ),
    _fault(
        "logits instead of probabilities",
        lambda legal, logits, value, moves: (np.where(legal, logits, -np.inf), value),
        "The network hands out logits; the soft-max is still to come.",
    ),
    _fault(
        "the value for the other player",
        lambda legal, logits, value, moves: (_right_prior(legal, logits), -value),
        "The planes show the board to the player to move, and the value is for that player: no "
        "sign changes here.",
    ),
    _fault(
        "the value in the first player's view",
        lambda legal, logits, value, moves: (
            _right_prior(legal, logits),
            value if len(moves) % 2 == 0 else -value,
        ),
        "You turn the value when O is to move. It is for the player to move already.",
    ),
)


def _said(value: Any) -> str:
    prior, v = value
    return f"p [{', '.join(f'{p:.3g}' for p in prior)}], v {v:+.3f}"


@explained_for("8.6")
def check_ask(call: Call) -> str:
    given = []
    for case in cases():
        moves, training = case.arguments
        network, state = probe_network().train(training), GAME.from_moves(moves)
        value, problem = call.attempt(network, GAME, state, shown=case.shown)
        _check_asked(network, state, case.shown)
        given.append(_pair(call.settle(value, problem), case.shown))
        if network.training != training:
            raise Wrong(
                "the network left in another mode",
                f"For {case.shown}, the mode is another after your call. If it was training, the "
                "next step of the training would go wrong: switch back, `network.train(before)`.",
            )
    compare(cases(), given, _FAULTS, form=_said, tolerance=1e-5)
    return "Eval mode, one row in a batch, legal moves only, and nothing changed in the network."


def _check_asked(network: Any, state: Any, shown: str) -> None:
    """How the network was asked, whatever was made of its answer."""
    for planes, training in network.asked:
        size = shape(planes)
        if size == (2, 3, 3):
            raise Wrong(
                "no batch dimension",
                f"For {shown}, you asked with planes of shape [2, 3, 3]. A network takes batches: "
                "`planes[None]` makes [1, 2, 3, 3].",
            )
        if training:
            raise Wrong(
                "train mode at evaluation",
                f"For {shown}, you asked while `network.training` was True. Batch norm then "
                "measures the batch it is given, here one position, instead of using what it has "
                "learnt, and shifts its running means. Say `network.eval()` before you ask.",
            )
        mine, theirs = GAME.encode(state).tolist()
        if planes == [[theirs, mine]]:
            raise Wrong(
                "planes of the other player",
                f"For {shown}, plane 0 of what you showed the network holds the opponent's stones. "
                "`game.encode(state)` is for the player to move.",
            )


def _pair(value: Any, shown: str) -> list:
    pair = list(value) if isinstance(value, (tuple, list)) else []
    if len(pair) != 2:
        raise Wrong(
            "not a pair",
            f"For {shown}, a pair is asked for: (prior, value). You gave {show(value):.80}.",
        )
    if any(has_gradient(part) for part in pair):
        raise Wrong(
            "the gradient comes along",
            f"For {shown}, a tensor of your answer still leads back into the network. A search "
            "keeps thousands of them, and all that hangs on them: ask inside `torch.no_grad()`.",
        )
    prior, v = map(numbers, pair)
    if shape(prior) == (1, 9) or shape(v) == (1,):
        raise Wrong(
            "the batch dimension comes along",
            f"For {shown}, your prior has the shape {list(shape(prior))}, your value "
            f"{list(shape(v))}. You asked about one position: take row 0 of both.",
        )
    return [prior, v]


EXERCISES = (
    Exercise(
        id="8.6",
        title="Ask the network",
        minutes=15,
        difficulty=2,
        function="ask(network, game, state)",
        check=check_ask,
        diagnoses=(
            *dict.fromkeys(fault.name for fault in _FAULTS),
            "no batch dimension",
            "train mode at evaluation",
            "planes of the other player",
            "the network left in another mode",
            "the gradient comes along",
            "the batch dimension comes along",
            "not a pair",
        ),
        hints=(
            "Five steps: remember the mode and switch, show a batch of one, mask, soft-max, switch "
            "back. Which of them does your function lack?",
            "`network.eval()`; `torch.from_numpy(game.encode(state))[None]`; "
            "`with torch.no_grad():`; row 0 of both answers; "
            "`torch.from_numpy(game.legal_mask(state))`; `network.train(before)`.",
            "In near-code:\n\n"
            "    before = network.training; network.eval()\n"
            "    without gradients: logits, value = network(planes of the state, as a batch of 1)\n"
            "    network.train(before)\n"
            "    prior = soft-max of logits[0], with -inf where illegal\n"
            "    prior as an array, value[0] as a float",
        ),
    ),
)
