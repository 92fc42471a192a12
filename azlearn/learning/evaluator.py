"""A network as an evaluator, of one position for ``MCTS`` or of many for batched searches."""

from pathlib import Path
from time import perf_counter
from typing import Literal

import numpy as np
import torch

from azlearn.games import Game, State
from azlearn.games.game import describe_difference
from azlearn.learning.denormals import flushed_denormals
from azlearn.learning.files import LoadedNetwork, load_network
from azlearn.learning.loss import masked_log_softmax
from azlearn.learning.network import ResNet
from azlearn.search import Evaluation, Evaluator


class NetworkEvaluator:
    """Evaluates positions with a copy of a network in inference form; later training has no effect.

    Args:
        game: the rules.
        network: its current weights are copied.
        device: where to compute.
        dtype: torch.float32 or torch.bfloat16, which is faster on some processors.
        symmetry: the network sees a position as it is (``"none"``), in a random one of its
            symmetric images, as in AlphaGo Zero (``"random"``; one for a whole batch), or in
            all of them, with the results averaged (``"mean"``).
        rng: a generator or its seed, for ``"random"`` in ``batch``.

    Raises:
        ValueError: there is no such ``symmetry``.
    """

    name = "network"

    def __init__(
        self,
        game: Game,
        network: ResNet,
        *,
        device: str | torch.device = "cpu",
        dtype: torch.dtype = torch.float32,
        symmetry: Literal["none", "random", "mean"] = "none",
        rng: np.random.Generator | int = 0,
    ) -> None:
        if symmetry not in ("none", "random", "mean"):
            raise ValueError(f"symmetry must be 'none', 'random' or 'mean', not {symmetry!r}.")
        self.game, self.device, self.dtype, self.symmetry = game, device, dtype, symmetry
        self.network = network.folded(dtype).to(device)  # a copy without batch norms
        self._rng = np.random.default_rng(rng)

    def __call__(self, game: Game, state: State, rng: np.random.Generator) -> Evaluation:
        """Evaluates one position, for ``MCTS``. ValueError if the network is for another game."""
        # Variants of one game may have other planes.
        if (game.name, game.num_actions) != (self.game.name, self.game.num_actions):
            own, asked = describe_difference(self.game, game)
            raise ValueError(f"This network plays {own}, not {asked}.")
        one = self.game.stack([state])
        prior, value = (answer.numpy(force=True) for answer in self._evaluate(one, rng))
        return Evaluation(prior[0].tolist(), float(value[0]))

    def batch(self, states: State, legal_mask=None) -> tuple:
        """Evaluates many positions.

        Args:
            states: a state whose fields are int64 [B], arrays or tensors on any device.
            legal_mask: bool [B, num_actions], also arrays or tensors, if already known.

        Returns:
            ``(prior, value)``: float32 [B, num_actions], 0 on illegal moves, sum 1 (all 0 if the
            game is over); float32 [B] in [-1, 1], for the player to move. Arrays if ``states`` are
            arrays, otherwise tensors on their device.

        Raises:
            ValueError: the network returned NaN or infinity, in a logit or a value.
        """
        answers = self._evaluate(states, self._rng, legal_mask)
        if isinstance(states[0], torch.Tensor):
            return tuple(answer.to(states[0].device) for answer in answers)
        return tuple(answer.numpy(force=True) for answer in answers)

    @flushed_denormals()
    @torch.inference_mode()
    def _evaluate(self, states: State, rng: np.random.Generator, legal_mask=None) -> tuple:
        # The rules run on the positions' device, because some GPUs lack operations that they need.
        states = self.game.State(*map(torch.as_tensor, states))
        if legal_mask is None:
            legal_mask = self.game.batch_legal_mask(states)
        legal_mask = torch.as_tensor(legal_mask, device=self.device)
        planes = self.game.batch_encode(states).to(self.device)
        if self.symmetry == "none":
            p, value = self._ask(planes, legal_mask)
        else:
            # Transforming the action numbers shows where each action goes, and so how to undo it.
            actions = torch.arange(self.game.num_actions, device=self.device)
            images = self.game.symmetries(planes, actions)
            if self.symmetry == "random":
                images = [images[rng.integers(len(images))]]
            answers = [
                (p[:, moved.argsort()], value)
                for image, moved in images
                for p, value in [self._ask(image, legal_mask[:, moved])]
            ]
            p, value = (torch.stack(parts).mean(0) for parts in zip(*answers, strict=True))
        return p, value

    def _ask(self, planes: torch.Tensor, legal_mask: torch.Tensor):
        planes = planes.to(self.dtype, memory_format=torch.channels_last)
        logits, value = self.network(planes)
        if not bool(torch.isfinite(logits).all() & torch.isfinite(value).all()):
            raise ValueError(
                "The network returned NaN: its weights are corrupted, or training diverged."
            )
        # A finished game has no legal move: its row of NaN becomes a row of zeros.
        p = masked_log_softmax(logits.float(), legal_mask).exp().nan_to_num(0.0)
        return p, value.float()


