"""A network as the evaluator of a recorded search; new weights overwrite the old in place."""

import logging
import warnings
from collections.abc import Callable
from typing import Literal

import torch
from torch import Tensor

from azlearn.games import RulesGame
from azlearn.learning.augment import apply_symmetry, num_images
from azlearn.learning.loss import masked_log_softmax
from azlearn.learning.network import ResNet
from azlearn.search.engine import draws


class DeviceEvaluator:
    """Evaluates positions with a network in inference form, without reading from the device.

    ``NetworkEvaluator`` rejects NaN results, so it must read them from the device. Here ``damaged``
    records whether any occurred, so that the host can check it later.

    Args:
        game: the rules.
        network: its device is used, and its current weights are copied; see ``learn_from``.
        dtype: torch.float32 or torch.bfloat16.
        symmetry: the network sees each position as it is (``"none"``), or a random one of its
            symmetric images (``"random"``), as in AlphaGo Zero.
        seed: determines these images.
        is_compiled: fuse the network's kernels with ``torch.compile``, at the first call.
        announce: called with a line if that fails; the network then runs uncompiled.

    Attributes:
        damaged: bool [], on the device: whether any result was NaN or infinite.
    """

    def __init__(
        self,
        game: RulesGame,
        network: ResNet,
        *,
        dtype: torch.dtype = torch.float32,
        symmetry: Literal["none", "random"] = "none",
        seed: int = 0,
        is_compiled: bool = False,
        announce: Callable[[str], None] = lambda line: None,
    ) -> None:
        self.game, self.dtype, self.symmetry = game, dtype, symmetry
        self._network = network.folded(dtype)
        self._ask = compiled(self._network, announce) if is_compiled else self._network
        device = next(network.parameters()).device
        self._num_images = num_images(game)
        self.damaged = torch.zeros((), dtype=torch.bool, device=device)
        self._seed = torch.tensor(seed, device=device)
        self._round = torch.zeros((), dtype=torch.int64, device=device)
        self._num_calls = torch.zeros((), dtype=torch.int64, device=device)

    @torch.no_grad()
    def learn_from(self, network: ResNet, turns: int = 0) -> None:
        """Copies the current weights of a network of the same size.

        Args:
            turns: determines the random images from now on.
        """
        mine, new = self._network.state_dict(), network.folded().state_dict()
        for name, weights in mine.items():
            weights.copy_(new[name])
        self._round.fill_(turns)
        self._num_calls.zero_()

    @torch.no_grad()
    def __call__(self, states, legal_mask: Tensor) -> tuple[Tensor, Tensor]:
        """Evaluates many positions.

        Args:
            states: a state whose fields are int64 [B].
            legal_mask: bool [B, num_actions].

        Returns:
            ``(prior, value)``: float32 [B, num_actions], 0 on illegal moves, sum 1 (all 0 if no
            move is legal); float32 [B] in [-1, 1], for the player to move.
        """
        planes = self.game.batch_encode(states)
        if self.symmetry == "random":
            places = torch.arange(len(planes), device=planes.device)
            where = self._round, self._num_calls, places
            drawn = draws.whole(self._seed, draws.IMAGE, *where)
            actions = torch.arange(self.game.num_actions, device=planes.device)
            rows = torch.stack([legal_mask.long(), actions.expand(legal_mask.shape)], dim=1)
            planes, rows = apply_symmetry(self.game, planes, rows, drawn % self._num_images)
            legal_mask, moved = rows[:, 0].bool(), rows[:, 1]
            self._num_calls += 1
        logits, value = self._ask(planes.to(self.dtype, memory_format=torch.channels_last))
        self.damaged |= ~(torch.isfinite(logits).all() & torch.isfinite(value).all())
        prior = masked_log_softmax(logits.float(), legal_mask).exp().nan_to_num(0.0)
        if self.symmetry == "random":
            prior = torch.zeros_like(prior).scatter(1, moved, prior)
        return prior, value.float()


def compiled(network: ResNet, announce: Callable[[str], None]) -> Callable[[Tensor], tuple]:
    """Returns the network with its operations fused by ``torch.compile``, during the first call.

    Args:
        announce: called with a line if that fails, for example because Triton or a compiler is
            missing. The network then runs uncompiled.
    """
    fused, is_new = torch.compile(network, fullgraph=True, dynamic=False), True

    def ask(planes: Tensor) -> tuple[Tensor, Tensor]:
        nonlocal fused, is_new
        if not is_new:
            return fused(planes)
        is_new = False
        log = logging.getLogger("torch._inductor")
        level = log.level
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the compiler's warnings do not help users
                log.setLevel(logging.CRITICAL)
                return fused(planes)
        except torch.OutOfMemoryError:
            raise
        except Exception as error:  # a compiler may raise any exception
            cause = getattr(error, "inner_exception", None) or error
            if isinstance(cause, torch.OutOfMemoryError):
                raise cause from error
            why = (str(cause).strip() or type(cause).__name__).partition("\n")[0].rstrip(".")
            announce(f"torch.compile does not work here ({why}). The network runs uncompiled.")
            fused = network
        finally:
            log.setLevel(level)
        return network(planes)

    return ask
