"""Chapter 10, one turn of the wheel (10.5): play, then learn, each in its own mode.

The network is a small one with fixed weights. What the answer asks for is written down, and the
losses and the weights afterwards are compared with those of a right loop, and of wrong ones.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from azlearn.course.checking import Call, Exercise, Wrong
from azlearn.course.comparing import UNRECOGNISED, as_list, same, show
from azlearn.course.numbers import has_gradient, numbers
from azlearn.course.sections import explained_for
from azlearn.games import TicTacToe

_GAME = TicTacToe()
_NUM_STEPS = (3, 1)


@dataclass(frozen=True)
class _GradientDescent:
    """torch's SGD with a rate of 0.1; that one loads half a compiler at its first step."""

    parameters: list

    def zero_grad(self, set_to_none: bool = True) -> None:
        for parameter in self.parameters:
            parameter.grad = None

    def step(self) -> None:
        for parameter in self.parameters:
            if parameter.grad is not None:
                parameter.data -= 0.1 * parameter.grad


class Stand:
    """A network, its optimizer, and everything else that an iteration is given.

    Attributes:
        plays: for each call of ``play``: was it in train mode, how many batches were drawn before.
        modes: for each call of ``loss``: was it in train mode.
        num_draws, num_turns: how often these were called.
    """

    def __init__(self) -> None:
        import torch

        linear = torch.nn.Linear(18, 10)
        with torch.no_grad():
            linear.weight.copy_(torch.linspace(-0.5, 0.5, 180).sin().reshape(10, 18))
            linear.bias.zero_()
        self.network = torch.nn.Sequential(torch.nn.Flatten(), linear)
        self.optimizer = _GradientDescent(list(self.network.parameters()))
        self.plays: list[list] = []
        self.modes: list[bool] = []
        self.num_draws = self.num_turns = 0

    def play(self, network: Any) -> None:
        """Self-play; nothing comes back, the replay buffer is somewhere else."""
        self.plays.append([network.training, self.num_draws])

    def draw(self) -> tuple:
        """The next batch: planes [2, 2, 3, 3], policy [2, 9], z [2]."""
        import torch

        rng = np.random.default_rng(self.num_draws)
        self.num_draws += 1
        numbers = rng.random((2, 27)).astype(np.float32)
        planes = torch.from_numpy(numbers[:, :18].reshape(2, 2, 3, 3).round())
        policy = torch.from_numpy(numbers[:, 18:])
        return planes, policy / policy.sum(1, keepdim=True), torch.tensor([1.0, -1.0])

    def turn(self, planes: Any, policy: Any) -> tuple:
        """Both turned alike; another way at each call, never as they were."""
        self.num_turns += 1
        return _GAME.symmetries(planes, policy)[1 + 2 * (self.num_turns % 3)]

    def loss(self, network: Any, planes: Any, policy: Any, z: Any) -> Any:
        """(z - v)² - π · log p, a scalar with a gradient."""
        self.modes.append(network.training)
        out = network(planes)
        log_p, v = out[:, :9].log_softmax(1), out[:, 9].tanh()
        return (z - v).square().mean() - (policy * log_p).sum(1).mean()

    def given(self, num_steps: int) -> tuple:
        """The arguments of an iteration."""
        return (
            self.network, self.optimizer, self.play, self.draw, self.turn, self.loss, num_steps,
        )  # fmt: skip

    def left(self, losses: list) -> list:
        """Everything that an iteration leaves behind: what it asked, its losses, the weights."""
        weights = [float(p) for part in self.network.parameters() for p in part.detach().ravel()]
        asked = [self.plays, self.modes, self.num_draws, self.num_turns]
        return [asked, losses, weights]


def _wheel(
    *,
    play_in_eval: bool = True,
    learn_in_train: bool = True,
    play_first: bool = True,
    draw_once: bool = False,
    turned: Callable[..., tuple] = lambda turn, planes, policy: turn(planes, policy),
    zero: bool = True,
    step: bool = True,
) -> Callable[..., list[float]]:
    """The right iteration, or one with a fault."""

    def iteration(network, optimizer, play, draw, turn, loss, num_steps):
        def self_play():
            network.train(not play_in_eval)
            play(network)

        if play_first:
            self_play()
        network.train(learn_in_train)
        losses, batch = [], None
        for _ in range(num_steps):
            batch = batch if draw_once and batch else draw()
            planes, policy, z = batch
            total = loss(network, *turned(turn, planes, policy), z)
            if zero:
                optimizer.zero_grad()
            total.backward()
            if step:
                optimizer.step()
            losses.append(float(total.detach()))
        if not play_first:
            self_play()
        return losses

    return iteration