# About as many positions as self-play evaluates at once. With few positions a GPU spends its time
# launching kernels, which takes as long in both precisions.
_AT_ONCE = {"cuda": 4096, "cpu": 256}


@flushed_denormals()
@torch.inference_mode()
def fastest_precision(network: ResNet, device: str) -> str:
    """Returns ``"bfloat16"`` if a batch takes under 90% of the float32 time, else ``"float32"``.

    On devices other than CPUs and CUDA, where not every PyTorch has bfloat16, it returns
    ``"float32"``. Processors without bfloat16 units support bfloat16, too, but slowly.
    """
    kind = torch.device(device).type
    if kind not in _AT_ONCE:
        return "float32"
    seconds = {}
    for precision in ("float32", "bfloat16"):
        dtype = getattr(torch, precision)
        folded = network.folded(dtype).to(device)
        planes = torch.zeros(_AT_ONCE[kind], *network.planes_shape, dtype=dtype, device=device)
        runs = []
        for _ in range(5):
            started = perf_counter()
            folded(planes.contiguous(memory_format=torch.channels_last))[1].cpu()  # waits for it
            runs.append(perf_counter() - started)
        seconds[precision] = min(runs)
    return "bfloat16" if seconds["bfloat16"] < 0.9 * seconds["float32"] else "float32"


def resolve_evaluator(given, game: Game) -> Evaluator:
    """Converts anything that is, contains or names a network into an evaluator.

    Every function that takes an evaluator also accepts such a value.

    Args:
        given: an evaluator, returned as it is; a network; a loaded network; an argument of
            ``load_network``: the name of a shipped network, a run's folder, one of its snapshots,
            a file; or a player that has an evaluator.

    Raises:
        ValueError: ``given`` is none of these, or its network belongs to another game.
        FileNotFoundError, CorruptFileError: as in ``load_network``.
    """
    found = load_network(given) if isinstance(given, (str, Path)) else given
    if isinstance(found, LoadedNetwork):
        found = NetworkEvaluator(found.game, found.network)
    elif isinstance(found, ResNet):
        found = NetworkEvaluator(_fitting(game, found), found)
    if not callable(found):
        found = getattr(found, "evaluator", found)
    if not (callable(found) or hasattr(found, "batch")):
        raise ValueError(
            "An evaluator must be a function (game, state, rng) -> (prior, value), a network, a"
            f" loaded network, a run's folder, or a player with an evaluator, not {given!r:.80}."
        )
    its = getattr(found, "game", game)
    # The rules matter, not the planes: networks of AlphaGo's stages use other planes of a game.
    if its != game and getattr(its, "rules", its) is not getattr(game, "rules", game):
        own, asked = describe_difference(its, game)
        raise ValueError(f"This network plays {own}, not {asked}.")
    return found


def _fitting(game: Game, network: ResNet) -> Game:
    shapes = [game.num_planes, game.rows, game.cols], game.num_actions
    own = [*network.planes_shape], network.policy.out_features
    if shapes != own:
        raise ValueError(
            f"This network does not play {game.name}: it takes planes {own[0]} and returns"
            f" {own[1]} logits, not {shapes[0]} and {shapes[1]}."
        )
    return game
