"""Whether the device engine is right on this device: what ``device_speed.py --check`` runs."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from azlearn.games.tensor_game import TensorGame
from azlearn.learning import ResNet
from azlearn.learning.device.evaluator import DeviceEvaluator
from azlearn.learning.device.host_sync import NoHostSync
from azlearn.learning.device.learner import DeviceLearner
from azlearn.learning.device.ring import Ring
from azlearn.learning.device.self_play import DeviceSelfPlay
from azlearn.learning.optimizers import make_optimizer
from azlearn.learning.settings import TrainSettings
from azlearn.search import MCTS, Evaluation, puct
from azlearn.search.evaluators import hash_bits
from azlearn.search.tensor_trees import TensorTrees

SETTINGS = TrainSettings(
    trees="device", network="tiny", num_games=16, simulations=24, first_simulations=24,
    precision="float32", window=4000, first_window=100, batch_size=32, resign_rate=0.05,
)  # fmt: skip


class WholeRun:
    """Network, self-play, ring and learner on one device, all from the settings and their seed."""

    def __init__(
        self,
        settings: TrainSettings,
        network: ResNet,
        device: str,
        how: str,
        compiled: bool = False,
    ) -> None:
        game = settings.make_game()
        self.settings, self.network = settings, network
        self.ring = Ring(game, settings.window, device)
        self.evaluate = DeviceEvaluator(
            TensorGame(game, device), network, dtype=getattr(torch, settings.precision),
            symmetry=settings.symmetry, seed=settings.seed,
        )  # fmt: skip
        self.games = DeviceSelfPlay(settings, self.evaluate, self.ring, how=how, compiled=compiled)
        optimizer = make_optimizer(
            network.parameters(), settings.optimizer, settings.learning_rate,
            settings.weight_decay, on_device=True,
        )  # fmt: skip
        self.learner = DeviceLearner(settings, network, optimizer, self.ring, how=how)


def new_network(game, size: dict, device: str) -> ResNet:
    """With the same random weights every time."""
    torch.manual_seed(0)
    return ResNet(game, **size, value_norm=True).to(device)


class ByHash:
    """Arbitrary evaluations, the same to the last bit on every device, in operations alone."""

    def __init__(self, game: TensorGame) -> None:
        self.game = game
        self._shifts = torch.arange(game.num_actions, device=game.device) * 3 % 48

    def __call__(self, states) -> tuple[Tensor, Tensor]:
        bits = hash_bits(*states)
        shares = (((bits[:, None] >> self._shifts) & 7) + 1) * self.game.legal_mask(states)
        prior = shares.double() / shares.sum(dim=1, keepdim=True).clamp(min=1)
        return prior, (((bits >> 5) & 1023) - 512).double() / 512

    def one(self, game, state, rng) -> Evaluation:
        """For ``MCTS``."""
        prior, value = self(game.State(*(torch.tensor([word]) for word in state)))
        return Evaluation(prior[0].tolist(), float(value[0]))


def same_trees(game, device: str, num_games: int = 8, num_simulations: int = 96) -> str:
    """Trees on the device in float64 against the readable search, every N, W and child.

    Raises:
        AssertionError: a node is another.
    """
    rng, states = np.random.default_rng(0), []
    while len(states) < num_games:
        state = game.initial_state()
        for _ in range(int(rng.integers(12))):
            if game.outcome(state) is None:
                state = game.next_state(state, int(rng.choice(game.legal_actions(state))))
        if game.outcome(state) is None:
            states.append(state)
    there, here = (TensorGame(game, place) for place in (device, "cpu"))
    trees, evaluate = TensorTrees(there, num_games, num_simulations, puct()), ByHash(there)
    words = (torch.from_numpy(np.array(word)).to(device) for word in game.stack(states))
    roots = game.State(*words)
    trees.begin(roots, *evaluate(roots))
    for _ in range(num_simulations):
        trees.update(*evaluate(trees.select()))
    found = {
        name: getattr(trees, name).cpu().tolist()
        for name in ("words", "visit_counts", "value_sum", "child")
    }
    compared = 0
    for row, state in enumerate(states):
        waiting = [(MCTS(game, puct(), ByHash(here).one).run(state, num_simulations).root, 0)]
        while waiting:
            node, at = waiting.pop()
            compared += 1
            for name, own in (("words", list(node.state)), ("visit_counts", node.visit_counts),
                              ("value_sum", node.value_sum)):  # fmt: skip
                if found[name][row][at] != own:
                    raise AssertionError(f"{name} {found[name][row][at]}, not {own} of MCTS")
            for action, child in enumerate(node.children):
                if child is not None and child.outcome is None:
                    waiting.append((child, found["child"][row][at][action]))
    return f"{compared:,} nodes of {num_games} games are those of MCTS, to the last bit"


def same_replayed(device: str, how: str, num_steps: int = 8) -> str:
    """Recorded steps against Python's: the same games and samples, then the same weights.

    Raises:
        AssertionError: something is another number.
    """
    one, other = (played(device, way, 30) for way in ("python", how))
    for name, numbers in one.stored.items():
        same = other.stored[name]
        is_same = torch.equal(numbers, same) if isinstance(numbers, Tensor) else numbers == same
        assert is_same, f"{name} is another where it is replayed"
    for run in (one, other):
        run.learner.learn(num_steps, 1e-3, 0)
    pairs = zip(one.network.parameters(), other.network.parameters(), strict=True)
    # Not to the last bit: the order in which a GPU adds up gradients is not fixed.
    apart = max((mine - theirs).detach().abs().max().item() for mine, theirs in pairs)
    assert apart < 1e-3, f"weights differ by {apart:.1g} after {num_steps} steps"
    return f"games and samples equal; weights within {apart:.1g} after {num_steps} steps"


def same_compiled(device: str, how: str, num_moves: int = 3) -> str:
    """A compiled simulation against Python's: nearly all games take the same moves.

    Fused operations round otherwise, which now and then decides between two moves.

    Raises:
        AssertionError: too few are the same.
    """
    one = played(device, "python", num_moves)
    other = played(device, how, num_moves, compiled=True)
    same = (one.games.games.state == other.games.games.state).all(1).double().mean().item()
    assert same >= 0.75, f"only {same:.0%} of the games are the same after {num_moves} moves"
    return f"{same:.0%} of the games are the same after {num_moves} moves"


def played(device: str, how: str, num_moves: int, compiled: bool = False) -> WholeRun:
    """A run after so many moves in every game; ``stored`` is what it would keep."""
    size = {"channels": 16, "blocks": 2}
    network = new_network(SETTINGS.make_game(), size, device)
    run = WholeRun(SETTINGS, network, device, how, compiled)
    run.games.play(num_moves * SETTINGS.num_games)
    run.stored = run.games.state_dict() | run.ring.state_dict()
    return run


@contextmanager
def no_wait(device: str):
    """Nothing in here may wait for the device: ours and, on a GPU, CUDA's own guard."""
    try:
        if torch.device(device).type == "cuda":
            torch.cuda.set_sync_debug_mode("error")
        with NoHostSync():
            yield
    finally:
        if torch.device(device).type == "cuda":
            torch.cuda.set_sync_debug_mode("default")


def no_waiting(device: str) -> str:
    """Steps of self-play and learning under the guards.

    Raises:
        HostSync, RuntimeError: a step waits for the device.
    """
    settings = replace(SETTINGS, symmetry="random")
    network = new_network(settings.make_game(), {"channels": 16, "blocks": 2}, device)
    run = WholeRun(settings, network, device, "python")
    run.games.play(20 * settings.num_games)
    run.learner.learn(1, 1e-3, 0)
    with no_wait(device):
        for step in (run.games.begin, run.games.simulate, run.games.move, run.learner._step_once):
            step()
            step()
        run.evaluate.learn_from(network)
    return "begin, simulate, move and a learning step ran under the guards"