RIGHT = _wheel()
_FAULTS = (
    (
        "evaluation in train mode",
        _wheel(play_in_eval=False),
        "Self-play ran in train mode: batch norm then measures every batch anew, so that a "
        "position's value depends on the positions that happen to be asked about with it. Call "
        "`network.eval()` before you play.",
    ),
    (
        "learns in eval mode",
        _wheel(learn_in_train=False),
        "The network learnt in eval mode: batch norm's running means, which self-play relies on, "
        "stay what they were at the start. Call `network.train()` before you learn.",
    ),
    (
        "train and eval mode swapped",
        _wheel(play_in_eval=False, learn_in_train=False),
        "`eval()` is for playing, `train()` for learning.",
    ),
    (
        "learns before it plays",
        _wheel(play_first=False),
        "First play, then learn, so that the newest games are among those drawn.",
    ),
    (
        "one batch for every step",
        _wheel(draw_once=True),
        "Draw a new batch for each step.",
    ),
    (
        "π not mirrored",
        _wheel(turned=lambda turn, planes, policy: (turn(planes, policy)[0], policy)),
        "The board was turned and π was not: it now recommends the wrong cells.",
    ),
    (
        "the board not mirrored",
        _wheel(turned=lambda turn, planes, policy: (planes, turn(planes, policy)[1])),
        "π was turned and the board was not.",
    ),
    (
        "board and π turned apart",
        _wheel(
            turned=lambda turn, planes, policy: (
                turn(planes, policy)[0],
                turn(planes, policy)[1],
            )
        ),
        "Each call of `turn` chooses a symmetry of its own. Call it once, and keep both.",
    ),
    (
        "nothing is turned",
        _wheel(turned=lambda turn, planes, policy: (planes, policy)),
        "Use what `turn` gives: eight positions for the price of one.",
    ),
    (
        "the gradient is never set to zero",
        _wheel(zero=False),
        "`backward` *adds* to the gradient. Without `optimizer.zero_grad()` every step walks along "
        "all gradients so far.",
    ),
    (
        "the network never changes",
        _wheel(step=False),
        "After the steps its weights are what they were: `backward()` and `optimizer.step()` are "
        "both needed.",
    ),
)


def _run(iteration: Callable[..., list[float]], num_steps: int) -> list:
    stand = Stand()
    return stand.left(iteration(*stand.given(num_steps)))


@explained_for("10.5")
def check_iteration(call: Call) -> str:
    given = []
    for num_steps in _NUM_STEPS:
        stand, shown = Stand(), f"num_steps = {num_steps}"
        value = call(*stand.given(num_steps), shown=shown)
        given.append(stand.left(_losses(value, num_steps, shown)))
    right = [_run(RIGHT, num_steps) for num_steps in _NUM_STEPS]
    if same(given, right, 1e-4):
        return "It plays in eval mode, learns in train mode, and every step is where it should be."
    for name, iteration, message in _FAULTS:
        if same(given, [_run(iteration, num_steps) for num_steps in _NUM_STEPS], 1e-4):
            raise _wrong(name, message, right, given)
    raise _wrong(UNRECOGNISED, "", right, given)


def _losses(value: Any, num_steps: int, shown: str) -> list:
    losses = as_list(value)
    if losses is None or len(losses) != num_steps:
        raise Wrong(
            "not one loss a step",
            f"With {shown}, a list of {num_steps} losses is asked for; you gave {show(value):.80}.",
        )
    if any(map(has_gradient, losses)):
        raise Wrong(
            "losses that keep their gradients",
            f"With {shown}, your losses are tensors that still hold the graph of their step, and "
            "all its memory with it. Keep numbers: `loss.item()`.",
        )
    return numbers(losses)


def _wrong(name: str, message: str, right: list, given: list) -> Wrong:
    number = next(i for i in range(len(right)) if not same(given[i], right[i], 1e-4))
    wanted, found = right[number], given[number]
    rows = [("calls", _in_words(*wanted[0]), _in_words(*found[0]))] if wanted[0] != found[0] else []
    if not same(wanted[1], found[1], 1e-4):
        rows.append(("losses", wanted[1], found[1]))
    if not same(wanted[2], found[2], 1e-4):
        rows.append(("the first four weights", wanted[2][:4], found[2][:4]))
    said = f"What you did matches “{name}”: {message}" if name != UNRECOGNISED else "Compare below."
    return Wrong(name, f"With num_steps = {_NUM_STEPS[number]}: {said}", rows)


def _in_words(plays: list, modes: list, num_draws: int, num_turns: int) -> str:
    """play (eval), 3 draws, 3 turns, loss (train, train, train)"""
    names = ("eval", "train")
    played = [f"play ({names[mode]}{', after the draws' * (n > 0)})" for mode, n in plays]
    learnt = f"loss ({', '.join(names[mode] for mode in modes)})"
    return ", ".join([*played, f"{num_draws} draws", f"{num_turns} turns", learnt])


EXERCISES = (
    Exercise(
        id="10.5",
        title="One turn of the wheel",
        minutes=15,
        difficulty=3,
        function="iteration(network, optimizer, play, draw, turn, loss, num_steps)",
        check=check_iteration,
        diagnoses=(
            *(name for name, _, _ in _FAULTS),
            "not one loss a step",
            "losses that keep their gradients",
        ),
        hints=(
            "Play once, then learn `num_steps` times. Which mode does batch norm need for which?",
            "`network.eval(); play(network); network.train()`. A step: draw, turn, loss, "
            "`zero_grad`, `backward`, `step`.",
            "In near-code:\n\n"
            "    eval mode; play\n"
            "    train mode\n"
            "    num_steps times:\n"
            "        planes, policy, z = draw()\n"
            "        planes, policy = turn(planes, policy)\n"
            "        total = loss of the network there\n"
            "        zero_grad, backward, step\n"
            "        keep the number, not the tensor",
        ),
    ),
)
