"""Small self-play and learning on a device, and all the memory that it holds."""

from dataclasses import replace

import torch
from torch import Tensor, nn

from azlearn.games.tensor_game import TensorGame
from azlearn.learning.device.evaluator import DeviceEvaluator
from azlearn.learning.device.learner import DeviceLearner
from azlearn.learning.device.replayed import Replayed
from azlearn.learning.device.ring import Ring
from azlearn.learning.device.self_play import DeviceSelfPlay
from azlearn.learning.network import ResNet
from azlearn.learning.optimizers import make_optimizer
from azlearn.learning.settings import TrainSettings

NETWORK = {"channels": 8, "blocks": 1, "policy_filters": 4, "value_filters": 4, "value_hidden": 16}
# What a step leaves behind for the next one to replace: no memory that lasts.
PASSING = {
    "_parent", "_action", "_leaf", "_player", "_result", "_depth", "leaf_is_over", "leaf_is_legal"
}  # fmt: skip


def small(game: str = "connect4", **changes) -> TrainSettings:
    plies = min(8, TrainSettings(game=game, opening_plies=0).make_game().max_plies // 3)
    settings = TrainSettings(
        game=game, network="tiny", precision="float32", seed=7, trees="device", num_games=8,
        simulations=16, first_simulations=16, temperature_plies=plies, opening_plies=plies,
        window=4000, first_window=100, batch_size=16,
    )  # fmt: skip
    return replace(settings, **changes)


class SmallRun:
    """A network, its evaluator, self-play, ring and learner, as a ``DeviceWorker`` has them."""

    def __init__(self, settings: TrainSettings, device="cpu", how="python", **classes) -> None:
        game, self.settings = settings.make_game(), settings
        with torch.random.fork_rng(devices=[]), torch.device(device):
            torch.manual_seed(0)
            self.network = ResNet(game, **NETWORK)
        self.optimizer = make_optimizer(
            self.network.parameters(), settings.optimizer, settings.learning_rate,
            settings.weight_decay, on_device=True,
        )  # fmt: skip
        self.ring = classes.get("ring", Ring)(game, settings.window, device)
        self.evaluator = classes.get("evaluator", DeviceEvaluator)(
            classes.get("game", TensorGame)(game, device), self.network,
            dtype=getattr(torch, settings.precision), symmetry=settings.symmetry,
            seed=settings.seed,
        )  # fmt: skip
        self.self_play = classes.get("self_play", DeviceSelfPlay)(
            settings, self.evaluator, self.ring, how=how
        )
        self.learner = classes.get("learner", DeviceLearner)(
            settings, self.network, self.optimizer, self.ring, how=how
        )

    def iterate(self, num_iterations: int, start: int = 0):
        """Whole iterations: games, steps at a rate that falls, and the new weights to play with."""
        moves, steps = 4 * self.settings.num_games, 3
        for number in range(start, start + num_iterations):
            self.self_play.play(moves)
            self.learner.learn(steps, 2e-3 / (1 + number), number * steps)
            self.evaluator.learn_from(self.network)


def memory(thing, path: str = "", seen=None) -> dict[str, Tensor]:
    """Every tensor that lasts, by the way to it; recordings are left out."""
    seen = set() if seen is None else seen
    if isinstance(thing, Tensor):
        return {path: thing}
    if id(thing) in seen or isinstance(thing, Replayed):
        return {}
    seen.add(id(thing))
    if isinstance(thing, nn.Module):
        parts = thing.state_dict()
    elif isinstance(thing, torch.optim.Optimizer):
        parts = {
            "state": [list(thing.state[p].items()) for p in thing.state],
            "rates": [group["lr"] for group in thing.param_groups],
        }
    elif isinstance(thing, dict):
        parts = thing
    elif isinstance(thing, list | tuple):
        parts = dict(enumerate(thing))
    elif type(thing).__module__.startswith(("azlearn", "tests")):
        parts = {name: part for name, part in vars(thing).items() if name not in PASSING}
    else:
        return {}
    found = {}
    for name, part in parts.items():
        found |= memory(part, f"{path}.{name}", seen)
    return found
