"""Networks that play with the mean of their newest weights.

At a high learning rate every step throws the weights about. Their mean lies still, and plays better
than each of them, long before the rate falls. AlphaGo Zero and AlphaZero play with the newest
weights, KataGo with an exponential moving average of snapshots 250,000 samples apart (D. Wu,
Accelerating Self-Play Learning in Go, arXiv 1902.10565, with Appendix E).
"""

import torch
from torch import nn


@torch.no_grad()
def average(mean: nn.Module, newest: nn.Module, step: int, over: int) -> None:
    """Moves ``mean`` towards ``newest`` by ``1 / n``, in place: an exponential moving average.

    n is ``over``; in the beginning, when the weights change fast, a tenth of the steps so far, one
    at least, so that the first step is a copy.

    Args:
        mean, newest: of one architecture. Weights and batch norm's running statistics are averaged;
            whole numbers are copied.
        step: of training, counted from 1.
        over: steps, 1 or more.
    """
    share = 1 / min(over, max(1.0, step / 10))
    for slow, fast in zip(mean.state_dict().values(), newest.state_dict().values(), strict=True):
        if slow.is_floating_point():
            slow.lerp_(fast, share)
        else:
            slow.copy_(fast)
