"""One turn of the wheel (10.5): play, then learn, each in its own mode.

The network is a small one with fixed weights. What the answer asks for is written down.
"""

from dataclasses import dataclass

import numpy as np

from azlearn.course.kit import THREE, About, Case, gives, has_gradient, row, single

MODES, PLAYED, LEARNT = ("eval", "train"), "mode at each `play`", "mode at each `loss`"
NUM_DRAWN = 12
CASES = [
    Case("num_steps = 3", (3, 0, True), {PLAYED: ["eval"], LEARNT: ["train"] * 3}),
    Case("num_steps = 1", (1, 0, True), {PLAYED: ["eval"], LEARNT: ["train"]}),
]


def draw(rng):
    """No step too; the network is in either mode before."""
    num_steps, seed, training = rng.integers([4, 1000, 2]).tolist()
    words = f"num_steps = {num_steps}, a network in {MODES[training]} mode, batches {seed}"
    return Case(words, (num_steps, seed, bool(training)))


@dataclass(frozen=True)
class GradientDescent:
    """torch's SGD with a rate of 0.1; that one loads half a compiler at its first step."""

    parameters: list

    def zero_grad(self, set_to_none: bool = True) -> None:
        for parameter in self.parameters:
            parameter.grad = None

    def step(self) -> None:
        for parameter in self.parameters:
            if parameter.grad is not None:
                parameter.data -= 0.1 * parameter.grad


@gives("a list of losses")
def observe(iteration, case, optimizer=GradientDescent):
    import torch

    num_steps, seed, training = case.arguments
    linear = torch.nn.Linear(18, 10)
    with torch.no_grad():
        linear.weight.copy_(torch.linspace(-0.5, 0.5, 180).sin().reshape(10, 18))
        linear.bias.zero_()
    network = torch.nn.Sequential(torch.nn.Flatten(), linear).train(training)
    plays, modes, draws, turns = [], [], [], []

    def play(network) -> None:
        plays.append((MODES[network.training], len(draws)))

    def draw() -> tuple:
        """Another batch at each call: planes [2, 2, 3, 3], policy [2, 9], z [2]."""
        rng = np.random.default_rng([seed, len(draws)])
        draws.append(rng)
        planes = torch.tensor(rng.integers(2, size=(2, 2, 3, 3)), dtype=torch.float32)
        return planes, torch.tensor(rng.dirichlet([1] * 9, 2)).float(), torch.tensor([1.0, -1.0])

    def turn(planes, policy) -> tuple:
        """Both turned alike; another way at each call, never as they were."""
        turns.append(1 + 2 * (len(turns) % 3))
        return THREE.symmetries(planes, policy)[turns[-1]]

    def loss(network, planes, policy, z):
        """(z - v)² - π · log p."""
        modes.append(MODES[network.training])
        out = network(planes)
        log_p, v = out[:, :9].log_softmax(1), out[:, 9].tanh()
        return (z - v).square().mean() - (policy * log_p).sum(1).mean()

    optimizer = optimizer(list(network.parameters()))
    value = iteration(network, optimizer, play, draw, turn, loss, num_steps)
    losses = row(value, num_steps)
    return {
        "whether they hold gradients": any(map(has_gradient, [value, *losses])),
        PLAYED: [mode for mode, _ in plays],
        LEARNT: modes,
        "batches drawn before each `play`": [number for _, number in plays],
        "batches drawn": len(draws),
        "whether the network has changed": bool(linear.bias.abs().max() > 0),
        "losses": About([single(one) for one in losses], 1e-4),
        "calls of `turn`": len(turns),
        "its biases": About(linear.bias.tolist(), 1e-4),
        "the sum of its squared weights": About(linear.weight.square().sum().item(), 1e-3),
    }
