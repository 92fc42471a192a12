"""A network as the evaluator of a recorded search: new weights go to the old memory."""

from typing import Literal

import torch
from torch import Tensor

from azlearn.games.tensor_game import TensorGame
from azlearn.learning.device import hashed_draws
from azlearn.learning.loss import masked_log_softmax
from azlearn.learning.network import ResNet


class DeviceEvaluator:
    """Prior and value from a network in its inference form, without a look at the device.

    ``NetworkEvaluator`` refuses an answer that is NaN, and must look at it for that. Here
    ``damaged`` keeps whether there ever was one, for somebody to look at later.

    Args:
        game: the rules, on the device where the network computes.
        network: on that device; its weights are taken as they are now; see ``learn_from``.
        dtype: torch.float32 or torch.bfloat16.
        symmetry: a position is shown to the network as it is (``"none"``), or each in a random one
            of its mirror images (``"random"``), as AlphaGo Zero does.
        seed: of these.

    Attributes:
        damaged: bool [], on the device.
    """

    def __init__(
        self,
        game: TensorGame,
        network: ResNet,
        *,
        dtype: torch.dtype = torch.float32,
        symmetry: Literal["none", "random"] = "none",
        seed: int = 0,
    ) -> None:
        self.game, self.dtype, self.symmetry, self.seed = game, dtype, symmetry, seed
        self._network = network.folded(dtype)
        self.damaged = torch.zeros((), dtype=torch.bool, device=game.device)
        self._num_calls = torch.zeros((), dtype=torch.int64, device=game.device)

    @torch.no_grad()
    def learn_from(self, network: ResNet) -> None:
        """Takes the weights of a network of the same size, as they are now."""
        mine, new = self._network.state_dict(), network.folded().state_dict()
        for name, weights in mine.items():
            weights.copy_(new[name])

    @torch.no_grad()
    def __call__(self, states, legal_mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """``(prior, value)``: float32 [B, num_actions], 0 on illegal moves, sum 1 (all 0 where the
        game is over); float32 [B] in [-1, 1], for the player to move.

        Args:
            states: a state of int64 [B].
            legal_mask: bool [B, num_actions], if it is known already: in Othello it takes longer
                than all else but the network.
        """
        planes = self.game.encode(states)
        if legal_mask is None:
            legal_mask = self.game.legal_mask(states)
        if self.symmetry == "random":
            places = torch.arange(len(planes), device=planes.device)
            u = hashed_draws.uniform(self.seed, hashed_draws.IMAGE, self._num_calls, places)
            turn = (u * self.game.num_symmetries).long()
            self._num_calls += 1
            planes, legal_mask = self.game.turned(planes, legal_mask, turn)
        planes = planes.to(self.dtype, memory_format=torch.channels_last)
        logits, value = self._network(planes)
        self.damaged |= ~(torch.isfinite(logits).all() & torch.isfinite(value).all())
        prior = masked_log_softmax(logits.float(), legal_mask).exp().nan_to_num(0.0)
        if self.symmetry == "random":
            prior = torch.zeros_like(prior).scatter(1, self.game.moved_actions[turn], prior)
        return prior, value.float()
